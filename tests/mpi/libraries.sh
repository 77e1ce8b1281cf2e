#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MPI programs with shared libraries of their own: each rank has its own globals of them.
# usage: libraries.sh TOOLS_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LOGP_CONFIG= NO_COLOR=1 LOGP_TEST_REGISTRY=
unset LD_LIBRARY_PATH

fail() { printf 'libraries: %s\n' "$*" >&2; [ ! -f said ] || cat said >&2; exit 1; }
build() { "$tools/logp-cc" -Wall -Wextra -Werror -g -O1 "$here/private.c" -o "$@" || fail "$1 is not compiled"; }
logp() { timeout 60 "$tools/logp" "$@"; }

# expect CODE TEXT OPTIONS...: mpirun ends with this code and says this
expect() {
    local code=0
    logp mpirun "${@:3}" >out 2>out.err || code=$?
    cat out.err out >said
    [ $code -eq "$1" ] || fail "${*:3}: exit code $code in place of $1"
    [ -z "$2" ] || grep -qF -- "$2" said || fail "${*:3}: not said: $2"
}

line() { printf '(private.c:%s)' "$(grep -nF "$1" "$here/private.c" | cut -d: -f1)"; }

# libraries without a soname, found by $ORIGIN
build libinner.so -shared -DINNER
build liblibrary.so -shared -DLIBRARY -L. -linner '-Wl,-rpath,$ORIGIN'
build libplugin.so -shared -DPLUGIN
build libsecond.so -shared -DSECOND
build private -rdynamic -L. -llibrary -linner '-Wl,-rpath,$ORIGIN'
# variables of the library are copied into an executable that is compiled with -fPIE
build private-pie -fPIE -rdynamic -L. -llibrary -linner '-Wl,-rpath,$ORIGIN'
for program in private private-pie; do
    for options in '-P 1' '-P 3' '-P 4 --cores 0,1' '-P 3 --executor thread' '-P 3 --clock virtual -L 3us'; do
        # shellcheck disable=SC2086
        expect 0 'private: all hold' $options ./$program
        [ ! -s out.err ] || fail "$options: something is said"
        n=${options#-P }
        n=${n%% *}
        [ "$(grep -c '^library begins with 1$' out)" -eq "$n" ] || fail "$options: constructors of the library"
        [ "$(grep -c '^library ends with [0-9]*$' out | sort -u)" -eq "$n" ] || fail "$options: destructors of the library"
    done
done
mv libplugin.so elsewhere
expect 3 'libplugin.so: cannot open shared object file' -P 1 ./private
mv elsewhere libplugin.so
expect 0 'private: no failure: 10 runs' -P 3 --explore 10 ./private
# several programs: the same one, with the same libraries, and another with these
expect 0 'private: all hold' -P 2 ./private : -P 1 ./private
expect 2 "type --share liblibrary.so, so that all ranks share its globals" -P 2 ./private : -P 1 ./private-pie
expect 0 'private: all hold' -P 2 --share liblibrary.so ./private shared : -P 1 ./private shared

# what is shared
expect 0 'private: all hold' -P 3 --share liblibrary.so --share libinner -q ./private shared
[ ! -s out.err ] || fail '-q and a library that is shared'
expect 0 "logp: all ranks share the globals of $dir/liblibrary.so" -P 3 --share liblibrary ./private shared
grep -q 'libinner.so$' said || fail 'a library that a shared one needs is not shared'
expect 3 'does not hold' -P 3 ./private shared
expect 0 'private: all hold' -P 2 --share liblibrary --private liblibrary.so ./private
expect 0 'logp: all ranks share the globals of /' -v -P 1 ./private
grep -q 'globals of .*/libc.so.6$' said || fail '-v does not list the C library'
grep -q 'globals of .*liblibrary' said && fail '-v lists a library that is not shared'
cat >plain.c <<-'END'
	#include <mpi.h>
	int main(int argc, char **argv)
	{
	    MPI_Init(&argc, &argv);
	    MPI_Finalize();
	}
END
"$tools/logp-cc" plain.c -o plain
expect 2 'logp: --share libother: the program does not load such a library' -P 2 --share libother ./plain
expect 2 'logp: --private libm: all ranks share ' -P 2 --private libm ./plain
expect 2 '--share a,b: must be the name of a library' -P 2 --share a,b ./plain

# a crash names the library and the line
for executor in fiber thread; do
    expect 139 "rank 1 crashed (Segmentation fault), in liblibrary.so $(line '/* crash */'), last in " \
        -P 3 --executor $executor ./private crash
done
grep -qF "$(line 'library_crash(me == 1')" said || fail 'the line of the program is not named'

# libraries that are cut, changed or missing
cp liblibrary.so whole.so
head -c 3000 whole.so >liblibrary.so
expect 2 'has been cut or changed' -P 2 ./private
head -c 30 whole.so >liblibrary.so
expect 2 'liblibrary.so: file too short' -P 2 ./private
rm liblibrary.so
expect 2 'liblibrary.so: cannot open shared object file' -P 2 ./private
