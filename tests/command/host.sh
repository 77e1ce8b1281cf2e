#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What needs a process of its own: the cores that it may use, signals, a processor that does not come
# home, little stack. Nothing here depends on how fast or how busy the host is.
. "$(dirname "$0")/support.sh"

small=(--executor fiber --unit 1us --reps 1 --warmup 0)
feign() { FEIGN=$1 LD_PRELOAD=$feign logp "${@:2}"; }
exits() { [ $code -eq "$1" ] || fail "$2: exit code $code: $(cat "$dir/all")"; }

# --cores: this process's own are taken, each once, ranges too; others are not
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${allowed%%[-,]*}
last=${allowed##*[-,]}
n=$(nproc)
model='delay logp; L = 6 us, o = 2 us, g = 4 us; wall clock, fiber executor on'
says "$model $n core$([ "$n" -eq 1 ] || echo s), 1 run each" \
    run barrier "${small[@]}" -P $((n > 8 ? n : 8)) --cores "$allowed" --delay logp --timeout 600
says "$model 1 core, 1 run each" run barrier "${small[@]}" --cores "$last-$last"
expect="--cores $last-$((last + 1)) $((last + 1)) available" bad run barrier "${small[@]}" --cores "$last-$((last + 1))"
expect="--cores $first,$first twice" bad run barrier "${small[@]}" --cores "$first,$first"

# a quota is said once, where it is less time than cores
quota() { QUOTA=$1 LD_PRELOAD=$feign logp "${@:2}" --cores "$first"; }
quota '50000 100000' run barrier "${small[@]}"
exits 0 'with a quota'
[ "$(<"$dir/all")" = "logp: a CPU quota allows 0.50 processors' worth of time, and 1 cores are used: expect stalls; use --cores with fewer" ] ||
    fail "quota: $(cat "$dir/all")"
quota '200000 200000' run barrier "${small[@]}"
[ ! -s "$dir/all" ] || fail "a quota that is enough: $(cat "$dir/all")"
quota '50000 100000' paper shou-chen --reps 1 --warmup 0 --format json
[ "$(grep -c '^logp: a CPU quota allows 0.50 ' "$dir/all")" -eq 1 ] || fail "a paper with a quota: $(cat "$dir/all")"

# placed "WANTED" WORDS...: what the machine is told: its kind, and the core of each rank
placed() {
    local wanted=$1
    shift
    feign placed "$@" -P 4 "${small[@]}"
    exits 0 "$*"
    [ "$(grep '^placed' "$dir/err" | tail -n 1)" = "placed $wanted" ] || fail "$*: not '$wanted': $(cat "$dir/err")"
}
placed 0 run broadcast
placed 0 run broadcast --place block
placed 1 run broadcast --place round-robin
placed '0: 0 0 0 0' run broadcast --algo all --place partners --cores "$first"
if [ "$n" -gt 1 ]; then
    echo '{"P": 4, "pairs": [{"from": 0, "to": 3, "messages": 1, "bytes": 6400},
        {"from": 2, "to": 1, "messages": 90, "bytes": 0}, {"from": 0, "to": 1, "messages": 1, "bytes": 8}]}' >"$dir/report.json"
    for command in run trace bench; do
        placed '0: 0 0 1 1' $command broadcast --algo chain --place partners --cores "$first,$last"
    done
    placed '0: 1 0 0 1' run barrier --place "$dir/report.json" --cores "$first,$last"
    LOGP_PLACE=partners placed '0: 0 0 1 1' run broadcast --algo chain --cores "$first,$last"
fi

# a signal when there is nothing left to stop, and between two runs; a processor that does not come home
feign signal run broadcast --clock virtual
exits 0 'a signal at the end'
[ ! -s "$dir/all" ] || fail "a signal at the end: $(cat "$dir/all")"
feign signal paper sun --clock virtual
exits 1 'a signal between two runs'
grep -qx 'The run was interrupted; not all is shown.' "$dir/out" && ! grep -q 'is gone' "$dir/err" ||
    fail "a signal between two runs: $(cat "$dir/all")"
feign away run broadcast --clock virtual
exits 1 'a processor that does not come home'
grep -q '^optimal  *240.000 .* yes$' "$dir/out" || fail "away: $(cat "$dir/out")"

# interrupt SIGNAL TEXT WORDS...: as soon as stderr has the text
interrupt() {
    local signal=$1 text=$2 pid
    shift 2
    : >"$dir/err"
    "$logp" "$@" --progress on >"$dir/out" 2>"$dir/err" &
    pid=$!
    for ((i = 0; i < 3000; i++)); do
        grep -q "$text" "$dir/err" && break
        kill -0 $pid 2>/dev/null || break # it refuses to begin
        sleep 0.02
    done
    kill -"$signal" $pid
    wait $pid
    code=$?
}
# what was measured so far
for signal in INT TERM; do
    interrupt $signal 'of 1000000' run broadcast -P 2 --executor fiber --unit 1us --timeout 600 --reps 1000000 --format json
    exits 1 "$signal"
    stderr_has 'interrupted after'
    holds '.[0].reps > 0 and .[0].reps < 1000000 and .[0].measured_ns.median > 0' "$dir/out" $signal
