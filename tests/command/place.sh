#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --place: which ranks share a core, as the machine is told it and as records say it.
. "$(dirname "$0")/support.sh"

small=(--executor fiber --unit 1us --reps 1 --warmup 0)

# placed "WANTED" WORDS...: what the machine is told: its kind, and the core of each rank
placed() {
    local wanted=$1
    shift
    FEIGN=placed LD_PRELOAD=$feign logp "$@"
    [ $code -eq 0 ] || fail "logp $*: exit code $code: $(cat "$dir/all")"
    [ "$(grep '^placed' "$dir/err" | tail -n 1)" = "placed $wanted" ] ||
        fail "logp $*: not '$wanted': $(cat "$dir/err")"
}

placed 0 run broadcast -P 4 "${small[@]}"
placed 0 run broadcast -P 4 "${small[@]}" --place block
placed 1 run broadcast -P 4 "${small[@]}" --place round-robin
cat >"$dir/report.json" <<'EOF'
{"P": 4, "pairs": [{"from": 0, "to": 3, "messages": 1, "bytes": 6400},
                   {"from": 2, "to": 1, "messages": 90, "bytes": 0},
                   {"from": 0, "to": 1, "messages": 1, "bytes": 8}]}
EOF
if [ "$(nproc)" -gt 1 ]; then
    allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    two=${allowed%%[-,]*},${allowed##*[-,]}
    placed '0: 0 0 1 1' run broadcast --algo chain -P 4 "${small[@]}" --place partners --cores "$two"
    placed '0: 1 0 0 1' run barrier -P 4 "${small[@]}" --place "$dir/report.json" --cores "$two"
    placed '0: 0 0 1 1' trace broadcast --algo chain -P 4 "${small[@]}" --place partners --cores "$two"
    placed '0: 0 0 1 1' bench broadcast --algo chain -P 4 "${small[@]}" --place partners --cores "$two"
    LOGP_PLACE=partners placed '0: 0 0 1 1' run broadcast --algo chain -P 4 "${small[@]}" --cores "$two"
fi
placed '0: 0 0 0' run broadcast --algo all -P 3 "${small[@]}" --place partners --cores "$(sed -n \
    's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)"

# what is said of it
json '.[0] | (.place == "block" and .verified)' run broadcast -P 4 "${small[@]}"
json '.[0] | (.place == "round-robin" and .verified)' run broadcast -P 4 "${small[@]}" --place round-robin
json '.[0] | (.place == "partners" and .verified)' run alltoall -P 5 "${small[@]}" --place partners
json '.[0] | .place == null' run broadcast -P 4 --clock virtual
json '[.[].place] == ["block", "round-robin", "partners"]' \
    bench broadcast --algo chain -P 4 "${small[@]}" --place block,round-robin,partners
LOGP_PLACE=round-robin json '.[0] | .place == null' run broadcast -P 4 --clock virtual
logp run broadcast -P 4 "${small[@]}" --place round-robin
grep -q 'fiber executor on [0-9]* cores* (round-robin), 1 run each' "$dir/out" || fail "$(cat "$dir/out")"
logp run broadcast -P 4 "${small[@]}" --place "$dir/report.json"
grep -q "(partners by $dir/report.json)" "$dir/out" || fail "$(cat "$dir/out")"
logp run broadcast -P 4 "${small[@]}"
grep -q 'fiber executor on [0-9]* cores*, 1 run each' "$dir/out" || fail "$(cat "$dir/out")"
logp run broadcast -P 4 "${small[@]}" --place round-robin --format csv
head -n 1 "$dir/out" | grep -q ',place,' || fail "no column: $(cat "$dir/out")"

# what is refused
expect='--place cyclic block round-robin partners' bad run broadcast --place cyclic
expect="LOGP_PLACE 'x' block" LOGP_PLACE=x bad run broadcast
expect='--place not used --clock virtual' bad run broadcast --place partners --clock virtual
expect='not an option of logp predict' bad predict broadcast --place partners
expect='--place partners measure has no schedule' bad measure --place partners
expect='--place partners shared has no schedule' bad run broadcast --delay none --algo shared --place partners
expect='--place partners 16384' bad run broadcast --algo chain -P 16385 --executor fiber --place partners
expect='--place none.json No such file' bad run barrier --place none.json
echo '{"P": 4' >"$dir/bad.json"
expect='--place bad.json line' bad run barrier -P 4 --place "$dir/bad.json"
echo '{"P": 4, "pairs": [{"from": 0, "to": 4, "messages": 1, "bytes": 8}]}' >"$dir/bad.json"
expect='--place bad.json "to"' bad run barrier -P 4 --place "$dir/bad.json"
expect='--place report.json 5 ranks has 4' bad run barrier -P 5 --place "$dir/report.json"

check_held
exit $failed
