#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Schedules: shown, written, read again, run and predicted; and files that are wrong.
. "$(dirname "$0")/support.sh"

says 'receive from 0, 8 bytes' schedule broadcast -P 4
says 'compute 20 us' schedule reduce -P 2 --gamma 2
says 'l2 requires l1' schedule barrier -P 2 --format goal
json 'def spot($b): {"buffer":$b,"offset":0,"length":24};
      . == {"P":2,"ranks":[[{"op":"recv","peer":1,"bytes":24,"tag":0,"at":spot("recv_buf")},
                            {"op":"combine","ns":30000,"at":spot("recv_buf"),"left":spot("recv_buf"),"right":spot("buf")}],
      [{"op":"send","peer":0,"bytes":24,"tag":0,"at":spot("buf")}]]}' \
    schedule reduce -P 2 --gamma 1 --count 3 --format json

# what is written is read again: it takes the same, and runs
model='-P 9 -L 7us -o 3 -g 5us -G 0.3 --o-recv 1'
# what a file holds goes by the file's name, wherever it is
logp schedule broadcast -P 2 --format json
cp "$dir/out" "$dir/ring of 2.json"
mkdir -p "$dir/my" && cp "$dir/out" "$dir/my/odd\"name"$'\n'"<b>"
for words in predict 'run --clock virtual' 'bench --clock virtual'; do
    # shellcheck disable=SC2086
    json '.[0] | (.collective == "schedule" and .algorithm == "ring of 2.json")' $words --schedule "$dir/ring of 2.json"
    # shellcheck disable=SC2086
    json '.[0].algorithm == "odd\"name?<b>"' $words --schedule "$dir/my/odd\"name"$'\n'"<b>"
done
says 'ring of 2.json 100.000 exact' predict --schedule "$dir/ring of 2.json"
says 'ring of 2.json 100.000 100.000 1.0000 through' run --clock virtual --schedule "$dir/ring of 2.json"
says 'schedule/ring of 2.json, P = 2: 10 units, predicted' trace --predicted --schedule "$dir/ring of 2.json"
json '.algorithm == "odd\"name?<b>" and (.events | length) > 2 and all(.events[]; .label == "schedule/odd\"name?<b>")' \
    trace --clock virtual --schedule "$dir/my/odd\"name"$'\n'"<b>"
logp trace --predicted --format svg --schedule "$dir/my/odd\"name"$'\n'"<b>"
xmllint --noout "$dir/out" 2>/dev/null || python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/out" ||
    fail "no XML: $(head -c 300 "$dir/out")"

for words in 'barrier --algo dissemination' 'alltoall --algo linear' 'broadcast --algo optimal --work 3' 'broadcast --algo mesh' \
    'broadcast --algo torus-pipelined --bytes 50 --block 7 --work 70us' \
    'reduce --algo kchain --gamma 2 --count 5' 'reduce --algo binomial --root 4'; do
    for format in json goal; do
        for gap in separate shared; do
            # shellcheck disable=SC2086
            logp predict $words $model --gap $gap --by schedule --format json
            ns=$(jq '.[0].predicted_ns' "$dir/out")
            # shellcheck disable=SC2086
            logp schedule $words $model --format $format
            cp "$dir/out" "$dir/steps"
            # by liblogp's rules, as what it was written from
            # shellcheck disable=SC2086
            json ".[0] | (.P == 9 and .predicted_ns == $ns and .prediction_by == \"schedule\" and
                  .prediction == \"exact\" and .verified == null and .ratio == 1)" \
                run --schedule "$dir/steps" --clock virtual --executor fiber $model --gap $gap
            # shellcheck disable=SC2086
            json ".[0].predicted_ns == $ns" predict --schedule "$dir/steps" $model --gap $gap
        done
    done
done

