#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sweeps: what is swept, in which order; that they go on where they stopped; where the best changes.
. "$(dirname "$0")/support.sh"
virtual=(--clock virtual --executor fiber)

# sweeps FILTER WANTED WORDS...: what the filter says of all records, as compact JSON
sweeps() {
    local filter=$1 wanted=$2 got
    shift 2
    logp bench "$@" "${virtual[@]}" --format json
    [ $code -eq 0 ] || fail "bench $*: exit code $code: $(cat "$dir/all")"
    got=$(jq -c "$filter" "$dir/out")
    [ "$got" = "$wanted" ] || fail "bench $*: $got"
}

# ---- several values: lists, ranges, both, and in which order ----
sweeps 'map(.P)' '[2,4,8]' broadcast -P 2,4,8
sweeps 'map(.P)' '[8,2]' broadcast -P 8,2
sweeps 'map(.P)' '[2,4,8,16]' broadcast -P '2..16*2'
sweeps 'map(.P)' '[3,9,27]' broadcast -P '3..80*3'
sweeps 'map(.P)' '[2,3,4,5]' broadcast -P 2..5
sweeps 'map(.P)' '[2,5,8,20]' broadcast -P 2..9+3,20
sweeps 'map(.P)' '[4,8]' broadcast -P '2^2..2^3*2'
sweeps 'map(.P)' '[7]' broadcast -P 7..7
sweeps 'map(.bytes)' '[8,1024,4096,16384,65536]' broadcast --bytes '8,1k..64KiB*4'
sweeps 'map(.L_ns)' '[20000,40000,60000]' broadcast -L 2..6+2
sweeps 'map(.L_ns)' '[5000,10000,15000]' broadcast -L 0.5..1.5+0.5
sweeps 'map(.L_ns)' '[500,2000,1000000,1000]' broadcast -L '500ns..2us*4,1ms,1us'
sweeps 'map(.g_ns)' '[10000,20000,30000]' broadcast -g 1..3
sweeps 'map(.o_send_ns)' '[0,1,2]' broadcast -o 0ns..2ns+1ns
sweeps 'map([.G_ns_per_byte,.delay])' '[[0,"logp"],[0.5,"loggp"]]' broadcast -G 0,500ps
sweeps 'map(.k)' '[2,3,4]' broadcast --algo knomial --k 2..4
sweeps 'map(.count)' '[1,10]' reduce --count 1,10
sweeps 'map(.root)' '[0,1,2]' broadcast --root 0..2
sweeps 'map([.topology,.delay])' '[["ring","logp"],["hypercube","logp"]]' broadcast --topology ring,hypercube --algo flat
sweeps 'map([.P,.bytes,.algorithm])' \
    '[[2,8,"flat"],[2,8,"chain"],[2,9,"flat"],[2,9,"chain"],[4,8,"flat"],[4,8,"chain"],[4,9,"flat"],[4,9,"chain"]]' \
    broadcast --bytes 8,9 --algo flat,chain -P 2,4
logp bench broadcast --clock virtual --executor fiber,thread -P 2,3 --format json
holds 'map([.P,.executor]) == [[2,"fiber"],[2,"thread"],[3,"fiber"],[3,"thread"]]' "$dir/out" executors
LOGP_P=2,4 sweeps 'map(.P)' '[2,4]' broadcast
LOGP_P=2,4 expect="LOGP_P '2,4' run one value" bad run broadcast

# where an algorithm does not apply it is left out; where none does, the point is
sweeps 'map([.P,.algorithm])' '[[4,"flat"],[4,"mesh"],[5,"flat"]]' broadcast -P 4,5 --algo flat,mesh
stderr_is 'logp: broadcast mesh is left out where it does not apply, because it needs a square number of processors, or a topology with sizes'
sweeps 'map(.P)' '[4,9]' matvec -P 2..9
stderr_is 'logp: at 6 of 8 combinations no algorithm of matvec applies'
expect='--bytes 8..64k fewer' bad bench crossover allreduce -G 1ns --bytes 8..64k # and not -P, which is not given
expect='matvec square' bad bench matvec -P 2,3
expect='--algo mesh square' bad bench broadcast -P 2,3 --algo mesh

# ---- the record: that of run, and which sweep it is of ----
logp run reduce -P 5 -G 1ns --count 3 --algo binomial "${virtual[@]}" --format json
cp "$dir/out" "$dir/run"
logp bench reduce -P 3,5 -G 1ns --count 3 --algo binomial "${virtual[@]}" --format json
printf '[%s,%s]\n' "$(<"$dir/run")" "$(<"$dir/out")" >"$dir/both"
holds '(.[0][0] | keys_unsorted) == (.[1][1] | keys_unsorted) and .[0][0].sweep == null and
       .[0][0] == (.[1][1] | .sweep = null) and .[1][1].runs == 1 and
       (.[1][1] | .bound_ratio - .predicted_ns / .lower_bound_ns | fabs < 0.000001) and
       .[1][1].interval_ns == {low: .[1][1].predicted_ns, high: .[1][1].predicted_ns} and
       .[1][1].sweep == "reduce -P 3,5 -G 1ns --algo binomial --count 3 --clock virtual --executor fiber"' \
    "$dir/both" "bench beside run"
