#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# trace: what is drawn as text, and what others read of its pictures and of what Perfetto shows.
. "$(dirname "$0")/support.sh"
here=$(dirname "$0")/../trace

# text: as wide as is said, in the characters that the locale has
lines_of() { COLUMNS=$1 LC_ALL=$2 "$logp" trace broadcast --predicted >"$dir/out" 2>"$dir/all" || fail "text"; }
lines_of 60 C
grep -qx 'P0 [S>1]*.*' "$dir/out" || fail "no line of P0: $(cat "$dir/out")"
grep -q '[^ -~]' "$dir/out" && fail 'not ASCII'
[ "$(wc -L <"$dir/out")" -le 68 ] || fail 'wider than the terminal'
grep -q '^S send   R receive   . gap   - idle$' "$dir/out" || fail "no legend: $(cat "$dir/out")"
# where there is room each says with whom, wherever its cells begin
for ((width = 90; width < 130; width++)); do
    lines_of "$width" C
    [ "$(grep '^P' "$dir/out" | grep -oE 'S>[0-9]' | wc -l)" -eq 7 ] || fail "$width wide: sends of $(cat "$dir/out")"
    [ "$(grep '^P' "$dir/out" | grep -oE 'R<[0-9]' | wc -l)" -eq 7 ] || fail "$width wide: receives of $(cat "$dir/out")"
done
if locale -a 2>/dev/null | grep -qi '^C.utf-\?8$'; then
    lines_of 60 C.UTF-8
    grep -q '→1' "$dir/out" || fail "no arrow: $(cat "$dir/out")"
fi
# SVG, and for Perfetto: read back by others
same() { # WORDS...: deterministic; in $wrong the exit code
    logp trace "$@" --format json
    cp "$dir/out" "$dir/t.json"
    logp trace "$@" --format svg --output "$dir/t.svg"
    [ $code -eq "${wrong:-0}" ] || fail "svg $*: $(cat "$dir/all")"
    python3 "$here/svg.py" "$dir/t.svg" "$dir/t.json" || fail "svg of $*"
    for size in 320x240 1600x300 700x900; do
        logp trace "$@" --output "$dir/t.svg" --size $size --title 'One & <two>'
        python3 "$here/svg.py" "$dir/t.svg" "$dir/t.json" || fail "svg of $* --size $size"
        grep -q "^<svg [^>]* width=\"${size%x*}\" height=\"${size#*x}\"" "$dir/t.svg" || fail "$* --size $size"
        grep -q '>One &amp; &lt;two&gt;<' "$dir/t.svg" || fail "$*: no title"
    done
    command -v protoc >/dev/null || return
    logp trace "$@" --format perfetto --output "$dir/t.pftrace"
    [ $code -eq "${wrong:-0}" ] || fail "perfetto $*: $(cat "$dir/all")"
    python3 "$here/pftrace.py" "$dir/t.pftrace" "$dir/t.json" >"$dir/said" || fail "perfetto of $*"
}
same broadcast --predicted
same summation --predicted -P 7 -L 5 --count 82
same reduce --predicted --algo kchain-short-first -P 11 --k 4
same allreduce --clock virtual -P 64
same alltoall --clock virtual -P 33 --capacity -L 9 -g 2
same broadcast --clock virtual -P 3 -o 0 -g 7
same barrier --predicted -P 17 --o-recv 5 --unit 1ns
same broadcast --predicted -P 1
same broadcast --predicted -P 40 --algo chain-pipelined --bytes 300 --block 7 -G 0.01
# long messages: beside the processor, also while it computes, and where noise has the end of a send late
same allreduce --clock virtual -P 4 --algo ring-segmented --bytes 16k --gamma 20ns -L 5us -o 1us -g 2us -G 10ns --unit 1us
same transpose --clock virtual -P 4 --algo ring-window --pack 3 -G 0.5us
same broadcast --clock virtual -P 9 --algo flat --bytes 100 -o 0 -g 0 -G 1us --noise uniform:90us --seed 3
wrong=1 same broadcast --clock virtual -P 5 --bytes 100 -G 0.2us --fault drop:1@0-3
same broadcast --predicted --bytes 1 -G 1us
# The time in which the port streams is neither idle nor gap: 63 bytes of 100 ns are 6.3 of the 8.3 units between two
# sends, of which a cell has half a unit. The work of the processor is shown first.
long=(--bytes 64 -L 5us -o 1us -g 2us -G 100ns --unit 1us --clock virtual)
drawn() { # WIDTH LINE LEGEND WORDS...: the line of P0, up to its last send and what follows
    local width=$1 line=$2 legend=$3
    shift 3
    COLUMNS=$width LC_ALL=C logp trace "$@"
    grep -qxE "P0 $line" "$dir/out" && grep -qxF "$legend" "$dir/out" || fail "trace $*: $(cat "$dir/out")"
}
port='S send   R receive   . gap   - idle   : port streams (k-1)G'
drawn 64 'SS:{13}[.]{2}SS:{13}[.]S{3}:{12}' "$port" broadcast --algo flat -P 4 "${long[@]}" -L 4.7us -g 1.7us
drawn 64 '-{14}S:{8}-{14}SS:{7}' 'S send   R receive   - idle   : port streams (k-1)G' \
    broadcast --algo binomial -P 4 "${long[@]}" --rendezvous 8
