#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What sizes mean and cost: --bytes of vectors, and that bytes are free where G is 0.
. "$(dirname "$0")/support.sh"

# ---- --bytes of a vector: the count times the size of an element ----
for what in reduce allreduce scan exscan reduce-scatter summation; do
    for type in int32 float int64 double; do
        n=8
        case $type in int32 | float) n=4 ;; esac
        logp predict $what --bytes $((n * 12)) --type $type -G 1ns --algo all --format json
        jq 'map(del(.sweep))' "$dir/out" >"$dir/bytes"
        logp predict $what --count 12 --type $type -G 1ns --algo all --format json
        [ -s "$dir/bytes" ] && cmp -s <(jq 'map(del(.sweep))' "$dir/out") "$dir/bytes" || fail "$what of $type: $(cat "$dir/bytes")"
        holds "all(.[]; .count == 12 and .bytes == $((n * 12)))" "$dir/out" "$what of $type"
    done
done
json '.[0] | (.count == 4 and .bytes == 32)' predict matvec -P 4 --bytes 32
json '.[0] | (.verified and .ratio == 1 and .count == 1024)' run allreduce --bytes 8k --clock virtual -G 1ns
says 'allreduce of 64 bytes each (8 double), sum, P = 8' predict allreduce --bytes 64
says 'allreduce of 8 double each, sum, P = 8' predict allreduce --count 8
says 'summation of 640 bytes in all (80 double), sum, root 0, P = 8' predict summation --bytes 640
json '.count == 82 and .time == 29' tree summation -P 7 -L 5 --bytes 656
says 'send to 1, 64 bytes' schedule allreduce --bytes 64 -P 2

# wrong ones: one line, exit code 2, what an element takes and the nearest sizes
expect='--bytes 7: allreduce whole elements of 8 bytes --type double nearest: 8' bad run allreduce --bytes 7
expect='--bytes 12: reduce nearest: 8 or 16' bad predict reduce --bytes 12
expect='--bytes 7: scan elements of 4 bytes int32 nearest: 4 or 8' bad predict scan --bytes 7 --type int32
expect='--bytes 0: nearest: 8' bad bench exscan --bytes 0
expect='--bytes 12 nearest: 8 or 16' bad bench allreduce --bytes 8,12,16
expect='--bytes 12 nearest' bad bench crossover allreduce --bytes 8,12,16 -G 1ns
expect='--bytes 2^63 0 .. 2^40' bad run allreduce --bytes 2^63
expect='--bytes -8' bad run allreduce --bytes=-8
expect='--bytes 8 --count 1 both remove one' bad run allreduce --bytes 8 --count 1
expect='--bytes --count both' bad bench allreduce --bytes 8,16 --count 1,2
# from the environment: what is on the command line is stronger, and a count is of vectors alone
LOGP_BYTES=16 json '.[0].count == 2' predict allreduce
LOGP_BYTES=16 json '.[0].count == 5' predict allreduce --count 5
LOGP_COUNT=5 json '.[0].count == 2' predict allreduce --bytes 16
LOGP_BYTES=16 LOGP_COUNT=5 json '.[0].count == 5' predict allreduce
LOGP_BYTES=16 LOGP_COUNT=5 json '.[0].bytes == 16' predict broadcast
LOGP_BYTES=7 expect="LOGP_BYTES '7' nearest: 8" bad predict allreduce
LOGP_BYTES=7 json '.[0].bytes == null' predict barrier
stderr_is ''

# ---- sweeps over it: other results, other records, and bytes along the axis ----
json 'map([.bytes, .count]) == [[8,1],[64,8],[512,64],[4096,512],[32768,4096]] and
      (map(.predicted_ns) | unique | length == 5) and all(.[]; .verified and .ratio == 1)' \
    bench allreduce --bytes '8..64k*8' -G 1ns --clock virtual --executor fiber
json 'map([.type, .bytes, .count]) == [["int32",16,4],["double",16,2],["int32",32,8],["double",32,4]]' \
    bench allreduce --bytes 16,32 --type int32,double --clock virtual --executor fiber
