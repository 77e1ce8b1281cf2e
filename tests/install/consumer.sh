#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install into a folder of its own, then build and run an outside project against it, the examples, with
# find_package and with Meson, one of them with pkg-config alone, and a plug-in; all print what they should.
# usage: consumer.sh BUILD_DIR EXAMPLES_DIR PLUGIN.c
set -euo pipefail
build=$1
source=$2
plugin=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --install "$build" --prefix "$dir/prefix" >/dev/null
cmake -S "$source" -B "$dir/build" -DCMAKE_PREFIX_PATH="$dir/prefix" \
    -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Wconversion -Werror' >/dev/null
cmake --build "$dir/build" >/dev/null
for name in first stencil algorithm delay; do
    printf '== %s\n' $name
    "$dir/build/$name"
done >"$dir/printed"
diff -u "$source/printed.txt" "$dir/printed"
"$dir/build/election" --jobs 1

pc=$(dirname "$(find "$dir/prefix" -name logp.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046
cc "$source/election.c" -o "$dir/election" \
    $(pkg-config --cflags --libs logp criterion)
LD_LIBRARY_PATH=$(dirname "$pc") "$dir/election" --jobs 1
meson setup --werror "$dir/meson" "$source" >/dev/null
meson compile -C "$dir/meson" >/dev/null
for name in first stencil algorithm delay; do
    printf '== %s\n' $name
    "$dir/meson/$name"
done | diff -u "$source/printed.txt" -
[ "$("$dir/prefix/bin/logp" --version | head -1)" = "logp $(pkg-config --modversion logp)" ]
[ -s "$dir/prefix/share/man/man1/logp.1" ]

# The library of MPI programs is where no other MPI has one, also in a folder whose name has a blank and a colon;
# a program that was linked when it lay in lib is named.
[ -z "$(find "$dir/prefix" -name 'libmpi_abi*' -not -path '*/lib*/logp/*')" ] || { echo 'FAILED: libmpi_abi in lib'; exit 1; }
mpi=$(dirname "$(find "$dir/prefix" -name libmpi_abi.so.1)")
mkdir "$dir/a b" "$dir/a:b"
cp -a "$dir/prefix" "$dir/a b"
cp -a "$dir/prefix" "$dir/a:b"
for prefix in "$dir/prefix" "$dir/a b/prefix" "$dir/a:b/prefix"; do
    "$prefix/bin/logp-cc" "$prefix/share/doc/logp/examples/ring.c" -o "$prefix/ring" 2>"$dir/said"
    "$prefix/bin/logp" mpirun -P 3 "$prefix/ring" >"$dir/printed" 2>>"$dir/said"
    grep -q '^3 ranks, sum 6,' "$dir/printed" || { cat "$dir/said"; echo "FAILED: mpirun of $prefix"; exit 1; }
    case $prefix in
    *:*) grep -q 'has a colon' "$dir/said" ;;
    *) "$prefix/ring" | grep -q '^1 ranks, sum 1,' && [ ! -s "$dir/said" ] ;;
    esac || { cat "$dir/said"; echo "FAILED: the program of $prefix by itself"; exit 1; }
done
# what ranks start has neither the library nor its file
cat >"$dir/child.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rc = system("test -z \"$LD_PRELOAD$LOGP_MPIRUN\" && ! ls -l /proc/self/fd | grep libmpi");
    MPI_Finalize();
    return rc != 0;
}
END
"$dir/a b/prefix/bin/logp-cc" "$dir/child.c" -o "$dir/child"
"$dir/a b/prefix/bin/logp" mpirun -P 2 "$dir/child"
cc -fPIC -pie "-I$dir/prefix/include/logp-mpi" "$dir/child.c" -o "$dir/old" "-L$mpi" "-Wl,-rpath,$(dirname "$mpi")" -lmpi_abi
"$dir/prefix/bin/logp" mpirun -P 2 "$dir/old" 2>&1 | grep -q 'link it again with logp-cc$'
[ -z "$("$dir/prefix/bin/logp" mpirun -q -P 2 "$dir/old" 2>&1)" ]
# the drivers, and the names that they have in other MPIs
bash "$(dirname "$0")/../mpi/builds.sh" "$dir/prefix/bin" drivers "$dir/prefix"
# Each function has a manual page, which groff takes without a warning.
for name in $(nm -D --defined-only "$dir"/prefix/lib*/liblogp.so "$dir"/prefix/lib/*/liblogp.so 2>/dev/null |
              sed -n 's/^.* T \(logp_[a-z0-9_]*\).*/\1/p'); do
    page=$dir/prefix/share/man/man3/$name.3
    grep -q "^$name .*- ." "$page" && ! grep '[`@]' "$page" || { echo "FAILED: manual page of $name"; exit 1; }
done
! command -v groff >/dev/null || [ -z "$(groff -man -Tutf8 -ww "$dir"/prefix/share/man/man3/*.3 2>&1 >/dev/null)" ]
[ -n "$name" ]
[ "$(<"$dir/prefix/share/zsh/site-functions/_logp")" = "$("$dir/prefix/bin/logp" completion zsh)" ]
[ "$(<"$dir/prefix/share/bash-completion/completions/logp")" = \
    "$("$dir/prefix/bin/logp" completion bash)" ]
# shellcheck disable=SC2046
cc -shared -fPIC "$plugin" -o "$dir/plugin.so" $(pkg-config --cflags logp)
"$dir/prefix/bin/logp" run broadcast --clock virtual --plugin "$dir/plugin.so:20"