drawn 64 'SS:{14}[.]{3}SS:{14}' "$port" broadcast --algo binomial -P 4 "${long[@]}" --delay loggops
drawn 64 'S+[.]+S+' 'S send   R receive   . gap   - idle' broadcast --algo binomial -P 4 "${long[@]}" --delay store-forward
COLUMNS=64 LC_ALL=C logp trace allreduce --algo ring -P 4 --bytes 1Mi -L 5us -o 1us -g 2us -G 1ns --clock virtual
[ "$(grep -cxE 'P[0-3] :{50,}' "$dir/out")" -eq 4 ] || fail "1 MiB: $(cat "$dir/out")"
# what boxes and arrows are made of, in each model
made_of() { # WORDS LEFT_OUT OPTIONS...
    local words=$1 out=$2
    shift 2
    logp trace broadcast --algo flat -P 4 --format svg "${long[@]}" "$@"
    while IFS= read -r word; do
        grep -qF ">$word</text>" "$dir/out" || fail "$*: no $word: $(cat "$dir/out")"
    done <<<"${words//; /$'\n'}"
    ! grep -qF "$out" "$dir/out" || fail "$*: $out: $(cat "$dir/out")"
}
made_of 'send (o); receive (o); gap (g + (k-1)G); port streams ((k-1)G); message ((k-1)G + L)' '(L)'
made_of 'receive (o + (k-1)G); gap (g + (k-1)G); port streams ((k-1)G); message (L)' 'receive (o)' --delay loggops
made_of 'receive (o); gap (g); message (kG + L)' 'port streams' --delay store-forward
made_of 'port streams ((k-1)G); message ((k-1)G + L a link)' '(L)' --topology ring
made_of 'receive (o); gap (g); message (L)' 'stream' --bytes 1
made_of 'receive (o); gap (g); message (L)' 'stream' -G 0
made_of 'receive (o); message (L)' 'stream' --plugin "$plugin"
# by the G of its link: to 1 the bytes take no time
made_of 'port streams ((k-1)G); message ((k-1)G + L)' 'port streams to 1' -G 0 --link 0-2..3:G=100ns
[ "$(grep -c '<title>port streams to [23], 64 bytes, ' "$dir/out")" -eq 2 ] || fail "links: $(cat "$dir/out")"
# what goes wrong is seen: lost, twice, changed, left over; who waits for ever, who has stopped and when
happens() { # FILTER WORDS...: of the JSON of a run that fails, or has the exit code $wrong
    local filter=$1
    shift
    wrong=${wrong:-1} same "$@" --clock virtual
    holds "$filter" "$dir/t.json" "logp trace $*"
}
fates='.events | map(select(.kind == "send" and (.fate != null or .received != 1)) | [.peer, .fate, .received])'
waits='.events | map(select(.fate == "endless") | [.rank, .kind, .peer, .tag, .start_ns / 10000, .end_ns / 10000])'
halts='.events | map(select(.kind == "halted") | [.rank, .start_ns / 10000, .end_ns / 10000])'
happens "($fates) == [[4,\"dropped\",0]] and ($waits) == [[4,\"idle\",0,0,0,24],[5,\"idle\",4,0,0,24]] and
         ($halts) == []" broadcast --fault drop:1@0-4
happens "($fates) == [[4,\"dropped\",0],[6,\"dropped\",0],[7,\"dropped\",0]]" broadcast --fault cut@0=4..7
happens "($fates) == [[4,null,0]] and ($halts) == [[4,5,24]] and ($waits | map(.[0])) == [5]" \
    broadcast --fault stop@4:5
happens "($fates) == [[7,\"flipped\",1]]" broadcast --fault flip:1@0-7
happens "($fates) == [[4,\"dropped\",0]] and ($waits | map(.[0])) == [range(8)] and ($waits)[0] == [0,\"idle\",4,0,2,8]" \
    broadcast --algo binomial --fault drop:1@0-4 --rendezvous 0
wrong=0 happens "($fates) == [[1,\"duplicated\",1]] and .messages == 3" broadcast --algo flat -P 4 --fault dup:1@0-1
happens "($waits) == [] and ($fates) == [[1,\"duplicated\",2],[1,\"duplicated\",1],[1,\"duplicated\",0]]" \
    allgather --algo ring -P 4 --fault dup:1@0-1
logp trace broadcast --clock virtual --fault drop:1@0-4 --format goal
stderr_has 'logp: --format goal: messages: 1 lost; P4, P5 wait for ever: goal cannot express this'
# where nothing has happened the diagram is one unit wide
COLUMNS=60 LC_ALL=C logp trace broadcast -P 2 --clock virtual --fault stop@0
grep -qE '^P1 _{50}' "$dir/out" && grep -qE '^ +0 +1 units$' "$dir/out" || fail "nothing: $(cat "$dir/out")"
COLUMNS=100 LC_ALL=C logp trace broadcast --clock virtual --fault drop:1@0-4,stop@7:2
{ grep -q '^P0 .*!4' "$dir/out" && grep -qx 'P4 _*' "$dir/out" && grep -qx 'P7 -*#*' "$dir/out" &&
    grep -q '   # halted   _ waits for ever   ! message lost   | message never received$' "$dir/out"; } ||
    fail "not drawn: $(cat "$dir/out")"

if command -v protoc >/dev/null; then
    logp trace allreduce -P 5 --format perfetto --output "$dir/t.pftrace"
    python3 "$here/pftrace.py" "$dir/t.pftrace" >"$dir/said" || fail 'perfetto of a wall-clock run'
    # a tenth of the JSON at most
    logp trace alltoall -P 64 --predicted --format json
    cp "$dir/out" "$dir/t.json"
    logp trace alltoall -P 64 --predicted --format perfetto --output "$dir/t.pftrace"
    [ $((10 * $(stat -c %s "$dir/t.pftrace"))) -lt "$(stat -c %s "$dir/t.json")" ] || fail 'not a tenth of the JSON'
fi

finish
