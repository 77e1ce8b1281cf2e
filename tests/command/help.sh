#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the help of run says: the defaults are those that are taken, and the formats and names are all there are. Each is
# asked of the help, so it holds for options that come later.
. "$(dirname "$0")/support.sh"

# the defaults that it shows are those that are taken: given, they change nothing
mapfile -t defaults < <("$logp" run --help |
    sed -n 's/^  \(-[A-Za-z-]*\) [A-Za-z].* \[\([^] ;]*\)\]$/\1\n\2/p')
[ ${#defaults[@]} -ge 52 ] || fail "too few defaults: ${defaults[*]}"
for what in broadcast summation transpose; do
    logp run $what --clock virtual --format json
    cp "$dir/out" "$dir/without"
    args=()
    for ((i = 0; i < ${#defaults[@]}; i += 2)); do
        case $what${defaults[i]} in summation--bytes) continue ;; esac # 10P elements
        case ${defaults[i + 1]} in -o | P) ;; *) args+=("${defaults[i]}" "${defaults[i + 1]}") ;; esac
    done
    # those that the collective does not use are named one by one
    while logp run $what "${args[@]}" --clock virtual --format json; [ $code -eq 2 ]; do
        unused=$(sed -n 's/^logp: [a-z]* does not use \(--[a-z-]*\); remove it$/\1/p' "$dir/err")
        [ -n "$unused" ] || break
        for ((i = 0; i < ${#args[@]}; i += 2)); do
            [ "${args[i]}" != "$unused" ] || args=("${args[@]:0:i}" "${args[@]:i + 2}")
        done
    done
    cmp -s "$dir/out" "$dir/without" || fail "run $what ${args[*]}: $(cat "$dir/all" "$dir/out")"
done
logp run --help
# it names what there is
for option in delay:delays topology:topologies; do
    for name in $("$logp" list "${option#*:}" --format csv | sed '1d; s/,.*//'); do
        grep -q "^  --${option%:*} .*[ ,]$name[],:[ ]" "$dir/out" || fail "run --help: no $name"
    done
done
# and those formats that are taken
for words in 'run barrier --clock virtual' 'predict barrier' 'list delays' 'tree broadcast' 'schedule barrier'; do
    "$logp" "${words%% *}" --help | grep '^  --format ' >"$dir/help"
    for format in table json csv svg text goal jsonl xml; do
        more=
        [ "$words $format" != 'predict barrier svg' ] || more=--explain # its pictures are of that
        # shellcheck disable=SC2086
        logp $words --format $format $more
        taken=$code
        grep -qw $format "$dir/help"
        [ $taken -eq $((2 * $?)) ] || fail "$words --format $format: exit code $taken, and: $(cat "$dir/help")"
    done
done
finish
