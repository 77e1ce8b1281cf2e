#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program of the tests, as so many processes of this kind of MPI.
# usage: tests/mpi/processes.sh openmpi|mpich N COMMAND...
set -euo pipefail
kind=$1 n=$2
shift 2
export LOGP_TEST_TRANSPORT=mpi:$kind
run=(mpirun."$kind")
command -v "${run[0]}" >/dev/null || run=(mpirun)
if [ "$kind" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    run+=(--oversubscribe)
fi
# Of leaks (sanitizer builds) only the library's own count: an MPI keeps much until the end, and
# unloads what could be named before.
export LSAN_OPTIONS=exitcode=0
# Under ThreadSanitizer: no hooks of UCX's, which run in threads that have ended for it, and nothing
# of the order in which an MPI takes its locks.
export UCX_MEM_EVENTS=n TSAN_OPTIONS=detect_deadlocks=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
code=0
# Each process notes its exit code: mpirun may end with 0 although a process has died.
# shellcheck disable=SC2016
timeout --foreground 280 "${run[@]}" -n "$n" bash -c '"$@"; code=$?; echo $code >>"$0"; exit $code' "$dir/codes" "$@" \
    </dev/null 2>"$dir/err" || code=$?
cat "$dir/err" >&2
! grep -qE '^ +#[0-9]+ .* in (lpi|logp)_' "$dir/err" || code=1
if [ "$code" -eq 0 ] && [ "$(grep -cx 0 "$dir/codes")" -ne "$n" ]; then
    echo "not all of the $n processes ended with 0" >&2
    code=1
fi
exit "$code"
