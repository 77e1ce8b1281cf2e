#!/bin/sh
# SPDX-License-Identifier: MIT
# What continuous integration does with liblogp: a check, a sweep beside that of the main branch, an MPI program.
# It runs in the folder of your sources; here they are the examples that are installed.
# usage: steps.sh [main]     main: this is the main branch, whose sweep the others are compared with
set -eu

# A check of message-passing code. LOGP_CHECK_JUNIT names the report that the service shows, LOGP_REPLAY_DIR the folder of
# replays, which `logp replay FILE` repeats at home.
cc -g suzuki.c -o suzuki $(pkg-config --cflags --libs logp)
LOGP_CHECK_JUNIT=check.xml LOGP_REPLAY_DIR=left ./suzuki

# A sweep on the virtual clock: every change of a time is one of the code. Exit code 1: a point has become slower.
if [ "${1:-}" = main ]; then
    logp bench allreduce -P '2..16*2' --algo all --clock virtual --save main --restart --output sweep.csv
else
    logp bench allreduce -P '2..16*2' --algo all --clock virtual --against main --fail-on slower --restart \
        --output sweep.csv
fi

# An MPI program, with its faults named, on a network of 60 us.
logp-cc -O2 ring.c -o ring
logp mpirun -P 8 -L 60us -o 5us -g 10us --clock virtual --check on --report report.html ./ring
