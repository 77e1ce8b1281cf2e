#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# GOAL means what LogGOPSim means: its text format is read, and times are LogGOPSim's. The files of
# tests/goal have the times that LogGOPSim itself gave; others have those of tests/goal/loggopsim.py.
. "$(dirname "$0")/support.sh"
goal=$(cd "$(dirname "$0")/../goal" && pwd)

# costs NS FILE OPTIONS...: so long, predicted and under the virtual clock, with either executor
costs() {
    local ns=$1 file=$2 executor
    shift 2
    json ".[0] | (.predicted_ns == $ns and .prediction == \"exact\" and .delay == \"loggops\")" \
        predict --schedule "$file" "$@"
    for executor in thread fiber; do
        json ".[0] | (.emulated_ns.median == $ns and .ratio == 1)" \
            run --schedule "$file" --clock virtual --executor $executor "$@"
    done
}
ns='-L 2500ns -o 1500ns -g 1000ns -G 6ns'

# what LogGOPSim says
costs 100000 "$goal/concurrent.goal" -L 60us -o 20us -g 40us
costs 100000 "$goal/receive_first.goal" -L 60us -o 20us -g 40us
# shellcheck disable=SC2086
{
    costs 34914 "$goal/binomialtreereduce.goal" $ns
    costs 11638 "$goal/random_bisect_fd_sym.goal" $ns
    for words in 'nwaydissemination 36962' 'doublering 102242' 'linbarrier 29000'; do
        "$goal/schedgen.py" ${words% *} >"$dir/steps"
        costs ${words#* } "$dir/steps" $ns
    done
}

# what its rules say: of all patterns, and of graphs at random, some with wildcards
# like NAME: $dir/steps, under several parameters
like() {
    local said L o g G
    while read -r L o g G; do
        said=$("$goal/loggopsim.py" "$dir/steps" "$L" "$o" "$g" "$G") || fail "$1: loggopsim.py"
        case $said in *tie) continue ;; esac
        json ".[0].predicted_ns == $said" predict --schedule "$dir/steps" \
            -L "${L}ns" -o "${o}ns" -g "${g}ns" -G "${G}ns"
    done <<<'2500 1500 1000 6
60 20 40 0
500 100 700 2'
}
for pattern in $("$goal/schedgen.py"); do
    "$goal/schedgen.py" "$pattern" >"$dir/steps"
    like "$pattern"
    # by liblogp's rules it is the virtual clock that says so
    for model in "$ns" "$ns --gap shared" '-o 1 -g 9 -G 0.01'; do
        # shellcheck disable=SC2086
        json '.[0] | (.ratio == 1 and .delay == "loggp" and .prediction == "exact")' \
            run --schedule "$dir/steps" --clock virtual --executor fiber --delay loggp $model
    done
done
for seed in {1..12}; do
    "$goal/random_graph.py" "$seed" >"$dir/steps"
    like "seed $seed"
    "$goal/random_graph.py" "$seed" wild >"$dir/steps"
    like "seed $seed, wild"
    for delay in loggops loggp; do
        # shellcheck disable=SC2086
        json '.[0].ratio == 1' run --schedule "$dir/steps" --clock virtual --executor fiber \
            --delay $delay $ns
    done
done

# the whole format
reads() { # reads NS TEXT
    printf '%b' "$2" >"$dir/steps"
    json ".[0].predicted_ns == $1" predict --schedule "$dir/steps" -L 60ns -o 20ns -g 40ns
}
reads 100 'num_ranks 2\n/* a\n * comment */\nrank 0 { // one more\nsend 10b to 1 tag 3\n}\nrank 1 {\nrecv 10 b from 0 tag 3 cpu 0 nic 0\n}\n'
reads 100 'num_ranks 2\nrank 1 {\nl1: recv 10b from -1 tag -1\n}\nrank 0{\nl1:send 10b to 1 tag 3\n}\n'
reads 100 'num_ranks 2\nrank 1 {\nl1: recv 10b from 4294967295 tag 4294967295\n}\nrank 0{\nl1:send 10b to 1\n}'
reads 110 'num_ranks 2\r\nrank 0 {\r\nl1: send 10b to 1\r\nl1 requires l2\r\nl2: calc 10\r\n}\r\nrank 1 {\r\nrecv 10b from 0\r\n}\r\n'
reads 9 'num_ranks 1\nrank 0 {\ncalc 4\nlast: calc 5\n}\n'
# a receive has begun when it is posted
reads 100 'num_ranks 2\nrank 0 {\nl1: send 1b to 1\n}\nrank 1 {\nl1: recv 1b from 0\nl2: calc 50\nl2 irequires l1\n}\n'
reads 150 'num_ranks 2\nrank 0 {\nl1: send 1b to 1\n}\nrank 1 {\nl1: recv 1b from 0\nl2: calc 50\nl2 requires l1\n}\n'
# LogGOPSim receives what comes when it comes, posted or not; liblogp when it is posted
printf 'num_ranks 3\nrank 0 {\nl1: recv 1b from 1\nl2: recv 1b from 2\nl2 requires l1\n}\nrank 1 {\nl1: calc 100\nl2: send 1b to 0\nl2 requires l1\n}\nrank 2 {\nsend 1b to 0\n}\n' >"$dir/steps"
json '.[0].predicted_ns == 200' predict --schedule "$dir/steps" -L 60ns -o 20ns -g 40ns
json '.[0].predicted_ns == 240' predict --schedule "$dir/steps" -L 60ns -o 20ns -g 40ns --delay logp

