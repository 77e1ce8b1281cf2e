#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Options that mean nothing to what they are given to: said, not refused; and those that are.
. "$(dirname "$0")/support.sh"

# unused COLLECTIVE [OPTION VALUE]...: each of these options is said to mean nothing to it
unused() {
    local what=$1 line
    shift
    logp predict "$what" "$@"
    [ $code -eq 0 ] || fail "predict $what $*: exit code $code"
    while [ $# -gt 0 ]; do
        line="logp: $1 means nothing to $what"
        grep -qxF -e "$line" "$dir/err" || fail "no '$line': $(cat "$dir/err")"
        shift 2
    done
}
json '.[0] | (.verified and .ratio == 1)' run broadcast --op max --count 3 --root 1 --clock virtual
stderr_is "$(printf 'logp: --%s means nothing to broadcast\n' count op)"
json '.[0].verified' run barrier --root 1 --k 3 --clock virtual
stderr_is 'logp: --root means nothing to barrier'
unused broadcast --type int32 --gamma 1 --rows 3 --cols 4 --packing none --pack 1 --window 2
unused reduce --bytes 3 --overlap off --work 1
unused summation --k 2 --bytes 1 --block 8
unused transpose --root 1 --bytes 3 --count 2 --op max --gamma 1
json '.[0].predicted_ns == null' predict broadcast --delay none -L 5 --capacity
stderr_is 'logp: -L means nothing with --delay none' 'logp: --capacity means nothing with --delay none'
json '.[0].emulated_ns.median == 5' \
    run broadcast --algo flat --clock virtual --plugin "$plugin" --delay loggp -G 1ns
stderr_is "logp: --delay means nothing with --plugin $plugin"
LOGP_DELAY=none json '.[0].predicted_ns == null' predict broadcast --gap shared
stderr_is 'logp: --gap means nothing with LOGP_DELAY none'
json '.[0].predicted_ns == 240000' predict broadcast -G 0 --delay logp
stderr_is ''
json '.[0].predicted_ns == 240000' predict broadcast -G 1ns --delay logp
stderr_is 'logp: -G means nothing with --delay logp'
LOGP_G=1ns json '.[0].predicted_ns == 240000' predict broadcast --delay logp
stderr_is ''
# all that means something
json '.[0].verified' run reduce --clock virtual -P 6 -L 5 -o 1 -g 2 -G 1ns --gap shared --unit 1us \
    --count 3 --type float --op min --root 2 --gamma 1 --k 2 --algo kchain --seed 7 --timeout 9 \
    --reps 2 --warmup 1 --executor fiber --progress off
stderr_is ''
json '.[0].verified' run transpose --clock virtual -P 6 --rows 4 --cols 3 --packing none --pack 1 \
    --window 2 --type int32 --algo ring-window
stderr_is ''
json '.[0].verified' run broadcast --clock virtual --bytes 9 --block 3 --overlap off --work 1 --root 1 -P 9 \
    --algo torus-pipelined
stderr_is ''

# options of another command are refused
expect='--reps predict' bad predict broadcast --reps 5
expect='--timeout predict' bad predict broadcast --timeout 5
expect='--clock list' bad list --clock virtual
expect='-P list' bad list -P zero
expect='--cores tree' bad tree broadcast --cores 0
expect='--algo paper' bad paper liu --algo flat
finish
