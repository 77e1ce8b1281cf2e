#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sweeps go on where they stopped, whatever is left of their file; and crossovers are those of predict.
. "$(dirname "$0")/support.sh"
virtual=(--clock virtual --executor fiber)

logp bench broadcast -P 2,3 --algo flat "${virtual[@]}" --progress on
grep -q 'logp: 1 of 2 points, .* left: broadcast flat -P 3, 0 of 1 runs' "$dir/err" || fail "progress: $(cat "$dir/err")"

# ---- a file of points ----
# whole FILE N: it is a file of N records
whole() {
    case $1 in
    *.json) [ "$(jq -e length "$1" 2>&1)" = "$2" ] || fail "$1: not $2 records: $(cat "$1")" ;;
    *) awk -F, -v n="$2" 'NR == 1 { w = NF } END { exit NR != n + 1 || w < 50 }' "$1" &&
        [ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] || fail "$1: not $2 records: $(cat "$1")" ;;
    esac
}
sweep=(broadcast -P 2,3 --bytes 8,2k -G 1ns --algo flat,optimal "${virtual[@]}")
for end in csv json; do
    logp bench "${sweep[@]}" --format "$end" --output "$dir/all.$end"
    [ $code -eq 0 ] || fail "$end: exit code $code"
    whole "$dir/all.$end" 8
    cmp -s "$dir/out" "$dir/all.$end" || fail "$end: another file than output"
    # a signal comes when the first machine is gone: the point that has begun ends, and no other begins
    n=0
    rm -f "$dir/some.$end"
    while FEIGN=signal LD_PRELOAD=$feign logp bench "${sweep[@]}" --output "$dir/some.$end"; [ $n -lt 6 ]; do
        n=$((n + 2))
        [ $code -eq 1 ] || fail "interrupted: exit code $code"
        whole "$dir/some.$end" $n
        stderr_has "logp: interrupted: $n of 8 points were run; the same command continues"
    done
    [ $code -eq 0 ] || fail "the last: exit code $code: $(cat "$dir/all")"
    cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end: interrupted and not: $(diff "$dir/some.$end" "$dir/all.$end")"
    # in the middle of a line, whatever is left of it
    for bytes in 1 2 3 40 700 1500 2900 100000; do
        head -c -$bytes "$dir/all.$end" >"$dir/some.$end"
        logp bench "${sweep[@]}" --output "$dir/some.$end"
        [ $code -eq 0 ] || fail "$end less $bytes bytes: exit code $code: $(cat "$dir/all")"
        cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end less $bytes bytes"
    done
    head -c 1 "$dir/all.$end" >"$dir/some.$end"
    logp bench "${sweep[@]}" --output "$dir/some.$end"
    cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end: a byte"
    [ $end = json ] || stderr_has 'ends within its heading'
    # all is there
    logp bench "${sweep[@]}" --output "$dir/all.$end"
    [ $code -eq 0 ] || fail "all is there: exit code $code"
    stderr_is 'logp: all 8 points are in the file; --restart runs them again'
    cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end: all was there"
    [ ! -s "$dir/out" ] || [ -n "${LOGP_FORMAT-}" ] || fail "headings without a table: $(cat "$dir/out")"
    # ... and who reads stdout gets it again, or is told where it is
    logp bench "${sweep[@]}" --format "$end" --output "$dir/all.$end"
    { [ $code -eq 0 ] && cmp -s "$dir/out" "$dir/all.$end"; } || fail "$end: asked again: $(cat "$dir/out")"
    other=json
    [ $end = csv ] || other=csv
    LOGP_FORMAT=$other logp bench "${sweep[@]}" --output "$dir/all.$end"
    stderr_has "logp: 8 of 8 points are in $dir/all.$end and are not shown again"
    expect="--output $dir/all.$end --format $other .$other" bad bench "${sweep[@]}" --format $other --output "$dir/all.$end"
    # another sweep, or none: named, and as it was
    expect="--output $dir/all.$end another sweep -P 2,3 --restart" bad bench "${sweep[@]}" -P 2,4 --output "$dir/all.$end"
    expect="--output $dir/all.$end another sweep" bad bench "${sweep[@]}" --seed 2 --output "$dir/all.$end"
    expect="--output $dir/all.$end another sweep" bad bench "${sweep[@]}" --precision 2% --output "$dir/all.$end"
    cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end: refused, and written to"
    sed 's/optimal,2,/optimal,4,/; s/"optimal","P":2/"optimal","P":4/' "$dir/all.$end" >"$dir/some.$end"
    expect="--output record 2 optimal" bad bench "${sweep[@]}" --output "$dir/some.$end"
    for other in 'hello' '[1,2,3]' '{"P":2}'; do
        printf '%s\n' "$other" >"$dir/other.$end"
        expect="--output $dir/other.$end no records --restart" bad bench "${sweep[@]}" --output "$dir/other.$end"
        [ "$(<"$dir/other.$end")" = "$other" ] || fail "$end: another file is gone"
    done
    logp bench "${sweep[@]}" --output "$dir/other.$end" --restart
    cmp -s "$dir/other.$end" "$dir/all.$end" || fail "$end: begun anew"
    # a failed point is kept in the file like others, and the sweep goes on
    FEIGN=wrong LD_PRELOAD=$feign logp bench "${sweep[@]}" --output "$dir/wrong.$end"
    [ $code -eq 1 ] || fail "$end, wrong: exit code $code"
    stderr_has 'logp: broadcast flat: WRONG RESULT on rank 3'
    whole "$dir/wrong.$end" 8
    logp bench "${sweep[@]}" --output "$dir/wrong.$end"
    [ $code -eq 1 ] || fail "$end, wrong before: exit code $code"