# what is written is in the order of its lines for LogGOPSim too, and costs what it was written from
logp schedule scatter --algo binomial -P 4 --format goal
grep -qx 'l2 requires l1' "$dir/out" || fail 'schedule --format goal: no order'
cp "$dir/out" "$dir/steps"
said=$("$goal/loggopsim.py" "$dir/steps" 60000 20000 40000 0)
json ".[0].predicted_ns == $said" predict --schedule "$dir/steps" --delay loggops
json ".[0].predicted_ns == $said" predict scatter --algo binomial -P 4
for words in 'allreduce --count 100' 'alltoall --bytes 100'; do
    # shellcheck disable=SC2086
    logp predict $words --algo all -P 8 -G 0.01 --by schedule --format json
    jq -r '.[] | select(.predicted_ns) | "\(.algorithm) \(.predicted_ns)"' "$dir/out" >"$dir/all.txt"
    [ "$(wc -l <"$dir/all.txt")" -gt 1 ] || fail "$words: no algorithms"
    while read -r algo predicted; do
        # shellcheck disable=SC2086
        logp schedule $words --algo "$algo" -P 8 -G 0.01 --format goal
        cp "$dir/out" "$dir/steps"
        json ".[0] | (.predicted_ns == $predicted and .delay == \"loggp\")" predict --schedule "$dir/steps" -G 0.01
    done <"$dir/all.txt"
done

# what is wrong, or does not go together
wrong() { printf '%b' "$1" >"$dir/steps"; bad predict --schedule "$dir/steps"; }
expect='line 2 comment no end' wrong 'num_ranks 2\n/* for ever\n\n'
expect='line 3 -1 receive' wrong 'num_ranks 2\nrank 0 {\nsend 1b to -1\n}\n'
expect='line 3 -1 any' wrong 'num_ranks 2\nrank 0 {\nrecv 1b from -2\n}\n'
expect='line 3 2^63' wrong 'num_ranks 2\nrank 0 {\ncalc 99999999999999999999\n}\n'
expect='line 4 label l9 l9:' wrong 'num_ranks 2\nrank 0 {\nl1: calc 1\nl1 requires l9\n}\n'
expect='line 4 requires' wrong 'num_ranks 2\nrank 0 {\nl1: calc 1\nl1 requires l1 l1\n}\n'
expect='line 3 calc' wrong 'num_ranks 1\nrank 0 {\nl1: calc 5 }\n'
expect='rank 0 operation 1 requires itself' wrong 'num_ranks 1\nrank 0 {\nl1: calc 5\nl2: calc 5\nl1 requires l2\nl2 requires l1\n}\n'
expect='deadlock: rank 0 any rank any tag' wrong 'num_ranks 2\nrank 0 {\nrecv 1b from -1 tag -1\n}\n'
# a message that another receive took was sent: its number, also after other steps; both kinds of receives
expect='deadlock: rank 0 rank 1 (tag 0), which operation 1 took any rank (tag 0)' \
    wrong 'num_ranks 2\nrank 0 {\na: recv 8b from -1\nb: recv 8b from 1\nb requires a\n}\nrank 1 {\nsend 8b to 0\n}\n'
! grep -q 'never' "$dir/all" || fail "taken, and never sent: $(cat "$dir/all")"
expect='deadlock: rank 1 rank 0 (tag 7), which operation 3 took rank 0 (any tag)' \
    wrong 'num_ranks 2\nrank 0 {\nsend 8b to 1 tag 7\n}\nrank 1 {\nc: calc 5\na: recv 8b from 0 tag 7\nb: recv 8b from 0 tag -1\na requires b\n}\n'
expect='deadlock: rank 0 rank 1 (tag 0) never' \
    wrong 'num_ranks 3\nrank 0 {\na: recv 8b from -1\nb: recv 8b from 1\n}\nrank 2 {\nsend 8b to 0\n}\n'
expect='--rendezvous none concurrent' bad predict --schedule "$goal/concurrent.goal" --rendezvous 8
expect='--capacity off concurrent' bad predict --schedule "$goal/concurrent.goal" --capacity
expect='--schedule --explain concurrent' bad predict --schedule "$goal/concurrent.goal" --explain
expect='--delay loggops --explain loggp' bad predict broadcast --delay loggops --explain
expect='--topology loggops' bad predict broadcast --delay loggops --topology ring
json '.[0] | (.delay == "logp" and .ratio == 1)' run --schedule "$goal/concurrent.goal" --topology ring --clock virtual
logp trace --schedule "$goal/concurrent.goal" --clock virtual --format json
holds '.predicted.same_work and .predicted.parts == null and .end_ns == 100000' "$dir/out" 'trace of a graph'
finish
