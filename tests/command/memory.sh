#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command on a host without memory: requests are refused one by one (refuse.c). It says the same
# as ever, or that there was no memory, and ends. Of each command line some requests are looked at;
# all of them with REFUSE_MOST=0. usage: memory.sh LOGP REFUSE CORPUS [LINES, a regular expression]
set -u
most=${REFUSE_MOST-30}
unset "${!LOGP_@}" REFUSE
export LOGP_TEST_REGISTRY= # no other runs
export REFUSE_MOST=$most
logp=$(realpath "$1") refuse=$(realpath "$2") corpus=$(realpath "$3") lines=${4-.} failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
goal=$(cd "$(dirname "$0")/../goal" && pwd)
cd "$dir" || exit 1

without_each() {
    [[ "$*" =~ $lines ]] || return
    LD_PRELOAD=$refuse "$logp" "$@" >"$dir/found" 2>&1 || {
        echo "FAILED: logp $*: $(cat "$dir/found")"
        failed=1
    }
}

printf 'L = 1300ns\no = 210ns\ng = 0.4us\nG = 0.08ns\nnodes = *x4\ninter = L=12us,g=2us\n' >machine
"$logp" schedule broadcast -P 4 --format json >steps.json
"$logp" schedule broadcast -P 4 --format goal >steps.goal
"$logp" bench broadcast -P 2,4 --algo flat,binomial --clock virtual --format csv >records.csv
"$logp" bench broadcast -P 2,4 --algo flat,binomial --clock virtual --format json >records.json
cp "$corpus/replay/one" replay

# ---- what is said is the same each time ----
run=(--clock virtual --executor fiber)
without_each list
without_each list algorithms --format json
without_each list machines --format csv
without_each completion bash
without_each manual
without_each run reduce -P 4 "${run[@]}" --algo kchain,binomial --count 3
without_each run broadcast -P 4 "${run[@]}" --algo binomial --format json
without_each run broadcast -P 4 "${run[@]}" --algo binomial --explain
without_each run broadcast -P 4 "${run[@]}" --algo binomial --topology mesh:2x2 --format json
without_each run broadcast -P 4 "${run[@]}" --algo binomial --topology mesh:2x2
without_each run reduce -P 4 "${run[@]}" --algo all --noise uniform:1us --format csv
without_each run broadcast -P 4 "${run[@]}" --algo flat --fault delay:3
without_each run broadcast -P 4 "${run[@]}" --algo flat --fault slow:2 --noise fixed:1us
without_each run broadcast -P 4 "${run[@]}" --algo flat --nodes 2x2 --inter L=20
without_each run broadcast -P 4 "${run[@]}" --algo flat --link 0-1:L=9
without_each run broadcast -P 4 "${run[@]}" --algo flat --rendezvous 0
without_each run scatter -P 4 "${run[@]}" --counts 1,2,3 --algo flat
without_each run --schedule steps.json "${run[@]}"
without_each run --schedule steps.goal "${run[@]}"
without_each watch barrier -P 4 "${run[@]}"
without_each predict broadcast --algo flat,binomial --format json
without_each predict broadcast -P 8 --algo all --machine machine
without_each predict broadcast -P 8 --algo all --nodes 2x4 --inter L=20
without_each predict allreduce -P 8 --algo all --link '0-*:L=9'
without_each predict alltoall -P 8 --algo all --gap shared
without_each predict broadcast -P 8 --algo all --topology torus:2x2x2
without_each predict reduce -P 8 --algo all --topology mesh:2x4 --count 4
without_each predict allreduce -P 8 --algo all --capacity --by schedule
without_each predict reduce -P 8 --algo all --noise tick:1ms:1us
without_each predict broadcast -P 8 --algo all --fault slow:2
without_each predict gather -P 8 --algo all --counts 1,2,3
without_each predict transpose -P 4 --rows 5 --cols 7 --algo all
without_each predict summation -P 8 --algo all
without_each predict allreduce -P 4 --explain --algo all --format json
without_each predict broadcast -P 4 --explain --algo binomial
without_each predict broadcast -P 4 --topology ring --algo binomial
without_each predict --schedule steps.goal
without_each schedule broadcast -P 4 --format json
without_each schedule allreduce -P 4 --format goal
without_each schedule reduce -P 4
without_each tree broadcast -P 4 --format svg
without_each tree broadcast -P 4 --format json
without_each tree summation -P 4
without_each tree reduce -P 4 --algo binomial
without_each tune broadcast -P 2 --bytes 8 --export openmpi
without_each tune allreduce -P 2,4 --bytes 8..64
without_each tune broadcast -P 2 --bytes 8 --export mpich
without_each predict --schedule "$goal/receive_first.goal"
without_each run --schedule "$goal/receive_first.goal" "${run[@]}"
without_each trace broadcast -P 4 --clock virtual
without_each trace broadcast -P 4 --clock virtual --format svg
without_each trace broadcast -P 4 --clock virtual --format json
without_each trace broadcast -P 4 --clock virtual --format perfetto
without_each trace broadcast -P 4 --clock virtual --format goal
without_each bench broadcast -P 2,3 "${run[@]}" --algo flat,chain --format json
without_each bench broadcast -P 2,3 "${run[@]}" --algo flat,chain --format csv
without_each bench broadcast -P 2,3 "${run[@]}" --algo flat,chain
without_each bench crossover broadcast -P 4 -G 0.01 --bytes 8..32*2 --algo flat,chain
without_each measure "${run[@]}" -P 2 --bytes 1..8 --format json
without_each measure "${run[@]}" -P 2 --bytes 1..8 --format machine
without_each paper shou-chen "${run[@]}"
without_each plot records.csv
without_each plot records.json
without_each plot broadcast -P 2,4 "${run[@]}" --algo flat
# ---- times of the host, and what a page says of it ----
export REFUSE=roughly
without_each report page.html broadcast -P 4 "${run[@]}" --algo flat,binomial
without_each run broadcast -P 2 --executor fiber --reps 2 --algo flat
without_each validate barrier --executor fiber -P 2 --machine machine --reps 2 --disturbed-by 10s
exit $failed
