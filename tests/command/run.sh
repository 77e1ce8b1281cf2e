#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run and predict: what scripts rely on.
. "$(dirname "$0")/support.sh"

json 'length > 5 and all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
      .measured_ns == null and .lag_ns == null and .emulated_ns.median == .predicted_ns and
      .messages >= 7 and .restarts == 0 and .reps == 1)' \
    run broadcast --algo all --clock virtual
json '.[0] | (.collective == "broadcast" and .algorithm == "optimal" and .P == 8 and .root == 0 and
      .bytes == 8 and .count == null and .L_ns == 60000 and .o_send_ns == 20000 and
      .o_recv_ns == 20000 and .g_ns == 40000 and .G_ns_per_byte == 0 and .gamma_ns == 0 and
      .k == null and .clock == "virtual" and .executor == "thread" and .delay == "logp" and
      .topology == null and .predicted_ns == 240000)' run broadcast --clock virtual
json '.[0] | (.predicted_ns == 240000 and has("measured_ns") == false)' predict broadcast
json '.[0].predicted_ns == 3960000' predict broadcast -P 1000000000000000000 --algo optimal
json '.[0] | (.G_ns_per_byte == 0.5 and .delay == "loggp" and .ratio == 1)' \
    run -P 5 --clock virtual broadcast -G 0.5ns --bytes 1000 --root 3
json '.[0] | (.predicted_ns == 240000 and .emulated_ns.median == 240000 and .capacity == 2)' \
    run broadcast --capacity --clock virtual
json '.[0].P == 1 and .[0].predicted_ns == 0 and .[0].ratio == null' run broadcast -P 1 --clock virtual
json '.[0] | (.o_send_ns == 20000 and .o_recv_ns == 30000 and .predicted_ns == 339999 and .ratio == 1)' \
    run broadcast --algo binomial --o-recv 3 --clock virtual -L 6.3333
json '.[0] | (.o_send_ns == 7000 and .o_recv_ns == 20000 and .predicted_ns == 87000 and .ratio == 1)' \
    run broadcast -P 2 --o-send 7us --clock virtual
json '.[0] | (.reps == 3 and .verified)' run barrier --reps 3 --warmup 2 --clock virtual

json 'length > 5 and all(.[]; .verified and .ratio == 1 and .executor == "fiber")' \
    run broadcast --algo all --clock virtual --executor fiber
json '.[0] | (.verified and .ratio == 1 and .predicted_ns == 1500000 and .messages == 491520)' \
    run barrier --clock virtual --executor fiber -P 32768 --algo dissemination
json '.[0] | (.verified and .ratio == 1 and .messages == 240)' \
    run alltoall --algo linear --clock virtual --executor fiber -P 16
# auto is the best of all, with its k; what it does not compare is named
json '.[0] | (.algorithm == "dissemination-k" and .k == 5 and .predicted_ns == 1160000)' \
    predict barrier -P 5 -L 100 -o 2 -g 4
json '.[0] | (.algorithm == "dissemination-k" and .k == 3 and .predicted_ns == 620000)' \
    predict barrier --gap shared -P 64
json '.[0] | (.algorithm == "optimal" and .predicted_ns == 500000)' predict gather --gap shared -P 64
logp predict alltoall -P 2000 -L 100000 -o 1 -g 0 --gap shared
stderr_has 'not compared: linear'
logp predict alltoall -P 2000 --gap shared --algo pairwise
stderr_has 'more than 2097152 messages or 65536 processors: pairwise; --by schedule has no such limits'
# a delay model from outside: 5 ns to everyone, whatever the parameters
json '.[0] | (.verified and .predicted_ns == 5 and .emulated_ns.median == 5 and .ratio == 1 and
      .prediction_by == "schedule")' \
    run broadcast --algo flat --clock virtual --plugin "$plugin"

# operands that no host has
for words in 'transpose --rows 2147483648' 'reduce --count 1099511627776' \
    'summation --count 1099511627776 -P 1000000 --executor fiber' 'broadcast --bytes 1099511627776'; do
    # shellcheck disable=SC2086
    logp run $words --clock virtual
    [ $code -eq 1 ] || fail "run $words: exit code $code"
    stderr_has ': no memory'
done
# nor what a group of processes may not have
memory() { QUOTA=max MEMORY=$1 LD_PRELOAD=$feign logp run broadcast -P 1 --bytes 67108864 --clock virtual; }
memory 67108863
[ $code -eq 1 ] || fail "more than the group has: exit code $code"
stderr_has ': no memory'
for limit in 10000000000000000 max; do
    memory $limit
    [ $code -eq 0 ] || fail "what the group has ($limit): exit code $code: $(cat "$dir/all")"
