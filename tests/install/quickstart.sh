#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tools/quickstart runs a first command from clean sources, and compiles no more than it needs; a build in
# its folder then makes the rest, as a release. usage: quickstart.sh SOURCE_DIR
# Exit code 77: packages are missing, which are not installed here
set -euo pipefail
source=$1
. "$source/tools/setup.sh"
# shellcheck disable=SC2154,SC2086
[ -z "$(missing_packages $build_packages)" ] || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; tail -20 "$dir/said"; exit 1; }

tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$dir" -xf -
"$dir/tools/quickstart" >"$dir/said" 2>&1 || fail "it ends with $?"
! grep -q 'warning:' "$dir/said" || fail "the compiler warns"
build=$dir/build
grep -Eq '^optimal .*  yes' "$dir/said" || fail "no verified broadcast"
made=$(find "$build" -path '*mpi_abi.dir*.o' -o -path '*wasm*.o' -o -path '*logp_tests.dir*.o')
[ -z "$made" ] || fail "more than the first run needs: $made"

commands=$(ninja -C "$build" -t commands all)
grep -q 'libmpi_abi' <<<"$commands" || fail "a build does not make what was left out"
for file in algorithms/schedule/fold.c runtime/call/send.c; do
    command=$(grep -e "/cc .* -c $dir/$file" -e "gcc.* -c $dir/$file" <<<"$commands")
    [[ $command == *-O3* && $command != *-O1* ]] || fail "a build does not optimise $file: $command"
    gcc -flto -x c -c -o "$dir/lto.o" /dev/null 2>/dev/null && [[ $command != *-flto* ]] &&
        fail "a build compiles $file without LTO"
done
echo "the first command runs, and a build makes the rest"
