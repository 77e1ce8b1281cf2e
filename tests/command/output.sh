#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tables, CSV, help, progress; and output that is lost.
. "$(dirname "$0")/support.sh"

# run and predict as tables
says 'broadcast of 8 bytes, root 0, P = 8' predict broadcast
says 'delay logp; L = 60 us, o = 20 us, g = 40 us; prediction only; no algorithm takes less than 240.000 us' \
    predict broadcast
says 'optimal 240.000 exact 1.0000' predict broadcast
says 'times in us certainty' predict broadcast --capacity -P 100000
says 'optimal 240.000 exact 1.0000' predict broadcast --capacity
says 'optimal none' predict broadcast --capacity -P 100000
says 'binomial-nearest >= 1060.000 lower-bound -' predict broadcast -P 16 --topology line --by formula --algo binomial,binomial-nearest
says 'barrier, P = 8' predict barrier
says 'broadcast of 1 byte, root 3, P = 8' predict broadcast --bytes 1 --root 3
says 'reduce of 5 int32 each, max, root 0, P = 8' predict reduce --count 5 --type int32 --op max
says 'summation of 80 double in all, sum, root 0, P = 8' predict summation
says 'optimal-paper <= 273.000 bound 1.0971' predict summation --gamma 0.7 --algo optimal-paper
says 'transpose of 8 x 5 elements of 4 bytes, P = 8' predict transpose --cols 5 --type int32
says 'delay loggp; L = 0.25 us, o = 20 us to send, 30 us to receive, g = 1500 us (shared), G = 0.5 ns/byte (2 GB/s); prediction only; no algorithm takes less than 3090.754 us' \
    predict broadcast -L 250ns --o-recv 3 -g 1.5ms -G 0.5ns --gap shared
says 'delay logp; L = 20000000 us, o = 20 us, g = 40 us; gamma = 1.5 us; capacity 500000; prediction only; no algorithm takes less than 20000281.500 us' \
    predict reduce -L 20s --gamma 0.15 --capacity
says 'delay loggp; L = 60 us, o = 20 us, g = 40 us, G = 0.001 ns/byte (1 TB/s); gamma = 0.000001 us; prediction only; no algorithm takes less than 240.001 us' \
    predict reduce -G 0.001ns --gamma 0.001ns
says 'delay none; prediction only' predict broadcast --delay none
says "Stanford DASH; delay store-forward; L = 0.06 us, o = 0.45 us, g = 1.2 us, G = 15 ns/byte (66.7 MB/s); prediction only; no algorithm takes less than 3.375 us" \
    predict broadcast --machine dash
says 'times in us block predicted certainty x bound' predict broadcast -P 16 --algo torus-pipelined --block 3
says 'torus-pipelined 3 720.000 exact 2.2500' predict broadcast -P 16 --algo torus-pipelined --block 3
says 'delay logp; L = 60 us, o = 20 us, g = 40 us; virtual clock, fiber executor on 1 core, 2 runs each' \
    run broadcast --clock virtual --executor fiber --reps 2
says 'optimal 240.000 1.0000 240.000 1.0000 yes' run broadcast --clock virtual
says "delays by $plugin; L = 60 us, o = 20 us, g = 40 us; virtual clock, thread executor on 1 core, 1 run each" \
    run broadcast --clock virtual --plugin "$plugin"
logp run broadcast -P 4 --algo all --clock virtual
[ "$(grep -c ' yes$' "$dir/out")" -gt 5 ] && [ "$(grep -c ' yes  *best$' "$dir/out")" -eq 1 ] || fail "table: $(cat "$dir/out")"
[ ! -s "$dir/err" ] || fail "progress without a terminal: $(cat "$dir/err")"
logp run broadcast -P 2 --reps 5 --progress on --unit 1us --executor fiber
grep -q '5 of 5' "$dir/err" || fail "progress on"

# JSON: of a prediction the same record, without what is measured
logp predict broadcast --format json
cp "$dir/out" "$dir/predicted"
logp run broadcast --clock virtual --format json
printf '[%s,%s]\n' "$(<"$dir/predicted")" "$(<"$dir/out")" >"$dir/both"
holds '["measured_ns", "emulated_ns", "rank_ns", "lag_ns", "restarts", "processes", "clock_error_ns", "ratio", "messages", "link_most",
       "link_wait_ns", "verified", "failed", "wrong_ranks", "dropped", "duplicated", "flipped",
       "delayed", "interval_ns", "runs"] as $measured | (.[1][0] | keys_unsorted) as $run |
       $run - $measured == (.[0][0] | keys_unsorted) and $run - ($run - $measured) == $measured' \
    "$dir/both" "keys of predict and run"

