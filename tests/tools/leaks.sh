#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command loses no memory: under valgrind, what it does not free it can still reach (as what the
# options say, kept until it ends). usage: leaks.sh VALGRIND LOGP
set -u
valgrind=$1
logp=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset "${!LOGP_@}"
export LOGP_TEST_REGISTRY= # no other runs

keeps() {
    "$valgrind" --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect --error-exitcode=9 \
        "$logp" "$@" >"$dir/out" 2>"$dir/err" || {
        echo "FAILED: logp $*: $(cat "$dir/err")"
        failed=1
    }
}

run=(--clock virtual --executor fiber)
keeps run broadcast -P 16 --algo all --topology mesh:4x4 "${run[@]}"
keeps run reduce --algo kchain-opt,binomial,kchain --k 2 --count 3 "${run[@]}"
keeps run summation --algo all "${run[@]}"
keeps run transpose --algo all --rows 16 --cols 24 "${run[@]}"
keeps run reduce --algo binomial,kchain --explain "${run[@]}"
keeps predict allreduce --explain --algo all --format json
keeps explain broadcast optimal binomial --format html
keeps explain allreduce ring recursive-doubling --format json
keeps bench barrier -P 2,4 "${run[@]}" --save "$dir/saved.json"
keeps bench barrier -P 2,4,5 "${run[@]}" --against "$dir/saved.json" --format latex --ranks
keeps tree broadcast
keeps tree reduce --algo binomial
keeps tree scatter --algo knomial --format svg
keeps predict reduce --algo all --format json
keeps list
keeps bench broadcast -P 4,8 --topology ring,hypercube --algo flat,chain "${run[@]}" --output "$dir/x.csv"
keeps bench broadcast -P 4,8 --topology ring,hypercube --algo flat,chain "${run[@]}" --output "$dir/x.json"
keeps bench broadcast -P 4,8 --topology ring,hypercube --algo flat,chain "${run[@]}" --output "$dir/x.json"
keeps bench crossover broadcast -P 4,8 -G 0.01 --bytes 8..1Ki*8 --measure "${run[@]}"
keeps report "$dir/x.html" broadcast -P 4,8 --algo flat,optimal "${run[@]}"
keeps tune allreduce -P 2,8 --export openmpi
keeps tune -P 4 --bytes 1..1Ki --export mpich
keeps tune -P 4 --nodes 2x2 --inter L=20us,g=9us --bytes 1..64 --export openmpi-han
"$logp" schedule broadcast -P 4 --format goal >"$dir/x.goal"
"$logp" schedule reduce -P 4 --format json >"$dir/x.json"
keeps run --schedule "$dir/x.goal" "${run[@]}"
keeps predict --schedule "$dir/x.json"
keeps paper grama --clock virtual
keeps paper shou-chen --clock virtual
[ $failed -eq 0 ] && echo "all good"
exit $failed
