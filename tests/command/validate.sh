#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measured against predicted: on emulated machines under the virtual clock, where all is known.
. "$(dirname "$0")/support.sh"

machine() { printf 'L = %s\no_send = %s\no_recv = %s\ng = %s\nG = %s\ngamma = %s\n' "$@"; }
machine 6000ns 2000ns 2100ns 4000ns 0.5ns 1ns >"$dir/as"
virtual=(--clock virtual --executor fiber --machine "$dir/as")
# what it is predicted for: nothing is off, and auto has no regret
json 'length > 10 and all(.[]; .ratio == 1 and .regret == 1 and .measured_ns == .best_measured_ns and .fit == null and
      (.algorithms | all(.verified and .ratio == 1)))' validate "${virtual[@]}" --on "$dir/as" -P 2,5 --bytes 8..4k
json 'map([.collective, .P, .bytes]) == [["broadcast",3,1],["broadcast",3,8],["broadcast",3,64],["broadcast",3,100],
      ["barrier",3,0]]' validate broadcast barrier "${virtual[@]}" --on "$dir/as" -P 3 --bytes 1..100

# what is emulated is what it is predicted with, but for what is said of it
json 'length > 10 and all(.[]; .ratio == 1 and .regret == 1)' \
    validate --clock virtual --executor fiber --on "$dir/as" -P 2,5 --bytes 8..4k
json '.[0] | (.predicted_ns == 13100 and .measured_ns == 10100)' \
    validate broadcast --clock virtual --executor fiber --on "$dir/as" -P 2 --bytes 1 -L 9us
json 'map([.P, .ratio == 1]) == [[2, true], [4, false], [8, false]]' \
    validate barrier --clock virtual --executor fiber --on "$dir/as" --nodes '*x2' --inter L=60us
says "predicted with $dir/as; nodes *x2, between them L=60us; measured on an emulated $dir/as, virtual clock, fiber executor on 1 core" \
    validate barrier --clock virtual --executor fiber --on "$dir/as" --nodes '*x2' --inter L=60us

# one parameter is another: it is named, with its value
n=0
for is in '9000ns 2000ns 2100ns 4000ns 0.5ns 1ns' '6000ns 2500ns 2100ns 4000ns 0.5ns 1ns' \
    '6000ns 2000ns 2100ns 4000ns 0.7ns 1ns' '6000ns 2000ns 2100ns 4000ns 0.5ns 1.2ns'; do
    # shellcheck disable=SC2086
    machine $is >"$dir/is"
    which=$(sed -n "$((n + 1))p" <<<'.L.alone_ns - 9000
.o_send.alone_ns - 2500
10000 * (.G.alone_ns - 0.7)
10000 * (.gamma.alone_ns - 1.2)')
    n=$((n + 1))
    json "(.[0].fit | ($which | fabs) < 60 and .error > 0.005 and .fitted_error <= .error / 4) and any(.[]; .ratio > 1)" \
        validate broadcast reduce allreduce alltoall "${virtual[@]}" --on "$dir/is" -P 4,8 --bytes 8..32k --fit
done
logp validate barrier "${virtual[@]}" --on "$dir/is" -P 4 --fit
grep -q '^gamma .* no time depends on it$' "$dir/out" || fail "gamma: $(cat "$dir/out")"
grep -q 'auto chose the algorithm with the best measured time at 1 of 1 points; its regret is 1.000' "$dir/out" ||
    fail "summary: $(cat "$dir/out")"
# regret is what another choice would have saved
machine 1ns 1ns 1ns 90000ns 0 0 >"$dir/is"
json '.[0] | ((.measured_ns / .best_measured_ns / .regret - 1 | fabs) < 1e-6 and .regret > 1.2 and
      ([.algorithms[].measured_ns] | min) == .best_measured_ns)' \
    validate broadcast "${virtual[@]}" --on "$dir/is" -P 8 --bytes 8
logp validate broadcast "${virtual[@]}" --on "$dir/as" -P 4 --bytes 8 --format csv
[ "$(head -1 "$dir/out")" = 'collective,P,bytes,algorithm,predicted_ns,measured_ns,ratio,auto,best,doubtful' ] || fail "csv"
grep -q '^broadcast,4,8,flat,' "$dir/out" || fail "csv: $(cat "$dir/out")"
# this host, at its own speed; where it is busy points are doubtful
logp validate broadcast barrier --machine "$dir/as" -P 2 --bytes 8 --reps 5 --format json
holds 'length == 2 and all(.[]; .measured_ns > 0 and (.algorithms | all(.verified)))' "$dir/out" "this host"
[ $code -eq "$(jq 'if any(.[]; .doubtful) then 1 else 0 end' "$dir/out")" ] || fail "this host: exit code $code"

# what a busy host held up is marked, counts in no mean and in no fit, and the exit code says so
stalled() { LD_PRELOAD=$feign FEIGN=stalled logp validate broadcast "${virtual[@]}" --on "$dir/as" -P 2,8 --bytes 8 "$@"; }
stalled --format json
[ $code -eq 1 ] || fail "stalled: exit code $code"
holds 'any(.[]; .doubtful) and all(.[]; .doubtful == (.algorithm == "optimal")) and
       all(.[]; all(.algorithms[]; .doubtful == (.algorithm == "optimal"))) and all(.[]; .best != "optimal")' "$dir/out" stalled
stalled --fit
grep -q '^DOUBTFUL: [12] of 2 points, which do not count: half of the runs took over 10 times' "$dir/out" || fail "stalled: $(cat "$dir/out")"
grep -q '^broadcast .*  doubtful$' "$dir/out" || fail "stalled: $(cat "$dir/out")"
grep -q '^Measured times differ from predictions by 0.0 %' "$dir/out" || fail "stalled: $(cat "$dir/out")"

# against parameters that nobody has given it is compared with nothing: what to type is said
for words in '' 'broadcast' '-P 2 --bytes 8' '-L 5us' '-L 5us -g 1us' '-L 5us -g 1us --o-send 1us' '-G 1ns'; do
    # shellcheck disable=SC2086
    expect='logp measure --delay none --executor thread --format machine --output host.machine, then logp validate
        --machine host.machine; -L, -o -g' bad validate $words
done
expect='--executor fiber --machine' bad validate barrier --executor fiber
json 'length == 1 and all(.[]; .measured_ns > 0)' validate barrier -P 2 --reps 5 -L 5us -g 1us --o-send 1us --o-recv 2us
LOGP_L=5us LOGP_o=1us LOGP_g=1us json 'length == 1' validate barrier -P 2 --reps 5
# the two commands that are named
logp measure --delay none --executor fiber --bytes 1..64 --reps 5 --format machine --output "$dir/host.machine"
[ $code -ne 2 ] || fail "measure, as named: $(cat "$dir/all")"

expect='validate nonsense broadcast' bad validate nonsense
expect='validate summation broadcast' bad validate summation
expect='--clock virtual --on' bad validate --clock virtual
expect='--on nowhere cm5 file' bad validate --on nowhere
expect='--machine nowhere cm5 file' bad validate --machine nowhere
expect='--delay none' bad validate --delay none
expect='-P 2000 1024' bad validate -P 2000
expect='--bytes 9..3 sizes' bad validate --bytes 9..3
expect='--fit run' bad run broadcast --fit
finish
