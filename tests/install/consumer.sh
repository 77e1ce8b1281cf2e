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
[ -n "$name" ]
for name in logp_step_send logp_step_receive logp_step_combine logp_step_copy logp_step_compute; do
    [ -s "$dir/prefix/share/man/man3/$name.3" ] || { echo "FAILED: manual page of $name"; exit 1; }
done
grep -qF 'bool (*steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i, struct logp_step *out);' \
    "$dir/prefix/share/man/man3/logp_algorithm.3type"
grep -A1 -x '\.B LOGP_CHECK_SEED=N' "$dir/prefix/share/man/man3/logp_check.3" | grep -qx seed
# So has each struct and enum, with its fields: the pages that are written by hand have all keys and options.
man=$dir/prefix/share/man
for name in $(sed -n 's/^\(struct\|enum\|union\) \(logp_[a-z0-9_]*\) {.*/\2/p' "$dir"/prefix/include/logp/*.h); do
    grep -q '^\.TP' "$man/man3/$name.3type" || { echo "FAILED: manual page of the type $name"; exit 1; }
done
echo 'x = 1' >"$dir/keys"
keys=$({ "$dir/prefix/bin/logp" predict broadcast --machine "$dir/keys" 2>&1 || true; } | sed -n 's/.*one of: //; s/,//gp')
for key in $keys; do
    grep -qE "^\.BR? .*\b$key\b" "$man/man5/logp-machine.5" || { echo "FAILED: $key is not in logp-machine(5)"; exit 1; }
done
for option in $("$dir/prefix/bin/logp-cc" --help | grep -oE -- '--?[a-z][a-z_-]+'); do
    sed 's/\\-/-/g' "$man/man1/logp-cc.1" | grep -q -e "$option" || { echo "FAILED: $option is not in logp-cc(1)"; exit 1; }
done
[ -n "$name" ] && [ -n "$keys" ] && [ -n "$option" ]
! command -v groff >/dev/null ||
    [ -z "$(groff -man -Tutf8 -ww "$man"/man1/logp-cc.1 "$man"/man5/* "$man"/man3/*.3 "$man"/man3/*.3type 2>&1 >/dev/null)" ]
[ "$(<"$dir/prefix/share/zsh/site-functions/_logp")" = "$("$dir/prefix/bin/logp" completion zsh)" ]
[ "$(<"$dir/prefix/share/bash-completion/completions/logp")" = \
    "$("$dir/prefix/bin/logp" completion bash)" ]
# shellcheck disable=SC2046
cc -shared -fPIC "$plugin" -o "$dir/plugin.so" $(pkg-config --cflags logp)
"$dir/prefix/bin/logp" run broadcast --clock virtual --plugin "$dir/plugin.so:20"

# Nothing is left but what was made here: a program of the prefix.
cmake --build "$build" --target uninstall >"$dir/said"
rm "$dir/prefix/ring"
[ -z "$(find "$dir/prefix" -not -type d)" ] || { find "$dir/prefix" -not -type d; echo 'FAILED: uninstall'; exit 1; }
