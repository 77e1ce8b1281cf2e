#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --transport mpi: what is printed, refused, and how a run over processes ends.
# usage: tests/command/processes.sh LOGP KIND
set -uo pipefail
logp=$1 kind=$2
bad=0
# Sanitizer builds: an MPI keeps much until the end; see ../processes.sh.
export LSAN_OPTIONS=exitcode=0 UCX_MEM_EVENTS=n TSAN_OPTIONS=detect_deadlocks=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run=(mpirun."$kind")
command -v "${run[0]}" >/dev/null || run=(mpirun)
if [ "$kind" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    run+=(--oversubscribe)
fi

wrong() {
    echo "WRONG: $*" >&2
    cat "$dir/out" "$dir/err" >&2
    bad=1
}

# over N CODE WORDS...: N processes of it end with this code, soon
over() {
    local n=$1 code=$2 got=0
    shift 2
    timeout --foreground 60 "${run[@]}" -n "$n" "$logp" "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
    [ "$got" -eq "$code" ] || wrong "$got, not $code: $*"
}

# unlike CODE WORDS... : WORDS...: the same of two processes with unlike command lines
unlike() {
    local code=$1 got=0 words=("$logp")
    shift
    while [ "$1" != : ]; do
        words+=("$1")
        shift
    done
    shift
    timeout --foreground 60 "${run[@]}" -n 1 "${words[@]}" : -n 1 "$logp" "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
    [ "$got" -eq "$code" ] || wrong "$got, not $code: ${words[*]} : $*"
    [ ! -s "$dir/out" ] || wrong "output: ${words[*]} : $*"
}

# once TEXT...: each is said, and each once
once() {
    local text
    for text; do
        [ "$(grep -cF -- "$text" "$dir/err")" -eq 1 ] || wrong "not once: $text"
    done
}

says() { grep -qF -- "$1" "$dir/err" || wrong "does not say: $1"; }

small=(-P 7 --transport "mpi:$kind" --executor fiber --reps 5 --warmup 1 --delay none)

for n in 2 3; do
    over "$n" 0 run allreduce "${small[@]}" --algo all --format json
    jq -e --argjson n "$n" 'length > 5 and all(.[]; .verified and .processes == $n and .reps == 5 and
        .transport == "mpi:'"$kind"'" and .P == 7 and .measured_ns.min > 0 and
        .clock_error_ns == 0)' "$dir/out" >/dev/null ||
        wrong "records over $n processes"
done
# what is sent is the algorithm's alone
over 2 0 run broadcast "${small[@]}" --algo binomial --format json
jq -e '.[0].messages == 6' "$dir/out" >/dev/null || wrong "messages"
over 2 0 run barrier "${small[@]}" # somebody stays away: a deadlock that is found
over 2 0 bench broadcast --transport "mpi:$kind" --executor fiber --delay none -P 2,5 --reps 4 --format csv
[ "$(wc -l <"$dir/out")" -ge 3 ] || wrong "bench"
# what is told meanwhile is told once
bench=(bench broadcast --transport "mpi:$kind" --executor fiber --delay none -P 2,5 --algo flat --reps 4)
over 2 0 "${bench[@]}" --watch
once '2 points, at most about ' ' runs; 1 of 2 points, ' ' runs; 2 of 2 points, '
over 2 0 "${bench[@]}" --progress on
[ "$(tr '\r' '\n' <"$dir/err" | grep -c ': broadcast flat -P 5, 4 of 4 runs')" -eq 1 ] || wrong "progress"


# measured between two processes, and collectives over them; the first alone prints, and writes the file
mpi=(--transport "mpi:$kind" --executor fiber)
over 2 0 measure "${mpi[@]}" --delay none --bytes 1..8k --reps 5 -P 5 --format json
jq -e '.[0] | (.ranks == [0, 3] and .processes == 2 and .transport == "mpi:'"$kind"'" and .times > 80 and .o_send_ns > 0 and
    (.combining | length) > 3)' "$dir/out" >/dev/null || wrong "measured"