done
interrupt TERM 'of 1000000' paper shou-chen --executor fiber --timeout 600 --reps 1000000 --format json
exits 1 'an interrupted paper'
stderr_has 'interrupted after'
holds 'length > 10 and all(.[]; .row.rank != "all" or .measured == null)' "$dir/out" "an interrupted paper"
# the best schedule so far
interrupt INT schedules search barrier -P 64 --limit 60s
exits 0 'an interrupted search'
stderr_has 'interrupted: this is the best so far'
grep -q '^time: *480 us$' "$dir/out" || fail "an interrupted search: $(cat "$dir/out")"
# each question has a file of its own in a folder of schedules
n=0
for words in '--gap separate' '--gap shared' '--capacity' '--rendezvous 0' '--delay store-forward' '--topology ring'; do
    # shellcheck disable=SC2086
    logp search broadcast -P 4 $words --limit 10ms --schedules "$dir/questions$((++n))"
done
[ "$(find "$dir"/questions* -name 'broadcast-P4-*.json' -printf '%f\n' | sort -u | wc -l)" -eq 6 ] ||
    fail "questions: $(ls "$dir"/questions*)"

# a table that --timeout cuts says how many runs there were
logp run barrier -P 2 --executor fiber --unit 1us --reps 1000000 --timeout 300ms
exits 1 'cut by --timeout'
made=$(sed -n 's/.*not finished within --timeout; \([0-9]*\) runs were finished/\1/p' "$dir/err")
grep -q ", $made of 1000000 runs\$" "$dir/out" || fail "cut by --timeout after $made runs: $(cat "$dir/out")"

# little stack: more is taken where that is allowed, or it is said
prlimit --stack=65536: "$logp" run broadcast --clock virtual >"$dir/out" 2>"$dir/err" || fail "little stack: $(cat "$dir/err")"
prlimit --stack=65536 "$logp" run broadcast >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'ulimit -s' "$dir/err" || fail "no stack: $(cat "$dir/err")"

# where the name of a plug-in's file ends
mkdir "$dir/a:b"
jitter=$(dirname "$plugin")/libjitter.so
for copy in a:b/j.so a:b/j.so.1 plain; do
    cp "$jitter" "$dir/$copy"
    json '.[0].emulated_ns.median == 700000' run broadcast --algo chain --clock virtual --plugin "$dir/$copy:0"
done
json '.[0].predicted_ns == 742000' run broadcast --algo chain --clock virtual --plugin "$dir/a:b/j.so"
# an algorithm that does not come back: the command prints the results that it has, and does not wait
away=(broadcast -P 4 --plugin "$(dirname "$plugin")/libaway.so" --clock virtual --timeout 500ms)
for command in run bench; do
    logp $command "${away[@]}" --algo flat,away,binomial --format json
    exits 1 "$command: away"
    holds 'length == 2 and .[0].verified and .[0].algorithm == "flat" and (.[1].verified | not)' "$dir/out" "$command: away"
    grep -q '^logp:   rank 0 is outside the runtime and holds its core$' "$dir/err" || fail "$command: the rank that is away is not named"
done
logp trace "${away[@]}" --algo away
[ $code = 1 ] && [ "$(wc -l <"$dir/err")" = 2 ] || fail "trace: $code, $(cat "$dir/err")"
# this host against a machine, at its own speed; where it is busy points are doubtful
printf '%s\n' 'L = 6us' 'o = 2us' 'g = 4us' >"$dir/as"
logp validate broadcast barrier --machine "$dir/as" -P 2 --bytes 8 --reps 5 --disturbed-by 10s --format json
holds 'length == 2 and all(.[]; .measured_ns > 0 and (.algorithms | all(.verified)))' "$dir/out" "this host"
exits "$(jq 'if any(.[]; .doubtful) then 1 else 0 end' "$dir/out")" 'this host'
# the command that validate names where it has no parameters
logp measure --delay none --executor fiber --bytes 1..64 --reps 5 --format machine --output "$dir/host.machine"
[ $code -ne 2 ] || fail "measure, as named: $(cat "$dir/all")"

# a full disk, and a folder: a page and a file of points
ln -s /dev/full "$dir/full.html"
ln -s /dev/full "$dir/full.csv"
mkdir "$dir/folder.html" "$dir/folder.csv"
logp report "$dir/full.html" barrier --clock virtual
{ [ $code -eq 1 ] && [ ! -s "$dir/out" ]; } || fail "report to a full disk: exit code $code: $(cat "$dir/out")"
stderr_has "logp: $dir/full.html could not be written: "
logp bench broadcast -P 2,3 --clock virtual --output "$dir/full.csv"
exits 1 'bench to a full disk'
stderr_has 'full.csv could not be written: No space left'
logp trace broadcast --predicted --output /dev/full
exits 1 'trace to a full disk'
stderr_has 'could not be written'
expect="$dir/folder.html directory" bad report barrier --clock virtual --output "$dir/folder.html"
expect='--output folder.csv directory' bad bench broadcast --output "$dir/folder.csv"
finish
