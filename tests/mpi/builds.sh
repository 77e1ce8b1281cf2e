#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MPI programs built as people build them: by the drivers, and as a project (project/) by CMake, Meson and autotools,
# which know nothing of this MPI but `logp env`.
# usage: builds.sh TOOLS_DIR drivers|cmake|fortran|meson|autotools|sanitizers [PREFIX_OF_AN_INSTALLATION]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LOGP_CONFIG= NO_COLOR=1 LC_ALL=C
unset PKG_CONFIG_PATH CC CXX MPICC MPICXX

fail() { printf 'builds: %s\n' "$*" >&2; [ ! -f said ] || cat said >&2; exit 1; }
logp() { timeout 100 "$tools/logp" "$@"; }
cc_() { "$tools/logp-cc" "$@" >said 2>&1 || fail "logp-cc $*"; }
# need PROGRAM...: else the test is skipped
need() {
    for program; do
        command -v "$program" >/dev/null || { echo "there is no $program: skipped"; exit 77; }
    done
}
# by_logp_env: as a user types it
by_logp_env() {
    eval "$(logp env)"
    [ "$(readlink -f "$(command -v mpicxx)")" = "$(readlink -f "$tools/logp-cc")" ] || fail 'logp env: mpicxx is another one'
}
# refused CODE TEXT COMMAND...: ends with this code and says this in one line
refused() {
    local code=0
    "${@:3}" >said 2>&1 || code=$?
    [ $code -eq "$1" ] && grep -qF -- "$2" said && [ "$(wc -l <said)" -eq 1 ] || fail "exit code $code of ${*:3}"
}
# runs FOLDER: the two programs of the project
runs() {
    mpirun -n 3 "$1/sum" >said 2>&1 && grep -qx 'sum 3' said || fail "$1/sum"
    mpiexec -n 3 "$1/areas" >said 2>&1 || fail "$1/areas"
    grep -v '^logp: all ranks share the globals of .*libshapes' said | sort |
        diff - <(printf 'rank 0 of 3: 14, 2 1 1\nrank 1 of 3: 14.00, 2 1 1\nrank 2 of 3: 14, 2 1 1\n') || fail "$1/areas"
}

