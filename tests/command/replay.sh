#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# replay, trace --replay: what a test leaves behind where it fails is shown again, byte for byte, by
# another build and by threads too; and what is wrong with files and programs.
. "$(dirname "$0")/support.sh"
here=$(cd "$(dirname "$0")/../trace" && pwd)
replayed=$(dirname "$plugin")/replayed
rebuilt=$(dirname "$plugin")/rebuilt
export LOGP_CHECK_CONFIRM=0 # no lines of sends: where one build has a tail call, another has a line
mkdir "$dir/at"
cd "$(dirname "$plugin")" || exit 1 # where the programs of the replays are

# all of its failures, each with a file that the text names
(cd "$dir/at" && LOGP_REPLAY_DIR=left/over "$replayed" >"$dir/none" && exit 1)
grep -q '^its replay could not be written to left/over: No such file' "$dir/none" || fail "no folder: $(cat "$dir/none")"
(cd "$dir/at" && LOGP_REPLAY_DIR=left "$replayed" >"$dir/found") && fail 'nothing has failed'
mapfile -t left < <(sed -n "s|^to repeat it: logp replay |$dir/at/|p" "$dir/found")
[ ${#left[@]} -eq 8 ] || fail "not eight replays: $(cat "$dir/found")"
# the same once more are the same files; of another failure of that name, another one
(cd "$dir/at" && LOGP_REPLAY_DIR=left "$replayed" >/dev/null)
[ "$(find "$dir/at/left" -type f | wc -l)" -eq 8 ] || fail "$(ls "$dir/at/left")"
(cd "$dir/at" && LOGP_REPLAY_DIR=left OTHERWISE=1 "$replayed" race >/dev/null)
[ -n "$(find "$dir/at/left" -name 'race-p3-*-2.replay')" ] || fail "$(ls "$dir/at/left")"
race=${left[0]} timed=${left[1]} ring=${left[2]} lost=${left[3]} words=${left[4]} words_in_time=${left[5]} early=${left[6]} late=${left[7]}

programs=("" "$replayed" "$rebuilt")
for file in "${left[@]}"; do
    awk -v file="$(basename "$file")" '
        /failed with P/ { text = "" } { text = text $0 "\n" }
        /^to repeat it/ && index($0, file) { sub(/to repeat it[^\n]*\n$/, "", text); printf "%s", text }
    ' "$dir/found" | grep -v '^this is the program' >"$dir/text"
    [ -s "$dir/text" ] || fail "no text of $file"
    for program in "${programs[@]}"; do
        for executor in '' thread fiber; do
            logp replay "$file" ${executor:+--executor $executor} ${program:+-- "$program"}
            [ $code -eq 1 ] || fail "replay $file $executor $program: exit code $code: $(cat "$dir/all")"
            cmp "$dir/out" "$dir/text" || fail "replay $file $executor $program: another text: $(cat "$dir/out")"
            grep -q '^this is the program$' "$dir/all" || fail "what the program prints is lost"
            # a program that is named with an executor may be a debugger, and has the terminal
            [ -n "$program" ] && [ -n "$executor" ] || ! grep -qxFf <(head -1 "$dir/text") "$dir/all" ||
                fail "replay $file $executor $program: the report is there twice"
            logp trace --replay "$file" --format json ${executor:+--executor $executor} ${program:+-- "$program"}
            [ $code -eq 0 ] || fail "trace --replay $file: exit code $code: $(cat "$dir/all")"
            [ -n "$program" ] && [ -n "$executor" ] || ! grep -qxFf <(head -1 "$dir/text") "$dir/all" ||
                fail "trace --replay $file $executor $program: the report is printed, too"
            [ -e "$dir/trace" ] || cp "$dir/out" "$dir/trace"
            cmp "$dir/out" "$dir/trace" || fail "trace --replay $file $executor $program: another run"
        done
    done
    mv "$dir/trace" "$dir/t.json"
    logp trace --replay "$file" --format svg --output "$dir/t.svg"
    python3 "$here/svg.py" "$dir/t.svg" "$dir/t.json" || fail "svg of $file"
    command -v protoc >/dev/null || continue
    logp trace --replay "$file" --format perfetto --output "$dir/t.pftrace"
    python3 "$here/pftrace.py" "$dir/t.pftrace" "$dir/t.json" >"$dir/said" || fail "perfetto of $file"
done
# others are not run, and fail nothing: the exit code of the program is not looked at
LOGP_REPLAY=$ring "$replayed" race late >"$dir/out" || fail "others are run: $(cat "$dir/out")"
LOGP_REPLAY=$ring "$replayed" >"$dir/out" && fail 'the environment alone: it does not fail'
grep -q '^ring failed with P = 2: deadlock$' "$dir/out" || fail "the environment alone: $(cat "$dir/out")"

# what is drawn. In steps, each event has its own, and messages go forward
steps='[.events[] | select(.kind != "idle" and (.label == null or (.label | test("waits|hold") | not))) | .start_ns]'
json "(.clock == \"steps\") and .collective == null and .program == \"race\" and .unit_ns == 1000 and .parameters == null and
      ($steps | sort) == [0, 1000, 2000] and
      (.events | map(select(.kind == \"receive\")) | map([.rank, .peer, .start_ns])) == [[0, 2, 2000]] and
      (.events[] | select(.kind == \"mark\")).label == \"status.source == i does not hold\"" trace --replay "$race"
json ".clock == \"virtual\" and .parameters.L_ns == 6000 and .unit_ns == 1000 and
      (.events[] | select(.kind == \"receive\")).end_ns == .end_ns" trace --replay "$timed"
json '.unit_ns == 500' trace --replay "$timed" --unit 500ns
json '[.events[] | select(.kind == "mark") | [.rank, .label]] ==
      [[0, "begin"], [0, "waits for a message from rank 1, tag 1"], [1, "begin"],
       [1, "found nothing of rank 0, tag 1"], [1, "waits for a message from rank 1, tag 1"]] and
      (.failure | contains("deadlock; rank 0 waits for"))' trace --replay "$ring"
json '[.events[] | select(.kind == "send") | [.start_ns, .arrival_ns]] == [[2000, 4000], [3000, 5000]] and
      .end_ns == 5000 and [.events[] | select(.kind == "send") | .received] == [1, 0]' trace --replay "$late"
waits='[.events[] | select(.fate == "endless") | [.rank, .kind, .peer, .tag]]'
json "$waits == [[0,\"idle\",1,1],[1,\"idle\",1,1]]" trace --replay "$ring"
json "$waits == [[0,\"idle\",1,0]] and
      ([.events[] | select(.kind == \"send\") | [.fate, .received]] == [[\"dropped\",0],[null,0],[null,0]])" \
    trace --replay "$lost"
logp trace --replay "$lost"
grep -q '^L 6, o 2, g 4, faults drop:0.2; a unit is 1 us$' "$dir/out" || fail "no faults: $(cat "$dir/out")"
grep -q '^messages: 1 lost, 2 never received$' "$dir/out" || fail "drawn: $(cat "$dir/out")"
# of the faults only what it takes is left, and the message is lost in the picture, too
grep -qx 'faults drop:0.2' "$lost" || fail "faults are left: $(cat "$lost")"
grep -q '^noise' "$lost" && fail "noise is left: $(cat "$lost")"
logp replay "$lost"
grep -q '^faults: drop:0.2$' "$dir/out" || fail "no faults: $(cat "$dir/out")"
[ "$(grep -c 'drop affects message [1-3] of rank 1, to rank 0, at' "$dir/out")" -eq 1 ] || fail "not one: $(cat "$dir/out")"
json '(.events | map(select(.kind == "send")) | length) - (.events | map(select(.kind == "receive")) | length) >= 1 and
      (.events[] | select(.label == "drop") | .rank) == 1' \
    trace --replay "$lost"
sed -e 's/^choices .*/choices 3/' -e '/^chosen /d' "$lost" >"$dir/none"
logp replay "$dir/none"
[ $code -eq 0 ] || fail "without the fault: exit code $code: $(cat "$dir/all")"
says 'race, P = 3: 3 steps, in the order in which they were taken' trace --replay "$race"
logp trace --replay "$race" --format goal
grep -q 'send 4b to 0 tag 3' "$dir/out" || fail "goal: $(cat "$dir/out")"

# payloads in words, each once at its send, and as one line
letter='letter [0-9]*\\nend\\n\\x1b\[2J'
for file in "$words" "$words_in_time"; do
    json '[.events[] | select(.kind == "mark" and (.label | startswith("letter"))) | .label[0:9]] | .[0:2] == ["letter 10", "letter 11"] and
          (unique | length) == length' trace --replay "$file"
    logp trace --replay "$file"
    { [ $code -eq 0 ] && [ "$(grep -c "^P[12], [a-z]* [0-9.]*, to P0: $letter\$" "$dir/out")" -ge 2 ]; } ||
        fail "words: $(cat "$dir/out" "$dir/all")"
    logp trace --replay "$file" --diff
    grep -q "^P1, [a-z]* [0-9.]*, to P0: $letter\$" "$dir/out" || fail "words, diff: $(cat "$dir/out" "$dir/all")"
    logp trace --replay "$file" --format svg --output "$dir/t.svg"
    grep -q "<title>$letter, " "$dir/t.svg" || fail "words, svg: $(cat "$dir/all")"
done

# beside it the nearest run that passes
logp trace --replay "$race" --diff
{ [ $code -eq 0 ] && grep -qx 'the failure' "$dir/out" && grep -qx 'the nearest run that passes' "$dir/out" &&
    [ "$(grep -c '^P0 ' "$dir/out")" -eq 2 ]; } || fail "diff: $(cat "$dir/out" "$dir/all")"
grep -q '^they differ in choice [0-9]*: rank [0-9] .*; in the run that passes, rank [0-9] .*; from step [0-2] on; race failed' "$dir/out" ||
    fail "diff: $(cat "$dir/out")"
logp trace --replay "$early" --diff
grep -q '; in the run that passes, the wait of rank 0 ends at its time; ' "$dir/out" || fail "diff: $(cat "$dir/out")"
for file in "$race" "$ring" "$lost"; do
    logp trace --replay "$file" --diff --format svg --output "$dir/t.svg"
    { [ $code -eq 0 ] && [ "$(grep -c 'class="name"' "$dir/t.svg")" -eq 2 ] && grep -q 'dotted line' "$dir/t.svg"; } ||
        fail "diff of $file: $(cat "$dir/all")"
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/t.svg" || fail "diff of $file: no SVG"
done
logp trace --replay "$lost" --diff
grep -q '^they differ in choice 1: a fault of message 1 of rank 1 to rank 0, which the run that passes has not; from time 0 on' "$dir/out" ||
    fail "diff: $(cat "$dir/out")"
logp trace --replay "$late" --diff # it fails in all its runs
stderr_has 'no run that passes was found near it'
MENDED=1 logp trace --replay "$ring" --diff
{ [ $code -eq 0 ] && ! grep -q 'nearest' "$dir/out"; } || fail "mended, diff: $(cat "$dir/out" "$dir/all")"

# mended, or wrong in another way
MENDED=1 logp replay "$ring"
[ $code -eq 0 ] || fail "mended: exit code $code: $(cat "$dir/all")"
[ "$(<"$dir/out")" = 'ring, P = 2: it does not fail any more: with the same choices, it is fixed
the environment differs from that of the failure: MENDED' ] || fail "mended: $(cat "$dir/out")"
MENDED=1 logp trace --replay "$ring"
{ [ $code -eq 0 ] && grep -q '^ring, P = 2: ' "$dir/out"; } || fail "mended, drawn: $(cat "$dir/out" "$dir/all")"
stderr_has 'ring does not fail any more'
OTHERWISE=1 logp replay "$race"
[ $code -eq 1 ] || fail "otherwise: exit code $code"
stderr_has 'race fails with another error than before'
grep -q '^race failed with P = 3: rank 0 returned -5' "$dir/out" || fail "otherwise: $(cat "$dir/out")"

# what is wrong with files
wrong() { # TEXT...: a file of these lines
    printf '%s\n' "$@" >"$dir/wrong"
    bad replay "$dir/wrong"
}
expect="$dir/nosuch No such file" bad replay "$dir/nosuch"
expect="$dir/nosuch No such file" bad trace --replay "$dir/nosuch"
expect='LOGP_REPLAY_DIR' bad replay
expect='extra unexpected' bad replay "$race" extra
expect='no replay file' bad replay /dev/null
expect='no replay file' wrong 'something else'
version=$(head -n 1 "$race")
expect="version 1; version ${version#* }" wrong 'logp-replay 1' 'program x'
expect="not replay \"$version\"" wrong 'logp-reply 5'
expect='line 3' wrong "$version" 'program x' 'fruit 7' 'processors 2' 'choices 0'
expect='line 3' wrong "$version" 'program x' 'failed oddly -5'
expect='line 3' wrong "$version" 'program x' 'argument \q'
expect='line 3' wrong "$version" 'program x' 'program y'
expect='line 3 missing' wrong "$version" 'program x'
expect='does not name its program --' wrong "$version" 'program x' 'processors 2' 'choices 0' end
for cut in 2 5 9 30; do # a file that was not copied to its end
    head -c "-$cut" "$race" >"$dir/cut"
    expect="$dir/cut line last \"end\"" bad replay "$dir/cut"
done
printf 'logp-replay 5\nprogram x\0y\n' >"$dir/zero"
expect='zero byte' bad replay "$dir/zero"
head -c 2000 /dev/urandom >"$dir/noise"
expect="$dir/noise" bad replay "$dir/noise"
expect="$dir Is a directory" bad replay "$dir"
# with the program
sed "s|^argument .*|argument $dir/gone|" "$race" >"$dir/moved"
expect="$dir/gone No such file --" bad replay "$dir/moved"
sed "s|^directory .*|directory $dir/gone|" "$race" >"$dir/moved"
expect="folder $dir/gone --" bad replay "$dir/moved"
expect='never came to a check "race" P = 3' bad replay "$race" -- true
sed 's/^processors 3/processors 7/' "$race" >"$dir/moved"
cannot() { # TEXT WORDS...: exit code 2, and stderr ends so
    local text=$1
    shift
    logp "$@"
    { [ $code -eq 2 ] && [ ! -s "$dir/out" ]; } || fail "$*: exit code $code"
    case $(tail -n 1 "$dir/err") in *"$text"*) ;; *) fail "$*: no '$text' in: $(cat "$dir/err")" ;; esac
}
cannot 'never came to a check of "race" with P = 7' replay "$dir/moved"
cannot 'never came to a check of "race" with P = 3' replay "$race" -- "$replayed" ring
cannot 'never came' trace --replay "$race" -- "$replayed" ring
sed 's/^choices .*/choices 1 0=2/' "$race" >"$dir/moved"
cannot 'does not make the same choices any more' replay "$dir/moved"
sed 's/^program race/program ring/' "$race" >"$dir/moved"
logp replay "$dir/moved" # another program: whatever it is, it ends
[ $code -ne 1 ] || grep -q 'ring' "$dir/out" || fail "another program: $(cat "$dir/out")"
# shellcheck disable=SC2016
cannot 'never came' replay "$race" -- sh -c 'kill -SEGV $$'
grep -q '^logp: sh was ended by a signal: Segmentation fault' "$dir/all" || fail "a crash: $(cat "$dir/all")"
LOGP_REPLAY=$dir/noise "$replayed" race >"$dir/out" && fail 'a wrong file in the environment'
grep -q "^LOGP_REPLAY $dir/noise: line 1 " "$dir/out" || fail "environment: $(cat "$dir/out")"
LOGP_REPLAY=$race LOGP_REPLAY_EXECUTOR=none "$replayed" race >"$dir/out" && fail 'a wrong executor in the environment'
grep -qx 'race cannot be checked: executor: thread or fiber, not none' "$dir/out" || fail "executor: $(cat "$dir/out")"

# a file of somebody else: its command is shown, and one that is not where the file or the user is must be named
mkdir "$dir/theirs" "$dir/elsewhere"
cp /bin/sh "$dir/elsewhere/sh"
ln -s /bin/sh "$dir/theirs/link"
theirs() { # FOLDER WORDS...: a replay that starts this command there
    local folder=$1
    shift
    printf '%s\n' "$version" 'program x' 'processors 3' 'run 0' 'seed 1' 'failed asserted -71 x' "directory $folder" \
        "${@/#/argument }" 'vary untimed' 'misses 0' 'steps 100' 'choices 0' end >"$dir/theirs/r.replay"
}
cd "$dir/theirs" || exit 1
for command in /bin/sh sh ../elsewhere/sh ./link env "$logp"; do
    theirs "$dir/theirs" "$command" -c "touch $dir/started"
    expect="r.replay ${command#./} touch --" bad replay r.replay
    expect="r.replay ${command#./} touch --" bad trace --replay r.replay
done
theirs "$dir/theirs" "$logp" mpirun /bin/sh -c "touch $dir/started"
logp replay r.replay
theirs "$dir/theirs" "$logp" mpirun --explore 3 /bin/sh -c "touch $dir/started"
logp replay r.replay
grep -q 'mpirun: the replay starts /bin/sh, which is not in its folder' "$dir/all" || fail "mpirun of a replay: $(cat "$dir/all")"
# it loads no plug-in of elsewhere either, not even to refuse it afterwards
theirs "$dir/theirs" "$logp" mpirun --plugin "$plugin" --explore 3 ./link
logp replay r.replay
grep -q "plugin $plugin: a replay loads plug-ins from its folder or the current one only" "$dir/all" ||
    fail "a plug-in of a replay: $(cat "$dir/all")"
cp "$plugin" "$dir/theirs/own.so"
theirs "$dir/theirs" "$logp" mpirun --plugin ./own.so --explore 3 ./link
logp replay r.replay
grep -q 'mpirun: --plugin is not for --explore' "$dir/all" || fail "a plug-in of its folder: $(cat "$dir/all")"
# a folder whose name is several lines is none of these
lines=$dir/$'a\n/bin\n'$(realpath /bin)$'\n/b'
mkdir -p "$lines"
theirs "$dir" "$(realpath /bin/sh)" -c "touch $dir/started"
cp r.replay "$lines"
expect='r.replay is not in the folder --' bad replay "$lines/r.replay"
# nor is the program another one than was looked at
theirs /bin sh -c "touch $dir/started"
for path in '' : .; do
    PATH=$path expect='r.replay sh --' bad replay r.replay
done
theirs "$dir" ./elsewhere/sh -c "touch $dir/started; echo a  b"
cd /
expect='r.replay elsewhere --' bad replay "$dir/theirs/r.replay"
[ ! -e "$dir/started" ] || fail "a command that is elsewhere is started"
cd "$dir/elsewhere" || exit 1
logp replay ../theirs/r.replay
[ "$(head -n 1 "$dir/all")" = "logp: ../theirs/r.replay: starts in $dir: ./elsewhere/sh -c 'touch $dir/started; echo a  b'" ] ||
    fail "the command is not shown first: $(cat "$dir/all")"
[ -e "$dir/started" ] || fail 'a command in the current folder'
rm "$dir/started"
cd / || exit 1
logp replay "$dir/theirs/r.replay" -- "$dir/elsewhere/sh" -c "touch $dir/started"
[ -e "$dir/started" ] || fail 'a command that is named'
cd "$(dirname "$plugin")" || exit 1

# options
expect='-- no program' bad replay "$race" --
expect='--executor process thread' bad replay "$race" --executor process
expect='-P not' bad replay "$race" -P 3
expect='-P --replay' bad trace --replay "$race" -P 3
expect='--clock --replay' bad trace --replay "$race" --clock wall
expect='broadcast replay not both' bad trace broadcast --replay "$race"
expect='--format csv' bad trace --replay "$race" --format csv
expect='--replay not' bad run broadcast --replay "$race"
expect='--diff --replay FILE' bad trace broadcast --diff
expect='--format text svg --diff' bad trace --replay "$race" --diff --format json
LOGP_REPLAY=$race json '.program == null and .algorithm == "flat"' trace broadcast --predicted --algo flat
says 'broadcast/flat, P = 8: 34 units, predicted' trace --predicted --algo flat -- broadcast
finish
