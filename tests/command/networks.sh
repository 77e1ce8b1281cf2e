#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Topologies, delay models, machines.
. "$(dirname "$0")/support.sh"

json 'map(.name) == ["none","logp","loggp","store-forward","varying","loggops"]' list delays
json 'map(.name) == ["ncube2","cm5","dash","jmachine","monsoon"]' list machines
json 'map(.name) == ["line","ring","mesh","torus","hypercube","tree","fat-tree","dragonfly"]' list topologies
json '.[0] | (.topology == "line" and .ratio == 1 and .verified and
      .prediction == "exact" and .link_most == 4 and .link_wait_ns == 0 and
      .predicted_ns == 1060000 and .textbook_ns == 400000)' \
    run broadcast --clock virtual -P 16 --topology line --algo binomial
json '.[0] | (.algorithm == "knomial" and .k == 3 and .ratio == 1 and .predicted_ns == 1040000)' \
    run broadcast --clock virtual -P 16 --topology line
json '.[0] | (.prediction == "exact" and .ratio == 1 and .predicted_ns == 1500000 and .verified and .link_most == 8 and
      .link_wait_ns > 0 and .textbook_ns == null)' \
    run broadcast --clock virtual -P 16 --topology line --algo binomial-nearest
one_run='.[0] | (.link_most == 8 and .link_wait_ns == 2080000)'
json "$one_run" run broadcast --clock virtual -P 16 --topology line --algo binomial-nearest
json "$one_run" run broadcast --clock virtual -P 16 --topology line --algo binomial-nearest --reps 3
json "$one_run" run broadcast --clock virtual -P 16 --topology line --algo binomial-nearest --warmup 2
json '.[0] | (.ratio == 1 and .textbook_ns == .predicted_ns and .topology == null and
      .link_most == null)' run broadcast --clock virtual --algo binomial
json '.[0] | (.verified and .topology == "torus:2x3" and .link_most > 0)' \
    run reduce -P 6 --topology torus:2x3 --reps 2 --warmup 0 --unit 1us --executor fiber
json '.[0] | (.prediction == "exact" and .predicted_ns == 1360000)' \
    predict broadcast --topology tree -P 16 --algo binomial
json '.[0] | (.verified and .ratio == 1 and .predicted_ns == 430000 and .messages == 24)' \
    run matvec --algo doubling --clock virtual -P 16 --gamma 1
json '.[0].G_ns_per_byte == 0.08' predict broadcast -G 12.5GB/s
json '.[0].G_ns_per_byte == 1000' predict broadcast -G 1MB/s
json '.[0].predicted_ns == 1098890' predict broadcast --algo binomial -P 2 --bytes 100000 --nodes 2x1 --inter G=91MB/s,L=0,o=0,g=0
expect='-G 10GB rate 10GB/s' bad predict broadcast -G 10GB
expect='-G 0GB/s rate' bad predict broadcast -G 0GB/s
expect='-G 9999TB/s rate' bad predict broadcast -G 9999TB/s
json '.[0] | (.algorithm == "opposite" and .verified and .ratio == 1 and .predicted_ns == 310000)' \
    run matvec --clock virtual -P 16 --gamma 1
json 'length == 2 and all(.[]; .verified and .prediction == "exact" and .ratio == 1) and
      .[0].topology == "torus:4x6"' \
    run broadcast --algo torus,torus-pipelined -P 24 --topology torus:4x6 --bytes 100 --clock virtual
json '.[0] | (.verified and .algorithm == "mesh" and .prediction == "exact" and .ratio == 1)' \
    run reduce --algo mesh -P 24 --topology mesh:2x3x4 --clock virtual --executor fiber
# latencies that vary: a bound, other times for another seed, the same for the same
for seed in 1 2 1; do
    json '.[0] | (.verified and .delay == "varying" and .prediction == "bound" and .ratio < 1 and
          .predicted_ns == 700000 and .emulated_ns.min < .emulated_ns.max)' \
        run broadcast --algo chain --delay varying --clock virtual --reps 9 --seed $seed
    "$logp" run broadcast --algo chain --delay varying --clock virtual --reps 9 --seed $seed --format json |
        jq -c '.[0].emulated_ns' >>"$dir/seeds"
