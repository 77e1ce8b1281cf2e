#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What tune says is the best is the best for predict, on both sides of each boundary, and for bench
# crossover; so in the files of MPI libraries.
. "$(dirname "$0")/support.sh"

cat >"$dir/machine" <<'END'
L = 1300ns
o = 210ns
g = 400ns
G = 0.08ns
gamma = 0.5ns
END
machine=(--machine "$dir/machine")

# size COLLECTIVE BYTES: the options of predict for it
size() { case $1 in *reduce* | *scan) echo "--count $(($2 / 8))" ;; *) echo "--bytes $2" ;; esac; }

# best COLLECTIVE P BYTES [ALGORITHMS]: the best of them, and its time
best() {
    # shellcheck disable=SC2046
    "$logp" predict "$1" -P "$2" $(size "$1" "$3") --algo "${4-all}" "${machine[@]}" --format json 2>/dev/null |
        jq -r '[.[] | select(.prediction == "exact" or .prediction == "bound")] | min_by(.predicted_ns) |
               "\(.algorithm) \(.predicted_ns) \(.k // "")"'
}

# ---- CSV: contiguous cells, the best at both ends, another one beyond ----
sizes=1000..70000
logp tune broadcast allreduce "${machine[@]}" -P 3,8..9 --bytes $sizes --export csv
[ $code -eq 0 ] || fail "tune: exit code $code: $(cat "$dir/all")"
tr -d '\r' <"$dir/out" >"$dir/csv"
end=70000 boundaries=0
while IFS=, read -r collective P from to algorithm ns next next_ns k next_k _; do
    start=1000 unit=1
    [ "$collective" = broadcast ] || unit=8
    [ "$end" -ge 69993 ] || start=$((end + 1))
    [ "$from" -eq $start ] || fail "$collective, P = $P: a cell from $from, the one before to $end"
    end=$to
    [ "$(best "$collective" "$P" "$from")" = "$algorithm $ns $k" ] ||
        fail "$collective, P = $P, $from bytes: $algorithm $ns $k, not $(best "$collective" "$P" "$from")"
    case $(best "$collective" "$P" "$to") in
    "$algorithm "*" $k") ;;
    *) fail "$collective, P = $P, $to bytes: not $algorithm" ;;
    esac
    [ "$(best "$collective" "$P" "$from" "$next")" = "$next $next_ns $next_k" ] ||
        fail "$collective, P = $P: next best $next $next_ns"
    [ "$next_ns" -ge "$ns" ] || fail "$collective, P = $P: the next best $next is better"
    [ "$to" -lt 69993 ] || continue
    boundaries=$((boundaries + 1))
    case $(best "$collective" "$P" $((to + unit))) in
    "$algorithm "*" $k") fail "$collective, P = $P, $to bytes: still $algorithm behind the boundary" ;;
    esac
done < <(tail -n +2 "$dir/csv")
[ $boundaries -ge 6 ] || fail "only $boundaries boundaries: $(cat "$dir/csv")"

# ---- the sizes of bench crossover, whatever its grid ----
# changes: lines "P from to algorithm settled" of a CSV of tune; neighbours with one algorithm and several k are one
changes() {
    tr -d '\r' <"$dir/out" | awk -F, '
        NR > 1 && $2 " " $5 != last { if (NR > 2) print line, to, rest; line = $2 " " $3; rest = $5 " " $12 }
        NR > 1 { to = $4; last = $2 " " $5 }
        END { print line, to, rest }'
}
# crosses COLLECTIVE WORDS...: both say the same of -P and --bytes A..B, with a grid of powers of two and with a coarse one
crosses() {
    local grid
    logp tune "$1" "${@:2}" --bytes 8..64Ki --format csv
    [ $code -eq 0 ] || fail "tune $*: exit code $code: $(cat "$dir/all")"
    changes >"$dir/tuned"
    for grid in '8..64k*2' 8,64k; do
        logp bench crossover "$1" "${@:2}" --bytes "$grid" --format json
        [ $code -eq 0 ] || fail "crossover $*: exit code $code: $(cat "$dir/all")"
        jq -r '.[] | "\(.P) \(.from) \(.to) \(.algorithm) \(.settled_from // "")"' "$dir/out" >"$dir/crossed"
        cmp -s "$dir/tuned" "$dir/crossed" ||
            fail "seed $seed: tune (<) and bench crossover --bytes $grid (>) $*: $(diff "$dir/tuned" "$dir/crossed")"
    done
    turns=$((turns + $(awk 'NF > 4' "$dir/tuned" | wc -l)))
}
seed=$RANDOM turns=0
RANDOM=$seed
for collective in broadcast broadcast allreduce reduce allgather alltoall; do
    crosses "$collective" -P $((RANDOM % 20 + 3)) -L $((RANDOM % 2000 + 1))ns -o $((RANDOM % 300 + 1))ns \
        -g $((RANDOM % 500 + 1))ns -G 0.$((RANDOM % 900 + 100))ns
done
# Whole nanoseconds: there they win in turns, and a byte before and from the last change on they do not.
network=(-L 206ns --o-send 49ns --o-recv 28ns -g 116ns -G 0.073ns)
crosses broadcast -P 16 "${network[@]}"
[ $turns -ge 1 ] || fail 'nowhere do two algorithms win in turns'

# ---- Open MPI: what its reader reads, as lines "collective P from algorithm fan-out segment" ----
read_rules() {
    sed 's/#.*//' "$1" | tr -s ' \n' '\n' | awk '
        function next_number() { return n[++i] }
        NF { n[++m] = $1 }
        END {
            c = next_number()
            while (c-- > 0) {
                id = next_number(); ps = next_number()
                while (ps-- > 0) {
                    P = next_number(); ms = next_number()
                    while (ms-- > 0) { print id, P, n[i + 1], n[i + 2], n[i + 3], n[i + 4]; i += 4 }
                }
            }
            if (i != m) print "not read to its end"
        }'
}
declare -A names=([2:3]=recursive-doubling [2:4]=ring [2:6]=rabenseifner
    [3:1]=linear [3:2]=pairwise [3:3]=bruck)
