#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --unit auto: the smallest unit at which a run keeps within 1 % of its prediction. How late the host
# is is feigned (feign.c), so that it is known which unit that is.
. "$(dirname "$0")/support.sh"

late() { FEIGN=$1 LD_PRELOAD=$feign logp "${@:2}"; }
# finds NS HOW WORDS...: the unit in all records
finds() {
    local ns=$1 how=$2
    shift 2
    late "$how" "$@" --format json
    [ $code -eq 0 ] || fail "logp $*: exit code $code: $(cat "$dir/all")"
    holds "[.[] | .unit_ns == $ns and .unit_by == \"trial\" and .L_ns == 6 * $ns] | all" "$dir/out" "logp $*"
}
runs=(--reps 1 --warmup 0)

# the host adds 2 us, with threads 20 us: at 18 units 1 % of that is more from 11.1 us on, or 111 us
finds 20000 behind run broadcast -P 4 --executor fiber --unit auto "${runs[@]}"
finds 200000 behind run broadcast -P 4 --unit auto "${runs[@]}"
finds 20000 behind watch broadcast -P 4 --algo flat,optimal --executor fiber --unit auto "${runs[@]}"
LOGP_UNIT=auto finds 20000 behind run broadcast -P 4 --executor fiber "${runs[@]}"
finds 10 prompt run broadcast -P 4 --executor fiber --unit auto "${runs[@]}"
# of several algorithms all must keep: a send and a receive of a chain of two take 10 units
finds 20000 behind run broadcast -P 2 --algo flat,chain --executor fiber --unit auto "${runs[@]}"
late behind run broadcast -P 4 --executor fiber --unit auto "${runs[@]}"
grep -q '; unit 20 us, found by trial; wall clock' "$dir/out" || fail "$(cat "$dir/out")"
grep -q 'L = 120 us, o = 40 us' "$dir/out" || fail "$(cat "$dir/out")"
# --algo and --place of the command are those of the trials and of the run
late behind run broadcast -P 4 --algo all --place partners --executor fiber --unit auto "${runs[@]}" --format json
holds '(length > 3) and all(.[]; .unit_by == "trial" and .place == "partners")' "$dir/out" "--algo all"

# what is found by no trial says so
json '.[0] | (.unit_ns == 10000 and .unit_by == null)' run broadcast --clock virtual
json '.[0] | (.unit_ns == 5000 and .unit_by == null)' predict broadcast --unit 5us

# no unit is long enough
late late run broadcast -P 2 --executor fiber --unit auto "${runs[@]}" --format json
[ $code -eq 1 ] || fail "late: exit code $code"
[ ! -s "$dir/out" ] || fail "late: $(cat "$dir/out")"
stderr_has 'no unit up to 10ms keeps within 1 % here'
stderr_has '50.0 % longer than predicted'
late deadlock run broadcast -P 2 --executor fiber --unit auto "${runs[@]}"
[ $code -eq 1 ] || fail "deadlock: exit code $code"
[ ! -s "$dir/out" ] || fail "deadlock: $(cat "$dir/out")"

# what is refused
expect='--unit auto virtual clock' bad run broadcast --unit auto --clock virtual
expect='--unit auto logp run' bad predict broadcast --unit auto
expect="LOGP_UNIT 'auto' logp run" LOGP_UNIT=auto bad predict broadcast
expect='--unit auto logp run' bad bench broadcast --unit auto
expect='--unit auto logp run' bad measure --unit auto
expect='--transport not together with --unit auto' bad run broadcast --unit auto --transport mpi
expect='--unit auto without delays' bad run broadcast --unit auto --delay none
expect='--unit auto no time counted in units' bad run broadcast --unit auto -L 6us -o 2us -g 4us
expect='--unit auto no time counted in units' bad run broadcast --unit auto --machine cm5
expect='--unit auto no prediction' bad run broadcast --unit auto --fault drop:0.5
expect='--unit nothing or auto' bad run broadcast --unit nothing

check_held
exit $failed
