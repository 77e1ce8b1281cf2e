#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Options that the command, the collective or its algorithms cannot use are an error, and the message
# says what to remove; defaults from the environment that are of no use are ignored.
. "$(dirname "$0")/support.sh"

# unused WHAT COMMAND WORDS... OPTION VALUE: WHAT does not use the option, which is the last but one
unused() {
    local what=$1 n=$#
    shift
    bad "$@"
    [ "$(<"$dir/err")" = "logp: $what does not use ${*: n - 2:1}; remove it" ] ||
        fail "logp $*: $(cat "$dir/err")"
}

# beside OTHER WORDS... OPTION [VALUE]: it is of no use beside the other
beside() {
    local other=$1 option=$2
    shift 2
    bad "$@"
    [ "$(<"$dir/err")" = "logp: $option is not used with $other; remove one of the two" ] ||
        fail "logp $*: $(cat "$dir/err")"
}

expect=
# every option that belongs to some collectives, given to all: used, or an error that names it
for collective in broadcast reduce summation allreduce scatter gather allgather alltoall barrier scan \
    exscan reduce-scatter transpose matvec; do
    case $collective in
    broadcast | scatter | gather | allgather | alltoall) uses='--bytes' ;;
    reduce | summation | allreduce | scan | exscan | reduce-scatter | matvec)
        uses='--bytes --count --type --op --gamma'
        ;;
    transpose) uses='--rows --cols --type --packing' ;;
    barrier) uses= ;;
    esac
    case $collective in broadcast | reduce | summation | scatter | gather) uses+=' --root' ;; allreduce) uses+=' --same-results' ;; esac
    case $collective in scatter | gather | allgather | alltoall | reduce-scatter) uses+=' --counts' ;; esac
    for option in '--bytes 16' '--count 2' '--type int32' '--op max' '--gamma 1' '--rows 3' '--cols 4' \
        '--packing none' '--root 1' '--counts 3' '--same-results no'; do
        # shellcheck disable=SC2086
        set -- $option
        P=8
        [ $collective = matvec ] && P=9
        case " $uses " in
        *" $1 "*)
            logp predict $collective -P $P "$@"
            [ $code -eq 0 ] || fail "predict $collective $option: $(cat "$dir/all")"
            ;;
        *) unused $collective predict $collective -P $P "$@" ;;
        esac
    done
done
# ... and to the commands that show one
for command in run bench plot watch trace schedule 'bench crossover'; do
    # shellcheck disable=SC2086
    expect='--root barrier' bad $command barrier --root 1
done
expect='--root barrier' bad report "$dir/x.html" barrier --root 1
[ ! -e "$dir/x.html" ] || fail "a refused report is there"

# parameters of algorithms: any that may be chosen is enough; of those that are named one
unused barrier predict barrier --window 3
unused broadcast predict broadcast --pack 1
unused broadcast predict broadcast --window 2
unused reduce predict reduce --work 1
unused transpose predict transpose --k 2
unused transpose run transpose --algo all --block 8
unused 'broadcast with --algo flat' predict broadcast --algo flat --k 3
unused 'broadcast with --algo flat,chain' predict broadcast --algo flat,chain --block 3
json 'length == 2' predict broadcast --algo flat,knomial --k 3
json 'length > 5' predict broadcast --algo all --k 3
json 'length == 1' predict broadcast --k 3
LOGP_ALGO=flat unused 'broadcast with --algo flat' predict broadcast --k 3
LOGP_ALGO=flat LOGP_K=3 json '.[0].algorithm == "flat"' predict broadcast
stderr_is ''
unused 'tree broadcast' tree broadcast --k 3
unused 'tree broadcast' tree broadcast --op max
unused 'tree summation' tree summation --op max
json '.nodes | length == 8' tree broadcast --algo knomial --k 3
unused 'tune barrier' tune barrier --bytes 1..8
unused 'tune broadcast' tune broadcast --op max
unused 'validate barrier' validate barrier --machine cm5 --gamma 1
logp tune barrier allreduce --op max -P 2 --bytes 8
[ $code -eq 0 ] || fail "tune: $(cat "$dir/all")"

