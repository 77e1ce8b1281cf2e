#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fresh.sh LOGP FRESH CC SOURCE LIB INCLUDE...: failures are confirmed in a fresh process; sanitizers that end the process
# leave a replay that is made smaller; a replay names the variables that differ.
logp=$1 fresh=$2 cc=$3 source=$4 lib=$5
shift 5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset LOGP_CHECK_CONFIRM LOGP_REPLAY_DIR LOGP_REPLAY LOGP_CHECK_RUNS LOGP_CHECK_SEED
export LOGP_TEST_REGISTRY=
fail() { echo "failed: $*" >&2; exit 1; }
has() { grep -q -- "$1" "$dir/out" || fail "no \"$1\": $(cat "$dir/out")"; }
hasnt() { grep -q -- "$1" "$dir/out" && fail "\"$1\": $(cat "$dir/out")"; }
cd "$dir" || exit 1

# an order that fails is confirmed, and says how to find it again without a file
"$fresh" order >out && fail 'no failure'
has 'rc -71, kind 2'
hasnt 'not confirmed'
again=$(sed -n 's/^to repeat it: \(.*\) in the environment.*/\1/p' out)
[ -n "$again" ] || fail "no way to repeat it: $(cat out)"
env $again "$fresh" order >out2 && fail 'not found again'
cmp <(grep -v '^set by the environment' out2 | grep -v '^to repeat') <(grep -v '^to repeat' out) || fail "another failure: $(cat out2)"

# one that depends on earlier runs is none, unless nothing confirms it
"$fresh" static >out && fail 'a static passes'
has 'rc -116, kind 10'
has 'In a fresh process the same choices do not fail'
# a replay cannot repeat it, so there is none: the runs before it do
again=$(sed -n 's/^to repeat it: \(.*\) in the environment, which makes the runs before it, too$/\1/p' out)
[ -n "$again" ] || fail "no way to repeat it: $(cat out)"
env $again "$fresh" static >out2 && fail 'not found again'
cmp <(grep -v '^set by the environment' out2) out || fail "another failure: $(cat out2)"
LOGP_REPLAY_DIR=left "$fresh" static >out && fail 'a static passes'
has "^to repeat it: $again in the environment, which makes the runs before it, too$"
[ ! -e left ] || fail "a replay: $(ls left)"
LOGP_CHECK_CONFIRM=0 "$fresh" static >out && fail 'a static passes'
has 'rc -71, kind 2'
hasnt 'which makes the runs before it'

# uncontrolled choices have a text with each strategy
"$fresh" random >out && fail 'rand() passes'
has 'rc -116, kind 10'
has 'the first choice that differs is'

