#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The predictions of docs/clusters.md beside published times, and the ratios below the table, are those of logp.

A row of the table has a collective, an algorithm, P, and for each size "measured / predicted" in us. What is predicted
is the mean of the ends of all ranks, as osu_bcast and osu_scatter print it.

usage: tests/repository/cluster_page.py LOGP [--write]
"""
import json
import math
import os
import re
import subprocess
import sys

PAGE = os.path.abspath(os.path.join(__file__, "../../../docs/clusters.md"))
ROW = re.compile(r"^\| (broadcast|scatter) ([a-z]+) \| (\d+) \|(.*)\|$")
CELL = re.compile(r" (\d+\.\d+) / (\d+\.\d+) ")
SIZES = (8, 1024, 8192, 262144)
SUMMARY = "| predicted / measured, P > 4 | |"


def predicted(logp, collective, algorithm, P, size):
    """The mean of the times in us at which the ranks end."""
    run = [logp, "trace", collective, "--algo", algorithm, "-P", str(P), "--bytes", str(size), "--machine", "shm",
           "--predicted", "--format", "json"]
    events = json.loads(subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout)["events"]
    ends = {}
    for event in events:
        if event["kind"] != "gap":
            ends[event["rank"]] = max(ends.get(event["rank"], 0), event["end_ns"])
    return sum(ends.values()) / P / 1000


def remade(text, logp):
    ratios = {size: [] for size in SIZES}
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            cells = []
            for size, cell in zip(SIZES, row[4].split("|")):
                measured = CELL.fullmatch(cell)[1]
                time = predicted(logp, row[1], row[2], int(row[3]), size)
                cells.append(" %s / %.2f " % (measured, time))
                if int(row[3]) > 4:
                    ratios[size].append(time / float(measured))
            line = "| %s %s | %s |%s|" % (row[1], row[2], row[3], "|".join(cells))
        elif line.startswith(SUMMARY):
            line = SUMMARY + "|".join(" %.2f (%.2f .. %.2f) " % (
                math.exp(sum(map(math.log, r)) / len(r)), min(r), max(r)) for r in ratios.values()) + "|"
        yield line


def main(logp, write):
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    new = "\n".join(remade(text, logp)) + "\n"
    if write:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(new)
    for shown, now in zip(text.splitlines(), new.splitlines()):
        if shown != now:
            print("%s shows\n  %s\nand logp predicts\n  %s" % (os.path.relpath(PAGE), shown, now))
    rows = sum(bool(ROW.match(line)) for line in text.splitlines())
    print("%d rows" % rows)
    return 0 if write or (new == text and rows > 0) else 1


sys.exit(main(sys.argv[1], sys.argv[2:] == ["--write"]))
