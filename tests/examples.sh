#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install into a folder of its own, then build and run each example project against it.
# usage: examples.sh BUILD_DIR EXAMPLES_DIR
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --install "$1" --prefix "$dir/prefix" >/dev/null
for source in "$2"/*/; do
    name=$(basename "$source")
    if [ "$name" = googletest ] && ! pkg-config --exists gtest; then
        echo "$name: not installed"
        continue
    fi
    cmake -S "$source" -B "$dir/$name" -DCMAKE_PREFIX_PATH="$dir/prefix" >/dev/null
    cmake --build "$dir/$name" >/dev/null
    "$dir/$name/example"
done
