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

# under several parameters the end of each rank; by liblogp's rules it is the virtual clock that says so
for pattern in $("$goal/schedgen.py"); do
    "$goal/schedgen.py" "$pattern" >"$dir/$pattern.goal"
    for model in '' '--gap shared' '-o 1 -g 9 -G 0.01'; do
        # shellcheck disable=SC2086
        json '.[0] | (.ratio == 1 and .delay == "loggp" and .prediction == "exact")' run --schedule "$dir/$pattern.goal" \
            --clock virtual --executor fiber --delay loggp "${ns[@]}" $model
    done
done
for seed in {1..6}; do
    for words in '' wild places 'wild places'; do
        # shellcheck disable=SC2086
        "$goal/random_graph.py" "$seed" $words >"$dir/$seed $words.goal"
    done
    for delay in loggops loggp; do
        json '.[0].ratio == 1' run --schedule "$dir/$seed wild.goal" --clock virtual --executor fiber --delay $delay "${ns[@]}"
    done
done
"$goal/loggopsim.py" --like "$logp" "$dir"/*.goal >"$dir/out" 2>&1 || fail "not LogGOPSim's rules: $(cat "$dir/out")"
# lines longer than the buffer of the reader, and a line whose comment is
printf 'num_ranks 1\nrank 0 {\nl1: calc 4\nl2 /*%600000s\n%600000s*/ requires l1 /*%300000s*/\nl2: calc 5\n}\n' a b c >"$dir/steps"
json '.[0].predicted_ns == 9' predict --schedule "$dir/steps"
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
    for ((n = 1; n < size; n += size / 12)); do
        head -c "$n" "$dir/whole" >"$dir/cut"
        expect=--schedule bad predict --schedule "$dir/cut"
        cp "$dir/whole" "$dir/cut"
        printf '\377' | dd of="$dir/cut" bs=1 seek="$n" conv=notrunc status=none
        logp predict --schedule "$dir/cut"
        [ $code -eq 0 ] || [ $code -eq 2 ] || fail "seed $seed, byte $n: exit code $code"
        [ "$(wc -l <"$dir/err")" -le 1 ] || fail "seed $seed, byte $n: $(cat "$dir/err")"
    done
done
# also in the mark behind the last rank, which says whose rules hold
logp schedule broadcast -P 4 --format goal-bin --output "$dir/whole"
for ((n = 1; n < 60; n += 6)); do
    head -c "-$n" "$dir/whole" >"$dir/cut"
    expect=--schedule bad predict --schedule "$dir/cut"
done
cat "$dir/whole" <(echo) >"$dir/cut"
expect='--schedule follow' bad predict --schedule "$dir/cut"
"$goal/loggopsim.py" --answers "$goal/loggopsim.json" "$logp" >/dev/null || fail "the answers of LogGOPSim"
# LogGOPSim, too, runs the steps of a written file in the order of the lines
logp schedule scatter --algo binomial -P 4 --format goal
cp "$dir/out" "$dir/steps"
said=$("$goal/loggopsim.py" "$dir/steps" 60000 20000 40000 0)
json ".[0].predicted_ns == ${said%% *}" predict scatter --algo binomial -P 4
finish