done
cp "$dir/all.csv" "$dir/more.csv"
tail -n 1 "$dir/all.csv" >>"$dir/more.csv"
expect='--output more than 8 points' bad bench "${sweep[@]}" --output "$dir/more.csv"
FEIGN=none LD_PRELOAD=$feign logp bench "${sweep[@]}" --output "$dir/machine.csv"
[ $code -eq 1 ] || fail "no machine: exit code $code"
whole "$dir/machine.csv" 8

# Ctrl-C in the middle: the file has whole records, and the same command adds the rest
long=(barrier -P 100..2000+50 --algo dissemination --clock virtual --executor fiber)
"$logp" bench "${long[@]}" --output "$dir/c.csv" >"$dir/c.out" 2>"$dir/c.err" &
pid=$!
until [ "$(cat "$dir/c.csv" 2>/dev/null | wc -l)" -ge 3 ]; do sleep 0.01; done
kill -INT $pid
wait $pid
code=$?
n=$(($(wc -l <"$dir/c.csv") - 1))
if [ "$n" -lt 39 ]; then # else it was faster than this script
    [ $code -eq 1 ] || fail "Ctrl-C: exit code $code"
    whole "$dir/c.csv" "$n"
    grep -q "logp: interrupted: $n of 39 points were run; the same command continues" "$dir/c.err" || fail "Ctrl-C: $(cat "$dir/c.err")"
    [ "$(grep -c '^dissemination' "$dir/c.out")" -eq "$n" ] || fail "Ctrl-C: the table"
fi
logp bench "${long[@]}" --output "$dir/c.csv"
[ $code -eq 0 ] || fail "after Ctrl-C: exit code $code: $(cat "$dir/all")"
logp bench "${long[@]}" --output "$dir/d.csv"
cmp -s "$dir/c.csv" "$dir/d.csv" || fail "Ctrl-C, and without: the files differ"

# ---- crossovers: as predict says, size by size ----
# Of algorithms whose times grow evenly with the size: what is cut into blocks may win in turns.
# agrees COLLECTIVE OPTION SIZES P ALGORITHMS WORDS...
agrees() {
    local what=$1 option=$2 sizes=$3 P=$4 algorithms=$5 size
    shift 5
    logp bench crossover "$what" -P "$P" "$option" "$(tr ' ' , <<<"$sizes")" --algo "$algorithms" "$@" --format json
    [ $code -eq 0 ] || fail "crossover $what $*: exit code $code: $(cat "$dir/all")"
    cp "$dir/out" "$dir/reigns"
    # of the sizes, and of both sides of each change
    for size in $sizes $(jq -r '.[] | select(.before != null) | .from - 1, .from' "$dir/reigns"); do
        for p in ${P//,/ }; do
            logp predict "$what" -P "$p" "$option" "$size" "$@" --algo "$algorithms" --format json
            jq -c --argjson p "$p" --argjson size "$size" --slurpfile reigns "$dir/reigns" '
                [.[] | select(.prediction == "exact" or .prediction == "bound")] | min_by(.predicted_ns) as $best |
                [$reigns[0][] | select(.P == $p and .from <= $size and .to >= $size)] |
                if length == 1 and .[0].algorithm == $best.algorithm and
                   (.[0].from != $size or .[0].predicted_ns == $best.predicted_ns) then empty
                else {$p, $size, best: $best.algorithm, is: .} end' "$dir/out" >"$dir/differ"
            [ ! -s "$dir/differ" ] || fail "crossover $what $*: $(cat "$dir/differ")"
        done
    done
}
agrees broadcast --bytes '8 64 512 4096 32768' 4,7,8 flat,binary,binomial,optimal,knomial,scatter-allgather,scatter-doubling -G 0.01
agrees alltoall --bytes '8 1024 65536' 8,9 all -G 0.3ns --gap shared
agrees reduce --count '1 100 10000' 5,8 flat,chain,binary,binomial,optimal,kchain-opt,binomial-nearest -G 0.01 --gamma 0.02
agrees allreduce --count '1 65536' 6,16 reduce-broadcast,recursive-doubling,ring,rabenseifner -G 1ns --unit 1us
finish