over 2 0 measure "${mpi[@]}" --pairs all -P 3 --delay none --bytes 1..64 --reps 5 --format json
jq -e 'map(.ranks) == [[0, 1], [0, 2], [1, 2]]' "$dir/out" >/dev/null || wrong "all pairs"
over 2 0 measure "${mpi[@]}" --delay none --bytes 1..64 --reps 5 --format csv --output "$dir/csv"
[ ! -s "$dir/out" ] && [ "$(grep -c '^client,' "$dir/csv")" -eq 1 ] || wrong "the file"
# a machine of it is refused where the host was busy: this one is what no host has a part in
"$logp" measure --clock virtual --executor fiber --unit 100ns --bytes 1..8k --format machine --output "$dir/machine"
over 2 0 validate broadcast allreduce barrier "${mpi[@]}" --machine "$dir/machine" --bytes 8..64 --reps 3 --disturbed-by 10s --fit --format json
jq -e 'length == 15 and (map(.P) | unique) == [2, 4, 8] and all(.[]; .processes == 2 and .regret >= 1 and .fit.error > 0 and
    (.algorithms | all(.verified)))' "$dir/out" >/dev/null || wrong "validated"
over 1 0 measure "${mpi[@]}" --delay none --bytes 1..64 --reps 3
grep -q ' of each of 1 process, ' "$dir/out" || wrong "one process"
over 2 2 validate barrier "${mpi[@]}" --machine "$dir/machine" -P 1
says 'at least one processor for each process'
for command in measure validate; do
    over 2 2 $command "${mpi[@]}" -L 1us -o 1us -g 1us --output /nowhere/file
    [ "$(grep -c '^logp: --output /nowhere/file: ' "$dir/err")" -eq 1 ] || wrong "$command --output"
done
over 2 2 measure "${mpi[@]}" --clock virtual
says 'not together with the virtual clock'

# Each must be told the same; bad input is said once, by whoever has it, and all hear of it.
alike='--transport mpi: must be at least one processor for each process, and the same command, options and files for all'
two=(-P 4 --delay none --executor fiber --reps 3 --transport mpi)
for other in "reduce ${two[*]}" "broadcast ${two[*]} --bytes 80" "broadcast ${two[*]} --algo flat" \
    "broadcast ${two[*]} --timeout 9s"; do
    read -ra words <<<"$other"
    unlike 2 run broadcast "${two[@]}" : run "${words[@]}"
    once "$alike"
done
unlike 2 run broadcast "${two[@]}" : bench broadcast "${two[@]}"
once "$alike"
printf '%s = 1us\n' L o g >"$dir/one"
printf '%s = 2us\n' L o g >"$dir/two"
for command in "run broadcast -P 4" "validate barrier -P 4"; do
    read -ra words <<<"$command --transport mpi --executor fiber --reps 3"
    (
        cd "$dir" || exit
        mkdir -p here there
        cp one here/machine
        cp two there/machine
        timeout --foreground 60 "${run[@]}" -n 1 -wdir "$dir/here" "$logp" "${words[@]}" --machine machine : \
            -n 1 -wdir "$dir/there" "$logp" "${words[@]}" --machine machine >"$dir/out" 2>"$dir/err" </dev/null
        [ $? -eq 2 ]
    ) || wrong "unlike files: $command"
    once "$alike"
done
over 3 2 run broadcast "${two[@]}" --bytes pigeon
once '--bytes pigeon: must be a number of bytes'
over 3 2 run broadcast "${two[@]}" --pigeon
once '--pigeon: no such option'
over 3 2 run broadcast "${two[@]}" -P 2
once 'at least one processor for each process'
over 3 2 run broadcast "${two[@]}" --op sum
once 'broadcast does not use --op; remove it'
for i in 0 1; do
    wrong_one=(run broadcast "${two[@]}" --bytes pigeon) right_one=(run broadcast "${two[@]}")
    if [ $i = 0 ]; then unlike 2 "${wrong_one[@]}" : "${right_one[@]}"; else unlike 2 "${right_one[@]}" : "${wrong_one[@]}"; fi
    once '--bytes pigeon: must be a number of bytes'
    [ "$(grep -c '^logp: ' "$dir/err")" -eq 1 ] || wrong "more than what is wrong"
