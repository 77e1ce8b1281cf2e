#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# logp report: what is in the page, and what is wrong with words and files. What a browser makes of
# it: tests/report/page.py.
. "$(dirname "$0")/support.sh"

page=$dir/page.html

# bad input
expect='report .html' bad report
expect='report broadcast .html' bad report broadcast
expect='page.htm .html' bad report page.htm broadcast
expect='report collective broadcast' bad report "$page"
expect='nosuch collective' bad report "$page" nosuch
expect='extra unexpected' bad report "$page" broadcast extra
expect='--format report' bad report "$page" broadcast --format json
expect='--output .html' bad report broadcast --output "$dir/x.csv"
expect='page.html --output' bad report "$page" broadcast --output "$dir/x.html"
expect='--algo bogus' bad report "$page" broadcast --algo bogus
expect='-P zero' bad report "$page" broadcast -P zero
LOGP_P=zero expect='LOGP_P zero' bad report "$page" broadcast
[ ! -e "$page" ] || fail "bad input left a page"

# what cannot be written
expect="$dir/none/page.html directory" bad report "$dir/none/page.html" barrier --clock virtual
mkdir "$dir/folder.html"
expect="$dir/folder.html directory" bad report barrier --clock virtual --output "$dir/folder.html"
ln -s /dev/full "$dir/full.html"
logp report "$dir/full.html" barrier --clock virtual
[ $code -eq 1 ] || fail "report to a full disk: exit code $code"
grep -q "^logp: $dir/full.html could not be written: " "$dir/err" || fail "full: $(cat "$dir/err")"
[ ! -s "$dir/out" ] || fail "full: output: $(cat "$dir/out")"

# both orders of its words make the same page, and - is stdout
logp report "$dir/a.html" barrier --clock virtual -P 2
logp report barrier --clock virtual -P 2 --output "$dir/b.html"
[ "$(cat "$dir/out")" = "$dir/b.html: open it in a browser" ] || fail "report --output: $(cat "$dir/out")"
sed -i 's/Made by [^"]*//; s/[ab]\.html//; s/"[a-z_]*_ns":[^,}]*//g; s/[0-9.]* ns a reading//' "$dir/a.html" "$dir/b.html"
cmp -s "$dir/a.html" "$dir/b.html" || fail "the orders of words make different pages"
logp report barrier --clock virtual -P 2 --output -
{ [ $code -eq 0 ] && [ "$(tail -n 1 "$dir/out")" = '</html>' ]; } || fail "report --output -: $(tail -n 1 "$dir/out")"

# data FILTER WORDS...: the filter must hold for the data of the page
data() {
    local filter=$1
    shift
    logp report "$page" "$@"
    [ $code -eq 0 ] || fail "report $*: exit code $code: $(cat "$dir/all")"
    sed -n 's/^ *<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$page" >"$dir/data"
    holds "$filter" "$dir/data" "report $*"
}
virtual=(--clock virtual --executor fiber)

# all algorithms where nobody says; the records are those of bench
data '(.records | length) > 10 and .diagrams[0].run.n > 20 and .diagrams[0].prediction.P == 8' broadcast "${virtual[@]}"
[ "$(cat "$dir/out")" = "$page: open it in a browser" ] || fail "report: $(cat "$dir/out")"
# (the page has two more digits)
compared='del(.sweep) | .bound_ratio |= (. // 0 | . * 100000 | round)'
jq -c ".records[] | $compared" "$dir/data" >"$dir/mine"
"$logp" bench broadcast --algo all "${virtual[@]}" --format json 2>/dev/null | jq -c ".[] | $compared" >"$dir/theirs"
cmp "$dir/mine" "$dir/theirs" || fail "report: not the records of bench"
grep -qiE '(src|href)="(https?:)?//|@import|url\((https?:)?//' "$page" && fail "the page loads something"
grep -q 'Permission is hereby granted, free of charge' "$page" || fail "no licence of what draws the curves"
data '[.records[].algorithm] | unique == ["flat", "optimal"]' broadcast --algo optimal,flat -P 4,8 "${virtual[@]}"
holds '.diagrams[0].record == 2 and .diagrams[0].run.P == 8' "$dir/data" "the most processors up to 64"
holds '.map.P == [2, 4, 8, 16, 32, 64] and (.map.best | length) == 6' "$dir/data" "the grid of the map"
LOGP_P=5 data '.records[0].P == 5' broadcast --algo optimal "${virtual[@]}"
holds '.commands[0].command | endswith("broadcast -P 5 --algo optimal --clock virtual --executor fiber")' "$dir/data" "commands"

# long messages: what boxes and arrows are made of, and how long each streams
data '.diagrams[0].run | .costs == {receive:"o",gap:"g",message:"L",port:null} and .columns.stream == {type:"same",n:.n,value:0}' \
    broadcast --algo optimal "${virtual[@]}"
data '.diagrams[0].run | .costs == {receive:"o",gap:"g + (k-1)G",message:"(k-1)G + L",port:"(k-1)G"} and .columns.stream.type != "same"' \
    broadcast --algo optimal --bytes 64 -G 0.1 "${virtual[@]}"

# what has no map, no prediction, no diagram
"$logp" schedule broadcast -P 4 --format goal >"$dir/x.goal"
data '.map == null and .diagrams[0].explain.ns > 0' --schedule "$dir/x.goal" "${virtual[@]}"
data '.map == null and .diagrams[0].prediction == null and .diagrams[0].run.source == "host"' broadcast --delay none --algo flat --reps 3
data '.diagrams == []' broadcast -P 1 --algo flat "${virtual[@]}"
data '(.diagrams | length) == 1 and .diagrams[0].explain == null' barrier --plugin "$plugin" --algo ring "${virtual[@]}"
# each algorithm at sizes of its own
data '.map.unit == "count" and .map.sizes[0] == 1' reduce --count 3 "${virtual[@]}"
holds '.map.sizes | index(3) != null' "$dir/data" "what was run is in the map"
data '.swept == ["k"]' reduce --algo kchain --k 2,3 "${virtual[@]}"

# nothing in the data is taken for a tag
page="$dir/a<b.html"
data '.commands[0].command | contains("a<b.html")' barrier "${virtual[@]}"
grep -q 'a<b.html' "$page" && fail "a name may end the data"
finish
