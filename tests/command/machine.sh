#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A machine from a file: what it sets, what wins over it, and files that are wrong.
. "$(dirname "$0")/support.sh"

cat >"$dir/m" <<'END'
# measured
  name = my cluster # of 8

L=1300ns
o = 0.21us
g = 400ns
G = 0.08ns
gamma = 0.5ns
END
same='-L 1300ns -o 210ns -g 400ns -G 0.08ns --delay loggp'
for words in 'broadcast --bytes 1000' 'allreduce --count 100' 'summation' 'barrier -P 9'; do
    # shellcheck disable=SC2086
    logp predict $words $same $(case $words in all* | sum*) echo --gamma 0.5ns ;; esac) --format json
    ns=$(jq '.[0].predicted_ns' "$dir/out")
    # shellcheck disable=SC2086
    json ".[0] | (.predicted_ns == $ns and .machine == \"my cluster\" and .L_ns == 1300 and .o_send_ns == 210 and
          .o_recv_ns == 210 and .g_ns == 400 and .G_ns_per_byte == 0.08 and .gamma_ns == 0.5 and .delay == \"loggp\")" \
        predict $words --machine "$dir/m"
done
json '.[0] | (.verified and .ratio == 1)' run broadcast --clock virtual --machine "$dir/m"
# what is given apart wins; a plain unit is 1 ns
json '.[0] | (.L_ns == 7 and .o_send_ns == 210 and .g_ns == 400000 and .gamma_ns == 2)' \
    predict allreduce --machine "$dir/m" -L 7 -g 400us --gamma 2
LOGP_MACHINE=$dir/m LOGP_L=9 json '.[0] | (.L_ns == 9 and .g_ns == 400)' predict broadcast
LOGP_L=9 json '.[0].L_ns == 1300' predict broadcast --machine "$dir/m"
printf 'L = 1us\no_send = 2us\no_recv = 3us\ng = 0\n' >"$dir/n"
json ".[0] | (.machine == \"$dir/n\" and .o_send_ns == 2000 and .o_recv_ns == 3000 and .g_ns == 0 and .G_ns_per_byte == 0)" \
    predict broadcast --machine "$dir/n"

# wrong LINES...: refused in one line that names the file and the line
wrong() { printf '%b' "$1" >"$dir/w"; expect="--machine $expect" bad predict broadcast --machine "$dir/w"; }
rest='\no = 1us\ng = 1us\n'
expect='w:1 suffix' wrong "L = 3$rest"
expect='w:1 suffix' wrong "L = x$rest"
expect='w:2 foo key = value' wrong '# nothing\nfoo\n'
expect='w:1 k gamma' wrong 'k = 3\n'
expect='w:1 L value' wrong 'L = # none\n'
expect='w:1 1.5ns whole' wrong "L = 1.5ns$rest"
expect='w:1 9999999s 11 days' wrong "L = 9999999s$rest"
expect='w:4 1001s 1000' wrong 'L = 0\no = 0\ng = 0\nG = 1001s\n'
expect='w:1 -1ns time' wrong "L = -1ns$rest"
expect='w:2 L once' wrong "L = 1ns\nL = 1ns$rest"
expect='w:2 o o_recv' wrong 'o_send = 1ns\no = 1ns\n'
expect='w:2 o_recv o_send' wrong 'o = 1ns\no_recv = 1ns\n'
expect='w:2 g missing' wrong 'L = 1ns\no = 1ns\n'
expect='w:2 o_recv missing' wrong 'L = 1ns\no_send = 1ns\n'
expect='w:0 L missing' wrong ''
# what else a file may say: the model and what counts for it, a unit, words for people
cat >"$dir/k" <<'END'
name = k
title = The K
source = somebody, 2026
unit = 20ns
delay = logp
gap = shared
capacity = on
L = 10
o = 1.5
g = 1us
END
json '.[0] | (.machine == "k" and .L_ns == 200 and .o_send_ns == 30 and .g_ns == 1000 and .delay == "logp" and
      .gap == "shared" and .capacity == 1 and .gamma_ns == 20)' predict summation --machine "$dir/k"
json '.[0] | (.gap == "separate" and .L_ns == 60 and .delay == "loggp")' \
    predict broadcast --machine "$dir/k" --gap separate -L 3 --delay loggp
logp predict broadcast --machine "$dir/k"
grep -q '^The K; delay logp' "$dir/out" || fail "title: $(cat "$dir/out")"
expect='w:1 none loggp store-forward' wrong 'delay = none\n'
expect='w:1 wide separate shared' wrong 'gap = wide\n'
expect='w:1 maybe on off' wrong 'capacity = maybe\n'
expect='w:1 0 1ns' wrong 'unit = 0\n'
expect='w:1 3 suffix' wrong "unit = 3$rest"
expect='w:1 3 suffix' wrong "L = 3\nunit = 1us$rest"
expect='w:1 63' wrong "name = $(printf '%070d' 0)\n"
expect='w:1 511' wrong "name = $(printf '%0600d' 0)\n"
# two levels
printf 'L = 5us\no = 1us\ng = 2us\nnodes = *x4\ninter = L=9us\n' >"$dir/two"
json '.[0] | (.nodes == "*x4" and .inter.L_ns == 9000 and .L_ns == 5000 and .prediction == "exact")' \
    predict broadcast -P 8 --machine "$dir/two"
printf 'L = 5us\no = 1us\ng = 2us\nnodes = 4x\ninter = L=9us\n' >"$dir/w"
expect='--nodes 4x needs' bad predict broadcast --machine "$dir/w"
printf 'L = 5us\no = 1us\ng = 2us\nnodes = *x4\n' >"$dir/w"
expect='--nodes *x4 --inter' bad predict broadcast --machine "$dir/w"

# a named machine is such a file
for machine in "$(dirname "$0")"/../../algorithms/machine/*.machine; do
    name=$(basename "$machine" .machine)
    "$logp" predict alltoall --bytes 100 --machine "$machine" --format json >"$dir/file"
    "$logp" predict alltoall --bytes 100 --machine "$name" --format json >"$dir/named"
    cmp -s "$dir/file" "$dir/named" || fail "$name: $(diff "$dir/file" "$dir/named")"
done
[ "${name-}" = ncube2 ] || fail "the named machines are not there"
json 'length == 5 and all(.[]; .source == "Liu, Li & Cui 1996, table 1")' list machines
printf 'L = 1ns\n\0x' >"$dir/z"
expect='--machine text' bad predict broadcast --machine "$dir/z"
expect='--machine cm6 cm5 file' bad predict broadcast --machine cm6
expect='--machine read' bad predict broadcast --machine "$dir"
finish
