#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A run that ends the process: its replay file and report are there, the process ends as it would have,
# and the file shows the same end again.
. "$(dirname "$0")/support.sh"
here=$(cd "$(dirname "$0")" && pwd)
program=$(dirname "$plugin")/crashes
library=$(cd "$(dirname "$plugin")/.." && pwd)

# ended STATUS NAME PROGRAM KIND...: the process ends by that status, and says so in its report
ended() {
    local status=$1 what=$2 file
    shift 2
    rm -rf "$dir/left"
    cd "$(dirname "$1")" || exit 1 # replay starts what lies there
    LOGP_REPLAY_DIR=$dir/left "$@" >"$dir/out" 2>"$dir/all"
    code=$?
    [ $code -eq "$status" ] || fail "$*: status $code: $(cat "$dir/all")"
    grep -qx "crash failed with P = 6: $what" "$dir/all" || fail "$*: no '$what' in: $(cat "$dir/all")"
    sed '1,/^made smaller:$/d' "$dir/all" >"$dir/smaller"
    [[ $(head -n 1 "$dir/smaller") == "crash failed with P = 3: "* ]] || fail "$*: not smaller: $(cat "$dir/all")"
    grep -Eqx '  [14]: rank 2 takes the message of rank 1 \(default: rank 2 takes the message of rank 0\)' "$dir/smaller" ||
        fail "$*: not smaller: $(cat "$dir/all")"
    grep -qE '^run [0-9]+, seed [0-9]+; of [0-9]+ choices? [0-9]+ differs? from the default order$' "$dir/all" ||
        fail "$*: no run in: $(cat "$dir/all")"
    [ "$(find "$dir/left" -type f | wc -l)" -eq 1 ] || fail "$*: $(ls "$dir/left")"
    [ ! -s "$dir/out" ] || fail "$*: it went on: $(cat "$dir/out")"
    file=$(sed -n 's/^to repeat it: logp replay //p' "$dir/all" | tail -n 1)
    [ -s "$file" ] || fail "$*: no replay file '$file' in: $(cat "$dir/all")"
    logp replay "$file"
    [ $code -eq 1 ] || fail "$*: replay: status $code: $(cat "$dir/all")"
    grep -qx "crash failed with P = 3: $what" "$dir/out" || fail "$*: replay: $(cat "$dir/out" "$dir/all")"
    diff <(sed 1d "$dir/smaller") <(sed 1d "$dir/out") || fail "$*: replay: another text"
    grep -v '^logp: .*: starts in ' "$dir/err" | grep -q '^logp: ' && ! grep -q '^logp: .*ended by a signal\|^logp: rank .*stack' "$dir/err" &&
        fail "$*: replay said: $(cat "$dir/err")"
    MENDED=1 logp replay "$file"
    [ $code -eq 0 ] || fail "$*: mended: status $code: $(cat "$dir/all")"
}

for executor in fiber thread; do
    ended 139 'rank 2 crashed (SIGSEGV)' "$program" segv $executor
    ended 134 'rank 2 crashed (SIGABRT)' "$program" assert $executor
    ended 134 'rank 2 crashed (SIGABRT)' "$program" abort $executor
    ended 136 'rank 2 crashed (SIGFPE)' "$program" fpe $executor
    ended 132 'rank 2 crashed (SIGILL)' "$program" ill $executor
    ended 135 'rank 2 crashed (SIGBUS)' "$program" bus $executor
    ended 139 'rank 2 crashed (SIGSEGV)' "$program" stack $executor
    ended 139 'a thread of the program crashed (SIGSEGV)' "$program" thread $executor
    ended 1 'rank 2 called exit()' "$program" exit $executor
    ended 1 'rank 2 called exit()' "$program" quick_exit $executor
    ended 1 'a function of the check called exit()' "$program" after $executor
done
ended 139 'rank 2 crashed (SIGSEGV)' "$program" segv fiber exhaustive
export LOGP_CHECK_CORES=2 # the process that the user started ends as the child did
ended 139 'rank 2 crashed (SIGSEGV)' "$program" segv fiber
ended 134 'rank 2 crashed (SIGABRT)' "$program" abort thread
ended 1 'rank 2 called exit()' "$program" exit fiber
ended 1 'a function of the check called exit()' "$program" after fiber
unset LOGP_CHECK_CORES
if command -v c++ >/dev/null; then
    # clang and gcc; shellcheck disable=SC2054
    c++ -x c++ -I"$here/../../include" -o "$dir/thrown" "$here/crashes.c" -L"$library" -llogp \
        -Wl,-rpath,"$library" -pthread || fail 'the program as C++'
    ended 134 'rank 2 crashed (SIGABRT)' "$dir/thrown" throw fiber
    ended 134 'rank 2 crashed (SIGABRT)' "$dir/thrown" throw thread
fi

# a crash in malloc, which may keep its lock
ended 134 'rank 2 crashed (SIGABRT)' "$program" free fiber

# a crash that depends on something else than the choices
LOGP_REPLAY_DIR=$dir/left "$program" here fiber 2>"$dir/all"
code=$?
[ $code -eq 134 ] || fail "here: status $code"
grep -q '^The same choices did not end a child process: the program depends on something else' "$dir/all" ||
    fail "here: $(cat "$dir/all")"

# the program's own handler comes next
LOGP_REPLAY_DIR=$dir/left HANDLER=1 "$program" segv fiber >"$dir/out" 2>"$dir/all"
code=$?
[ $code -eq 77 ] || fail "a handler: status $code"
grep -q "^the program's own$" "$dir/out" || fail "a handler: $(cat "$dir/out")"
grep -q '^to repeat it' "$dir/all" || fail "a handler: $(cat "$dir/all")"
# nothing is wrong with a child that ends
LOGP_REPLAY_DIR=$dir/left "$program" child fiber >"$dir/out" 2>"$dir/all"
[ "$(<"$dir/out")" = 'ends with 0' ] || fail "a child: $(cat "$dir/out" "$dir/all")"
[ ! -s "$dir/all" ] || fail "a child: $(cat "$dir/all")"
# a file that cannot be written
LOGP_REPLAY_DIR=$dir/none/left "$program" segv fiber 2>"$dir/all" && fail 'no folder: it ends well'
grep -q "^its replay could not be written to $dir/none/left" "$dir/all" || fail "no folder: $(cat "$dir/all")"
"$program" segv fiber 2>"$dir/all" && fail 'without a folder: it ends well'
grep -q '^to repeat it: LOGP_CHECK_SEED=[0-9]* LOGP_CHECK_RUNS=[0-9]* in the environment; LOGP_REPLAY_DIR=DIR keeps a replay$' "$dir/all" || fail "without: $(cat "$dir/all")"
finish
