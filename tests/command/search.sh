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

# a kept schedule takes what gamma says now, packing and work stay as they were asked for
mkdir "$dir/own"
logp schedule allreduce -P 4 --algo ring --count 64 --output "$dir/own/allreduce-P4-own.json"
logp schedule transpose -P 4 --algo ring --output "$dir/own/transpose-P4-own.json"
logp schedule transpose -P 5 --algo ring --pack 1 --output "$dir/own/transpose-P5-own.json"
logp schedule matvec -P 4 --output "$dir/own/matvec-P4-own.json"
json 'map(.predicted_ns) | .[0] == .[1] and .[0] > 1000000' predict allreduce -P 4 --count 64 --gamma 10us \
    --algo ring,search --schedules "$dir/own"
json '.[0].predicted_ns == 1080000' predict --schedule "$dir/own/allreduce-P4-own.json" --as allreduce --count 64 \
    --gamma 10us
json '.[0].predicted_ns == 600000' predict --schedule "$dir/own/allreduce-P4-own.json" --as allreduce --count 64
json 'map(select(.algorithm == "search")) | length == 1' predict transpose -P 4 --algo all --schedules "$dir/own"
json 'map(select(.algorithm == "search")) | length == 0' predict transpose -P 4 --algo all --pack 3 \
    --schedules "$dir/own"
json 'map(select(.algorithm == "search")) | length == 0' predict transpose -P 5 --algo all --schedules "$dir/own"
json 'map(.predicted_ns) | .[0] == .[1] and .[0] > 200000' predict matvec -P 4 --gamma 10us --count 9 \
    --algo doubling,search

# what makes data of its own is predicted, but no list holds what it does
json 'map(select(.algorithm == "search")) | length == 1' predict matvec -P 4 --algo all --schedules "$dir/own"
json 'map(select(.algorithm == "search")) | length == 0' run matvec -P 4 --algo all --schedules "$dir/own" \
    --clock virtual
expect='--algo search: matvec' bad run matvec -P 4 --algo search --clock virtual

# each question has a file of its own
questions=0
for words in '--gap separate' '--gap shared' '--capacity' '--rendezvous 0' '--delay store-forward' '--topology ring'; do
    # shellcheck disable=SC2086
    logp search broadcast -P 4 $words --limit 10ms --schedules "$dir/questions"
    mv "$dir/questions" "$dir/questions$((++questions))"
done
[ "$(find "$dir"/questions* -name 'broadcast-P4-*.json' -printf '%f\n' | sort -u | wc -l)" -eq 6 ] ||
    fail "questions: $(ls "$dir"/questions*)"

json '.[0] | .algorithm == "search" and .verified' run barrier -P 8 --algo search --clock virtual
json 'map(.algorithm) == ["binomial", "search"]' predict reduce -P 4 --algo binomial,search

# the best of the table needs receives ahead of its sends: the file says so
logp search allreduce -P 5 --rendezvous 0 --limit 50ms --output "$dir/waits.json"
[ $code -eq 0 ] || fail "search --rendezvous: exit code $code: $(cat "$dir/all")"
json '.[0] | .verified and .predicted_ns == .emulated_ns.median' run --schedule "$dir/waits.json" --as allreduce \
    -P 5 --rendezvous 0 --clock virtual
says 'time: at most 180 us' search reduce -P 4 --delay varying --limit 50ms

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
expect='search broadcast --algo' bad search broadcast --algo flat
expect='matvec square' bad search matvec -P 8
echo '{"P":8' >"$dir/kept/broadcast-P8-bad.json"
expect="broadcast-P8-bad.json line" bad predict broadcast -P 8 --schedules "$dir/kept"

# Ctrl-C: the best so far
"$logp" search barrier -P 64 --limit 60s --progress on >"$dir/best" 2>"$dir/shown" &
pid=$!
until grep -q schedules "$dir/shown" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "Ctrl-C: exit code $code: $(cat "$dir/shown")"
grep -q '^time: *480 us$' "$dir/best" || fail "Ctrl-C: no result: $(cat "$dir/best")"
grep -q 'interrupted: this is the best so far' "$dir/shown" || fail "Ctrl-C: not said: $(cat "$dir/shown")"
finish
