#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Trees of all algorithms against their schedules, their pictures, and a tree for which there is no memory.
. "$(dirname "$0")/support.sh"

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

# others read the pictures
for words in 'broadcast -P 40' 'summation -P 40 --count 4000'; do
    # shellcheck disable=SC2086
    logp tree $words --format svg
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/out" || fail "$words: no XML"
done
if command -v dot >/dev/null; then
    logp tree broadcast --format dot
    dot -Tsvg "$dir/out" 2>&1 | grep -q '</svg>' || fail "Graphviz does not read it"
fi
# the pictures of the pages are what it draws
while read -r picture words; do
    # shellcheck disable=SC2086
    logp $words --format svg
    cmp "$dir/out" "$(dirname "$0")/../../tools/pictures/$picture.svg" || fail "$picture.svg is another picture"
done <<<'broadcast-tree tree broadcast
summation-tree tree summation -P 7 -L 5 --count 82
reduce-trace trace reduce --algo kchain -P 11 --k 4 --clock virtual'
finish