done

# beyond the clock there is no prediction, and a run ends
json '.[0].predicted_ns == null' predict reduce -P 2 --gamma 1000s --count 100000000
logp run broadcast --clock virtual --executor fiber -L 900000s --algo chain -P 100000
[ $code -eq 1 ] || fail "beyond the clock: exit code $code"
grep -q 'deadlock' "$dir/err" && fail "beyond the clock: $(cat "$dir/err")"

# same seed, same bytes
"$logp" run broadcast -P 4 --algo all --clock virtual --format json >"$dir/a"
"$logp" run broadcast -P 4 --algo all --clock virtual --format json >"$dir/b"
cmp -s "$dir/a" "$dir/b" || fail "two virtual runs differ"

# a time, a number: how they are written
json '.[0] | (.L_ns == 1500 and .o_send_ns == 250 and .g_ns == 2000000 and .G_ns_per_byte == 0.001)' \
    predict broadcast -L 1.5us -o 250ns -g 2ms -G 1ps
json '.[0] | (.L_ns == 1000000000 and .o_send_ns == 10000000000)' predict broadcast -L 1s -o 10 --unit 1s

while read -r written P; do
    json ".[0].P == $P" predict broadcast -P "$written"
done <<'END'
2^10 1024
1e6 1000000
1.6e1 16
1.60e1 16
1.250e2 125
3^4 81
0^0 1
1^99999 1
2^61 2305843009213693952
4k 4096
4K 4096
64Ki 65536
1.5M 1572864
2G 2147483648
1Ti 1099511627776
END
while read -r written bytes; do
    json ".[0].bytes == $bytes" predict broadcast --bytes "$written"
done <<'END'
4k 4096
4KiB 4096
4kB 4000
4KB 4000
12B 12
1.5MiB 1572864
1.5MB 1500000
2^20 1048576
END
json '.[0] | (.L_ns == 1000000 and .o_send_ns == 25 and .reps == 3000 and .seed == 1000000000000 and .count == 2048)' \
    run reduce -L 1e2 -o 2.5e1ns --clock virtual --executor fiber --reps 3e3 --seed 1e12 --count 2Ki

# what runs on no eight processors runs on more, unless somebody says eight
json '.[0] | (.P == 9 and .verified)' run matvec --clock virtual
json '.[0].P == 9' predict matvec --algo doubling
expect='matvec P 8 square' bad run matvec -P 8
case $(<"$dir/err") in *--algo*) fail "nobody said --algo: $(cat "$dir/err")" ;; esac
LOGP_P=8 expect="matvec LOGP_P '8' square" bad predict matvec
json 'length == 1 and .[0].P == 8' predict transpose --algo butterfly

# a queue that holds little: what can never fit is refused, what fits goes on
logp run broadcast --clock virtual --queue-limit 2000 --bytes 5000 --algo chain
[ $code -eq 1 ] || fail "a message beyond the limit: exit code $code"
grep -q 'logp_try_send of rank 0: the message is larger than ' "$dir/all" || fail "a message beyond the limit: $(cat "$dir/all")"
json '.[0].verified' run broadcast --clock virtual --queue-limit 20000 --bytes 5000 --algo chain
finish

# sends that wait for their receivers
json '.[0] | (.rendezvous == 0 and .prediction == "exact" and .prediction_by == "schedule" and
      .predicted_ns == 240000 and .emulated_ns.median == 240000)' \
    run broadcast -P 2 --rendezvous 0 --clock virtual
json '.[0] | (.rendezvous == 8 and .predicted_ns == 100000)' run broadcast -P 2 --rendezvous 8 --clock virtual
json '.[0].rendezvous == null' run broadcast -P 2 --clock virtual
LOGP_RENDEZVOUS=1Ki json '.[0].rendezvous == 1024' predict broadcast
json 'all(.verified)' run barrier --algo all --rendezvous 0 --delay none --reps 3
expect='--rendezvous x none bytes' bad run broadcast --rendezvous x
expect='--rendezvous none waits' bad run broadcast --rendezvous 0 --explain
expect='--rendezvous none receiver' bad tree broadcast --rendezvous 0
printf '%s' '{"P":2,"ranks":[[{"op":"send","peer":1,"bytes":8,"tag":0},{"op":"send","peer":1,"bytes":8,"tag":1}],
[{"op":"recv","peer":0,"bytes":8,"tag":1},{"op":"recv","peer":0,"bytes":8,"tag":0}]]}' >"$dir/buffers.json"
json '.[0].prediction == "none"' predict --schedule "$dir/buffers.json" --rendezvous 7
json '.[0].prediction == "exact"' predict --schedule "$dir/buffers.json" --rendezvous 8
