#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data flows one way: a folder includes headers of those below it, and no headers include each other.

usage: tests/layers.py
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of each layer the folders, from the bottom up; what lies beside them is above all.
LAYERS = {
    "runtime": ["host", "trace", "state", "delay", "carrier", "mail", "core", "call", "check", "transport"],
    "algorithms": ["operand", "predict", "schedule", "collective", "choice", "search", "experiment", "parameters"],
    "tools": ["text", "file", "plot", "schedule", "options", "choice", "run", "replay", "output", "trace", "versus", "tree", "tune",
              "measure", "validate",
              "papers", "report", "mpi", "profile", "command"],
}


def sources(layer):
    for folder, _, names in os.walk(os.path.join(TOP, layer)):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(TOP, layer))


def includes(layer, path):
    """What a file includes of its own layer, as paths in it."""
    with open(os.path.join(TOP, layer, path), encoding="utf-8") as file:
        for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            found = [p for p in (beside, name) if os.path.exists(os.path.join(TOP, layer, p))]
            if not found:
                sys.exit("%s/%s includes %s, which is not in %s" % (layer, path, name, layer))
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
    for layer, folders in LAYERS.items():
        graph, seen = {}, set()
        for path in sources(layer):
            folder = path.split(os.sep)[0] if os.sep in path else None
            if folder is not None and folder not in folders:
                wrong.append("%s/%s is a folder without a floor" % (layer, folder))
                continue
            seen.add(folder)
            graph[path] = list(includes(layer, path))
            for other in graph[path]:
                below = other.split(os.sep)[0]
                if folder is not None and (below not in folders or
                                         folders.index(below) > folders.index(folder)):
                    wrong.append("%s/%s includes %s, which is above it" % (layer, path, other))
        wrong += ["%s/%s: no such folder" % (layer, folder) for folder in folders if folder not in seen]
        found = circle(graph)
        if found:
            wrong.append("%s: %s include each other" % (layer, ", ".join(found)))
    print("\n".join(wrong) or "every folder includes what is below it alone")
    return 1 if wrong else 0


sys.exit(main())
