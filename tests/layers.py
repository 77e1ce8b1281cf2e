#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data flows one way: a room includes headers of those below it, and no headers include each other.

usage: tests/layers.py
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of each house the rooms, from the bottom up; what lies beside them is above all.
HOUSES = {
    "runtime": ["host", "trace", "state", "delay", "carrier", "mail", "core", "call", "check", "transport"],
    "algorithms": ["operand", "predict", "schedule", "collective", "choice", "experiment", "parameters"],
    "tools": ["text", "file", "plot", "schedule", "options", "choice", "run", "replay", "output", "trace", "tree", "tune",
              "measure", "validate",
              "papers", "report", "command"],
}


def sources(house):
    for folder, _, names in os.walk(os.path.join(TOP, house)):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(TOP, house))


def includes(house, path):
    """What a file includes of its own house, as paths in it."""
    with open(os.path.join(TOP, house, path), encoding="utf-8") as file:
        for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            found = [p for p in (beside, name) if os.path.exists(os.path.join(TOP, house, p))]
            if not found:
                sys.exit("%s/%s includes %s, which is not in %s" % (house, path, name, house))
            yield found[0]


def circle(graph):
    """Some nodes that lead to each other in turn; None: there are none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):]
        if node in done:
            return None
        path.append(node)
        for other in graph.get(node, ()):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(node)
        return None

    for node in graph:
        found = visit(node)
        if found:
            return found
    return None


def main():
    wrong = []
    for house, rooms in HOUSES.items():
        graph, seen = {}, set()
        for path in sources(house):
            room = path.split(os.sep)[0] if os.sep in path else None
            if room is not None and room not in rooms:
                wrong.append("%s/%s is a room without a floor" % (house, room))
                continue
            seen.add(room)
            graph[path] = list(includes(house, path))
            for other in graph[path]:
                below = other.split(os.sep)[0]
                if room is not None and (below not in rooms or
                                         rooms.index(below) > rooms.index(room)):
                    wrong.append("%s/%s includes %s, which is above it" % (house, path, other))
        wrong += ["%s/%s: no such room" % (house, room) for room in rooms if room not in seen]
        found = circle(graph)
        if found:
            wrong.append("%s: %s include each other" % (house, ", ".join(found)))
    print("\n".join(wrong) or "every room includes what is below it alone")
    return 1 if wrong else 0


sys.exit(main())
