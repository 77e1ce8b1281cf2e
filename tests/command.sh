#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command as a user types it: results, formats, and bad input. usage: command.sh LOGP PLUGIN
set -u
logp=$1
plugin=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# bad WORDS...: exit code 2, nothing on stdout, one line on stderr that holds every word of $expect
bad() {
    local out err code word
    out=$("$logp" "$@" 2>"$dir/err")
    code=$?
    err=$(cat "$dir/err")
    [ $code -eq 2 ] || fail "logp $*: exit code $code instead of 2"
    [ -z "$out" ] || fail "logp $*: output: $out"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "logp $*: not one line: $err"
    for word in $expect; do
        case $err in *"$word"*) ;; *) fail "logp $*: '$err' does not say $word" ;; esac
    done
}

# json FILTER WORDS...: the filter must hold for the output
json() {
    local filter=$1
    shift
    "$logp" "$@" --format json >"$dir/out" 2>"$dir/err" || fail "logp $*: exit code $?: $(cat "$dir/err")"
    jq -e "$filter" "$dir/out" >/dev/null || fail "logp $*: not ($filter): $(cat "$dir/out")"
}

# ---- what scripts rely on ----
json 'length == 6 and all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
      .measured_ns == null and .lag_ns == null and .emulated_ns.median == .predicted_ns and
      .messages == 7 and .restarts == 0 and .reps == 1)' \
    run broadcast --algo all --clock virtual
json '.[0] | (.collective == "broadcast" and .algorithm == "optimal" and .P == 8 and .root == 0 and
      .bytes == 8 and .count == null and .L_ns == 60000 and .o_send_ns == 20000 and
      .o_recv_ns == 20000 and .g_ns == 40000 and .G_ns_per_byte == 0 and .gamma_ns == 0 and
      .k == null and .clock == "virtual" and .executor == "thread" and .delay == "logp" and
      .topology == null and .predicted_ns == 240000)' run broadcast --clock virtual
json '.[0] | (.verified and .reps == 20 and .measured_ns.min >= .predicted_ns and
      .measured_ns.median >= .measured_ns.min and .lag_ns.max >= 0 and .ratio >= 1 and
      .emulated_ns.median >= .predicted_ns)' run broadcast --reps 20 --warmup 1
json '.[0] | (.verified and .predicted_ns == null and .prediction == "none" and .ratio == null and
      .lag_ns == null and .emulated_ns == null and .measured_ns.median > 0)' \
    run broadcast --delay none --reps 20
json '.[0] | (.predicted_ns == 240000 and has("measured_ns") == false)' predict broadcast
json '.[0].predicted_ns == 3960000' predict broadcast -P 1000000000000000000 --algo optimal
json '.[0] | (.G_ns_per_byte == 0.5 and .delay == "loggp" and .ratio == 1)' \
    run -P 5 --clock virtual broadcast -G 0.5ns --bytes 1000 --root 3
json '.[0] | (.predicted_ns == null and .emulated_ns.median == 240000 and .capacity == 2)' \
    run broadcast --capacity --clock virtual
json '.[0].P == 1 and .[0].predicted_ns == 0 and .[0].ratio == null' run broadcast -P 1 --clock virtual
json '.time == 24 and .P == 8 and .L == 6 and .o == 2 and .g == 4 and .tree == "broadcast" and
      .nodes[0] == {rank:0,time:24,parent:null,children:[1,4,6,7],label:0,operands:null} and
      [.nodes[].time] == [24,14,4,0,10,0,6,2] and .nodes[5].parent == 4 and .nodes[5].label == 24' \
    tree broadcast
json 'map(.name) | index("optimal") != null' list algorithms
json 'map(.name) == ["none","logp","loggp","store-forward"]' list delays
json 'map(.name) == ["ncube2","cm5","dash","jmachine","monsoon"]' list machines
json 'map(.name) | index("broadcast") != null' list collectives

json 'length == 6 and all(.[]; .verified and .ratio == 1 and .executor == "fiber")' \
    run broadcast --algo all --clock virtual --executor fiber
json '.[0] | (.verified and .ratio >= 1)' run broadcast --executor fiber -P 64 --reps 10
json '.[0] | (.verified and .ratio == 1 and .predicted_ns == 1500000 and .messages == 491520)' \
    run barrier --clock virtual --executor fiber -P 32768
