#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The algorithms that docs/papers.md names for each paper are those that the list has from it.

usage: tests/repository/paper_page.py LOGP
"""
import json
import os
import re
import subprocess
import sys

PAGE = os.path.abspath(os.path.join(__file__, "../../../docs/papers.md"))
SOURCES = {"shou-chen": "Shou & Chen 1996", "sun": "Sun", "kurnosov": "Kurnosov 2016",
           "grama": "Grama et al.", "liu": "Liu, Li & Cui 1996"}


def main(logp):
    listed = json.loads(subprocess.run([logp, "list", "algorithms", "--format", "json"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    with open(PAGE, encoding="utf-8") as f:
        rows = dict(re.findall(r"^\| `([a-z-]+)` \| [^|]* \| ([^|]*) \|$", f.read(), re.M))
    wrong = 0
    for name, source in SOURCES.items():
        there = {(a["collective"], a["name"]) for a in listed if a.get("source", "").startswith(source)}
        shown = {(collective, algorithm) for part in rows[name].split(";")
                 for collective, _, names in [part.strip().partition(": ")] for algorithm in re.findall("`(.*?)`", names)}
        wrong += len(there ^ shown)
        print("%s: %d algorithms%s" % (name, len(there), "" if there == shown else ", not on the page or in the list: %s"
                                       % sorted(there ^ shown)))
    return 1 if wrong else 0


sys.exit(main(os.path.abspath(sys.argv[1])))