case $2 in
drivers)
    by_logp_env
    # a driver of C sees that objects are of C++
    printf '#include <iostream>\n#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); std::cout << 1 << std::endl; MPI_Finalize(); }\n' >a.cc
    cc_ -c a.cc
    ar rc liba.a a.o
    for objects in a.o liba.a '-L. -la' '-x c++ - -x none'; do
        rm -f a
        # shellcheck disable=SC2086
        cc_ $objects -o a <a.cc
        [ "$(logp mpirun -P 2 ./a)" = $'1\n1' ] || fail "logp-cc $objects"
    done
    printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >c.c
    cc_ -c c.c
    cc_ c.o -o c
    ! readelf -d c | grep -q 'NEEDED.*stdc++' || fail 'a program in C needs the library of C++'
    for driver in logp-c++ mpic++ mpicxx mpiCC; do
        cp a.cc a.txt
        case $driver in logp-*) path=$tools/$driver ;; *) path=$driver ;; esac
        "$path" a.o -o a && [ "$(mpirun -n 1 ./a)" = 1 ] || fail "$driver"
        case $("$path" --showme:command) in *++) ;; *) fail "$driver --showme:command" ;; esac
    done
    # strict compilers take mpi.h
    printf '#include <mpi.h>\n' >strict.h
    for options in '-x c -std=c99' '-x c -std=c17' '-x c++ -std=c++11' '-x c++ -std=c++20'; do
        # shellcheck disable=SC2086
        cc_ $options -Wall -Wextra -Wpedantic -Werror -fsyntax-only strict.h
    done
    # the drivers print the same as those of other MPIs
    compile=$(mpicc --showme:compile)
    link=$(mpicc -showme:link)
    [ "-I$(mpicc --showme:incdirs)" = "${compile%% *}" ] && [ -f "$(mpicc -showme:incdirs)/mpi.h" ] || fail incdirs
    [ "-L$(mpicc --showme:libdirs)" = "${link%% *}" ] && [ -f "$(mpicc -showme:libdirs)/lib$(mpicc --showme:libs).so" ] || fail libdirs
    mpicc --showme:version | grep -qE '^mpicc: logp [0-9]+\.[0-9]+\.[0-9]+ \(Language: C\)$' || fail version
    for option in -show -compile_info -compile-info -link_info --showme -showme; do
        [ "$(mpicc $option)" = "$(mpicc --showme:command) $compile $link" ] || fail "mpicc $option"
    done
    rm -f c
    eval "$(mpicc -show c.c -o c)" && [ -x c ] || fail 'mpicc -show c.c -o c'
    mpicc -show -c c.c | grep -q ' -c c.c$' || fail 'mpicc -show -c'
    refused 2 '--showme:colour: one of: command, compile,' mpicc --showme:colour
    # what a driver cannot do is said before the compiler runs
    refused 2 'logp-cc: -static: the ranks of a run are copies' "$tools/logp-cc" -static c.c -o static
    refused 2 'logp-cc: -no-pie: the ranks of a run are copies' "$tools/logp-cc" -no-pie c.c -o fixed
    refused 2 'mpicc: -fno-pie: the ranks of a run are copies' mpicc -c -fno-pie c.c
    [ ! -e fixed ] || fail '-no-pie makes a program'
    refused 2 'mpicc: -static-libasan: all ranks share AddressSanitizer' mpicc -fsanitize=address -static-libasan c.c
    [ ! -e static ] || fail '-static makes a program'
    mpicc -static -c c.c || fail '-static is for the linker alone'
    # with a blank in the path
    if [ $# -gt 2 ]; then
        mkdir 'with blank'
        cp -a "$3/." 'with blank'
        eval "$("with blank/bin/logp" env)"
        eval "$(mpicc -show c.c -o c)" && ./c || fail 'a folder with a blank'
        # shellcheck disable=SC2046
        eval "cc c.c -o c $(pkg-config --cflags --libs mpi)" && ./c || fail 'pkg-config, a folder with a blank'
    fi
    # thread-local variables of an executable that no driver has linked: each rank has its own, and its threads have theirs
    cat >locals.cc <<-'END'
	#include <mpi.h>
	#include <cstdio>
	#include <string>
	#include <thread>
	static int global = 5;
	thread_local int plain = 7, zero[1000], *where = &global;
	thread_local std::string text = "text that is too long for the object itself: ";
	alignas(64) thread_local double wide = 2.5;
	int main(int argc, char **argv)
	{
	    int rank, sum = 0, others = 0;
	    MPI_Init(&argc, &argv);
	    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	    plain += rank;
	    zero[999] += rank;
	    *where += rank;
	    text += std::to_string(rank);
	    wide += rank;
	    MPI_Allreduce(&plain, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	    std::thread([&] { others = plain + zero[999] + (wide == 2.5) + (text.size() == 45); }).join();
	    printf("%d: %d %d %d %s %g, %d %d\n", rank, plain, zero[999], global, text.c_str() + 45, wide, sum, others);
	    MPI_Finalize();
	}
	END
    for flags in '' -O2 '-fPIE -fuse-ld=lld' -no-pie; do
        eval "c++ -pthread locals.cc -o locals $(mpicxx --showme:compile) $flags $(mpicxx --showme:link)" >said 2>&1 || continue
        ./locals >alone && grep -qx '0: 7 0 5 0 2.5, 7 9' alone || fail "thread-local variables by itself, $flags"
        if [ "$flags" = -no-pie ]; then
            refused 2 'it is not position-independent' logp mpirun -P 3 ./locals
            continue
        fi
        for options in '' '--clock virtual -L 5us' '--executor thread --cores 0'; do
            # shellcheck disable=SC2086
            logp mpirun -q -P 3 $options ./locals >said 2>&1 || fail "thread-local variables, $flags, $options"
            sort said | diff - <(printf '%s\n' '0: 7 0 5 0 2.5, 24 9' '1: 8 1 6 1 3.5, 24 9' '2: 9 2 7 2 4.5, 24 9') ||
                fail "thread-local variables, $flags, $options"
        done
    done
    # an executable compiled with -fPIE has copies of a library's variables; one that it shares with all ranks is refused
    printf 'namespace a { int total; }\n' >total.cc
    "$tools/logp-c++" -shared total.cc -o libtotal.so
    printf '#include <mpi.h>\nnamespace a { extern int total; }\nint main(int c, char **v) { MPI_Init(&c, &v); a::total = 1; MPI_Finalize(); }\n' >user.cc
    "$tools/logp-c++" -fPIE user.cc -o user -L. -ltotal -Wl,-rpath,"$dir"
    logp mpirun -P 2 ./user >said 2>&1 || fail 'a copy of a variable of a library'
    refused 2 'it has a copy of the variable a::total of a library: compile it with -fPIC' \
        logp mpirun -P 2 --share libtotal ./user
    refused 2 'x: unexpected argument; type: eval "$(logp env)"' logp env x
    ;;
cmake)
    need cmake ctest
    by_logp_env
    for options in '' '-DSHARED_SHAPES=ON' '-DCMAKE_POSITION_INDEPENDENT_CODE=ON' "-DMPI_HOME=$tools/mpi" \
        "-DMPI_C_COMPILER=logp-cc -DMPI_CXX_COMPILER=logp-cc" \
        "-DCMAKE_C_COMPILER=logp-cc -DCMAKE_CXX_COMPILER=logp-c++ -DSHARED_SHAPES=ON"; do
        rm -rf build
        # shellcheck disable=SC2086
        PATH=$tools:$PATH cmake -S "$here/project" -B build $options >said 2>&1 || fail "cmake $options"
        grep -q '^MPIEXEC_NUMPROC_FLAG:STRING=-n$' build/CMakeCache.txt &&
            grep -q "^MPIEXEC_EXECUTABLE:FILEPATH=.*/mpi/bin/mpiexec$" build/CMakeCache.txt || fail "cmake $options: mpiexec"
        { cmake --build build && ctest --test-dir build --output-on-failure; } >said 2>&1 || fail "cmake $options"
        runs build
    done
    ;;
fortran)
    need gfortran cmake
    by_logp_env
    cat >ring.f90 <<-'END'
	program ring
	  use mpi
	  implicit none
	  integer :: me, sum, ierr
	  call MPI_Init(ierr)
	  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
	  call MPI_Allreduce(me, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
	  if (me == 0) print '(a,i0)', 'sum ', sum
	  call MPI_Finalize(ierr)
	end program
	END
    printf '      program old\n      include "mpif.h"\n      call MPI_INIT(i)\n      call MPI_FINALIZE(i)\n      end\n' >old.f
    for driver in logp-fort mpif77 mpif90 mpifort; do
        case $driver in logp-*) path=$tools/$driver ;; *) path=$driver ;; esac
        "$path" ring.f90 -o ring && [ "$(mpirun -n 3 ./ring)" = 'sum 3' ] && [ "$(./ring)" = 'sum 0' ] || fail "$driver"
        "$path" -c old.f && "$path" old.o -o old && mpirun -n 2 ./old || fail "$driver old.f"
    done
    [ "$(mpifort --showme:libs)" = 'mpi_fortran mpi_abi' ] || fail 'mpifort --showme:libs'
    mpifort --showme:version | grep -q '(Language: Fortran)$' || fail 'mpifort --showme:version'
    eval "$(mpifort -show ring.f90 -o shown)" && ./shown || fail 'mpifort -show'
    LOGP_FC=no-such refused 2 'logp-fort: no no-such: install gfortran' "$tools/logp-fort" ring.f90
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(ring Fortran)' 'find_package(MPI REQUIRED)' \
        'add_executable(ring ring.f90)' 'target_link_libraries(ring MPI::MPI_Fortran)' \
        'if(NOT MPI_Fortran_HAVE_F90_MODULE OR NOT MPI_Fortran_HAVE_F08_MODULE OR NOT MPI_Fortran_HAVE_F77_HEADER)' \
        '  message(FATAL_ERROR "a module is missing")' 'endif()' >CMakeLists.txt
    for options in '' "-DMPI_Fortran_COMPILER=logp-fort"; do
        rm -rf build
        # shellcheck disable=SC2086
        { PATH=$tools:$PATH cmake -B build $options && cmake --build build; } >said 2>&1 || fail "cmake $options"
        [ "$(mpirun -n 3 build/ring)" = 'sum 3' ] || fail "cmake $options: ring"
    done
    ;;
