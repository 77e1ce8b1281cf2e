#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench --save and --against: where runs are kept, what is compared with what, and what a change is.
. "$(dirname "$0")/support.sh"
unset "${!XDG_@}"
export HOME=$dir/home
virtual=(broadcast -P 4,8 --algo optimal,binomial --clock virtual)
cd "$dir" || exit 1

# ---- where it is kept ----
logp bench "${virtual[@]}" --save before
[ $code -eq 0 ] && [ -s "$dir/home/.local/share/logp/before.json" ] || fail "not saved: $(cat "$dir/all")"
XDG_DATA_HOME=$dir/data logp bench "${virtual[@]}" --save before
cmp -s <(jq .records "$dir/data/logp/before.json") <(jq .records "$dir/home/.local/share/logp/before.json") || fail "XDG_DATA_HOME"
logp bench "${virtual[@]}" --save ./here.json
logp bench "${virtual[@]}" --save too.json --format json
cmp -s <(jq .records too.json) <(jq . out) && cmp -s <(jq .records too.json) <(jq .records here.json) || fail "saved records are others"
holds '(keys == ["host","logp","records","saved"]) and .host.cores > 0 and (.records | length) == 4' here.json "a saved run"
LOGP_SAVE=ignored logp bench "${virtual[@]}"
[ ! -e "$dir/home/.local/share/logp/ignored.json" ] || fail "--save from the environment"
env -u HOME "$logp" bench "${virtual[@]}" --save before >out 2>err
grep -q 'XDG_DATA_HOME and HOME are not set' err || fail "without a home: $(cat err)"

echo old >interrupted.json
timeout -s INT 1 "$logp" bench broadcast -P 2 --executor fiber --reps 10000000 --precision 0% --limit 100s --save interrupted.json >out 2>err
[ $? -ne 0 ] && [ "$(<interrupted.json)" = old ] && grep -q 'interrupted.json: nothing is saved' err || fail "interrupted: $(cat err)"

# ---- the same run: nothing has changed ----
says 'optimal 8 240.000 240.000 240.000 1.0000 1.0000 1.0000 unchanged' bench "${virtual[@]}" --against before
says '0 slower, 0 faster, 4 unchanged' bench "${virtual[@]}" --against before --fail-on change
logp bench "${virtual[@]}" --output plain.json
says '0 slower, 0 faster, 4 unchanged' bench "${virtual[@]}" --against plain.json # any records of bench will do
says '0 slower, 0 faster, 2 unchanged; 2 points of before were not run' \
    bench broadcast -P 8 --algo optimal,binomial --clock virtual --against before
says '0 slower, 0 faster, 4 unchanged, 2 new' bench broadcast -P 4,8,16 --algo optimal,binomial --clock virtual --against before
says 'optimal 16 320.000 320.000 - - - - new' bench broadcast -P 4,8,16 --algo optimal,binomial --clock virtual --against before
stderr_has '2 of 6 points are not in before: P was 4, and is now 16'
# a run that is compared with one of its own name replaces that afterwards
logp bench "${virtual[@]}" --save before --against before
holds '.records | length == 4 and all(.[]; has("verdict") | not)' "$dir/home/.local/share/logp/before.json" \
    "saved without what it was compared with"

# a run saved before there was --place: its processors were in blocks
wall=(broadcast -P 2 --algo flat --executor fiber --reps 3)
logp bench "${wall[@]}" --save placed.json
jq '.records[] |= del(.place, .unit_ns, .unit_by)' placed.json >older.json
logp bench "${wall[@]}" --against older.json --format json
holds 'length == 1 and .[0].then_ns > 0 and .[0].verdict != "new"' out "a saved record without place"
logp bench "${wall[@]}" --place round-robin --against older.json
[ $code -eq 2 ] || fail "another place: exit code $code"
stderr_has 'no point of this run: place was "block", and is now "round-robin"'

# ---- what has changed: on the virtual clock each nanosecond counts ----
jq '.records[2] |= (.emulated_ns.median = 240001 | .interval_ns = {low:240001,high:240001}) |
    .records[3] |= (.emulated_ns.median = 299999 | .interval_ns = null)' here.json >changed.json
says '1 slower, 1 faster, 2 unchanged' bench "${virtual[@]}" --against changed.json
logp bench "${virtual[@]}" --against changed.json --format json
holds 'map(.verdict) == ["unchanged","unchanged","faster","slower"] and .[2].then_ns == 240001 and
       (.[3].change | .ratio > 1 and .low == .ratio and .high == .ratio)' out "changes as JSON"
