#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# paper: the forms of its records, and bad input; papers.py compares all numbers.
. "$(dirname "$0")/support.sh"

json '[.[] | select(.figure == "Figure 1" and .row.rank == 7)] ==
      [{"paper":"shou-chen","figure":"Figure 1","title":"T*(8; 6,2,4): the effective times of its nodes",
        "row":{"rank":7,"parent":0,"children":"-"},"unit":"units","printed_unit":"units","printed":2,
        "paper_formula":2,"predicted":2,"emulated":2,"measured":null,"prediction":"exact",
        "remark":"the node (7, 2) that T*(7) does not have","verdict":null,"notes":null,"derived":null}]' paper shou-chen --clock virtual
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
