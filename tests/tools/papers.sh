#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# logp paper: what is printed is what the papers print, their formulas are worked out here a second
# time, predictions hold on the virtual clock, what is measured is shown, and what does not agree is
# said. usage: papers.sh LOGP CANNED, the latter to be preloaded (canned_paper.c).
set -u
logp=$1
canned=$2
papers='shou-chen sun kurnosov grama liu'
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset "${!LOGP_@}"

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# holds PAPER FILTER: for its JSON on the virtual clock; $definitions may be used
definitions='
    def near($b): (. - $b | fabs) <= 1e-6 * (1 + ($b | fabs));
    def rows($figure): map(select(.figure == $figure));
    def titled($title): map(select(.title | startswith($title)));
    def floor_div($b): . / $b | floor;
    def ceil_div($b): . / $b | ceil;
    def each(f): length > 0 and all(.[]; f);
'
holds() {
    jq -e "$definitions $2" "$dir/$1.json" >/dev/null || fail "paper $1: not ($2)"
}

for paper in $papers; do
    "$logp" paper $paper --clock virtual --format json >"$dir/$paper.json" 2>"$dir/err" ||
        fail "paper $paper: exit code $?"
    [ ! -s "$dir/err" ] || fail "paper $paper: $(cat "$dir/err")"
    grep -q '": ' "$dir/$paper.json" && fail "paper $paper: blanks in JSON"
    # exact is exact, a bound is one, and nothing is measured on the virtual clock
    holds $paper 'all(.[]; .measured == null and
        (.predicted == null or .emulated == null or
         if .prediction == "exact" then .predicted == .emulated
         elif .prediction == "bound" then .emulated <= .predicted
         else .prediction == "lower-bound" and .emulated >= .predicted end))'
done
# how many rows these are: none is lost
for count in shou-chen:90 sun:121 kurnosov:200 grama:30 liu:100; do
    holds ${count%:*} "map(select(.predicted != null and .emulated != null)) | length >= ${count#*:}"
done

# ---- what is printed ----
holds shou-chen 'map(select(.printed != null) | [.figure, (.row | .rank // .what), .printed]) ==
    [["Figure 1", 7, 2], ["Figure 2", "operands", 82], ["Figure 2", "processors", 7]]'
holds sun 'map(select(.printed != null) | .printed_unit) | unique == ["s"]'
holds sun 'map(select(.printed != null) | [.row.matrix, .row.P, .row.algorithm, .printed]) ==
    ([["2^10", [[9.23, 8.92], [11.32, 9.32], [12.56, 10.89], [14.44, 11.12]]],
      ["2^11", [[11.56, 10.94], [12.57, 10.65], [13.69, 12.15], [15.78, 12.89]]],
      ["2^12", [[13.05, 11.33], [14.48, 12.07], [15.71, 13.97], [16.53, 14.15]]]] |
     [.[] as [$matrix, $cells] | range(4) as $i |
      ["ring", $cells[$i][0]], ["butterfly", $cells[$i][1]] | [$matrix, [2, 4, 8, 16][$i], .[0], .[1]]])'
holds kurnosov 'map(select(.printed != null) | [.figure, (.row | .P // .m), .printed]) ==
    [["Figure 4", 100, 10], ["Figure 4", 200, 15], ["Figure 4", 300, 18], ["Figure 4", 400, 20],
     ["Figure 5", 1, 7], ["Figure 5", "2^10", 7], ["Figure 5", "2^20", 7]]'
holds grama 'all(.[]; .printed == null)'
holds liu 'rows("Table 1") | (map(.row.machine) | unique | length == 5) and all(.[]; .printed == .predicted)
    and map(.printed) == [25,1,6400,6400,40, 25,4,3600,3600,8, 30,16,30,40,2, 31,8,16,40,2, 20,16,10,10,2]'
# (8); (9), case 2; the examples with M = C = 1024 and (7), with M = C = 2048, and the conclusion
holds liu 'map(select(.printed != null and .figure != "Table 1") |
        [.figure, .row.machine, .row.M, .row.m, .row.what, .printed]) ==
    [["Condition", "cm5", null, null, null, 0], ["Condition", "dash", null, null, null, 1],
     ["Condition", "monsoon", null, null, null, 1],
     ["Block sizes", "dash", 1024, null, null, 248], ["Block sizes", "monsoon", 1024, null, null, 144],
     ["Examples", "dash", 1024, "-", "in one piece", 2560],
     ["Examples", "dash", 1024, 248, "in blocks", 2240], ["Examples", "dash", 1024, 248, "(7), less", 320],
     ["Examples", "dash", 1024, 248, "gain, %", 12.5],
     ["Examples", "monsoon", 1024, "-", "in one piece", 2240],
     ["Examples", "monsoon", 1024, 144, "in blocks", 1628], ["Examples", "monsoon", 1024, 144, "(7), less", 612],
     ["Examples", "monsoon", 1024, 144, "gain, %", 27.3],
     ["Examples", "dash", 2048, 351, "gain, %", 29], ["Examples", "monsoon", 2048, 203, "gain, %", 34],
     ["Examples", "jmachine", 2048, 182, "gain, %", 30], ["Examples", "dash", 1024, 248, "with (1024/28)", 2240]]'
# a number that is derived here is not the paper's, and the tables with such numbers are these
for paper in $papers; do
    jq -r --arg p $paper 'map(select(.derived != null) | "\($p): \(.title)") | unique | .[]' "$dir/$paper.json"
done >"$dir/derived"
diff "$dir/derived" - <<'END' || fail "what is derived here"
grama: other P than 2^x, log2 p rounded up
grama: p - 1 sends of the source against recursive doubling
liu: (9), case 1: the advice where the gap decides
liu: a message of M bits in one piece, n = 16, C = 0
END

