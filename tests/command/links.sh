#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Parameters that differ from pair to pair, and nodes.
. "$(dirname "$0")/support.sh"

# each way apart: o + L + o
json '.[0] | .predicted_ns == 100000 and .links == null and .nodes == null and .inter == null' \
    predict broadcast -P 2 --algo flat
json '.[0] | .predicted_ns == 130000 and .links == "0-1:L=90us" and .prediction == "exact" and
      .prediction_by == "schedule" and .lower_bound_ns == 130000 and .textbook_ns == null' \
    predict broadcast -P 2 --algo flat --link 0-1:L=9
json '.[0] | .predicted_ns == 100000' predict broadcast -P 2 --algo flat --link 1-0:L=9
json '.[0] | .predicted_ns == 130000' predict broadcast -P 2 --algo flat --link 1-0:L=9 --root 1
# of each parameter the last that names it
json '.[0] | .predicted_ns == 145000 and
      .links == "*-*:L=90us,o=30us;0-1:o=20us,g=1ms;0-1:L=100us,o_recv=25us"' \
    predict broadcast -P 2 --algo flat --link '*-*:L=9,o=3' --link 0-1:o=2,g=1ms \
    --link 0-1:L=10,o_recv=2.5
# the gap is that of the send before: three at 0, 40, 80, and o + L + o
json '.[0].predicted_ns == 180000' predict broadcast -P 4 --algo flat
json '.[0].predicted_ns == 190000' predict broadcast -P 4 --algo flat --link 0-1:g=5
json '.[0].predicted_ns == 200000' predict broadcast -P 4 --algo flat --link 0-1..2,2:g=5
json '.[0].predicted_ns == 180000' predict broadcast -P 4 --algo flat --link 0-3:g=5
# a G makes it loggp: (k-1)G of the first of three
json '.[0] | .delay == "loggp" and .links == "0,2..3-1:G=1.5ns" and .predicted_ns == 181500' \
    predict broadcast -P 4 --algo flat --bytes 1001 --link 0,2..3-1:G=1.5ns
# what is shown can be given again
"$logp" predict allreduce --count 50 --link '0..3-*:L=1234ns,o_send=5us,G=0.25ns;*-0:g=7' --format json >"$dir/first"
"$logp" predict allreduce --count 50 --link "$(jq -r '.[0].links' "$dir/first")" --format json >"$dir/second"
cmp -s "$dir/first" "$dir/second" || fail "links shown and given again: $(cat "$dir/first" "$dir/second")"

# nodes: inside -L ..., between them --inter; as many processors as they have, where nobody says
two=(--nodes 4x8 --inter 'L=60,o=5,g=10')
json '.[0] | .P == 32 and .nodes == "4x8" and .L_ns == 60000 and .links == null and
      .inter == {"L_ns":600000,"o_send_ns":50000,"o_recv_ns":50000,"g_ns":100000} and
      .prediction == "exact"' predict broadcast "${two[@]}"
json '.[0] | .inter == {"L_ns":600000,"G_ns_per_byte":0.5} and .P == 12 and .nodes == "*x8"' \
    predict broadcast -P 12 --nodes '*x8' --inter L=60,G=0.5ns
# the ninth is a node of its own: the last of its eight sends, at 280, is to rank 7
json '.[0] | .predicted_ns == 920000 and .links == "8-0..6:L=0ns"' \
    predict broadcast -P 9 --nodes '*x8' --inter L=60 --algo flat --root 8 --link 8-0..6:L=0
# one node is no other machine, nor are nodes between which it costs the same
for same in '--nodes 1x8 --inter L=99' '--nodes 2x4 --inter g=4' '--link *-*:o=2'; do
    # shellcheck disable=SC2086
    json '.[0] | .predicted_ns == 240000 and .algorithm == "optimal"' predict broadcast -L 6 $same
done

# the virtual clock is as predicted, of all algorithms, and nobody is below the bound
for collective in broadcast reduce allreduce scan scatter allgather alltoall barrier summation transpose; do
    # shellcheck disable=SC2086
    json 'all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
          .lower_bound_ns <= .predicted_ns) and length > 1' \
        run $collective --algo all --nodes 3x4 --inter L=25,o=3,g=9,G=1ns --link 0..3-4:L=40 --link '11-*:o_send=7' \
        --clock virtual --executor fiber
done
json '.[0] | .verified and .prediction == "exact" and .ratio == 1' \
    run allreduce --nodes 2x4 --inter L=25 --gap shared --clock virtual
json '.[0] | .verified and .prediction == "bound" and .ratio < 1 and .lower_bound_ns == null' \
    run broadcast --nodes 2x4 --inter L=25 --delay varying --clock virtual --reps 5
json '.[0] | .verified and .links == "0-1:L=100us" and .measured_ns.min >= .predicted_ns' \
    run broadcast -P 2 --link 0-1:L=10 --reps 3 --warmup 0
