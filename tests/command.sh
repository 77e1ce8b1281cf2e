#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command as a user types it: results, formats, and bad input. usage: command.sh LOGP PLUGIN
set -u
logp=$1
plugin=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# bad WORDS...: exit code 2, nothing on stdout, one line on stderr that holds every word of $expect
bad() {
    local out err code word
    out=$("$logp" "$@" 2>"$dir/err")
    code=$?
    err=$(cat "$dir/err")
    [ $code -eq 2 ] || fail "logp $*: exit code $code instead of 2"
    [ -z "$out" ] || fail "logp $*: output: $out"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "logp $*: not one line: $err"
    for word in $expect; do
        case $err in *"$word"*) ;; *) fail "logp $*: '$err' does not say $word" ;; esac
    done
}

# json FILTER WORDS...: the filter must hold for the output
json() {
    local filter=$1
    shift
    "$logp" "$@" --format json >"$dir/out" 2>"$dir/err" || fail "logp $*: exit code $?: $(cat "$dir/err")"
    jq -e "$filter" "$dir/out" >/dev/null || fail "logp $*: not ($filter): $(cat "$dir/out")"
}

# ---- what scripts rely on ----
json 'length == 5 and all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
      .measured_ns == null and .lag_ns == null and .emulated_ns.median == .predicted_ns and
      .messages == 7 and .restarts == 0 and .reps == 1)' \
    run broadcast --algo all --clock virtual
json '.[0] | (.collective == "broadcast" and .algorithm == "optimal" and .P == 8 and .root == 0 and
      .bytes == 8 and .count == null and .L_ns == 60000 and .o_send_ns == 20000 and
      .o_recv_ns == 20000 and .g_ns == 40000 and .G_ns_per_byte == 0 and .gamma_ns == 0 and
      .k == null and .clock == "virtual" and .executor == "thread" and .delay == "logp" and
      .topology == null and .predicted_ns == 240000)' run broadcast --clock virtual
json '.[0] | (.verified and .reps == 20 and .measured_ns.min >= .predicted_ns and
      .measured_ns.median >= .measured_ns.min and .lag_ns.max >= 0 and .ratio >= 1 and
      .emulated_ns.median >= .predicted_ns)' run broadcast --reps 20 --warmup 1
json '.[0] | (.verified and .predicted_ns == null and .prediction == "none" and .ratio == null and
      .lag_ns == null and .emulated_ns == null and .measured_ns.median > 0)' \
    run broadcast --delay none --reps 20
json '.[0] | (.predicted_ns == 240000 and has("measured_ns") == false)' predict broadcast
json '.[0].predicted_ns == 3960000' predict broadcast -P 1000000000000000000 --algo optimal
json '.[0] | (.G_ns_per_byte == 0.5 and .delay == "loggp" and .ratio == 1)' \
    run -P 5 --clock virtual broadcast -G 0.5ns --bytes 1000 --root 3
json '.[0] | (.predicted_ns == null and .emulated_ns.median == 240000 and .capacity == 2)' \
    run broadcast --capacity --clock virtual
json '.[0].P == 1 and .[0].predicted_ns == 0 and .[0].ratio == null' run broadcast -P 1 --clock virtual
json '.time == 24 and .P == 8 and .L == 6 and .o == 2 and .g == 4 and .tree == "broadcast" and
      .nodes[0] == {rank:0,time:24,parent:null,children:[1,4,6,7],label:0,operands:null} and
      [.nodes[].time] == [24,14,4,0,10,0,6,2] and .nodes[5].parent == 4 and .nodes[5].label == 24' \
    tree broadcast
json 'map(.name) | index("optimal") != null' list algorithms
json 'map(.name) == ["none","logp","loggp","store-forward"]' list delays
json 'map(.name) == ["ncube2","cm5","dash","jmachine","monsoon"]' list machines
json 'map(.name) | index("broadcast") != null' list collectives

json 'length == 5 and all(.[]; .verified and .ratio == 1 and .executor == "fiber")' \
    run broadcast --algo all --clock virtual --executor fiber
