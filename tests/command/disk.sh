#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A file of --output on a full disk, after a signal, behind links, and of what permissions; text from outside that would
# command a terminal. What needs no process of its own: tests/tools/lines/files.txt.
. "$(dirname "$0")/support.sh"
virtual=(--clock virtual --executor fiber)
at=$dir/files
mkdir "$at"
cd "$dir" || exit 1

# begins FILE TEXT WORDS...: what the command writes to the file begins so, and stdout stays empty
begins() {
    local file=$at/$1 text=$2
    shift 2
    logp "$@" --output "$file"
    [ $code -eq 0 ] || fail "logp $*: exit code $code: $(cat "$dir/all")"
    [ ! -s "$dir/out" ] || fail "logp $*: stdout: $(cat "$dir/out")"
    [ "$(head -c ${#text} "$file" | tr '\0' ' ')" = "$text" ] || fail "logp $* $file: $(head -c 80 "$file")"
}

# ---- what goes wrong leaves the old file, and nothing beside it ----
# stays WHAT: the old file is as it was, and alone
stays() {
    [ "$(cat "$at"/old/*)" = old ] || fail "$1: the old file is $(head -c 100 "$at"/old/*)"
    [ "$(ls -A "$at/old" | wc -l)" -eq 1 ] || fail "$1: left behind: $(ls -A "$at/old")"
}
# old NAME: there is an old file of this name
old() {
    rm -rf "$at/old"
    mkdir "$at/old"
    echo old >"$at/old/$1"
}
old x.json
FEIGN=wrong LD_PRELOAD=$feign logp run broadcast --clock virtual --output "$at/old/x.json"
[ $code -eq 1 ] || fail "a wrong run: exit code $code"
stderr_has "logp: $at/old/x.json is as it was: the command failed"
stays 'a wrong run'
expect=flat bad run broadcast --algo nosuch --output "$at/old/x.json"
stays 'bad input'
FEIGN=none LD_PRELOAD=$feign logp measure "${virtual[@]}" --output "$at/old/x.json"
[ $code -eq 1 ] || fail "no machine: exit code $code"
stays 'no machine'

# a full disk, or a file that is too large
# full NAME WORDS...
full() {
    local name=$1
    shift
    old "$name"
    (ulimit -f 1 && exec "$logp" "$@" --output "$at/old/$name" >"$dir/out" 2>"$dir/err")
    [ $? -eq 1 ] || fail "logp $*: exit code for a file that is too large"
    grep -q "logp: $at/old/$name could not be written: File too large" "$dir/err" || fail "logp $*: $(cat "$dir/err")"
    stays "logp $*"
}
full x.json tree broadcast -P 1000
full x.csv list algorithms
full x.svg trace barrier "${virtual[@]}"
full x.json measure "${virtual[@]}"
full x.csv validate --on cm5 -P 2 "${virtual[@]}"
full x.txt tune -P 2..32*2 --bytes 1..64k
full x.html report barrier -P 2 "${virtual[@]}"
full x.json paper sun --clock virtual
full x.goal schedule barrier -P 64
full x.svg plot barrier -P 2,4 "${virtual[@]}"
if command -v rsvg-convert >/dev/null; then
    full x.png bench barrier -P 2,4 "${virtual[@]}"
    old x.png
    (ulimit -f 1 && exec "$logp" bench barrier -P 2,4 "${virtual[@]}" --plot "$at/old/x.png" >"$dir/out" 2>"$dir/err")
    [ $? -eq 1 ] || fail "--plot of a file that is too large: exit code"
    grep -q "logp: $at/old/x.png could not be written: File too large" "$dir/err" || fail "--plot: $(cat "$dir/err")"
    stays '--plot'
fi
if [ -e /dev/full ]; then
    for words in --help --version 'help run' list 'run --help' 'predict barrier' 'tree broadcast' 'manual' 'completion bash' \
        'schedule barrier' 'paper sun --clock virtual' 'run barrier --clock virtual' 'tune barrier -P 2' 'complete ru'; do
        # shellcheck disable=SC2086
        "$logp" $words >/dev/full 2>"$dir/err"
        [ $? -eq 1 ] || fail "logp $words to a full device: exit code"
        stderr_is 'logp: the output could not be written: No space left on device'
    done
    for words in list 'tree broadcast' 'run barrier --clock virtual' 'measure --clock virtual' 'schedule barrier' 'tune barrier -P 2'; do
        # shellcheck disable=SC2086
        logp $words --output /dev/full
        [ $code -eq 1 ] || fail "logp $words --output /dev/full: exit code $code"
        stderr_is 'logp: /dev/full could not be written: No space left on device'
    done
fi
"$logp" list --output /dev/stdout | grep -qx collectives || fail "/dev/stdout"
"$logp" list --output >(grep -qx collectives && touch "$at/pipe")
for ((i = 0; i < 200; i++)); do [ -e "$at/pipe" ] && break || sleep 0.05; done
[ -e "$at/pipe" ] || fail "a pipe"

