#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tree: the trees themselves, and that they are those of which predict speaks.
. "$(dirname "$0")/support.sh"

json '.time == 24 and .P == 8 and .L == 6 and .o == 2 and .g == 4 and .tree == "broadcast" and
      .nodes[0] == {rank:0,time:24,parent:null,children:[1,4,6,7],label:0,operands:null} and
      [.nodes[].time] == [24,14,4,0,10,0,6,2] and .nodes[5].parent == 4 and .nodes[5].label == 24' \
    tree broadcast
json '.tree == "summation" and .time == 29 and .algorithm == "optimal-paper" and .count == 82 and
      [.nodes[].operands.own] == [16,9,5,1,8,1,7] and all(.nodes[].operands; .shared == 5) and
      [.nodes[].time] == [24,14,4,0,10,0,6] and .nodes[0].children == [1,4,6] and
      .nodes[3].label == 5' tree summation -P 7 -L 5 --count 82
json '.time == 22 and (.nodes | length) == 7 and ([.nodes[].operands | .own + .shared] | add) == 40 and
      .nodes[6] == {rank:6,time:null,parent:null,children:[],label:null,operands:{own:0,shared:0}}' \
    tree summation -P 7 -L 5 --count 40 --algo optimal
# --root: the ranks as they are, in the order of the tree
json '.nodes[0].rank == 5 and .nodes[0].children == [6,1,3,4] and [.nodes[].rank] == [5,6,7,0,1,2,3,4]' \
    tree broadcast --root 5
json '.nodes[0].rank == 2 and .nodes[0].children == [3,6,1]' tree summation -P 7 -L 5 --count 82 --root 2
json '.o == 3.5 and .o_recv == 2 and .time == 27' tree broadcast --o-send 3.5
stderr_is ''

# the time that predict says, for the same model
same() {
    local kind=$1
    shift
    logp tree "$kind" "$@" --unit 1us --format json
    cp "$dir/out" "$dir/tree"
    logp predict "$kind" "$@" --unit 1us --format json
    printf '[%s,%s]\n' "$(<"$dir/tree")" "$(<"$dir/out")" >"$dir/both"
    holds '(.[0].time * 1000 | round) == .[1][0].predicted_ns' "$dir/both" "tree $kind $*"
}
while read -r words; do
    # shellcheck disable=SC2086
    same broadcast --algo optimal $words
    # shellcheck disable=SC2086
    same summation $words
done <<'END'
-P 20
-P 1
-G 10ns --bytes 104
-G 10ns --bytes 104 --delay loggp
-G 10ns --bytes 104 --delay store-forward
--machine cm5 --bytes 64
--o-send 5
--o-recv 7
-g 9
END
same broadcast --algo optimal -P 20 --gap shared
same broadcast --algo optimal -P 20 --work 5
same summation --gamma 0.5 --count 100 --type int32 -G 1us
same summation --algo optimal-paper --o-send 5
json '.algorithm == "optimal" and .time == 33' tree summation --o-send 5

# a large one, whole; or not at all
logp tree broadcast -P 3000 --format json
holds '(.nodes | length) == 3000 and .nodes[2999].rank == 2999' "$dir/out" "a large tree"
(ulimit -v 60000 && "$logp" tree broadcast -P 1048576 --format json >"$dir/out" 2>"$dir/err")
[ $? -eq 2 ] || fail "no memory: exit code"
stderr_is 'logp: no memory for a tree of 1048576 processors'

# Of any algorithm: it is a tree where pairs of ranks that send to each other are one fewer than ranks,
# and the first message to, or from, a rank is from, or to, the one above it.
trees=0
while read -r collective algorithm; do
    logp schedule "$collective" --algo "$algorithm" --format json
    cp "$dir/out" "$dir/schedule"
    pairs=$(jq '[.ranks | to_entries[] | .key as $r | .value[] | select(.op == "send") |
                 [$r, .peer] | sort] | unique | length' "$dir/schedule")
    logp tree "$collective" --algo "$algorithm" --format json
    [ $code -eq $((pairs == 7 ? 0 : 2)) ] || fail "tree $collective $algorithm: exit code $code, $pairs pairs"
    [ $code -eq 0 ] || continue
    trees=$((trees + 1))
    printf '[%s,%s]\n' "$(<"$dir/out")" "$(<"$dir/schedule")" >"$dir/both"
    holds '. as [$t, $s] | ($t.nodes | length) == 8 and
           ([$t.nodes[] | .rank as $r | .children[] | {key: tostring, value: $r}] | from_entries) as $up |
           all($t.nodes[]; .parent == $up[.rank | tostring]) and $t.nodes[0].parent == null and
           (if $t.along == "to-root" then "send" else "recv" end) as $op |
           all($t.nodes[1:][]; .parent == ([$s.ranks[.rank][] | select(.op == $op)][0].peer))' \
        "$dir/both" "tree $collective $algorithm"
