#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# C files are as clang-format writes them. Exit code 77: there is no clang-format, or nothing to compare with.
# usage: format.sh [changed]   changed: only those that differ from main or the last commit
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
command -v clang-format >/dev/null || exit 77
if [ "${1-}" = changed ]; then
    base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD 2>/dev/null) || exit 77
    files() { git diff --name-only --diff-filter=d -z "$base" -- '*.[ch]' && git ls-files --others --exclude-standard -z '*.[ch]'; }
else
    files() { git ls-files -z '*.[ch]' 2>/dev/null || find . -name '*.[ch]' -not -path './build*' -print0; }
fi
files | xargs -0 -r clang-format --dry-run -Werror
