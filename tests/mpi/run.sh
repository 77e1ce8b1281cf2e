#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MPI programs run by `logp mpirun`; those that check themselves also run by Open MPI, where there is one: then
# what they check is right.
# usage: run.sh TOOLS_DIR [own|system|ends|explored|options|report|bugs|accesses|files|drawn|fortran|gdb|database|programs|refused|openmpi|processes]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LOGP_CONFIG= NO_COLOR=1 LOGP_CHECK_SMALLEST=0 # the first failure is as good

fail() { printf 'mpi: %s\n' "$*" >&2; [ ! -f said ] || cat said >&2; exit 1; }
# shellcheck disable=SC2086
build() { "$tools/logp-cc" ${3-} -Wall -Wextra -Werror -O1 -g "$here/$1" -o ${2:-${1%.*}} || fail "$1 is not compiled"; }
logp() { timeout 100 "$tools/logp" "$@"; }

# expect CODE TEXT OPTIONS...: mpirun ends with this code and says this
expect() {
    local code=0
    logp mpirun "${@:3}" >out 2>out.err || code=$?
    cp out.err said
    [ $code -eq "$1" ] || fail "${*:3}: exit code $code in place of $1"
    cat out >>said
    [ -z "$2" ] || grep -qF -- "$2" said || fail "${*:3}: not said: $2"
}

programs='hydro.cc molecules.c multigrid.c samplesort.c'
checks='point four persistent collectives communicators inter topologies types contents windows files errors arguments'
case ${2:-checks} in
checks)
    for program in $checks; do
        build $program.c
        [ $program = arguments ] || ./$program >out || fail "$program by itself" # it is not checked there
        for options in '-P 1' '-P 2' '-n 4' '-np 7 --executor thread' '-P 16' '-P 5 -L 6us -o 2us --clock virtual' \
            '-P 6 -L 600ns -o 200ns -g 400ns --unit 1ns' '-P 5 --clock virtual -L 5us --rendezvous 100' \
            '-P 4 --rendezvous 0' '-P 8 --clock virtual --topology ring'; do
            # shellcheck disable=SC2086
            expect 0 ': all hold' $options ./$program
        done
    done
    build values.c && ./values || fail 'a value is not that of the standard'
    # the same run, byte for byte
    for i in 1 2; do logp mpirun -P 6 --clock virtual -L 6us --trace $i.json ./collectives >/dev/null; done
    cmp 1.json 2.json || fail 'two runs of the virtual clock differ'
    logp mpirun -P 6 --clock virtual -L 6us --trace all.svg ./types >/dev/null
    grep -q '<svg' all.svg || fail 'no picture'
    # what docs/mpi-limits.md says of the time that windows take
    while read -r us what; do
        expect 0 "$us us: $what" -P 3 --clock virtual -L 6us -o 2us -g 4us -G 1ns ./windows time
    done <<-'END'
	14.000 lock
	14.000 put a byte and flush
	18.000 put a byte twice and flush
	15.000 get 1001 bytes and flush
	14.000 fetch and flush
	2.000 unlock
	14.000 lock all
	END
    for P in 2 7 24 257; do # with 256 ranks several cores are worth it, but may not be there
        expect 0 'the order holds' -P $P --clock virtual -L 6us -o 2us -g 4us -G 1ns ./windows order
    done
    # what docs/mpi-programs.md shows
    "$tools/logp-cc" "$here/../../docs/examples/ring.c" -O2 -o ring
    logp mpirun -P 4 -L 6us -o 2us -g 4us --unit 1us --clock virtual --trace ring.txt ./ring >out
    awk '/^```/ { shown = 0 } shown { print } /^\$ cat ring.txt/ { shown = 1 }' "$here/../../docs/mpi-programs.md" >shown
    diff shown ring.txt && grep -q '^4 ranks, sum 10, 50 us$' out || fail 'docs/mpi-programs.md shows another run'
    ;;
own)
    build own.c
    for options in '-P 1' '-P 5' '-P 8 --executor thread' '-P 4 --clock virtual -L 3us'; do
        # shellcheck disable=SC2086
        expect 0 'end of rank with 0' $options ./own
        n=${options#-P }
        n=${n%% *}
        [ "$(grep -c "^rank [0-9]* of $n\$" out)" -eq "$n" ] || fail "lines of $options are not whole"
        [ "$(grep -c '^end of rank' out)" -eq "$n" ] || fail "exit handlers of $options"
        [ "$(grep -c '^destructor ./own with' out)" -eq "$n" ] || fail "destructors of $options"
    done
    # other layouts of an executable, and those that only the loader can load
    for linked in -Wl,-z,pack-relative-relocs -fuse-ld=lld -fPIE -Wl,-z,now -O3 -static-libgcc; do
        "$tools/logp-cc" "$here/own.c" $linked -o linked 2>said || continue # an older linker
        expect 0 'end of rank with 2' -P 3 ./linked
    done
    own_maps() { logp mpirun "$@" ./maps | sort -n | tail -1; }
    cat >maps.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#include <string.h>
	int main(int argc, char **argv)
	{
	    char line[4096];
	    int n = 0;
	    MPI_Init(&argc, &argv);
	    FILE *f = fopen("/proc/self/maps", "r");
	    while (fgets(line, sizeof line, f))
	        n += strstr(line, "memfd") != NULL;
	    printf("%d\n", n);
	    MPI_Finalize();
	}
	END
    "$tools/logp-cc" maps.c -o maps
    # two mappings for an image, beside those of the one that is loaded
    [ $(($(own_maps -P 40) - $(own_maps -P 20))) -eq 40 ] || fail "mappings of clones: $(own_maps -P 40)"
    expect 0 '[3] rank 3 of 4' --tag-output -P 4 ./own
    build libc.c
    # each rank does what a process by itself does, and the C library's getopt() is the judge
    same() {
        ./libc "$@" >alone 2>alone.err || fail "libc $*"
        expect 0 '' --executor "$executor" -P 3 ./libc "$@"
        [ "$(sort -u out)" = "$(sort -u out alone)" ] && [ "$(grep -c . out)" -eq 3 ] || fail "libc $*: $(cat alone)"
        sed 's|^/[^ ]*/||' out.err | sort -u | cmp -s - <(sort -u alone.err) || fail "libc $*: other messages"
    }
    for executor in thread fiber; do same random; done
    build libc.c 'libc -fPIE' # it has copies of the variables
    same options long ab: x --all=3 -b 1 -c y
    printf '3 4\nlast line\n' | expect 0 '3 4 last line' -P 3 ./libc input
    build libc.c
    while read -r words; do
        # shellcheck disable=SC2086
        for kind in short long only; do same options $kind $words; done
    done <<-'END'
	ab:c:: -a -b 1 -c -c2 -bx
	ab: -ab 1 x -a y -- -a
	ab: x -b 1 y -ab2 z -ax
	+ab: -a x -b 1
	-ab: x -a y -b 1 z
	:ab: -b
	:ab: -x -a
	ab: --all x --also 1 --also=2 -a
	ab: --al --als=3 --alx
	ab: --all=3 --also
	:ab: x --also
	ab: --maybe --maybe=4 5 --quiet -all
	ab: -also 7 - -x --unknown=3 -quiet
	ab: x y z
	ab: -a --
	END
    for options in '-P 4' '-P 5 --executor thread' '-P 4 --clock virtual -L 3us'; do
        # shellcheck disable=SC2086
        printf '3 4\nlast line\n' | expect 0 '3 4 last line' $options ./libc input
    done
    expect 0 '' -P 3 --clock virtual ./libc child
    expect 40 '' -P 3 ./libc exit
    build streams.cc
    build streams.cc copied -fPIE # it has copies of the streams
    for options in '-P 4' '-P 5 --executor thread' '-P 4 --clock virtual -L 3us'; do
        for way in synchronized apart; do
            for program in streams copied; do
                # shellcheck disable=SC2086
                printf '3 4\n' | expect 0 'rank 0 read 3, then 4' $options ./$program $way
                grep -qvxE 'rank [0-9] (says 255     7 1.5|read .*)' out && fail "$program $options: $(cat out)"
            done
        done
    done
    # What rank 1 does to its streams: what the others print is there, and of rank 1 what is named.
    build standard.cc
    build standard.cc standard-copied -fPIE # it has copies of stdout and stderr
    sorted() { sort "$@" | tr '\n' ' '; }
    while IFS='|' read -r way out1 err1 file; do
        for program in '-P 3 ./standard' '--executor thread -P 3 ./standard' '--clock virtual -L 3us -P 3 ./standard' \
            '-P 3 ./standard-copied'; do
            rm -f file
            # shellcheck disable=SC2086
            expect 0 '' $program "$way"
            [ "$(grep -v 1 out | sorted)" = 'cout 0 cout 2 printf 0 printf 2 ' ] && [ "$(grep 1 out | sorted)" = "$out1" ] &&
                [ "$(sorted out.err)" = "stderr 0 ${err1}stderr 2 " ] && [ "$([ ! -e file ] || tr '\n' ' ' <file)" = "$file" ] ||
                { [ ! -e file ] || cat file >>said; fail "streams of a rank: $program $way"; }
        done
    done <<-'END'
	none|cout 1 printf 1 |stderr 1 |
	fclose||stderr 1 |
	close||stderr 1 |
	fclose-error|cout 1 printf 1 ||
	freopen||stderr 1 |raw printf 1 cout 1 
	nowhere||stderr 1 |
	dup2|cout 1 printf 1 |stderr 1 |raw between 
	rdbuf|printf 1 |stderr 1 |cout 1 
	other|cout 1 printf 1 |stderr 1 |other 
	END
    expect 0 '' -P 3 ./standard all
    [ ! -s out ] || fail 'each rank has closed its stdout'
    expect 0 'merged' -P 3 ./standard merge
    [ "$(sorted out.err)" = 'not yet stderr 0 stderr 2 ' ] && grep -qx 'stderr 1' out || fail 'stderr to stdout'
    for way in input input-dup2 input-closed; do
        for executor in thread fiber; do printf '3\n' | expect 0 '' --executor $executor -P 3 ./standard $way; done
    done
    expect 0 'standard: no failure: 20 runs' -P 3 --explore 20 ./standard fclose
    for compiler in c++ clang++; do
        command -v $compiler >/dev/null || continue
        LOGP_CXX=$compiler build threadlocal.cc
        [ "$(./threadlocal)" = 'destroyed 42' ] || fail 'thread-local variables of a program by itself'
        for executor in fiber thread; do
            expect 0 '' --executor $executor -P 3 ./threadlocal
            [ "$(sort out | tr '\n' ' ')" = 'destroyed 42 destroyed 43 destroyed 44 ' ] || fail 'thread-local variables'
        done
    done
    mkdir apart
    build shared.c 'apart/libshared.so -shared -DLIBRARY -Wl,-soname,libshared.so'
    build shared.c 'apart/shared -Lapart -lshared -Wl,-rpath,$ORIGIN'
    expect 0 'logp: all ranks share the globals of ' --executor fiber -P 3 --share libshared apart/shared
    expect 0 '' -q -P 1 apart/shared
    [ ! -s said ] || fail '-q and a library of the program'
    blamed='the crash is within libshared.so, which all ranks share: link it statically, or type --cores 0'
    for executor in fiber thread; do
        expect 139 "$blamed" -q --cores 0,1 --share libshared --executor $executor -P 3 apart/shared crash
        for options in '-P 1' '--cores 0 -P 3'; do
            # shellcheck disable=SC2086
            expect 139 'last in MPI_Comm_size (shared.c:' -q --share libshared --executor $executor $options apart/shared crash
            ! grep -qF "$blamed" said || fail "a library is blamed with $options"
        done
    done
    build objects.cc
    expect 0 'caught 44 7 2' -P 3 ./objects
    [ "$(sort out | tail -3 | tr '\n' ' ')" = 'destroyed 42 destroyed 43 destroyed 44 ' ] || fail 'destructors'
    ;;
database)
    printf '#include <sqlite3.h>\n' | cc -E - >/dev/null 2>&1 || exit 77
    "$tools/logp-cc" -Wall -Wextra -Werror "$here/database.c" -o database -lsqlite3 || fail 'database.c is not compiled'
    for executor in fiber thread; do
        expect 0 '20 rows' -P 4 --executor $executor ./database
        [ "$(cat out)" = '20 rows' ] || fail "rows of 4 ranks: $(cat out)"
    done
    ;;
