#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the command does with its streams: a pipe without an end, output that is lost, progress, signals; and what it is
# without words or programs.
. "$(dirname "$0")/support.sh"

# a pipe that holds more than any file may, and one that ends; a read without an end fails
(
    ulimit -t 20 -v 4000000
    expect="256 MiB" bad predict broadcast --machine <(yes | head -c 300M)
    expect="line 1" bad predict --schedule <(yes | head -c 300M)
    expect="256 MiB" bad replay <(yes | head -c 300M)
    exit $failed
) || failed=1
printf 'L = 1us\no = 2us\ng = 3us\n' >"$dir/m"
json '.[0] | (.L_ns == 1000 and .g_ns == 3000)' predict broadcast --machine <(cat "$dir/m")

# output that is lost is an error
for words in 'run broadcast --clock virtual' 'tree broadcast -P 1000 --format json' 'list --format csv'; do
    # shellcheck disable=SC2086
    "$logp" $words >/dev/full 2>"$dir/err"
    [ $? -eq 1 ] || fail "lost output of $words: exit code"
    stderr_is 'logp: the output could not be written: No space left on device'
done

# progress where it is asked for, and not with -q
logp run broadcast -P 2 --reps 5 --progress on --unit 1us --executor fiber
stderr_has '5 of 5'
logp run broadcast -q --progress on --clock virtual
[ ! -s "$dir/all" ] || fail "-q --progress on: $(cat "$dir/all")"

# a run that is interrupted is not saved
cd "$dir" || exit 1
echo old >interrupted.json
timeout -s INT 1 "$logp" bench broadcast -P 2 --executor fiber --reps 10000000 --precision 0% --limit 100s \
    --save interrupted.json >out 2>err
[ $? -ne 0 ] && [ "$(<interrupted.json)" = old ] && grep -q 'interrupted.json: nothing is saved' err || fail "interrupted: $(cat err)"

PATH='' "$logp" -V >"$dir/out"
grep -qx 'rsvg-convert: not found' "$dir/out" || fail "-V without rsvg-convert"
logp
[ $code -eq 2 ] || fail "no words: exit code $code"
grep -q 'Commands:' "$dir/out" || fail "no words: no help"
# a plug-in that was cut would end the command while it is loaded
head -c 5000 "$plugin" >"$dir/cut.so"
expect='--plugin shared object' bad run broadcast --plugin "$dir/cut.so"
finish
