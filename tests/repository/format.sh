#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All C files are as clang-format writes them. Exit code 77: there is no clang-format.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
command -v clang-format >/dev/null || exit 77
{ git ls-files -z '*.[ch]' 2>/dev/null || find . -name '*.[ch]' -not -path './build*' -print0; } |
    xargs -0 clang-format --dry-run -Werror