system)
    build system.c
    while read -r size options; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./system nodes $size
    done <<-'END'
	2 --nodes 2x2
	1 --nodes 4x1 --executor thread
	2 --nodes 2x2 --inter L=20us --clock virtual
	4 -P 6 --nodes *x4
	0 -P 3
	0 -P 3 -L 5us
	END
    ./system nodes 0 >out || fail 'the node of a program by itself'
    for options in '-P 1' '-P 3' '-P 4 --executor thread' '-P 5 --clock virtual -L 5us' '-P 40'; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./system own
    done
    expect 0 ': all hold' -P 1500 ./system keys
    build system.c 'copies -fPIE' # it has a copy of environ
    expect 0 ': all hold' -P 3 ./copies own
    for options in '-P 3' '-P 4 -L 5us --executor thread' '-P 300 -L 5us --cores 0,1'; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' --clock virtual $options ./system clocks 1577836800
    done
    while read -r seconds epoch; do
        expect 0 ': all hold' -P 2 --clock virtual --epoch "$epoch" ./system clocks "$seconds"
    done <<-'END'
	1577836800 2020-01-01
	1709208000 2024-02-29 12:00:00
	1709208000 2024-02-29T12:00:00Z
	1234567890 1234567890
	0 now
	END
    cat >chrono.cc <<-'END'
	#include <chrono>
	#include <mpi.h>
	#include <iostream>
	#include <thread>
	int main(int argc, char **argv)
	{
	    MPI_Init(&argc, &argv);
	    const auto begun = std::chrono::steady_clock::now();
	    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
	    const auto passed = std::chrono::steady_clock::now() - begun;
	    std::cout << std::chrono::nanoseconds(passed).count() << ' '
	              << std::chrono::system_clock::now().time_since_epoch().count() << std::endl;
	    MPI_Finalize();
	}
	END
    "$tools/logp-cc" chrono.cc -o chrono
    expect 0 '2500000000 1577836802500000000' -P 1 --clock virtual ./chrono
    expect 3 '' -P 1 --clock virtual --real-clocks ./system clocks 1577836800
    expect 3 '' -P 1 ./system clocks 1577836800
    expect 2 '--epoch is for --clock virtual; remove it' --epoch now ./system
    expect 2 '--real-clocks is for --clock virtual; remove it' --real-clocks ./system
    for epoch in yesterday 2020-13-01 2020-01-01x -1 99999999999; do
        expect 2 'now, seconds since 1970, or a time of UTC' --clock virtual --epoch "$epoch" ./system
    done
    # several programs in one run, each with globals, arguments, names and lines of its own
    cat >first.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#include <string.h>
	#include <err.h>
	int own = 5;
	int main(int argc, char **argv)
	{
	    int me, sum;
	    MPI_Init(&argc, &argv);
	    MPI_Comm_rank(MPI_COMM_WORLD, &me);
	    own += me;
	    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	    printf("%s %d of %d: %s\n", argv[0], me, sum, argc > 1 ? argv[1] : "none");
	    warnx("here");
	    if (argc > 1 && strcmp(argv[1], "waits") == 0)
	        MPI_Recv(&sum, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	    MPI_Finalize();
	}
	END
    { echo; sed 's/own/other/; s/5;/50;/; s/own/other/g' first.c; } >second.c
    for name in first second; do "$tools/logp-cc" -g -Wno-format-security $name.c -o $name; done
    for options in '-P 1' '-np 1 --executor thread' '-n1 --clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 0 '' $options ./first a : -np 2 ./second b c : -n1 ./first
        [ "$(sort out | tr '\n' ' ')" = './first 0 of 116: a ./first 3 of 116: none ./second 1 of 116: b ./second 2 of 116: b ' ] &&
            [ "$(sort out.err | uniq -c | tr -s ' \n' ' ')" = ' 2 first: here 2 second: here ' ] || fail "several programs: $options"
        # shellcheck disable=SC2086
        expect 1 'deadlock: all ranks wait' $options ./first : -P 1 ./second waits
        grep -qF ' (first.c:17)' said &&
            grep -qF 'rank 1 in MPI_Recv, for a message from rank 0 with tag 7 (second.c:17)' said || fail 'the lines of several programs'
    done
    expect 0 '' -np 1 -ppn 1 ./system nodes 1 : -n 1 ./system nodes 1
    expect 2 'each program needs its number of ranks: -P 2 ./first : -P 2 PROGRAM' ./first : -P 2 ./second
    for rest in '' '-P 2' './second' '-P x ./second' '-P 1 -L 5us ./second' '-L 5us ./second'; do
        # shellcheck disable=SC2086
        expect 2 'after a : come -P N and a program' -P 1 ./first : $rest
    done
    expect 2 './nothing: No such file' -P 1 ./first : -P 1 ./nothing
    expect 2 '--explore is for one program' -P 1 --explore 3 ./first : -P 1 ./second
    expect 2 'at most 8 programs' -P 1 ./first $(for i in 1 2 3 4 5 6 7 8; do echo : -P 1 ./first; done)
    # options of other mpiruns
    mkdir -p folder
    cp system folder
    for options in '-np 3 -x A=b -wdir folder' '-n 3 --oversubscribe --allow-run-as-root -genv A b --wdir=folder' \
        '-c 3 --bind-to core --map-by node --mca btl tcp,self -env A b -wd folder' '-P3 --host localhost:3 -x A=b -x PATH -wdir folder' \
        '-P 3 -H localhost,127.0.0.1 -x=A=b --wdir folder -envall' '--executor thread -np 3 -x A=b -wdir folder --rank-by slot'; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./system launched A=b folder
    done
    expect 0 ': all hold' -np 5 -ppn 2 ./system nodes 2
    expect 0 ': all hold' -np 3 -pernode ./system nodes 1
    expect 0 '[0] system: all hold' -l -np 2 ./system
    while IFS='|' read -r options says; do
        # shellcheck disable=SC2086
        expect 2 "$says" $options ./system
    done <<-'END'
	-x|which program?
	-np 2 --host nowhere|mpirun: --host nowhere: all ranks run on this host; remove it: with --nodes
	--hostfile hosts|mpirun: --hostfile is not an option of logp mpirun; remove it: all ranks run on this host
	-f hosts|mpirun: -f is not an option of logp mpirun
	--output-filename out|redirect the output of this command
	-ppn x|--nodes *xx: must be NODESxPROCESSORS
	-wdir nowhere|mpirun: -wdir nowhere: No such file or directory
	-x =b|mpirun: -x =b: NAME or NAME=VALUE
	--cpu-set 0,1|type --cores LIST
	--no-such|no such option
	END
    expect 2 '-x: needs a value' -x
    expect 2 '-genv: needs two values' -np 2 -genv A
    expect 2 '--inter L=5us: needs --nodes' --inter L=5us ./system
    expect 2 '--nodes 2x3: has 6 processors, and P = 4; type -P 6, or --nodes '\''*x3'\''' --nodes 2x3 -P 4 ./system
    ;;
explored)
    # Each planted bug is found, reported with the calls of the ranks, replayed and drawn.
    build explored.c
    line() { grep -nF -- "$1" "$here/explored.c" | sed 's/\(^[0-9]*\).*/(explored.c:\1)/'; }
    export LOGP_REPLAY_DIR=kept
    finds() {
        rm -rf kept
        expect "$1" "$2" -P 4 --explore 200 "${@:4}"
        grep -qF -- "$3" said || fail "${*:4}: not said: $3"
        [ -f kept/*.replay ] || fail "${*:4}: no replay file"
    }
    finds 1 'rank 0 had seen rank 3 first' "rank 0 in MPI_Recv $(line 'exit(1);')" ./explored first
    [ "$(cat out)" = 'one line of output' ] || fail 'the output of the run that fails, and of no other'
    logp replay kept/*.replay >said 2>&1 && fail 'a replay that passes'
    grep -qF 'rank 0 had seen rank 3 first' said || fail 'the replay of a failure'
    logp trace --replay kept/*.replay --output first.svg >said 2>&1
    grep -q '<svg' first.svg || fail 'no picture of a failure'
    finds 1 'explored failed with P = 4: deadlock' "rank 0 in MPI_Recv $(line '2, 1, MPI')" ./explored deadlock
    finds 1 'choices that matter' "assertion \`x[0] != 2' failed on rank 0" ./explored assert
    grep -q "^explored failed with P = 4: .*assertion .x\[0\] != 2' failed on rank 0" said || fail 'no reason'
    finds 1 'choices that matter' "assertion \`x[0] != 2' failed on rank 0" -L 6us -o 2us ./explored assert
    finds 1 'rank 1 ended with exit code 5' 'rank 0 had ended' ./explored code
    grep -qxF '  rank 1 had returned from main, last in MPI_Finalize' said || fail "no end of main(): $(cat said)"
    # the title says what ended the run, and a line that the program has printed is its own
    finds 1 'explored failed with P = 4: rank 0 ended with exit code 4 and without MPI_Finalize, last in MPI_Recv' \
        '  its last line on stderr: note: rank 0 starts' ./explored note
    finds 1 'explored failed with P = 4: rank 1 ended with exit code 5 after MPI_Finalize (main returned)' \
        '  its last line on stderr: note: rank 1 starts' ./explored noted
    expect 1 'code 4 and without MPI_Finalize, last in MPI_Recv' -P 4 --explore 200 --tag-output ./explored note
    finds 1 'rank 1: MPI_Abort' "rank 1 in MPI_Probe $(line 'MPI_Abort(')" ./explored abort
    finds 1 'rank 1 ended with exit code 6' "rank 1 in MPI_Recv $(line 'exit(6);')" ./explored taken
    logp replay kept/*.replay >said 2>&1 && fail 'a replay of what a probe has found that passes'
    grep -qF 'rank 1 ended with exit code 6' said || fail 'the replay of what a probe has found'
    finds 1 '1 message was never received' 'rank 3 had ended' ./explored left
    grep -q 'receive of rank .*, a message of a collective after MPI_Finalize, 0 bytes' said ||
        fail "the messages of MPI_Finalize have another name: $(cat said)"
    finds 1 'calls MPI_Bcast() of 4, root 1 where' 'rank 1 in MPI_Bcast' ./explored root
    cp explored logp_own && finds 1 'calls MPI_Bcast() of 4, root 1 where' 'logp_own failed with P = 4' ./logp_own root
    grep -qF "logp replay $(echo kept/logp_own*.replay)" said || fail 'the file of a program whose name begins as a call'
    finds 1 'rank 1 ended with exit code 0 and without MPI_Finalize' 'explored failed' ./explored return
    finds 139 'rank 1 crashed (Segmentation fault), last in MPI_Probe' 'made smaller:' ./explored crash
    grep -q '^rank 1 crashes$' out || fail 'the output of a run that crashes'
    finds 139 "rank 0 crashed (Segmentation fault), last in main $(line '*)0 = 2;')" 'made smaller:' ./explored all
    code=0
    logp replay kept/*.replay >said 2>&1 || code=$?
    [ $code -eq 1 ] || fail "the replay of a crash of each rank: exit code $code"
    grep -qF "rank 0 crashed (Segmentation fault), last in main $(line '*)0 = 2;')" said || fail 'its replay has no line'
    finds 1 'It passes with buffered sends' "rank 3 in MPI_Send $(line '0, MPI_COMM_WORLD); /* round */')" \
        --rendezvous 0 ./explored
    LOGP_CHECK_CORES=2 finds 1 'choices that matter' "assertion \`x[0] != 2' failed on rank 0" ./explored assert
    rm -rf kept
    for options in '' '-L 6us -o 2us' '-L 6us --rendezvous 1000'; do
        # shellcheck disable=SC2086
        expect 0 'explored: no failure: 200 runs; P = 4:' -P 4 --explore 200 $options ./explored
    done
    LOGP_CHECK_STRATEGY=exhaustive expect 0 'executions explored, if processors share only' -P 3 --explore 100000 ./explored
    [ ! -e kept ] || fail 'a replay of what passes'
    for program in hydro.cc streams.cc threadlocal.cc objects.cc collectives.c point.c windows.c; do
        build $program
        name=${program%.*}
        expect 0 "$name: no failure: 20 runs" -P 4 --explore 20 ./$name
    done
    expect 2 'remove it: a failure leaves a file' -P 2 --explore 5 --trace x.svg ./explored
    expect 2 'remove it: a failure leaves a file' -P 2 --explore 5 --gdb ./explored
    expect 2 'uses the virtual clock; remove --clock wall' -P 2 --explore 5 --clock wall ./explored
    expect 2 'remove it: explored runs do not limit queues' -P 2 --explore 5 --queue-limit 1MiB ./explored
    expect 2 'all links are alike; remove --nodes, --inter, --link and --topology' -P 2 --explore 5 --topology ring ./explored
    expect 2 'a number of runs, 1 .. 2^40' -P 2 --explore 0 ./explored
    ;;
ends)
    build ends.c
    line() { grep -nF -- "$1" "$here/ends.c" | sed 's/\(^[0-9]*\).*/(ends.c:\1)/'; }
    expect 0 '' -P 4 ./ends
    expect 9 'rank 2: MPI_Abort: the program ends with exit code 9 '"$(line 'MPI_Abort(MPI')" -P 4 ./ends abort
    expect 4 'rank 1 ended with exit code 4 and without MPI_Finalize' -P 4 ./ends exit
    expect 1 'rank 1 ended with exit code 0 and without MPI_Finalize' -P 4 ./ends return
    expect 3 'rank 1 ended with exit code 3 and without MPI_Finalize (main returned)' -P 4 ./ends return-3
    for executor in fiber thread; do # all that ends a process, or puts another program in its place
        options="--executor $executor -P 3"
        # shellcheck disable=SC2086
        {
            expect 5 'rank 1 ended with exit code 5 and without MPI_Finalize' $options ./ends quick
            grep -qx 'a quick end' out || fail 'at_quick_exit()'
            expect 1 'rank 1 ended with exit code 0 and without MPI_Finalize' $options --timeout 60s ./ends thread
            expect 3 'rank 1 ended with exit code 3 and without MPI_Finalize' $options ./ends becomes
            grep -qx 'another' out || fail 'execlp()'
            expect 3 'rank 1 ended with exit code 3 and without MPI_Finalize' $options ./ends becomes-with
            grep -qx 'another 1' out || fail 'execle()'
            expect 3 'rank 1 ended with exit code 3 and without MPI_Finalize' $options ./ends errx
            grep -qx 'ends: no luck' out.err || fail 'errx()'
            expect 3 'rank 1 ended with exit code 3 and without MPI_Finalize' $options ./ends error
            [ "$(grep -c '^./ends: no luck: Numerical' out.err)" -ge 1 ] && grep -qx './ends: rank 1' out.err || fail 'error()'
        }
    done
    expect 134 "assertion \`me != 1' failed on rank 1, last in MPI_Comm_rank $(line 'assert(me')" -P 4 ./ends assert
    expect 134 'rank 1: abort(), last in MPI_Comm_rank '"$(line 'abort();')" -P 4 ./ends aborted
    expect 134 "rank 1 crashed (Aborted), last in MPI_Comm_rank $(line 'raise(SIGABRT')" -P 4 ./ends raise
    for clock in wall virtual; do # no call sees that the run is over
        expect 1 'the run is over, but a rank is still in its own code: the process ends' --clock $clock -P 1 ./ends spin
    done
    # A rank that waits in a loop of its own keeps the others off its core: it is named, and one that computes is not.
    for options in '--cores 0' '--cores 0 --executor thread' '--clock virtual'; do
        # shellcheck disable=SC2086
        expect 1 "rank 2 has waited in a loop of its own for 2 s $(line '/* for a rank')" $options --timeout 10s -P 3 ./ends waits
        grep -q 'the program did not end within --timeout' said || fail "a loop of a rank's own ends the run: $options"
    done
    expect 0 '' --cores 0 -P 3 ./ends works
    [ ! -s said ] || fail 'a rank that computes is named'
    # A rank that writes into a full pipe holds the lock of its stream for ever: the command ends nevertheless.
    floods() { # CODE OPTIONS AND WORDS: the reader leaves when the command has ended
        mkfifo full
        sh -c 'until [ -e ended ]; do sleep 0.1; done' <full &
        if [ "${*: -1}" = err ]; then
            timeout 60 "$tools/logp" mpirun "${@:2}" 2>full >said || code=$?
        else
            timeout 60 "$tools/logp" mpirun "${@:2}" >full 2>said || code=$?
        fi
        touch ended
        wait
        rm full ended
        [ "$code" -eq "$1" ] || fail "${*:2}: exit code $code"
    }
    for executor in fiber thread; do
        code=0
        floods 1 --executor $executor -P 2 --timeout 1s ./ends floods
        grep -q 'the program did not end within --timeout' said || fail 'a full pipe'
        floods 1 --executor $executor -P 2 --timeout 1s ./ends floods err
    done
    floods 1 --trace flood.svg -P 2 -L 5us --timeout 1s ./ends floods
    grep -q 'a rank did not come back, so there is no trace and no report' said && [ ! -e flood.svg ] || fail 'a trace'
    # another MPI's mpirun starts a program by itself, several times
    build ends.c
    for variables in OMPI_COMM_WORLD_SIZE=2 'PMI_SIZE=2 PMI_RANK=0' 'PMIX_RANK=0' \
        'OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0'; do
        # shellcheck disable=SC2086
        env $variables ./ends >out 2>said || fail "$variables ./ends"
        grep -qE "^./ends: another MPI's mpirun .* type logp mpirun -P (2|N) ./ends\$" said || fail "$variables is not named"
    done
    for variables in OMPI_COMM_WORLD_SIZE=1 'PMI_SIZE=2 PMI_RANK=1' PMIX_RANK=3 OMPI_COMM_WORLD_RANK=1; do
        # shellcheck disable=SC2086
        env $variables ./ends >said 2>&1 || fail "$variables ./ends"
        [ ! -s said ] || fail "$variables is named"
    done
    OMPI_COMM_WORLD_SIZE=2 expect 0 '' -P 2 ./ends
    [ ! -s said ] || fail 'the variables of another MPI, under logp mpirun'
    expect 0 '' -P 2 ./ends line
    [ "$(awk 'length == 300000 || /^(second|third)$/' out | grep -c .)" -eq 6 ] || { rm said; fail 'long lines'; }
    for executor in fiber thread; do
        for way in 'crash *)0 = 1' 'library strlen('; do
            expect 139 "rank 1 crashed (Segmentation fault), last in MPI_Comm_rank $(line "${way#* }")" \
                --executor $executor -P 4 ./ends "${way%% *}"
        done
        expect 139 'rank 1 crashed (Segmentation fault), last in MPI_Comm_rank (ends.c:' \
            --executor $executor -P 4 ./ends deep
    done
    expect 6 'rank 1: MPI_Send: invalid rank: the destination 99' -P 4 ./ends rank
    expect 1 'rank 1: MPI_Comm_spawn is not there' -P 4 ./ends missing
    grep -qF "$(line 'delete("nothing')" said || fail 'the line of a missing function'
    # mpi.h declares all of MPI 4.1; a program that needs a missing function is known before it runs, also by its library
    cat >later.c <<-'END'
	#include <mpi.h>
	int later(void)
	{
	    MPI_Comm other;
	    MPI_Comm_accept("port", MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
	    return PMPI_Comm_join(0, &other);
	}
	END
    cat >needs.c <<-'END'
	#include <mpi.h>
	int later(void);
	int main(int argc, char **argv)
	{
	    MPI_Comm other;
	    MPI_Init(&argc, &argv);
	    other = MPI_COMM_NULL;
	#ifndef NONE
	    if (argc > 1)
	        MPI_Buffer_flush();
	    if (argc > 2)
	        MPI_Comm_connect("port", MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
	    if (argc > 3)
	        later();
	#endif
	    MPI_Finalize();
	    return other != MPI_COMM_NULL;
	}
	END
    "$tools/logp-cc" -Werror -shared later.c -o liblater.so
    "$tools/logp-cc" -Werror -g needs.c -o needs -L. -llater -Wl,-rpath,"$PWD"
    "$tools/logp-cc" -DNONE needs.c -o none
    expect 1 './needs: functions of MPI that it needs and that are not there:' --dry-run -P 4 ./needs
    diff <(tail -n +2 out) <(printf '  %s\n' MPI_Buffer_flush MPI_Comm_accept MPI_Comm_connect PMPI_Comm_join) ||
        fail 'other functions are missing'
    expect 0 './none: all functions of MPI that it needs are there' --dry-run ./none
    expect 2 'it is not an executable' --dry-run ./later.c
    expect 0 '' -q -P 2 ./needs
    expect 1 'MPI_Buffer_flush is not there: logp mpirun --dry-run lists all' -q -P 2 ./needs x
    expect 17 '' -P 4 ./ends code
    # messages of collectives that the queues do not take: the call, its line, the limit and what to type
    for clock in wall virtual; do
        expect 2 "MPI_Bcast: invalid count: a message is longer than the limit of the queues, which is 1048576 bytes (type a larger one" \
            --clock $clock -L 5us --queue-limit 1MiB --algo broadcast=flat -P 4 ./ends large
        grep -qF "$(line 'MPI_Bcast(large')" said || fail 'the line of a message that is too long'
        expect 39 "MPI_Alltoall: no memory: the queues are full: their limit is 1048576 bytes; type a larger one" \
            --clock $clock -L 5us --queue-limit 1MiB --algo alltoall=linear -P 8 ./ends full
        expect 0 '' --clock $clock -L 5us --queue-limit 64MiB -P 8 ./ends full
        expect 0 '' --clock $clock -L 5us --queue-limit 64MiB --algo broadcast=flat -P 4 ./ends large
    done
    expect 16 'MPI_Bcast: other error: the time of the model passes 2^63 ns' --clock virtual -L 5us -G 1000s --algo broadcast=flat -P 8 ./ends large
    build tool.c
    expect 0 '' -P 3 --clock virtual -L 6us ./tool 6000
    expect 0 '' -P 2 ./tool
    ./tool || fail 'the tool information interface, by itself'
    build errors.c
    expect 77 'errors: all hold' -P 3 ./errors delete
    expect 3 'MPI_Comm_call_errhandler: out of cheese' -P 1 ./errors fatal
    for clock in '--clock wall' '--clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 1 "rank 0 in MPI_Recv, for a message from rank 1 with tag 7 $(line '1 - me, 7')" $clock -P 4 ./ends deadlock
        grep -qF "rank 2 in MPI_Ssend, sending to rank 0 with tag 8 $(line '0, 8, MPI')" said &&
            grep -q "rank 3 in MPI_Barrier.*$(line Barrier)" said || fail 'the others of a deadlock'
        ! grep 'Barrier.* tag ' said || fail 'a barrier has no tag'
    done
    for options in '-P 2' '-P 2 --executor thread' '-P 2 --clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 1 ': collectives differ: rank ' $options ./ends differ
        grep -qF 'MPI_Bcast() of 4, root 0' said && grep -qF 'MPI_Barrier()' said || fail 'both calls'
    done
    expect 1 'MPI_Gatherv: collectives differ: ' -P 2 ./ends lengths
    at() { grep -nF -- "$1" "$here/ends.c" | head -1 | sed 's/\(^[0-9]*\).*/(ends.c:\1)/'; }
    expect 0 "rank 1: MPI_Irecv: a request of MPI_Irecv $(at 'MPI_Irecv(all') that is not complete uses this buffer $(at 'MPI_Irecv(all'); more" \
        -P 2 ./ends shares
    expect 0 '' -P 2 --check off ./ends shares
    [ ! -s out.err ] || fail '--check off says something'
    expect 0 'MPI_Sendrecv: the buffers to send and to receive overlap' -P 2 ./ends exchanges
    build requests.c
    line() { grep -nF -- "$1" "$here/requests.c" | head -1 | sed 's/\(^[0-9]*\).*/(requests.c:\1)/'; }
    for options in '-P 4' '-P 3 --executor thread' '-P 4 --clock virtual -L 5us' '-P 4 --check off'; do
        # shellcheck disable=SC2086
        expect 0 '' $options ./requests right
        [ ! -s out.err ] || fail "a right program is blamed with $options"
    done
    expect 0 "rank 1: MPI_Finalize: a request of MPI_Irecv has not been waited for $(line Irecv)" -P 4 ./requests receive
    for clock in '--clock wall' '--clock virtual -L 5us --compute measured'; do
        # shellcheck disable=SC2086
        expect 0 "rank 0: MPI_Finalize: a request of MPI_Isend has not been waited for $(line Isend)" $clock -P 2 ./requests send
    done
    expect 0 "rank 0: MPI_Finalize: a request of MPI_Send_init is persistent and has not been freed $(line Send_init)" \
        -P 2 ./requests persistent
    for options in '-P 40' '-P 4 --executor thread' '-P 4 --clock virtual -L 5us'; do # once for all ranks, with their number
        n=${options#-P }
        n=${n%% *}
        # shellcheck disable=SC2086
        expect 0 "MPI_Finalize: $((3 * n)) requests of MPI_Recv_init on $n ranks are persistent and have not been freed $(line Recv_init)" \
            $options ./requests many
        grep -qxF "rank 1: MPI_Finalize: 3 requests of MPI_Ssend_init are persistent and have not been freed $(line Ssend_init)" said &&
            [ "$(grep -c . said)" -eq 2 ] || fail 'persistent requests of all ranks'
    done
    expect 0 "rank 3: MPI_Finalize: a request of MPI_Ibarrier has not been waited for $(line Ibarrier)" -P 4 ./requests barrier
    expect 7 "rank 1: MPI_Waitall: invalid request: the request that MPI_Isend made is complete or has been freed $(line Waitall\(1)" \
        -P 2 ./requests twice
    expect 7 "rank 1: MPI_Test: invalid request: the request that MPI_Isend made is complete or has been freed $(line 'Test(&copy')" \
        -P 2 ./requests twice-test
    expect 7 "rank 1: MPI_Wait: invalid request: the request that MPI_Isend made is complete or has been freed $(line 'Wait(&copy')" \
        -P 2 ./requests freed
    expect 0 '' --check off -P 4 ./requests receive
    [ ! -s out.err ] || fail '--check off says something'
    build ends.c "bare -g0"
    expect 1 'rank 0 in MPI_Recv, for a message from rank 1 with tag 7 (main+0x' -P 4 ./bare deadlock
    strip bare
    expect 1 'rank 0 in MPI_Recv, for a message from rank 1 with tag 7 (bare+0x' -P 4 ./bare deadlock
    # names of C++ are those of the source
    cat >names.cc <<-'END'
	#include <mpi.h>
	#include <locale>
	namespace area {
	template <class T> struct grid {
	    __attribute__((noinline)) void fill(T *x, int) { MPI_Recv(x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); *x += 1; }
	};
	template struct grid<int>;
	}
	int main(int argc, char **argv)
	{
	    int x = argc;
	    MPI_Init(&argc, &argv);
	#ifdef COPIED
	    x = &std::numpunct<char>::id != nullptr;
	#endif
	    area::grid<int>().fill(&x, 1);
	    MPI_Finalize();
	}
	END
    "$tools/logp-cc" -g0 names.cc -o names
    expect 1 'rank 0 in MPI_Recv, for a message from rank 0 with tag 7 (area::grid<int>::fill(int*, int)+0x' -P 1 ./names
    if "$tools/logp-cc" -fPIE -DCOPIED names.cc -o copied && readelf -r copied | grep -q 'COPY.*numpunct'; then
        expect 2 'it has a copy of the C++ object std::numpunct<char>::id' -P 1 ./copied
    fi
    ;;
options)
    # a tool that stands before MPI sees the program's calls, each once, and none of the library's own
    cat >tool.c <<-'END'
	#define _GNU_SOURCE
	#include <link.h>
	#include <mpi.h>
	#include <stdio.h>
	#include <string.h>
	static int count(struct dl_phdr_info *info, size_t size, void *n)
	{
	    const char *name = strrchr(info->dlpi_name, '/');
	    *(int *)n += name != NULL && strcmp(name, "/ring") == 0 && info->dlpi_phnum > 0;
	    return 0;
	}
	int MPI_Comm_size(MPI_Comm comm, int *size)
	{
	    int images = 0;
	    dl_iterate_phdr(count, &images);
	    fprintf(stderr, "MPI_Comm_size is called in one of %d images\n", images);
	    return PMPI_Comm_size(comm, size);
	}
	END
    cc -shared -fPIC -I"$tools/mpi/include" tool.c -o tool.so
    build "../../docs/examples/ring.c" ring
    for check in on off; do
        LD_PRELOAD=$PWD/tool.so expect 0 'ranks, sum' --check $check -P 3 ./ring
        [ "$(grep -c 'is called in one of 3 images' out.err)" -eq 3 ] || fail "--check $check: a tool does not see each call"
    done
    # a tool that is linked with MPI brings the library into each command of its environment, where it changes nothing
    cat >linked.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	static int sends;
	int MPI_Send(const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
	{
	    __atomic_fetch_add(&sends, 1, __ATOMIC_RELAXED);
	    return PMPI_Send(buf, n, type, to, tag, comm);
	}
	int MPI_Finalize(void)
	{
	    int rank;
	    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	    PMPI_Barrier(MPI_COMM_WORLD);
	    if (rank == 0)
	        printf("sends seen: %d\n", sends);
	    return PMPI_Finalize();
	}
	END
    "$tools/logp-cc" -shared -fPIC linked.c -o linked.so
    LD_PRELOAD=$PWD/linked.so expect 0 'sends seen: 3' -P 4 ./ring
    LD_PRELOAD=$PWD/linked.so ./ring | grep -qx 'sends seen: 0' || fail 'a tool with a program by itself'
    [ "$(LD_PRELOAD=$PWD/linked.so sh -c 'echo here; exit 3'; echo $?)" = $'here\n3' ] || fail 'a tool in a shell'
    # nodes and links: the token crosses between nodes twice, and from 0 to 1 once
    while read -r us options; do
        # shellcheck disable=SC2086
        expect 0 "8 ranks, sum 36, $us us" -P 8 -L 1us -o 500ns --clock virtual $options ./ring
    done <<-'END'
	130
	96 --nodes 2x4 --inter L=20us
	217 --link 0-1:L=50us
	END
    # a rank waits for a message that was lost by --fault
    expect 1 '--fault: drop: message 1 of rank 0, to rank 1' -P 8 -L 1us --clock virtual --fault drop:1 ./ring
    # all ranks get the same bits of an allreduce, unless they may differ; integers may have any algorithm
    build collectives.c
    model='-L 6us -o 2us -g 4us --clock virtual'
    for P in 3 5 6 7 8; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' -P $P $model ./collectives
    done
    # shellcheck disable=SC2086
    expect 3 'memcmp(of_first, own, bytes) == 0 does not hold' -P 3 $model --same-results no ./collectives
    # shellcheck disable=SC2086
    expect 0 'allreduce=census does not apply to 3 ranks: it needs an operation whose result does not depend on the order' \
        -P 3 $model --algo allreduce=census ./collectives
    expect 2 '--same-results maybe: one of: yes, no' --same-results maybe ./collectives
    # no host wakes 64 ranks of one core in turn within 100 ns each, and then says so as logp run does
    expect 0 'logp: the host could not keep up: the ranks ended ' -P 64 --cores 0 -L 100ns -o 50ns ./ring
    grep -q '^64 processors share 1 core. Processors whose waits end at the same time run one after the other. Try:' out.err &&
        grep -qE '^  --clock virtual +exact, without waiting$' out.err || fail 'no advice'
    for options in '-q -P 64 --cores 0 -L 100ns' '-P 64' '-P 64 -L 100ns --clock virtual'; do
        # shellcheck disable=SC2086
        expect 0 '' $options ./ring
        [ ! -s out.err ] || fail "advice with $options"
    done
    build computes.c
    # what is computed takes at least 20 ms of the processor
    while read -r how least; do
        expect 0 '' -P 3 --clock virtual --real-clocks -L 5us --compute $how ./computes
        [ "$(grep -c computed out)" -eq 3 ] &&
            awk -v least=$least '$2 < least || (least == 0 && $2 > 0) { exit 1 }' out || fail "--compute $how"
    done <<-'END'
	none 0
	measured .02
	x0.5 .01
	x1000 20
	END
    # work that takes no time is named, once, unless it was asked for
    free='computing takes no time on this clock, though a rank has computed for'
    for options in '' '--executor thread' '--check off'; do
        # shellcheck disable=SC2086
        expect 0 "logp: $free" -P 3 --clock virtual --real-clocks -L 5us $options ./computes long
        [ "$(grep -c . out.err)" -eq 1 ] && grep -q 'ms; to charge it, type --compute measured$' out.err || fail "free work: $options"
    done
    for options in '--compute none' '--compute measured' -q '-L 100s'; do
        # shellcheck disable=SC2086
        expect 0 '' -P 3 --clock virtual --real-clocks -L 5us $options ./computes long
        [ ! -s out.err ] || fail "free work is named with $options"
    done
    expect 0 '' -P 3 --clock virtual -L 5us ./ring
    [ ! -s out.err ] || fail 'a ring computes for long'
    expect 2 'is for --clock virtual' --compute measured ./computes
    for how in x 3x x-1 x0 some; do
        expect 2 "--compute $how: must be none, measured, or a factor" --clock virtual --compute $how ./computes
    done
    for executor in thread fiber; do
        expect 0 'sum ' -P 2 --executor $executor --stack 4MiB ./computes deep
        expect 139 'has exceeded its stack of 65536 bytes' -P 2 --executor fiber --stack 64KiB ./computes deep
    done
    expect 2 '--stack 1: must be a number of bytes, 16KiB .. 1TiB' --stack 1 ./computes
    code=0
    PATH=/nowhere "$tools/logp" mpirun --gdb ./computes >said 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- '--gdb: gdb cannot be started' said || fail 'no gdb'
    # an option after the program is the program's, and that is said where the command has one of this name
    expect 0 '--clock is after /bin/true, so the program gets it' -P 2 /bin/true --clock virtual
    expect 0 '-P is after /bin/true, so the program gets it' /bin/true -P 2
    expect 0 '' -P 2 /bin/true --seed 3
    ! grep -q 'is after' said || fail 'a seed is noted'
    ;;
report)
    build reported.c
    line() { grep -nF -- "$1" "$here/reported.c" | sed 's/\(^[0-9]*\).*/(reported.c:\1)/'; }
    model='-P 4 -L 6us -o 2us -g 4us -G 1ns'
    says() { grep -qF -- "$1" "$2" || { cp "$2" said; fail "$2 does not say: $1"; }; }
    # shellcheck disable=SC2086
    expect 0 '' $model --clock virtual --report r.txt ./reported
    [ ! -s said ] || fail 'a report says something'
    # Rank 0 waits from the call on. Rank 1 sleeps 100 us first; its second and third sends come after a barrier and
    # a broadcast that end at different times on both.
    says "rank 0 in MPI_Recv $(line 'waits') waited" r.txt
    says "until rank 1 called MPI_Send $(line 'late'); messages: 3" r.txt
    says 'rank 0 waited' r.txt
    says 'with the barrier of MPI_Finalize; ' r.txt
    says "Command: logp mpirun $model --clock virtual --report r.txt ./reported" r.txt
    says 'Parameters: L 6 us, o 2 us, g 4 us, G 1 ns/byte' r.txt
    says "Host: $(uname -n), " r.txt
    says "Date: $(date +%Y)-" r.txt
    ! grep -q '^and .* more ' r.txt || fail 'more than there are'
    # the dissemination barrier of 4: 2 rounds of L + 2 o, as all arrive at one time
    says '20 us      20 us  dissemination in MPI_Finalize' r.txt
    # shellcheck disable=SC2086
    expect 0 '' $model --clock virtual --report r.json --trace r.svg ./reported
    grep -q '<svg' r.svg || fail 'a trace beside a report'
    python3 - <<-'END' || fail 'the figures of r.json'
	import json
	d = json.load(open("r.json"))
	assert d["P"] == 4 and len(d["ranks"]) == 4 and d["dropped"] == 0
	assert d["command"].startswith("logp mpirun -P 4 ") and d["L_ns"] == 6000 and d["G_ns_per_byte"] == 1 and d["host"] and d["date"]
	# the messages of the run as a schedule take what the run took
	assert d["what_if"]["ns"] == d["end_ns"] > 300000, d["what_if"]
	# each line is the time around the value of the run, and at half of it T is less
	for curve in d["what_if"]["curves"]:
	    def at(ps):
	        return max(x["base_ps"] + x["slope"] * ps for x in curve["lines"])
	    assert abs(at(curve["at_ps"]) / 1000 - d["end_ns"]) < 1000, curve
	    assert at(curve["at_ps"] // 2) < at(curve["at_ps"])
	    # and as much longer as is tolerated with the value that is
	    for t in curve["tolerance"]:
	        longer = at(curve["at_ps"]) * (100 + t["percent"]) // 100
	        assert at(curve["at_ps"] + t["growth_ps"]) <= longer < at(curve["at_ps"] + t["growth_ps"] + 1), (curve, t)
	    assert [t["percent"] for t in curve["tolerance"]] == [1, 2, 5]
	assert [c["parameter"] for c in d["what_if"]["curves"]] == ["L", "o", "g", "G"]
	# sums agree: of messages by rank and by pair, and of 3 messages of 4 bytes from 1 to 0
	assert d["messages"] == sum(p["messages"] for p in d["pairs"]) == sum(r["messages"] for r in d["ranks"])
	assert d["bytes"] == sum(p["bytes"] for p in d["pairs"]) == sum(r["bytes"] for r in d["ranks"])
	late = [x for x in d["late"] if x["received"].startswith("MPI_Recv")]
	assert len(late) == 1 and late[0]["from"] == 1 and late[0]["to"] == 0 and late[0]["messages"] == 3, late
	assert 300000 <= late[0]["late_ns"] <= 400000, late
	calls = {c["call"]: c for c in d["calls"]}
	assert [r[0] for r in calls["MPI_Bcast"]["ranks"]] == [3] * 4
	assert [r[0] for r in calls["MPI_Send"]["ranks"]] == [0, 3, 0, 0]
	assert len([c for c in d["calls"] if c["call"] == "MPI_Barrier"]) == 2, "two places"
	assert sum(r["call_ns"] for r in d["ranks"]) == sum(r[1] for c in d["calls"] for r in c["ranks"])
	last = [c for c in d["collectives"] if c["call"] == "MPI_Allreduce"]
	assert last[0]["mean_ns"] == last[0]["predicted_ns"] and last[0]["bytes"] == 4 and last[0]["n"] == 1, last
	assert [c["started"] for c in d["collectives"] if c["call"] == "MPI_Iallgather"] == [True]
	END
    # when ranks call a collective, and what it takes then: as the prediction for these arrivals
    cat >late.c <<-'END'
	#include <mpi.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
	    int me, sum;
	    MPI_Init(&argc, &argv);
	    MPI_Comm_rank(MPI_COMM_WORLD, &me);
	    usleep(10u * (unsigned)(me ^ 2));
	    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	    return MPI_Finalize();
	}
	END
    "$tools/logp-cc" late.c -o late || fail 'late.c is not compiled'
    # shellcheck disable=SC2086
    expect 0 '' $model --clock virtual --algo allreduce=ring --report late.json ./late
    # shellcheck disable=SC2086
    logp predict allreduce --algo ring --count 1 --type int32 $model --arrival late.json --format json >predicted.json
    python3 - <<-'END' || fail 'when ranks arrive'
	import json
	d, p = json.load(open("late.json")), json.load(open("predicted.json"))[0]
	assert d["arrivals_ns"] == [20000, 30000, 0, 10000], d["arrivals_ns"]
	took = [c["mean_ns"] for c in d["collectives"] if c["call"] == "MPI_Allreduce"]
	assert took == [p["predicted_ns"] - 30000] and p["prediction"] == "exact", (took, p["predicted_ns"])
	END
    # a page says how many entries its lists leave out: 40 ranks have more pairs than a list holds
    expect 0 '' -P 40 -L 6us -o 2us --clock virtual --report r.html ./reported
    expect 0 '' -P 40 -L 6us -o 2us --clock virtual --report r.json ./reported
    python3 - <<-'END' || fail 'a list of the page that stops silently'
	import json, re
	d, page = json.load(open("r.json")), open("r.html").read()
	def rows(title):
	    return page.split(f'<caption class="hidden">{title}</caption>')[1].split("</table>")[0].count("<tr>") - 1
	def more(what):
	    found = re.findall(rf"([0-9]+) more {what}; --report FILE.json has all", page)
	    return int(found[0]) if found else 0
	waits = [p for p in d["pairs"] if p["wait_ns"] > 0]
	for title, what, all in (("The longest waits", "pairs of ranks waited", waits),
	                         ("Late senders", "late senders", d["late"]),
	                         ("The pairs with most bytes", "pairs of ranks", d["pairs"])):
	    assert len(all) > 20 and rows(title) + more(what) == len(all), (title, rows(title), more(what), len(all))
	END
    # nothing emulated, other executors, a failing program, a sub-communicator
    for options in '-P 2' '-P 3 --executor thread' '-P 5 -L 6us --check off' '-P 4 -L 6us --topology ring' \
        '-P 4 --clock virtual -L 6us --compute x2' '-P 40'; do
        # shellcheck disable=SC2086
        expect 0 '' $options --report r.html ./reported
        grep -q '</html>' r.html || fail "no page with $options"
    done
    grep -q 'id="what-if"' r.html && fail 'an empty section'
    expect 0 '' -P 40 -L 6us --clock virtual --report r.txt ./reported
    grep -qE '^and [0-9]+ more pairs of ranks; --report FILE.json has all$' r.txt || fail 'pairs that are not listed'
    expect 0 ': all hold' -P 5 --clock virtual -L 6us --report r.html "$(build communicators.c && echo ./communicators)"
    build ends.c
    expect 1 'deadlock: all ranks wait' -P 4 --clock virtual -L 6us --report r.txt ./ends deadlock
    says 'rank 0 waited' r.txt
    expect 2 'whose name ends in .html, .json or .txt' -P 4 --report r.pdf ./reported
    expect 2 'a report is of one run' -P 4 --explore 3 --report r.txt ./reported
    # --algo
    # shellcheck disable=SC2086
    expect 0 '' $model --clock virtual --algo allreduce=ring --algo bcast=flat --report r.txt ./reported
    says 'ring in MPI_Allreduce' r.txt
    says 'flat in MPI_Bcast' r.txt
    says 'dissemination in MPI_Barrier' r.txt
    expect 0 'allreduce=shared does not apply to 3 ranks: it needs delay none' -P 3 -L 6us --algo allreduce=shared ./reported
    for program in collectives persistent; do
        build $program.c
        for algo in allreduce=ring,bcast=binomial,reduce=binomial allgather=ring,alltoall=linear,scan=binomial; do
            expect 0 ': all hold' -P 6 -L 6us --clock virtual --algo $algo ./$program
            expect 0 ': all hold' -P 6 --algo $algo ./$program
        done
    done
    expect 2 'did you mean ring?' -P 4 --algo allreduce=rign ./reported
    # a parameter: a k-nomial tree is binomial with k = 2, and flat with k = P; one block is no pipeline
    bcast_takes() {
        expect 0 '' -P 8 -L 6us -o 2us -g 4us -G 1ns --clock virtual --algo "$1" --report r.json ./reported
        jq -c '[.collectives[] | select(.call == "MPI_Bcast") | [.mean_ns, .predicted_ns]]' r.json
    }
    [ "$(bcast_takes bcast=knomial:k=2)" = "$(bcast_takes bcast=binomial)" ] || fail 'knomial:k=2 is not binomial'
    [ "$(bcast_takes bcast=knomial:k=8)" = "$(bcast_takes bcast=flat)" ] || fail 'knomial:k=8 is not flat'
    [ "$(bcast_takes bcast=chain-pipelined:block=8Ki)" = "$(bcast_takes bcast=chain)" ] || fail 'one block is a pipeline'
    [ "$(bcast_takes bcast=binomial)" != "$(bcast_takes bcast=flat)" ] || fail 'binomial takes what flat takes'
    [ "$(bcast_takes allreduce=ring,bcast=knomial:k=2,k=8,scan=binomial)" = "$(bcast_takes bcast=flat)" ] ||
        fail 'the last k does not hold'
    expect 0 ': all hold' -P 6 -L 6us --clock virtual --algo bcast=knomial:k=3,reduce=knomial:k=4 ./collectives
    expect 2 'broadcast=knomial:k=N with a whole number >= 1, or sqrt' -P 4 --algo bcast=knomial:k=0 ./reported
    expect 2 'broadcast=knomial:k=N with a whole number >= 1, or sqrt' -P 4 --algo bcast=knomial:k ./reported
    expect 2 'broadcast=knomial:NAME=VALUE with a parameter; did you mean k? one of: k' -P 4 --algo bcast=knomial:kk=3 ./reported
    expect 2 'broadcast=knomial:NAME=VALUE with a parameter; one of: k' -P 4 --algo bcast=knomial:work=3 ./reported
    expect 2 'ring has no parameters; type allreduce=ring' -P 4 --algo allreduce=ring:k=3 ./reported
    expect 2 'COLLECTIVE=NAME with a collective' -P 4 --algo k=4 ./reported
    expect 2 'with a collective; one of: barrier, broadcast, scatter' -P 4 --algo sum=ring ./reported
    expect 2 'allreduce=NAME with an algorithm; one of: ' -P 4 --algo allreduce ./reported
    ;;
bugs)
    build bugs.c
    at() { grep -nF -- "$1" "$here/bugs.c" | head -1 | sed 's/\(^[0-9]*\).*/(bugs.c:\1)/'; }
    for options in '-P 4' '-P 3 --executor thread' '-P 2 --clock virtual -L 5us -o 2us' '-P 4 --rendezvous 0' \
        '-P 3 --clock virtual -L 5us --compute measured' '-q -P 3 -L 5us --check off'; do
        # shellcheck disable=SC2086
        expect 0 '' $options --checksum ./bugs
        [ ! -s out.err ] || fail "a right program is blamed with $options"
    done
    for options in '-P 3 --clock virtual -L 5us' '-q -P 6 -L 5us --executor thread'; do
        # shellcheck disable=SC2086
        expect 0 '' $options ./bugs pairs
        [ ! -s out.err ] || fail "a datatype of operations on their way is left or lost with $options"
    done
    # what is left: each place once, and nothing with --check off
    while read -r what maker; do
        expect 0 "MPI_Finalize: the $what of MPI_$maker has not been freed $(at "MPI_$maker(")" -P 4 ./bugs left $what
        [ "$(grep -c . out.err)" -eq 1 ] || fail "$what: more than one line"
        expect 0 '' -P 4 --check off ./bugs left $what
        [ ! -s out.err ] || fail "$what: --check off says something"
    done <<-'END'
	communicator Comm_split
	datatype Type_vector
	group Comm_group
	operation Op_create
	info Info_create
	window Win_create
	END
    for what in 'error handler:Comm_create_errhandler' 'attribute key:Comm_create_keyval'; do
        expect 0 "MPI_Finalize: the ${what%:*} of MPI_${what#*:} has not been freed $(at "MPI_${what#*:}(")" \
            -P 4 ./bugs left "${what%:*}"
        [ "$(grep -c . out.err)" -eq 1 ] || fail "$what: more than one line"
    done
    # --check fail: whatever is named, the exit code is 1, also of explored runs; it is the program's own if that is not 0
    for options in '-P 4' '-P 3 --executor thread' '-P 3 --clock virtual -L 5us' '-P 3 --explore 4'; do
        for what in 'left datatype' message types 'returned request' 'share waits' 'written Isend' 'disagree members'; do
            # shellcheck disable=SC2086
            expect 1 'rank ' --check fail $options ./bugs $what
            grep -qE '^rank [0-9]: MPI_' said || fail "--check fail $options ./bugs $what: nothing is named"
        done
        # shellcheck disable=SC2086
        expect 0 '' --check fail $options ./bugs
    done
    expect 5 'has not been freed' -P 1 --check fail ./bugs left datatype 5
    expect 24 "MPI_Win_create: invalid base: the memory of the window is null, but its size is 32 $(at '/* null */')" -P 2 ./bugs null
    for options in '-P 3' '-P 2 --executor thread' '-P 2 --clock virtual -L 5us'; do
        for what in 'request:Wait:buffer of MPI_Isend' 'window:Win_free:memory of the window of MPI_Win_create'; do
            local=$(at "/* local ${what%%:*} */")
            # shellcheck disable=SC2086
            expect 0 "the ${what##*:} $local is a local variable of a function that has returned $(at "/* ${what%%:*} too late */")" \
                $options ./bugs returned "${what%%:*}"
        done
        # shellcheck disable=SC2086
        logp mpirun $options ./bugs order-of >said 2>&1 || : # it may end in a deadlock
        grep -qE 'calls a (non)?blocking collective \(bugs.c:[0-9]+\) in its place \(bugs.c:[0-9]+\); more' said ||
            fail "$options: two orders"
        # shellcheck disable=SC2086
        expect 1 'MPI_Finalize()' $options ./bugs alone
        grep -qF 'collectives differ: ' said && grep -qF 'MPI_Barrier()' said || fail 'a barrier of one rank alone'
        # shellcheck disable=SC2086
        expect 0 "MPI_Get: conflicts at rank" $options ./bugs around
        grep -qF "$(at '/* around */')" said || fail 'the line of what gets around'
    done
    expect 0 '' -P 3 ./bugs relies
    expect 1 "rank 0 in MPI_Bcast, for the other ranks $(at '/* may wait */')" -P 2 --rendezvous 0 ./bugs relies
    expect 1 "rank 1 in MPI_Recv $(at '/* before */')" -P 2 --rendezvous 0 --explore 3 ./bugs relies
    expect 0 "the datatype of MPI_Type_vector has not been freed $(at '&type); /* left */')" -P 3 --clock virtual -L 5us \
        --compute measured ./bugs left datatype
    expect 5 "MPI_Comm_rank: invalid communicator: the communicator is null or has been freed" -P 2 ./bugs freed comm
    expect 3 "MPI_Type_size: invalid datatype: the datatype is null or has been freed" -P 2 ./bugs freed type
    expect 9 "MPI_Group_size: invalid group: the group is null or has been freed" -P 2 ./bugs freed group
    for options in '-P 3' '-P 2 --clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 0 "rank 0: MPI_Finalize: a message of 12 bytes from rank 1 with tag 9 has not been received $(at '/* never received */')" \
            $options ./bugs message
        # shellcheck disable=SC2086
        expect 0 "rank 0: MPI_Wait: the buffer of MPI_Isend $(at '/* written */') was written before the operation was complete $(at '/* complete */')" \
            $options --checksum ./bugs early
        # shellcheck disable=SC2086
        expect 0 '' $options ./bugs early # not in a row
        [ ! -s out.err ] || fail 'bugs early is blamed without --checksum'
        for what in Isend Iallreduce Put; do
            ends="Wait:until here"
            [ $what != Put ] || ends="Win_fence:until the fence"
            # shellcheck disable=SC2086
            expect 0 "rank 0: MPI_${ends%:*}: the buffer of MPI_$what $(at "/* $what */") was written before the operation was complete $(at "/* ${ends#*:} */")" \
                $options ./bugs written $what
        done
        for way in types order bytes gathered scattered; do
            # shellcheck disable=SC2086
            expect 0 "rank 1: MPI_Recv: the message from rank 0 with tag 3 $(at '/* sent */') has another type signature than " \
                $options ./bugs $way
            grep -qF "$(at '/* received */'); more such messages are not named" said || fail "$way: the line of the receive"
        done
        # shellcheck disable=SC2086
        expect 0 'in the same epoch; more conflicts are not named' $options ./bugs conflict
        grep -qF "$(at '/* one */')" said && grep -qF "$(at '/* other */')" said || fail 'the lines of a conflict'
        # shellcheck disable=SC2086
        expect 0 "in the same epoch: their operations differ; more conflicts are not named" $options ./bugs ops
        grep -qF "MPI_Accumulate: conflicts at rank 0 $(at '/* op */') with MPI_Accumulate of rank" said || fail 'the lines of two accumulates'
        # shellcheck disable=SC2086
        expect 0 'MPI_Get: conflicts at rank 0' $options ./bugs locked
        # shellcheck disable=SC2086
        expect 1 'with another operation' $options ./bugs operations
    done
    while read -r what says; do # without delays, since operations come later with them
        for options in '-P 3' '-P 2 --executor thread' '-P 4 --cores 0'; do
            # shellcheck disable=SC2086
            expect 0 "$says" $options ./bugs target $what
        done
    done <<-END
	after rank 0: MPI_Win_fence: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	before rank 1: MPI_Put: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	locked rank 1: MPI_Win_unlock: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	got rank 1: MPI_Win_fence: the buffer of MPI_Get $(at '/* got */') was written before the operation was complete $(at '/* fenced */')
	END
    for options in '-P 3' '-P 2 --clock virtual -L 5us'; do
        while read -r what said_of; do
            # shellcheck disable=SC2086
            expect 0 "${said_of//@/$(at "/* $what */")}" $options ./bugs disagree $what
            grep -qF '; more such ' said || fail "$what: that it is said once"
        done <<-'END'
	put MPI_Put: the type signatures of the origin (8 bytes of MPI_DOUBLE) and of the target (8 bytes of MPI_LONG) differ @
	itself MPI_Alltoall: the type signatures of the data sent to itself (8 bytes of MPI_DOUBLE) and of the data received (8 bytes of MPI_LONG) differ @
	members calls it with another type signature @ than MPI_
	root MPI_Gather: rank
	duplicate calls it with another type signature @ than MPI_
	later calls it with another type signature @ than MPI_
	grouped calls it with another type signature @ than MPI_
	merged calls it with another type signature @ than MPI_
	started MPI_Scatter_init: rank
	gatherv rank 0: MPI_Igatherv: the data from rank 1 @ have another type signature than MPI_LONG @
	short rank 0: MPI_Gatherv: rank 1 sends 0 bytes where 8 are expected @
	END
        while read -r what call by; do
            # shellcheck disable=SC2086
            expect 0 "MPI_$call: a request of MPI_$by $(at "/* $what by */") that is not complete uses this buffer $(at "/* $what */"); more" \
                $options ./bugs share $what
        done <<-'END'
	taken Iallreduce Irecv
	reduced Irecv Iallreduce
	gathered Isend Iallgather
	twice Ibcast Ibcast
	waits Bcast Irecv
	END
        # shellcheck disable=SC2086
        expect 0 "MPI_Send: a request of MPI_Irecv $(at '/* sent by */') that is not complete uses this buffer $(at '/* sent now */'); more" \
            $options ./bugs share sent
        # shellcheck disable=SC2086
        expect 0 "MPI_Recv: a request of MPI_Isend $(at '/* received by */') that is not complete uses this buffer $(at '/* received now */'); more" \
            $options ./bugs share received
        while read -r what call it by; do
            # shellcheck disable=SC2086
            expect 0 "MPI_$call: ${it/\~/ } of MPI_$by $(at "/* $what by */") that is not complete uses this buffer $(at "/* $what */"); more" \
                $options ./bugs origin $what
        done <<-'END'
	fetched Get an~operation Get
	replaced Irecv an~operation Put
	added Accumulate a~request Irecv
	read Send an~operation Get
	END
        # shellcheck disable=SC2086
        expect 15 "rank 0: MPI_Gatherv: message truncated: rank 1 sends 16 bytes where 8 are expected $(at '/* long */')" \
            $options ./bugs disagree long
        # shellcheck disable=SC2086
        expect 0 "rank 1: MPI_Irecv: the message from rank 0 with tag 4 $(at '/* sends */') has another type signature than MPI_LONG $(at '/* posted */')" \
            $options ./bugs disagree irecv
        # shellcheck disable=SC2086
        expect 1 "rank 0 in MPI_Win_lock, for a lock that another rank holds $(at '/* next */')" $options ./bugs locks
    done
    for options in '--clock virtual -L 5us --compute x1' '--report r.txt'; do
        # shellcheck disable=SC2086
        expect 0 "rank 1: MPI_Recv: the message from rank 0 with tag 3 $(at '/* sent */') has another type" -P 2 $options ./bugs types
        # shellcheck disable=SC2086
        expect 0 "calls it with another type signature $(at '/* members */') than" -P 2 $options ./bugs disagree members
    done
    expect 15 'MPI_Gather: message truncated: 8 bytes are sent to each rank and 4 received' -P 2 ./bugs own
    for what in free lock lock_all; do
        expect 50 "rank 0: MPI_Win_$what: no such epoch: an operation has been started since the last MPI_Win_fence; call it again first $(at "/* $what after put */")" \
            -P 2 ./bugs fence $what
    done
    expect 7 "MPI_Request_free: invalid request: the request of a collective may not be freed; wait for it $(at '/* forget */')" \
        -P 2 ./bugs forget
    # buffers that are longer than their block of malloc()
    build blocks.c 'blocks -Wno-stringop-overflow -Wno-stringop-overread -Wno-use-after-free'
    of() { grep -nF -- "/* $1 */" "$here/blocks.c" | sed 's/\(^[0-9]*\).*/(blocks.c:\1)/'; }
    for options in '-P 3' '-P 2 --executor thread' '-P 4 --clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./blocks
        [ ! -s out.err ] || fail "a right buffer is blamed with $options"
        n=${options#-P }
        n=${n%% *}
        # shellcheck disable=SC2086
        expect 0 "rank 0: MPI_Scatter: a buffer has $((8000 * n)) bytes, but the block of malloc() that it begins has" \
            $options ./blocks rows
        grep -qF "$(of rows); rows that are allocated one by one are not one block" said || fail 'the line of rows'
        for call in Send Recv Irecv Bcast Allreduce; do
            for bytes in 40 1000 100008; do
                # shellcheck disable=SC2086
                expect 0 "rank 0: MPI_$call: a buffer has $((bytes + 16)) bytes, but the block of malloc() that it begins has $bytes $(of $call)" \
                    $options ./blocks $call $bytes
            done
        done
    done
    expect 0 '' --check off -P 2 ./blocks rows
    [ ! -s out.err ] || fail 'blocks: --check off says something'
    # each function with one wrong argument at a time
    mpi=$here/../../tools/mpi
    awk -v functions="$mpi/functions.txt" -f "$mpi/functions.awk" -f "$here/wrong.awk" >wrong.c
    "$tools/logp-cc" -O1 -g wrong.c -o wrong || fail 'wrong.c is not compiled'
    expect 0 'wrong arguments: all hold' -P 1 ./wrong
    [ "$(sed 's/.*hold, \([0-9]*\) calls.*/\1/' out)" -gt 600 ] || fail 'too few calls with wrong arguments'
    [ ! -s out.err ] || fail 'wrong arguments leave something'
    export LOGP_REPLAY_DIR=kept
    expect 1 'a message of 12 bytes from rank 1 with tag 9 has not been received' -P 3 --explore 5 ./bugs message
    grep -qF '1 message was never received' said || fail 'the kit on a message'
    # a rank that crashes leaves others waiting
    expect 1 'rank 1 crashes' -P 3 --explore 500 --faults 1 ./bugs
    expect 2 '--faults is for --explore RUNS' -P 3 --faults 1 ./bugs
    # a message that is lost leaves its receiver waiting; one that comes twice is left
    build explored.c
    expect 1 'is lost (default' -P 3 --explore 200 --faults lost=1 ./explored
    expect 1 'comes twice (default' -P 3 --explore 200 --faults doubled=1 ./explored
    expect 0 'no failure' -P 3 --explore 20 --faults lost=0,doubled=0,crashes=0 ./explored
    expect 2 'a number of ranks, or crashes=N,lost=N,doubled=N' -P 3 --explore 5 --faults missing=1 ./explored
    expect 2 'a number of ranks, or crashes=N,lost=N,doubled=N' -P 3 --explore 5 --faults lost= ./explored
    expect 2 'for runs without a model; remove -L' -P 3 --explore 5 -L 5us --faults lost=1 ./explored
    # only the messages that are named
    expect 1 'the message of rank 1 to rank 0, tag 1, is lost (default' -P 3 --explore 200 --faults lost=1 \
        --fault-places senders=1,tags=1 ./explored
    expect 0 'no failure' -P 3 --explore 100 --faults lost=1 --fault-places tags=7 ./explored
    expect 1 'rank 2 crashes' -P 3 --explore 500 --faults 1 --fault-places ranks=2 ./bugs
    expect 2 'ranks names no rank of any size' -P 3 --explore 5 --faults 1 --fault-places ranks=5 ./bugs
    expect 2 'ranks=A-B, senders=A-B, receivers=A-B or tags=A-B' -P 3 --explore 5 --faults 1 --fault-places half=1 ./explored
    expect 2 'ranks=A-B, senders=A-B, receivers=A-B or tags=A-B' -P 3 --explore 5 --faults 1 --fault-places one-way ./explored
    expect 2 '--fault-places is for --explore RUNS with --faults' -P 3 --explore 5 --fault-places ranks=1 ./explored
    expect 2 '--fault-places is for --explore RUNS with --faults' -P 3 --fault-places ranks=1 ./explored
    ;;
accesses)
    build accesses.c accesses --check-accesses
    at() { grep -nF -- "/* $1 */" "$here/accesses.c" | head -1 | sed 's/\(^[0-9]*\).*/(accesses.c:\1)/'; }
    for options in '-P 3' '-P 2 --executor thread' '-P 4 --clock virtual -L 5us -o 2us' '-P 2 --rendezvous 0'; do
        # shellcheck disable=SC2086
        expect 0 '' $options ./accesses
        [ ! -s out.err ] || fail "a right program is blamed with $options"
        while read -r word call how; do
            # shellcheck disable=SC2086
            expect 0 "the buffer of MPI_$call $(at "$how") is ${word#*:} before the operation is complete $(at "${word%:*}")" \
                $options ./accesses ${word%:*}
        done <<-'END'
	recv-load:read Irecv received
	recv-store:written Irecv received
	send-store:written Isend sent
	struct:written Isend sent
	collective:read Iallreduce reduced
	persistent:written Bcast_init again
	origin:written Get get
	END
        # what comes later, its place, what came earlier, and its place
        while IFS=, read -r word later there earlier before; do
            # shellcheck disable=SC2086
            expect 0 "$later: conflicts at rank 1 $(at "$there") with $earlier of rank ${before#*=} $(at "${before%=*}") in the same epoch" \
                $options ./accesses $word
        done <<-'END'
	load-first,rank 0: MPI_Put,put,a load,load-first=1
	load-after,rank 1: a load,load-after,MPI_Put,put=0
	store-after,rank 1: a store,store-after,MPI_Get,get=0
	posted,rank 0: MPI_Accumulate,added,a store,posted=1
	locked,rank 1: a load,locked,MPI_Put,locked put=0
	END
        # shellcheck disable=SC2086
        expect 0 '' $options --check off ./accesses send-store
        [ ! -s out.err ] || fail 'accesses: --check off says something'
    done
    # no right program is blamed, nor one that polls
    for program in $checks; do
        build $program.c $program --check-accesses
        for options in '-P 4' '-P 5 --clock virtual -L 5us -o 2us'; do
            # shellcheck disable=SC2086
            expect 0 ': all hold' $options ./$program
            ! grep -q 'is complete\|same epoch' out.err || fail "$program is blamed with $options"
        done
    done
    build drawn.c drawn --check-accesses
    for options in '-P 4 --cores 0' '-P 5 --clock virtual -L 5us --rendezvous 0'; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./drawn 1 300
        [ ! -s out.err ] || fail "a drawn program is blamed with $options"
    done
    if command -v clang++ >/dev/null; then # another compiler, C++, atomics, and a library of the program
        LOGP_CXX=clang++ build hydro.cc hydro --check-accesses
        expect 0 'checksum' -q -P 4 ./hydro
        [ ! -s out.err ] || fail 'hydro is blamed'
    fi
    ;;
drawn)
    # 10 000 right programs: all hold, and no check blames any of them
    build drawn.c
    while read -r first count options; do
        # shellcheck disable=SC2086
        expect 0 ': all hold' $options ./drawn $first $count
        [ ! -s out.err ] || fail "a right program is blamed: $options ./drawn $first $count"
    done <<-'END'
	1 3000 -P 4 --cores 0 --checksum
	3001 3000 -P 3 --clock virtual -L 5us -o 2us -G 1ns --checksum
	6001 2000 -P 5 --clock virtual -L 5us --rendezvous 0
	8001 1000 -P 2 --cores 0 --executor thread
	9001 900 -P 7 --clock virtual -L 6us --topology ring
	9901 100 -P 4
	END
    ;;
files)
    build files.c
    at() { grep -nF -- "$1" "$here/files.c" | head -1 | sed 's/\(^[0-9]*\).*/(files.c:\1)/'; }
    expect 0 ': all hold' -P 3 --clock virtual -L 5us --storage latency=1ms,bandwidth=1GB/s,servers=2 ./files
    expect 0 ': all hold' -P 3 --storage latency=10us,servers=3 ./files
    expect 0 'file operations take no time on this clock' -P 3 --clock virtual ./files
    # what docs/mpi-files.md says of --storage
    while read -r ms what; do
        expect 0 "$ms ms: $what" -P 3 --clock virtual -L 6us -o 2us -g 4us \
            --storage latency=1ms,bandwidth=1GB/s,servers=2 ./files time
    done <<-'END'
	1.040 open
	2.000 write 1 MB
	2.049 write a stripe of each server
	3.017 ranks in turn
	0.000 start
	1.001 start and wait
	END
    for bad in x:latency,.bandwidth,.servers latency=-1us:a.time servers=0:1.*4096 bandwidth=0:bytes.per.second servers=2,servers=3:once \
        latency:latency=VALUE; do
        expect 2 '--storage' -P 2 --storage "${bad%%:*}" ./files
        grep -q "${bad#*:}" said && [ "$(grep -c . said)" -eq 1 ] || fail "--storage ${bad%%:*}"
    done
    expect 2 'on the virtual clock with all ranks on one core' -P 2 --clock virtual --cores 0,1 --storage servers=2 ./files
    expect 2 'not together with --storage' --transport mpi --storage servers=2 -P 2 ./files
    logp mpirun -P 2 --storage servers=3 --report x.json ./files >out && grep -q '"storage": "servers=3"' x.json || fail 'a report'
    logp mpirun -P 2 --storage latency=20ms ./files time >out || fail 'the wall clock'
    # on the wall clock no operation takes less than its servers
    awk '/: (write|ranks)/ && $1 < 20 { exit 1 }' out || fail "too short: $(cat out)"
    for options in '-P 3' '-P 2 --executor thread' '-P 2 --clock virtual -L 5us --storage latency=1ms'; do
        # shellcheck disable=SC2086
        expect 0 "MPI_Finalize: the file of MPI_File_open has not been closed $(at '/* left */')" -q $options ./files left
        # shellcheck disable=SC2086
        expect 1 'collectives differ: ' -q $options ./files differ
        grep -qF 'MPI_File_write_at_all()' said && grep -qF 'MPI_File_sync()' said || fail 'the two calls'
        # shellcheck disable=SC2086
        expect 1 'collectives differ: ' -q $options ./files alone
        # shellcheck disable=SC2086
        expect 0 "rank 0: MPI_Wait: the buffer of MPI_File_iwrite_at $(at '/* written */') was written before the operation was complete $(at '/* complete */')" \
            -q $options ./files written
        # shellcheck disable=SC2086
        expect 0 "MPI_Bcast: a request of MPI_File_iread_at $(at '/* used */') that is not complete uses this buffer $(at '/* twice */')" \
            -q $options ./files twice
        # shellcheck disable=SC2086
        expect 0 "MPI_File_close: a request of MPI_File_iread_at $(at '/* waits */') has not been waited for $(at '/* closed */')" \
            -q $options ./files waits
        # shellcheck disable=SC2086
        expect 0 "MPI_Finalize: a request of MPI_File_write_all_begin has not been waited for $(at '/* begun */')" -q $options ./files split
    done
    ;;
fortran)
    command -v gfortran >/dev/null || exit 77
    fortran() { "$tools/logp-fort" -w -O1 -g "$here/$1" -o "${1%.*}" "${@:2}" || fail "$1 is not compiled"; }
    fortran calls.f90
    fortran units.f -fcheck=bounds
    line() { grep -nF -- "$1" "$here/units.f" | sed 's/\(^[0-9]*\).*/(units.f:\1)/'; }
    for options in '-P 1' '-P 4' '-P 3 --executor thread' '-P 3 --clock virtual -L 5us'; do
        # shellcheck disable=SC2086
        expect 0 'calls of Fortran: all hold' $options ./calls
    done
    for options in '-P 3' '-P 2 --executor thread'; do
        # shellcheck disable=SC2086
        {
            expect 0 '' $options ./units
            [ ! -s out.err ] && ! grep -qv '^line [0-9]* of rank [0-9]$' out || fail "units $options"
            [ "$(cat unit.0 unit.1)" = $'rank 0\nrank 1' ] || fail 'files of ranks'
            # the lines of all ranks are written, and the end has its place
            while read -r code how text; do
                expect "$code" "rank 1 ended with exit code $code and without MPI_Finalize $(line "$text"), last in MPI_Recv" $options ./units $how
                [ "$(grep -c '^line 200 of rank [01]$' out)" -eq 2 ] || fail "units $how: lines are lost"
            done <<-END
		3 stop stop 3
		1 error error stop
		2 bounds a(i) = 1
	END
        }
    done
    expect 2 '' -P 3 ./units bounds
    grep -qF "Fortran runtime error: Index '6' of dimension 1 of array 'a' above upper bound of 2" out.err || fail 'a run-time error'
    expect 6 "MPI_Send: invalid rank: the destination 102 is not a rank of a communicator of 2 $(line '(x, 1, MPI_DOUBLE')" -P 2 ./units rank
    expect 1 'rank 0: MPI_Comm_spawn is not there' -P 2 ./units spawn
    expect 1 '  MPI_Comm_spawn' --dry-run -P 2 ./units
    [ "$(grep -c '^  ' out)" -eq 1 ] || fail 'functions that are missing in Fortran'
    logp mpirun -P 2 --report out.json ./units >out || fail 'a report'
    grep -q '"MPI_Send"' out.json && grep -q 'units.f:' out.json || fail 'a report has no lines of Fortran'
    # a call at the end of a subroutine has its line at -O2
    printf '%s\n' 'program last' 'use mpi' 'integer ierr' 'call MPI_Init(ierr)' 'call finish(ierr)' end \
        'subroutine finish(ierr)' 'use mpi' 'integer ierr' 'call MPI_Finalize(ierr)' end >last.f90
    "$tools/logp-fort" -O2 -g -fno-inline last.f90 -o last || fail 'last.f90 is not compiled'
    logp mpirun -P 2 --report out.json ./last >out || fail 'a report'
    grep -q 'last.f90:10' out.json || fail "no line of MPI_Finalize: $(grep -o 'last.f90:[0-9]*' out.json)"
    ;;
gdb)
    gdb -batch -ex 'python print(gdb.VERSION)' >/dev/null 2>&1 || exit 77
    build computes.c
    cat >commands <<-'END'
	ranks counter
	break look
	run
	rank 7
	rank nobody
	delete
	break MPI_Finalize
	continue
	delete
	ranks counter
	ranks mine
	ranks nothing
	print $global("mine", 2).name
	rank 1
	print $global("counter") + 1
	up 1
	continue
	END
    logp mpirun --gdb -P 3 ./computes deep <commands >out 2>&1 || fail 'gdb'
    while read -r text; do
        grep -qF "$text" out || { cat out >said; fail "gdb does not say: $text"; }
    done <<-'END'
	no rank has been started: type run
	no thread of rank 7
	rank 2: {rank = 2, name = 0x
	rank 1: 10
	rank 2: 20
	no global nothing in the program
	"a name"
	= 11
	END
    ;;
programs)
    for program in $programs; do
        build $program "${program%.*} -lm"
        program=${program%.*}
        for options in '-P 1' '-P 4' '-P 6 --executor thread' '-P 4 --clock virtual -L 6us -o 2us -g 4us' '-P 3 --rendezvous 100' \
            '-P 6 --clock virtual -L 5us -o 1us -G 1ns --rendezvous 1000 --topology mesh:2x3' '-P 16 --clock virtual --compute measured'; do
            # shellcheck disable=SC2086
            expect 0 "$program: " $options ./$program
            case $program in
            multigrid) grep -q ' solved, ' out || fail "$options $program: $(cat out)" ;;
            *) # whatever the number of ranks
                [ "$options" = '-P 1' ] && cp out first
                cmp first out || fail "$options $program"
                ;;
            esac
        done
    done
    expect 0 'hydro: stiffened' -P 5 ./hydro 60 10 stiffened
    expect 1 'hydro: no gas steam' -P 5 ./hydro 60 10 steam
    expect 0 '300 keys, sorted' -P 40 ./samplesort 300 3
    ;;