# ---- the formulas as they are printed, place by place ----
# place PAPER PLACE ROWS VALUES: the place in the paper, the rows there, and the values of its formula
place() {
    jq -e "$definitions ($3) | map(.paper_formula) as \$got | ($4) as \$want | (\$got | length) == (\$want | length) and
        all(range(\$want | length); . as \$i | \$got[\$i] | near(\$want[\$i]))" "$dir/$1.json" >/dev/null ||
        fail "paper $1, $2: $(jq -c "$definitions ($3) | map(.paper_formula)" "$dir/$1.json") in place of $4"
}
place shou-chen 'figure 1 by theorem 3, T*(8) and T*(7), with their times' 'rows("Figure 1")' \
    '[24, 14, 4, 0, 10, 0, 6, 2, 24, 24, 14, 4, 0, 10, 0, 6, 24]'
place shou-chen 'lemma 1 and theorem 5, N_S for P = 1..8, 16' 'rows("Lemma 1, theorem 5") + rows("Theorem 5")' \
    '[1, 9, 15, 25, 31, 39, 47, 47, 109] | . + .'
place shou-chen 'theorem 6, N = 47 48 53 54 55 61 68 82 84 100 200' 'rows("Theorem 6")' \
    '[24, 24.142857142857, 24.857142857143, 25, 25.142857142857, 26, 27, 29, 29.285714285714, 31.571428571429, 45.857142857143]'
place shou-chen 'ComputeParent, P = 7 8 20 100, roots 0 and 3' 'rows("ComputeParent")' '[7, 7, 8, 8, 20, 20, 100, 100]'
place sun 'lemmas 1-3, theorems 1-3' 'rows("Lemmas 1-3, theorems 1-3")' '[400, 108, 292, 336, 36, 36]'
place kurnosov 'figures 2 and 3, 4o+2L+2c; long first, k = 4' 'rows("Figures 2, 3") | map(select(.paper_formula))' '[22, 22, 44]'
place kurnosov 'figure 6, short first, k = 4; 3o+2L+c' 'rows("Figure 6") | map(select(.paper_formula))' '[31, 19]'
place kurnosov 'section 6, long first, k = 1..10' 'titled("long or short chains first, P = 11") | map(select(.row.first == "long"))' \
    '[120, 69, 51, 44, 48, 41, 45, 49, 53, 57]'
place kurnosov 'section 6, short first, k = 1..10' 'titled("long or short chains first, P = 11") | map(select(.row.first == "short"))' \
    '[111, 56, 38, 31, 32, 28, 29, 33, 37, 41]'
place kurnosov 'section 6, in general, example, closed form, long first; c = 1, 3' 'titled("its four forms")' \
    '[31, 36, 36, 42, 38, 41, 44, 54]'
place kurnosov 'section 7, d, h, z of ranks 1 and 10' 'rows("Section 7")' '[4, 7, 6, 4, 7, 6]'
place kurnosov 'figure 8, 2o+L+c + 3 max(o+c,g); any P: 11, 13' 'rows("Figure 8") | map(select(.paper_formula))' '[23, 27, 28.697715603592]'
place kurnosov 'figure 5, k* = sqrt(a(P-1)/b) for m = 1, 2^10, 2^20' 'rows("Figure 5") | map(select(.unit == "chains"))' \
    '[[10.12, 2.05], [14.15, 3.6], [143.11, 53.2]] | map(47 * .[0] / .[1] | sqrt)'
place kurnosov 'inequalities (2) and (3)' 'rows("Inequalities (2), (3)")' '[1.5, 3.6666666666667, 2, 2]'
place liu '(8), ncube2 cm5 dash jmachine monsoon' 'rows("Condition")' '[1, 0, 1, 1, 1]'
place liu '(2), (3), and the longer: dash, monsoon, jmachine with 1024 bits, dash, jmachine with 16' 'titled("a message of M bits")' \
    '[1536, 1480, 1536, 1216, 1150, 1216, 2336, 2230, 2336, 528, 535, 535, 320, 340, 340]'
place liu '(5), dash monsoon jmachine' 'titled("in blocks of m bits by (5)")' '[2272, 1592, 2688]'
place liu '(6) with (1024/28); (7)' 'rows("Examples") | map(select(.row.what | test("1024/28|\\(7\\)")))' \
    '[320, 588, 612, 1339, 1460, 3244, 12096]'
place liu 'gains by (6): 12.5, 27.3, 29, 34 %, and those of DASH with m = 256 and the J-machine' \
    'rows("Examples") | map(select(.row.what == "gain, %"))' \
    '[320 / 2560, 588 / 2560, 612 / 2240, 1339 / 4608, 1460 / 4288, 3244 / 6432] | map(100 * .)'
place liu '(9), case 1, without its M' 'titled("(9), case 1")' '[13, 9, 7, 5, 9, 8, 13, 9, 7, 5, 9, 8]'
place liu '(9), case 2' 'titled("the block that is advised")' '[248, 144, 128, 351, 203, 182]'

# ---- Shou and Chen ----
f='def f($d; $g): if . < $d then 1 elif . < $g then 1 + floor_div($d) else (. - $g | f($d; $g)) + (. - $d | f($d; $g)) end;
   def model: .row."L,o,g" | split(",") | map(tonumber) | {d: (.[0] + 2 * .[1]), o: .[1], g: .[2], e: ([.[1], .[2]] | max)};'
holds shou-chen "$f titled(\"f_n\") | length == 25 and
    all(.[]; model as \$m | .paper_formula == (.row.n | f(\$m.d; \$m.g)) and
             .predicted == (.row.n | f(\$m.d; \$m.e)) and .emulated == .predicted)"
holds shou-chen "$f titled(\"the time of the optimal\") |
    map(.predicted) == [0,10,14,18,20,22,24,24,26,32,50,9,37,13] and
    all(.[]; model as \$m | .row.P as \$P | .paper_formula |
             f(\$m.d; \$m.g) >= \$P and (. == 0 or (. - 1 | f(\$m.d; \$m.g)) < \$P))"
