#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What logp tune exports, loaded by the MPI libraries of this machine: each takes the algorithm that
# the file asks for, told the segment and fan-out that stand there; and what they send in it is what
# our algorithm of that row sends.
#     tune_mpi.sh LOGP
# Exit code 77: neither Open MPI 4.1 nor MPICH 4.0 runs here. CC: the compiler [cc].
set -u
unset "${!LOGP_@}" "${!MPIR_@}" "${!OMPI_@}"
export LOGP_TEST_REGISTRY= # no other runs
logp=$1
here=$(dirname "${BASH_SOURCE[0]}")/tune
failed=0 held=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

openmpi=$(ompi_info --version 2>/dev/null | sed -n 's/^Open MPI v\(4\.1\..*\)/\1/p')
mpich=$(mpichversion 2>/dev/null | sed -n 's/^MPICH Version:[[:space:]]*\(4\.0\..*\)/\1/p')
for library in openmpi mpich; do
    { command -v mpirun.$library && command -v mpicc.$library; } >/dev/null || declare $library=
done
{ [ -n "$openmpi" ] && mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 true; } >/dev/null 2>&1 || openmpi=
{ [ -n "$mpich" ] && mpirun.mpich -n 2 true; } >/dev/null 2>&1 || mpich=
[ -n "$openmpi" ] || echo "skipped: no Open MPI 4.1 (mpirun.openmpi, mpicc.openmpi) that runs here"
[ -n "$mpich" ] || echo "skipped: no MPICH 4.0 (mpirun.mpich, mpicc.mpich) that runs here"
[ -n "$openmpi$mpich" ] || exit 77

"${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared "$here/seen.c" -o "$dir/seen.so" -ldl || exit 1
for library in ${openmpi:+openmpi} ${mpich:+mpich}; do
    "mpicc.$library" -std=c11 -D_GNU_SOURCE -O1 "$here/calls.c" -o "$dir/calls.$library" -ldl || exit 1
done

# Three machines: latency, messages, bytes are what costs; each has other winners.
printf 'L = 5us\no = 10ns\ng = 10ns\nG = 0.01ns\ngamma = 0.1ns\n' >"$dir/latency"
printf 'L = 100ns\no = 1us\ng = 2us\nG = 0.1ns\ngamma = 0.1ns\n' >"$dir/messages"
printf 'L = 1us\no = 200ns\ng = 400ns\nG = 2ns\ngamma = 1ns\n' >"$dir/bytes"

# theirs: ours
declare -A ours=([allgather]=allgather [allreduce]=allreduce [alltoall]=alltoall [barrier]=barrier
    [bcast]=broadcast [gather]=gather [reduce]=reduce [reduce_scatter]=reduce-scatter
    [reduce_scatter_block]=reduce-scatter [scatter]=scatter)

# schedule THEIRS BYTES P ALGORITHM [OPTIONS]: what each rank sends in ours, "rank: bytes>to ..."
schedule() {
    local size=(--bytes "$2")
    case $1 in *reduce*) size=(--count $(($2 / 8))) ;; barrier) size=() ;; esac
    "$logp" schedule "${ours[$1]}" -P "$3" "${size[@]}" --algo "${@:4}" --format json |
        jq -r '.ranks | to_entries[] |
               "\(.key):\([.value[] | select(.op == "send") | " \(.bytes)>\(.peer)"] | add // "")"'
}

# The same, however ranks are numbered, and in whatever order they send: how many of which size.
unnumbered() {
    local sizes
    sed 's/^[0-9]*://; s/>[0-9]*//g' "$1" | while read -r -a sizes; do
        printf '%s\n' "${sizes[@]}" | sort -n | tr '\n' ' '
        echo
    done | sort
}

# Ranks counted the other way round.
mirrored() {
    awk -v P="$2" -F '[: ]+' '{
        line = ""
        for (i = 2; i <= NF; i++) if ($i != "") { split($i, m, ">"); line = line " " m[1] ">" (P - m[2]) % P }
        print (P - $1) % P ":" line }' "$1" | sort -n
}