logp bench allreduce --bytes 8,64 --algo ring --clock virtual --format csv
[ "$(cut -d, -f2,3,5,6 "$dir/out" | tail -n +2 | tr '\n' ' ')" = 'ring,8,8,1 ring,8,64,8 ' ] ||
    fail "CSV: $(cat "$dir/out")"
logp plot allreduce --bytes '8..64k*8' -G 1ns --clock virtual --executor fiber --algo ring,recursive-doubling
grep -q '>bytes<' "$dir/out" || fail "the axis of a plot: $(grep -o '<text.*' "$dir/out")"
grep -q 'allreduce -G 1ns' "$dir/out" || fail "the title of a plot"

# ---- crossovers: at the sizes that tune finds ----
json 'map([.size, .from, .to, .algorithm]) ==
      [["bytes",8,399999,"recursive-doubling"],["bytes",400000,1048576,"rabenseifner"]]' \
    bench crossover allreduce -P 4 -G 1ns --bytes '8..1M*8,1M' --algo recursive-doubling,rabenseifner
json '.[0].sweep == "allreduce -P 4 -G 1ns --algo recursive-doubling,rabenseifner --bytes 8,1M"' \
    bench crossover allreduce -P 4 -G 1ns --bytes 8,1M --algo recursive-doubling,rabenseifner
json 'map([.size, .from, .to]) == [["count",1,49999],["count",50000,131072]]' \
    bench crossover allreduce -P 4 -G 1ns --algo recursive-doubling,rabenseifner
json 'map([.below_at, .above_at]) == [[null,null],[32768,1048576]] and
      .[1].below_best_ns == .[1].below_best_predicted_ns' \
    bench crossover allreduce -P 4 -G 1ns --bytes 8,32k,1M --algo recursive-doubling,rabenseifner --measure \
    --clock virtual --executor fiber
says 'bytes 8 32k 1M' bench crossover allreduce -P 4 -G 1ns --bytes 8,32k,1M --algo recursive-doubling,rabenseifner

# ---- bytes are free where G is 0: that is said, once, with what to type ----
free='G is 0, so bytes cost nothing and messages of all sizes take the same time; to charge for them, type -G 10ns (100 MB/s)'
# free_is N WORDS...: so many lines of the table say it, and none on stderr; with JSON it is on stderr
free_is() {
    local n=$1
    shift
    logp "$@"
    [ $code -eq 0 ] || fail "logp $*: $(cat "$dir/all")"
    [ "$(grep -cxF "$free" "$dir/out")" -eq "$n" ] || fail "logp $*: not $n times: $(cat "$dir/out")"
    grep -q 'G is' "$dir/err" && fail "logp $*: on stderr: $(cat "$dir/err")"
    logp "$@" --format json
    [ "$(grep -cxF "logp: $free" "$dir/err")" -eq "$n" ] || fail "logp $* as JSON: not $n times: $(cat "$dir/err")"
    holds 'length > 0' "$dir/out" "logp $*"
}
free_is 1 predict allreduce --count 1M --algo all
free_is 1 predict broadcast --bytes 65
free_is 0 predict broadcast --bytes 64
free_is 0 predict broadcast --bytes 1M -G 1ns
free_is 0 predict allreduce --count 8
free_is 1 predict allreduce --count 9
free_is 1 run broadcast --bytes 1k --clock virtual
free_is 1 bench broadcast --bytes 8,1k --clock virtual --executor fiber
free_is 0 bench broadcast --bytes 8,64 --clock virtual --executor fiber
free_is 1 predict gather --counts 3,65
free_is 0 predict barrier
free_is 0 predict summation --count 10k
free_is 0 predict transpose
free_is 1 predict transpose --rows 100
free_is 0 predict broadcast --bytes 1k --delay none
free_is 0 predict broadcast --bytes 1k --machine dash
free_is 0 predict broadcast --bytes 1k --link 0-1:G=1ns
free_is 0 predict broadcast --bytes 1k --plugin "$plugin"
says "${free/-G/--delay loggp -G}" predict broadcast --bytes 1k --delay logp
says "${free/ and messages of all sizes take the same time/}" predict broadcast --bytes 1k --rendezvous 99
for words in 'trace broadcast --clock virtual' 'schedule broadcast' 'tree broadcast' 'tree reduce' 'plot broadcast --clock virtual'; do
    size='--bytes 1k'
    # shellcheck disable=SC2086
    logp $words $size
    stderr_has "logp: $free"