json '.[0] | (.verified and .ratio == 1 and .messages == 240)' \
    run alltoall --clock virtual --executor fiber -P 16

# transposing: all algorithms, their window, unequal blocks, messages by column
json 'map([.algorithm, .predicted_ns, .window]) == [["ring",700000,null],["ring-eager",520000,null],
      ["ring-window",360000,3],["butterfly",300000,null]] and
      all(.[]; .verified and .ratio == 1 and .bytes == 512 and .count == null and .k == null)' \
    run transpose --algo all --clock virtual
json '.[0] | (.algorithm == "ring-window" and .window == 2 and .bytes == 260 and .ratio == 1 and
      .verified and .prediction == "exact")' \
    run transpose --algo ring-window --window 2 -P 7 --rows 13 --cols 5 --type float --pack 30ns \
    -G 0.5ns --clock virtual
json 'length == 3 and all(.[]; .verified and .ratio == 1 and .messages == 5 * 5 * 2)' \
    run transpose --algo ring,ring-eager,ring-window -P 6 --cols 10 --packing none --clock virtual
json 'length == 3' predict transpose --algo all -P 6
grep -q 'butterfly is left out: it needs a power of two' "$dir/err" || fail "butterfly on 6 is not left out"
json '.[0] | (.algorithm == "butterfly" and .predicted_ns == 6000000)' \
    predict transpose -P 1152921504606846976
# reductions: operands, what a combination costs, how many chains
json 'length == 11 and all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
      .count == 5 and .bytes == 20 and .gamma_ns == 1500 and .root == 3 and .messages == 10) and
      (map({(.algorithm): .k}) | add | .flat == null and .kchain == 4 and ."kchain-opt" == 5)' \
    run reduce --algo all --clock virtual -P 11 --gamma 0.15 --count 5 --type int32 --op max --root 3
json 'map(.predicted_ns) == [450000, 370000]' \
    predict reduce -P 11 --gamma 1 --k 4 --algo kchain,kchain-short-first
json '.[0] | (.k == 7 and .predicted_ns == 101 * 10000)' \
    predict reduce -P 48 --gamma 1 --k sqrt --algo kchain
json '.[0] | (.algorithm == "optimal" and .predicted_ns == 520000)' predict reduce --gamma 9
json 'length == 9' predict reduce --algo all -P 3 --k 5
grep -q 'kchain-short-first is left out: it needs a k of 1 .. P-1' "$dir/err" || fail "k: left out"
json '.[0] | (.verified and .ratio == 1 and .gamma_ns > 0)' \
    run reduce --clock virtual --gamma host --count 1000 --type float --op prod
json '.[0] | (.verified and .predicted_ns == null and .measured_ns.median > 0)' \
    run reduce --delay none --count 100000 --reps 10
# summation: --count operands in all, an addition takes a unit; the tree says who has how many
json 'length == 4 and all(.[]; .verified and .ratio == 1 and .prediction == "exact" and
      .collective == "summation" and .count == 82 and .bytes == 656 and .gamma_ns == 10000 and
      .root == 3 and .messages == 6) and
      (map(.algorithm) == ["flat","binomial","optimal-paper","optimal"]) and
      .[2].predicted_ns == 290000 and .[3].predicted_ns == 290000' \
    run summation -P 7 -L 5 --count 82 --root 3 --algo all --clock virtual
json '.[0] | (.verified and .count == 80 and .ratio == 1)' run summation --op max --clock virtual
json '.[0] | (.verified and .prediction == "bound" and .emulated_ns.median <= .predicted_ns)' \
    run summation --algo optimal --gamma 0.7 --clock virtual
json '.[0] | (.predicted_ns == 220000 and .algorithm == "optimal-paper")' \
    predict summation -P 7 -L 5 --count 40
json '.[0] | (.predicted_ns == 0)' predict summation -P 1000 --count 1
json '.[0] | (.count == 1099511627776)' predict summation -P 1000000000000000000
json '.tree == "summation" and .time == 29 and .algorithm == "optimal-paper" and .count == 82 and
      [.nodes[].operands.own] == [16,9,5,1,8,1,7] and all(.nodes[].operands; .shared == 5) and
      [.nodes[].time] == [24,14,4,0,10,0,6] and .nodes[0].children == [1,4,6] and
      .nodes[3].label == 5' tree summation -P 7 -L 5 --count 82