# same_sends HOW FILE THEIRS BYTES P ALGORITHM [OPTIONS]: what is in the file is what ours sends. HOW:
# same; mirrored; numbered: but for the numbers of ranks, and the order of a rank's messages; with -power
# only for powers of two. Where bytes do not divide well, parts may be rounded otherwise: who, then,
# but not how much.
same_sends() {
    local how=$1 theirs=$2 bytes=$4 P=$5
    shift 2
    case $how in *-power) [ $((P & (P - 1))) -eq 0 ] || return ;; esac
    schedule "$@" >"$dir/ours"
    cp "$theirs" "$dir/theirs"
    [ $((bytes % (32 * P))) -eq 0 ] || sed -i 's/[0-9]*>/0>/g' "$dir/ours" "$dir/theirs"
    held=$((held + 1))
    case $how in
    same*) cmp -s "$dir/theirs" "$dir/ours" ;;
    mirrored) mirrored "$dir/ours" "$P" | cmp -s "$dir/theirs" ;;
    *) [ "$(unnumbered "$dir/theirs")" = "$(unnumbered "$dir/ours")" ] ;;
    esac || fail "$* sends otherwise, theirs and ours:" "$(echo && paste -d '|' "$theirs" "$dir/ours" | cut -c1-300)"
}

# run_... FILE P THEIRS BYTES ...: what was taken in $dir/taken, a line each, and sent in $dir/sent.1, ...
run_openmpi() {
    local rules=$1 P=$2
    shift 2
    timeout 120 mpirun.openmpi --allow-run-as-root --oversubscribe -n "$P" --mca mpi_yield_when_idle 1 \
        --mca coll ^han --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$rules" \
        "${forced[@]}" -x LD_PRELOAD="$dir/seen.so" "$dir/calls.openmpi" "$@" >"$dir/answers" 2>"$dir/err" ||
        fail "mpirun.openmpi $*: $(cat "$dir/err")"
    split_answers "$P"
}
run_mpich() {
    local file=$1 P=$2
    shift 2
    MPIR_CVAR_NOLOCAL=1 MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$file \
        timeout 120 mpirun.mpich -n "$P" -genv LD_PRELOAD "$dir/seen.so" "$dir/calls.mpich" "$@" \
        >"$dir/answers" 2>"$dir/err" || fail "mpirun.mpich $*: $(cat "$dir/err")"
    split_answers "$P"
}
split_answers() {
    rm -f "$dir"/sent.*
    awk -v P="$1" -v dir="$dir" '(NR - 1) % (P + 1) == 0 { n++; next } { print > (dir "/sent." n) }' "$dir/answers"
    awk -v P="$1" '(NR - 1) % (P + 1) == 0 { sub(/^[^:]*:/, ""); print }' "$dir/answers" >"$dir/taken"
}
forced=()

# ---- Open MPI ----

# number of the collective:of the algorithm[:segment] function how ours; those of several segments last
openmpi_rows='
0:2 allgather_intra_bruck same allgather bruck
0:3 allgather_intra_recursivedoubling same-power allgather recursive-doubling
0:4 allgather_intra_ring same allgather ring
0:5 allgather_intra_neighborexchange same-power allgather neighbour
2:3 allreduce_intra_recursivedoubling same allreduce recursive-doubling
2:4 allreduce_intra_ring same allreduce ring
2:6 allreduce_intra_redscat_allgather numbered-power allreduce rabenseifner
3:1 alltoall_intra_basic_linear mirrored alltoall linear
3:2 alltoall_intra_pairwise numbered alltoall pairwise
3:3 alltoall_intra_bruck same alltoall bruck
6:1 barrier_intra_basic_linear same barrier central
6:4 barrier_intra_bruck same barrier dissemination
6:6 barrier_intra_tree same barrier tree --k 2
7:1 bcast_intra_basic_linear same bcast flat
7:2 bcast_intra_chain same bcast chain
7:5 bcast_intra_bintree numbered-power bcast binary
7:6 bcast_intra_binomial same bcast binomial-nearest
7:7 bcast_intra_knomial same bcast knomial --k 4
7:8 bcast_intra_scatter_allgather same-power bcast scatter-doubling
7:9 bcast_intra_scatter_allgather_ring same bcast scatter-allgather
9:1 gather_intra_basic_linear same gather flat
9:2 gather_intra_binomial same gather binomial
11:1 reduce_intra_basic_linear same reduce flat
11:2 reduce_intra_chain same reduce chain
11:4 reduce_intra_binary numbered-power reduce binary
11:5 reduce_intra_binomial same reduce binomial
11:7 reduce_intra_redscat_gather numbered-power reduce rabenseifner
12:2 reduce_scatter_intra_basic_recursivehalving same reduce_scatter recursive-halving
12:3 reduce_scatter_intra_ring same reduce_scatter ring
12:4 reduce_scatter_intra_butterfly same-power reduce_scatter butterfly
15:1 scatter_intra_basic_linear same scatter flat
15:2 scatter_intra_binomial same scatter binomial
7:3:128 bcast_intra_pipeline same bcast chain-pipelined --block 128
7:4:128 bcast_intra_split_bintree same-power bcast split-binary --block 128
7:5:128 bcast_intra_bintree numbered-power bcast binary-pipelined --block 128
11:3:128 reduce_intra_pipeline same reduce chain-pipelined --block 128
11:4:128 reduce_intra_binary numbered-power reduce binary-pipelined --block 128
11:5:128 reduce_intra_binomial same reduce binomial-pipelined --block 128
'
declare -A function=()
while read -r number name _; do
    [ -z "$number" ] || function[${number%:128}]=$name
