#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# L, o, g, G from outside: exact under the virtual clock, as a table, JSON, CSV and the file of a machine.
. "$(dirname "$0")/support.sh"

virtual=(--clock virtual --executor fiber --bytes 1..8k)
model=(-L 1234ns --o-send 210ns --o-recv 305ns -g 407ns -G 0.083ns --gamma 0.51ns)
is='(.L_ns == 1234 and .o_send_ns == 210 and .o_recv_ns == 305 and .g_ns == 407 and .G_ns_per_byte == 0.083)'
json ".[0] | ($is and .gamma_ns == 0.51 and .exact and .gap == \"separate\" and .delay == \"loggp\" and .left_out == 0 and
      .ranks == [0, 1] and .P == 2 and .sizes[0].bytes == 1 and .sizes[-1].bytes == 8192 and .intervals_ns.L == [1234, 1234])" \
    measure "${virtual[@]}" "${model[@]}"
json ".[0] | ($is and .gap == \"shared\")" measure "${virtual[@]}" "${model[@]}" --gap shared
json ".[0] | ($is and .exact)" measure "${virtual[@]}" "${model[@]}" --executor thread --reps 5 -P 7
json '.[0] | (.g_hidden and .g_ns == 200 and .gap == null)' measure "${virtual[@]}" -L 1us -o 200ns -g 100ns
json '.[0] | (.delay == "store-forward" and .L_ns == 60 and .g_ns == 1200 and .G_ns_per_byte == 15)' \
    measure "${virtual[@]}" --machine dash
json 'length == 6 and all(.[]; .L_ns == 60000) and map(.ranks) == [[0,1],[0,2],[0,3],[1,2],[1,3],[2,3]]' \
    measure "${virtual[@]}" --pairs all -P 4
# a ring of four: the opposite rank is two hops away
json 'map(.L_ns) == [60000, 120000, 60000, 60000, 120000, 60000]' \
    measure "${virtual[@]}" --pairs all -P 4 --topology ring

# what is set is what holds for the pair: overheads and the gap of the first, L there and back
says 'L 525.000 525.000 525.000 525.000 +0.00 %' measure "${virtual[@]}" --link 0-1:L=99
logp measure "${virtual[@]}" --link 0-1:o=3,g=5 --link 1-0:o=6,g=9
for line in 'o_send 30.000 30.000 30.000 30.000' 'o_recv 60.000 60.000 60.000 60.000' 'g 50.000 50.000 50.000 50.000'; do
    tr -s ' ' <"$dir/out" | grep -qF "$line" || fail "set by links: $line: $(cat "$dir/out")"
done
logp measure "${virtual[@]}" --pairs all -P 3 --nodes '*x2' --inter L=99
[ "$(tr -s ' ' <"$dir/out" | grep -cE '^L (60.000 ){4}|^L (990.000 ){4}')" -eq 3 ] || fail "set by nodes: $(cat "$dir/out")"
# noise and slow processors are seen, and named; sends that wait for their receiver are another protocol
json '.[0] | (.L_ns == 60000 and .o_send_ns == 21000 and .o_recv_ns == 21000)' measure "${virtual[@]}" --noise fixed:1us
json '.[0] | (.o_send_ns == 40000 and .o_recv_ns == 40000 and .exact)' measure "${virtual[@]}" --fault slow:2
json '.[0] | (.L_ns == 120000 and .o_send_ns == 20000)' measure "${virtual[@]}" --fault delay:2
says 'delay logp; faults slow:2; noise fixed:1us; virtual clock, fiber executor on 1 core' measure "${virtual[@]}" --fault slow:2 --noise fixed:1us
json '.[0] | (.L_ns == 60000 and .o_send_ns == 20000 and (.gamma_seen | not) and
      (.sizes | all(.one_way_ns == if .bytes > 64 then 240000 else 100000 end)) and
      (.sizes | all(.o_send_ns == if .bytes > 64 then 160000 else 20000 end)))' measure "${virtual[@]}" --rendezvous 64
for fault in drop:0.1 dup:0.1 flip:0.1 cut@0 stop@1; do
    expect="--fault slow:2,$fault ${fault%%[:@]*}: delay or slow" bad measure "${virtual[@]}" --fault "slow:2,$fault"
done
# help says what is taken
logp measure --help
[ "$(grep -cE '^  (-P|--bytes) .*\[see below\]$' "$dir/out")" -eq 2 ] || fail "help: $(cat "$dir/out")"

# nodes are found, and the options that say the same
nodes=(--nodes 2x3 --inter L=90us,o=30us,g=50us,G=7ns)
json 'map(.L_ns) == [60000, 60000, 90000, 90000, 90000, 60000, 90000, 90000, 90000, 90000, 90000, 90000, 60000, 60000, 60000]' \
    measure "${virtual[@]}" --pairs all -P 6 "${nodes[@]}"
says '--nodes *x3 --inter L=90000ns,o_send=30000ns,o_recv=30000ns,g=50000ns,G=7000ps' \
    measure "${virtual[@]}" --pairs all -P 6 "${nodes[@]}"
