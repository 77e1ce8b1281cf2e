#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The golden numbers of golden.txt: formula, fold and virtual clock take each time to the nanosecond.

usage: golden.py LOGP FILE
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

MOST_RUN = 4096  # processors of a run; for more, the formula alone


class Wrong(Exception):
    """What does not hold."""


def answer(logp, words, needed=True):
    """The JSON that the command prints; None if it refuses and need not know."""
    ran = subprocess.run([logp] + words + ["--unit", "1ns", "--format", "json"], check=False,
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if ran.returncode != 0:
        if needed:
            raise Wrong("%s: %s" % (" ".join(words), ran.stderr.strip()))
        return None
    return json.loads(ran.stdout)


def expect(found, expected, what):
    if found != expected:
        raise Wrong("%s: %s, expected %s" % (what, found, expected))


def check_children(logp, words, rank, children):
    nodes = {str(n["rank"]): n["children"] for n in answer(logp, ["tree"] + words)["nodes"]}
    expect(nodes[rank], [int(c) for c in children.split(",") if c],
           "children of %s" % rank)


def check(logp, words, P, time, facts):
    """One P of a line: the time by every basis, and what else the line says."""
    words = words + ["-P", P]
    large = "^" in P or int(P) > MOST_RUN
    for by in ["formula"] if large else ["formula", "schedule"]:
        for record in answer(logp, ["predict"] + words + ["--by", by], needed=by == "schedule") or []:
            if record["prediction"] != "none":
                expect(record["predicted_ns"], time, "%s by %s" % (record["algorithm"], by))
                expect(record["prediction"], "exact", record["algorithm"])
    command = ["predict"] if large else ["run", "--clock", "virtual", "--executor", "fiber"]
    records = answer(logp, command[:1] + words + command[1:])
    if not records:
        raise Wrong("nothing is printed")
    for record in records:
        expect(record["predicted_ns"], time, "%s predicted" % record["algorithm"])
        if not large:
            expect(record["emulated_ns"]["median"], time, "%s on the virtual clock" % record["algorithm"])
            expect(record["verified"], True, "result")
    for fact in facts:
        if ">" in fact:
            check_children(logp, words, *fact.split(">"))
        else:
            name, value = fact.split("=")
            expect(str(records[0][name]), value, name)


def cases(path):
    """(place, words, P, time, facts) of each P of each line."""
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            words, results = (part.split() for part in line.split(".."))
            at = words.index("-P")
            times = [r for r in results if re.fullmatch(r"\d+", r)]
            sizes = words[at + 1].split(",")
            if len(sizes) != len(times):
                sys.exit("%s:%d: as many times as P" % (path, number))
            for P, time in zip(sizes, times):
                yield ("%s:%d" % (os.path.basename(path), number), words[:at] + words[at + 2:], P,
                       int(time), results[len(times):])


def main(logp, path):
    for name in [n for n in os.environ if n.startswith("LOGP_")]:
        del os.environ[name]
    os.environ["LOGP_CONFIG"] = ""
    failed = total = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [(case, pool.submit(check, logp, *case[1:])) for case in cases(path)]
        for case, result in running:
            total += 1
            try:
                result.result()
            except Wrong as wrong:
                failed += 1
                print("FAILED: %s, P = %s: %s" % (case[0], case[2], wrong))
    if total < 100:
        sys.exit("FAILED: %d numbers: not the whole table" % total)
    print("%d numbers" % total)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
