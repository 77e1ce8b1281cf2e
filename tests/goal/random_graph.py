#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A random GOAL file that comes to an end: operations in a global order, of which each rank keeps
some of its own by requires; messages have a receive each, some from any source or with any tag.

usage: tests/goal/random_graph.py SEED [wild] [places]     places: ranks have several processors and interfaces
"""
import random
import sys


def place(draw, op):
    text = draw.choice(["", " cpu %d" % draw.randrange(3)])
    return text if op.startswith("calc") else text + draw.choice(["", " nic %d" % draw.randrange(2)])


def main():
    draw = random.Random(int(sys.argv[1]))
    wild = "wild" in sys.argv[2:]
    places = "places" in sys.argv[2:]
    P = draw.randint(2, 6)
    ranks = [[] for _ in range(P)]
    largest = draw.choice([1, 1, 8, 300, 2000])
    density = draw.choice([0, 0.2, 0.5, 0.9])
    any_from = draw.random() < 0.7
    for k in range(draw.randint(1, 30)):
        src, dst = draw.sample(range(P), 2)
        size = draw.randint(1, largest)
        tag = 7 if wild and not any_from else draw.randint(0, 3)
        ranks[src].append("send %db to %d tag %d" % (size, dst, tag))
        if wild:
            # all of a rank alike, so that any of them takes any message
            ranks[dst].append("recv %db from -1 tag %s" % (largest, -1 if any_from else tag))
        else:
            ranks[dst].append("recv %db from %d tag %d" % (largest, src, tag))
        if draw.random() < 0.3:
            ranks[draw.randrange(P)].append("calc %d" % draw.randint(0, 9000))
    print("num_ranks %d" % P)
    for r, ops in enumerate(ranks):
        lines = ["l%d: %s%s" % (i, op, place(draw, op) if places else "") for i, op in enumerate(ops)]
        for i in range(1, len(ops)):
            for j in range(max(0, i - 3), i):
                if draw.random() < density / 2:
                    word = "irequires" if draw.random() < 0.2 else "requires"
                    lines.append("l%d %s l%d" % (i, word, j))
        if density < 0.5:
            draw.shuffle(lines)  # forward references, and another order of what is concurrent
        print("rank %d {\n%s\n}" % (r, "\n".join(lines)))


main()