meson)
    need meson ninja pkg-config
    by_logp_env
    meson setup build "$here/project" >said 2>&1 && meson compile -C build >>said 2>&1 || fail meson
    runs build
    # without pkg-config, by mpicc
    export PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=
    meson setup build2 "$here/project" >said 2>&1 && meson compile -C build2 >>said 2>&1 || fail 'meson by mpicc'
    runs build2
    ;;
autotools)
    need autoreconf automake libtoolize make
    [ -n "$(aclocal --print-ac-dir)" ] && [ -f "$(aclocal --print-ac-dir)/ax_mpi.m4" ] || { echo 'there is no ax_mpi.m4 (autoconf-archive): skipped'; exit 77; }
    by_logp_env
    cp -r "$here/project" project
    chmod -R u+w project
    cd project
    { autoreconf -i && ./configure --prefix="$dir/installed" && make && make install; } >../said 2>&1 || { cd ..; fail autotools; }
    cd ..
    runs installed/bin
    ;;
sanitizers)
    by_logp_env
    cat >heap.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#include <stdlib.h>
	int job = 3;
	int main(int argc, char **argv)
	{
	    int rank, sum = 0;
	    MPI_Init(&argc, &argv);
	    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	    int *x = malloc(10 * sizeof *x);
	    x[argc > 1 && rank == 1 ? 10 : 1] = job; /* line 11 */
	    MPI_Allreduce(&job, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	    free(x);
	    if (rank == 0)
	        printf("sum %d, %s\n", sum, getenv("LD_PRELOAD") != NULL ? "preload" : "as before");
	    MPI_Finalize();
	}
	END
    compilers=
    for compiler in gcc clang; do
        LOGP_CC=$compiler "$tools/logp-cc" -g -fsanitize=address heap.c -o "heap_$compiler" >said 2>&1 || continue
        compilers="$compilers $compiler"
        for options in '' '-L 5us --clock virtual' '--executor thread'; do
            # shellcheck disable=SC2086
            logp mpirun -P 4 $options "./heap_$compiler" >said 2>&1 && grep -qx 'sum 12, as before' said || fail "$compiler, $options"
            # shellcheck disable=SC2086
            ! logp mpirun -P 4 $options "./heap_$compiler" past >said 2>&1 || fail "$compiler, $options: nothing is found"
            grep -q 'AddressSanitizer: heap-buffer-overflow' said && grep -q 'main .*heap.c:11' said || fail "$compiler, $options: the line"
        done
        refused 2 'for a program that is compiled with -fsanitize=address' logp mpirun --executor fiber "./heap_$compiler"
        refused 2 'is compiled with -fsanitize=address, which does not know' logp mpirun --explore 5 "./heap_$compiler"
    done
    [ -n "$compilers" ] || { echo 'there is no library of AddressSanitizer: skipped'; exit 77; }
    if command -v clang >/dev/null && # as find_package(MPI) links
        eval "clang -fsanitize=address heap.c -o static $(mpicc --showme:compile) $(mpicc --showme:link)" >said 2>&1; then
        refused 2 'it is linked statically with AddressSanitizer, which all ranks share' logp mpirun -P 2 ./static
    fi
    "$tools/logp-cc" -fsanitize=thread heap.c -o races >said 2>&1 || exit 0
    refused 2 './races is compiled with -fsanitize=thread' logp mpirun -P 2 ./races
    # a file that is cut, at any place, is no program
    for n in 20 63 64 200 900 5000; do
        head -c $n races >cut
        refused 2 './cut: ' logp mpirun -P 2 ./cut
    done
    ;;
*) fail "$2: no such part" ;;
esac
