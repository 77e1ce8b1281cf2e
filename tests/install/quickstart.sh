#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The archive of the sources has all of them, and outside of git its tools/quickstart runs a first command, and compiles
# no more than that needs; a build in its folder then makes the rest, as a release.
# usage: quickstart.sh BUILD_DIR SOURCE_DIR      Exit code 77: packages are missing, which are not installed here
set -euo pipefail
made_in=$1 source=$2
. "$source/tools/setup.sh"
# shellcheck disable=SC2154,SC2086
[ -z "$(missing_packages $build_packages)" ] || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; tail -20 "$dir/said"; exit 1; }

(cd "$made_in" && cpack --config CPackSourceConfig.cmake -B "$dir/archive") >"$dir/said" 2>&1 || fail "no archive"
tar -xzf "$dir"/archive/liblogp-*.tar.gz -C "$dir"
top=$(echo "$dir"/liblogp-*)
version=${top##*-}
[ ! -e "$top/.git" ] || fail "the archive holds the repository"
diff <(cd "$source" && git ls-files 2>/dev/null | sort) <(cd "$top" && find . -type f | sed 's,^\./,,' | sort) >"$dir/said" ||
    ! grep '^<' "$dir/said" || fail "files are missing from the archive"
"$top/tools/quickstart" >"$dir/said" 2>&1 || fail "it ends with $?"
! grep -q 'warning:' "$dir/said" || fail "the compiler warns"
build=$top/build
[ "$("$build/tools/logp" --version | head -2)" = "logp $version
commit: unknown" ] || fail "the version: $("$build/tools/logp" --version)"
grep -Eq '^optimal .*  yes' "$dir/said" || fail "no verified broadcast"
made=$(find "$build" -path '*mpi_abi.dir*.o' -o -path '*wasm*.o' -o -path '*logp_tests.dir*.o')
[ -z "$made" ] || fail "more than the first run needs: $made"

commands=$(ninja -C "$build" -t commands all)
grep -q 'libmpi_abi' <<<"$commands" || fail "a build does not make what was left out"
for file in algorithms/schedule/fold.c runtime/call/send.c; do
    command=$(grep -e "/cc .* -c $top/$file" -e "gcc.* -c $top/$file" <<<"$commands")
    [[ $command == *-O3* && $command != *-O1* ]] || fail "a build does not optimise $file: $command"
    gcc -flto -x c -c -o "$dir/lto.o" /dev/null 2>/dev/null && [[ $command != *-flto* ]] &&
        fail "a build compiles $file without LTO"
done
echo "the first command runs, and a build makes the rest"