done < <("$logp" list algorithms --format json | jq -r '.[] | select(.name | IN("optimal", "optimal-paper") | not) |
                                                      "\(.collective) \(.name)"')
[ $trees -ge 20 ] || fail "only $trees trees"
json '.tree == "broadcast" and .algorithm == "binomial" and .time == 30 and .root == 0 and .along == "from-root" and
      .returns == false and .nodes[3] == {rank:7,time:0,parent:6,children:[],label:30,operands:null}' \
    tree broadcast --algo binomial
json '.along == "to-root" and .returns == true and .time == 44 and .nodes[0].label == 22' tree barrier --algo tree -P 6
json '.algorithm == "flat" and .nodes[0].rank == 3 and .nodes[0].label == 34' tree reduce --root 3 --algo flat
json '.nodes == [{rank:0,time:0,parent:null,children:[],label:0,operands:null}]' tree gather -P 1
says '1 of the processors are used' tree summation --algo flat -P 4 --count 1
says '`- 1 at 0' tree reduce -P 2 --format text
says '|- 2 at 14, T 16' tree broadcast --algo binomial
# --k is of the algorithm that is named
json '.nodes[0].children == [1,5]' tree reduce --algo kchain --k 2 -P 9
stderr_is ''
logp tree reduce --algo binomial --format csv
awk -F, 'NF != 5 { exit 1 } END { exit NR != 9 }' "$dir/out" || fail "a found tree as CSV"

# for Graphviz: arrows go where the first messages go
logp tree reduce --algo binomial --format dot
[ "$(grep -c -- ' -> 0;$' "$dir/out") $(grep -c -- ' -> ' "$dir/out") $(grep -c 'label=' "$dir/out")" = '3 7 8' ] ||
    fail "dot: $(<"$dir/out")"
logp tree allreduce --algo reduce-broadcast --format dot
[ "$(grep -c 'dir=both' "$dir/out")" -eq 7 ] || fail "dot, both ways: $(<"$dir/out")"
logp tree broadcast --format dot
grep -q '^    0 -> 4;$' "$dir/out" || fail "dot: $(<"$dir/out")"
if command -v dot >/dev/null; then
    dot -Tsvg "$dir/out" 2>&1 | grep -q '</svg>' || fail "Graphviz does not read it"
fi

# as a picture: boxes are apart, all of it is inside, and a box is as wide as its text
for words in 'broadcast --algo binomial -P 3' 'broadcast --algo binomial -P 64' 'reduce --algo flat -P 64' \
    'broadcast --algo chain -P 64' 'reduce --algo kchain -P 40 --unit 7ns' 'scatter --algo knomial -P 50 -L 0.1234'; do
    # shellcheck disable=SC2086
    logp tree $words --format svg
    awk -v n="${words#*-P }" '
        function of(name) { match($0, " " name "=\"[-0-9.]*"); return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 }
        /^<svg/ { width = of("width"); height = of("height") }
        /class="box"/ {
            x[++boxes] = of("x"); y[boxes] = of("y"); w = of("width"); h = of("height")
            if (x[boxes] < 0 || x[boxes] + w > width || y[boxes] < 50 || y[boxes] + h > height) bad = 1
            gsub(/<[^>]*>/, " ")
            for (i = 1; i <= NF; i++) if (length($i) * 6.5 > w) bad = 2
        }
        /class="edge"/ { edges++ }
        END {
            for (i = 1; i <= boxes; i++) for (k = 1; k < i; k++)
                if (x[i] < x[k] + w && x[k] < x[i] + w && y[i] < y[k] + h && y[k] < y[i] + h) bad = 3
            if (boxes != n + 0 || edges != n - 1) bad = 4
            if (bad) print bad
        }' "$dir/out" >"$dir/wrong"
    [ ! -s "$dir/wrong" ] || fail "tree $words as a picture: $(<"$dir/wrong")"
done

# what a tree does not use
for option in '--k 3' '--op max' '--count 5' '--block 16' '--window 2'; do
    # shellcheck disable=SC2086
    expect="${option% *} tree broadcast remove" bad tree broadcast $option
done
expect='--op tree summation' bad tree summation --op max
expect='-G --delay logp remove' bad tree broadcast -G 10ns --bytes 100 --delay logp

# as text, picture, CSV
says '`- 7 at 22, T 2' tree broadcast
says '| `- 3 (1 + 5) at 5, T 0' tree summation -P 7 -L 5 --count 82
says '1 of the processors are used; more would not be faster' tree summation --count 1
says 'optimal-paper summation tree, 80 operands, P = 8: time at most 27.3 units' tree summation --gamma 0.7 --algo optimal-paper
logp tree summation -P 1000 --count 40 --format svg
grep -q 'of 1000 processors: ' "$dir/out" || fail "summation as a picture"
# at most 13 steps of 1, 2, 5 or 10 on the axis of time
axis() {
    logp tree broadcast -P 2 -L $(($1 - 2)) -o 1 -g 1 --format svg
    [ "$(sed -n 's/.*class="mid".*>\([0-9]*\)<.*/\1/p' "$dir/out" | tr '\n' ' ')" = "$(seq -s ' ' 0 "$2" "$1") " ] ||
        fail "the axis of $1: $(grep 'class="mid"' "$dir/out")"
}
axis 13 1
axis 26 2
axis 65 5
axis 100 10
axis 260 20
# an optimal tree is there as a tree and in time
for words in 'broadcast -P 40' 'summation -P 40 --count 4000'; do
    # shellcheck disable=SC2086
    logp tree $words --format svg
    for kind in box:40 edge:39 wire:40; do # a wire is in the legend
        [ "$(grep -o "class=\"${kind%:*}\"" "$dir/out" | wc -l)" -eq "${kind#*:}" ] || fail "$words: not ${kind#*:} of ${kind%:*}"
    done
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/out" || fail "$words: no XML"
done
logp tree summation -P 7 -L 5 --count 82 --format svg
grep -q '>16 + 5</text>$' "$dir/out" || fail "no operands in the tree"
# the pictures of the pages are what it draws
for words in 'tree broadcast --algo binomial' 'tree broadcast' 'tree summation' 'explain broadcast flat optimal'; do
    logp $words --format svg --size 640x500 --title 'mine & yours'
    grep -q '^<svg [^>]* width="640" height="500" ' "$dir/out" && grep -q '>mine &amp; yours<' "$dir/out" ||
        fail "$words: size and title of $(head -c 400 "$dir/out")"
done
pictures=$(dirname "$0")/../../tools/pictures
logp tree broadcast --format svg
cmp "$dir/out" "$pictures/broadcast-tree.svg" || fail "broadcast-tree.svg is another picture"
logp tree summation -P 7 -L 5 --count 82 --format svg
cmp "$dir/out" "$pictures/summation-tree.svg" || fail "summation-tree.svg is another picture"
logp tree broadcast --format svg
grep -q '</svg>' "$dir/out" || fail "tree as a picture"
logp tree summation -P 7 -L 5 --count 82 --gamma 0.7 --algo optimal-paper --format svg
grep -q 'Sum of 82 operands on 7 processors: at most ' "$dir/out" && grep -q 'gamma 0.7;' "$dir/out" || fail "gamma in a picture"
grep -q '>operands</text>' "$dir/out" || fail "operands in a picture"
logp tree broadcast -P 2 -L 0 -o 0.5 -g 0.5 --format svg
grep -q '>0.1</text>' "$dir/out" || fail "the axis of a short time: $(cat "$dir/out")"
logp tree broadcast -P 1 -L 0.1 --format svg
grep -q '</svg>' "$dir/out" || fail "a tree of one as a picture"
logp tree summation -P 9 --format csv
awk -F, 'NF != 7 { exit 1 } END { exit NR != 10 }' "$dir/out" || fail "summation as CSV"
says '1,14,0,10,2 3' tree broadcast --format csv

expect='broadcast' bad tree
expect='oak broadcast' bad tree oak
expect='extra' bad tree broadcast extra
expect='-P 1025 1024 json' bad tree broadcast -P 1025
expect='-P 2000 1024 json' bad tree summation -P 2000
expect='-P 257 256' bad tree broadcast -P 257 --format svg
expect='-P 1048577 1048576' bad tree broadcast -P 1048577 --format json
expect='--topology distances' bad tree broadcast --topology ring
expect='--delay none loggp' bad tree broadcast --delay none
expect='--link 0-1:L=9: none: the tree' bad tree broadcast --link 0-1:L=9
expect='--capacity off stalls' bad tree broadcast --capacity
expect='--capacity off stalls' bad tree summation --capacity
expect='--algo oak optimal' bad tree broadcast --algo oak
expect='--algo linear no tree alltoall' bad tree alltoall --algo linear
expect='--algo two-tree binomial chain-pipelined' bad tree broadcast --algo two-tree --bytes 100
expect='--algo flat,chain one' bad tree broadcast --algo flat,chain
expect='--topology distances' bad tree reduce --topology ring
expect='--capacity off' bad tree gather --capacity
expect='--delay none loggp' bad tree scatter --algo flat --delay none
expect='-P 257 256' bad tree reduce -P 257 --format svg
expect='-P 1025 1024' bad tree reduce -P 1025 --algo flat
expect='--plugin built-in' bad tree reduce --plugin "$plugin"
expect='linear 4194304' bad tree alltoall --algo linear -P 2500
expect='--gap shared separate' bad tree summation --gap shared
expect='longer clock' bad tree summation -P 1 --gamma 1000s --count 100000000000
expect='--root 8 0 7' bad tree broadcast --root 8
expect='--reps tree' bad tree broadcast --reps 5
finish