sanitized) # a build with a sanitizer that the library cannot run under
    "$tools/logp-cc" "$here/ends.c" -o ends || : # it is not started
    expect 2 'this command was built with a sanitizer that must come before the C library' -P 2 ./ends
    ;;
refused)
    build ends.c
    expect 2 'which program?'
    expect 2 './nothing: No such file' -P 2 ./nothing
    expect 2 'must be a number of ranks, 1 .. 2^24, as in logp mpirun -P 4 ./prog' -P 0 ./ends
    expect 2 ' (vm.max_map_count); type -P ' -P "$(cat /proc/sys/vm/max_map_count)" ./ends
    [ "$(wc -l <said)" -eq 1 ] || fail 'too many ranks: not one line'
    expect 2 '--reps: not an option of logp mpirun' --reps 3 ./ends
    expect 2 'files whose name ends in' --trace x.gif ./ends
    expect 2 '--against x: must be together with --report FILE.html' --against x -P 2 ./ends
    mkfifo fifo && chmod +x fifo
    for file in ./fifo /dev/zero .; do
        expect 2 "logp: $file: it is not a file: name an executable" -P 2 --timeout 60s $file
    done
    # without section headers, as sstrip leaves it, and cut off
    python3 - <<-'END'
	image = bytearray(open("ends", "rb").read())
	open("cut", "wb").write(image[:9000])
	word = lambda at: int.from_bytes(image[at:at + 8], "little")
	sections = [word(40) + 64 * i for i in range(image[60])] # e_shoff, e_shnum
	for name, kind, at in ("nameless", 11, 24), ("symbolless", 4, 12), ("endless", 6, 0):
	    changed = bytearray(image) # the second symbol, the first relocation's symbol, the end of the dynamic section
	    for s in sections:
	        if image[s + 4] == kind and kind == 6:
	            changed[word(s + 24):word(s + 24) + word(s + 32)] = (b"\2" + bytes(15)) * (word(s + 32) // 16)
	        elif image[s + 4] == kind:
	            changed[word(s + 24) + at:word(s + 24) + at + 4] = b"\xff" * 4
	    open(name, "wb").write(changed)
	image[40:48], image[58:64] = bytes(8), bytes(6) # e_shoff; e_shentsize to e_shstrndx
	open("bare", "wb").write(image)
	image[40:48] = b"\xff" * 8
	open("wild", "wb").write(image)
	END
    expect 2 'its section headers have been removed: link it again' -P 2 ./bare
    expect 2 'its file is not complete' -P 2 ./cut
    for changed in wild nameless symbolless endless; do
        expect 2 'its file is not complete' -P 2 ./$changed
        expect 2 'its file is not complete' --dry-run -P 2 ./$changed
    done
    [ "$(wc -l <said)" -eq 1 ] || fail 'not one line'
    expect 2 '--check wrong: one of: on, off, fail' --check wrong ./ends
    printf '#!/bin/sh\n' >script && chmod +x script
    expect 2 'a script cannot be run as ranks' -P 2 ./script
    printf '#include <mpi.h>\n__thread int x;\nint main(int c, char **v) { return MPI_Init(&c, &v) + x; }\n' >tls.c
    cc -fPIC -pie -I"$tools/mpi/include" tls.c -o tls -L"$tools/mpi" -Wl,-rpath,"$tools/mpi" -lmpi_abi
    expect 1 'without MPI_Finalize' -P 2 ./tls
    if cc -fsanitize=address -fPIC -pie -I"$tools/mpi/include" tls.c -o tls -L"$tools/mpi" -Wl,-rpath,"$tools/mpi" -lmpi_abi; then
        expect 2 'it has thread-local variables where AddressSanitizer has its own: link it with logp-cc' -P 2 ./tls
    fi
    printf '#include <mpi.h>\n__thread char x[17 << 20];\nint main(int c, char **v) { return MPI_Init(&c, &v) + x[0]; }\n' >tls.c
    "$tools/logp-cc" tls.c -o tls
    expect 2 'it has more than 16 MiB of thread-local variables' -P 2 ./tls
    cc -no-pie -I"$tools/mpi/include" "$here/values.c" -o fixed
    expect 2 'it is not position-independent' -P 2 ./fixed
    for mpicc in mpicc.openmpi mpicc.mpich; do
        command -v $mpicc >/dev/null || continue
        $mpicc -w "$here/../../docs/examples/ring.c" -o other
        expect 2 'it is linked with another MPI (libmpi' -P 2 ./other
    done
    ;;
openmpi)
    command -v mpicc.openmpi >/dev/null || exit 77
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for program in $checks; do
        [ $program != four ] || continue    # Debian 12 has an Open MPI without MPI 4
        [ $program != windows ] || continue # Open MPI's own crash on some hosts
        [ $program != files ] || continue   # at the end of a view both give other counts and positions
        mpicc.openmpi -O1 -w "$here/$program.c" -o $program
        timeout 100 mpirun.openmpi --oversubscribe -np 4 ./$program | grep -q ': all hold' || fail "$program by Open MPI"
    done
    if command -v mpicc.mpich >/dev/null; then
        mpicc.mpich -O1 -w "$here/windows.c" -o windows
        timeout 100 mpiexec.mpich -n 4 ./windows | grep -q ': all hold' || fail 'windows by MPICH'
    fi
    # the same source under both MPIs and here: the same output, of 12 programs
    peers() {
        local source=$1 arguments=$2 name kind compiler launcher
        name=$(basename "${source%.*}")
        build "$source" "$name -lm"
        for kind in openmpi mpich; do
            compiler=mpicc.$kind launcher=mpirun.$kind
            [ "${source##*.}" = c ] || compiler=mpicxx.$kind
            command -v $compiler >/dev/null || continue
            [ $kind = mpich ] || launcher="$launcher --oversubscribe"
            $compiler -w -O1 "$here/$source" -o peer -lm
            for n in 1 4; do
                timeout 100 $launcher -n $n ./peer $arguments >peer.out || fail "$name $arguments under $kind"
                expect 0 '' -P $n "./$name" $arguments
                diff peer.out out || fail "$name $arguments under $kind differs, with $n ranks"
            done
        done
    }
    for program in $programs collectives.c communicators.c types.c; do peers $program ''; done
    for arguments in 'ring 20' 'stencil 20' 'cg 20' 'workers 20' 'transpose 20'; do
        peers ../../bench/mpi/programs.c "$arguments"
    done
    ;;