# results as XML
LOGP_CHECK_JUNIT=results.xml "$fresh" order >out && fail 'no failure'
python3 - results.xml <<'END' || fail "no JUnit XML: $(cat results.xml)"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
case = suite.find("testcase")
assert suite.get("tests") == "1" and suite.get("failures") == "1" and case.get("name") == "fresh"
assert float(case.get("time")) > 0 and "does not hold" in case.find("failure").get("message")
END
# ends STATUS TEXT PROGRAM KIND: a check whose run ends the process is in the file, behind one that has passed
ends() {
    rm -f results.xml
    FRESH_FIRST=1 LOGP_CHECK_JUNIT=results.xml "${@:3}" >out 2>&1
    [ $? -eq "$1" ] || fail "${*:3}: another status: $(cat out)"
    python3 - results.xml "$2" <<'END' || fail "${*:3}: no JUnit XML: $(cat results.xml)"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
passed, failed = suite.findall("testcase")
assert suite.get("tests") == "2" and suite.get("failures") == "1"
assert passed.get("name") == "<first>" and passed.find("failure") is None and float(passed.get("time")) > 0
assert failed.get("name") == "fresh" and float(failed.get("time")) > 0
failure = failed.find("failure")
assert failure.get("message") == "fresh failed with P = 3: rank 0 " + sys.argv[2], failure.get("message")
assert "of 1 choice 1 differs" in failure.text
assert sys.argv[2].startswith("crashed (the report") or "made smaller:\nfresh failed" in failure.text
END
}
ends 139 'crashed (SIGSEGV)' "$fresh" crash
ends 1 'called exit()' "$fresh" exit
mkdir regressions # also as the failure of a kept replay, which is not made smaller
LOGP_REPLAY_DIR=regressions "$fresh" crash >out 2>&1 && fail 'no crash'
LOGP_CHECK_REGRESSIONS=regressions LOGP_CHECK_JUNIT=results.xml "$fresh" crash >out 2>&1 && fail 'no crash'
grep -q 'failures="1"' results.xml || fail "a regression: $(cat results.xml)"
grep -q '^to repeat it: logp replay regressions/' results.xml || fail "a regression: $(cat results.xml)"
rm -rf regressions
# text that is not UTF-8
LOGP_CHECK_JUNIT=results.xml "$fresh" bytes >out && fail 'no failure'
python3 - results.xml <<'END' || fail "no JUnit XML: $(cat results.xml)"
import sys, xml.etree.ElementTree as tree
message = tree.parse(sys.argv[1]).getroot().find("testcase").find("failure").get("message")
assert message.endswith(": \\x01 <\u00e4> \\xff\\xed\\xa0\\x80\\xc3"), message
END
# a file that cannot be written is refused before any run
mkdir folder
for file in none/results.xml folder; do
    LOGP_CHECK_JUNIT=$file "$fresh" crash >out 2>&1
    [ $? -eq 1 ] || fail "$file: not refused: $(cat out)"
    has '^rc -22, kind 0$'
    has "^fresh cannot be checked: LOGP_CHECK_JUNIT must be a file that can be written, not '$file'$"
    has "^LOGP_CHECK_JUNIT=$file: the file cannot be written$"
done
LOGP_CHECK_JUNIT=/dev/full "$fresh" none >out 2>&1 || fail "a full disk: $(cat out)"
has '^LOGP_CHECK_JUNIT=/dev/full: the file cannot be written$'

# a crash says how to find it again without a file
"$fresh" crash >out 2>&1 && fail 'no crash'
again=$(sed -n 's/^to repeat it: \(.*\) in the environment; LOGP_REPLAY_DIR=DIR keeps a replay$/\1/p' out)
[ -n "$again" ] || fail "no way to repeat it: $(cat out)"
env $again "$fresh" crash >out2 2>&1 && fail 'not found again'
cmp <(grep -v "^set by the environment" out2) out || fail "another crash: $(cat out2)"
"$fresh" earlier_abort >out 2>&1 && fail 'no crash'
has '^The same choices did not end a child process'
has '^LOGP_CHECK_SEED=0 LOGP_CHECK_RUNS=10 in the environment makes the runs before it, too.$'

