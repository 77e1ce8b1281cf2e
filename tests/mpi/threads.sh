#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MPI programs whose ranks make threads: by themselves, or by OpenMP of gcc (libgomp) or clang (libomp).
# usage: threads.sh TOOLS_DIR threads|gcc|clang
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LOGP_CONFIG= NO_COLOR=1 LOGP_TEST_REGISTRY=
unset OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES KMP_AFFINITY KMP_HOT_TEAMS_MODE LOGP_TEST_CORES LD_LIBRARY_PATH
host_cores=$(nproc)

fail() { printf 'threads: %s\n' "$*" >&2; [ ! -f said ] || cat said >&2; exit 1; }
build() { "$tools/logp-cc" -Wall -Wextra -Werror -O1 -g "$here/$1" -o "${1%.c}" "${@:2}" || fail "$1 is not compiled"; }
logp() { timeout 100 "$tools/logp" "$@"; }
line() { printf '(%s:%s)' "$1" "$(grep -nF "$2" "$here/$1" | cut -d: -f1)"; }

# expect CODE TEXT OPTIONS...: mpirun ends with this code and says this
expect() {
    local code=0
    logp mpirun "${@:3}" >out 2>out.err || code=$?
    cat out.err out >said
    [ $code -eq "$1" ] || fail "${*:3}: exit code $code in place of $1"
    [ -z "$2" ] || grep -qF -- "$2" said || fail "${*:3}: not said: $2"
}

# share P: cores for the threads of rank 0, with LOGP_TEST_CORES=4: core i is core i of the host modulo their number
share() {
    case $1 in
    1) echo $((host_cores < 4 ? host_cores : 4)) ;;
    2) echo $((host_cores > 2 ? 2 : 1)) ;;
    *) echo 1 ;;
    esac
}

