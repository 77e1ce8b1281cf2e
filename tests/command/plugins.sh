#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plug-ins: what they are told, what is refused, and the example, a random latency.
. "$(dirname "$0")/support.sh"

built=$(dirname "$plugin")
jitter=$built/libjitter.so
chain='run broadcast --algo chain --clock virtual'

# 7 messages, each from 60 to 90 us on its way: that is predicted of which none takes more
for seed in 1 2 1; do
    # shellcheck disable=SC2086
    json '.[0] | .verified and .prediction == "bound" and .predicted_ns == 910000 and .L_ns == 60000 and
          .ratio < 1 and .emulated_ns.min > 700000 and .emulated_ns.min < .emulated_ns.max and
          (.delay | endswith("libjitter.so:50"))' $chain --plugin "$jitter:50" --reps 9 --seed $seed
    jq -c '.[0].emulated_ns' "$dir/out" >>"$dir/seeds"
done
[ "$(sed -n 1p "$dir/seeds")" = "$(sed -n 3p "$dir/seeds")" ] || fail "one seed, two times"
[ "$(sed -n 1p "$dir/seeds")" != "$(sed -n 2p "$dir/seeds")" ] || fail "two seeds, one time"
# the same on one core, and with 256 fibers and more on all
for P in 1 2 9 300; do
    for executor in thread fiber; do
        json '.[0].verified' run reduce -P $P --plugin "$jitter" --clock virtual --reps 3 --executor $executor
        jq -c '.[0] | [.algorithm, .predicted_ns, .emulated_ns]' "$dir/out" >"$dir/$executor"
    done
    cmp -s "$dir/thread" "$dir/fiber" || fail "P = $P: $(cat "$dir/thread" "$dir/fiber")"
done
json '.[0] | .verified and .prediction == "bound" and .measured_ns.min > 0' \
    run broadcast -P 3 --plugin "$jitter:5" --executor fiber --reps 2 --warmup 0
# what changes from one time to the next is not predicted
json '.[0] | .prediction == "none" and .predicted_ns == null' predict broadcast --plugin "$plugin:more"
# what it is told: 10 % where nothing is said, and no jitter is a model like any other
for arguments in '' : :10; do
    # shellcheck disable=SC2086
    json '.[0] | .verified and .predicted_ns == 742000' $chain --plugin "$jitter$arguments"
done
# shellcheck disable=SC2086
LOGP_PLUGIN="$jitter:0" json '.[0] | .prediction == "exact" and .ratio == 1 and .predicted_ns == 700007' \
    $chain -G 1ns --bytes 2
json '.[0] | .verified and .capacity == 2' run alltoall --plugin "$jitter:0" --clock virtual --capacity

# the prediction alone, for as many as there may be
json '.[0].predicted_ns == 742000 and .[0].prediction == "bound"' predict broadcast --algo chain --plugin "$jitter"
json '.[0] | .predicted_ns == 5 and .prediction == "exact"' predict broadcast --algo flat --plugin "$plugin"
LOGP_DELAY=none json '.[0].predicted_ns == 5' predict broadcast --algo flat --plugin "$plugin"
json '.[0].prediction == "none"' predict broadcast -P 2^40 --plugin "$plugin"
expect='--plugin jitter refuses per cent' bad predict broadcast --plugin "$jitter:x"

# where the name of the file ends
mkdir "$dir/a:b"
cp "$jitter" "$dir/a:b/j.so"
cp "$jitter" "$dir/a:b/j.so.1"
cp "$jitter" "$dir/plain"
for text in "$dir/a:b/j.so:0" "$dir/a:b/j.so.1:0" "$dir/plain:0"; do
    # shellcheck disable=SC2086
    json '.[0].emulated_ns.median == 700000' $chain --plugin "$text"
done
# shellcheck disable=SC2086
json '.[0].predicted_ns == 742000' $chain --plugin "$dir/a:b/j.so"
expect="--plugin $dir/x.so:" bad run broadcast --plugin "$dir/x.so:y.so"

# what it refuses, in its own words, but in one line; or without a word
for arguments in x 1001 -1 5x ' 5' 99999999999 5:5; do
    expect="--plugin jitter refuses '$arguments' per cent 0 .. 1000" bad run broadcast --plugin "$jitter:$arguments"
