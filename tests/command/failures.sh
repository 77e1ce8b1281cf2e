#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the command says, and its exit code, where something goes wrong that is not the user's fault,
# and where the host could not keep up: all feigned (feign.c).
. "$(dirname "$0")/support.sh"

feign() { FEIGN=$1 LD_PRELOAD=$feign logp "${@:2}"; }
# lines FILE LINE...: these, in this order and one after the other, are lines of the file
lines() {
    local all file=$1
    shift
    all=$'\n'$(tr -s ' ' <"$file")$'\n'
    case $all in
    *$'\n'"$(printf '%s\n' "$@")"$'\n'*) ;;
    *) fail "not '$*' in: $(cat "$file")" ;;
    esac
}
exits() { [ $code -eq "$1" ] || fail "$2: exit code $code instead of $1"; }

# a wrong result ends the command, and is an error; so in every format
feign wrong run broadcast --algo flat,chain --clock virtual
exits 1 "a wrong result"
stderr_is 'logp: broadcast flat: WRONG RESULT on rank 3'
lines "$dir/out" 'flat 340.000 1.4167 340.000 1.0000 NO'
grep -q chain "$dir/out" && fail "it went on after a wrong result"
feign wrong run broadcast --clock virtual --format json
exits 1 "a wrong result as JSON"
holds '.[0].verified == false' "$dir/out" "a wrong result"
feign wrong paper grama --clock virtual
exits 1 "a wrong result in a paper"
lines "$dir/out" 'The run was interrupted; not all is shown.'

# who waits for whom
feign deadlock run reduce --algo flat --clock virtual
exits 1 deadlock
lines "$dir/err" 'logp: reduce flat: deadlock: every processor waits and nothing is on its way' \
    'logp: rank 1 waits for a message from rank 0, tag 5' \
    'logp: rank 2 waits for a message from any rank, any tag' \
    'logp: rank 3 waits for all other ranks' \
    'logp: rank 4 polls and finds nothing' \
    'logp: rank 5 is outside the runtime and holds its core' \
    'logp: rank 6 waits for all other ranks'
lines "$dir/err" 'logp: rank 16 waits for all other ranks' 'logp: ... and 2 more'
feign error run reduce --algo flat --clock virtual
exits 1 "an error"
stderr_is 'logp: reduce flat: the program of rank 2: not supported by this machine, its delay model or the algorithm'
feign away run broadcast --clock virtual
exits 1 "a processor that does not come home"
lines "$dir/out" 'optimal 240.000 1.0000 240.000 1.0000 yes'

# no machine
feign none run broadcast --clock virtual
exits 1 "no machine"
stderr_is 'logp: cannot make a machine of 8 processors (thread executor): Resource temporarily unavailable; try --executor fiber'
feign maps run broadcast -P 20 --clock virtual
exits 0 "as many threads as have a stack and its guard"
feign maps run broadcast -P 21 --clock virtual
exits 1 "a thread more"
stderr_has 'cannot make a machine of 21 processors (thread executor): Resource temporarily unavailable; try --executor fiber'
feign none run broadcast --clock virtual --executor fiber
stderr_is 'logp: cannot make a machine of 8 processors (fiber executor): Resource temporarily unavailable'
feign none paper shou-chen --clock virtual
exits 1 "no machine for a paper"
feign fibers paper shou-chen --clock virtual
exits 0 "a paper, on fibers where nothing else is said"
feign fibers paper shou-chen --clock virtual --executor thread
exits 1 "a paper on threads"
feign tour paper shou-chen --clock virtual
exits 1 "a paper, with a program of its own"
stderr_has 'logp: paper shou-chen, its listing: Operation not supported'
feign error paper shou-chen --clock virtual
exits 1 "a paper, whose traced runs fail"

# a signal when there is nothing left to stop
feign signal run broadcast --clock virtual
exits 0 "a signal at the end"
stderr_is ''
lines "$dir/out" 'optimal 240.000 1.0000 240.000 1.0000 yes'
feign signal paper sun --clock virtual
exits 1 "a signal between two runs"
lines "$dir/out" 'The run was interrupted; not all is shown.'
grep -q 'is gone' "$dir/err" && fail "a signal between two runs: $(cat "$dir/err")"

# a paper whose predictions do not hold
feign off paper grama --clock virtual
exits 1 "a paper that is off"
stderr_has ' ns, the virtual clock '
lines "$dir/out" 'Not every prediction agrees with the virtual clock.'

# a run without end has no links
feign error run broadcast --algo chain --clock virtual --topology ring
exits 1 "an error on a topology"
grep -q '^chain  *1 1 1' "$dir/out" && fail "links of a failed run: $(cat "$dir/out")"

# the host kept up
feign prompt run broadcast -P 2 --reps 1 --warmup 0 --unit 1us
lines "$dir/out" 'The host kept up: every median is within 1 % of its prediction.'
grep -q 'Try:' "$dir/out" && fail "ways out where none is needed"

# times that no run can have
feign early run broadcast -P 2 --algo flat --reps 1 --warmup 0 --unit 1us
lines "$dir/out" 'flat took 2.0 % less than predicted: under this delay model no run can, so do not trust these times.'
grep -q 'The host kept up' "$dir/out" && fail "a host that kept up too well"
feign early run allgather --algo bruck --topology ring -G 1us --reps 1 --warmup 0 --unit 1us
lines "$dir/out" 'bruck took 2.0 % less than predicted: its messages wait for each other at links, in another order than predicted.'

# the host could not keep up: fibers are tried
feign late run broadcast --algo flat,binary,chain -P 2 --unit 1us --reps 1 --warmup 0
exits 0 "a host that cannot keep up"
lines "$dir/out" '3 runs were repeated because a core was busy at the start' \
    'The host could not keep up with 2 of 3: flat took 100.0 % longer than predicted.'
grep -q '^\(2 processors share 1 core. \)\{0,1\}Each hand-over between threads costs .* Try:$' "$dir/out" ||
    fail "late: $(cat "$dir/out")"
lines "$dir/out" ' --executor fiber flat takes 50.00 % longer than predicted (measured now)' \
    ' --unit 100us slower time scale; the error would be about 1 %' \
    ' --clock virtual exact, without waiting'
feign late run broadcast --algo flat -P 2 --unit 1us --reps 1 --warmup 0 --executor fiber
lines "$dir/out" '1 run was repeated because a core was busy at the start' \
    'The host could not keep up with 1 of 1: flat took 50.0 % longer than predicted.'
lines "$dir/out" ' --unit 50us slower time scale; the error would be about 1 %'
grep -q -- '--executor fiber ' "$dir/out" && fail "fibers are advised to fibers"
feign late run broadcast -P 2 --reps 1 --warmup 0 --machine dash
grep -q -- '--unit ' "$dir/out" && fail "another unit is advised for a machine"
feign late run broadcast -P 2 --reps 1 --warmup 0 --unit 1us --format json
grep -q 'keep up' "$dir/all" "$dir/out" && fail "words in JSON"
feign late paper shou-chen --reps 1 --warmup 0
lines "$dir/out" 'The host did not keep up with 51 of 52 runs: their medians were more than 1 % above the'
feign late run broadcast -P 2 --clock virtual
grep -q 'keep up' "$dir/out" && fail "the host keeps up with a virtual clock"
finish
