#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Faults and noise: --fault, --noise.
. "$(dirname "$0")/support.sh"

# wrong WORDS...: it ran, something is wrong, and stderr holds every text of $expect
wrong() {
    logp "$@"
    [ $code -eq 1 ] || fail "logp $*: exit code $code instead of 1: $(cat "$dir/all")"
}

# a message that is always lost: who never got it, on both clocks, whatever carries processors
for executor in thread fiber; do
    wrong run broadcast --algo binomial --fault drop:1@0-4 --clock virtual --executor $executor
    stderr_is 'logp: broadcast binomial: run 1 of 1 failed' \
        'logp:   drop: message 1 of rank 0, to rank 4, sent at 0 ns' \
        'logp:   rank 4 waits for a message from rank 0, tag 0' \
        'logp:   rank 5 waits for a message from rank 4, tag 0' \
        'logp:   rank 6 waits for a message from rank 4, tag 0' \
        'logp:   rank 7 waits for a message from rank 6, tag 0' \
        'logp:   wrong or missing result on ranks 4, 5, 6, 7' \
        'logp: broadcast binomial: 1 of 1 runs failed; messages: 1 dropped'
    wrong run broadcast --algo binomial --fault drop:1@0-4 --executor $executor --reps 3 --warmup 1
    stderr_has 'logp:   rank 4 waits for a message from rank 0, tag 0'
    stderr_has 'logp:   wrong or missing result on ranks 4, 5, 6, 7'
    stderr_has 'logp: broadcast binomial: 3 of 3 runs failed; messages: 3 dropped'
done

# by chance: each repetition draws anew, the same seed the same, and JSON has the facts
for seed in 1 2 1; do
    logp run broadcast --fault drop:0.05 --clock virtual --reps 200 --seed $seed --format json
    [ $code -eq 1 ] || fail "drop:0.05: exit code $code"
    holds '.[0] | (.verified == false and .fault == "drop:0.05" and .noise == null and
           .failed > 20 and .failed < 120 and .reps == 200 and .dropped >= .failed and
           .duplicated == 0 and .flipped == 0 and .delayed == 0 and .prediction == "none" and
           .predicted_ns == null and .emulated_ns.max == 240000 and (.wrong_ranks | length) > 0)' \
        "$dir/out" "drop:0.05, seed $seed"
    jq -c '.[0] | [.failed, .dropped, .wrong_ranks]' "$dir/out" >>"$dir/draws"
done
[ "$(sed -n 1p "$dir/draws")" = "$(sed -n 3p "$dir/draws")" ] || fail "one seed, two outcomes"
[ "$(sed -n 1p "$dir/draws")" != "$(sed -n 2p "$dir/draws")" ] || fail "two seeds, one outcome"

# the other kinds
wrong run allreduce --algo recursive-doubling --type int64 --fault flip:1@1-0 --clock virtual --format json
holds '.[0] | (.verified == false and .flipped > 0 and .failed == 1 and
      (.wrong_ranks | startswith("0")))' "$dir/out" flip
stderr_has 'logp:   flip: message '
wrong run broadcast --fault stop@3:50us --clock virtual --format json
holds '.[0] | (.failed == 1 and .wrong_ranks == "3" and .emulated_ns == null)' "$dir/out" stop
# a processor that stops at once takes part in the common start, on both clocks: only it is wrong
for clock in virtual wall; do
    wrong run broadcast -P 4 --unit 100us --reps 1 --clock $clock --fault stop@3:0us.. --format json
    holds '.[0] | (.failed == 1 and .wrong_ranks == "3")' "$dir/out" "stop at once, $clock"
done
stderr_has 'logp:   rank 3 has stopped'
wrong run reduce --fault cut@4..7=0..3:..10ms --clock virtual
stderr_has 'logp:   cut: message '
wrong run allgather --algo ring --fault dup:1@0-1 --clock virtual -P 4
stderr_has 'duplicated'
json '.[0] | (.verified and .failed == 0 and .duplicated == 7 and .wrong_ranks == null)' \
    run broadcast --fault dup:1 --clock virtual

# what cannot be checked is not said to be verified: steps of a file, barriers; what fails fails
logp schedule broadcast -P 4 --format json
cp "$dir/out" "$dir/steps"
json '.[0] | (.verified == null and .failed == 0 and .flipped == 3 and .reps == 1)' \
    run --schedule "$dir/steps" --clock virtual --fault flip:1
json '.[0].verified == null' run --schedule "$dir/steps" --clock virtual
json '.[0] | (.verified == null and .duplicated == 8)' run barrier -P 4 --clock virtual --fault dup:1
json '.[0].verified' run barrier -P 4 --clock virtual
wrong run --schedule "$dir/steps" --clock virtual --fault drop:1 --format json
holds '.[0] | (.verified == false and .failed == 1 and .reps == 1)' "$dir/out" 'a lost message of a file'
says 'through: every processor reached its end; no result could be verified' \
    run --schedule "$dir/steps" --clock virtual --fault dup:1
grep -q ' through$\| through  *0$' "$dir/out" || fail "no word: $(cat "$dir/out")"

# reps is what was run, in every format
logp bench broadcast -P 4,8 --clock virtual --reps 6 --fault drop:0.2 --format json
holds 'all(.[]; .reps == 6 and .runs == 6 and .failed > 0 and .failed < 6)' "$dir/out" 'bench, json'
counts=$(jq -r 'map("6 \(.failed)") | join(" ")' "$dir/out")
logp bench broadcast -P 4,8 --clock virtual --reps 6 --fault drop:0.2 --format csv
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $at["reps"], $at["failed"] }' "$dir/out" |
    paste -sd' ')" = "$counts" ] || fail "bench, csv: not $counts: $(cat "$dir/out")"

