#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What .clang-tidy asks for holds in all sources that are built.
# usage: tidy.sh BUILD_DIR [changed]   changed: only those that differ from main or the last commit
# Exit code 77: there is no clang-tidy, or nothing to compare with.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
build=$1 which=${2-}
command -v clang-tidy >/dev/null && [ -e "$build/compile_commands.json" ] || exit 77
top=$PWD
sources=$(sed -n 's/^ *"file": "\(.*\.c\)"$/\1/p' "$build/compile_commands.json" | sort -u)
if [ "$which" = changed ]; then
    base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD 2>/dev/null) || exit 77
    changed=$({ git diff --name-only "$base" && git ls-files --others --exclude-standard; } | sed "s|^|$top/|")
    sources=$(comm -12 <(printf '%s\n' "$sources") <(sort -u <<<"$changed"))
fi
[ -n "$sources" ] || exit 0
xargs -d '\n' -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" <<<"$sources" 2>/dev/null
