# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of the command share; sourced by each of them with its arguments:
#     TOPIC.sh LOGP PLUGIN FEIGN
# the command, a delay plugin (tests/plugins/five_ns.c), and a library that feigns what goes wrong (feign.c).
# They depend on no LOGP_* of whoever runs them, and on nothing that the host is: not on its speed,
# load, cores or quota.
set -u
unset "${!LOGP_@}" FEIGN QUOTA MEMORY
export LOGP_TEST_REGISTRY= # no other runs
export LOGP_CHECK_SMALLEST=0 # the first failure is as good
export LOGP_CONFIG=
logp=$1
# shellcheck disable=SC2034
plugin=$2 feign=$3
failed=0
expect=
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# logp WORDS...: the command; stdout and stderr are kept in $dir/out and $dir/all, stderr without what
# is said about the host, which is not what these tests are about, in $dir/err; $code is the exit code.
logp() {
    local all
    "$logp" "$@" >"$dir/out" 2>"$dir/all"
    code=$?
    all=$(<"$dir/all")
    case $all in
    *'logp: a CPU quota allows '*) sed '/^logp: a CPU quota allows /d' "$dir/all" >"$dir/err" ;;
    '') : >"$dir/err" ;;
    *) printf '%s\n' "$all" >"$dir/err" ;;
    esac
}

# bad WORDS...: exit code 2, nothing on stdout, one line on stderr that holds every word of $expect:
# what is wrong is said before the host is looked at.
bad() {
    local err word
    logp "$@"
    mapfile -t err <"$dir/all"
    [ $code -eq 2 ] || fail "logp $*: exit code $code instead of 2"
    [ ! -s "$dir/out" ] || fail "logp $*: output: $(cat "$dir/out")"
    [ ${#err[@]} -eq 1 ] || fail "logp $*: not one line: ${err[*]}"
    for word in $expect; do
        case ${err[0]-} in *"$word"*) ;; *) fail "logp $*: '${err[*]}' does not say $word" ;; esac
    done
}

# holds FILTER FILE WHAT: the filter is true of the JSON in the file; checked at the end, all at once
filters=() files=() whats=()
holds() {
    cp "$2" "$dir/json.${#files[@]}"
    filters+=("$1") files+=("$dir/json.${#files[@]}") whats+=("$3")
}

check_held() {
    local i wrong slurped=()
    for i in "${!filters[@]}"; do
        slurped+=(--slurpfile "d$i" "${files[i]}")
        # shellcheck disable=SC2016
        printf 'if (try ($d%d[0] | %s) catch .) == true then empty else %d end,\n' "$i" "${filters[i]}" "$i"
    done >"$dir/program"
    echo empty >>"$dir/program"
    wrong=$(jq -n -r "${slurped[@]}" -f "$dir/program" 2>&1) || fail "not JSON, or no filter: $wrong"
    for i in $wrong; do
        case $i in
        *[!0-9]*) ;;
        *) fail "${whats[i]}: not (${filters[i]}): $(cat "${files[i]}")" ;;
        esac
    done
}

# json FILTER WORDS...: the filter must hold for the output
json() {
    local filter=$1
    shift
    logp "$@" --format json
    if [ $code -eq 0 ]; then
        holds "$filter" "$dir/out" "logp $*"
    else
        fail "logp $*: exit code $code: $(cat "$dir/all")"
    fi
}

# says TEXT WORDS...: a line of the output is this text, whatever blanks there are between words
says() {
    local text=$1 words
    shift
    logp "$@"
    [ $code -eq 0 ] || fail "logp $*: exit code $code: $(cat "$dir/all")"
    while read -r -a words; do
        [ "${words[*]}" = "$text" ] && return
    done <"$dir/out"
    fail "logp $*: no line '$text': $(cat "$dir/out")"
}

# stderr_is LINE...: what the last command said, but for the host
stderr_is() {
    [ "$(<"$dir/err")" = "$(printf '%s\n' "$@")" ] || fail "not '$*' but: $(cat "$dir/err")"
}

# stderr_has TEXT
stderr_has() {
    case $(<"$dir/err") in *"$1"*) ;; *) fail "no '$1' in: $(cat "$dir/err")" ;; esac
}

finish() {
    check_held
    [ $failed -eq 0 ] && echo "all good"
    exit $failed
}
