#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command on a host without memory: each request refused in its turn (refuse.c). It says the same
# as ever, or that there was no memory, and ends. usage: memory.sh LOGP REFUSE
set -u
unset "${!LOGP_@}" REFUSE
logp=$1 refuse=$2 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

without_each() {
    LD_PRELOAD=$refuse "$logp" "$@" >"$dir/found" 2>&1 || {
        echo "FAILED: logp $*: $(cat "$dir/found")"
        failed=1
    }
}

run=(--clock virtual --executor fiber)
without_each list
without_each run reduce -P 4 "${run[@]}" --algo kchain,binomial --count 3
without_each run broadcast -P 4 "${run[@]}" --algo binomial --format json
without_each bench broadcast -P 2,3 "${run[@]}" --algo flat,chain --format json
without_each bench broadcast -P 2,3 "${run[@]}" --algo flat,chain --format csv
without_each predict broadcast --algo flat,binomial --format json
without_each schedule broadcast -P 4 --format json
without_each tree broadcast -P 4 --format svg
without_each tree reduce -P 4 --algo binomial
without_each tune broadcast -P 2 --bytes 8 --export openmpi
without_each completion bash
"$logp" schedule broadcast -P 4 --format json >"$dir/steps.json"
"$logp" schedule broadcast -P 4 --format goal >"$dir/steps.goal"
goal=$(cd "$(dirname "$0")/../goal" && pwd)
export REFUSE=roughly
without_each predict --schedule "$goal/receive_first.goal"
without_each run --schedule "$goal/receive_first.goal" "${run[@]}"
without_each run --schedule "$dir/steps.json" "${run[@]}"
without_each run --schedule "$dir/steps.goal" "${run[@]}"
without_each predict allreduce -P 4 --explain --algo all --format json
without_each run broadcast -P 4 "${run[@]}" --topology mesh:2x2 --format json
without_each trace broadcast -P 4 --clock virtual
without_each trace broadcast -P 4 --clock virtual --format json
without_each trace broadcast -P 4 --clock virtual --format perfetto
without_each bench crossover broadcast -P 4 -G 0.01 --bytes 8..32*2 --algo flat,chain
exit $failed
