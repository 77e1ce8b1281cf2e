#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program of the tests, as so many processes of this kind of MPI.
# usage: tests/processes.sh openmpi|mpich N COMMAND...
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
err=$(mktemp)
trap 'rm -f "$err"' EXIT
code=0
timeout --foreground 280 "${run[@]}" -n "$n" "$@" </dev/null 2>"$err" || code=$?
cat "$err" >&2
! grep -qE '^ +#[0-9]+ .* in (lpi|logp)_' "$err" || code=1
exit "$code"