json '.time == 22 and (.nodes | length) == 7 and ([.nodes[].operands | .own + .shared] | add) == 40 and
      .nodes[6] == {rank:6,time:null,parent:null,children:[],label:null,operands:{own:0,shared:0}}' \
    tree summation -P 7 -L 5 --count 40 --algo optimal
"$logp" tree summation -P 7 -L 5 --count 82 | grep -q '^|  `- 3 (1 + 5) at 5, T 0' ||
    fail "summation as text"
"$logp" tree summation -P 1000 --count 40 --format svg | grep -q 'of 1000 processors: ' ||
    fail "summation as a picture"
"$logp" tree summation -P 9 --format csv | awk -F, 'NF != 7 { exit 1 } END { exit NR != 10 }' ||
    fail "summation as CSV"

# topologies
json 'map(.name) == ["line","ring","mesh","torus","hypercube","tree"]' list topologies
json '.[0] | (.topology == "line" and .algorithm == "binomial" and .ratio == 1 and .verified and
      .prediction == "exact" and .link_most == 4 and .link_wait_ns == 0 and
      .predicted_ns == 1060000 and .textbook_ns == 400000)' \
    run broadcast --clock virtual -P 16 --topology line
json '.[0] | (.prediction == "lower-bound" and .ratio > 1 and .verified and .link_most == 8 and
      .link_wait_ns > 0 and .textbook_ns == null)' \
    run broadcast --clock virtual -P 16 --topology line --algo binomial-nearest
json '.[0] | (.ratio == 1 and .textbook_ns == .predicted_ns and .topology == null and
      .link_most == null)' run broadcast --clock virtual --algo binomial
json '.[0] | (.verified and .topology == "torus:2x3" and .link_most > 0)' \
    run reduce -P 6 --topology torus:2x3 --reps 5 --executor fiber
json '.[0] | (.prediction == "exact" and .predicted_ns == 1360000)' \
    predict broadcast --topology tree -P 16 --algo binomial
json '.[0] | (.verified and .ratio == 1 and .predicted_ns == 430000 and .messages == 24)' \
    run matvec --clock virtual -P 16 --gamma 1
"$logp" run broadcast --topology mesh:2x4 --algo all --clock virtual 2>/dev/null >"$dir/out"
grep -q 'delay logp on mesh:2x4' "$dir/out" || fail "heading: $(cat "$dir/out")"
grep -q 'Of the 20 links' "$dir/out" || fail "links: $(cat "$dir/out")"

# papers: what they print, their formulas, our predictions, which the virtual clock confirms
for paper in shou-chen sun kurnosov grama liu; do
    json "length > 10 and all(.[]; .paper == \"$paper\" and .measured == null and
          (.prediction != \"exact\" or .emulated == null or .emulated == .predicted))" \
        paper $paper --clock virtual
done
json '[.[] | select(.figure == "Figure 1" and .row.rank == 7)] ==
      [{"paper":"shou-chen","figure":"Figure 1","title":"T*(8; 6,2,4): the effective times of its nodes",
        "row":{"rank":7,"parent":0,"children":"-"},"unit":"units","printed_unit":"units","printed":2,
        "paper_formula":2,"predicted":2,"emulated":2,"measured":null,"prediction":"exact",
        "remark":"the node (7, 2) that T*(7) does not have"}] and
      ([.[] | select(.title | startswith("T*(8")) | .emulated] == [24,14,4,0,10,0,6,2,24]) and
      ([.[] | select(.title | startswith("S*(7; 5,2,4), 82")) | .emulated] == [29,19,9,5,15,5,11,29]) and
      ([.[] | .printed | select(. != null)] == [2, 82, 7])' paper shou-chen --clock virtual
json '([.[] | select(.figure == "Formulas" and .row.P == 8) | [.row.algorithm, .paper_formula, .predicted]] ==
       [["ring",336,70],["ring-eager",null,52],["ring-window",null,36],["butterfly",36,30]]) and
      ([.[] | select(.printed != null) | .printed] | length == 24 and .[0] == 9.23 and .[23] == 14.15)' \
    paper sun --clock virtual
