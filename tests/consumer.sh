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