# the environment
FRESH_MESSAGES=3 LOGP_REPLAY_DIR=left "$fresh" order >out && fail 'no failure'
file=$(ls left/*.replay)
grep -q '^environment .*FRESH_MESSAGES=' "$file" || fail "no environment: $(cat "$file")"
FRESH_MESSAGES=3 "$logp" replay "$file" -- "$fresh" order >out 2>&1
[ $? -eq 1 ] || fail "not again: $(cat out)"
hasnt 'environment differs'
"$logp" replay "$file" -- "$fresh" order >out 2>&1
[ $? -eq 2 ] || fail "not stale: $(cat out)"
has 'the environment differs from that of the failure: FRESH_MESSAGES$'

# the line of a crash, of an assert(), and of a frame that is larger than the stack
"$cc" -std=gnu11 -g -O0 "${@/#/-I}" -o lines "$source" "$lib" -Wl,-rpath,"$(dirname "$lib")" || fail 'it does not compile with -g'
if command -v addr2line >/dev/null; then
    for kind in crash:'/\* here' assert:'assert(first' array:'memset((char'; do
        rm -rf left
        LOGP_REPLAY_DIR=left ./lines "${kind%%:*}" >out 2>&1 && fail "$kind: no crash"
        line=$(grep -n -- "${kind#*:}" "$source" | cut -d: -f1)
        [ "$(grep -c "^  fresh.c:$line$" out)" -eq 2 ] || fail "$kind: not twice in line $line: $(cat out)"
        "$logp" replay left/*.replay -- ./lines "${kind%%:*}" >out 2>&1
        has "^  fresh.c:$line$"
    done
fi

# a message that is left over has the line of its send, unless no other process is to be started
./lines left >out && fail 'no failure'
has 'rc -74'
hasnt 'not confirmed'
line=$(grep -n -- '/\* left over' "$source" | cut -d: -f1)
! command -v addr2line >/dev/null || has "^  from rank 0 to rank 1, tag 7, 0 bytes, sent in step [0-9]* (fresh.c:$line)$"
LOGP_CHECK_CONFIRM=0 ./lines left >out && fail 'no failure'
has '^  from rank 0 to rank 1, tag 7, 0 bytes, sent in step [0-9]*$'

# sanitizers
for kind in address undefined; do
    flags=-fsanitize=$kind
    [ $kind = undefined ] && flags="$flags -fno-sanitize-recover=all"
    echo 'int main(void) { return 0; }' >probe.c
    if ! "$cc" $flags -o probe probe.c 2>/dev/null || ! ./probe 2>/dev/null; then
        echo "no $kind sanitizer here"
        continue
    fi
    "$cc" -std=gnu11 -g $flags "${@/#/-I}" -o "$kind" "$source" "$lib" -Wl,-rpath,"$(dirname "$lib")" || fail "$kind: it does not compile"
    # one that depends on earlier runs: there is no replay, since it would not fail
    for folder in '' left; do
        rm -rf left
        LOGP_REPLAY_DIR=$folder LOGP_CHECK_JUNIT=results.xml "./$kind" "earlier_$kind" >out 2>&1 && fail "$kind: it passes"
        has '^run 10, seed'
        has '^In a fresh process the same choices do not fail: the program depends on earlier runs'
        has '^to repeat it: LOGP_CHECK_SEED=0 LOGP_CHECK_RUNS=10 in the environment, which makes the runs before it, too$'
        hasnt 'logp replay'
        [ -z "$(ls left 2>/dev/null)" ] || fail "$kind: a replay: $(ls left)"
        grep -q 'In a fresh process the same choices do not fail' results.xml || fail "$kind: $(cat results.xml)"
    done
    LOGP_CHECK_SEED=0 LOGP_CHECK_RUNS=10 "./$kind" "earlier_$kind" >out 2>&1 && fail "$kind: not found again"
    has '^run 10, seed'
    if [ $kind = address ]; then
        "./$kind" address >out 2>&1
        sed -n '/^freed by/,/^$/p' out | grep -q 'fresh.c:[0-9]*' || fail "no line that has freed: $(cat out)"
        # a leak in a run, which is reported when the process ends
        "./$kind" none >out 2>&1 || fail "a leak in a program without one: $(cat out)"
        ASAN_OPTIONS=detect_leaks=1 "./$kind" leak >out 2>&1 && fail "no leak: $(cat out)"
        has 'LeakSanitizer: detected memory leaks'
        has 'in program .*fresh.c:[0-9]*'
    fi
    for options in abort_on_error=0 abort_on_error=1; do
        rm -rf left
        ASAN_OPTIONS=$options UBSAN_OPTIONS=$options LOGP_REPLAY_DIR=left "./$kind" "$kind" >out 2>&1
        has 'fresh failed with P = 3: rank 0 crashed (the report of a sanitizer)'
        has '^made smaller:'
        has '1: rank 0 takes the message of rank 2'
        hasnt 'did not end a child process'
        file=$(ls left/*.replay)
        grep -q '^choices 1 0=1$' "$file" || fail "not smaller: $(cat "$file")"
        ASAN_OPTIONS=$options UBSAN_OPTIONS=$options "$logp" replay "$file" -- "./$kind" "$kind" >out 2>&1
        [ $? -eq 1 ] || fail "$kind: not again: $(cat out)"
        ASAN_OPTIONS=$options UBSAN_OPTIONS=$options "./$kind" "$kind" >out 2>&1
        status=$?
        has '^made smaller:'
        export ASAN_OPTIONS=$options UBSAN_OPTIONS=$options
        ends $status 'crashed (the report of a sanitizer)' "./$kind" "$kind"
        unset ASAN_OPTIONS UBSAN_OPTIONS
    done
done
exit 0
