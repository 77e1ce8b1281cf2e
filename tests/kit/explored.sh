#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explored.sh LOGP CC LIB SOURCES INCLUDE...: logp explore: each processor has a copy of the program and of its library.
set -u
logp=$1 cc=$2 lib=$3 sources=$4
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
includes=("${@/#/-I}")
export LOGP_CONFIG= LOGP_CHECK_SMALLEST=0
unset LOGP_REPLAY_DIR LOGP_REPLAY LOGP_CHECK_RUNS LOGP_CHECK_SEED LOGP_CHECK_CONFIRM
fail() { echo "failed: $*" >&2; exit 1; }
# expect CODE TEXT OPTIONS...: explore ends with this code and says this
expect() {
    local code=0
    { timeout 60 "$logp" explore "${@:3}" >out 2>&1; } 2>/dev/null || code=$?
    [ $code -eq "$1" ] || fail "${*:3}: exit code $code in place of $1: $(cat out)"
    grep -qF -- "$2" out || fail "${*:3}: not said: $2: $(cat out)"
}

"$cc" -std=gnu11 -g -O1 -fPIC -shared -o libclocked.so "$sources/clocked.c" || fail 'the library does not compile'
"$cc" -std=gnu11 -g -O1 "${@/#/-I}" -o explored "$sources/explored.c" -L. -lclocked "$lib" \
    -Wl,-rpath,"$PWD" -Wl,-rpath,"$(dirname "$lib")" || fail 'the program does not compile'

# statics are those of a processor and a run, with each strategy
expect 0 'explored: no failure: ' -P 1,3 --runs 50 ./explored
expect 0 'no failure' -P 2 --strategy exhaustive ./explored
expect 0 'no failure' -P 3 --strategy pct --runs 20 -L 6us -o 2us ./explored
expect 0 'executions explored' -P 3 --strategy exhaustive ./explored collect
LOGP_CHECK_CORES=2 expect 0 'no failure' -P 3 --runs 40 ./explored collect