# interrupted: in a run, which ends itself, and before; and by what ends the process at once
# interrupted CODE NAME SIGNAL WORDS...
interrupted() {
    local ends=$1 name=$2 signal=$3 pid
    shift 3
    old "$name"
    # the shell lets what runs in the background ignore SIGQUIT
    env --default-signal=QUIT "$logp" "$@" --output "$at/old/$name" >"$dir/out" 2>"$dir/err" &
    pid=$!
    # the new file, with a name or without one
    until readlink "/proc/$pid/fd/"* 2>/dev/null | grep -q "^$at/old/"; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.01
    done
    sleep 0.1
    kill -"$signal" $pid
    wait $pid
    [ $? -eq "$ends" ] || fail "logp $* and $signal: exit code"
    [ "$ends" -ne 1 ] || grep -q 'logp: .*is as it was' "$dir/err" || fail "logp $* and $signal: $(cat "$dir/err")"
    stays "logp $* and $signal"
}
# those are reported by the shell
ends_at_once() { interrupted "$@" 2>/dev/null; }
interrupted 1 x.json INT run broadcast --reps 1000000
interrupted 1 x.txt INT tune -P '2..128*2'
interrupted 1 x.txt TERM tune -P '2..128*2'
interrupted 1 x.html INT report broadcast -P 2..200 --reps 1000
# where files can be without a name, nothing is left whatever ends the process
if python3 -c "import os; os.open('$at', os.O_TMPFILE | os.O_RDWR)" 2>/dev/null; then
    ends_at_once 131 x.txt QUIT tune -P '2..128*2'
    ends_at_once 137 x.json KILL run broadcast --reps 1000000
fi
# where they cannot, signals that can be caught remove it
export FEIGN=named LD_PRELOAD=$feign
for signal in INT QUIT ALRM XCPU USR1; do interrupted 1 x.txt $signal tune -P '2..128*2'; done
begins named.json '[' list delays
unset FEIGN LD_PRELOAD

# ---- what a file is afterwards ----
rm -rf "$at/old"
mkdir "$at/old" "$at/other"
echo old >"$at/other/target.json"
ln -s ../other/target.json "$at/old/link.json"
ln -s ../other/new.json "$at/old/dangling.json"
begins old/link.json '[' list delays
begins old/dangling.json '[' list delays
{ [ -L "$at/old/link.json" ] && [ -L "$at/old/dangling.json" ]; } || fail "a link is no link any more"
{ cmp -s "$at/other/target.json" "$at/other/new.json" && [ ! -L "$at/other/new.json" ]; } || fail "what links lead to"
(umask 027 && "$logp" list --output "$at/mode.json")
[ "$(stat -c %a "$at/mode.json")" = 640 ] || fail "permissions: $(stat -c %a "$at/mode.json")"
chmod 604 "$at/mode.json"
begins mode.json '[' list
[ "$(stat -c %a "$at/mode.json")" = 604 ] || fail "permissions afterwards: $(stat -c %a "$at/mode.json")"
name=$(printf 'x%.0s' {1..250}).csv
begins "$name" name, list
[ -z "$(find "$at" -name '.logp-*')" ] || fail "left behind: $(find "$at" -name '.logp-*')"

# ---- a sweep's file grows, and what it has is never lost ----
sweep=(barrier -P '2..40' --algo dissemination "${virtual[@]}")
for end in csv json; do
    (ulimit -f 8 && exec "$logp" bench "${sweep[@]}" --output "$at/sweep.$end" >"$dir/out" 2>"$dir/err")
    [ $? -eq 1 ] || fail "sweep.$end: exit code on a full disk"
    grep -q "sweep.$end could not be written: File too large" "$dir/err" || fail "sweep.$end: $(cat "$dir/err")"
    [ $end = csv ] || holds 'length > 3 and length < 39' "$at/sweep.json" "a full disk in the middle of a record"
    [ $end = json ] || [ "$(tail -c 1 "$at/sweep.csv" | od -An -c | tr -d ' ')" = '\n' ] || fail "sweep.csv ends in a record"
    logp bench "${sweep[@]}" --output "$at/sweep.$end"
    [ $code -eq 0 ] || fail "sweep.$end: goes on: $(cat "$dir/all")"
    stderr_has 'after'
    cp "$at/sweep.$end" "$dir/kept"
    # a restart leaves it until it has something better
    (ulimit -f 0 && exec "$logp" bench "${sweep[@]}" --restart --output "$at/sweep.$end" >"$dir/out" 2>"$dir/err")
    [ $? -eq 1 ] || fail "sweep.$end: exit code of a restart on a full disk"
    cmp -s "$at/sweep.$end" "$dir/kept" || fail "sweep.$end is lost"
    logp bench "${sweep[@]}" --restart --output "$at/sweep.$end"
    cmp -s "$at/sweep.$end" "$dir/kept" || fail "sweep.$end begun anew"
done

# ---- text from outside ----
escape=$(printf 'a\033[31mb')
expect='a\x1b[31mb' bad "run" "$escape"
expect='--root a\x1b[31mb' bad run broadcast --root "$escape"
cp "$plugin" "$at/$escape.so"
says "delays by $at/a\\x1b[31mb.so; L = 60 us, o = 20 us, g = 40 us; prediction only" predict broadcast -P 2 --plugin "$at/$escape.so"
printf 'L = 6us\no = 2us\ng = 4us\n' >"$at/$escape.machine"
says "$at/a\\x1b[31mb.machine; delay loggp; L = 6 us, o = 2 us, g = 4 us; prediction only; no algorithm takes less than 10.000 us" \
    predict broadcast -P 2 --machine "$at/$escape.machine"
finish