done <<<"$openmpi_rows"
declare -A called=([0]=allgather [2]=allreduce [3]=alltoall [6]=barrier [7]=bcast [9]=gather [11]=reduce
    [12]=reduce_scatter [15]=scatter)
sums=' 0 3 9 12 15 ' # it compares the bytes of all items

"$logp" list algorithms --format csv >"$dir/algorithms"
exists() { grep -q "^$2,${ours[$1]}," "$dir/algorithms"; }

# All rows, by rules of our own, a size for each; where it does not look at the size, one in each run.
# What they send is what ours sends.
openmpi_sends() {
    local P=$1 turn=$2 number name how theirs algorithm options c a segment bytes i row=0 answer=0
    local -A rules=() n=()
    local calls=() asked=()
    forced=()
    while read -r number name how theirs algorithm options; do
        [ -n "$number" ] || continue
        exists "$theirs" "$algorithm" || continue
        IFS=: read -r c a segment <<<"$number"
        n[$c]=$((${n[$c]-0} + 1)) bytes=$((8 * P * 16 * ${n[$c]}))
        if [ "$c" -eq 6 ]; then
            [ "${n[$c]}" -eq "$turn" ] || continue
            forced+=(--mca "coll_tuned_${theirs}_algorithm" "$a")
        else
            [ "$turn" -eq 1 ] || continue
            i=$bytes
            case $sums in *" $c "*) i=$((bytes * P)) ;; esac
            [ "${n[$c]}" -gt 1 ] || i=0
            rules[$c]+="$i $a 1 ${segment:-0} "
        fi
        calls+=("$theirs" "$bytes") asked+=("$name $how $theirs $bytes $P $algorithm $options")
    done <<<"$openmpi_rows"
    {
        echo "${#rules[@]}"
        for c in "${!rules[@]}"; do echo "$c 1 $P ${n[$c]} ${rules[$c]}"; done
    } >"$dir/rules"
    run_openmpi "$dir/rules" "$P" "${calls[@]}"
    while read -r name _; do
        read -r c how theirs bytes P algorithm options <<<"${asked[row++]}"
        answer=$row
        [ "$name" = "$c" ] || fail "$theirs, $algorithm: $c expected, $name taken"
        # shellcheck disable=SC2086
        same_sends "$how" "$dir/sent.$answer" "$theirs" "$bytes" "$P" "$algorithm" $options
    done <"$dir/taken"
    [ $row -eq ${#asked[@]} ] || fail "P = $P: $row answers of ${#asked[@]}"
    forced=()
}

# Numbers of a rules file, and for P processes lines "collective algorithm fan-out segment bytes": what
# is asked for at the beginning of each size and just before the next.
openmpi_asks() {
    sed 's/#.*//' "$1" | tr -s ' \n' '\n' | awk -v P="$2" -v sums="$sums" '
        function next_number() { return n[++i] }
        function ask(size) { if (size >= 0) print id, a, fan, seg, size }
        NF { n[++m] = $1 }
        END {
            c = next_number()
            while (c-- > 0) {
                id = next_number(); ps = next_number()
                unit = index(sums, " " id " ") ? P : 1
                step = id == 2 || id == 11 || id == 12 ? 8 : 1
                while (ps-- > 0) {
                    mine = next_number() == P; ms = next_number()
                    for (j = 1; j <= ms; j++) {
                        from = next_number() / unit; a = next_number(); fan = next_number(); seg = next_number()
                        if (!mine) continue
                        ask(from > 0 ? from : step)
                        if (j < ms) ask(n[i + 1] / unit - step)
                    }
                }
            }
        }'
}

# What the file asks for is what it takes.
openmpi_takes() {
    local machine=$1 P=$2 c a fan seg bytes name segment fanout
    local calls=()
    "$logp" tune --machine "$dir/$machine" -P "$P" --bytes 1..1Mi --export openmpi --output "$dir/rules" 2>/dev/null ||
        fail "tune --export openmpi"
    openmpi_asks "$dir/rules" "$P" >"$dir/asks"
    while read -r c a fan seg bytes; do calls+=("${called[$c]}" "$bytes"); done <"$dir/asks"
    run_openmpi "$dir/rules" "$P" "${calls[@]}"
    while read -r c a fan seg bytes <&3 && read -r name segment fanout _ <&4; do
        held=$((held + 1))
        [ "$name" = "${function[$c:$a]-none}" ] ||
            fail "$machine, P = $P: ${called[$c]} of $bytes bytes: $a asked for, $name taken"
        case $name in *_chain)
            [ "$fanout" = "$fan" ] || fail "$machine, P = $P: fan-out $fan asked for, $fanout taken" ;;
        esac
        case $openmpi_rows in *":128 $name "*)
            [ "$segment" = "$seg" ] || fail "$machine, P = $P: segment $seg asked for, $segment taken" ;;
        esac
        echo "$c:$a" >>"$dir/seen"
    done 3<"$dir/asks" 4<"$dir/taken"
    [ "$(wc -l <"$dir/asks")" -eq "$(wc -l <"$dir/taken")" ] || fail "$machine, P = $P: not all answered"
}