done
expect='--plugin parameters days' bad run broadcast --plugin "$jitter:1000" -L 100000s # L would be 11 times that
odd() { printf '%s' "$built/libodd_$1.so"; }
bad run broadcast -P 6 --seed 3 --plugin "$(odd refusing):x"
stderr_is "logp: --plugin $(odd refusing):x: odd refuses: not with P = 6 seed 3, x"
expect='--plugin odd refuses out of domain' bad run broadcast --plugin "$(odd refusing):quiet"
# one that emulates nothing, and one that lacks a function
json '.[0] | .verified and .predicted_ns == null' run broadcast --clock virtual --plugin "$(odd refusing):none"
expect='--plugin functions' bad run broadcast --plugin "$(odd refusing):incomplete"
expect='--plugin functions' bad run broadcast --plugin "$(odd refusing):zero"
# another version's
expect='--plugin version 1 2' bad run broadcast --plugin "$(odd newer)"
expect='--plugin version 1 0' bad run broadcast --plugin "$(odd older)"
expect='--plugin size' bad run broadcast --plugin "$(odd sizeless)"
expect='--plugin more version' bad run broadcast --plugin "$(odd larger)"
expect='--plugin algorithms' bad run broadcast --plugin "$(odd empty)"

# algorithms: as good as those of the table, wherever --plugin stands
two_ways=$built/libtwo_ways.so
for P in 1 2 3 8 9; do
    json '.[0] | .verified and .algorithm == "two-ways" and .prediction == "exact" and .emulated_ns.median == .predicted_ns' \
        run broadcast -P $P --root $((P / 2)) --algo two-ways --clock virtual --plugin "$two_ways"
done
# 7 others, the longer way 4 of them: 3 o + L a hop
json '.[0] | .predicted_ns == 400000 and .prediction == "exact"' predict broadcast --plugin "$two_ways" --algo two-ways
json '.[0].algorithm == "two-ways" and .[0].verified' run broadcast --topology ring --algo two-ways --plugin "$two_ways" --clock virtual
json 'map(select(.algorithm == "two-ways")) | length == 1' predict broadcast --algo all --plugin "$two_ways"
json 'map(select(.name == "two-ways" and .source == "an example")) | length == 1' list algorithms --plugin "$two_ways"
json 'map(select(.name == "two-ways")) == []' list algorithms
"$logp" schedule broadcast -P 3 --algo two-ways --plugin "$two_ways" >"$dir/out" 2>"$dir/err" || fail "a schedule of a plug-in's"
"$logp" tree broadcast -P 3 --algo two-ways --plugin "$two_ways" >"$dir/out" 2>"$dir/err" &&
    grep -q '^0 at 0, T 14$' "$dir/out" || fail "the tree of a plug-in's"
# a name with what means something elsewhere is a name in all formats; one with control bytes is refused
strange=$built/libstrange.so
name="a<b>&'\`c\"\\%d"
json '.[0].algorithm == "a<b>&'"'\`"'c\"\\%d" and .[0].verified' run broadcast --algo "$name" --plugin "$strange" --clock virtual
for words in 'tree broadcast' 'trace broadcast --clock virtual'; do
    # shellcheck disable=SC2086
    logp $words -P 4 --algo "$name" --plugin "$strange" --format svg
    python3 -c 'import sys, xml.dom.minidom; d = xml.dom.minidom.parse(sys.argv[1])
sys.exit(sys.argv[2] not in "".join(n.data for t in d.getElementsByTagName("text") for n in t.childNodes))' \
        "$dir/out" "$name" || fail "$words as SVG: $(grep 'a&lt;' "$dir/out" || head -5 "$dir/out")"
done
logp tree broadcast -P 4 --algo "$name" --plugin "$strange" --format dot
grep -qF 'digraph "a<b>&'"'\`"'c\"\\%d broadcast, P = 4" {' "$dir/out" || fail "a name in dot: $(head -1 "$dir/out")"
if command -v dot >/dev/null; then
    dot -Tsvg "$dir/out" 2>&1 | grep -q '</svg>' || fail "Graphviz does not read the name"