logp bench "${virtual[@]}" --against changed.json --format csv
[ "$(head -1 out | tr ',' '\n' | grep -cxE 'then_ns|change_ratio|change_low|change_high|verdict')" -eq 5 ] || fail "CSV: $(head -1 out)"
jq '.records |= .[2:3]' changed.json >faster.json
jq '.records |= .[3:4]' changed.json >slower.json
while read -r file words expected; do
    logp bench "${virtual[@]}" --against "$file.json" --fail-on "$words"
    [ $code -eq "$expected" ] || fail "$file --fail-on $words: exit code $code"
done <<'END'
faster none 0
faster slower 0
faster change 1
slower none 0
slower slower 1
slower change 1
END
stderr_has '--fail-on change: 1 slower and 0 faster of 1 points, against slower.json'
[ -s out ] || fail "no table with --fail-on"

# ---- on the wall clock: the interval is that of Zou & Donner, and what is within --precision does not count ----
wall=(barrier -P 2 --unit 1us --executor fiber --reps 50 --precision 1%)
logp bench "${wall[@]}" --save wall.json
for scale in 0.001 0.5 1.004 2; do
    jq --argjson s $scale '.records[0] |= (.measured_ns.median |= (. * $s | floor) |
        .interval_ns |= map_values(. * $s | floor))' wall.json >scaled.json
    logp bench "${wall[@]}" --against scaled.json --format json
    printf '[%s,%s]\n' "$(<out)" "$(<scaled.json)" >both
    holds '(.[0][0] | [.measured_ns.median, .interval_ns.low, .interval_ns.high]) as [$m, $l, $h] |
           (.[1].records[0] | [.measured_ns.median, .interval_ns.low, .interval_ns.high]) as [$n, $k, $i] |
           def near($x): (. - $x) as $d | $d < 0.00001 * $x and $d > -0.00001 * $x;
           ([($m / $l), ($i / $n)] | map(log * log) | add | sqrt) as $below |
           ([($h / $m), ($n / $k)] | map(log * log) | add | sqrt) as $above |
           .[0][0].change as $c | ($m / $n) as $r | ($c.ratio | near($r)) and ($c.low | near($r / ($below | exp))) and
           ($c.high | near($r * ($above | exp))) and .[0][0].verdict ==
               (if $c.low > 1 and $r > 1.01 then "slower" elif $c.high < 1 and $r < 0.99 then "faster" else "unchanged" end)' \
        both "the interval of a change, scale $scale"
done
logp bench "${wall[@]}" --reps 3 --against wall.json
grep -q '1 unknown (too few runs, or a wrong result)' out || fail "without an interval: $(cat out)"

for interval in '{low:-1,high:-1}' '{low:300000,high:400000}' null; do # of no order statistics: none
    jq ".records[0].interval_ns = $interval" wall.json >strange.json
    logp bench "${wall[@]}" --against strange.json --format json
    holds '.[0] | .verdict == "unknown" and .change.ratio > 0 and (.change | has("low") | not)' out "interval $interval"
done

# ---- what differs is said, and not compared ----
expect='--against before no point of this run: L_ns was 60000, and is now 70000' bad bench "${virtual[@]}" -L 7 --against before
expect='--against before no point of this run: L_ns was 60000, and is now 6000; o_send_ns' \
    bad bench "${virtual[@]}" --unit 1us --against before
expect='--against before no point executor was "thread", and is now "fiber"' bad bench "${virtual[@]}" --executor fiber --against before
jq '.host.processor = "an abacus"' wall.json >other.json
expect='--against other.json another host: processor was "an abacus"' bad bench "${wall[@]}" --against other.json
jq '.host.processor = "an abacus"' here.json >other.json
says '0 slower, 0 faster, 4 unchanged' bench "${virtual[@]}" --against other.json # virtual time is the same on all hosts
expect='--against nothere cannot read nothere.json: No such file --save' bad bench "${virtual[@]}" --against nothere
for text in '{"records":3}' '[' '7'; do
    echo "$text" >none.json
    expect='--against none.json a file of logp bench --save' bad bench "${virtual[@]}" --against none.json
done
echo '[7,{"collective":null}]' >none.json
expect='--against none.json no point of this run' bad bench "${virtual[@]}" --against none.json
expect='--fail-on --against' bad bench "${virtual[@]}" --fail-on slower
expect='--fail-on often slower change none' bad bench "${virtual[@]}" --against before --fail-on often
expect='--save /nowhere/x.json' bad bench "${virtual[@]}" --save /nowhere/x.json
expect='--save bench crossover' bad bench crossover barrier --save x
expect='--output plain.json new file --restart' bad bench "${virtual[@]}" --output plain.json --save x
finish