if [ "$2" = threads ]; then
    build threads.c
    for options in '-P 1' '-P 5' '-P 5 --executor thread' '-P 4 --clock virtual -L 3us' \
        '-P 3 --clock virtual --executor thread --compute measured' '-P 3 --tag-output --check fail'; do
        # shellcheck disable=SC2086
        expect 0 'threads: all hold' $options ./threads
        P=${options#-P }
        [ "$(grep -c 'a thread of rank [0-9]*$' out)" -eq $((3 * ${P%% *})) ] || fail "$options: lines of threads"
    done
    [ "$(grep -c '^\[1\] a thread of rank 1$' out)" -eq 3 ] || fail 'lines of threads have no rank'
    expect 0 'threads: no failure: 20 runs' -P 3 --explore 20 ./threads
    grep -q 'a thread of' said && fail 'threads of explored runs print'
    ./threads >out && grep -q 'threads: all hold' out || fail 'by itself'
    for P in 1 2 3 4; do
        for executor in fiber thread; do
            LOGP_TEST_CORES=4 expect 0 "$(share $P) of 1" --executor $executor -P $P ./threads cores
        done
    done
    LOGP_TEST_CORES=4 expect 0 '1 of 1' -P 1 --cores 2 ./threads cores
    for level in 0:0 1024:1024 2048:1024 4096:1024; do
        expect 0 "granted ${level#*:} ${level#*:}" -P 2 ./threads level ${level%:*}
    done
    # each rank is a thread: those that it makes may call MPI
    for level in 1024:1024 2048:2048 4096:4096; do
        expect 0 "granted ${level#*:} ${level#*:}" -P 2 --executor thread ./threads level ${level%:*}
        expect 0 'granted 1024 1024' -P 2 --executor thread --clock virtual ./threads level 1024
    done
    for options in '' '--cores 0' '-L 3us' '--check fail --checksum' '--report report.txt'; do
        for P in 1 4; do
            # shellcheck disable=SC2086
            expect 0 'threads: all hold' -q --executor thread $options -P $P ./threads calls
            # shellcheck disable=SC2086
            expect 0 'threads: all hold' -q --executor thread $options -P $P ./threads multiple
        done
    done
    expect 1 "MPI_Init_thread has granted MPI_THREAD_SERIALIZED (threads.c:" \
        -P 3 --executor thread ./threads once
    grep -q '^rank 1.*: called while another thread of the rank is in MPI_' said || fail 'two threads at once'
    expect 6 'rank 1, thread 1: MPI_Send: invalid rank: ' -P 2 --executor thread ./threads posix wrong
    while read -r kind word name; do
        for options in '--executor fiber' '--check off' '--clock virtual' '--explore 10'; do
            case $options in
            *virtual*) with=' on the virtual clock, on which a rank has one time' ;;
            *explore*) with=' on the virtual clock, on which a rank has one time' ;;
            *) with=' with fibers; type --executor thread' ;;
            esac
            # shellcheck disable=SC2086
            expect 1 "rank 1: $name: called by a thread that the rank has made, but only the thread of main() may call \
MPI (MPI_Init_thread grants MPI_THREAD_FUNNELED at most$with) $(line threads.c "${name#MPI_}(")" -P 3 $options ./threads "$kind" "$word"
        done
    done <<-'END'
	posix send MPI_Send
	c11 isend MPI_Isend
	second barrier MPI_Barrier
	posix text MPI_Error_string
	posix time MPI_Wtime
	END
    expect 139 "a thread that rank 1 has made crashed (Segmentation fault) $(line threads.c '(volatile int *)NULL')" \
        -P 3 ./threads posix crash
    exit
fi

compiler=$2
command -v "$compiler" >/dev/null || { echo "there is no $compiler: skipped"; exit 77; }
export LOGP_CC=$compiler
echo 'int main(void) { return 0; }' >empty.c
"$compiler" -fopenmp -include omp.h empty.c -o empty 2>said || { echo "there is no OpenMP for $compiler: skipped"; exit 77; }
library=libgomp.so.1
[ "$compiler" != clang ] || library=libomp.so.5
build openmp.c -fopenmp
for options in '-P 1' '-P 2' '-P 4' '-P 7' '-P 5 --clock virtual -L 3us' '-P 4 --check fail' '-P 3 --executor thread'; do
    # shellcheck disable=SC2086
    expect 0 'openmp: all hold' $options ./openmp
done
[ ! -s out.err ] || fail 'a note though --executor is given'
expect 0 'openmp: all hold' -q -P 3 ./openmp
[ ! -s out.err ] || fail 'a note with -q'
expect 0 'openmp: no failure: 20 runs' -P 3 --explore 20 ./openmp

# cores are divided among ranks
for row in 1:4 2:2 3:1 4:1 9:1; do
    P=${row%:*} n=${row#*:}
    LOGP_TEST_CORES=4 expect 0 "./openmp needs $library: each rank is a thread (--executor thread) with OMP_NUM_THREADS=$n" \
        -P $P ./openmp
    [ "$(wc -l <out.err)" -eq 1 ] || fail 'more than a line'
    grep -q "^$n threads, a worker on $(share $P) of " out || fail "-P $P on 4 cores: no $n threads on $(share $P) cores"
done
LOGP_TEST_CORES=4 expect 0 'OMP_NUM_THREADS=2' -P 1 --cores 1,3 ./openmp
LOGP_TEST_CORES=4 OMP_NUM_THREADS=3 expect 0 '3 threads, a worker on 1 of ' -P 4 ./openmp
grep -q 'OMP_NUM_THREADS' out.err && fail 'OMP_NUM_THREADS of the user is named'
OMP_PROC_BIND=true expect 0 'OMP_PROC_BIND and OMP_PLACES are those of the whole process' -P 1 ./openmp
expect 1 'rank 0: MPI_Barrier: called by a thread that the rank has made' -P 1 ./openmp wrong
expect 1 'rank 2: MPI_Barrier: called by a thread that the rank has made' -P 3 ./openmp wrong
grep -qF "$(line openmp.c 'MPI_Barrier(')" said || fail 'no line'

# a warning, and what it warns of: without MPI in a region the answer is right
cat >quiet.c <<-'END'
	#include <mpi.h>
	int main(int argc, char **argv)
	{
	    MPI_Init(&argc, &argv);
	#pragma omp parallel
	    __asm__ volatile("");
	    MPI_Finalize();
	    return 0;
	}
END
"$tools/logp-cc" -fopenmp quiet.c -o quiet
expect 0 "./quiet needs $library, to which the ranks of a core are one thread" --executor fiber -P 3 ./quiet
grep -q 'type --executor thread$' out.err || fail 'the warning does not say what to type'

# a library of the program's own needs OpenMP, also one of that library, and one of LD_LIBRARY_PATH
cat >inner.c <<-'END'
	int inner(void);
	int inner(void)
	{
	    int n = 0;
	#pragma omp parallel reduction(+ : n)
	    n++;
	    return n;
	}
END
echo 'int inner(void); int outer(void); int outer(void) { return inner(); }' >outer.c
cat >user.c <<-'END'
	#include <mpi.h>
	int outer(void);
	int main(int argc, char **argv)
	{
	    int n;
	    MPI_Init(&argc, &argv);
	    n = outer();
	    MPI_Finalize();
	    return n < 1;
	}
END
mkdir lib
"$compiler" -shared -fPIC -fopenmp inner.c -o lib/libinner.so -Wl,-soname,libinner.so
"$compiler" -shared -fPIC outer.c -o lib/libouter.so -Wl,-soname,libouter.so -Llib -linner '-Wl,-rpath,$ORIGIN'
"$tools/logp-cc" user.c -o user -Llib -louter -Wl,-rpath-link,lib '-Wl,-rpath,$ORIGIN/lib'
"$tools/logp-cc" user.c -o user-path -Llib -louter -Wl,-rpath-link,lib
expect 0 "./user needs $library: each rank is a thread" -P 2 ./user
LD_LIBRARY_PATH=$PWD/lib expect 0 "./user-path needs $library: each rank is a thread" -P 2 ./user-path
sed -i 's/outer()/1/' user.c
"$tools/logp-cc" user.c -o user
expect 0 '' -P 2 ./user
[ ! -s out.err ] || fail 'a note for a program without OpenMP'
# of several programs one needs it
"$tools/logp-cc" quiet.c -o plain
expect 0 "./quiet needs $library: each rank is a thread" -P 1 ./plain : -P 2 ./quiet