processes)
    # several processes of an MPI, and each has some of the ranks
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    at() { grep -nF -- "$1" "$here/bugs.c" | head -1 | sed 's/\(^[0-9]*\).*/(bugs.c:\1)/'; }
    over() { # OPTIONS AND PROGRAM
        timeout 100 $launcher -n $n "$tools/logp" mpirun --transport mpi "$@"
    }
    for program in $programs point.c collectives.c communicators.c types.c topologies.c persistent.c windows.c files.c ends.c bugs.c; do
        build $program "${program%.*} -lm"
    done
    ran=
    for kind in openmpi mpich; do
        command -v mpirun.$kind >/dev/null && [ -e "$tools/../liblogp-mpi-$kind.so" ] || continue
        launcher=mpirun.$kind ran=yes
        [ $kind = mpich ] || launcher="$launcher --oversubscribe"
        n=3
        [ $kind = openmpi ] || n=2
        for program in $programs; do
            program=${program%.*}
            expect 0 "$program: " -P 6 ./$program
            over -P 6 ./$program >over.out || fail "$program over $n processes of $kind"
            diff over.out out || fail "$program over $n processes of $kind differs"
        done
        for program in point collectives communicators types topologies persistent; do
            over -P 5 ./$program | grep -q ': all hold' || fail "$program over $n processes of $kind"
        done
        for n in 2 3; do
            over -P 5 ./files | grep -q ': all hold' || fail "files over $n processes of $kind"
            [ -z "$(find . -name '.files*')" ] || fail 'a file of the shared pointer is left'
        done
        over -P 4 -L 600ns -o 200ns ./collectives | grep -q ': all hold' || fail "delays over processes of $kind"
        over -P 4 --rendezvous 0 ./collectives | grep -q ': all hold' || fail "rendezvous over processes of $kind"
        for n in 2 3; do
            for options in '-P 4' '-P 5 --executor thread' '-P 7 --executor fiber --check off' '-P 6 --rendezvous 0' \
                '-P 4 -L 600ns -o 200ns' '-P 4 -L 50us -o 2us -g 4us -G 1ns'; do
                # shellcheck disable=SC2086
                over $options ./windows >said 2>&1 && grep -q ': all hold' said || fail "windows over $n processes of $kind, $options"
            done
        done
        while read -r bug says; do # the target's process compares
            over -P 3 ./bugs ${bug/-/ } >said 2>&1 || fail "$bug over processes of $kind"
            grep -qF "$says" said || fail "$bug over processes of $kind"
        done <<-END
	conflict in the same epoch; more conflicts are not named
	ops MPI_Accumulate: conflicts at rank 0 $(at '/* op */') with MPI_Accumulate of rank
	locked MPI_Get: conflicts at rank 0
	target-after rank 0: MPI_Win_fence: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	target-before rank 1: MPI_Put: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	target-locked rank 1: MPI_Win_unlock: rank 0 itself has written the bytes that MPI_Put of rank 1 $(at '/* used */') uses in the same epoch; more
	END
        code=0
        over -P 4 ./ends abort >said 2>&1 || code=$?
        [ $code -eq 9 ] && grep -qF 'rank 2: MPI_Abort: the program ends with exit code 9' said || fail "MPI_Abort: $code"
    done
    expect 2 'not together with --trace' --transport mpi --trace x.svg -P 2 ./ends
    expect 2 'not together with the virtual clock' --transport mpi --clock virtual -P 2 ./ends
    [ -n "$ran" ] || exit 77
    ;;
esac