json '.[0] | (.verified and .ratio >= 1)' run broadcast --executor fiber -P 64 --reps 10
json '.[0] | (.verified and .ratio == 1 and .predicted_ns == 1500000 and .messages == 491520)' \
    run barrier --clock virtual --executor fiber -P 32768
json '.[0] | (.verified and .ratio == 1 and .messages == 240)' \
    run alltoall --clock virtual --executor fiber -P 16

# a delay model from outside: 5 ns to everyone, whatever the parameters
json '.[0] | (.verified and .predicted_ns == null and .emulated_ns.median == 5 and .ratio == null)' \
    run broadcast --algo flat --clock virtual --plugin "$plugin"

# a torus, a machine as preset, blocks: what is given apart wins
json '.[0] | (.verified and .ratio == 1 and .prediction == "exact" and .machine == "dash" and
      .delay == "store-forward" and .L_ns == 60 and .o_send_ns == 450 and .o_recv_ns == 450 and
      .g_ns == 1200 and .G_ns_per_byte == 15 and .block == null and .predicted_ns == 76800)' \
    run broadcast --algo torus -P 256 --machine dash --bytes 128 --work 1024 --clock virtual --executor fiber
json 'length == 7 and all(.[]; .verified and .ratio == 1 and .prediction == "exact")' \
    run broadcast --algo all -P 16 --machine monsoon --bytes 1000 --work 500 --root 6 --clock virtual
json '.[0] | (.verified and .ratio == 1 and .block == 32 and .messages == 60 and .machine == null)' \
    run broadcast --algo torus-pipelined -P 16 --bytes 100 --block 32 --overlap off --clock virtual
json '.[0] | (.block > 0 and .block < 128)' \
    predict broadcast --algo torus-pipelined -P 256 --machine dash --bytes 128 --work 1024
json '.[0] | (.L_ns == 60 and .g_ns == 7000 and .delay == "loggp" and .machine == "dash")' \
    predict broadcast --machine dash -g 7 --unit 1us --delay loggp
json '.[0] | (.delay == "store-forward" and .machine == null and .predicted_ns == 100008)' \
    predict broadcast -P 2 -G 1ns --delay store-forward
LOGP_L=9us LOGP_UNIT=1ms "$logp" predict broadcast --machine dash -o 2 --format json |
    jq -e '.[0] | .L_ns == 60 and .o_send_ns == 60' >/dev/null || fail "--machine wins over the environment"
LOGP_MACHINE=dash LOGP_L=9us "$logp" predict broadcast --format json |
    jq -e '.[0] | .machine == "dash" and .L_ns == 9000 and .g_ns == 1200' >/dev/null || fail "LOGP_MACHINE"

# same seed, same bytes
"$logp" run broadcast --algo all --clock virtual --format json >"$dir/a"
"$logp" run broadcast --algo all --clock virtual --format json >"$dir/b"
cmp -s "$dir/a" "$dir/b" || fail "two virtual runs differ"

# CSV: a header, and as many cells in each row
"$logp" run broadcast --algo all --clock virtual --format csv |
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 6 }' || fail "CSV is uneven"

# tables and help
"$logp" run broadcast --algo all --reps 5 >"$dir/out" 2>"$dir/err" || fail "table: exit code"
[ "$(grep -c 'yes$' "$dir/out")" -eq 5 ] || fail "table: $(cat "$dir/out")"
grep -vq 'is left out: it needs' "$dir/err" && fail "progress without a terminal: $(cat "$dir/err")"
"$logp" run broadcast --reps 5 --progress on 2>&1 >/dev/null | grep -q '5 of 5' || fail "progress on"
"$logp" --help | grep -q 'logp run broadcast --algo all' || fail "help has no first step"
"$logp" run --help | grep -q -- '--timeout' || fail "run --help"
"$logp" --version | grep -q '^logp [0-9]' || fail "version"
"$logp" tree broadcast | grep -q '^   `- 5 at 24, T 0\|^|  `- 5 at 24, T 0' || fail "tree as text"
"$logp" tree broadcast --format svg | grep -q '</svg>' || fail "tree as a picture"