# what is best is asked of the schedules
for nodes in 1x16 4x4 16x1; do
    "$logp" predict broadcast --algo all --nodes $nodes --inter L=60,o=5,g=10 --format json >"$dir/all.json" 2>"$dir/err"
    json ".[0].predicted_ns == $(jq 'map(.predicted_ns) | min' "$dir/all.json")" \
        predict broadcast --nodes $nodes --inter L=60,o=5,g=10
done
json 'map(.nodes) == ["1x16", "4x4"] and all(.[]; .ratio == 1)' \
    bench broadcast --nodes 1x16,4x4 --inter L=60 --clock virtual --algo binomial
says '8 1 65536 optimal 24 us knomial, k 3 24 us' \
    tune broadcast --nodes '*x8' --inter L=60us,o=5us,g=10us,G=1ns -L 6us -o 2us -g 4us -P 8,16 --bytes 1..64Ki
logp run broadcast "${two[@]}" --clock virtual
grep -q 'nodes 4x8, between them L=600us,o=50us,g=100us; ' "$dir/out" || fail "heading: $(cat "$dir/out")"
logp trace broadcast "${two[@]}" --clock virtual
grep -q 'as predicted, event by event' "$dir/out" || fail "trace: $(cat "$dir/out")"
"$logp" predict broadcast "${two[@]}" --format csv >"$dir/csv"
for line in 'nodes,inter_L_ns,inter_o_send_ns,inter_o_recv_ns,inter_g_ns,inter_G_ns_per_byte,links,' \
    ',4x8,600000,50000,50000,100000,,,'; do
    grep -q "$line" "$dir/csv" || fail "CSV: $(cat "$dir/csv")"
done
LOGP_NODES=4x4 LOGP_INTER=L=9 json '.[0] | .P == 16 and .inter == {"L_ns":90000}' predict broadcast
LOGP_LINK='0-1:L=1;*-2:o=3' json '.[0] | .links == "0-1:L=10us;*-2:o=30us"' predict broadcast
json '.[0] | .prediction == "none" and .predicted_ns == null' predict broadcast --link 0-1:L=3 --by formula

expect='--link 0-9:L=3 0 .. 7' bad predict broadcast --link 0-9:L=3
expect='--link 0-1 A-B:' bad predict broadcast --link 0-1
expect='--link 0:L=3 A-B:' bad predict broadcast --link 0:L=3
expect='--link A-B:' bad predict broadcast --link '0-1:L=3;'
expect='--link needs' bad predict broadcast --link ''
expect='--link X o_send G' bad predict broadcast --link 0-1:X=3
expect='--link L=T' bad predict broadcast --link 0-1:L
expect='--link L=T' bad predict broadcast --link 0-1:L=
expect='--link L=3,L=4 once' bad predict broadcast --link 0-1:L=3,L=4
expect='--link once o_send' bad predict broadcast --link 0-1:o=3,o_send=4
expect='--link once o_recv' bad predict broadcast --link 0-1:o_recv=3,o=4
expect='--link x time' bad predict broadcast --link 0-1:L=x
expect='--link -3 time' bad predict broadcast --link 0-1:L=-3
expect='--link 5..3-1 ranks' bad predict broadcast --link 5..3-1:L=3
# over links that differ one algorithm makes its tree for them; where they do not it is the optimal one
earliest() { # NS WORDS: the prediction, which the virtual clock meets, and what auto takes
    local ns=$1 collective
    shift
    for collective in broadcast reduce scatter gather; do
        json ".[0] | (.predicted_ns == $ns and .ratio == 1 and .verified)" \
            run $collective --algo earliest --clock virtual --executor fiber "$@"
        json '.[0].algorithm == "earliest"' predict $collective "$@"
    done
}
# and two words, inside nodes and between them
two_level() { # NS COLLECTIVES WORDS: as earliest
    local ns=$1 collectives=$2 collective
    shift 2
    for collective in $collectives; do
        json ".[0] | .algorithm == \"two-level\" and .predicted_ns == $ns" predict $collective "$@"
        json ".[0] | .predicted_ns == $ns and .ratio == 1 and .verified" \
            run $collective --algo two-level --clock virtual --executor fiber "$@"
    done
}
all='barrier allgather reduce-scatter'
two_level 1140000 "$all" --nodes 4x8 --inter L=60,o=5,g=10
two_level 1140000 allreduce --type int64 --nodes 4x8 --inter L=60,o=5,g=10
two_level 1540000 "$all" --nodes 8x8 --inter L=60,o=5,g=10
two_level 1540000 allreduce --type int64 --nodes 8x8 --inter L=60,o=5,g=10
two_level 1350000 "$all" --nodes 8x4 -L 5 -o 1 -g 2 --inter L=100,o=3,g=3
two_level 1350000 allreduce --type int64 --nodes 8x4 -L 5 -o 1 -g 2 --inter L=100,o=3,g=3
two_level 1420000 alltoall --nodes 4x8 --inter L=60,o=5,g=10
two_level 1820000 alltoall --nodes 8x8 --inter L=60,o=5,g=10
two_level 1380000 'scan exscan' --nodes 4x8 --inter L=60,o=5,g=10
two_level 1780000 'scan exscan' --nodes 8x8 --inter L=60,o=5,g=10
two_level 1460000 'scan exscan' --nodes 8x4 -L 5 -o 1 -g 2 --inter L=100,o=3,g=3
# sizes that differ by level, and one level alone
for words in allgather alltoall 'reduce-scatter --gamma 0.1' 'scan --gamma 0.1' 'exscan --gamma 0.1'; do
    for nodes in 3x5 5x3 1x6 6x1; do
        # shellcheck disable=SC2086
        json '.[0] | .ratio == 1 and .verified' run $words --algo two-level --nodes $nodes --bytes 24 -G 0.01 \
            --inter L=60,o_send=5,o_recv=7,g=10,G=0.03 --clock virtual --executor fiber
    done
