#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public header compiles by itself, twice, and with the others, as C11 and as C++17, pedantically.
# usage: headers.sh INCLUDE_DIR
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)

# compiles INCLUDE_DIR NAME < SOURCE
compiles() {
    local compiler
    cat >"$dir/it.c"
    cp "$dir/it.c" "$dir/it.cc"
    for compiler in 'gcc -std=c11' 'clang -std=c11' 'g++ -std=c++17' 'clang++ -std=c++17'; do
        command -v "${compiler%% *}" >/dev/null || continue
        case $compiler in *++*) source=$dir/it.cc ;; *) source=$dir/it.c ;; esac
        # shellcheck disable=SC2086
        $compiler "${warnings[@]}" -I"$1" -fsyntax-only "$source" || { echo "FAILED: $2: $compiler"; failed=1; }
    done
}

cd "$1/logp"
for header in *.h; do
    compiles "$1" "$header" <<<"#include <logp/$header>
#include <logp/$header>
int end;"
done
printf '#include <logp/%s>\n' *.h | { cat; echo 'int end;'; } | compiles "$1" 'all headers'
printf '#include <logp/%s>\n' *.h | tac | { cat; echo 'int end;'; } | compiles "$1" 'all headers, the last first'
exit $failed
