#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Times of GOAL are LogGOPSim's: those of tests/goal/loggopsim.json, 60 random graphs, and of some of
# tests/goal/schedgen.py's patterns that it gave itself; and for all patterns and more random graphs those of its
# rules (tests/goal/loggopsim.py).
. "$(dirname "$0")/support.sh"
goal=$(cd "$(dirname "$0")/../goal" && pwd)
ns=(-L 2500ns -o 1500ns -g 1000ns -G 6ns)
run=(run --schedule "$dir/steps" --clock virtual)

while read -r pattern time; do
    "$goal/schedgen.py" "$pattern" >"$dir/steps"
    json ".[0].predicted_ns == $time" predict --schedule "$dir/steps" "${ns[@]}"
    for executor in thread fiber; do
        json ".[0] | .emulated_ns.median == $time and .ratio == 1" "${run[@]}" --executor $executor "${ns[@]}"
    done
done <<<'nwaydissemination 36962
doublering 102242
linbarrier 29000'

# like NAME: $dir/steps, under several parameters, and the end of each rank
like() {
    local said L o g G O S ns
    while read -r L o g G O S; do
        ns=(--delay loggops -L "${L}ns" -o "${o}ns" -g "${g}ns" -G "${G}ns" -O "${O}ns" --rendezvous "$S")
        if said=$("$goal/loggopsim.py" "$dir/steps" "$L" "$o" "$g" "$G" "$O" "$S" 2>/dev/null); then
            json ".[0] | .predicted_ns == ${said%% *} and .rank_ends_ns == ${said#* }" predict --schedule "$dir/steps" "${ns[@]}"
        else # something is left over: a message that took another receive, or a send that waits for ever
            expect=--schedule bad predict --schedule "$dir/steps" "${ns[@]}"
        fi
    done <<<'2500 1500 1000 6 0 1000000000
60 20 40 0 0 1000000000
500 100 700 2 3 1000000000
500 100 700 2 0 99'
}
for pattern in $("$goal/schedgen.py"); do
    "$goal/schedgen.py" "$pattern" >"$dir/steps"
    like "$pattern"
    # by liblogp's rules it is the virtual clock that says so
    for model in '' '--gap shared' '-o 1 -g 9 -G 0.01'; do
        # shellcheck disable=SC2086
        json '.[0] | (.ratio == 1 and .delay == "loggp" and .prediction == "exact")' \
            "${run[@]}" --executor fiber --delay loggp "${ns[@]}" $model
    done
done
for seed in {1..12}; do
    for wild in '' wild; do
        "$goal/random_graph.py" "$seed" $wild >"$dir/steps"
        like "seed $seed $wild"
        "$goal/random_graph.py" "$seed" $wild places >"$dir/steps"
        like "seed $seed $wild places"
        "$goal/random_graph.py" "$seed" $wild >"$dir/steps"
        for delay in loggops loggp; do
            [ -z "$wild" ] || json '.[0].ratio == 1' "${run[@]}" --executor fiber --delay $delay "${ns[@]}"
        done
    done
done
# the binary form and the text say the same; a file that is cut or changed is refused in one line, or is another graph
for seed in 3 4; do
    "$goal/random_graph.py" "$seed" places >"$dir/steps"
    logp predict --schedule "$dir/steps" --format json
    said=$(grep -o '"rank_ends_ns":[^]]*' "$dir/out")
    for form in goal-bin goal; do
        logp schedule --schedule "$dir/steps" --format $form --output "$dir/other"
        logp predict --schedule "$dir/other" --format json
        [ "$(grep -o '"rank_ends_ns":[^]]*' "$dir/out")" = "$said" ] || fail "seed $seed: --format $form says another time"
    done
    logp schedule --schedule "$dir/steps" --format goal-bin --output "$dir/whole"
    size=$(stat -c %s "$dir/whole")
    for ((n = 1; n < size; n += size / 40)); do
        head -c "$n" "$dir/whole" >"$dir/cut"
        expect=--schedule bad predict --schedule "$dir/cut"
        cp "$dir/whole" "$dir/cut"
        printf '\377' | dd of="$dir/cut" bs=1 seek="$n" conv=notrunc status=none
        logp predict --schedule "$dir/cut"
        [ $code -eq 0 ] || [ $code -eq 2 ] || fail "seed $seed, byte $n: exit code $code"
        [ "$(wc -l <"$dir/err")" -le 1 ] || fail "seed $seed, byte $n: $(cat "$dir/err")"
    done
done
"$goal/loggopsim.py" --answers "$goal/loggopsim.json" "$logp" >/dev/null || fail "the answers of LogGOPSim"
# LogGOPSim, too, runs the steps of a written file in the order of the lines
logp schedule scatter --algo binomial -P 4 --format goal
cp "$dir/out" "$dir/steps"
said=$("$goal/loggopsim.py" "$dir/steps" 60000 20000 40000 0)
json ".[0].predicted_ns == ${said%% *}" predict scatter --algo binomial -P 4
finish