logp bench broadcast -P 2 --unit 1us --executor fiber --reps 9 --precision 0% --format json
holds '.[0] | (.runs == 9 and .reps == 9 and .interval_ns.low <= .measured_ns.median and
       .interval_ns.high >= .measured_ns.median and .interval_ns.low >= .measured_ns.min)' "$dir/out" "the wall clock"
logp bench broadcast -P 2 --unit 1us --executor fiber --reps 5 --format json
holds '.[0] | (.runs == 5 and .interval_ns == null)' "$dir/out" "too few for an interval"
logp bench broadcast -P 2 --unit 1us --executor fiber --limit 1ns --format json
holds '.[0].runs == 1' "$dir/out" "no time"
says 'flat 2 9 100.000 1.0000 100.000 1.0000 yes' bench broadcast -P 2,3 --bytes 8,9 --algo flat "${virtual[@]}"
says 'times in us P bytes predicted x bound emulated ratio verified' bench broadcast -P 2,3 --bytes 8,9 --algo flat "${virtual[@]}"
stderr_is 'logp: 4 points, at most about 1 s'
# by --limit on the wall clock, whatever a run takes; here no run begins
LD_PRELOAD=$feign FEIGN=none logp bench broadcast -P 2,3 --algo flat,chain --limit 30s
stderr_has 'logp: 4 points, at most about 2 min 0 s'
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
    # a signal comes when the first machine is gone: what was begun is ended, and no more
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
    # all is there
    logp bench "${sweep[@]}" --output "$dir/all.$end"
    [ $code -eq 0 ] || fail "all is there: exit code $code"
    stderr_is 'logp: all 8 points are in the file'
    cmp -s "$dir/some.$end" "$dir/all.$end" || fail "$end: all was there"
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
    # what goes wrong is a point, too, and the sweep goes on; so it is remembered
    FEIGN=wrong LD_PRELOAD=$feign logp bench "${sweep[@]}" --output "$dir/wrong.$end"
    [ $code -eq 1 ] || fail "$end, wrong: exit code $code"
    stderr_has 'logp: broadcast flat: WRONG RESULT on rank 3'
    whole "$dir/wrong.$end" 8
    logp bench "${sweep[@]}" --output "$dir/wrong.$end"
    [ $code -eq 1 ] || fail "$end, wrong before: exit code $code"
done
FEIGN=error LD_PRELOAD=$feign logp bench broadcast -P 2,3 "${virtual[@]}" --format json
[ $code -eq 1 ] || fail "an error: exit code $code"
holds 'map(.verified) == [false, false]' "$dir/out" "an error"
ln -s /dev/full "$dir/full.csv"
logp bench broadcast -P 2,3 "${virtual[@]}" --output "$dir/full.csv"
[ $code -eq 1 ] || fail "a full disk: exit code $code"
stderr_has 'full.csv could not be written: No space left'
cp "$dir/all.csv" "$dir/more.csv"
tail -n 1 "$dir/all.csv" >>"$dir/more.csv"
expect='--output more than 8 points' bad bench "${sweep[@]}" --output "$dir/more.csv"
expect="--output $dir/none/x.csv directory" bad bench broadcast --output "$dir/none/x.csv"
expect='--output .csv .json .png' bad bench broadcast --output "$dir/x.goal"
mkdir "$dir/folder.csv"
expect='--output folder.csv directory' bad bench broadcast --output "$dir/folder.csv"
FEIGN=none LD_PRELOAD=$feign logp bench "${sweep[@]}" --output "$dir/machine.csv"
[ $code -eq 1 ] || fail "no machine: exit code $code"
whole "$dir/machine.csv" 8

# Ctrl-C in the middle: what is there is whole, and the rest comes with the same command
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

# ---- bad input ----
for list in 2, ,2 2,,4 2.. ..4 4..2 '2..8*1' '2..8*0' '2..8*x' 2..8+0 2..8+ '0..8*2' 2..8+1us x..4 2..4..6; do
    expect="-P $list values ranges" bad bench broadcast -P "$list"
done
for list in 1us..2 1..2us 1..2+1us 1us..2us+1 1us..2us; do
    expect="-L $list values" bad bench broadcast -L "$list"