json '([.[] | select(.unit == "chains") | [.printed, .predicted]] ==
       [[10,11],[15,17],[18,20],[20,25],[7,12],[7,12],[7,8]]) and
      ([.[] | select(.figure == "Figure 4" and .row.P == 100 and .row.k == 10) | .paper_formula, .predicted] ==
       [50.7, 48]) and ([.[] | .figure] | unique | length == 10)' paper kurnosov --clock virtual
json '([.[] | select(.figure == "Figure 4.2") | .row.messages] ==
       ["0-4","0-2 4-6","0-1 2-3 4-5 6-7",""]) and
      ([.[] | select(.figure == "Figure 4.3") | .row.messages] ==
       ["1-0 3-2 5-4 7-6","2-0 6-4","4-0",""]) and
      ([.[] | select(.row.network == "hypercube" and .row.algorithm == "binomial") | .paper_formula, .emulated] |
       unique == [39])' paper grama --clock virtual
json '([.[] | select(.figure == "Examples" and .printed != null) | [.printed, .paper_formula]] ==
       [[2560,2560],[2240,2240],[12.5,12.5],[2240,2240],[1628,1628],[27.3,27.32143],[29,29.05816],[34,34.04851]]) and
      ([.[] | select(.figure == "Examples" and .row.m == 256) | .paper_formula, .emulated] == [1972,1972,22.96875,22.96875]) and
      ([.[] | select(.figure == "Condition" and .row.machine == "cm5") | .printed, .paper_formula, .emulated] == [0,0,0])' \
    paper liu --clock virtual
json '[.[] | select(.row.rank == "all") | .measured >= .emulated] == [true, true, true]' paper shou-chen --reps 2
"$logp" paper liu --clock virtual --format svg | grep -q '</svg>' || fail "paper as a picture"
"$logp" paper shou-chen --clock virtual | grep -q '^     7  0 .* 2  *2  *2  *2  the node (7, 2)' || fail "paper as text"
"$logp" paper liu --clock virtual --format csv | sed 's/"[^"]*"/x/g' | awk -F, 'NF != 13 { exit 1 }' ||
    fail "paper as CSV"

# a delay model from outside: 5 ns to everyone, whatever the parameters
json '.[0] | (.verified and .predicted_ns == null and .emulated_ns.median == 5 and .ratio == null)' \
    run broadcast --algo flat --clock virtual --plugin "$plugin"

# a torus, a machine as preset, blocks: what is given apart wins
json '.[0] | (.verified and .ratio == 1 and .prediction == "exact" and .machine == "dash" and
      .delay == "store-forward" and .L_ns == 60 and .o_send_ns == 450 and .o_recv_ns == 450 and
      .g_ns == 1200 and .G_ns_per_byte == 15 and .block == null and .predicted_ns == 76800)' \
    run broadcast --algo torus -P 256 --machine dash --bytes 128 --work 1024 --clock virtual --executor fiber
json 'length == 9 and all(.[]; .verified and .ratio == 1 and .prediction == "exact")' \
    run broadcast --algo all -P 16 --machine monsoon --bytes 1000 --work 500 --root 6 --clock virtual
json '.[0] | (.verified and .ratio == 1 and .block == 32 and .messages == 60 and .machine == null)' \
    run broadcast --algo torus-pipelined -P 16 --bytes 100 --block 32 --overlap off --clock virtual
json '.[0] | (.block > 0 and .block < 128)' \
    predict broadcast --algo torus-pipelined -P 256 --machine dash --bytes 128 --work 1024
json '.[0] | (.L_ns == 60 and .g_ns == 7000 and .delay == "loggp" and .machine == "dash")' \
    predict broadcast --machine dash -g 7 --unit 1us --delay loggp
json '.[0] | (.delay == "store-forward" and .machine == null and .predicted_ns == 100008)' \
    predict broadcast -P 2 -G 1ns --delay store-forward
LOGP_L=9us LOGP_UNIT=1ms "$logp" predict broadcast --machine dash -o 2 --format json |
    jq -e '.[0] | .L_ns == 60 and .o_send_ns == 60' >/dev/null || fail "--machine wins over the environment"
