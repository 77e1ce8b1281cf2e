# SPDX-License-Identifier: MIT
"""Which unit executes which lines, and what it costs: measured once for each state of the tree.

A set of lines is an integer, one bit a line. What a unit's processes count goes to a folder of
the worker's (GCOV_PREFIX), beside links to the compiler's notes, and is read with gcov.
"""
import json
import math
import os
import shutil
import subprocess

from . import suites
from .build import SOURCES

MEASURE_MAX = 120  # seconds, a unit with coverage; of one that takes longer nothing is known


class Coverage:
    """A worker's place to measure in."""

    def __init__(self, copy, folder):
        self.copy, self.folder = copy, folder
        self.root = folder + copy.build  # GCOV_PREFIX goes before the whole path
        self.names = []
        shutil.rmtree(folder, ignore_errors=True)
        for where, _, files in os.walk(copy.build):
            relative = os.path.relpath(where, copy.build)
            # __: what a suite compiles for itself, of another backpressure than its own
            if relative.split(os.sep)[0] in SOURCES or "__" in relative.split(os.sep):
                for name in files:
                    if name.endswith(".gcno"):
                        self._link(os.path.join(where, name), os.path.join(relative, name))

    def _link(self, notes, relative):
        place = os.path.join(self.root, relative)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(notes, place)
        self.names.append(relative[:-len(".gcno")] + ".gcda")

    def measure(self, unit):
        """{how, seconds, test, loads, files: {file: [lines with code, lines executed]},
        functions: {file: [[from, to]]}}"""
        for name in self.names:
            path = os.path.join(self.root, name)
            if os.path.exists(path):
                os.unlink(path)
        how, _ = suites.run(unit, self.copy, min(unit["timeout"], MEASURE_MAX),
                            {"GCOV_PREFIX": self.folder})
        there = [name for name in self.names if os.path.exists(os.path.join(self.root, name))]
        result = {"how": how, "seconds": 0.0, "test": unit["test"], "files": {}, "functions": {}}
        result["loads"] = bool(there) or how != "passed"  # whether it has to do with the code
        if there and how == "passed":
            shown = subprocess.run(["gcov", "--json-format", "--stdout"] + there, cwd=self.root,
                                   capture_output=True, text=True, check=False)
            for line in shown.stdout.splitlines():
                for part in json.loads(line)["files"]:
                    self._add(result, part)
        return result

    def _add(self, result, part):
        path = os.path.relpath(os.path.join(self.copy.build, part["file"]), self.copy.tree)
        if path.startswith(".."):
            return
        code, done = result["files"].get(path, (0, 0))
        for line in part["lines"]:
            code |= 1 << line["line_number"]
            if line["count"] > 0:
                done |= 1 << line["line_number"]
        result["files"][path] = [code, done]
        places = result["functions"].setdefault(path, [])
        for function in part["functions"]:
            place = [function["start_line"], function["end_line"]]
            if place not in places:
                places.append(place)


class Map:
    """Which units to run for a mutant, and in which order."""

    def __init__(self, measured):
        """measured: {unit's name: what measure() says}"""
        self.units, self.code, self.functions = measured, {}, {}
        for unit in measured.values():
            unit["weight"] = 1 + sum(bin(done).count("1") for _, done in unit["files"].values())
            for path, (code, _) in unit["files"].items():
                self.code[path] = self.code.get(path, 0) | code
            for path, places in unit["functions"].items():
                known = self.functions.setdefault(path, [])
                known.extend(place for place in places if place not in known)

    def _lines(self, mutant):
        """The lines one of which a unit must execute; None: any of the file, 0: no matter."""
        first, last = mutant.lines
        code = self.code.get(mutant.file)
        if mutant.place == "data" or code is None:
            return 0
        if mutant.place == "static":
            return None
        span = ((1 << (last - first + 1)) - 1) << first
        if code & span:
            return code & span
        for start, end in self.functions.get(mutant.file, ()):
            if start <= first and last <= end:
                return code & (((1 << (end - start + 1)) - 1) << start)
        return None

    def _executing(self, mutant):
        """{unit's name: how far away it is} of those that execute it."""
        lines, found = self._lines(mutant), {}
        for name, unit in self.units.items():
            done = unit["files"].get(mutant.file, (0, 0))[1]
            if unit["how"] == "passed" and (
                    (lines == 0 and unit["loads"]) or (lines is None and done) or (lines and done & lines)):
                found[name] = 2 if lines == 0 and not done else 1
        return found

    def covers(self, mutant):
        return bool(self._executing(mutant))

    def nearest(self, mutant):
        """Names of the units that may notice, the quickest and nearest first: one for each test,
        then the same test with other executors. A unit of which one does not know what it
        executes (it dies on purpose, or not at all in time) is always among them."""
        found = self._executing(mutant)
        for name, unit in self.units.items():
            if unit["how"] == "passed" and unit["loads"] and not executed(unit):
                found[name] = 10
        seen, order = {}, []
        for cost, name in sorted((far * self.units[name]["seconds"] *
                                  math.sqrt(self.units[name]["weight"]), name)
                                 for name, far in found.items()):
            test = self.units[name]["test"]
            order.append((seen.get(test, 0), cost, name))
            seen[test] = seen.get(test, 0) + 1
        return [name for _, _, name in sorted(order)]


def executed(unit):
    return {path: done for path, (_, done) in unit["files"].items() if done}


def differs(name, one, all_cores):
    """Whether a unit executes other lines on one core than on all of them, or may do so."""
    there = executed(all_cores.units[name])
    return (not there or name not in one.units or one.units[name]["how"] != "passed"
            or executed(one.units[name]) != there)


def save(path, measured):
    packed = {name: dict(unit, files={p: [hex(a), hex(b)] for p, (a, b) in unit["files"].items()})
              for name, unit in measured.items()}
    with open(path + ".part", "w", encoding="utf-8") as f:
        json.dump(packed, f)
    os.replace(path + ".part", path)


def load(path):
    """{} where there is none."""
    try:
        with open(path, encoding="utf-8") as f:
            packed = json.load(f)
    except (OSError, ValueError):
        return {}
    return {name: dict(unit, files={p: [int(a, 16), int(b, 16)]
                                    for p, (a, b) in unit["files"].items()})
            for name, unit in packed.items()}
