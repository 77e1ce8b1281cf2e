#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# completion, manual: what bash, zsh and fish offer is what the command takes, and the page says it all.
. "$(dirname "$0")/support.sh"

# offers "WANTED..." "NOT..." WORD...: what bash would offer for the last word, in $dir; nothing,
# where nothing is wanted.
PATH=$(dirname "$logp"):$PATH
eval "$("$logp" completion bash)"
offers() {
    local wanted=$1 not=$2 word
    shift 2
    COMP_WORDS=("$logp" "$@") COMP_CWORD=$#
    _logp "$logp" "${!#}" "${COMP_WORDS[$# - 1]}"
    for word in $wanted; do
        [[ " ${COMPREPLY[*]} " == *" $word "* ]] || fail "$*: no $word in: ${COMPREPLY[*]}"
    done
    for word in $not; do
        [[ " ${COMPREPLY[*]} " != *" $word "* ]] || fail "$*: $word in: ${COMPREPLY[*]}"
    done
    [ -n "$wanted" ] || [ ${#COMPREPLY[@]} -eq 0 ] || fail "$*: ${COMPREPLY[*]}"
}
: >"$dir/schedule.goal" >"$dir/with blank.json"
cd "$dir" || exit 1

offers 'run predict bench help --help' 'complete broadcast' ''
offers run 'predict tree' ru
offers 'predict' 'run' help pre
offers 'broadcast barrier matvec' 'run crossover' run ''
offers 'broadcast crossover' '' bench ''
offers 'broadcast' 'crossover' bench crossover ''
offers '' '' run broadcast ''
offers '' '' run broadcast flat ''
offers '' '' frob ''
offers 'kurnosov liu' broadcast paper ''
offers 'machines' '' list ma
offers 'summation' barrier tree s
offers 'bash zsh fish' '' completion ''
offers 'host cm5 dash' none validate --on ''
# options: those of the command
offers '--clock --cores --count -P -L --help' '--measure --export' run broadcast -
offers '--clock' '--cores' run broadcast --cl
offers '--measure' '--restart' bench crossover --
offers '' '' list --clock ''
# values
offers 'wall virtual' 'on' run broadcast --clock ''
offers 'virtual' 'wall' run --clock v
offers 'virtual' 'wall' run --clock = v
offers 'wall virtual' '' run --clock =
offers '--clock=virtual' '' run --clock=v
offers 'auto all flat binomial' 'butterfly' run broadcast --algo ''
offers 'butterfly' 'flat' run -P 4 transpose -L 3 --algo ''
offers 'flat butterfly' '' run --algo ''
offers 'flat,binomial flat,binary' 'binomial' run broadcast --algo flat,bi
offers '--algo=flat,optimal' '' run broadcast --algo=flat,o
offers 'mesh torus hypercube' '' predict barrier --topology ''
offers 'table json csv' 'svg goal' run --format ''
offers 'json goal' csv schedule --format ''
offers 'none cm5 schedule.goal' '' run --machine ''
offers 'int32 double' '' run --type ''
offers 'on off' '' run --overlap ''
offers 'sqrt' '' run --k ''
offers 'openmpi mpich' '' tune --export ''
offers '' '' run -P ''
offers 'broadcast' '' run -P 4 --capacity b
# files
offers 'schedule.goal' 'run' predict --schedule s
offers 'schedule.goal' 'run' replay s
offers 'schedule.goal' 'run' trace --replay s
offers '--executor' '--replay' replay --
COMP_WORDS=("$logp" run --schedule with) COMP_CWORD=3
_logp "$logp" with --schedule
[ "${#COMPREPLY[@]}:${COMPREPLY[0]}" = '1:with blank.json' ] || fail "a blank: ${COMPREPLY[*]}"
# each word that is offered for an option is one that it takes
for option in --clock --executor --delay --gap --packing --type --op --by --progress --format --overlap; do
    case $option in --op) what=reduce ;; --overlap) what=broadcast ;; *) what=transpose ;; esac
    for word in $("$logp" complete run $what $option '' | cut -f1); do
        "$logp" run $what --clock virtual -P 2 $option "$word" >"$dir/out" 2>&1 ||
            fail "run $option $word: $(cat "$dir/out")"
    done
done
# every option of a command is offered, and in the manual
"$logp" manual | sed 's/\\-/-/g; s/\\f.//g' >"$dir/page"
for command in $("$logp" complete '' | cut -f1 | grep -v -e - -e help); do
    grep -q "^.SS \"logp $command[ \"]" "$dir/page" || fail "manual: no $command"
    "$logp" $command --help | sed -n 's/^  \(--*[a-zA-Z-]*\) .*/\1/p' | sort -u >"$dir/help"
    "$logp" complete $command - | cut -f1 | grep -vx -e --help | sort >"$dir/offered"
    cmp -s "$dir/help" "$dir/offered" || fail "$command: $(diff "$dir/help" "$dir/offered")"
    while read -r option; do
        grep -q -x -e "$option" -e "$option [^ ]*" "$dir/page" || fail "manual: no $option"
    done <"$dir/help"
done
grep -q -e 'P = 8\|\[8\]' "$dir/page" || fail 'manual: no default of -P'
if command -v groff >/dev/null; then
    "$logp" manual | groff -man -ww -Tutf8 >"$dir/out" 2>"$dir/err"
    [ ! -s "$dir/err" ] || fail "groff: $(cat "$dir/err")"
    [ "$(wc -l <"$dir/out")" -gt 200 ] || fail 'a short manual'
fi
if command -v zsh >/dev/null; then
    "$logp" completion zsh >"$dir/_logp"
    zsh -n "$dir/_logp" || fail 'zsh: syntax'
    # shellcheck disable=SC2016
    got=$(zsh -f -c '_describe() { print -l -- "${(@P)2}"; }; _files() { print FILES; }
        words=("$1" run broadcast --algo "flat,op"); CURRENT=5; f() { source "$2"; }; f "$@"
        words=("$1" run --schedule ""); CURRENT=4; f "$@"' zsh "$logp" "$dir/_logp")
    [ "$got" = "flat,optimal:$("$logp" complete run broadcast --algo op | cut -f2)
FILES" ] || fail "zsh: $got"
fi

"$logp" completion fish >"$dir/logp.fish"
grep -q '^complete -c logp ' "$dir/logp.fish" || fail 'fish: it completes nothing'
if command -v fish >/dev/null; then
    fish --no-execute "$dir/logp.fish" || fail 'fish: syntax'
    # shellcheck disable=SC2016
    got=$(fish --no-config -c 'function commandline
            test $argv[1] = -ct; and echo $typed[-1]; or printf "%s\n" $typed[1..-2]
        end
        source $argv[2]
        set -g typed $argv[1] run broadcast --algo flat,op; __logp_words' "$logp" "$dir/logp.fish")
    [ "$got" = "$("$logp" complete run broadcast --algo flat,op)" ] || fail "fish: $got"
fi

expect='completion bash zsh fish' bad completion
expect='completion bash zsh fish' bad completion tcsh
expect='frob argument' bad manual frob
expect='-P manual' bad manual -P 4
finish