fi
expect='--plugin printed' bad list algorithms --plugin "$built/libcontrol.so"
# steps that cannot be done: each command that reads them says why, as a run does, and goes wrong
wrong=$built/libwrong.so
waits=('deadlock: every processor waits and nothing is on its way' '  rank 3 waits for a message from rank 2, tag 0')
range=('a step of rank 0: its rank, its tag or its time is out of range')
extra=('1 message is never received')
small=('a step of rank 2: the message is larger than its receive')
wrong_steps() { # ROW COMMAND...
    local -n lines=$1
    local row=$1 expected="logp: broadcast $1: ${lines[0]}"
    shift
    [ ${#lines[@]} -lt 2 ] || expected+=$'\n'"logp: ${lines[1]}"
    logp "$@" --plugin "$wrong"
    [ $code -eq 1 ] && [ "$(cat "$dir/err")" = "$expected" ] || fail "$row: logp $*: exit code $code: $(cat "$dir/all")"
}
for row in waits range extra small; do
    wrong_steps $row predict broadcast --algo $row
    wrong_steps $row predict broadcast --algo chain,$row --format json
    holds '.[0].prediction == "exact" and .[1].prediction == "none" and .[1].predicted_ns == null' "$dir/out" "$row"
    wrong_steps $row schedule broadcast --algo $row
    wrong_steps $row schedule broadcast --algo $row --format goal --delay none
    [ $row = extra ] && continue
    wrong_steps $row predict broadcast --algo $row --explain
    wrong_steps $row explain broadcast flat $row
    wrong_steps $row tree broadcast --algo $row
    wrong_steps $row trace broadcast --algo $row --predicted
done
logp run broadcast --algo waits --clock virtual --plugin "$wrong"
stderr_has "logp: broadcast waits: ${waits[0]}"
stderr_has "logp: ${waits[1]}"
wrong_steps extra run broadcast --algo extra --clock virtual
# auto takes no such row, and where all are compared they are left out and named
json '.[0].algorithm != "waits" and .[0].prediction == "exact"' predict broadcast --plugin "$wrong"
json 'length == 1' bench crossover broadcast -P 8 --bytes 8..8 --algo waits,chain --plugin "$wrong"
stderr_has "logp: broadcast waits: ${waits[0]}"

expect='--plugin two-ways arguments' bad run broadcast --plugin "$two_ways:x"
expect='--algo two-ways' bad run broadcast --algo two-ways
expect='--plugin broadcast flat' bad run broadcast --plugin "$(odd taken)"
expect='--plugin names steps' bad run broadcast --plugin "$(odd nameless)"
# one that does nothing is found out
"$logp" run broadcast --algo idle --clock virtual --plugin "$(odd idle):none" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] || fail "an algorithm that moves nothing is taken for a broadcast"
grep -qE '^logp: broadcast idle: WRONG RESULT on rank 1: byte 0 of 8 \(from 0\) is 0x[0-9a-f]{2}, expected 0x[0-9a-f]{2}$' "$dir/err" ||
    fail "what is wrong: $(cat "$dir/err")"
# one that only runs is not predicted: what is missing is said, and what to do
none='has no prediction: it has neither steps nor a closed form, only a run function; measure it with logp run, or give it steps or predict'
only_runs=(broadcast --plugin "$built/libaway.so")
json 'length == 1 and .[0].predicted_ns == null' predict "${only_runs[@]}" --algo away
stderr_has "logp: broadcast away $none"
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "one line: $(cat "$dir/err")"
logp predict "${only_runs[@]}" --algo all
stderr_has "logp: broadcast away $none"
[ "$(grep -c 'has no prediction' "$dir/err")" -eq 1 ] || fail "of those that have one: $(cat "$dir/err")"
for words in "predict ${only_runs[*]} --explain" "schedule ${only_runs[*]}" "trace ${only_runs[*]} --predicted"; do
    # shellcheck disable=SC2086
    expect='away steps only run function' bad $words --algo away
done
logp predict broadcast --delay none
stderr_is 'logp: broadcast optimal has no prediction: messages take no time with --delay none; type --delay logp'
logp predict broadcast -P 1e8 --algo binomial --by schedule
stderr_has 'it has too many steps'
# one that does not come back: what is known by then is told, and nobody waits for it
away=(broadcast -P 4 --plugin "$built/libaway.so" --clock virtual --timeout 500ms)
for command in run bench; do
    logp $command "${away[@]}" --algo flat,away,binomial --format json
    [ $code = 1 ] || fail "$command: $code with one that is away"
    holds 'length == 2 and .[0].verified and .[0].algorithm == "flat" and (.[1].verified | not)' "$dir/out" "$command: away"
    grep -q '^logp:   rank 0 is outside the runtime and holds its core$' "$dir/err" || fail "$command: who is away?"
done
logp trace "${away[@]}" --algo away
[ $code = 1 ] && [ "$(wc -l <"$dir/err")" = 2 ] || fail "trace: $code, $(cat "$dir/err")"
finish