logp tune "${machine[@]}" -P 32,64 --bytes 1..30Ki --export openmpi allreduce alltoall
cp "$dir/err" "$dir/left_out"
read_rules "$dir/out" >"$dir/rules"
[ "$(cut -d' ' -f1,2 "$dir/rules" | uniq | tr '\n' ' ')" = '2 32 2 64 3 32 3 64 ' ] || fail "rules: $(cat "$dir/rules")"
grep -q '^2 32 0 3 0 0$' "$dir/rules" || fail "no rule for the smallest: $(cat "$dir/rules")"
grep -q '^2 32 [1-9]' "$dir/rules" && grep -q '^3 64 [1-9]' "$dir/rules" || fail "no boundary: $(cat "$dir/rules")"
while read -r id P from number fanout segment; do
    name=${names[$id:$number]-none} collective=allreduce all=recursive-doubling,ring,rabenseifner least=8 unit=8
    if [ "$id" -eq 3 ]; then
        [ $((from % P)) -eq 0 ] || fail "alltoall, P = $P: $from bytes"
        from=$((from / P)) collective=alltoall all=linear,pairwise,bruck least=1 unit=1
    fi
    [ "$fanout $segment" = '0 0' ] || fail "$collective: fan-out $fanout, segment $segment"
    at=$((from > least ? from : least))
    case $(best $collective "$P" $at $all) in
    "$name "*) ;;
    *) fail "$collective, P = $P, $at bytes: $number, not $(best $collective "$P" $at $all)" ;;
    esac
    [ "$from" -eq 0 ] || case $(best $collective "$P" $((from - unit)) $all) in
    "$name "*) fail "$collective, P = $P, $from bytes: $name already before" ;;
    esac
done <"$dir/rules"
# processors of the same choices are one; the fan-out of k chains is told
logp tune "${machine[@]}" -P 40..50 --bytes 100..200 --export openmpi gather
[ "$(read_rules "$dir/out")" = '9 40 0 2 0 0' ] || fail "gather: $(cat "$dir/out")"
logp tune "${machine[@]}" -P 16 --bytes 8..100 --export openmpi reduce
k=$("$logp" predict reduce -P 16 --count 1 --algo kchain-opt "${machine[@]}" --format json | jq '.[0].k')
[ "$(read_rules "$dir/out")" = "11 16 0 2 $k 0" ] || fail "reduce, k = $k: $(cat "$dir/out")"
logp tune "${machine[@]}" -P 2..16,33 --export openmpi
read_rules "$dir/out" | awk '
    $1 != c || $2 != P { if ($3 != 0 || ($1 == c && $2 <= P) || $1 < c) exit 1; c = $1; P = $2; from = 0; next }
    $3 <= from { exit 1 } { from = $3 } $1 == "not" { exit 1 }' || fail "order of the rules: $(read_rules "$dir/out" | head -50)"

# ---- rows of the libraries' tables that have no algorithm here: these may be, and are said ----
logp tune "${machine[@]}" -P 4 --bytes 8 --export openmpi
cat "$dir/err" >>"$dir/left_out"
logp tune "${machine[@]}" -P 4 --bytes 8 --export mpich
sort -u "$dir/err" "$dir/left_out" | sed -n 's/^logp: \(.*\) is left out: there is no such algorithm$/\1/p' >"$dir/missing"
[ "$(sort -u "$dir/err" "$dir/left_out" | wc -l)" -eq "$(wc -l <"$dir/missing")" ] || fail "more is said: $(cat "$dir/err")"
while read -r row; do
    case $row in
    'broadcast chain-pipelined' | 'broadcast binary-pipelined' | 'broadcast split-binary' | 'reduce chain-pipelined' | \
        'reduce binary-pipelined' | 'reduce binomial-pipelined' | 'reduce rabenseifner') echo "missing: $row" ;;
    *) fail "a row of no algorithm: $row" ;;
    esac
done <"$dir/missing"

# ---- MPICH ----
logp tune "${machine[@]}" -P 8,32 --bytes 1..64Ki --export mpich
cp "$dir/out" "$dir/mpich"
[ $(($(wc -c <"$dir/mpich") % 4096)) -ne 0 ] || fail "$(wc -c <"$dir/mpich") bytes, whole pages"
for P in 8 32; do
    [ $P -eq 8 ] && key='comm_size<=31' || key='comm_size=any'
    jq -r --arg key "$key" '."collective=allreduce"."comm_type=intra"[$key] | to_entries[] | "\(.key) \([.value | paths | .[-1]] | join(" "))"' \
        "$dir/mpich" >"$dir/chain"
    grep -q 'avg_msg_size=any.*is_op_built_in=yes.*count<pow2.*reduce_scatter_allgather' "$dir/chain" ||
        fail "allreduce, P = $P: $(cat "$dir/chain")"
    to=$(sed -n 's/^avg_msg_size<=\([0-9]*\) .*/\1/p' "$dir/chain")
    algorithms=recursive-doubling,rabenseifner
    case "$(best allreduce $P "$to" $algorithms) $(best allreduce $P $((to + 8)) $algorithms)" in
    recursive-doubling*rabenseifner*) ;;
    *) fail "allreduce, P = $P: $to" ;;
    esac
done

# it says where it is
logp tune broadcast -P 2 --bytes 1..64 --progress on
stderr_has 'broadcast, P = 2, size 64'
finish