LOGP_MACHINE=dash LOGP_L=9us "$logp" predict broadcast --format json |
    jq -e '.[0] | .machine == "dash" and .L_ns == 9000 and .g_ns == 1200' >/dev/null || fail "LOGP_MACHINE"

# options that mean nothing to a collective, and operands that no host has
json '.[0] | (.verified and .ratio == 1)' run broadcast --op max --count 3 --root 1 --clock virtual
[ "$(cat "$dir/err")" = "$(printf 'logp: --%s means nothing to broadcast\n' count op)" ] ||
    fail "unused options: $(cat "$dir/err")"
json '.[0].verified' run barrier --root 1 --k 3 --clock virtual
[ "$(wc -l <"$dir/err")" -eq 2 ] || fail "unused options: $(cat "$dir/err")"
for words in 'transpose --rows 2147483648' 'reduce --count 1099511627776' \
    'summation --count 1099511627776 -P 1000000 --executor fiber' 'broadcast --bytes 1099511627776'; do
    timeout 20 "$logp" run $words --clock virtual >/dev/null 2>"$dir/err"
    [ $? -eq 1 ] || fail "run $words: exit code"
    grep -q 'Cannot allocate memory' "$dir/err" || fail "run $words: $(cat "$dir/err")"
done

# output that is lost is an error
"$logp" run broadcast --clock virtual >/dev/full 2>"$dir/err" && fail "lost output: exit code 0"
grep -q 'could not be written' "$dir/err" || fail "lost output: $(cat "$dir/err")"
# beyond the clock there is no prediction, and a run ends
json '.[0].predicted_ns == null' predict reduce -P 2 --gamma 1000s --count 100000000
"$logp" run broadcast --clock virtual --executor fiber -L 900000s --algo chain -P 100000 >"$dir/out" 2>"$dir/err" &&
    fail "beyond the clock: exit code 0"
grep -q 'deadlock' "$dir/err" && fail "beyond the clock: $(cat "$dir/err")"

# same seed, same bytes
"$logp" run broadcast -P 4 --algo all --clock virtual --format json >"$dir/a"
"$logp" run broadcast -P 4 --algo all --clock virtual --format json >"$dir/b"
cmp -s "$dir/a" "$dir/b" || fail "two virtual runs differ"

# CSV: a header, and as many cells in each row
"$logp" run broadcast -P 4 --algo all --clock virtual --format csv |
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 10 }' || fail "CSV is uneven"

# tables and help
"$logp" run broadcast -P 4 --algo all --reps 5 >"$dir/out" 2>"$dir/err" || fail "table: exit code"
[ "$(grep -c 'yes$' "$dir/out")" -eq 9 ] || fail "table: $(cat "$dir/out")"
[ ! -s "$dir/err" ] || fail "progress without a terminal: $(cat "$dir/err")"
"$logp" run broadcast --reps 5 --progress on 2>&1 >/dev/null | grep -q '5 of 5' || fail "progress on"
"$logp" --help | grep -q 'logp run broadcast --algo all' || fail "help has no first step"
"$logp" run --help | grep -q -- '--timeout' || fail "run --help"
"$logp" --version | grep -q '^logp [0-9]' || fail "version"
"$logp" tree broadcast | grep -q '^   `- 5 at 24, T 0\|^|  `- 5 at 24, T 0' || fail "tree as text"
"$logp" tree broadcast --format svg | grep -q '</svg>' || fail "tree as a picture"

# the environment sets defaults, the command line wins
LOGP_P=4 LOGP_UNIT=1us LOGP_g=8 "$logp" predict broadcast --algo flat --format json |
    jq -e '.[0] | .P == 4 and .g_ns == 8000 and .predicted_ns == 26000' >/dev/null || fail "environment"
LOGP_P=4 "$logp" predict broadcast -P 3 --format json | jq -e '.[0].P == 3' >/dev/null ||
    fail "the command line wins over the environment"

# Ctrl-C: what was measured so far, quickly
"$logp" run broadcast --reps 1000000 --format json >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
[ $? -eq 1 ] || fail "interrupted: exit code"
jq -e '.[0].reps > 0 and .[0].measured_ns.median > 0' "$dir/out" >/dev/null || fail "interrupted: $(cat "$dir/out")"
grep -q 'interrupted after' "$dir/err" || fail "interrupted: $(cat "$dir/err")"

