#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A right protocol passes; each of its two bugs is found from 11 seeds, and the failures are small.

usage: protocol.py PROGRAM [MOST]    MOST: above the median of the choices that differ from the usual ones [15]
"""
import os
import re
import statistics
import subprocess
import sys

SEEDS = range(1, 12)
RIGHT_RUNS = 10000


def check(program, bug, **variables):
    environment = dict(os.environ, **{name: str(value) for name, value in variables.items()})
    run = subprocess.run([program, str(bug)], env=environment, stdout=subprocess.PIPE, text=True)
    return run.returncode, run.stdout


def main():
    program, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    code, text = check(program, 0, LOGP_CHECK_RUNS=RIGHT_RUNS)
    if code != 0:
        sys.exit(f"the right program fails: {text}")
    for bug in (1, 2):
        kept, runs = [], []
        for seed in SEEDS:
            code, text = check(program, bug, LOGP_CHECK_SEED=seed)
            numbers = re.search(r"^run (\d+), .* of \d+ choices? (\d+) differ", text, re.M)
            if code != 1 or numbers is None:
                sys.exit(f"bug {bug}, seed {seed}: exit code {code}, no failure: {text}")
            runs.append(int(numbers[1]))
            kept.append(int(numbers[2]))
        median = statistics.median(kept)
        print(f"bug {bug}: median of {len(kept)} seeds: found in run {statistics.median(runs)}, "
              f"{median} choices kept of {sorted(kept)}")
        if median >= most:
            sys.exit(f"bug {bug}: {median} choices are kept; fewer than {most} are allowed")


main()