# the environment sets defaults, the command line wins
LOGP_P=4 LOGP_UNIT=1us LOGP_g=8 "$logp" predict broadcast --algo flat --format json |
    jq -e '.[0] | .P == 4 and .g_ns == 8000 and .predicted_ns == 26000' >/dev/null || fail "environment"
LOGP_P=4 "$logp" predict broadcast -P 3 --format json | jq -e '.[0].P == 3' >/dev/null ||
    fail "the command line wins over the environment"

# Ctrl-C: what was measured so far, quickly
"$logp" run broadcast --reps 1000000 --format json >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
[ $? -eq 1 ] || fail "interrupted: exit code"
jq -e '.[0].reps > 0 and .[0].measured_ns.median > 0' "$dir/out" >/dev/null || fail "interrupted: $(cat "$dir/out")"
grep -q 'interrupted after' "$dir/err" || fail "interrupted: $(cat "$dir/err")"

# a run that does not end in time
"$logp" run broadcast --reps 1000000 --timeout 200ms >/dev/null 2>"$dir/err"
[ $? -eq 1 ] || fail "timeout: exit code"
grep -q -- '--timeout' "$dir/err" || fail "timeout: $(cat "$dir/err")"

# ---- bad input ----
expect='frobnicate' bad frobnicate
expect='collective broadcast' bad run
expect='broadcastX alltoall' bad run broadcastX
expect='reduceX broadcast' bad run reduceX
expect='--no-such' bad run broadcast --no-such
expect='-Z' bad run broadcast -Z 3
expect='-P' bad run broadcast -P
expect='-P zero' bad run broadcast -P zero
expect='-P 0' bad run broadcast -P 0
expect='-P -3' bad run broadcast -P -3
expect='-P 99999999999999999999' bad predict broadcast -P 99999999999999999999
expect='-P 100000000 16777216' bad run broadcast -P 100000000
expect='-L -1' bad run broadcast -L -1
expect='-L 1.00001 whole' bad run broadcast -L 1.00001
expect='-o 2parsec suffix' bad run broadcast -o 2parsec
expect='-g inf' bad run broadcast -g inf
expect='--unit 10 suffix' bad run broadcast --unit 10
expect='--unit 0us' bad run broadcast --unit 0us
expect='--algo bogus optimal' bad run broadcast --algo flat,bogus
expect='--root 8 0 7' bad run broadcast --root 8
expect='--bytes -1' bad run broadcast --bytes -1
expect='--clock sundial wall virtual' bad run broadcast --clock sundial
expect='--executor magic thread fiber' bad run broadcast --executor magic
expect='--algo torus n' bad run broadcast --algo torus
expect='--machine cray ncube2 monsoon' bad run broadcast --machine cray
expect='--block 0' bad run broadcast --block 0
expect='--overlap maybe on off' bad run broadcast --overlap maybe
expect='--work -1' bad run broadcast --work -1
expect='--delay slow loggp store-forward' bad run broadcast --delay slow
expect='--gap wide separate shared' bad run broadcast --gap wide
expect='--capacity=3' bad run broadcast --capacity=3
expect='--reps 0' bad run broadcast --reps 0
expect='--cores 0,x' bad run broadcast --cores 0,x
expect='--cores' bad run broadcast --cores 4095
expect='--timeout 0' bad run broadcast --timeout 0
expect='--format xml json' bad run broadcast --format xml
expect='--format svg' bad run broadcast --format svg
expect='--plugin nothing.so' bad run broadcast --plugin nothing.so
expect='--reps predict' bad predict broadcast --reps 5
expect='broadcast' bad tree
expect='oak broadcast' bad tree oak
expect='nonsense algorithms' bad list nonsense
expect='extra' bad run broadcast extra
expect='-P 1025' bad tree broadcast -P 1025

[ $failed -eq 0 ] && echo "all good"
exit $failed