# as the OSU benchmarks have it: the least, mean and largest of the times of the ranks, P0 6, P1 10 and P2 14 units
json '.[0].rank_ns == {min:60000,mean:100000,max:140000}' run broadcast -P 3 --algo flat --clock virtual --reps 3 --warmup 2
says 'flat 140.000 1.0000 140.000 60.000 100.000 140.000 1.0000 yes' run broadcast -P 3 --algo flat --clock virtual --ranks
says 'flat 3 140.000 1.0000 140.000 60.000 100.000 140.000 1.0000 yes' bench broadcast -P 2,3 --algo flat --clock virtual --ranks
json '.[0] | .rank_ns == null and .emulated_ns != null' run broadcast -P 3 --fault delay:5@0-1 --clock virtual
expect='--ranks predict' bad predict broadcast --ranks

# CSV: a header, and as many cells in each row
logp run broadcast -P 4 --algo all --clock virtual --format csv
awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 6 }' "$dir/out" || fail "CSV is uneven"

# the table for documents: the same rows and columns, and no character has a meaning there
for form in markdown latex; do
    logp predict broadcast -P 16 --algo all --format $form
    [ "$(tr -s ' ' <"$dir/out" | grep -c '1.0000')" -eq "$("$logp" predict broadcast -P 16 --algo all 2>/dev/null | grep -c 1.0000)" ] ||
        fail "$form has other rows: $(cat "$dir/out")"
done
says '| optimal | 240.000 | exact | 1.0000 |' predict broadcast --format markdown
says '|---|---:|---|---:|' predict broadcast --format markdown
says 'reduce -P 2..4\*2 --clock virtual' bench reduce -P '2..4*2' --clock virtual --format markdown
says '% broadcast of 8 bytes, root 0, P = 8' predict broadcast --format latex
says '\begin{tabular}{lrlr}' predict broadcast --format latex
says 'binomial-nearest & \textgreater{}= 1060.000 & lower-bound & - \\' \
    predict broadcast -P 16 --topology line --by formula --algo binomial,binomial-nearest --format latex
logp bench broadcast -P 2,4 --clock virtual --output "$dir/sweep.tex"
[ "$(grep -c '\\\\$' "$dir/sweep.tex")" -eq 3 ] || fail "sweep.tex: $(cat "$dir/sweep.tex")"
expect='--format markdown table json' bad predict broadcast --explain --format markdown
expect='--format markdown' bad list --format markdown

# list
json 'map(.name) | index("optimal") != null' list algorithms
json 'map(.name) | index("broadcast") != null' list collectives
json 'length > 30 and all(.[]; has("collective") and has("source") and has("summary"))' list
logp list
[ "$(grep -cxE 'collectives|algorithms|delays|topologies|machines' "$dir/out")" -eq 5 ] || fail "list: kinds"
[ "$(sed -n 1p "$dir/out")" = collectives ] || fail "list: $(head -1 "$dir/out")"
says 'broadcast the root sends an item to all ranks' list collectives
says 'broadcast chain every rank passes the item to the next Shou & Chen 1996' list algorithms
says 'dash Stanford DASH: L 60, o 450, g 1200 ns, G 15 ns/byte (66.7 MB/s); a unit is 30 ns; store-forward (Liu, Li & Cui 1996, table 1)' \
    list machines
says 'chain,broadcast,every rank passes the item to the next,Shou & Chen 1996,' list algorithms --format csv
says 'barrier,,no rank leaves before all have entered,,' list collectives --format csv
expect='nonsense algorithms' bad list nonsense
says 'broadcast chain every rank passes the item to the next Shou & Chen 1996' list broadcast
json 'length > 3 and all(.[]; .collective == "barrier")' list barrier
says 'times in us predicted certainty x bound' predict broadcast
[ -z "$(sed -n 3p "$dir/out")" ] || fail "a blank line before the table: $(cat "$dir/out")"
says 'optimal - - 240.000 exact 1.0000 best' predict broadcast --algo all
says 'ring-window 3 360.000 exact 1.5000' predict transpose --algo all
says 'kchain 4 - 320.000 exact 1.3333' predict reduce --algo all
# a table of all is ranked: of equals the first of the table, and what has no prediction comes last
logp predict broadcast --algo all
[ "$(awk 'NR > 4 { print $1 }' "$dir/out" | paste -sd ' ')" = \
    'optimal knomial matched earliest binary binomial binomial-nearest bine binary-pipelined binomial-pipelined circulant flat k-item split-binary corrected two-tree scatter-doubling chain chain-pipelined scatter-allgather' ] ||
    fail "ranked: $(cat "$dir/out")"
