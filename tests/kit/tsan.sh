#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tsan.sh CC SOURCE SUPPRESSIONS LIB INCLUDE...: the first program of a user has no races with ThreadSanitizer and the suppressions.
set -u
cc=$1 source=$2 suppressions=$3 lib=$4
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
echo 'int main(void) { return 0; }' >probe.c
if ! "$cc" -fsanitize=thread -o probe probe.c 2>/dev/null || ! ./probe 2>/dev/null; then
    echo 'no thread sanitizer here'
    exit 0
fi
"$cc" -std=gnu11 -g -fsanitize=thread "${@/#/-I}" -o first "$source" "$lib" -Wl,-rpath,"$(dirname "$lib")" || exit 1
TSAN_OPTIONS=suppressions=$suppressions ./first >out 2>&1 && ! grep -q 'data race' out && exit 0
cat out
exit 1