done
expect='-P x processors' bad bench broadcast -P 2,x
expect='-P 0 processors' bad bench broadcast -P '0..2+1'
expect='--executor magic thread' bad bench broadcast --executor fiber,magic
expect='--executor words' bad bench broadcast --executor fiber,
expect='-P 100000000 16777216' bad bench broadcast -P 2,100000000
expect='--bytes points' bad bench broadcast -P 1..1000 --bytes 1..1000
expect='-P values' bad bench broadcast -P 1..1000000
expect='--root 3 rank' bad bench broadcast -P 4,2 --root 3
for p in 1 x% % -1% 101% 1us% 0.00001%; do expect="--precision $p 100%" bad bench broadcast --precision $p; done
expect='--limit 0 time' bad bench broadcast --limit 0
expect='collective broadcast' bad bench
expect='frob one' bad bench broadcast frob crossover
expect='--precision run' bad run broadcast --precision 1%
expect='--output crossover .csv' bad bench crossover broadcast --output "$dir/x.svg"
expect='--measure bench' bad bench broadcast --measure
expect='crossover collective' bad bench crossover
expect='-L 2,4 one value -P' bad bench crossover broadcast -L 2,4
expect='--delay none model' bad bench crossover broadcast --delay none
expect='matvec prediction' bad bench crossover matvec -P 2,3 -G 1ns
expect='--algo bogus' bad bench crossover broadcast -G 1ns --algo flat,bogus
expect='--format svg' bad bench crossover broadcast --format svg

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
# of 3994 to 3996 bytes, binary is the best at 3996, where the times are equal
json 'map([.P, .from, .to, .algorithm, .before, .settled_from]) ==
      [[4,8,201,"flat",null,null],[4,202,3993,"binary","flat",null],
       [4,3994,1048576,"scatter-doubling","binary",3997]]' \
    bench crossover broadcast -P 4 -G 0.01 --algo flat,binary,scatter-doubling
json 'length == 6 and all(.[]; .size == null and .from == null and .algorithm == "dissemination")' \
    bench crossover barrier --algo dissemination
json 'map(.P) == [2,4,8,16,32,64]' bench crossover broadcast --algo flat --bytes 8
json 'map([.from, .to]) == [[8,64]]' bench crossover broadcast -G 1ns --algo flat -P 2 --bytes 64,8,8
says 'P = 4 a a a a a b b b b c c c c c c c c c' bench crossover broadcast -P 4 -G 0.01 --algo flat,binary,scatter-doubling
says 'a flat, b binary, c scatter-doubling' bench crossover broadcast -P 4 -G 0.01 --algo flat,binary,scatter-doubling
says '4 202 1048576 binary 240.200 flat 240.300' bench crossover broadcast -P 4 -G 0.01 --algo flat,binary
# run on both sides: under the virtual clock as predicted
json 'map(select(.before != null)) | length == 3 and all(.[]; .below_at < .from and .above_at >= .from and
      .below_best_ns == .below_best_predicted_ns and .below_other_ns == .below_other_predicted_ns and
      .above_best_ns == .above_best_predicted_ns and .above_other_ns == .above_other_predicted_ns and
      (.below_best_wins == (if .below_best_ns < .below_other_ns then true else null end)) and
      (.above_best_wins == (if .above_best_ns < .above_other_ns then true else null end)))' \
    bench crossover broadcast -P 4,5 -G 0.01 --algo flat,binary,scatter-doubling --measure "${virtual[@]}"
json 'all(.[]; .below_at == null and .above_best_ns == null)' bench crossover broadcast -P 4 -G 0.01
logp bench crossover broadcast -P 4 -G 0.01 --measure "${virtual[@]}" --algo flat,binary
grep -qx 'The predicted winner wins 2 of 2, and loses 0.' "$dir/out" || fail "duels: $(cat "$dir/out")"
FEIGN=wrong LD_PRELOAD=$feign logp bench crossover broadcast -P 4 -G 0.01 --measure "${virtual[@]}" --algo flat,binary
[ $code -eq 1 ] || fail "a wrong duel: exit code $code"
# CSV is JSON made flat
logp bench crossover broadcast -P 4,8 -G 0.01 --measure "${virtual[@]}" --algo flat,binary --format json
jq -r '(.[0] | keys_unsorted | join(",")), (.[] | [.[] | . as $v | if . == null then "" else tostring end |
       if test(",") then "\"\(.)\"" else . end] | join(","))' "$dir/out" | sed 's/ --format json//' >"$dir/flat"
logp bench crossover broadcast -P 4,8 -G 0.01 --measure "${virtual[@]}" --algo flat,binary --format csv
cmp -s "$dir/flat" "$dir/out" || fail "crossover as CSV: $(diff "$dir/flat" "$dir/out")"

# ---- help ----
logp bench --help
cp "$dir/out" "$dir/help"
logp help bench
cmp -s "$dir/help" "$dir/out" || fail "help bench is not bench --help"
for word in --precision --limit --output --restart -P --executor '2..64\*2' crossover; do
    grep -q -e "$word" "$dir/help" || fail "bench --help: no $word"
done
logp help bench crossover
grep -q -e '--measure' "$dir/out" && ! grep -q -e '--restart' "$dir/out" || fail "help bench crossover: $(cat "$dir/out")"
finish
