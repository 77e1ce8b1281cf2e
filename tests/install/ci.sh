#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The steps of docs/examples/ci, which GitHub and GitLab run, with what is installed; the files name what there is, and the
# Containerfile the packages that tools/setup.sh needs.
# usage: ci.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
source=$2
ci=$source/docs/examples/ci
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$1" --prefix "$dir/prefix" >/dev/null
pc=$(dirname "$(find "$dir/prefix" -name logp.pc)")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH PATH=$dir/prefix/bin:$PATH XDG_DATA_HOME=$dir/saved
LD_LIBRARY_PATH=$(dirname "$pc")
mkdir "$dir/work"
cp "$dir"/prefix/share/doc/logp/examples/*.[ch] "$dir/work"
cd "$dir/work"
! sh "$ci/steps.sh" >"$dir/said" 2>&1 || fail "a sweep was compared with none: $(tail -3 "$dir/said")"
for branch in main ""; do
    # shellcheck disable=SC2086
    sh "$ci/steps.sh" $branch >"$dir/said" 2>&1 || fail "steps.sh $branch: $(tail -20 "$dir/said")"
done
grep -q unchanged sweep.csv || fail "no point was compared"
for name in check.xml sweep.csv report.html; do
    [ -s $name ] || fail "no $name"
    grep -q "$name" "$ci/github.yml" && grep -q "$name" "$ci/gitlab.yml" || fail "$name is not kept"
done
# shellcheck disable=SC1091
. "$source/tools/setup.sh"
for package in $build_packages; do
    [ "$package" = libjs-dygraphs ] || grep -q "\b$package\b" "$ci/Containerfile" || fail "the Containerfile lacks $package"
done
grep -q '"Containerfile"' "$ci/devcontainer.json" && jq empty "$ci/devcontainer.json"