done
[ "$(sed -n 1p "$dir/seeds")" = "$(sed -n 3p "$dir/seeds")" ] || fail "one seed, two times"
[ "$(sed -n 1p "$dir/seeds")" != "$(sed -n 2p "$dir/seeds")" ] || fail "two seeds, one time"
json '.[0] | (.predicted_ns == 280000 and .prediction == "bound")' predict broadcast --delay varying -P 9 --algo torus
json '.[] | select(.name == "varying") | (.summary | test("seed"))' list delays
logp run broadcast --topology mesh:2x4 --algo all --clock virtual
grep -q 'delay logp on mesh:2x4' "$dir/out" || fail "heading: $(cat "$dir/out")"
grep -q 'Use of the 20 links' "$dir/out" || fail "links: $(cat "$dir/out")"
says 'chain 1 1 1 1 1 1 1 1 1 1 1 1 ... 0 -> 1 1 0.000' run broadcast --clock virtual -P 16 --topology ring --algo chain
says 'linear - 0 -> 1 6 6960.000' run alltoall --algo linear --clock virtual -P 6 --topology ring

# a torus, a machine as preset, blocks: what is given apart wins
json '.[0] | (.verified and .ratio == 1 and .prediction == "exact" and .machine == "dash" and
      .delay == "store-forward" and .L_ns == 60 and .o_send_ns == 450 and .o_recv_ns == 450 and
      .g_ns == 1200 and .G_ns_per_byte == 15 and .block == null and .predicted_ns == 76800)' \
    run broadcast --algo torus -P 256 --machine dash --bytes 128 --work 1024 --clock virtual --executor fiber
json 'length > 5 and all(.[]; .verified and .ratio == 1 and .prediction == "exact")' \
    run broadcast --algo all -P 16 --machine monsoon --bytes 1000 --work 500 --root 6 --clock virtual
json '.[0] | (.verified and .ratio == 1 and .block == 32 and .messages == 60 and .machine == null)' \
    run broadcast --algo torus-pipelined -P 16 --bytes 100 --block 32 --overlap off --clock virtual
json '.[0] | (.block > 0 and .block < 128)' \
    predict broadcast --algo torus-pipelined -P 256 --machine dash --bytes 128 --work 1024
json '.[0] | (.L_ns == 60 and .g_ns == 7000 and .delay == "loggp" and .machine == "dash")' \
    predict broadcast --machine dash -g 7 --unit 1us --delay loggp
json '.[0] | (.delay == "store-forward" and .machine == null and .predicted_ns == 100008)' \
    predict broadcast -P 2 -G 1ns --delay store-forward
LOGP_L=9us LOGP_UNIT=1ms json '.[0] | .L_ns == 60 and .o_send_ns == 60' \
    predict broadcast --machine dash -o 2
# ... the kind of the model too: what a store-forward model finds the best is asked of it alone
for delay in store-forward:matched loggp:circulant none:circulant; do
    json ".[0] | .machine == \"dash\" and [.delay, .algorithm] == (\"$delay\" / \":\")" \
        predict broadcast -P 8 --machine dash --bytes 1000 --delay "${delay%:*}"
done
LOGP_MACHINE=dash LOGP_L=9us json '.[0] | .machine == "dash" and .L_ns == 9000 and .g_ns == 1200' \
    predict broadcast

expect='--algo torus n' bad run broadcast --algo torus
expect='--machine cray ncube2 monsoon' bad run broadcast --machine cray
expect='--block 0' bad run broadcast --block 0
expect='--overlap maybe on off' bad run broadcast --overlap maybe
expect='--work -1' bad run broadcast --work -1
expect='--delay slow loggp store-forward' bad run broadcast --delay slow
expect='--gap wide separate shared' bad run broadcast --gap wide
expect='--topology star line ring mesh torus hypercube tree' bad run broadcast --topology star
expect='--topology mesh:3x3 product P = 8' bad run broadcast --topology mesh:3x3
expect='--topology mesh:3 product' bad run broadcast --topology mesh:3
expect='--topology mesh:2xx3 sizes :2x4 P = 8' bad run broadcast --topology mesh:2xx3
expect='--topology varying' bad run broadcast --topology ring --delay varying
expect='--delay variable loggp varying' bad run broadcast --delay variable
expect='--topology hypercube power P = 6' bad predict broadcast -P 6 --topology hypercube
expect='--topology none' bad run broadcast --topology ring --delay none
expect='--plugin --topology' bad run broadcast --topology ring --plugin "$plugin"
expect='matvec square' bad run matvec -P 8
expect='matvec square' bad run matvec -P 8 --algo all
finish