logp predict reduce --algo all --by formula --topology line
awk '/ lower-bound / { seen = 1 } / exact / && seen { exit 1 } END { exit !seen }' "$dir/out" ||
    fail "lower bounds come last: $(cat "$dir/out")"
json 'map(.algorithm) | .[0:3] == ["flat", "chain", "binary"]' predict broadcast --algo all

# what no algorithm is faster than
json '.[0].lower_bound_ns == 240000 and .[1].lower_bound_ns == 240000' predict broadcast --algo flat,optimal
json '.[0].lower_bound_ns == null' predict broadcast --delay varying
json '.[0].lower_bound_ns == 80000' predict broadcast --delay varying -L 0 -P 4
json '.[0].lower_bound_ns == null' predict broadcast --delay none
json '.[0].lower_bound_ns == null' predict broadcast --plugin "$plugin"
json '.[0].lower_bound_ns == 320000' run broadcast -P 16 --topology hypercube --clock virtual --capacity
expect='delays unexpected machines' bad list machines delays

# help
logp --help
grep -q 'logp run broadcast --algo all' "$dir/out" || fail "help has no first step"
logp run --help
for default in '-P N [8]' '-L T [6]' '-o T [2]' '-g T [4]' '-G T [0]' '--unit T [10us]' '--algo NAMES [auto]' '--bytes N [8]' \
    '--root R [0]' '--type T [double]' '--op O [sum]' '--clock KIND [wall]' '--executor NAME [thread]' '--timeout T [60s]' \
    '--seed N [1]' '--format KIND [table]'; do
    sed -n 's/^  \(-.*\)  .*\(\[[^[]*\]\)$/\1 \2/p' "$dir/out" | tr -s ' ' | grep -qxF -- "$default" ||
        fail "run --help does not say $default: $(cat "$dir/out")"
done
logp paper --help
grep -q '^  --reps .* counted runs \[see below\]' "$dir/out" || fail "paper --help: $(cat "$dir/out")"
grep -q -- '--reps 5' "$dir/out" || fail "paper --help: $(cat "$dir/out")"
grep -q -- '--bytes' "$dir/out" && fail "paper --help speaks of --bytes"
logp run --help
cp "$dir/out" "$dir/help"
logp help run
cmp -s "$dir/help" "$dir/out" || fail "help run is not run --help"
logp --help
cp "$dir/out" "$dir/help"
logp help
cmp -s "$dir/help" "$dir/out" || fail "help is not --help"
[ $code -eq 0 ] || fail "help: exit code $code"
# the defaults that it shows are those that are taken: given, they change nothing
mapfile -t defaults < <("$logp" run --help |
    sed -n 's/^  \(-[A-Za-z-]*\) [A-Za-z].* \[\([^] ;]*\)\]$/\1\n\2/p')
