#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The suites that run on many cores, under ThreadSanitizer on 16.
# usage: cores_tsan.sh FOLDER EXECUTOR:SUITE...   FOLDER: of the build, which is made or brought up to date
set -euo pipefail
build=$1
shift
cmake -S "$(dirname "$0")/../.." -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLOGP_SANITIZE=thread \
    -DLOGP_BUILD_TESTS=ON -DLOGP_BUILD_BENCH=OFF -DLOGP_FIRST_RUN=OFF >"$build.log"
cmake --build "$build" --target logp_tests_of_cores >>"$build.log" || { cat "$build.log"; exit 1; }
export LOGP_TEST_CORES=16 LOGP_TEST_REGISTRY=
for test in "$@"; do
    echo "$test"
    LOGP_TEST_EXECUTOR=${test%%:*} "$build/tests/logp_tests_of_cores" --filter "${test#*:}/*" --jobs 1
done