# --as: the steps of each algorithm are read back and compute its collective, in the same time
for words in 'broadcast --algo two-tree --bytes 50' 'reduce --algo chain-pipelined --count 5 --gamma 1' \
    'allreduce --algo ring --count 20 --gamma 1' 'allreduce --algo rabenseifner --count 20 --type float' \
    'reduce-scatter --count 2' 'scan --count 2' exscan 'scatter --root 3' 'gather --algo binomial' 'allgather --algo bruck' \
    'alltoall --algo bruck --bytes 6' barrier 'transpose --rows 5 --cols 7' 'reduce --algo flat --count 1 --root 2'; do
    collective=${words%% *} others=${words#* }
    [ "$others" != "$words" ] || others=
    [[ $others != --algo* ]] || { others=${others#--algo }; others=$(sed 's/^[^ ]* *//' <<<"$others"); }
    # shellcheck disable=SC2086
    logp predict $words -P 6 --by schedule --format json
    ns=$(jq '.[0].predicted_ns' "$dir/out")
    # shellcheck disable=SC2086
    logp schedule $words -P 6 --format json
    cp "$dir/out" "$dir/steps"
    # shellcheck disable=SC2086
    json ".[0] | (.collective == \"$collective\" and .predicted_ns == $ns and .lower_bound_ns > 0)" \
        predict --schedule "$dir/steps" --as "$collective" $others
    # shellcheck disable=SC2086
    json ".[0] | (.verified and .ratio == 1 and .predicted_ns == $ns)" \
        run --schedule "$dir/steps" --as "$collective" $others --clock virtual --executor fiber
    # shellcheck disable=SC2086
    logp schedule --schedule "$dir/steps" --as "$collective" $others --format json
    cmp "$dir/out" "$dir/steps" || fail "$words: other steps"
done

# --as: what does not compute it
logp schedule allreduce --algo recursive-doubling -P 8 --format json
cp "$dir/out" "$dir/sums.json"
changed() { jq -c "$1" "$dir/sums.json" >"$dir/steps"; bad predict --schedule "$dir/steps" --as allreduce; }
expect='no allreduce: rank 1 end lacks contribution (of rank 6)' \
    changed '.ranks[5] |= map(select(.op != "combine" or .right.buffer == "buf"))'
expect='no allreduce: rank 4 end contribution twice rank 4' changed '.ranks[4] |= . + [last]'
expect='no allreduce: rank 5 step 0: sends beyond its buffer' changed '.ranks[5][0].at.offset = 8'
expect='no allreduce: rank 5 step 0: sends does not have' changed '.ranks[5][0].at.buffer = "scratch"'
expect='rank 5, step 2: whole elements 8' changed '.ranks[5][2].at.length = 4'
expect='rank 5, step 2: "left" "right" differ' changed '.ranks[5][2].left.length = 16'
expect='rank 5, step 0: "at" buf recv_buf scratch' changed '.ranks[5][0].at.buffer = "x"'
expect='rank 5, step 0: "at" {"buffer"' changed '.ranks[5][0].at = 5'
expect='rank 5, step 0: "length" "bytes"' changed '.ranks[5][0].at.length = 4'
expect='rank 5, step 0: "offset": -5 2^36' changed '.ranks[5][0].at.offset = -5'
expect='rank 5, step 0: "at" missing' changed 'del(.ranks[5][0].at)'
expect='rank 0, step 3: -1 pieces' \
    changed '.ranks[0][3] = {"op":"copy","pieces":-1,"at":.ranks[0][0].at,"right":.ranks[0][0].at}'
expect='combines nothing' bad predict --schedule "$dir/sums.json" --as broadcast
expect='not a combination' bad predict --schedule "$dir/sums.json" --as allreduce --count 2
expect='did you mean allreduce' bad predict --schedule "$dir/sums.json" --as allredu
expect='--as summation' bad predict --schedule "$dir/sums.json" --as summation
expect='--as without --schedule' bad predict --as allreduce
expect='not use --root' bad predict --schedule "$dir/sums.json" --as allreduce --root 1
logp schedule barrier -P 3 --format goal
cp "$dir/out" "$dir/barrier.goal"
expect='--as JSON GOAL' bad predict --schedule "$dir/barrier.goal" --as barrier
printf '{"P":2,"ranks":[[],[]]}' >"$dir/steps"
expect='no barrier: rank 0 wait for all ranks (of rank 1)' bad predict --schedule "$dir/steps" --as barrier
expect='no broadcast: rank 1 expected data (of rank 0)' bad predict --schedule "$dir/steps" --as broadcast

# a computation that makes data is checked, but cannot be run from a file, or written in C
logp schedule matvec -P 4 --format json
cp "$dir/out" "$dir/steps"
says 'steps 200.000 exact 1.0000' predict --schedule "$dir/steps" --as matvec
expect='compute that makes data' bad run --schedule "$dir/steps" --as matvec
expect='mpi-c computes data of its own' bad schedule matvec -P 4 --format mpi-c
expect='mpi-c --as' bad schedule --schedule "$dir/steps" --format mpi-c
expect='--by does not use' bad schedule barrier --by schedule

# where a prediction comes from
json '.[0] | (.predicted_ns == 240000 and .prediction_by == "formula")' predict broadcast
json '.[0] | (.predicted_ns == 240000 and .prediction_by == "schedule")' predict broadcast --by schedule
json '.[0] | (.predicted_ns == null and .prediction_by == null)' predict barrier --algo tree --gap shared --by formula
json '.[0] | (.prediction == "exact" and .prediction_by == "schedule")' predict barrier --algo tree --gap shared
json '.[0] | (.ratio == 1 and .verified and .prediction_by == "schedule")' \
    run broadcast --by schedule --clock virtual

# wrong files: one line that says where
wrong() { printf '%b' "$1" >"$dir/steps"; bad predict --schedule "$dir/steps"; bad run --schedule "$dir/steps"; }
expect='--schedule nothing.goal read' bad predict --schedule nothing.goal
expect='--schedule' bad predict --schedule "$dir"
expect='line 1 num_ranks' wrong 'hello\n'
expect='num_ranks missing' wrong ''
expect='line 1 num_ranks' wrong 'num_ranks x\n'
expect='ranks 16777216' wrong 'num_ranks 100000000\n'
expect='line 3 calc' wrong 'num_ranks 2\nrank 0 {\nl1: sned 8b to 1\n}\n'
expect='line 3 calc' wrong 'num_ranks 2\nrank 0 {\nl1: send 8 to 1\n}\n'
expect='line 3 calc' wrong 'num_ranks 2\nrank 0 {\nl1 send 8b to 1\n}\n'
expect='line 3 rank 2: 0 1' wrong 'num_ranks 2\nrank 0 {\nl1: send 8b to 2\n}\n'
expect='line 3 bytes 2^30' wrong 'num_ranks 2\nrank 0 {\nl1: send 9999999999b to 1\n}\n'
expect='line 3 tag' wrong 'num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 9999999999\n}\n'
expect='line 3 time' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9999999999999999\n}\n'
expect='line 3 unsupported: cpu 0 nic 0 one processor' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9 cpu 1\n}\n'
expect='line 4 twice' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9\nl1: calc 9\n}\n'
expect='line 4 rank 0 label l2' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9\nl1 requires l2\n}\n'
expect='line 4 }' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9\nrank 1 {\n}\n'
expect='line 4 once' wrong 'num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n'
expect='last }' wrong 'num_ranks 2\nrank 0 {\nl1: calc 9\n'
expect='deadlock: rank 1 rank 0 tag 3 never' wrong 'num_ranks 2\nrank 1 {\nl1: recv 8b from 0 tag 3\n}\n'
expect='receive 1' wrong 'num_ranks 2\nrank 1 {\nl1: send 8b to 0 tag 3\n}\n'
expect='size rank 1' wrong 'num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 7b from 0\n}\n'
expect='"early" true false' wrong '{"P":1,"early":1,"ranks":[[]]}'
expect='line 2' wrong '{"P":2,\n"ranks":[[],}'
expect='"P" "ranks"' wrong '{"P":3,"ranks":[[],[]]}'
expect='"P" "ranks"' wrong '{"P":2,"ranks":7}'
expect='rank 1 list' wrong '{"P":2,"ranks":[[],{}]}'
expect='rank 1, step 0 op' wrong '{"P":2,"ranks":[[],[{"op":"dance"}]]}'
expect='rank 1, step 0 "peer"' wrong '{"P":2,"ranks":[[],[{"op":"send","bytes":8}]]}'
expect='rank 1, step 0 "bytes"' wrong '{"P":2,"ranks":[[],[{"op":"send","peer":0,"bytes":1.5}]]}'
expect='rank 0, step 0 time' wrong '{"P":2,"ranks":[[{"op":"compute","ns":-5}],[]]}'
printf 'num_ranks 2\n// nothing\nrank 0 {\nl1: calc 9 cpu 0\n}\n' >"$dir/steps"
json '.[0] | (.P == 2 and .predicted_ns == 9)' predict --schedule "$dir/steps"
printf 'num_ranks 1\nrank 0 {\nl1: calc 9\n}\n' >"$dir/one"
json '.[0] | (.P == 1 and .predicted_ns == 9)' predict --schedule "$dir/one"
json '.[0] | (.P == 1 and .verified == null and .emulated_ns.median == 9)' run --schedule "$dir/one" --clock virtual
# of these rows each rank posts all its receives ahead of the first send that waits, and the file says so
while read -r words; do
    # shellcheck disable=SC2086
    "$logp" schedule $words -P 8 -G 10ns --rendezvous 0 --format json >"$dir/ahead.json" 2>"$dir/err"
    holds .early "$dir/ahead.json" "$words: early"
    # shellcheck disable=SC2086
    expected=$("$logp" predict $words -P 8 -G 10ns --rendezvous 0 --format json 2>"$dir/err" | jq '.[0].predicted_ns')
    json ".[0].predicted_ns == $expected" predict --schedule "$dir/ahead.json" -G 10ns --rendezvous 0
done <<'END'
allreduce --algo census --same-results no
barrier --algo census
broadcast --algo matched --bytes 4096
reduce --algo two-tree --count 512
scan --algo two-tree --count 64
END
json 'has("early") | not' schedule broadcast --algo flat -P 3
expect='--schedule 2 3' bad predict --schedule "$dir/steps" -P 3
expect='broadcast schedule' bad predict broadcast --schedule "$dir/steps"
expect='--by guess formula schedule' bad predict broadcast --by guess
expect='--by' bad schedule broadcast --by formula
expect='--algo one' bad schedule broadcast --algo flat,chain
expect='--format csv text json goal' bad schedule broadcast --format csv
expect='--format goal table' bad predict broadcast --format goal
expect='schedule collective' bad run schedule
finish
