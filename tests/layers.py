#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data flows one way: a folder includes headers of those below it, and no headers include each other. Inside a
folder no more .c files than CIRCLES allows call each other in a circle.

usage: tests/layers.py
"""
import collections
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of each layer the folders, from the bottom up; what lies beside them is above all.
LAYERS = {
    "runtime": ["host", "state", "trace", "delay", "carrier", "mail", "core", "call", "check", "transport"],
    "algorithms": ["memory", "machine", "operand", "predict", "schedule", "collective", "choice", "search", "experiment", "parameters"],
    "tools": ["text", "file", "question/schedule", "question", "question/choice", "answer", "answer/replay", "answer/measure",
              "answer/versus", "answer/tree", "answer/tune", "answer/validate", "view/canvas", "view/plot", "view/schedule", "view/records",
              "view/replay",
              "view/trace", "view/versus", "view/tree", "view/tune", "view/measure", "view/validate", "view/report", "papers",
              "mpi", "profile", "commands"],
}
# The .c files of a folder's largest circle of calls: each of them calls the others, directly or through others.
# A folder that is not named has no circle. A number is lowered when a circle is untied.
CIRCLES = {
    "runtime/mail": 6,
    "runtime/core": 9,
    "runtime/call": 5,
    "algorithms/choice": 6,
    "tools/question": 3,
    "tools/question/choice": 2,
    "tools/view/records": 2,
    "tools/mpi": 4,
}
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
# In the layout of clang-format: what stands before a brace in the first column.
HEAD = re.compile(r"^(?=\w)((?:(?!\n\n)[^;{}#])*)\n\{$", re.M)
CALL = re.compile(r"(?<![>.\w])(\w+)\s*\(")


def sources(layer):
    for folder, _, names in os.walk(os.path.join(TOP, layer)):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(TOP, layer))


def folder_of(path, folders):
    """The folder of the list that a file is in; the top one, if none is; None: it lies beside the folders."""
    inside = [f for f in folders if path.startswith(f + os.sep)]
    return max(inside, key=len) if inside else path.split(os.sep)[0] if os.sep in path else None


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


def calls(files):
    """Of each file the other files that it calls, each with the functions: those that one file alone defines."""
    code, own, shared = {}, collections.defaultdict(set), collections.defaultdict(set)
    for path in files:
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            code[path] = COMMENT_OR_TEXT.sub('""', file.read())
        for head in HEAD.findall(code[path]):
            # The name may be in parentheses, against a macro of that name.
            name = re.search(r"(\w+)\)?\s*\((?![(*]|\w+\)\()", re.sub(r"__attribute__\(\(.*?\)\)", "", head))
            if name:
                own[path].add(name[1])
                if not head.startswith("static"):
                    shared[name[1]].add(path)
    graph = {path: collections.defaultdict(set) for path in files}
    for path in files:
        for name in set(CALL.findall(code[path])) - own[path]:
            if len(shared[name]) == 1:
                graph[path][min(shared[name])].add(name)
    return graph


def largest_circle(graph):
    """The largest set of nodes each of which leads to all others of it."""
    def reached(node):
        found, new = set(), [node]
        while new:
            more = set(graph[new.pop()]) - found
            found |= more
            new += more
        return found

    leads = {node: reached(node) for node in graph}
    return max(({b for b in leads[a] if a in leads[b]} for a in graph), key=len, default=set())


def knots(folder, files):
    """What is wrong with the calls between the files of a folder."""
    graph, allowed = calls(files), CIRCLES.get(folder, 1)
    found = largest_circle(graph)
    size = max(len(found), 1)
    if size < allowed:
        return ["%s: its largest circle has %d files, CIRCLES allows %d: %s" % (
            folder, size, allowed, "lower the number" if size > 1 else "remove the row")]
    if size == allowed:
        return []
    return ["%s: %d files call each other in a circle, %d may:" % (folder, size, allowed)] + [
        "  %s calls %s" % (os.path.basename(path), "; ".join(
            "%s (%s)" % (os.path.basename(other), ", ".join(sorted(graph[path][other])[:3]))
            for other in sorted(graph[path]) if other in found)) for path in sorted(found)]


def main():
    wrong = []
    for layer, folders in LAYERS.items():
        graph, inside = {}, collections.defaultdict(list)
        for path in sources(layer):
            folder = folder_of(path, folders)
            if folder is not None and folder not in folders:
                wrong.append("%s/%s is a folder without a floor" % (layer, folder))
                continue
            inside[folder] += [os.path.join(layer, path)] if path.endswith(".c") else []
            graph[path] = list(includes(layer, path))
            for other in graph[path]:
                below = folder_of(other, folders)
                if folder is not None and (below not in folders or
                                         folders.index(below) > folders.index(folder)):
                    wrong.append("%s/%s includes %s, which is above it" % (layer, path, other))
        wrong += ["%s/%s: no such folder" % (layer, folder) for folder in folders if folder not in inside]
        for folder in folders:
            wrong += knots("%s/%s" % (layer, folder), inside[folder])
        found = circle(graph)
        if found:
            wrong.append("%s: %s include each other" % (layer, ", ".join(found)))
    known = {"%s/%s" % (layer, folder) for layer, folders in LAYERS.items() for folder in folders}
    wrong += ["CIRCLES names %s, which is no folder" % folder for folder in CIRCLES if folder not in known]
    print("\n".join(wrong) or "every folder includes what is below it alone, and no circle of calls is too large")
    return 1 if wrong else 0


sys.exit(main())
