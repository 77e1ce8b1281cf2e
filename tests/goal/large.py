#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A large GOAL file, to measure how fast it is read and evaluated: rounds of a ring, in each of which a rank sends, receives and
computes, on two processors and interfaces in turn. A round requires the computation of the round before.

usage: tests/goal/large.py OPERATIONS [RANKS]
"""
import sys


def main():
    n, P = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 64
    rounds = n // (3 * P)
    write = sys.stdout.write
    write("num_ranks %d\n" % P)
    for rank in range(P):
        right, left = (rank + 1) % P, (rank - 1) % P
        write("rank %d {\n" % rank)
        for k in range(rounds):
            at = 3 * k
            lines = ["l%d: send %db to %d tag %d cpu %d nic %d\n" % (at, 64 + k % 1000, right, k, k % 2, k % 2),
                     "l%d: recv %db from %d tag %d cpu %d nic %d\n" % (at + 1, 64 + k % 1000, left, k, k % 2, k % 2),
                     "l%d: calc %d cpu %d\n" % (at + 2, 100 + (k * 37 + rank) % 900, k % 2),
                     "l%d requires l%d\n" % (at + 2, at + 1)]
            if k > 0:
                lines += ["l%d requires l%d\n" % (at, at - 1), "l%d requires l%d\n" % (at + 1, at - 1)]
            write("".join(lines))
        write("}\n")


main()