if [ -n "$openmpi" ]; then
    # the numbers, as it names them itself
    ompi_info --param coll tuned --level 9 --parsable >"$dir/info" 2>/dev/null
    for what in bcast:6:binomial bcast:8:scatter_allgather allreduce:3:recursive_doubling allreduce:4:ring \
        allreduce:6:rabenseifner reduce:3:pipeline reduce:7:rabenseifner \
        allgather:5:neighbor alltoall:3:modified_bruck barrier:4:bruck; do
        IFS=: read -r c a name <<<"$what"
        grep -q "coll_tuned_${c}_algorithm:enumerator:value:$a:$name\$" "$dir/info" || fail "$c $a is not $name"
    done
    for P in 8 5; do
        for turn in 1 2 3; do openmpi_sends $P $turn; done
    done
    for machine in latency messages bytes; do openmpi_takes $machine 8; done
    openmpi_takes bytes 5
    echo "Open MPI $openmpi: $held answers, $(sort -u "$dir/seen" | wc -l) algorithms by files"
    [ "$(sort -u "$dir/seen" | wc -l)" -ge 20 ] || fail "the files ask for too few: $(sort -u "$dir/seen")"
fi

# ---- MPICH ----

mpich_rows='
Allgather_intra_brucks same allgather bruck
Allgather_intra_recursive_doubling same allgather recursive-doubling
Allgather_intra_ring same allgather ring
Allreduce_intra_recursive_doubling same allreduce recursive-doubling
Allreduce_intra_reduce_scatter_allgather numbered allreduce rabenseifner
Alltoall_intra_brucks same alltoall bruck
Alltoall_intra_pairwise same alltoall pairwise
Alltoall_intra_scattered mirrored alltoall linear
Barrier_intra_dissemination same barrier dissemination
Bcast_intra_binomial same bcast binomial
Bcast_intra_scatter_recursive_doubling_allgather same bcast scatter-doubling
Bcast_intra_scatter_ring_allgather same bcast scatter-allgather
Reduce_intra_binomial same reduce binomial
Reduce_intra_reduce_scatter_gather numbered reduce rabenseifner
Reduce_scatter_intra_pairwise same reduce_scatter pairwise
Reduce_scatter_intra_recursive_halving same reduce_scatter recursive-halving
Reduce_scatter_block_intra_pairwise same reduce_scatter_block pairwise
Reduce_scatter_block_intra_recursive_halving same reduce_scatter_block recursive-halving
'
declare -A sends=()
while read -r name rest; do [ -z "$name" ] || sends[$name]=$rest; done <<<"$mpich_rows"

