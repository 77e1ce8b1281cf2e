#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# LOGP_*: defaults from the environment; the command line wins, and a wrong one is named by whoever
# has a use for it, and by nobody else.
. "$(dirname "$0")/support.sh"

# all variables there are, from the options there are
mapfile -t names < <("$logp" run --help | sed -n 's/^  \(--\{0,1\}\)\([A-Za-z][a-z-]*\) .*/\1\2/p' |
    while read -r option; do
        case $option in
        --*) option=${option#--} && option=${option^^} && echo "LOGP_${option//-/_}" ;;
        *) echo "LOGP_${option#-}" ;;
        esac
    done)
[ ${#names[@]} -ge 39 ] || fail "too few variables: ${names[*]}"
for name in LOGP_P LOGP_g LOGP_G LOGP_O_SEND LOGP_K LOGP_CAPACITY LOGP_FORMAT LOGP_PLUGIN; do
    case " ${names[*]} " in *" $name "*) ;; *) fail "no $name" ;; esac
done

LOGP_P=4 LOGP_UNIT=1us LOGP_g=8 json '.[0] | .P == 4 and .g_ns == 8000 and .predicted_ns == 26000' \
    predict broadcast --algo flat
LOGP_P=4 json '.[0].P == 3' predict broadcast -P 3
LOGP_P=zero json '.[0].P == 3' predict broadcast -P 3
LOGP_O_SEND=3 LOGP_G=1ns LOGP_BYTES=2 json '.[0] | .o_send_ns == 30000 and .G_ns_per_byte == 1 and
    .delay == "loggp" and .bytes == 2 and .o_recv_ns == 20000' predict broadcast
LOGP_CAPACITY=1 json '.[0].capacity == 2' predict broadcast
LOGP_CAPACITY=on json '.[0].capacity == 2' predict broadcast
LOGP_CAPACITY=off json '.[0].capacity == null' predict broadcast
LOGP_CAPACITY=0 json '.[0].capacity == null' predict broadcast
LOGP_FORMAT=json logp predict barrier
holds '.[0].collective == "barrier"' "$dir/out" "LOGP_FORMAT=json"
LOGP_FORMAT=csv logp list delays
head -1 "$dir/out" | grep -qx 'name,collective,summary,source,same_results' || fail "LOGP_FORMAT=csv"
LOGP_FORMAT=svg logp tree broadcast
grep -q '</svg>' "$dir/out" || fail "LOGP_FORMAT=svg"

# an empty variable is as good as none
for name in "${names[@]}"; do export "$name="; done
json '.[0] | (.P == 8 and .L_ns == 60000 and .k == null and .capacity == null and .verified)' \
    run broadcast --clock virtual
unset "${names[@]}"

# garbage: nobody who asks for help is refused it
for name in "${names[@]}"; do export "$name=banana"; done
for words in --help --version 'run --help' list 'list delays' 'paper --help'; do
    # shellcheck disable=SC2086
    logp $words
    [[ $code -eq 0 && -s $dir/out ]] || fail "logp $words: exit code $code: $(cat "$dir/err")"
done
logp list
stderr_is "logp: LOGP_FORMAT 'banana': table, json, csv or jsonl; this is a table"
json 'map(.name) | index("logp") != null' list delays
stderr_is ''
unset "${names[@]}"
LOGP_FORMAT=svg logp list delays
stderr_is "logp: LOGP_FORMAT 'svg': table, json, csv or jsonl; this is a table"

# garbage is refused by whoever uses it, with the name of the variable: alone, and after parsing
for name in "${names[@]}"; do
    case $name in
    LOGP_ALGO) continue ;;   # below
    LOGP_OUTPUT | LOGP_QUIET | LOGP_VERBOSE | LOGP_COLOR) continue ;; # from the command line alone
    LOGP_ROWS | LOGP_COLS | LOGP_PACKING | LOGP_PACK | LOGP_WINDOW) what=transpose ;;
    LOGP_COUNT | LOGP_TYPE | LOGP_OP | LOGP_GAMMA | LOGP_K) what=reduce ;;
    LOGP_COUNTS) what=allgather ;;
    LOGP_SAME_RESULTS) what=allreduce ;;
    *) what=broadcast ;;
    esac
    export "$name=banana"
    expect="$name 'banana':" bad run "$what"
    unset "$name"
done
refused() {
    local assignment=$1 allowed=$2
    shift 2
    export "${assignment?}"
    expect="${assignment%%=*} '${assignment#*=}': $allowed" bad "$@"
    unset "${assignment%%=*}"
}
refused LOGP_ALGO=banana flat run broadcast
refused LOGP_ALGO=banana optimal tree broadcast
refused LOGP_ALGO=banana optimal-paper tree summation
refused LOGP_ALGO=butterfly power run transpose -P 6
refused LOGP_ROOT=8 7 run broadcast
refused LOGP_ROOT=-1 7 tree broadcast
refused LOGP_TOPOLOGY=mesh:3x3 product predict broadcast
refused LOGP_TOPOLOGY=ring distances tree broadcast
refused LOGP_DELAY=none loggp tree broadcast
refused LOGP_CAPACITY=1 stalls tree broadcast
refused LOGP_GAP=shared separate tree summation
refused LOGP_P=100000000 16777216 run broadcast
refused LOGP_P=2000 1024 tree broadcast
refused LOGP_CORES=4095 once run broadcast
refused LOGP_FORMAT=svg json run broadcast
refused LOGP_FORMAT=goal svg paper sun
refused LOGP_UNIT=2s 1s paper liu
refused LOGP_PLUGIN="$plugin" --topology run broadcast --topology ring
LOGP_TOPOLOGY=ring expect="--plugin LOGP_TOPOLOGY" bad run broadcast --plugin "$plugin"
LOGP_K=9 expect="kchain P-1 LOGP_K '9'" bad predict reduce --algo kchain
LOGP_P=6 expect="butterfly power LOGP_P '6'" bad predict transpose --algo butterfly

