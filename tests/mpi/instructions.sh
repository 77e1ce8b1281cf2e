#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions that a call of MPI takes with `logp mpirun`, counted by callgrind: for each rank, switches between ranks
# included, the difference of two runs. A limit is some 15 % above the count without LTO.
# usage: instructions.sh TOOLS_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
command -v valgrind >/dev/null || { echo 'there is no valgrind: skipped' && exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LOGP_CONFIG= NO_COLOR=1
few=500 many=2500 # rounds

"$tools/logp-cc" -Wall -Wextra -Werror -O1 "$here/instructions.c" -o instructions
# callgrind ends at timer_create()
echo 'int timer_create(int a, void *b, void *c) { return (void)a, (void)b, (void)c, -1; }' >no_timer.c
cc -shared -fPIC -O1 no_timer.c -o no_timer.so

# count CHECK CALL ROUNDS: the library is in LD_PRELOAD, and the command does not start itself again for that
count() {
    LOGP_MPIRUN= LD_PRELOAD=$PWD/no_timer.so:$tools/mpi/libmpi_abi.so.1 timeout 200 valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null "$tools/logp" mpirun -q -P 2 --cores 0 --check "$1" ./instructions "$2" "$3" \
        >out 2>&1 || { cat out >&2 && exit 1; }
    sed -En 's/.*Collected : ([0-9]+)$/\1/p' out
}

# CALL, calls of a rank in a round, most instructions of a call with the checks and without
failed=0
while read -r call calls with without; do
    for check in on off; do
        [ $check = on ] && most=$with || most=$without
        taken=$((($(count $check "$call" $many) - $(count $check "$call" $few)) / (many - few) / 2 / calls))
        echo "$call, checks $check: $taken instructions, at most $most"
        if [ "$taken" -gt "$most" ] || [ "$taken" -le 0 ]; then
            failed=1
        fi
    done
done <<'END'
barrier 1 1700 1350
allreduce 1 2500 1900
messages 64 1500 1100
END
exit $failed