# What the file asks for with P processes, at both sides of each boundary: lines "collective bytes
# algorithm"; sums of doubles.
# shellcheck disable=SC2016
mpich_asks='
def number: capture("<=(?<n>[0-9]+)$").n | tonumber;
def holds($P; $bytes):
    if test("^comm_size<=") then $P <= number
    elif test("^avg_msg_size<=") then $bytes <= number
    elif test("^total_msg_size<=") then $bytes * $P <= number
    elif . == "comm_size=pow2" then ([1, 2, 4, 8, 16] | index($P)) != null
    elif . == "count<pow2" then $bytes / 8 < ([1, 2, 4, 8, 16] | map(select(. <= $P)) | max)
    else test("=any$|^comm_type=intra$|^is_op_built_in=yes$|^is_commutative=yes$|^is_sendbuf_inplace=no$") end;
def taken($P; $bytes):
    (keys_unsorted[] | select(startswith("algorithm="))) //
    (first(to_entries[] | select(.key | holds($P; $bytes))) | .value | taken($P; $bytes));
. as $all | ($names | split(" ")[]) as $name | $all["collective=" + $name] as $tree |
    (if $name | test("^(all)?reduce") then 8 else 1 end) as $step |
    ([$step, 8192 * 32 * $P] + [$tree | paths | .[-1] | select(test("msg_size<=")) |
        (if startswith("total") then number / $P else number end | floor) as $to |
        $to - $to % $step, $to - $to % $step + $step, $to - $to % (32 * $P), $to - $to % (32 * $P) + 32 * $P] |
        map(select(. > 0)) | unique[]) as $bytes |
    "\($name) \($bytes) \($tree | taken($P; $bytes) | sub("algorithm=MPIR_"; ""))"'

mpich_names='allgather allreduce alltoall barrier bcast reduce reduce_scatter reduce_scatter_block'

mpich_takes() {
    local machine=$1 P=$2 theirs bytes algorithm how name options i=0
    local calls=()
    "$logp" tune --machine "$dir/$machine" -P "$P" --bytes 1..1Mi --export mpich --output "$dir/selection" 2>/dev/null ||
        fail "tune --export mpich"
    jq -r --argjson P "$P" --arg names "$mpich_names" "$mpich_asks" "$dir/selection" >"$dir/asks" || fail "jq"
    while read -r theirs bytes algorithm; do calls+=("$theirs" "$bytes"); done <"$dir/asks"
    run_mpich "$dir/selection" "$P" "${calls[@]}"
    while read -r theirs bytes algorithm; do
        i=$((i + 1))
        read -r how _ name options <<<"${sends[$algorithm]-}"
        [ -n "$name" ] || { fail "$theirs, $bytes bytes: $algorithm asked for"; continue; }
        exists "$theirs" "$name" || continue
        # shellcheck disable=SC2086
        same_sends "$how" "$dir/sent.$i" "$theirs" "$bytes" "$P" "$name" $options
        echo "$algorithm" >>"$dir/seen"
    done <"$dir/asks"
    [ "$(wc -l <"$dir/asks")" -eq "$(wc -l <"$dir/taken")" ] || fail "$machine, P = $P: not all answered"
}

if [ -n "$mpich" ]; then
    held=0
    : >"$dir/seen"
    for machine in latency messages bytes; do mpich_takes $machine 8; done
    mpich_takes bytes 5
    echo "MPICH $mpich: $held answers, $(sort -u "$dir/seen" | wc -l) algorithms"
    [ "$(sort -u "$dir/seen" | wc -l)" -ge 14 ] || fail "the files ask for too few: $(sort -u "$dir/seen")"
fi
[ $failed -eq 0 ] && echo "all good"
exit $failed