# a run that does not end in time
"$logp" run broadcast --reps 1000000 --timeout 200ms >/dev/null 2>"$dir/err"
[ $? -eq 1 ] || fail "timeout: exit code"
grep -q -- '--timeout' "$dir/err" || fail "timeout: $(cat "$dir/err")"

# ---- bad input ----
expect='frobnicate' bad frobnicate
expect='collective broadcast' bad run
expect='broadcastX alltoall' bad run broadcastX
expect='reduceX broadcast' bad run reduceX
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
expect='--algo torus n' bad run broadcast --algo torus
expect='--machine cray ncube2 monsoon' bad run broadcast --machine cray
expect='--block 0' bad run broadcast --block 0
expect='--overlap maybe on off' bad run broadcast --overlap maybe
expect='--work -1' bad run broadcast --work -1
expect='--delay slow loggp store-forward' bad run broadcast --delay slow
expect='--gap wide separate shared' bad run broadcast --gap wide
expect='--capacity=3' bad run broadcast --capacity=3
expect='--reps 0' bad run broadcast --reps 0
expect='--cores 0,x' bad run broadcast --cores 0,x
expect='--cores' bad run broadcast --cores 4095
expect='--timeout 0' bad run broadcast --timeout 0
expect='--format xml json' bad run broadcast --format xml
expect='--format svg' bad run broadcast --format svg
expect='--plugin nothing.so' bad run broadcast --plugin nothing.so
expect='--algo butterfly power two' bad run transpose -P 6 --algo butterfly
expect='--window 0' bad run transpose --window 0
expect='--window wide' bad run transpose --window wide
expect='--packing loose structured none' bad run transpose --packing loose
expect='--pack -1' bad run transpose --pack -1
expect='--rows 0' bad run transpose --rows 0
expect='--cols x' bad run transpose --cols x
expect='--reps predict' bad predict broadcast --reps 5
expect='broadcast' bad tree
expect='oak broadcast' bad tree oak
expect='nonsense algorithms' bad list nonsense
expect='extra' bad run broadcast extra
expect='paper shou-chen sun kurnosov grama liu' bad paper
expect='knuth shou-chen sun kurnosov grama liu' bad paper knuth
expect='grama unexpected' bad paper liu grama
expect='-L paper' bad paper liu -L 5
expect='--unit 2 1s' bad paper liu --unit 2s
expect='--format svg kurnosov liu' bad paper sun --format svg
expect='--plugin' bad paper sun --plugin "$plugin"
expect='-P 1025' bad tree broadcast -P 1025
expect='--topology star line ring mesh torus hypercube tree' bad run broadcast --topology star
expect='--topology mesh:3x3 rows P = 8' bad run broadcast --topology mesh:3x3
expect='--topology mesh:3 sizes' bad run broadcast --topology mesh:3
expect='--topology hypercube power P = 6' bad predict broadcast -P 6 --topology hypercube
expect='--topology none' bad run broadcast --topology ring --delay none
expect='--plugin --topology' bad run broadcast --topology ring --plugin "$plugin"
expect='--topology neighbours' bad tree broadcast --topology ring
expect='matvec square' bad run matvec -P 8
expect='matvec square' bad run matvec -P 8 --algo all
expect='--rows 2147483649 2^31' bad run transpose --rows 2147483649
expect='-G 1001s 1000' bad predict broadcast -G 1001s
expect='kchain P-1' bad predict reduce --k 8 --algo kchain-short-first
expect='kchain needs P-1' bad run reduce -P 4 --k 4 --algo kchain
expect='--k 0 sqrt' bad run reduce --k 0
expect='--op times prod' bad run reduce --op times
expect='--type complex float' bad run reduce --type complex
expect='--count 0' bad run reduce --count 0
expect='--gamma fast suffix' bad run reduce --gamma fast
expect='--algo ring kchain-adaptive-sorted' bad run reduce --algo ring
expect='-P 2000 1024 json' bad tree summation -P 2000
expect='--algo flat optimal-paper' bad tree summation --algo flat
expect='--gap shared separate' bad tree summation --gap shared
expect='--count 0' bad run summation --count 0
expect='--op xor sum' bad run summation --op xor

[ $failed -eq 0 ] && echo "all good"
exit $failed
