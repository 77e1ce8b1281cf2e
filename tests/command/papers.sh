#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# paper: what they print, their formulas, our predictions, which the virtual clock confirms.
. "$(dirname "$0")/support.sh"

for paper in shou-chen sun kurnosov grama liu; do
    json "length > 10 and all(.[]; .paper == \"$paper\" and .measured == null and
          (.prediction != \"exact\" or .emulated == null or .emulated == .predicted))" \
        paper $paper --clock virtual
done
json '[.[] | select(.figure == "Figure 1" and .row.rank == 7)] ==
      [{"paper":"shou-chen","figure":"Figure 1","title":"T*(8; 6,2,4): the effective times of its nodes",
        "row":{"rank":7,"parent":0,"children":"-"},"unit":"units","printed_unit":"units","printed":2,
        "paper_formula":2,"predicted":2,"emulated":2,"measured":null,"prediction":"exact",
        "remark":"the node (7, 2) that T*(7) does not have","verdict":null,"notes":null,"derived":null}] and
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
       [48, 48]) and ([.[] | .figure] | unique | length == 14)' paper kurnosov --clock virtual
json '([.[] | select(.figure == "Figure 4.2") | .row.messages] ==
       ["0-4","0-2 4-6","0-1 2-3 4-5 6-7",""]) and
      ([.[] | select(.figure == "Figure 4.3") | .row.messages] ==
       ["1-0 3-2 5-4 7-6","2-0 6-4","4-0",""]) and
      ([.[] | select(.row.network == "hypercube" and .row.algorithm == "binomial") | .paper_formula, .emulated] |
       unique == [39])' paper grama --clock virtual
json '([.[] | select(.figure == "Examples" and .printed != null) | [.printed, .paper_formula]] ==
       [[2560,2560],[2240,2240],[320,320],[12.5,12.5],[2240,2240],[1628,1628],[612,612],[27.3,27.32143],[29,29.05816],
        [34,34.04851],[30,50.43532],[2240,12096]]) and
      ([.[] | select(.figure == "Examples" and .row.m == 256) | .paper_formula, .emulated] == [1972,1972,588,588,22.96875,22.96875]) and
      ([.[] | select(.figure == "Condition" and .row.machine == "cm5") | .printed, .paper_formula, .emulated] == [0,0,0])' \
    paper liu --clock virtual
json '[.[] | select(.row.rank == "all") | .measured == null or .measured >= .emulated] == [true, true, true]' paper shou-chen --reps 2
"$logp" paper shou-chen --clock virtual | grep -q '^     7  0 .* 2  *2  *2  *2  the node (7, 2)' || fail "paper as text"
"$logp" paper liu --clock virtual --format csv | sed 's/"[^"]*"/x/g' | awk -F, 'NF != 14 { exit 1 }' ||
    fail "paper as CSV"

expect='--reps --clock virtual remove' bad paper shou-chen --clock virtual --reps 5
expect='--warmup --clock virtual remove' bad paper shou-chen --clock virtual --warmup 2

expect='paper shou-chen sun kurnosov grama liu' bad paper
expect='knuth shou-chen sun kurnosov grama liu' bad paper knuth
expect='grama unexpected' bad paper liu grama
expect='-L paper' bad paper liu -L 5
expect='--unit 2 1s' bad paper liu --unit 2s
expect='--plot /dev/null/x folder' bad paper sun --plot /dev/null/x
expect='--plugin' bad paper sun --plugin "$plugin"
finish
