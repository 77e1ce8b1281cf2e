#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bad input: one line that says what, exit code 2. That of a topic is with the topic.
. "$(dirname "$0")/support.sh"

expect='frobnicate' bad frobnicate
expect='collective broadcast' bad run
stderr_is "logp: run: which collective? one of: $("$logp" list collectives --format json | jq -r 'map(.name) | join(", ")')"
expect='broadcastX alltoall' bad run broadcastX
expect='--no-such' bad run broadcast --no-such
expect='-Z' bad run broadcast -Z 3
expect='-P' bad run broadcast -P
expect='-P zero' bad run broadcast -P zero
expect='-P 0' bad run broadcast -P 0
expect='-P -3' bad run broadcast -P -3
expect='-P 99999999999999999999' bad predict broadcast -P 99999999999999999999
expect='-P 100000000 16777216' bad run broadcast -P 100000000
expect='-L -1' bad run broadcast -L -1
expect='-L 1.00001 whole' bad run broadcast -L 1.00001
expect='-o 2parsec suffix' bad run broadcast -o 2parsec
expect='-g inf' bad run broadcast -g inf
expect='--unit 10 suffix' bad run broadcast --unit 10
expect='--unit 0us' bad run broadcast --unit 0us
expect='--algo bogus optimal' bad run broadcast --algo flat,bogus
expect='--root 8 0 7' bad run broadcast --root 8
expect='--bytes -1' bad run broadcast --bytes -1
expect='--clock sundial wall virtual' bad run broadcast --clock sundial
expect='--executor magic thread fiber' bad run broadcast --executor magic
expect='--capacity=3' bad run broadcast --capacity=3
expect='--reps 0' bad run broadcast --reps 0
expect='--cores 0,x' bad run broadcast --cores 0,x
for list in 0, ,0 0,,1 ' 0' +0 -1 0-x 1-0 4294967296 99999999999999999999 0-99999999; do
    expect="--cores $list list" bad run broadcast --cores "$list"
done
expect='--cores 0,0 once' bad run broadcast --cores 0,0
expect='--queue-limit 0' bad run broadcast --queue-limit 0
expect='--queue-limit x bytes' bad run broadcast --queue-limit x
# what is too large is told the most that is allowed
expect='--queue-limit 1e30: bytes, 1 .. 2^63-1' bad run broadcast --queue-limit 1e30
expect='--seed 99999999999999999999: 0 .. 2^63-1' bad run broadcast --seed 99999999999999999999
expect='--timeout 9300000s: 106 days,' bad run broadcast --timeout 9300000s
expect='--limit 9300000s: 106 days,' bad bench broadcast --limit 9300000s
expect='--timeout 0' bad run broadcast --timeout 0
expect='--format xml json' bad run broadcast --format xml
expect='--format svg' bad run broadcast --format svg
expect='--plugin nothing.so' bad run broadcast --plugin nothing.so
expect='extra' bad run broadcast extra
expect='-G 1001s 1000' bad predict broadcast -G 1001s
expect="-P '' value" bad run broadcast -P ''
expect='-P 9223372036854775808.5' bad run broadcast -P 9223372036854775808.5
expect='-L 99999999999999999999 time' bad run broadcast -L 99999999999999999999
expect='-L 0.00000000000000000001 time' bad run broadcast -L 0.00000000000000000001
expect='-L . time' bad run broadcast -L .
expect='-L 1.2.3 time' bad run broadcast -L 1.2.3
expect='--algo , name' bad run broadcast --algo ,
expect='--algo flat,auto auto combined' bad run broadcast --algo flat,auto
expect='--algo all,flat all combined' bad run broadcast --algo all,flat
expect='--algo 64' bad run broadcast --algo "$(printf 'flat,%.0s' {1..65})"
expect='nine words' bad run broadcast 3 4 5 6 7 8 nine
expect='--plugin logp_plugin' bad run broadcast --plugin "$feign"
expect='--plugin five-ns refuses supported' bad run broadcast --plugin "$plugin" --gap shared
expect='--gamma host memory' bad run reduce --gamma host --count 1099511627776
expect='--progress loud auto' bad run broadcast --progress loud
expect='--warmup -1' bad run broadcast --warmup -1
expect='--seed x' bad run broadcast --seed x
expect='--help value' bad run broadcast --help=yes

# numbers that are none
for n in 4q 4kB 4B 4KiB k 1.5 1e 1e-3 2^ ^2 2^-1 2^+3 '2^ 3' 2^3^2 2^3k +5 ' 5' 0x10 1e19 2^62 2^9999999999 8Ti8 3T4 .; do
    expect="-P $n processors" bad predict broadcast -P "$n"
done
for n in 4q 4Kb 4KBi 0.3k 1e13 2T; do
    expect="--bytes $n bytes" bad predict broadcast --bytes "$n"
done
expect='-L 1e19 time' bad predict broadcast -L 1e19

# what may have been meant: a few letters off, a beginning, or called so elsewhere
meant() {
    local name=$1
    shift
    bad "$@"
    case $(<"$dir/err") in
    *"did you mean $name? "*) [ -n "$name" ] ;;
    *'did you mean'*) false ;;
    *) [ -z "$name" ] ;;
    esac || fail "logp $*: not '$name': $(cat "$dir/err")"
}
expect=no
meant broadcast run brodcast
meant broadcast run broadacst
meant broadcast run BROADCAST
meant broadcast predict bcast
meant broadcast predict MPI_Bcast
meant transpose predict trans
meant summation predict sum
meant '' predict xyz
meant predict pridict
meant tree tre
meant 'run barrier' barrier
meant 'run broadcast' brodcast
meant '' frobnicate
meant --executor run broadcast --exceutor fiber
meant --executor run broadcast --exceutor=fiber
meant -P run broadcast -p 8
meant -P run broadcast --P 8
meant --k run reduce -k 8
meant '' run broadcast -Z 3
expect=one
meant binomial run broadcast --algo flat,binominal
meant '' run broadcast --algo bogus
meant fiber run broadcast --executor fibre
meant fiber run broadcast --executor coroutine
meant torus run broadcast --topology tours:2x4
meant hypercube run broadcast --topology cube
meant store-forward predict broadcast --delay store_forward
meant dash predict broadcast --machine dahs
meant max predict reduce --op maximum
meant int32 predict reduce --type int3
meant virtual run broadcast --clock vitrual
meant json predict broadcast --format jsn
meant shared predict broadcast --gap share
meant algorithms list algoritms
meant kurnosov paper kurnosof
meant summation tree sumation
expect='frob command' meant '' help frob
finish
