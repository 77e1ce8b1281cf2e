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

# ---- two algorithms: why one is faster ----

says 'optimal is faster than binomial: 240.000 us, not 300.000 us, which is 20.0 % less' explain broadcast optimal binomial
says 'optimal is faster than binomial: 240.000 us, not 300.000 us, which is 20.0 % less' explain broadcast binomial optimal
says 'optimal and knomial take the same time, 240.000 us' explain broadcast optimal knomial
says 'binomial: T = 3L + 6o' explain broadcast optimal binomial
says 'L 2 3 +60.000' explain broadcast optimal binomial
says 'o 4 6 +40.000' explain broadcast optimal binomial
says 'g 1 0 -40.000' explain broadcast optimal binomial
says 'T in us 240.000 300.000 +60.000' explain broadcast optimal binomial
says 'o_recv 1 4 +150.000' explain broadcast flat knomial -P 100 --o-recv 5
says 'compute 90.000 90.000 +0.000' explain transpose ring ring-window -P 4 --pack 3 -G 0.5ns
says 'The critical paths take the same time up to 100.000 us, and differ from there:' explain broadcast optimal binomial
says 'binomial 100.000 120.000 4 sends to 6' explain broadcast optimal binomial
says 'The critical paths differ from the start:' explain broadcast flat knomial
says 'Processor 0 is the first that acts differently, at 0.000 us:' explain broadcast optimal binomial
says 'ring-window 50.000 80.000 0 computes' explain transpose ring ring-window -P 4 --pack 3
says 'chain 0 does nothing more' explain broadcast flat chain -P 3
says 'All processors do the same at the same times' explain broadcast flat chain -P 2
says 'Diagrams are drawn for up to 64 processors' explain broadcast flat chain -P 65
# both diagrams: a line for each processor, one axis
logp explain broadcast optimal binomial
[ "$(grep -c '^P[0-7] ' "$dir/out")" -eq 16 ] || fail "two diagrams: $(<"$dir/out")"
[ "$(grep '30 units$' "$dir/out" | sort -u | wc -l)" -eq 1 ] || fail "two axes: $(<"$dir/out")"
for suffix in svg html; do
    logp explain broadcast optimal binomial --output "$dir/both.$suffix"
    [ "$(grep -c '>P[0-7]</text>' "$dir/both.$suffix")" -eq 16 ] && [ "$(grep -c 'class="parted"' "$dir/both.$suffix")" -eq 1 ] &&
        [ "$(grep -c '<text class="name"' "$dir/both.$suffix")" -eq 2 ] || fail "both.$suffix: $(cat "$dir/both.$suffix")"
done
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$dir/both.svg" || fail "both.svg is not XML"
# the time of long messages is neither idle nor L
COLUMNS=90 LC_ALL=C logp explain allreduce ring rabenseifner --bytes 1Mi -P 8 -L 5us -o 1us -g 2us -G 1ns
[ "$(grep -cxE 'P[0-7] :{60,}-?' "$dir/out")" -eq 16 ] && grep -q '   : port streams (k-1)G$' "$dir/out" || fail "1 MiB: $(<"$dir/out")"
for suffix in svg html; do
    logp explain allreduce ring rabenseifner --bytes 1Mi -P 8 -L 5us -o 1us -g 2us -G 1ns --output "$dir/long.$suffix"
    grep -q '>message ((k-1)G + L)</text>' "$dir/long.$suffix" && ! grep -qF '(L)' "$dir/long.$suffix" &&
        [ "$(grep -c '<title>port streams to [0-7], [0-9]* bytes, ' "$dir/long.$suffix")" -eq $((8 * 14 + 8 * 6)) ] ||
        fail "long.$suffix: $(cat "$dir/long.$suffix")"
done
# the records are those of predict; the parts add up to the difference, as seen from either side
json '(.[0].versus | .other == "binomial" and .difference_ns == 60000 and .g_ps == -40000000 and .path_ns == 100000 and
      .task == {kind:"send",peer:1,bytes:8,start_ns:0,end_ns:20000}) and .[1].versus.g_ps == 40000000 and
      (.[0] | .explain.path[.versus.path_segment].kind == "gap")' explain broadcast optimal binomial
for words in 'allreduce recursive-doubling ring --count 100 -G 0.3ns --gamma 0.7' 'alltoall bruck linear -P 12 -G 1.7ns' \
    'broadcast optimal chain --link 0-1:L=3' 'transpose ring ring-window --pack 3'; do
    # shellcheck disable=SC2086
    json 'all(.[]; .versus as $v | ($v | [to_entries[] | select(.key | endswith("_ps")) | .value] | add) == 1000 * $v.difference_ns) and
          .[0].versus.difference_ns == .[1].predicted_ns - .[0].predicted_ns' explain $words
done
logp predict broadcast --algo optimal,binomial --explain --format json
cp "$dir/out" "$dir/predicted"
logp explain broadcast optimal binomial --format json
printf '[%s,%s]\n' "$(<"$dir/predicted")" "$(<"$dir/out")" >"$dir/both"
holds '(.[1] | map(del(.versus))) == .[0]' "$dir/both" "records of explain and of predict"

expect='explain collective broadcast' bad explain
expect='explain broadcast two algorithms optimal' bad explain broadcast flat
expect='explain broadcast optmal did you mean optimal?' bad explain broadcast flat optmal
expect='different' bad explain broadcast flat flat
expect='chain unexpected word' bad explain broadcast flat binary chain
expect='--algo logp explain broadcast A B' bad explain broadcast flat binary --algo chain
expect='mesh square' bad explain broadcast flat mesh
expect='--topology ring none explain' bad explain broadcast flat chain --topology ring
expect='-P 65 svg 64' bad explain broadcast flat chain -P 65 --format svg
expect='--format csv table, json, svg, html or text' bad explain broadcast flat chain --format csv
expect='linear cannot be explained 4194304' bad explain alltoall linear bruck -P 2500
finish
