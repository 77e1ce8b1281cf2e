#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install into a folder of its own, then build and run an outside project against it, once with
# find_package and once with pkg-config, and a plug-in. usage: consumer.sh BUILD_DIR CONSUMER_DIR PLUGIN.c
set -euo pipefail
build=$1
source=$2
plugin=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --install "$build" --prefix "$dir/prefix" >/dev/null
cmake -S "$source" -B "$dir/build" -DCMAKE_PREFIX_PATH="$dir/prefix" >/dev/null
cmake --build "$dir/build" >/dev/null
"$dir/build/consumer" --jobs 1

pc=$(dirname "$(find "$dir/prefix" -name logp.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046
cc "$source/consumer.c" -o "$dir/consumer" \
    $(pkg-config --cflags --libs logp criterion)
LD_LIBRARY_PATH=$(dirname "$pc") "$dir/consumer" --jobs 1
[ "$("$dir/prefix/bin/logp" --version)" = "logp $(pkg-config --modversion logp)" ]
# shellcheck disable=SC2046
cc -shared -fPIC "$plugin" -o "$dir/plugin.so" $(pkg-config --cflags logp)
"$dir/prefix/bin/logp" run broadcast --clock virtual --plugin "$dir/plugin.so:20"