done
unlike 2 run broadcast "${two[@]}" --cores 4000 : run broadcast "${two[@]}"
once '--cores 4000: core 4000 is not available'
[ "$(grep -c '^logp: ' "$dir/err")" -eq 1 ] || wrong "more than what is wrong with its cores"

over 2 2 run broadcast -P 4 --transport pigeon
once '--transport pigeon: one of: mailbox, mpi'
over 2 2 run broadcast -P 4 --transport mpi:pigeon
once '--transport mpi:pigeon: must be mailbox, mpi, mpi:openmpi, mpi:mpich'
over 2 2 run broadcast -P 4 --transport mpi --clock virtual
says '--transport mpi: not together with the virtual clock'
over 2 2 run broadcast --algo shared -P 4 --transport mpi --delay none
says '--algo shared: needs --transport mailbox, --delay none and --clock wall'
over 2 2 run broadcast -P 4 --transport mpi --topology ring
over 2 2 run broadcast -P 4 --transport mpi --capacity
over 2 2 run allreduce -P 4 --transport mpi --gamma host
over 2 2 bench broadcast -P 4 --transport mpi --output "$dir/file"
[ ! -e "$dir/file" ] || wrong "--output"
over 2 2 run broadcast -P 1 --transport "mpi:$kind"
says 'at least one processor for each process'
"$logp" trace broadcast --transport mpi >"$dir/out" 2>"$dir/err" && wrong "trace --transport"
LOGP_TRANSPORT_PATH=$dir "$logp" run broadcast --transport mpi >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] || wrong "no such library"
says "$dir/liblogp-mpi-"

# A process dies, or is told to end: the others end, too, with a code that is not 0. With delays, the start of
# a repetition may come to a process that has ended.
for how in "KILL none" "TERM none" "INT none" "TERM logp" "INT logp"; do
    signal=${how% *}
    long=(-P 4 --transport "mpi:$kind" --executor fiber --delay "${how#* }" --reps 10000000 --timeout 300s)
    timeout --foreground 100 "${run[@]}" -n 2 "$logp" run alltoall "${long[@]}" --seed $$ \
        >"$dir/out" 2>"$dir/err" </dev/null &
    job=$!
    for _ in $(seq 100); do
        mapfile -t processes < <(pgrep -f "^$logp run alltoall .*--seed $$\$")
        [ "${#processes[@]}" -lt 2 ] || break
        sleep 0.1
    done
    sleep 1
    kill -"$signal" "${processes[1]}" || wrong "nobody to kill"
    wait "$job"
    got=$?
    case $got in 0 | 124) wrong "$got after SIG$signal, --delay ${how#* }" ;; esac
    sleep 0.2
    ! pgrep -f "^$logp run alltoall .*--seed $$\$" >/dev/null || wrong "somebody lives on after SIG$signal"
    [ "$signal" = KILL ] || says 'interrupted after'
    [ "$signal" = KILL ] || grep -q '^times in us' "$dir/out" || wrong "no table after SIG$signal"
done
# A process that never calls MPI_Init() keeps the others no longer than --timeout. MPICH's launcher now and
# then gives the code of the process that it kills.
got=0
timeout --foreground 60 "${run[@]}" -n 1 "$logp" run broadcast "${two[@]}" --timeout 2s : -n 1 sleep 50 \
    >"$dir/out" 2>"$dir/err" </dev/null || got=$?
case $got in 1 | 9) ;; *) wrong "$got, not 1: a process that does not come" ;; esac
once '--timeout: MPI_Init() has not returned'
exit "$bad"
