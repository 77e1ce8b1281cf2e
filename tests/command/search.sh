#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Schedules that are searched for: what is said of them, their files, and folders of them.
. "$(dirname "$0")/support.sh"

says 'proof: it is the lower bound, so none is faster' search broadcast -P 4
says 'proof: all schedules were looked at, and none is faster' search barrier -P 4 -L 2 -o 3 -g 1
says 'table: 140 us' search barrier -P 3

# a file of steps is checked and predicted; the report is beside it
model='-P 8 -L 6us -o 2us -g 4us -G 0.01us --bytes 1024'
# shellcheck disable=SC2086
logp search broadcast $model --limit 500ms --output "$dir/found.json"
[ $code -eq 0 ] || fail "search --output: exit code $code: $(cat "$dir/all")"
found=$(sed -n 's/^time: *\([0-9.]*\) us$/\1/p' "$dir/err")
[ -n "$found" ] || fail "no time: $(cat "$dir/err")"
# shellcheck disable=SC2086
json ".[0].predicted_ns == ($found * 1000 | round)" predict --schedule "$dir/found.json" --as broadcast $model
# shellcheck disable=SC2086
json ".[0] | .predicted_ns == ($found * 1000 | round) and .verified" run --schedule "$dir/found.json" --as broadcast \
    $model --clock virtual

# a folder: auto takes what is in it if it is faster, and --algo search names it
# shellcheck disable=SC2086
logp search broadcast $model --limit 500ms --schedules "$dir/kept"
[ -n "$(ls "$dir/kept")" ] || fail "nothing is kept: $(cat "$dir/all")"
for words in predict 'run --clock virtual'; do
    # shellcheck disable=SC2086
    json '.[0].algorithm == "search"' $words broadcast $model --schedules "$dir/kept"
    # shellcheck disable=SC2086
    json '.[0].algorithm == "search"' $words broadcast $model --schedules "$dir/kept" --algo search
    # shellcheck disable=SC2086
    json 'map(select(.algorithm == "search")) | length == 1' $words broadcast $model --schedules "$dir/kept" --algo all
    # shellcheck disable=SC2086
    json '.[0].algorithm != "search"' $words broadcast $model
    # for another number of processors and another size there is nothing
    json '.[0].algorithm != "search"' $words broadcast -P 7 --bytes 1024 --schedules "$dir/kept"
    json '.[0].algorithm != "search"' $words broadcast -P 8 --bytes 1000 --schedules "$dir/kept"
done
json '.[0] | .algorithm == "search" and .verified' run barrier -P 8 --algo search --clock virtual
json 'map(.algorithm) == ["binomial", "search"]' predict reduce -P 4 --algo binomial,search

# wrong input
expect='summation formula' bad search summation
expect='-P 257 256' bad search barrier -P 257
expect='collective' bad search
expect='no such collective' bad search bcast
expect='--limit 0' bad search barrier --limit 0
expect='--schedules none/such' bad predict broadcast --schedules none/such
expect='--schedules none/such' bad search barrier -P 4 --schedules none/such
expect='--reps' bad search barrier --reps 3
expect='--counts' bad search scatter -P 4 --counts 1,2
expect='-P one value' bad search barrier -P 4,8
echo '{"P":8' >"$dir/kept/broadcast-P8-bad.json"
expect="broadcast-P8-bad.json line" bad predict broadcast -P 8 --schedules "$dir/kept"

# Ctrl-C: the best so far
"$logp" search barrier -P 64 --limit 60s --progress on >"$dir/out" 2>"$dir/err" &
pid=$!
until grep -q schedules "$dir/err" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "Ctrl-C: exit code $code: $(cat "$dir/err")"
grep -q '^time: *480 us$' "$dir/out" || fail "Ctrl-C: no result: $(cat "$dir/out")"
grep -q 'interrupted: this is the best so far' "$dir/err" || fail "Ctrl-C: not said: $(cat "$dir/err")"
finish
