#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --explain: what a predicted time is made of, and that it is what predict says with other parameters.
. "$(dirname "$0")/support.sh"

says 'T = 2L + 4o + 1g' predict broadcast --explain
says '100.000 140.000 1 the gap since its send to 2 began' predict broadcast --explain
says '160.000 220.000 1 -> 3 the message is on its way' predict broadcast --explain
says '0.000 0, 1, 3-5' predict broadcast --explain
says '4 of 7 messages are critical. The least slack among the others:' predict broadcast --explain
says '20.000 200.000 0 -> 7' predict broadcast --explain
says 'g 40.000 1 1 0 up to 20.000, 1 up to 50.000, then 3' predict broadcast --explain
says 'T = 2L + 4o + 1g' run broadcast --explain --clock virtual
says 'T = 2L + 4o + 1g' run broadcast --explain --reps 2 --unit 1us --executor fiber
says 'binomial T = 3L + 6o' predict broadcast --explain --algo all
says 'T = 0' predict barrier -P 1 --explain
says 'T = 1L + 1 o_send + 1 o_recv + 1g' predict broadcast --algo flat -P 3 --o-send 5 --o-recv 1 -g 6 --explain
says 'T = 1L + 2o + 30000 ns computed' predict transpose -P 2 --pack 3 --rows 2 --cols 2 --explain --algo ring
says 'T = 1L + 2o + 3G + 0.5 ns rounded up' predict broadcast -P 2 --bytes 4 -G 0.5ns --explain
says '0.000 0.250 0 combines 1 element' predict summation -P 1 --count 2 --gamma 0.25us --explain
says 'G and gamma are not rounded up to whole ns here; rounding adds less than 1 ns' \
    predict broadcast -P 2 --bytes 4 -G 0.5ns --explain
says 'The critical path, at most 240.000 us as predicted: each part begins at the end of the previous part' \
    predict broadcast --delay varying --explain
# more than is shown
says '... ... (23 more; --format json has all)' predict broadcast --algo chain -P 22 --explain
[ "$(grep -c ' -> .* on its way' "$dir/out")" -eq 14 ] || fail "a long path: $(<"$dir/out")"
logp predict gather --algo flat -P 60 -o 1 -g 2 --explain
grep -q 'more processors; --format json has all' "$dir/out" || fail "much slack: $(<"$dir/out")"
# of a schedule from a file, too
"$logp" schedule broadcast --algo optimal --format goal >"$dir/x.goal"
says 'T = 2L + 4o + 1g' predict --schedule "$dir/x.goal" --explain
# without it nothing is said of it
logp predict broadcast
! grep -q 'T =' "$dir/out" || fail "explained without being asked"
json '.[0] | has("explain") | not' predict broadcast

json '.[0].explain | .L == 2 and .o == 4 and .g == 1 and .G == 0 and .gamma == 0 and .ns == 240000 and
      .path[0] == {kind:"send",rank:0,peer:1,message:0,start_ns:0,end_ns:20000} and
      .path[3] == {kind:"gap",rank:1,peer:2,message:4,start_ns:100000,end_ns:140000} and .path[6].message == 5 and
      ([.path[] | .end_ns - .start_ns] | add) == 240000 and .slack_ns == [0,0,40000,0,0,0,60000,20000] and
      (.messages | length) == 7 and .messages[3] == {from:0,to:7,start_ns:120000,arrival_ns:200000,slack_ns:20000} and
      .curves.L == {at_ps:60000000,left:2,right:2,rounding_ns:0,
                    lines:[{from_ps:0,slope:1,base_ps:160000000},{from_ps:40000000,slope:2,base_ps:120000000}]}' \
    predict broadcast --explain
json '.[0].verified and .[0].explain.L == 2' run broadcast --explain --clock virtual
json 'all(.[]; .explain.ns == .predicted_ns) and length > 5' predict allreduce --explain --algo all --count 100 -G 0.3ns
json '[.[0].explain.curves | keys[]] == ["G","L","g","gamma","o_recv","o_send"]' predict broadcast --explain --o-send 3
json '.[0].explain.curves.G | .rounding_ns == 3 and .right == 21' predict broadcast --algo binomial -G 0.3ns --explain

# what it says of another value is what predict says there: the steps of these do not depend on it
while read -r key option unit value words; do
    # shellcheck disable=SC2086
    logp predict $words --explain --format json
    cp "$dir/out" "$dir/explained"
    # shellcheck disable=SC2086
    logp predict $words $option "$value$unit" --format json
    printf '[%s,%s]\n' "$(<"$dir/explained")" "$(<"$dir/out")" >"$dir/both"
    holds "(.[0][0].explain.curves.$key.lines | map(select(.from_ps <= $value * 1000)) | last) as \$l |
           (\$l.base_ps + \$l.slope * $value * 1000) / 1000 == .[1][0].predicted_ns" "$dir/both" "$words $option $value"
done <<'END'
L -L ns 0 broadcast --algo binomial -P 13
L -L ns 1234567 broadcast --algo binomial -P 13
L -L ns 39999 reduce --algo kchain -P 13 --k 3
L -L ns 40001 reduce --algo kchain -P 13 --k 3
o -o ns 1 gather --algo binomial -P 11
o -o ns 777777 gather --algo binomial -P 11
o_recv --o-recv ns 50001 scatter --algo flat
g -g ns 3 alltoall --algo linear -P 7
g -g ns 123456 alltoall --algo linear -P 7
END

expect='--topology ring none --explain' bad predict broadcast --explain --topology ring
expect='--capacity off --explain' bad run broadcast --explain --capacity
expect='--delay none --explain' bad run broadcast --explain --delay none
expect='--format csv table json' bad predict broadcast --explain --format csv
expect='--plugin five_ns built-in' bad run broadcast --explain --plugin "$plugin"
expect='--explain optimal processors' bad predict broadcast --explain -P 2^30
expect='--explain linear 4194304' bad predict alltoall --algo linear -P 2500 --explain
expect='--explain bench' bad bench broadcast --explain
expect='--explain value' bad predict broadcast --explain=3
LOGP_EXPLAIN=7 expect='LOGP_EXPLAIN 7 on off' bad predict broadcast
LOGP_EXPLAIN=1 says 'T = 2L + 4o + 1g' predict broadcast
# of several, one that cannot be explained is said to be so
says 'linear not explained: more than 4194304 sends, receives and combinations' \
    predict alltoall --algo linear,bruck -P 2500 --explain
finish