done
logp tune broadcast -P 2 --bytes 8..1k
stderr_is "logp: $free"
logp tune barrier -P 2
stderr_is ''
# what is typed then works
json 'map(.predicted_ns) | unique | length == 2' bench broadcast --bytes 8,1k -G 10ns --clock virtual --executor fiber
json '.[0].delay == "loggp"' predict broadcast --bytes 1k --delay loggp -G 10ns

# a map over sizes needs G, or that elements cost
expect='crossover sizes G -G 10ns 100 MB/s' bad bench crossover broadcast
expect='crossover sizes G -G' bad bench crossover allreduce --bytes '8..64k*8'
expect='crossover --delay loggp -G' bad bench crossover allreduce --delay logp
for words in 'broadcast --bytes 8' 'barrier' 'reduce --count 1,2 --gamma 1' 'broadcast --bytes 8,16 --rendezvous 9' \
    'summation --count 10,20'; do
    # shellcheck disable=SC2086
    json 'length == 1' bench crossover $words -P 4 --algo "$(case $words in barrier) echo dissemination ;; summation*) echo optimal ;; *) echo binomial ;; esac)"
done

# ---- G is shown in ns per byte, with the bandwidth that it means ----
# shows G TEXT
shows() {
    logp predict broadcast -G "$1"
    grep -qF ", G = $2; " "$dir/out" || fail "G = $1: not '$2': $(cat "$dir/out")"
}
shows 0.1us '100 ns/byte (10 MB/s)'
shows 1ns '1 ns/byte (1 GB/s)'
shows 0.08ns '0.08 ns/byte (12.5 GB/s)'
shows 0.001ns '0.001 ns/byte (1 TB/s)'
shows 1us '1000 ns/byte (1 MB/s)'
shows 1ms '1000000 ns/byte (1 kB/s)'
logp trace broadcast -P 2 -G 100ns --clock virtual
grep -qF 'L 6, o 2, g 4, G 100 ns/byte (10 MB/s); a unit is 10 us' "$dir/out" || fail "G of a trace: $(cat "$dir/out")"
logp list machines
grep -qF 'nCUBE/2: L 1000, o 80000, g 160000 ns, G 200 ns/byte (5 MB/s); ' "$dir/out" || fail "G of machines"
says 'G = 2 ns/byte (500 MB/s).' measure --clock virtual -G 2ns
says 'times in us G ns/byte predicted x bound emulated ratio verified' bench broadcast -G 0.5ns,2us --algo flat --clock virtual
says 'flat 2000.000 438.000 1.5713 438.000 1.0000 yes' bench broadcast -G 0.5ns,2us --algo flat --clock virtual
json 'map(.G_ns_per_byte) == [0.5, 2000]' bench broadcast -G 0.5ns,2us --algo flat --clock virtual
# a million pieces of one byte, and as many messages under way at a rank that are sent and received in turn
json '.[0] | .prediction == "exact" and .predicted_ns == 50331920000 and .block == 1' \
    predict broadcast --algo k-item -G 10 --bytes 1M --by schedule
stderr_has 'logp: -G 10 is 100 us a byte, more than the gap g of a message'
logp predict broadcast --algo k-item -G 10 --bytes 1M
[ $code -eq 0 ] || fail "k-item: exit code $code"
stderr_has 'logp: not predicted, since their schedules have more than 2097152 messages'
finish
