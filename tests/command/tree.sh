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
-G 10ns --bytes 100
-G 10ns --bytes 100 --delay logp
-G 10ns --bytes 100 --delay loggp
-G 10ns --bytes 100 --delay store-forward
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

# what means nothing to a tree is said
json '.time == 24' tree broadcast --k 3 --op max --count 5 --block 16 --window 2
stderr_is "$(printf 'logp: --%s means nothing to tree broadcast\n' k window block count op)"
json '.time == 30' tree summation --bytes 100 --op max
stderr_is "$(printf 'logp: --%s means nothing to tree summation\n' bytes op)"
json '.time == 24' tree broadcast -G 10ns --bytes 100 --delay logp
stderr_is 'logp: -G means nothing with --delay logp'

# as text, picture, CSV
says '`- 7 at 22, T 2' tree broadcast
says '| `- 3 (1 + 5) at 5, T 0' tree summation -P 7 -L 5 --count 82
says '1 of the processors take part, the others would not make it faster' tree summation --count 1
says 'optimal-paper summation tree, 80 operands, P = 8: time at most 27.3 units' tree summation --gamma 0.7 --algo optimal-paper
logp tree summation -P 1000 --count 40 --format svg
grep -q 'of 1000 processors: ' "$dir/out" || fail "summation as a picture"
# at most 16 steps of 1, 2, 5 or 10 on the axis of time
axis() {
    logp tree broadcast -P 2 -L $(($1 - 2)) -o 1 -g 1 --format svg
    [ "$(sed -n 's/.*class="mid".*>\([0-9]*\)<.*/\1/p' "$dir/out" | tr '\n' ' ')" = "$(seq -s ' ' 0 "$2" "$1") " ] ||
        fail "the axis of $1: $(grep 'class="mid"' "$dir/out")"
}
axis 16 1
axis 30 2
axis 70 5
axis 100 10
axis 300 20
# the pictures of the README are what it draws
pictures=$(dirname "$0")/../../tools/pictures
logp tree broadcast --format svg
cmp "$dir/out" "$pictures/broadcast-tree.svg" || fail "broadcast-tree.svg is another picture"
logp tree summation -P 7 -L 5 --count 82 --format svg
cmp "$dir/out" "$pictures/summation-tree.svg" || fail "summation-tree.svg is another picture"
logp tree broadcast --format svg
grep -q '</svg>' "$dir/out" || fail "tree as a picture"
logp tree summation -P 7 -L 5 --count 82 --gamma 0.7 --algo optimal-paper --format svg
grep -q 'Sum of 82 operands on 7 processors: at most .*gamma 0.7)' "$dir/out" || fail "gamma in a picture"
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
expect='--topology neighbours' bad tree broadcast --topology ring
expect='--delay none loggp' bad tree broadcast --delay none
expect='--capacity off stalls' bad tree broadcast --capacity
expect='--capacity off stalls' bad tree summation --capacity
expect='--algo flat optimal' bad tree broadcast --algo flat
expect='--algo flat optimal-paper' bad tree summation --algo flat
expect='--gap shared separate' bad tree summation --gap shared
expect='longer clock' bad tree summation -P 1 --gamma 1000s --count 100000000000
expect='--root 8 0 7' bad tree broadcast --root 8
expect='--reps tree' bad tree broadcast --reps 5
finish
