#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# logp paper prints, byte for byte, what is kept in tests/tools/papers: on the virtual clock that is the
# same on every host. NAME.txt holds a paper's tables.
# usage: outputs.sh [--update] LOGP FILE...
#     --update  keeps what is printed now. Look at `git diff tests/tools/papers` before it is committed:
#               each line that changed is another number, name or place than before.
set -u
update=
[ "$1" != --update ] || { update=yes && shift; }
logp=$1
shift
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset "${!LOGP_@}"

[ $# -gt 0 ] || { echo 'FAILED: no files' && exit 1; }
for file in "$@"; do
    name=$(basename "$file")
    if ! "$logp" paper "${name%.*}" --clock virtual >"$dir/$name" 2>"$dir/err" ||
        [ -s "$dir/err" ]; then
        echo "FAILED: paper ${name%.*}: $(cat "$dir/err")"
        failed=1
    elif [ -n "$update" ]; then
        cp "$dir/$name" "$file" || failed=1
    elif ! diff -u --label "$name, kept" --label "$name, printed" "$file" "$dir/$name"; then
        echo "FAILED: paper ${name%.*}: not what is kept; see --update in $0"
        failed=1
    fi
done
[ $failed -eq 0 ] && echo "all good"
exit $failed