# failures, smaller ones, and replays
expect 1 'first != 2 does not hold: 2 and 2' -P 3,5 --runs 200 ./explored check
grep -q 'of 1 choice 1 differs' out || fail "not smaller: $(cat out)"
grep -q '^rank 2 was first$' out || fail "no output of the run: $(cat out)"
grep -q 'explored.c:[0-9]*, rank 0' out || fail "no line: $(cat out)"
grep -q 'not confirmed\|fresh process' out && fail "not confirmed: $(cat out)"
file=$(ls ./*.replay)
"$logp" replay "$file" >out 2>&1
[ $? -eq 1 ] || fail "not again: $(cat out)"
grep -q 'first != 2 does not hold' out || fail "another failure: $(cat out)"
"$logp" trace --replay "$file" >out 2>&1 || true
grep -q '^P0 ' out || fail "no diagram: $(cat out)"
rm -f ./*.replay
# with two processes as with one: the texts of a condition belong to a copy of the program that one of them has
for strategy in random pct delays exhaustive; do
    LOGP_CHECK_CORES=1 expect 1 'first != 2 does not hold: 2 and 2' -P 3 --strategy $strategy ./explored check
    mv out one
    LOGP_CHECK_CORES=2 expect 1 'first != 2 does not hold: 2 and 2' -P 3 --strategy $strategy ./explored check
    cmp one out || fail "$strategy: with two processes: $(diff one out)"
done
rm -f ./*.replay
expect 1 "assertion \`first != 2' failed on rank 0" -P 3 --runs 200 ./explored assert
grep -q '^  rank 0 in logp_main (explored.c:[0-9]*)' out || fail "no line of assert(): $(cat out)"
expect 1 'explored failed with P = 3: rank 0 ended with exit code 4' -P 3 --runs 200 ./explored exit
grep -qx '  its last line on stderr: about to end' out || fail "no line of the program: $(cat out)"

# a crash is a failure: its line, what its run has printed, the smaller failure, and its replay
line() { grep -nF -- "$1" "$sources/explored.c" | cut -d: -f1; }
# crashes RANK KIND LINE: this rank crashes in a line
crashes() {
    rm -f ./*.replay
    expect 1 "rank $1 crashed ($3), last in logp_main (explored.c:$4)" -P 3 --runs 200 ./explored "$2"
    grep -q '^made smaller:$' out || fail "$2: not smaller: $(cat out)"
    grep -q 'begins 0' out || fail "$2: no output of the run: $(cat out)"
    [ "$(grep -o 'begins 0' out | wc -l)" -eq 1 ] || fail "$2: the output of other runs, too: $(cat out)"
    "$logp" replay ./*.replay >out 2>&1
    [ $? -eq 1 ] || fail "$2: not again: $(cat out)"
    grep -q "^explored failed with P = 3: rank $1 crashed" out || fail "$2: another failure: $(cat out)"
    grep -q "^rank $1 crashed ($3), last in logp_main (explored.c:$4)" out || fail "$2: no line: $(cat out)"
}
fault='Segmentation fault'
crashes 0 crash "$fault" "$(line 'volatile int *)0 = 1;')"       # in a later run
crashes 0 all "$fault" "$(line 'volatile int *)0 = 2;')"         # in the first one, and so would the others
crashes 1 second "$fault" "$(line 'volatile int *)0 = 3;')"      # another rank
crashes 0 signal Aborted "$(line 'raise(SIGABRT)')"
LOGP_CHECK_CORES=2 crashes 0 crash "$fault" "$(line 'volatile int *)0 = 1;')"
rm -f ./*.replay

# what UBSan reports is a failure, as a crash is: of a program, and of a library alone
builds() { echo 'int main(void) { return 0; }' | "$cc" -x c - "$1" -o empty 2>/dev/null && ./empty && ldd empty | grep -q "$2"; }
if builds -fsanitize=undefined libubsan; then
    for how in -fno-sanitize-recover=all ''; do
        # shellcheck disable=SC2086
        "$cc" -std=gnu11 -g -O1 "${includes[@]}" -fsanitize=undefined $how -o undefined "$sources/explored.c" -L. -lclocked "$lib" \
            -Wl,-rpath,"$PWD" -Wl,-rpath,"$(dirname "$lib")" || fail 'UBSan does not compile the program'
        LOGP_CHECK_JUNIT=undefined.xml expect 1 'rank 0 crashed (the report of a sanitizer)' -P 3 --runs 200 ./undefined undefined
        [ "$(grep -c 'runtime error: signed integer overflow' out)" -ge 1 ] || fail "no line of UBSan: $(cat out)"
        grep -q '^undefined failed with P = 3: rank 0 crashed (the report of a sanitizer)' out || fail "no title: $(cat out)"
        grep -q '^made smaller:$' out || fail "not smaller: $(cat out)"
        grep -q '^rank 2 was first$' out || fail "no output of the run: $(cat out)"
        grep -qF "last in logp_main (explored.c:$(line 'most = most + x'))" out || fail "no place: $(cat out)"
        grep -q 'failures="1"' undefined.xml || fail "no failure in the file of JUnit: $(cat undefined.xml)"
        "$logp" replay ./*.replay >out 2>&1
        [ $? -eq 1 ] || fail "UBSan: not again: $(cat out)"
        grep -q '^undefined failed with P = 3: rank 0 crashed (the report of a sanitizer)' out || fail "another failure: $(cat out)"
        rm -f ./*.replay
        expect 0 'no failure' -P 3 --runs 50 ./undefined
    done
    UBSAN_OPTIONS=halt_on_error=0 expect 0 'no failure' -P 3 --runs 50 ./undefined undefined
fi

# other sanitizers do not know copies: one line, and which file is compiled with it
refuses() {
    builds "-fsanitize=$1" "$2" || { echo "no $2 here"; return; }
    "$cc" -std=gnu11 -g -O1 "${includes[@]}" "-fsanitize=$1" -o "with-$1" "$sources/explored.c" -L. -lclocked "$lib" \
        -Wl,-rpath,"$PWD" -Wl,-rpath,"$(dirname "$lib")" || fail "$2 does not compile the program"
    expect 2 "with-$1 is compiled with -fsanitize=$1" "./with-$1"
    [ "$(wc -l <out)" -eq 1 ] || fail "$1: more than a line: $(cat out)"
    mkdir -p "of-$1"
    "$cc" -std=gnu11 -g -O1 -fPIC -shared "-fsanitize=$1" -o "of-$1/libclocked.so" "$sources/clocked.c" || fail "$2 does not compile the library"
    LD_LIBRARY_PATH=$PWD/of-$1 expect 2 "of-$1/libclocked.so is compiled with -fsanitize=$1" ./explored
    [ "$(wc -l <out)" -eq 1 ] || fail "$1: more than a line: $(cat out)"
}
refuses address libasan
refuses thread libtsan
refuses leak liblsan

# numbers are choices of the run
expect 1 'mine == theirs does not hold' -P 2 --runs 200 ./explored rand
expect 0 'no failure' -P 2 --runs 50 ./explored getrandom

# a restart begins with new statics
expect 0 'no failure' -P 2 --runs 200 --faults restarts=1 ./explored restart
expect 1 'kept == 0 does not hold' -P 2 --runs 200 --faults restarts=1 ./explored lost
expect 0 'no failure' -P 2 --runs 200 --faults restarts=1 --fault-places ranks=1 ./explored lost

# wrong input: one line, exit code 2
LOGP_CHECK_CONFIRM=no expect 2 "LOGP_CHECK_CONFIRM must be 0 or 1, not 'no'" ./explored
LOGP_CHECK_SEEDS=1 expect 2 'LOGP_CHECK_SEEDS is not a variable of checks' ./explored
expect 2 'explore: which program?' -P 2
expect 2 'explore: ./missing: No such file' ./missing
expect 2 '--faults lost=1: must be without lost, doubled and partitions in runs with times' --faults lost=1 -L 6us ./explored
expect 2 '--strategy exhaustive: must be random, pct or delays in runs with times' --strategy exhaustive -L 6us ./explored
expect 2 '--faults partitions=1: must be without partitions' --strategy exhaustive --faults partitions=1 ./explored
expect 2 '--sends varied: must be buffered or synchronous' --strategy exhaustive --sends varied ./explored
expect 2 '--depth 2000: must be 1 .. 1000' --strategy pct --depth 2000 ./explored
expect 2 'it does not define int logp_main(' /bin/true
echo 'int _Z9logp_mainP7logp_vpiPPc(void) { return 0; } int main(void) { return 0; }' | "$cc" -x c - -o of-cxx
expect 2 'its logp_main() has a name of C++: declare it extern "C"' ./of-cxx
echo 'no program' >script
expect 2 'it is not an executable' ./script
expect 2 '--strategy' --strategy best ./explored
expect 2 'a number of runs, 1 .. 2^40' --runs 0 ./explored
expect 2 'overtaken=N,partitions=N with N in 0 .. 1000' --faults wrong=1 ./explored
expect 2 'ranks=A-B, senders=A-B' --fault-places ranks=9-3 ./explored
expect 2 'ranks=A-B, senders=A-B' --fault-places ranks=64 ./explored
expect 2 '--faults lost=1,lost=2: must be one number of each kind; lost has two' --faults lost=1,lost=2 ./explored
expect 2 '--faults 1,2: must be one number of each kind; crashes has two' --faults 1,2 ./explored
expect 2 'half names all ranks of each size' -P 3 --faults partitions=1 --fault-places half=0-2 ./explored
expect 2 'half and one_way are of partitions' -P 3 --faults lost=1 --fault-places one-way ./explored
expect 2 'ranks names the ranks that crash' -P 3 --faults partitions=1 --fault-places ranks=0 ./explored
expect 2 'senders, receivers and tags name messages' -P 3 --faults crashes=1 --fault-places senders=0 ./explored
expect 2 'fault_places: ranks names no rank of any size' -P 2 --faults crashes=1 --fault-places ranks=7 ./explored
expect 2 'not an option of logp explore' --executor fiber ./explored
expect 0 'no failure' -L 6us --runs 50 --faults overtaken=1 ./explored
exit 0