# what a command has no use for is not looked at: by options it does not take, or that mean nothing
LOGP_CLOCK=banana LOGP_CORES=banana LOGP_REPS=banana json '.[0].P == 8' predict broadcast
LOGP_ROOT=99 LOGP_BYTES=banana LOGP_OP=banana LOGP_ROWS=0 json '.[0].verified' run barrier --clock virtual
stderr_is ''
LOGP_BLOCK=banana LOGP_K=0 json '.time == 24' tree broadcast
LOGP_P=banana LOGP_PLUGIN=banana LOGP_ALGO=banana json 'length > 10' paper shou-chen --clock virtual
# nor warned of
LOGP_K=2 LOGP_ROOT=3 json '.[0].verified' run barrier --clock virtual
stderr_is ''

# a variable that is nearly that of an option
LOGP_PP=4 LOGP_TOPLOGY=ring LOGP_l=3 LOGP_CHECK_SEEDS=1 LOGP_HOME=/ json '.[0] | .P == 8 and .topology == null' \
    predict broadcast
LC_ALL=C sort -o "$dir/err" "$dir/err"
stderr_is 'logp: LOGP_PP in the environment is not used; did you mean LOGP_P?
logp: LOGP_TOPLOGY in the environment is not used; did you mean LOGP_TOPOLOGY?
logp: LOGP_l in the environment is not used; did you mean LOGP_L?'

# the config file: weaker than the environment, which is weaker than the command line
mkdir -p "$dir/xdg/logp" "$dir/home/.config/logp"
printf '%s\n' '# mine' '' ' P = 4 ' '[predict]' 'P=5' 'L = 7' '[run]' 'P = 6' 'clock = virtual' >"$dir/xdg/logp/config"
echo 'P = 3' >"$dir/home/.config/logp/config"
unset LOGP_CONFIG
export XDG_CONFIG_HOME="$dir/xdg" HOME="$dir/home"
json '.[0] | .P == 5 and .L_ns == 70000' predict broadcast
json '.[0] | .P == 6 and .L_ns == 60000 and .clock == "virtual"' run broadcast
json '.P == 4' tree broadcast
LOGP_P=9 json '.[0].P == 9' predict broadcast
LOGP_P=9 json '.[0].P == 2' predict broadcast -P 2
LOGP_CONFIG='' json '.[0].P == 8' predict broadcast
LOGP_CONFIG="$dir/home/.config/logp/config" json '.[0].P == 3' predict broadcast
unset XDG_CONFIG_HOME
json '.[0].P == 3' predict broadcast
HOME='' json '.[0].P == 8' predict broadcast
HOME=$dir json '.[0].P == 8' predict broadcast
export LOGP_CONFIG="$dir/config"
expect="LOGP_CONFIG $dir/config: file" bad predict broadcast
wrong() {
    printf '%b\n' "$1" >"$dir/config"
    expect="$dir/config:2: $2" bad predict broadcast
}
wrong '# mine\nP = zero' 'P = zero'
wrong '\nroot = 8' 'root = 7'
wrong '\nbanana = 3' 'banana: option'
wrong '\ntoplogy = ring' 'topology?'
wrong 'P = 3\nL 4' 'option = value'
wrong 'P = 3\n[predcit]' 'predict?'
wrong 'P = 3\n[run' 'section'
# what the command has no use for, and what is no script
printf '%s\n' 'reps = zero' '[run]' 'P = zero' '[predict]' 'algo = $(touch ran)' >"$dir/config"
expect="$dir/config:5: algo \$(touch" bad predict broadcast
[ ! -e ran ] || fail 'a value was run'
json '.time == 24' tree broadcast --algo optimal
logp --help
[ $code -eq 0 ] || fail '--help looks at the config file'
LOGP_CONFIG=

# odd, but right
LOGP_P=3 LOGP_L=0 LOGP_o=1ns LOGP_g=0.5 LOGP_G=7ps LOGP_GAP=shared LOGP_ROOT=2 LOGP_K=sqrt LOGP_SEED=9 \
    LOGP_TYPE=int32 LOGP_OP=min LOGP_CLOCK=virtual LOGP_EXECUTOR=fiber LOGP_REPS=3 LOGP_WARMUP=2 \
    LOGP_UNIT=3us LOGP_TIMEOUT=5 LOGP_PROGRESS=off LOGP_TOPOLOGY=line LOGP_ALGO=all \
    json 'length >= 5 and all(.[]; .verified and .P == 3 and .reps == 3)' run reduce
finish