# nothing is left to chance: exact
json 'length > 10 and all(.[]; .verified and .prediction == "exact" and .ratio == 1 and
      .prediction_by == "schedule" and .fault == "slow:2@0;delay:3@1-;stop@2:50us..70us" and
      .noise == "fixed:1us;tick:100us:10us:0")' \
    run broadcast --algo all --clock virtual --fault slow:2@0 --fault delay:3@1- \
    --fault stop@2:50us..70us --noise fixed:1us --noise tick:100us:10us:0
json '.[0] | (.predicted_ns == 244000 and .prediction == "exact" and has("failed") == false and
      .fault == null and .noise == "fixed:1us")' predict broadcast --noise fixed:1us
json '.[0] | (.predicted_ns == null and .prediction == "none")' predict broadcast --fault drop:0.1
json '.[0] | (.predicted_ns == 260000 and .seed == 5)' predict broadcast --fault slow:2@0 --seed 5
json '.[0] | (.predicted_ns == null)' predict broadcast --fault slow:2@0 --by formula
json '.[0] | (.verified and .ratio == 1 and .link_most == 1)' \
    run broadcast --algo chain --topology ring --noise fixed:1us --clock virtual
json '.[0] | (.verified and .prediction == "none" and .emulated_ns.min < .emulated_ns.max and
      .emulated_ns.min > 240000)' run broadcast --noise exp:1us --clock virtual --reps 50
# ... without any, the keys are there
json '.[0] | (.fault == null and .noise == null and .failed == null and .wrong_ranks == null and
      .dropped == null and .duplicated == null and .flipped == null and .delayed == null)' \
    run broadcast --clock virtual
logp run broadcast --fault dup:1 --clock virtual --format csv
[ "$(sed 1q "$dir/out" | tr , '\n' | tail -13 | head -8 | paste -sd' ')" = \
    'fault noise failed wrong_ranks dropped duplicated flipped delayed' ] || fail "$(cat "$dir/out")"
[ "$(tail -1 "$dir/out" | tr , '\n' | tail -13 | head -8 | paste -sd' ')" = 'dup:1  0  0 7 0 0' ] ||
    fail "$(cat "$dir/out")"

# samples of a file, the wall clock, the environment, several texts in one
printf '# ns\n1000\n' >"$dir/samples"
json '.[0].predicted_ns == null' predict broadcast --noise "file:$dir/samples"
json '.[0] | (.emulated_ns.min == 244000)' run broadcast --noise "file:$dir/samples" --clock virtual
json '.[0] | (.verified and .failed == 0)' \
    run broadcast --noise exp:1us --fault slow:2@3 --reps 3 --executor fiber
LOGP_FAULT='dup:1@0-1;dup:1@0-4' LOGP_NOISE=fixed:1 json '.[0] | (.duplicated == 2 and .noise == "fixed:1")' \
    run broadcast --clock virtual --algo optimal
LOGP_FAULT=drop:9 json 'length > 0' list algorithms
says 'drop:P a message is lost with probability P' list faults
logp run broadcast --fault drop:0,slow:2@1 --noise fixed:1 --clock virtual
grep -q '; faults drop:0,slow:2@1; noise fixed:1; virtual clock' "$dir/out" || fail "$(cat "$dir/out")"
logp trace broadcast --noise fixed:5us --clock virtual -P 4
grep -q 'as predicted, event by event' "$dir/out" || fail "trace: $(cat "$dir/out")"

expect='--fault lose:1 drop:P dup:P flip:P delay:F[:P] cut@A-B stop@A slow:F' bad run broadcast --fault lose:1
expect='--noise drop:1 fixed:T uniform:T exp:T file:PATH tick:T:D[:S]' bad run broadcast --noise drop:1
expect='--fault drop:2 probability 0 1' bad run broadcast --fault drop:2
expect='--fault drop:0.1,dup:x dup:x: probability' bad run broadcast --fault drop:0.1,dup:x
expect='--fault drop:0.1@8 ranks P-1' bad run broadcast --fault drop:0.1@8
expect='--fault drop:0.1@8 ranks' bad predict broadcast --fault drop:0.1@8
expect="--fault ,: '': one of drop:P" bad run broadcast --fault ,
expect='--fault slow:0.5 factor' bad run broadcast --fault slow:0.5
expect='--fault slow:2@1-2 @A' bad run broadcast --fault slow:2@1-2
expect='--fault cut cut@A-B' bad run broadcast --fault cut
expect='--fault stop@1:5..2 before' bad run broadcast --fault stop@1:5..2
expect='--noise tick:1us:1us D < T' bad run broadcast --noise tick:1us:1us
expect='--noise file:/nowhere file' bad run broadcast --noise file:/nowhere
expect='--noise fixed:soon time' bad run broadcast --noise fixed:soon
expect="LOGP_FAULT 'drop:x' probability" LOGP_FAULT=drop:x bad run broadcast
expect='--fault drop:0.1 delay none' bad run broadcast --fault drop:0.1 --delay none
expect='--noise fixed:1 --explain' bad run broadcast --noise fixed:1 --explain
expect='--fault tree' bad tree broadcast --fault drop:0.1
finish