done
expect='--algo two-level nodes' bad run barrier --algo two-level -P 8 --link 0-1:L=9

earliest 1020000 --nodes 4x8 --inter L=60,o=5,g=10
earliest 1100000 --nodes 8x8 --inter L=60,o=5,g=10
earliest 1240000 --nodes 8x4 -L 5 -o 1 -g 2 --inter L=100,o=3,g=3
json '.[0] | (.ratio == 1 and .verified)' run reduce --algo earliest -P 12 --root 5 --gamma 1 --count 3 --clock virtual \
    --link 0-3:L=50 --link 5-7:L=1,g=9
json 'map(.predicted_ns) | .[0] == .[1]' predict broadcast --algo optimal,earliest -P 100
expect='earliest 256 ranks 64 groups' bad predict broadcast --algo earliest --nodes 65x4 --inter L=9

expect='--link ranks' bad predict broadcast --link 'a-1:L=3'
# too many processors to predict anything: what is taken, and that nothing is known of it
json '.[0] | (.algorithm == "optimal" and .prediction == "none")' predict broadcast -P 2^17 --nodes '*x2^10' --inter L=60
stderr_has 'logp: --algo auto: with --nodes there is no prediction beyond 65536 processors; without it optimal is the best'
json '.[0] | (.algorithm == "optimal" and .prediction == "none")' predict broadcast -P 2^17 --rendezvous 0
stderr_has 'logp: --algo auto: with --rendezvous there is no prediction'
json '.[0] | (.algorithm == "optimal" and .prediction == "exact")' predict broadcast -P 2^17
stderr_is
# what the time is made of: what links say themselves is apart
json '.[0] | .explain.ns == .predicted_ns and .explain.links_ns == 700000 and .explain.L == 1 and .explain.o == 2 and
      .explain.g == 2 and .explain.curves.L.right == 1' \
    predict broadcast --algo knomial --nodes 2x4 --inter L=600us,o=50us,g=100us --explain
says 'T = 1L + 2o + 2g + 700000 ns of links' \
    predict broadcast --algo knomial --nodes 2x4 --inter L=600us,o=50us,g=100us --explain
json '.[0] | .explain.links_ns == 3 and .explain.L == 1' predict broadcast -P 3 --algo chain --link 0-1:L=3ns --explain

expect='--link ranks' bad predict broadcast --link '0,-1:L=3'
expect='--nodes 4x8 --inter' bad predict broadcast --nodes 4x8
expect='--inter L=3 --nodes' bad predict broadcast --inter L=3
expect='--inter Q=3 one of' bad predict broadcast --nodes 4x8 --inter Q=3
expect='--nodes 4x8 P = 8' bad predict broadcast --nodes 4x8 --inter L=3 -P 8
for nodes in 4 x8 0x8 4x 4x0 -1x4 4x8x2; do
    expect="--nodes $nodes 4x8 *x8" bad predict broadcast --nodes $nodes --inter L=3
done
expect='--nodes 16777216' bad predict broadcast --nodes 16Mix8 --inter L=3
expect='-P --link 16777216' bad predict broadcast --link 0-1:L=3 -P 2^30
expect='--capacity --link' bad predict broadcast --link 0-1:L=3 --capacity
expect='--topology --nodes' bad predict broadcast --nodes 2x4 --inter L=3 --topology ring
expect='--delay none --link parameters' bad predict broadcast --link 0-1:L=3 --delay none
expect='--delay logp --nodes G' bad predict broadcast --nodes 2x4 --inter G=3 --delay logp
expect='--plugin --link' bad predict broadcast --link 0-1:L=3 --plugin "$plugin"
expect='--link tree' bad tree broadcast --link 0-1:L=3
expect='--link paper' bad paper sun --link 0-1:L=3
expect="LOGP_LINK 0-x" LOGP_LINK=0-x:L=3 bad predict broadcast
expect="LOGP_NODES 3x3 P = 8" LOGP_NODES=3x3 LOGP_INTER=L=9 bad predict broadcast -P 8
finish
