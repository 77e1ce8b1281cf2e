#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wall clock, and what the command does with the host: cores, quotas, signals, time limits. Nothing
# here depends on how fast or how busy it is: few processors, few runs, small units.
. "$(dirname "$0")/support.sh"

json '.[0] | (.verified and .reps == 3 and .clock == "wall" and .measured_ns.min >= .predicted_ns and
      .measured_ns.median >= .measured_ns.min and .lag_ns.max >= 0 and .ratio >= 1 and
      .emulated_ns.median >= .predicted_ns)' run broadcast -P 3 --reps 3 --warmup 1
json '.[0] | (.verified and .predicted_ns == null and .prediction == "none" and .ratio == null and
      .lag_ns == null and .emulated_ns == null and .measured_ns.median > 0)' \
    run broadcast -P 3 --delay none --reps 3
json '.[0] | (.verified and .ratio >= 1)' run broadcast --executor fiber -P 16 --reps 2 --warmup 0 --unit 1us
json '.[0] | (.verified and .predicted_ns == null and .measured_ns.median > 0)' \
    run reduce -P 3 --delay none --count 10000 --reps 2

# --cores: this process's own are taken, each once, ranges too; others are not
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${allowed%%[-,]*}
last=${allowed##*[-,]}
n=$(nproc)
small=(run barrier --reps 1 --warmup 0 --executor fiber --unit 1us)
on="wall clock, fiber executor on"
says "delay logp; L = 6 us, o = 2 us, g = 4 us; $on $n core$([ "$n" -eq 1 ] || echo s), 1 run each" \
    "${small[@]}" -P $((n > 8 ? n : 8)) --cores "$allowed" --delay logp --timeout 600
says "delay logp; L = 6 us, o = 2 us, g = 4 us; $on 1 core, 1 run each" "${small[@]}" --cores "$first"
says "delay logp; L = 6 us, o = 2 us, g = 4 us; $on 1 core, 1 run each" "${small[@]}" --cores "$last-$last"
expect="--cores $last-$((last + 1)) once" bad "${small[@]}" --cores "$last-$((last + 1))"
expect="--cores $first,$first once" bad "${small[@]}" --cores "$first,$first"
expect='--cores 4095 once' bad "${small[@]}" --cores 4095
for list in 0,x x 3-2 1- -1 0-4095 0-1024 0,1-1024 0,,1 '0;1'; do
    expect="--cores $list list" bad "${small[@]}" "--cores=$list"
done

# a quota is said, where it matters: less time than cores, on the wall clock; after what is wrong
quota() { QUOTA=$1 LD_PRELOAD=$feign logp "${@:2}"; }
quota '50000 100000' "${small[@]}" --cores "$first"
[ $code -eq 0 ] || fail "with a quota: exit code $code"
[ "$(cat "$dir/all")" = "logp: a CPU quota allows 0.50 processors' worth of time, and 1 cores are used: expect stalls; use --cores with fewer" ] ||
    fail "quota: $(cat "$dir/all")"
quota '200000 200000' "${small[@]}" --cores "$first"
[ ! -s "$dir/all" ] || fail "a quota that is enough: $(cat "$dir/all")"
quota 'max 100000' "${small[@]}" --cores "$first"
[ ! -s "$dir/all" ] || fail "no quota: $(cat "$dir/all")"
FEIGN=cores quota '200000 100000' "${small[@]}"
grep -q ' 2.00 .* 64 cores ' "$dir/all" || fail "two processors for 64 cores: $(cat "$dir/all")"
FEIGN=cores quota missing "${small[@]}"
[ ! -s "$dir/all" ] || fail "no control groups: $(cat "$dir/all")"
quota '50000 100000' run barrier --clock virtual
[ ! -s "$dir/all" ] || fail "a quota, and the virtual clock: $(cat "$dir/all")"
QUOTA='50000 100000' LD_PRELOAD=$feign expect='--k 0' bad run reduce --k 0
QUOTA='50000 100000' LD_PRELOAD=$feign expect='--cores 4095' bad run reduce --cores 4095
QUOTA='50000 100000' LD_PRELOAD=$feign expect='--plugin nothing.so' bad run reduce --plugin nothing.so

# interrupt SIGNAL WORDS...: once a million runs have begun
interrupt() {
    local signal=$1 pid
    shift
    : >"$dir/err"
    "$logp" "$@" --reps 1000000 --progress on --format json >"$dir/out" 2>"$dir/err" &
    pid=$!
    for ((i = 0; i < 3000; i++)); do
        grep -q 'of 1000000' "$dir/err" && break
        kill -0 $pid 2>/dev/null || break # it refuses to begin
        sleep 0.02
    done
    kill -"$signal" $pid
    wait $pid
    code=$?
    [ $code -eq 1 ] || fail "$signal to $*: exit code $code"
    stderr_has 'interrupted after'
}

# Ctrl-C: what was measured so far
interrupt INT run broadcast -P 2 --executor fiber --unit 1us --timeout 600
holds '.[0].reps > 0 and .[0].reps < 1000000 and .[0].measured_ns.median > 0' "$dir/out" interrupted
interrupt TERM run broadcast -P 2 --executor fiber --unit 1us --timeout 600
interrupt TERM paper shou-chen --executor fiber --timeout 600
holds 'length > 10 and all(.[]; .row.rank != "all" or .measured == null)' "$dir/out" "an interrupted paper"

# a run that does not end in time
logp run broadcast -P 2 --executor fiber --reps 10000000 --timeout 50ms
[ $code -eq 1 ] || fail "timeout: exit code $code"
stderr_has 'not finished within --timeout'
LOGP_TIMEOUT=50ms logp run broadcast -P 2 --executor fiber --reps 10000000
stderr_has 'not finished within LOGP_TIMEOUT'

# papers on the wall clock; what is said of the host is said once
quota '50000 100000' paper shou-chen --cores "$first" --reps 1 --warmup 0 --format json
[ "$(grep -c '^logp: a CPU quota allows 0.50 ' "$dir/all")" -eq 1 ] || fail "a paper with a quota: $(cat "$dir/all")"
json '[.[] | select(.row.rank == "all") | .measured >= .emulated] == [true, true, true]' paper shou-chen --reps 2
# a table that --timeout cuts says how many runs there were
logp run barrier -P 2 --executor fiber --unit 1us --reps 1000000 --timeout 300ms
[ $code -eq 1 ] || fail "cut by --timeout: exit code $code"
made=$(sed -n 's/.*not finished within --timeout; \([0-9]*\) runs were finished/\1/p' "$dir/err")
grep -q ", $made of 1000000 runs\$" "$dir/out" || fail "cut by --timeout after $made runs: $(cat "$dir/out")"

# little stack: more is taken where that is allowed, or it is said
prlimit --stack=65536: "$logp" run broadcast --clock virtual >"$dir/out" 2>"$dir/err" || fail "little stack: $(cat "$dir/err")"
prlimit --stack=65536 "$logp" run broadcast >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'ulimit -s' "$dir/err" ||
    fail "no stack: $(cat "$dir/err")"

finish