[ ${#defaults[@]} -ge 52 ] || fail "too few defaults: ${defaults[*]}"
for what in broadcast summation transpose; do
    logp run $what --clock virtual --format json
    cp "$dir/out" "$dir/without"
    args=()
    for ((i = 0; i < ${#defaults[@]}; i += 2)); do
        case $what${defaults[i]} in summation--bytes) continue ;; esac # 10P elements
        case ${defaults[i + 1]} in -o | P) ;; *) args+=("${defaults[i]}" "${defaults[i + 1]}") ;; esac
    done
    # those that the collective does not use are named one by one
    while logp run $what "${args[@]}" --clock virtual --format json; [ $code -eq 2 ]; do
        unused=$(sed -n 's/^logp: [a-z]* does not use \(--[a-z-]*\); remove it$/\1/p' "$dir/err")
        [ -n "$unused" ] || break
        for ((i = 0; i < ${#args[@]}; i += 2)); do
            [ "${args[i]}" != "$unused" ] || args=("${args[@]:0:i}" "${args[@]:i + 2}")
        done
    done
    cmp -s "$dir/out" "$dir/without" || fail "run $what ${args[*]}: $(cat "$dir/all" "$dir/out")"
done
logp run --help
grep -qF 'counted runs [100; virtual clock 1]' "$dir/out" || fail "run --help: no defaults"
# it names what there is
for option in delay:delays topology:topologies; do
    for name in $("$logp" list "${option#*:}" --format csv | sed '1d; s/,.*//'); do
        grep -q "^  --${option%:*} .*[ ,]$name[],:[ ]" "$dir/out" || fail "run --help: no $name"
    done
done
# and those formats that are taken
for words in 'run barrier --clock virtual' 'predict barrier' 'list delays' 'tree broadcast' 'schedule barrier'; do
    "$logp" "${words%% *}" --help | grep '^  --format ' >"$dir/help"
    for format in table json csv svg text goal jsonl xml; do
        # shellcheck disable=SC2086
        logp $words --format $format
        taken=$code
        grep -qw $format "$dir/help"
        [ $taken -eq $((2 * $?)) ] || fail "$words --format $format: exit code $taken, and: $(cat "$dir/help")"
    done
done
logp list --help
[ "$(grep -c '^  -' "$dir/out")" -eq 6 ] || fail "list --help"
logp --version
head -1 "$dir/out" | grep -qx 'logp [0-9.]*' || fail "version"
for word in commit compiler MPI rsvg-convert; do
    grep -q "^$word: ." "$dir/out" || fail "--version: no $word"
done
cp "$dir/out" "$dir/version"
logp -V
cmp -s "$dir/out" "$dir/version" || fail "-V is not --version"
PATH='' "$logp" -V >"$dir/out"
grep -qx 'rsvg-convert: not found' "$dir/out" || fail "-V without rsvg-convert"
logp
[ $code -eq 2 ] || fail "no words: exit code $code"
grep -q 'Commands:' "$dir/out" || fail "no words: no help"

# JSON lines: the records of --format json, a line each
for words in 'run barrier --clock virtual --algo all' 'predict barrier --algo all' 'list delays' \
    'bench barrier -P 2,4 --clock virtual' 'paper liu --clock virtual'; do
    # shellcheck disable=SC2086
    logp $words --format json
    jq -c '.[]' "$dir/out" >"$dir/lines"
    # shellcheck disable=SC2086
    logp $words --output "$dir/out.jsonl"
    jq -c . "$dir/out.jsonl" >"$dir/again"
    [ "$(wc -l <"$dir/out.jsonl")" -eq "$(wc -l <"$dir/lines")" ] || fail "$words --output .jsonl: lines"
    cmp -s "$dir/again" "$dir/lines" || fail "$words --output .jsonl: not the records of json"
done

# -q prints the result without notes; errors are printed as before
logp predict broadcast -P 7 --algo all
grep -q 'is left out' "$dir/err" || fail "no note on what is left out: $(cat "$dir/err")"
cp "$dir/out" "$dir/noted"
for quiet in -q --quiet; do
    logp predict broadcast -P 7 --algo all $quiet
    [ ! -s "$dir/all" ] || fail "$quiet: $(cat "$dir/all")"
    cmp -s "$dir/out" "$dir/noted" || fail "$quiet: another result"
done
expect='-L x: suffix' bad predict broadcast -q -L x
logp run broadcast -q --progress on --clock virtual
[ ! -s "$dir/all" ] || fail "-q --progress on: $(cat "$dir/all")"

# -v: where values come from
printf 'P = 16\n' >"$dir/config"
LOGP_CONFIG=$dir/config LOGP_L=7 logp predict broadcast -v -g 5
for line in '-g 5 comes from the command line' '-L 7 comes from the environment' '-P 16 comes from the config file'; do
    grep -q -e "^logp: $line\$" "$dir/err" || fail "-v: no '$line': $(cat "$dir/err")"
done
grep -q -e '-o ' "$dir/err" && fail "-v: a default: $(cat "$dir/err")"

expect='--color red auto, always, never' bad run broadcast --color red

# output that is lost is an error
for words in 'run broadcast --clock virtual' 'tree broadcast -P 1000 --format json' 'list --format csv'; do
    # shellcheck disable=SC2086
    "$logp" $words >/dev/full 2>"$dir/err"
    [ $? -eq 1 ] || fail "lost output of $words: exit code"
    stderr_is 'logp: the output could not be written: No space left on device'
done
finish
