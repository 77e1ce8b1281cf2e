#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install into a folder of its own, then build and run each example project against it; and show the
# failure that it finds again, whatever test framework it has.
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
    LOGP_REPLAY_DIR="$dir/left" "$dir/$name/example"
    code=0
    # where the program is below the current folder, it need not be named
    (cd "$dir" && "$dir/prefix/bin/logp" replay left/*.replay) >"$dir/again" 2>"$dir/said" || code=$?
    if [ $code -ne 1 ] || ! grep -q ' failed with P = ' "$dir/again"; then
        cat "$dir/again" "$dir/said"
        echo "$name: not replayed: $code"
        exit 1
    fi
    rm "$dir"/left/*
done