# set to what the links of the pair say, where they say the same both ways
[ "$(grep -c '^L  .* +0.00 %$' "$dir/out")" -eq 15 ] || fail "set to: $(cat "$dir/out")"
logp measure "${virtual[@]}" --pairs all -P 6 "${nodes[@]}" --format machine --output "$dir/two"
json '.[0] | (.nodes == "*x3" and .inter == {"L_ns":90000,"o_send_ns":30000,"o_recv_ns":30000,"g_ns":50000,"G_ns_per_byte":7} and
              .prediction == "exact")' predict broadcast -P 12 --machine "$dir/two"
says 'L = 60000ns' measure "${virtual[@]}" --pairs all -P 6 "${nodes[@]}" --format machine
says 'No nodes were found: all pairs are alike, or close pairs do not form blocks of ranks.' \
    measure "${virtual[@]}" --pairs all -P 4 --topology ring
says 'No nodes were found: all pairs are alike, or close pairs do not form blocks of ranks.' \
    measure "${virtual[@]}" --pairs all -P 3

# the file of a machine, measured again: the same
logp measure "${virtual[@]}" "${model[@]}" --format machine --output "$dir/m"
[ $code -eq 0 ] || fail "measure: exit code $code: $(cat "$dir/all")"
json ".[0] | ($is and .gamma_ns == 0.51 and .exact)" measure "${virtual[@]}" --machine "$dir/m"
json '.[0] | (.L_ns == 1234 and .o_recv_ns == 305 and .delay == "loggp" and .gap == "separate")' \
    predict broadcast --machine "$dir/m"
for machine in cm5 monsoon; do
    "$logp" measure "${virtual[@]}" --machine $machine --format machine >"$dir/again"
    for words in 'broadcast --bytes 500' 'alltoall --bytes 3' barrier; do
        # shellcheck disable=SC2086
        a=$("$logp" predict $words --machine $machine --format json | jq -c '.[0] | [.predicted_ns, .algorithm]')
        # shellcheck disable=SC2086
        b=$("$logp" predict $words --machine "$dir/again" --format json | jq -c '.[0] | [.predicted_ns, .algorithm]')
        [ "$a" = "$b" ] || fail "$words on $machine: $a, measured $b"
    done
done
says 'g 0.407 0.407 0.407 0.407 +0.00 %' measure "${virtual[@]}" "${model[@]}"
says 'g <= 0.200 0.200 0.200 0.100' measure "${virtual[@]}" -L 1us -o 200ns -g 100ns
logp measure "${virtual[@]}" "${model[@]}" --format csv
[ "$(sed -n '1p;2p' "$dir/out" | tr '\n' ' ')" = 'client,server,bytes,one_way_ns,o_send_ns,o_recv_ns,apart_ns,sent_apart_ns,received_apart_ns 0,1,1,1749,210,305,407,407,407 ' ] ||
    fail "csv: $(head -2 "$dir/out")"
# on the wall clock, whatever it takes: all that there is
json '.[0] | (.L_ns >= 0 and .times > 80 and (.exact | not) and (.protocols | length) > 0 and (.combining | length) > 3)' \
    measure --delay none --bytes 1..64 --reps 3 --executor fiber
json '.[0] | (.o_send_ns >= 0 and .combining == [])' measure --unit 1us --bytes 1..16 --reps 3 --executor fiber

# a host that was busy: what is impossible is marked, and no machine is made of it
busy() { LD_PRELOAD=$feign FEIGN=busy logp measure "${virtual[@]}" "${model[@]}" "$@"; }
reason='the time from one message to the next of 64 bytes is -'
busy
[ $code -eq 0 ] || fail "busy: exit code $code"
grep -q "^DOUBTFUL: $reason.* us, below 0. Measure again on an idle host.$" "$dir/out" || fail "busy: $(cat "$dir/out")"
[ "$(grep -c '  impossible$' "$dir/out")" -eq 1 ] && grep -q '^ *64 .*  impossible$' "$dir/out" || fail "busy: $(cat "$dir/out")"
grep -q '  unexplained$' "$dir/out" || fail "busy: $(cat "$dir/out")"
busy --format json
holds ".[0] | (.doubtful | startswith(\"$reason\")) and .error > 0.5" "$dir/out" busy
json '.[0].doubtful == null' measure "${virtual[@]}" "${model[@]}"
busy --format machine
[ $code -eq 1 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "busy: $code, $(cat "$dir/out" "$dir/err")"
stderr_has "logp: measure: ranks 0 and 1: $reason"
stderr_has 'no machine is written: try again on an idle host'

# all times would be 0, and two repetitions are not what is asked for
expect='--delay none --clock virtual' bad measure --delay none --clock virtual
expect='--reps 2 at least 3' bad measure --clock virtual --reps 2
LOGP_REPS=1 says 'L 60.000 60.000 60.000 60.000 +0.00 %' measure "${virtual[@]}"
expect='measure broadcast argument' bad measure broadcast
expect='--bytes 8..4 1..64Ki' bad measure --bytes 8..4
expect='--bytes 0..4 1..64Ki' bad measure --bytes 0..4
expect='-P 1 two' bad measure -P 1
expect='--pairs some first all' bad measure --pairs some
expect='--pairs all 127' bad measure --pairs all -P 128
expect='--algo measure' bad measure --algo flat
expect='--format svg' bad measure --format svg
expect='--format machine' bad run broadcast --format machine
expect='--output /nowhere/m' bad measure --output /nowhere/m
finish
