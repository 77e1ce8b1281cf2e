#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What logp schedule --format mpi-c writes compiles without a warning, runs with the MPI libraries of this machine, and
# each rank has its result; where the program is made wrong, it says so.
#     schedule_mpi.sh LOGP
# Exit code 77: neither Open MPI nor MPICH runs here.
set -u
unset "${!LOGP_@}"
export LOGP_TEST_REGISTRY= # no other runs
logp=$1
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

declare -A start=([openmpi]='mpirun.openmpi --allow-run-as-root --oversubscribe' [mpich]=mpirun.mpich)
libraries=
for library in openmpi mpich; do
    # shellcheck disable=SC2086
    { command -v mpicc.$library && ${start[$library]} -n 2 true; } >/dev/null 2>&1 && libraries="$libraries $library"
done
[ -n "$libraries" ] || { echo 'skipped: neither Open MPI nor MPICH runs here'; exit 77; }

# made NAME WORDS...: the program of a schedule, compiled by each library
made() {
    local name=$1 library
    shift
    "$logp" schedule "$@" --output "$name.c" >/dev/null || fail "logp schedule $*"
    for library in $libraries; do
        mpicc.$library -std=c11 -Wall -Wextra -Werror -O1 "$name.c" -o "$name.$library" || fail "$library: $*"
    done
}

# each NAME P WORDS: that program with each library; it exits with $1 = 0 and says WORDS
each() {
    local name=$1 P=$2 library said
    for library in $libraries; do
        # shellcheck disable=SC2086
        said=$(timeout 120 ${start[$library]} -n "$P" "./$name.$library" 2 2>&1)
        [[ $said == *"$3"* ]] || fail "$library $name: $said"
    done
}

for words in 'broadcast --algo optimal --bytes 40' 'broadcast --algo scatter-allgather --bytes 41 --root 2' \
    'reduce --algo chain-pipelined --count 30 --op max --type float' 'reduce --algo rabenseifner --count 30 --type int32' \
    'allreduce --algo ring --count 30 --op prod' 'allreduce --algo recursive-doubling --count 3 --op min --type int64' \
    'reduce-scatter --count 3' 'scan --count 3' 'exscan --count 3' 'scatter --bytes 9' 'gather --bytes 9' \
    'allgather --algo bruck --bytes 9' 'alltoall --algo bruck --bytes 9' 'alltoall --counts 3,0,9' barrier \
    'transpose --rows 7 --cols 9' summation; do
    # shellcheck disable=SC2086
    made program $words -P 5
    each program 5 verified
done

# 1 MiB in both directions at once: no send waits for its receiver
made large alltoall --algo linear --bytes 1Mi -P 3
each large 3 verified

# a schedule from a file
"$logp" schedule allreduce -P 4 --output steps.json >/dev/null
made file --schedule steps.json --as allreduce
each file 4 'allreduce, P = 4: verified; the slowest rank took'
each file 2 'run it with 4 processes, not 2'

# each combination of a step is lost
sed -i 's/at\[i\] = combine(left\[i\], right\[i\]);/at[i] = left[i];/' file.c
for library in $libraries; do
    mpicc.$library -w file.c -o file.$library || fail "$library: file.c"
done
each file 4 'WRONG'
exit $failed
