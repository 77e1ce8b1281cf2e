#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MPI programs built as people build them: by the drivers, and as a project (project/) by CMake, Meson and autotools,
# which know nothing of this MPI but `logp env`.
# usage: builds.sh TOOLS_DIR drivers|cmake|meson|autotools [PREFIX_OF_AN_INSTALLATION]
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
    # what is printed is what other MPIs print
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
    # in an executable compiled with -fPIE a rank has copies of C++ objects; one that both sides write is refused
    printf 'namespace a { int total; }\n' >total.cc
    "$tools/logp-c++" -shared total.cc -o libtotal.so
    printf '#include <mpi.h>\nnamespace a { extern int total; }\nint main(int c, char **v) { MPI_Init(&c, &v); a::total = 1; MPI_Finalize(); }\n' >user.cc
    "$tools/logp-c++" -fPIE user.cc -o user -L. -ltotal -Wl,-rpath,"$dir"
    refused 2 'it has a copy of the C++ object _ZN1a5totalE: compile it with -fPIC' logp mpirun -P 2 ./user
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
*) fail "$2: no such part" ;;
esac