# the steps of a file are all there is to say
printf '{"P":2,"ranks":[[{"op":"send","peer":1,"bytes":8,"tag":0}],[{"op":"recv","peer":0,"bytes":8,"tag":0}]]}' \
    >"$dir/two.json"
for option in '--bytes 8' '--count 2' '--root 1' '--k 2' '--op max' '--rows 2' '--block 8'; do
    # shellcheck disable=SC2086
    unused schedule predict --schedule "$dir/two.json" $option
done
beside "--schedule $dir/two.json" --algo predict --schedule "$dir/two.json" --algo flat
LOGP_BYTES=9 LOGP_ALGO=flat json '.[0] | (.predicted_ns == 100000 and .bytes == null and .op == null)' \
    predict --schedule "$dir/two.json"
stderr_is ''

# beside something else
beside '--delay none' -L predict broadcast --delay none -L 5
beside '--delay none' --capacity predict broadcast --delay none --capacity
beside '--delay none' --by predict broadcast --delay none --by formula
LOGP_DELAY=none beside 'LOGP_DELAY none' --gap predict broadcast --gap shared
beside '--delay logp' -G predict broadcast -G 1ns --delay logp
beside "--plugin $plugin" --delay run broadcast --algo flat --clock virtual --plugin "$plugin" --delay loggp
beside '--counts 3' --bytes predict gather --counts 3 --bytes 7
beside '--counts 3' --count predict reduce-scatter --counts 3 --count 7
beside '--clock virtual' --reps paper shou-chen --clock virtual --reps 5
for option in '--reps 2' '--warmup 1' '--clock virtual' '--executor fiber' '--cores 0' '--timeout 9' '--queue-limit 1M'; do
    # shellcheck disable=SC2086
    beside --predicted ${option% *} trace broadcast --predicted $option
done
json '.[0].predicted_ns == 240000' predict broadcast -G 0 --delay logp
stderr_is ''
LOGP_G=1ns json '.[0].predicted_ns == 240000' predict broadcast --delay logp
stderr_is ''
LOGP_DELAY=none LOGP_L=3 LOGP_SEED=4 LOGP_OP=max LOGP_ROWS=3 json '.[0].predicted_ns == null' predict broadcast
stderr_is 'logp: broadcast optimal has no prediction: messages take no time with --delay none; type --delay logp'
# in a sweep it is enough that a point uses it
json 'map(.predicted_ns) == [null, 240000]' bench broadcast --delay none,logp -L 6 --executor fiber --reps 1 --unit 10us
beside '--delay none' -L bench broadcast --delay none -L 6,7
# ... and without
unused_without() {
    bad "${@:3}"
    [ "$(<"$dir/err")" = "logp: $3 does not use $1 without $2; remove it" ] || fail "logp ${*:3}: $(cat "$dir/err")"
}
unused_without --seed '--noise or --fault' predict broadcast --seed 3
unused_without --restart --output bench broadcast --restart
for option in '--reps 2' '--clock virtual' '--executor fiber' '--precision 2%' '--limit 1' '--seed 2' '--warmup 1'; do
    # shellcheck disable=SC2086
    bad bench crossover broadcast -G 1ns $option
    [ "$(<"$dir/err")" = "logp: crossover does not use ${option% *} without --measure; remove it" ] ||
        fail "crossover $option: $(cat "$dir/err")"
done
unused measure measure --warmup 3
unused 'trace broadcast' trace broadcast --by formula

# a picture of records that are there
logp bench broadcast --bytes 8,64 --clock virtual --format json
cp "$dir/out" "$dir/records.json"
for option in '-L 5' '--bytes 9' '--clock virtual' '--algo flat'; do
    # shellcheck disable=SC2086
    bad plot "$dir/records.json" $option
    [ "$(<"$dir/err")" = "logp: ${option% *} is not used with a file of records; remove it" ] ||
        fail "plot FILE $option: $(cat "$dir/err")"
done

# one value where there is no sweep
for option in '--bytes 8,16' '-P 2..8' '-L 2,4' '--count 1..4*2' '--k 2,3'; do
    # shellcheck disable=SC2086
    expect="$option run bench plot" bad run allreduce $option
done

# all that is used
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
