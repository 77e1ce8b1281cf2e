#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data flows one way: a folder includes headers of those below it, and no headers include each other. Inside a
folder no more .c files than CIRCLES allows call each other in a circle.

usage: tests/repository/layers.py [--write]   --write draws docs/images/parts.svg anew, the picture in docs/design.md
"""
import collections
import os
import re
import sys

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
# Of each layer the folders, from the bottom up; what lies beside them is above all.
LAYERS = {
    "runtime": ["host", "state", "trace", "delay", "carrier", "mail", "core", "call", "check", "transport"],
    "algorithms": ["memory", "machine", "operand", "predict", "graph", "schedule", "collective", "choice", "search", "experiment", "parameters"],
    "tools": ["host", "mpi/standard", "mpi/fortran", "mpi/file", "mpi/check", "text", "file", "question/schedule", "question", "question/choice", "answer", "answer/replay", "answer/measure",
              "answer/versus", "answer/tree", "answer/tune", "answer/validate", "view", "view/canvas", "view/plot", "view/schedule", "view/records",
              "view/replay",
              "view/trace", "view/tree", "view/tune", "view/measure", "view/validate", "view/report", "view/versus", "papers",
              "mpi/profile", "mpi", "explore", "commands"],
}
# The .c files of a folder's largest circle of calls: each of them calls the others, directly or through others.
# A folder that is not named has no circle. A number is lowered when a circle is untied.
CIRCLES = {
    "runtime/mail": 3,
    "runtime/core": 2,
    "runtime/call": 3,
    "tools/mpi/standard": 4,
    "tools/mpi/check": 2,
}
# What a part of tools/ may include, next to its own headers; commands/ may include all.
ARROWS = {
    "text": [],
    "file": ["text"],
    "host": [],
    "question": ["text", "file"],
    "answer": ["text", "file", "question"],
    "view": ["text", "file", "answer"],
    "papers": ["text", "file", "question", "answer", "view"],
    "mpi": ["text", "host", "question", "view"],
    "explore": ["host"],
}
# The rows of the picture of the parts, from the bottom up. A part of tools/ is a folder at its top.
ROWS = [["include"], ["runtime", "algorithms", "tools/text", "tools/host"], ["tools/file"], ["tools/question"], ["tools/answer"],
        ["tools/view"], ["tools/papers", "tools/mpi", "tools/explore"], ["tools/commands"]]
PICTURE = os.path.join(TOP, "docs", "images", "parts.svg")
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
    """The folder of LAYERS that a file is in; None: it lies beside them. A folder has all folders within it, or those that LAYERS
    names."""
    inner = name = os.path.dirname(path)
    while name and name not in folders:
        name = os.path.dirname(name)
    if name != inner and (not name or any(other.startswith(name + "/") for other in folders)):
        return inner
    return name or None


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


def parts():
    """Of each part the parts whose headers it includes, without those that it also reaches through another."""
    names = [part for row in ROWS for part in row]
    graph = {part: set() for part in names}
    for part in names:
        for path in sources(part):
            with open(os.path.join(TOP, part, path), encoding="utf-8") as file:
                for kind, name in re.findall(r'^#include (["<])([^">]+)[">]', file.read(), re.M):
                    other = "include" if kind == "<" and name.startswith("logp/") else "tools/" + name.split("/")[0] if kind == '"' else None
                    if other in graph and other != part and not (kind == '"' and not part.startswith("tools/")):
                        graph[part].add(other)
    graph["runtime"].add("include")

    def reached(part):
        return set().union(*({other} | reached(other) for other in graph[part]))

    return {part: {o for o in others if not any(o in reached(via) for via in others)} for part, others in graph.items()}


def picture():
    """The parts as boxes, row by row, with an arrow to each part that one uses."""
    wide, high, gap, width = 126, 28, 30, 560
    place, graph = {}, parts()
    for i, row in enumerate(ROWS):
        for k, part in enumerate(row):
            place[part] = (width * (2 * k + 1) / (2 * len(row)), (len(ROWS) - 1 - i) * (high + gap) + high / 2 + 10)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14">' % (
        width, len(ROWS) * (high + gap) - gap + 20), "<title>Which part uses which</title>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>', '<rect width="100%" height="100%" fill="#fff"/>']
    for part, others in graph.items():
        for other in sorted(others):
            (x, y), (u, v) = place[part], place[other]
            out.append('<path d="M%g %gL%g %g" stroke="#57606a" marker-end="url(#end)"/>' % (x, y + high / 2, u, v - high / 2))
    for part, (x, y) in place.items():
        out.append('<rect x="%g" y="%g" width="%d" height="%d" rx="4" fill="#eaf2fb" stroke="#0969da"/>' % (x - wide / 2, y - high / 2, wide, high))
        out.append('<text x="%g" y="%g" text-anchor="middle">%s</text>' % (x, y + 5, part))
    return "\n".join(out) + "\n</svg>\n"


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
                part, used = path.split("/")[0], other.split("/")[0]
                if layer == "tools" and part in ARROWS and used not in [part] + ARROWS[part]:
                    wrong.append("tools/%s includes %s, which ARROWS does not allow" % (path, other))
        wrong += ["%s/%s: no such folder" % (layer, folder) for folder in folders if folder not in inside]
        for folder in folders:
            wrong += knots("%s/%s" % (layer, folder), inside[folder])
        found = circle(graph)
        if found:
            wrong.append("%s: %s include each other" % (layer, ", ".join(found)))
    known = {"%s/%s" % (layer, folder) for layer, folders in LAYERS.items() for folder in folders}
    wrong += ["CIRCLES names %s, which is no folder" % folder for folder in CIRCLES if folder not in known]
    if sys.argv[1:] == ["--write"]:
        with open(PICTURE, "w", encoding="utf-8") as file:
            file.write(picture())
    elif not os.path.exists(PICTURE) or open(PICTURE, encoding="utf-8").read() != picture():
        wrong.append("docs/images/parts.svg is not the picture of the parts: type tests/repository/layers.py --write")
    print("\n".join(wrong) or "every folder includes what is below it alone, and no circle of calls is too large")
    return 1 if wrong else 0


sys.exit(main())