holds shou-chen 'titled("N_S for") | each(.paper_formula == .predicted) and
    map([.row.P, .row.time, .emulated]) == [[1,0,1],[2,10,9],[3,14,15],[4,18,25],[5,20,31],[6,22,39],[7,24,47],
                                           [8,24,47],[16,32,109]]'
holds shou-chen 'titled("more operands") | each(.row.N as $N | .row.N_S == 47 and (.paper_formula | near(24 + ($N - 47) / 7)) and
    .predicted == 24 + (.row.N - 47 | ceil_div(7)) and .emulated == .predicted)'
# the most: T + 1 and, for the labels x of the others, T - x - o
holds shou-chen 'titled("the most that") | map(select(.row.P == 7)) |
    each(.paper_formula == 47 and .emulated == 24 + 1 + ([10,14,18,20,22,24] | map([24 - . - 2, 0] | max) | add))'

# theorem 4: min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P
holds shou-chen "$f rows(\"Theorem 4\") | length == 24 and each(model as \$m | (.row.P | log2) as \$lg |
    if .row.side == \"least\" then (.paper_formula | near(([\$m.g, \$m.d] | min) * \$lg)) and .paper_formula <= .emulated
    else (.paper_formula | near(([\$m.g, \$m.d] | max) * (\$lg + 2))) and .paper_formula > .emulated end)"

# ---- Sun, Zhang and Song ----
holds sun 'rows("Formulas") | map(select(.row.algorithm == "ring")) |
    each(.row.P as $n | .paper_formula == $n * ($n - 1) * (4 + 6 - 4) and .predicted == ($n - 2) * 10 + 10)'
holds sun 'rows("Formulas") | map(select(.row.algorithm == "butterfly")) |
    each(.row.P as $n | .paper_formula == 2 * ($n | log2) * (4 + 6 - 4) and .predicted == ($n | log2) * 10)'
holds sun 'rows("Hypercube") | map(select(.row.sigma == "P/2")) | length == 4 and
    each(.paper_formula == 24 * (.row.P | log2) and .emulated == null)'
holds sun 'rows("Hypercube") | map(select(.row.sigma == "P")) | length == 14 and
    each(.row."messages of a stage" as $w | (.row.P | log2) as $lg |
    .paper_formula == 12 * $lg and .emulated == if $w == 1 then 10 * $lg else
        $lg * (($w - 1) * 4 + ([6, ($w - 1) * 4] | max) + 4) end)'
holds sun 'rows("t_s, t_ns") | length == 36 and each(.row as {$packing, $s, $t, $pack} |
    def st($words): 0.01 * (8 * $words - 1);
    .emulated | near(if $packing == "none" then ($s - 1) * (4 + st($t)) + 10 + st($t)
                     else $s * $pack + 10 + st($s * $t) end))'
# section 3: t_ns = (m/n)[max(2o,g) + L - g], t_s = (m/n) 2o + max(2o,g) + L - g, where to pack takes 2o
holds sun 'rows("t_s, t_ns") | map(select(.paper_formula != null)) | length == 18 and each(.row as {$packing, $s, $pack} |
    if $packing == "none" then .paper_formula == $s * (4 + 6 - 4)
    else $pack == 4 and .paper_formula == $s * 4 + 4 + 6 - 4 end)'
holds sun 'rows("Section 3") | length == 10 and each(.row as {$packing, "m/n": $s} |
    if $packing == "none" then .paper_formula == $s * 100 and .emulated == ($s - 1) * 2 + 102
    else .paper_formula == $s * 2 + 100 and .emulated == $s * 2 + 102 end)'
holds sun 'rows("Section 3") | map(select(.row."m/n" == 4) | .emulated) == [108, 110]'
# on a hypercube which is faster is as printed in all nine cells with P >= 4; for two it is the same
holds sun 'titled("ring and butterfly on a hypercube") | length == 24 and
    (map(select(.row.P > 2)) | group_by([.row.matrix, .row.P]) | length == 9 and
     all(.[]; map({(.row.algorithm): .}) | add |
              .butterfly.printed < .ring.printed and .butterfly.emulated < .ring.emulated)) and
    (map(select(.row.P == 2)) | group_by(.row.matrix) | all(.[]; .[0].emulated == .[1].emulated))'
"$logp" run transpose --topology hypercube -P 8 --rows 64 --cols 64 --type double -G 0.01 --algo ring,butterfly \
    --clock virtual --executor fiber --format json | jq 'map(.emulated_ns.median / 10000)' >"$dir/cell"
holds sun "titled(\"ring and butterfly on a hypercube\") | map(select(.row.ours == 64 and .row.P == 8) | .emulated) ==
    $(cat "$dir/cell")"

# ---- Kurnosov: a = 2o + L + c, b = o + c; a message of m doubles streams 8m - 1 bytes ----
costs='def costs: if . == "small" then {o: 1, L: 0, g: 2, c: 1} elif . == "plain" then {o: 2, L: 6, g: 4, c: 1}
             else {o: 2, L: (6 + 0.01 * (8 * . - 1)), g: (4 + 0.01 * (8 * . - 1)), c: (0.05 * .)} end |
             .a = 2 * .o + .L + .c | .b = .o + .c | .B = ([.b, .g] | max);
       def long_first($P; $k): ($P - 1 | floor_div($k)) * .a + ($k - 2) * .B + 3 * .o + .L + 2 * .c;
       def ours($P; $k): ($P - 1 | ceil_div($k)) * .a + ($k - 1) * .B;
       def short_first($P; $k): ($P - 1 | floor_div($k)) as $q | (($P - 1) % $k) as $v |
           if $v == 0 then $q * .a + ($k - 1) * .B
           else $q * .a + ([($k - $v) * .B, .a] | max) + ($v - 1) * .B end;
       def printed_short($P; $k): ($P - 1 | floor_div($k)) as $u | (($P - 1) % $k) as $v |
           ($u - 1) * .a + ([($k - $v) * .B, .a] | max) + ($v - 1) * .B + 2 * .o + .c;
       def adaptive($P): .a + ((8 * ($P - 1) + 1 | sqrt) - 1) / 2 * .B;
       def best($P): 2 * (.a * .b * ($P - 1) | sqrt) + .a - .b;'
