#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --output: its suffix is the format; a file is replaced when all of the new one is there, and else it
# stays as it was, whatever goes wrong. Text from outside is never a command, a tag or a terminal's.
. "$(dirname "$0")/support.sh"
virtual=(--clock virtual --executor fiber)
at=$dir/files
mkdir "$at"
cd "$dir" || exit 1

# ---- the suffix ----
# begins FILE TEXT WORDS...: what the command writes to the file begins so, and stdout stays empty
begins() {
    local file=$at/$1 text=$2
    shift 2
    logp "$@" --output "$file"
    [ $code -eq 0 ] || fail "logp $*: exit code $code: $(cat "$dir/all")"
    [ ! -s "$dir/out" ] || fail "logp $*: stdout: $(cat "$dir/out")"
    [ "$(head -c ${#text} "$file" | tr '\0' ' ')" = "$text" ] || fail "logp $* $file: $(head -c 80 "$file")"
}
begins run.json '[{"collective":"barrier"' run barrier "${virtual[@]}"
begins run.csv 'collective,algorithm' run barrier "${virtual[@]}"
begins run.txt 'barrier, P = 8' run barrier "${virtual[@]}"
begins run 'barrier, P = 8' run barrier "${virtual[@]}"
begins upper.JSON '[{"collective"' predict barrier
begins predict.csv 'collective,algorithm' predict barrier
begins watch.json '[{"collective":"barrier"' watch barrier -P 2 "${virtual[@]}"
begins list.json '[' list delays
begins tree.svg '<svg' tree broadcast
begins tree.dot 'digraph' tree broadcast
begins trace.svg '<svg' trace barrier "${virtual[@]}"
begins trace.goal 'num_ranks 8' trace barrier "${virtual[@]}"
begins trace.json '{' trace barrier "${virtual[@]}"
begins schedule.goal 'num_ranks 8' schedule barrier
begins measure.json '[{' measure "${virtual[@]}"
begins measure.machine 'source' measure "${virtual[@]}"
begins validate.csv 'collective,' validate broadcast --on cm5 -P 2 --bytes 8..8 "${virtual[@]}"
begins crossover.csv 'collective,P,' bench crossover barrier -P 2,4
begins bench.txt 'barrier' bench barrier "${virtual[@]}"
begins tune.csv 'collective,' tune barrier -P 2,4
begins tune.txt 'barrier' tune barrier -P 2,4
begins paper.json '[' paper sun --clock virtual
logp trace barrier "${virtual[@]}" --output "$at/trace.pftrace"
logp trace barrier "${virtual[@]}" --format perfetto >"$dir/pftrace"
[ -s "$at/trace.pftrace" ] || fail "trace.pftrace"
# the file is what stdout would be
logp predict broadcast --algo all --format json
begins same.json '[' predict broadcast --algo all
logp predict broadcast --algo all --format json
cmp -s "$dir/out" "$at/same.json" || fail "--output is not what stdout is"
logp predict broadcast --algo all --format json --output -
cmp -s "$dir/out" "$at/same.json" || fail "--output - is not stdout"
LOGP_FORMAT=csv begins env.json '[' predict barrier # a default gives way

# a contradiction, and what the command does not write: nothing is run, and no file is made
expect='--output x.json: --format csv .csv' bad run barrier --format csv --output x.json
expect='--output x.svg: --format dot .dot' bad tree broadcast --format dot --output x.svg
expect='--output x.txt: --format json .json' bad predict barrier --format json --output x.txt
expect='--output x.html: --format machine .machine' bad measure --format machine --output x.html
expect='--output x.json: --export csv .csv' bad tune barrier --export csv --output x.json
expect='--output x.csv: --export mpich .json' bad tune --export mpich --output x.csv
expect='--output x.json: --export openmpi .txt .csv' bad tune barrier --output x.json
for words in 'run barrier:.txt, .json, .csv, .md or .tex' 'trace barrier:.txt, .json, .svg, .goal or .pftrace' \
    'tree broadcast:.txt, .json, .csv, .svg or .dot' 'schedule barrier:.txt, .json or .goal' \
    'paper sun:.txt, .json, .csv or .svg' 'measure:.txt, .json, .csv or .machine' 'list:.txt, .json or .csv' \
    'bench barrier:.txt, .json, .csv, .md, .tex, .svg, .png or .pdf' 'bench crossover barrier:.txt, .json or .csv' \
    'validate:.txt, .json or .csv' 'replay x:.txt' 'report barrier:.html'; do
    # shellcheck disable=SC2086
    expect="--output x.odt ${words#*:}" bad ${words%%:*} --output x.odt
done
[ ! -e x.json ] && [ ! -e x.svg ] && [ ! -e x.odt ] || fail "a refused file exists"
begins free.dat '[' list delays --format json # which no format has

# ---- where it cannot be ----
mkdir "$at/folder.json"
for command in 'run barrier' 'tree broadcast' measure 'validate barrier' 'tune barrier' 'list' 'bench barrier' 'report barrier'; do
    end=json
    case $command in tune*) end=csv ;; report*) end=html ;; esac
    mkdir -p "$at/folder.$end"
    # shellcheck disable=SC2086
    expect="--output $at/folder.$end directory" bad $command --output "$at/folder.$end"
    # shellcheck disable=SC2086
    expect="--output $at/none/x.$end directory" bad $command --output "$at/none/x.$end"
done

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
printf 'title = a\033[31mb\nL = 6us\no = 2us\ng = 4us\n' >"$at/title.machine"
expect="--machine $at/title.machine control" bad predict broadcast --machine "$at/title.machine"

# a name that a spreadsheet would take for a formula: text in CSV, and itself in JSON and in what is read back
for title in '=1+1' '+1+1' '-1+1' '@SUM(1,1)' "'=1" '-1'; do
    printf 'name = %s\nL = 6us\no = 2us\ng = 4us\n' "$title" >"$at/title.machine"
    rm -f "$at/title.csv"
    logp bench barrier -P 2,4 "${virtual[@]}" --machine "$at/title.machine" --output "$at/title.csv"
    python3 - "$at/title.csv" "$title" <<-'END' || fail "CSV of a machine called $title: $(cat "$at/title.csv")"
	import csv, sys
	rows = list(csv.DictReader(open(sys.argv[1])))
	assert len(rows) == 2 and all(r["machine"] == "'" + sys.argv[2] for r in rows), rows
	assert not any(v.startswith("'") for r in rows for k, v in r.items() if k != "machine"), rows
	END
    json ".[0].machine == \"$title\"" predict barrier --machine "$at/title.machine"
    # the sweep goes on where its file ends, and a plot shows the name
    cp "$at/title.csv" "$dir/kept"
    logp bench barrier -P 2,4 "${virtual[@]}" --machine "$at/title.machine" --output "$at/title.csv"
    cmp -s "$dir/kept" "$at/title.csv" || fail "a sweep of a machine called $title does not go on"
done
finish