holds kurnosov "$costs (\"small\" | costs) as \$c | rows(\"Figure 9\") |
    (map(select(.row.algorithm == \"k = 4\")) |
        map(.paper_formula) == [12, 18, 30, 54, 81, 102, 156, 198, 231, 306] and
        each(.row.P as \$P | .emulated == (\$c | ours(\$P; 4)))) and
    (map(select(.row.algorithm == \"adaptive\")) |
        each(.row.P as \$P | .paper_formula | near(2 * (2 * (\$P - 1) + 0.25 | sqrt) - 1 + 3))) and
    (map(select(.row.algorithm == \"binomial\")) | each(.row.P as \$P | .paper_formula | near(3 * (\$P | log2) + 2))) and
    (map(select(.row.algorithm == \"optimal k\")) | each(.row.P as \$P | .paper_formula | near(\$c | best(\$P))))"
holds kurnosov "$costs (\"small\" | costs) as \$c | titled(\"time over the number of chains, a = 3\") | length > 50 and
    each(.row as {\$P, \$k} | .emulated == (\$c | ours(\$P; \$k)) and
         .paper_formula == ((\$P - 1 | floor_div(\$k)) + 1) * 3 + (\$k - 1) * 2)"
holds kurnosov 'titled("the best k for") | length == 4 and
    each(.row.P as $P | .paper_formula | near(3 * ($P - 1) / 2 | sqrt))'
holds kurnosov "$costs titled(\"time over the number of chains, P = 48\") | length > 40 and
    each(.row.k as \$k | (.row.\"of ours\" | costs) as \$c | .paper_formula | near(\$c | long_first(48; \$k)))"
holds kurnosov "$costs rows(\"Figure 7\") | (1024 | costs) as \$c | each(.row.k as \$k |
    if .row.first == \"long\" then (.paper_formula | near(\$c | long_first(48; \$k))) and (.emulated | near(\$c | ours(48; \$k)))
    else (.paper_formula | near(\$c | printed_short(48; \$k))) and (.emulated | near(\$c | short_first(48; \$k))) end)"
holds kurnosov "$costs rows(\"Figures 10, 11\") | (1024 | costs) as \$c | length == 16 and each(.row as {\$P, \$algorithm} |
    .paper_formula | near(\$c | if \$algorithm == \"adaptive\" then adaptive(\$P) else best(\$P) end))"
holds kurnosov "$costs titled(\"long or short chains first, P = 11\") | (\"plain\" | costs) as \$c | length == 20 and each(.row.k as \$k |
    if .row.first == \"long\" then .paper_formula == (\$c | long_first(11; \$k)) and .emulated == (\$c | ours(11; \$k))
    else .paper_formula == (\$c | printed_short(11; \$k)) and .emulated == (\$c | short_first(11; \$k)) end)"
holds kurnosov 'titled("its four forms") | map([.row.c, .emulated]) ==
    [[1, 37], [1, 37], [1, 37], [1, 45], [3, 44], [3, 44], [3, 44], [3, 54]]'
holds kurnosov 'rows("Figure 1") | map([.row.processor, .paper_formula, .predicted, .emulated]) ==
    [[0, 2 * 4 + 2, 10, 10], [1, 6 + 2 * 4 + 2 * 2, 18, 18]]'
holds kurnosov 'rows("Inequalities (2), (3)") | map([.row.inequality, .row.m, .remark]) ==
    [[2, 1, "holds"], [2, 1, "holds"], [3, 1, "holds"], [3, 10, "holds"]] and
    (map(.predicted) | .[0] == 3 / 2 and (.[1] | near(11 / 3)) and .[2] == 3 / 2 and (.[3] | near(20 / 12)))'
holds kurnosov 'rows("Section 7") | map(.predicted) == [1, 1, 1, 4, 7, 10]'
chains() {
    holds kurnosov "rows(\"$1\") | titled(\"$2\") | map([.row.chain, .predicted, .emulated]) |
        map(.[0]) == $3 and map(.[1]) == $4 and map(.[2] | select(. != null)) == ($4 | map(select(. != null))) + ${5:-[]}"
}
chains 'Figures 2, 3' 'P = 11' '[0,1,1,1,2,2,2,3,3,4,4,""]' '[45,22,11,0,22,11,0,11,0,11,0,45]'
chains 'Figure 6' 'P = 11' '[0,1,1,2,2,3,3,3,4,4,4,"",0]' '[37,11,0,11,0,22,11,0,22,11,0,37,19]'
chains 'Figure 8' 'P = 11' '[0,1,2,2,3,3,3,4,4,4,4,"","any P"]' '[44,0,11,0,22,11,0,33,22,11,0,44,null]' '[44]'
chains 'Figure 8' 'P = 13, chains' '[0,1,2,2,3,3,3,4,4,4,4,5,5,""]' '[48,0,11,0,22,11,0,33,22,11,0,11,0,48]'
chains 'Figure 8' 'P = 13, the same' '[0,1,2,2,4,4,4,5,5,5,5,3,3,""]' '[44,0,11,0,22,11,0,33,22,11,0,11,0,44]'
holds kurnosov 'map(select(.row.rank == "all") | .paper_formula) | .[0] == 44 and .[1] == 31 and
    .[2] == 11 + 3 * 4 and .[3] == 11 + ((81 | sqrt) - 1) / 2 * 4 and
    (.[4] | near(11 + ((97 | sqrt) - 1) / 2 * 4)) and .[5] == null'

# ---- Grama: the steps, the links on the way; (ts + m tw) log2 p with 9.8 + 16 * 0.2 = 13 ----
steps() {
    holds grama "rows(\"$1\") | map([.row.messages, .row.\"links on the way\", .predicted]) == $2"
}
steps 'Figure 4.2' '[["0-4",4,1],["0-2 4-6",2,1],["0-1 2-3 4-5 6-7",1,1],["","",3]]'
steps 'Figure 4.3' '[["1-0 3-2 5-4 7-6",1,1],["2-0 6-4",2,1],["4-0",4,1],["","",2]]'
steps 'Figure 4.5' '[["0-2",2,1],["0-1 2-3",1,1],["0-8 1-9 2-10 3-11",2,1],
                     ["0-4 1-5 2-6 3-7 8-12 9-13 10-14 11-15",1,1],["","",2]]'
steps 'Figure 4.6' '[["0-4",1,1],["0-2 4-6",1,1],["0-1 2-3 4-5 6-7",1,1],["","",1]]'
steps 'Figure 4.7' '[["0-4",6,1],["0-2 4-6",4,1],["0-1 2-3 4-5 6-7",2,1],["","",3]]'
holds grama 'rows("Section 4.1") | length >= 30 and
    each(.row as {$P, $algorithm} | (.paper_formula // .derived) == 13 * (if $algorithm == "flat" then $P - 1 else ($P | log2 | ceil) end) and
         (.derived == null) == ($algorithm != "flat" and ([3, 5, 6, 7, 12] | index($P) == null)))'
holds grama 'rows("Section 4.1") | map(select(.row.algorithm == "flat")) | length == 5 and each(.emulated == (.row.P - 2) * 7 + 13)'
holds grama 'rows("Example 4.1") | length == 2 and (.[0].title | test("one element each"))'
# in three dimensions each link on the way of two delays a message by 9: 6 + 15 * 0.2
holds grama 'titled("T = (ts") | map(select(.row.P == 64) | [.row.collective, .row.network, .emulated]) ==
    [["broadcast", "-", 78], ["broadcast", "mesh:4x4x4", 78 + 3 * 9], ["broadcast", "torus:4x4x4", 78 + 3 * 9],
     ["reduce", "mesh:4x4x4", 78 + 3 * 9]]'
holds grama 'def t($P): if $P == 1 then 0 elif $P == 2 then 13 else
        ([1, 2, 4, 8] | map(select(. < $P)) | max) as $h | [13 + t($P - $h), 7 + t($h)] | max end;
    titled("other P") | map(.row.P) == [3, 5, 6, 7, 12] and each(.row.P as $P | .emulated == t($P))'

# ---- Liu, Li and Cui: from the machines of table 1 ----
machines='(rows("Table 1") | group_by(.row.machine) |
           map({(.[0].row.machine): (map(.printed) | {w: .[1], T: .[2], g: .[3], r: .[4]})}) | add) as $m |
    def plain($x; $M; $C): 16 * ($x.T + $x.r) + (16 * $M | ceil_div($x.w)) + $C;
    def blocks($x; $M; $C; $b): plain($x; $b; 0) + (($M | ceil_div($b)) - 1) * ([4 * $x.g, 2 * $x.T + ($C * $b | ceil_div($M))] | max) +
        ($C * $b | ceil_div($M));'
holds liu "$machines rows(\"Condition\") | length == 5 and each(\$m[.row.machine] as \$x |
    .paper_formula == (if 16 * 1024 / \$x.w + 1024 >= 4 * \$x.g or 16 * 1024 / \$x.w >= 2 * \$x.T then 1 else 0 end) and
    .predicted == (if 16 * 1024 / \$x.w + 1024 >= ([8 * \$x.g, 4 * \$x.T + 1024] | max) then 1 else 0 end) and
    .predicted == .emulated)"
holds liu 'rows("Condition") | map(.paper_formula) == [1, 0, 1, 1, 1] and map(.predicted) == [0, 0, 1, 1, 1]'
holds liu "$machines rows(\"Examples\") | map(select(.row.what | startswith(\"in \"))) | length == 12 and
    each(\$m[.row.machine] as \$x | .row.M as \$M | .row.m as \$b | .paper_formula ==
         if \$b == \"-\" then plain(\$x; \$M; \$M) else blocks(\$x; \$M; \$M; \$b) end)"
holds liu "$machines rows(\"Figure 5\") | length == 72 and each(\$m[.row.machine] as \$x | .row.m as \$b | .paper_formula |
    near(plain(\$x; 1000; 1000) as \$p | 100 * (\$p - blocks(\$x; 1000; 1000; \$b)) / \$p))"
holds liu "$machines titled(\"the block that is advised\") | length == 6 and each(\$m[.row.machine] as \$x | .row.M as \$M |
    .paper_formula == (2 * \$x.T * \$x.w * \$M / 16 | sqrt | ceil))"
holds liu "$machines titled(\"(9), case 1\") | length == 12 and each(\$m[.row.machine] as \$x | .row as {\$M, \$C} |
    .paper_formula == (4 * \$x.g / (16 / \$x.w + \$C / \$M) | sqrt | ceil) and
    .derived == (4 * \$x.g * \$M / (16 / \$x.w + \$C / \$M) | sqrt | ceil))"
holds liu "$machines rows(\"Blocks\") | length == 7 and each(\$m[.row.machine] as \$x |
    .paper_formula == ([4 * \$x.g, 2 * \$x.T + .row.\"Cm/M\"] | max) and .emulated == .paper_formula)"
# rows and columns of 3, 5, 8, 16, 32: a hop takes 96 cycles, 40 between two sends of a processor
holds liu 'rows("M x N") | map(select(.row.algorithm == "torus")) | length == 5 and each(
    (.row.network | ltrimstr("torus:") | split("x") | map(tonumber)) as [$M, $N] |
    .emulated == .predicted and .emulated == 1024 +
        (if $N % 2 == 0 then $N / 2 * 96 else ($N - 1) / 2 * 96 + 40 end) +
        (if $M % 2 == 0 then $M / 2 * 96 else ($M - 1) / 2 * 96 + 40 end))'
# (2), (3): two ways of a message in one piece, of which the second is longer where g > D; (5): blocks, and C
holds liu "$machines titled(\"a message of M bits\") | length == 15 and each(\$m[.row.machine] as \$x |
    (\$x.T + \$x.r + .row.M / \$x.w) as \$D | (13 * \$D + 3 * \$x.g) as \$second |
    if .row.formula == \"(2)\" then .paper_formula == 16 * \$D and .derived == null
    elif .row.formula == \"(3)\" then .paper_formula == 15 * \$D + \$x.g and .derived == if \$x.g > \$D then \$second else null end
    else .paper_formula == ([16 * \$D, 15 * \$D + \$x.g] | max) and .derived == ([16 * \$D, \$second] | max) and
        .emulated == .derived end)"
holds liu "$machines titled(\"in blocks of m bits by (5)\") | length == 3 and each(\$m[.row.machine] as \$x | .row.m as \$b |
    .paper_formula == 16 * (\$x.T + \$x.r + \$b / \$x.w) + (1024 / \$b - 1) * 4 * \$x.g + 1024)"
holds liu 'titled("in blocks of m bits by (5)") | map([.row.machine, .row.m, .emulated]) ==
    [["dash", 256, 2272], ["monsoon", 256, 1592], ["jmachine", 128, 2706]]'
# R up to i < n-1: of each column of n rows the first n div 2 + 1 and, for n > 3, the last
holds liu 'rows("Routing R") | map([.row.n, .paper_formula, .predicted]) ==
    [[3, 9, 9], [4, 16, 16], [5, 20, 25], [8, 48, 64], [16, 160, 256]]'

# ---- the listings: what they do as printed, and as run here ----
# does PAPER LISTING PRINTED HERE: patterns of what they do
does() {
    jq -e --arg l "$2" --arg p "$3" --arg h "$4" 'map(select(.figure == "Listings" and (.row.listing | startswith($l)))) |
        length == 1 and (.[0].row."run as printed" | test($p)) and (.[0].row."as run here" | test($h)) and
        (.[0].row."as printed" | length > 0)' "$dir/$1.json" >/dev/null || fail "paper $1: the listing $2"
}
does liu 'Routing R, n = 16' '^160 of 256 nodes' '256 of 256 nodes'
does shou-chen 'Summation, the test for the root' '^0 of 6 sums are sent; 3 of 7 processors wait' '6 of 6 sums are sent, 0 processors'
does shou-chen 'Summation, additions between' '^the root adds up 85 operands, of which there are 82; it takes 31 units' '82 operands, 29 units'
does shou-chen 'Summation, the number K_i' '^3 of 7 processors .* 2 of them a negative one; N_S is 50' 'N_S is 47'
does shou-chen 'Summation, algorithm 2, step 6' '^82 of 84 operands' '84 of 84'
does sun 'Butterfly, the loop' '^2 of 3 stages; 8 of 64 blocks' '3 stages; 64 of 64 blocks'
does sun 'Butterfly, the half' '^8 of 64 blocks .* k = 1 4$' '64 of 64 blocks'
does sun 'Ring, the indices' '^8 of 64 blocks' '64 of 64 blocks'
does kurnosov 'Adaptive chains, d, h and z' '^all ranks have d = 4, h = 7, z = 6, .* of 10 operands 7 could' '10 of 10 operands .* printed z 4$'
does grama 'One-to-all broadcast from node 0, p = 8' '^8 of 8' '8 of 8'
does grama 'One-to-all broadcast from node 2, p = 8' '^8 of 8' '8 of 8'
does grama 'One-to-all broadcast from node 2, p = 6' '^4 of 6' '6 of 6'
does grama 'All-to-one reduction to node 0 (algorithm 4.3), p = 8' '^8 of 8 operands' '8 of 8 operands'
for paper in $papers; do
    n=$(jq 'map(select(.figure == "Listings")) | length' "$dir/$paper.json")
    [ "$n" -ge 1 ] && [ "$("$logp" paper $paper --clock virtual | grep -c '^      run as printed:')" -eq "$n" ] ||
        fail "paper $paper: not $n listings as text"
    [ "$("$logp" paper $paper --clock virtual --format csv | grep -c ',Listings,')" -eq "$n" ] ||
        fail "paper $paper: not $n listings in CSV"
    # the lines below a table are in the first of its records, and verdicts are a key of all
    holds $paper 'all(.[]; has("verdict") and has("remark") and has("notes")) and
        (map(select(.figure != "Summary" and .figure != "Listings")) | group_by([.figure, .title]) |
         all(.[]; map(select(.notes != null)) | length == 1))'
    [ "$(jq 'map(.notes // [] | length) | add' "$dir/$paper.json")" -ge 3 ] || fail "paper $paper: where are its notes?"
done

# ---- the list at the end: what agrees ----
# verdicts PAPER AGREES DIFFERS NOTHING: how each begins, in order, by verdict
verdicts() {
    local verdict lines
    for verdict in agrees differs 'nothing printed'; do
        jq -r --arg v "$verdict" '.[] | select(.verdict == $v) | .row.what' "$dir/$1.json" >"$dir/got"
        printf '%s' "$2" >"$dir/want"
        cmp -s "$dir/want" "$dir/got" || fail "paper $1, $verdict: $(cat "$dir/got")"
        set -- "$1" "${@:3}" ''
    done
    # the same as text, and in CSV, where all rows have as many cells
    lines=$(jq 'map(select(.verdict)) | length' "$dir/$1.json")
    "$logp" paper "$1" --clock virtual | sed -n '/^Claims of the paper, and whether they agree/,$p' >"$dir/list"
    [ "$(grep -c '^  - ' "$dir/list")" -eq "$lines" ] || fail "paper $1: the list as text: $(cat "$dir/list")"
    "$logp" paper "$1" --clock virtual --format csv >"$dir/csv"
    sed 's/"[^"]*"/x/g' "$dir/csv" | awk -F, 'NF != 14 { exit 1 }' || fail "paper $1: CSV is uneven"
    [ "$(grep -c ',Summary,' "$dir/csv")" -eq "$lines" ] || fail "paper $1: the list in CSV"
    holds "$1" 'map(select(.verdict)) | each(.figure == "Summary" and .remark != null and .predicted == null)'
}
verdicts shou-chen "\
Figure 1, by theorems 1 and 3
Figure 2
Theorem 2, f_n and the broadcast's time, g >= o
Lemma 1, theorem 5, N_S
Theorem 4, min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P
ComputeParent, by the labels of theorem 3
" "\
Theorem 6, the time T(N) of N operands
Theorem 5, no more can be summed
Listing of the summation, the test for the root
Listing of the summation, additions between receives
Listing of the summation, K_i
Listing of the summation, algorithm 2, step 6
" "\
Theorem 2, g < o
"
verdicts sun "\
Table, which is faster, P >= 4
" "\
Ring, n(n-1)[max(2o,g) + L - g]
Butterfly network, 2 log2 n [max(2o,g) + L - g]
Hypercube, [max(2o,g) + L - g] (2n/sigma) log2 n
Table, which is faster, P = 2
Section 3, t_ns = (m/n)[max(2o,g) + L - g]
Section 3, t_s = (m/n) 2o + max(2o,g) + L - g
Section 3, t_ns > t_s for m/n > 1, o << L
Structured redistribution is faster
Listing of the butterfly, the loop over the stages
Listing of the butterfly, the half that is sent
Listing of the ring
" ''
verdicts kurnosov "\
Figure 1, three messages, 2g+o and L+2g+2o
Figures 2, 3, 4o+2L+2c
Figure 6, 3o+2L+c
(2), 1 < a/b = 1 + (o+L)/(o+gamma) for m = 1
(3), 1 < a/b < 2 where o+L < o + m gamma
Advice k* >= ceil(sqrt(P-1))
Figure 9, k = 4
" "\
Long chains first, its formula
Section 6, short first, in general
Section 6, short first, example, 3o+2L+max{..}+..
Section 6, short first, 7o+2L+4c+max{c,L}
Section 6, long first, 9o+3L+6c
Figure 8, 2o+L+c + 3 max(o+c,g)
Adaptive, its formula for any P
Listing of the adaptive chains, section 7
Figure 4, the printed k* are the best k
Figure 4, t(k) = (floor((P-1)/k) + 1)a + (k-1)b
k* = sqrt(a(P-1)/b), the least of t(k)
Figure 5, k* = 7 is the best k
Figure 5, the curves by the long-first formula
Figure 9, optimal k, t = 2 sqrt(ab(P-1)) + a - b
Figure 9, adaptive, b sqrt(2(P-1) + 1/4) - b/2 + a
Figure 9, binomial, a log2 P + b
Figures 10, 11, optimal
Figures 10, 11, adaptive
" "\
Figure 7
"
verdicts grama "\
Figure 4.2
Figure 4.3
Figure 4.5
Figure 4.6
Figure 4.7
T = (ts + m tw) log2 p, P = 2^x, a way of one link
p - 1 sends are slower than recursive doubling, p > 2
Listing of the broadcast from node 0, p = 2^d
Listing of the broadcast from any source, by XOR, p = 2^d
Listing of the reduction to node 0, algorithm 4.3, p = 2^d
" "\
T = (ts + m tw) log2 p on ring, mesh and tree
" "\
Example 4.1, figure 4.4
T = (ts + m tw) log2 p, other P
"
verdicts liu "\
Table 1
(8), CM-5 no, DASH and Monsoon yes
(9), blocks of 248 and 144 bits
(6), max(4g, Trcv + 3 Tsnd + Cm/M) between blocks
n(Tsnd + M/w + r + Trcv) + C, 2560 and 2240
(6), 2240 and 1628, by its formula
(7), 320 and 612, by its formula
Gains, 12.5, 27.3, 29 and 34 %, by its formulas
(2), (3), the longer of the two, g <= D
" "\
(8), as printed
(9), case 1
(9), the best blocks
(6), DASH with (1024/28)
(6), the time in blocks
Conclusion, about 30 % for three machines, M = 2048
(2), (3), the longer of the two, g > D
(5), without overlap
Listing of routing R
" "\
M x N
Figure 5
"
holds liu 'map(select(.verdict and (.row.what | startswith("Conclusion"))) | .remark | test("J-machine 50.4 %")) == [true]'

# ---- what is measured is what was measured, not what was predicted; - where the host did not keep up ----
for paper in shou-chen grama; do
    LD_PRELOAD=$canned CANNED_LATER_PPM=5000 "$logp" paper $paper --reps 1 --warmup 1 \
        --format json >"$dir/out" 2>"$dir/err" || fail "paper $paper, canned: exit code $?: $(cat "$dir/err")"
    jq -e "$definitions"' map(select(.measured != null)) | length >= 3 and
        all(.[]; (.emulated * 1.005) as $late | .measured | near($late))' "$dir/out" >/dev/null ||
        fail "paper $paper: what is measured: $(jq -c 'map(.measured)' "$dir/out")"
    jq -e 'all(.[]; .prediction != "exact" or .emulated == null or .emulated == .predicted)' "$dir/out" >/dev/null ||
        fail "paper $paper: measured, and emulated something else"
    LD_PRELOAD=$canned CANNED_LATER_PPM=20000 "$logp" paper $paper --reps 1 --warmup 1 \
        --format json >"$dir/out" 2>"$dir/err" || fail "paper $paper, late: exit code $?: $(cat "$dir/err")"
    # a run that takes no time at all is not late
    jq -e 'all(.[]; .measured == null or .emulated == 0)' "$dir/out" >/dev/null ||
        fail "paper $paper: the host did not keep up, and measured is $(jq -c 'map(.measured)' "$dir/out")"
done
LD_PRELOAD=$canned CANNED_MEASURED=1234567 "$logp" paper shou-chen --reps 1 --warmup 1 >"$dir/out" 2>&1
[ "$(grep -c '^   all .* 24 *-  the broadcast' "$dir/out")" -eq 2 ] || fail "not kept up with, as text: $(cat "$dir/out")"
grep -q 'did not keep up with \([0-9]*\) of \1 runs' "$dir/out" || fail "all are late, and it is not said"
LD_PRELOAD=$canned CANNED_MEASURED=239000 "$logp" paper shou-chen --reps 1 --warmup 1 >"$dir/out" 2>&1
[ "$(grep -c '^   all .* 24 *23.90  the broadcast' "$dir/out")" -eq 2 ] || fail "measured, as text: $(cat "$dir/out")"

# ---- what does not agree is said, once for each, and the exit code is 1 ----
# disagrees PAPER VARIABLE=NS LINES: lines on stderr that say so
disagrees() {
    local code
    env $2 LD_PRELOAD="$canned" "$logp" paper "$1" --clock virtual >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code -eq 1 ] || fail "paper $1, $2: exit code $code"
    [ "$(grep -c 'predicted [0-9.]*\( ns, the virtual clock\|, here\) ' "$dir/err")" -eq "$3" ] ||
        fail "paper $1, $2: not $3 lines: $(cat "$dir/err")"
    grep -q '^Not every prediction agrees with the virtual clock' "$dir/out" || fail "paper $1, $2: says that all agree"
}
# exact PAPER: how many rows are run, with an exact prediction; those of lemmas are shown a second time
exact() {
    jq 'map(select(.prediction == "exact" and .emulated != null and (.figure | startswith("Lemmas") | not))) | length' "$dir/$1.json"
}
disagrees sun CANNED_LATE=1 "$(exact sun)"
grep -q 'paper sun, transpose ring: predicted 50000 ns, the virtual clock 50001 ns' "$dir/err" ||
    fail "which one does not agree: $(head -1 "$dir/err")"
disagrees sun CANNED_LATE=-1 "$(exact sun)"
grep -q 'n/a *12 *10 *10.00' "$dir/out" || fail "what the virtual clock said is not shown: $(head -9 "$dir/out")"
env CANNED_LATE=-800000 LD_PRELOAD="$canned" "$logp" paper grama --clock virtual >/dev/null 2>"$dir/err"
grep -q 'binomial-nearest: predicted 1510000 ns, the virtual clock 1180000 ns' "$dir/err" ||
    fail "below a lower bound: $(cat "$dir/err")"
# a bound may be missed on one side; where nothing is predicted, nothing disagrees
disagrees sun 'CANNED_CERTAINTY=2 CANNED_LATE=1' "$(exact sun)"
disagrees sun 'CANNED_CERTAINTY=3 CANNED_LATE=-1' "$(exact sun)"
for canned_as in 'CANNED_CERTAINTY=2 CANNED_LATE=-1' 'CANNED_CERTAINTY=3 CANNED_LATE=1' 'CANNED_CERTAINTY=0 CANNED_LATE=1'; do
    env $canned_as LD_PRELOAD="$canned" "$logp" paper sun --clock virtual --format json >"$dir/out" 2>"$dir/err" ||
        fail "paper sun, $canned_as: exit code $?"
done
jq -e 'map(select(.emulated != null)) | all(.[]; .predicted == null and .prediction == "none")' "$dir/out" >/dev/null ||
    fail "a prediction that there is not"
# a wrong result ends it
env CANNED_WRONG=3 LD_PRELOAD="$canned" "$logp" paper sun --clock virtual >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] || fail "a wrong result: exit code"
[ "$(grep -c 'WRONG RESULT on rank 3' "$dir/err")" -eq 1 ] || fail "a wrong result: $(cat "$dir/err")"
grep -q '^The run was interrupted' "$dir/out" || fail "a wrong result: $(tail -1 "$dir/out")"
grep -q '^Claims of the paper' "$dir/out" && fail "a wrong result: what agrees is not known"
# 52 runs, and 8 times two numbers of operands that take a nanosecond too long (one always fits)
disagrees shou-chen CANNED_LATE=1 68
# processor by processor: their traces; a broadcast begins at its root, whatever the clock
disagrees shou-chen CANNED_NOW=1 38
disagrees kurnosov CANNED_NOW=-1 62

# another order of the steps than the book's
env CANNED_INSTEAD=binomial=binomial-nearest LD_PRELOAD="$canned" "$logp" paper grama --clock virtual --format json >"$dir/out"
jq -e 'map(select(.verdict == "differs") | .row.what) | contains(["Figure 4.2", "Figure 4.6", "Figure 4.7"])' \
    "$dir/out" >/dev/null || fail "other steps than the book's are said to agree"

# another tree than the one printed
env CANNED_TREE=7 LD_PRELOAD="$canned" "$logp" paper shou-chen --clock virtual >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] || fail "another tree: exit code"
grep -q 'Figure 1: the trees are not those printed' "$dir/err" || fail "another tree: $(cat "$dir/err")"

# long chains first for short ones, and the other way round: what is said of them turns round, too
env CANNED_INSTEAD=kchain=kchain-short-first,kchain-short-first=kchain LD_PRELOAD="$canned" "$logp" paper kurnosov \
    --clock virtual --format json >"$dir/out"
jq -e 'map(select(.verdict) | {(.row.what): .}) | add |
    (."Figure 7".remark | test("sometimes slower")) and ."Figure 9, k = 4".verdict == "differs" and
    (."Figure 6, 3o+2L+c".remark | test("45 units in place of 37")) and
    (."Section 6, short first, in general".remark | test("ours 45")) and
    (."Section 6, long first, 9o+3L+6c".remark | test("ours 37"))' "$dir/out" >/dev/null ||
    fail "chains in another order: $(jq -c '.[] | select(.verdict) | [.row.what, .verdict, .remark]' "$dir/out")"

[ $failed -eq 0 ] && echo "all good"
exit $failed
