#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The colours of canvas/palette.h: people who do not see all colours can tell them apart, they stand out
from the paper, and the page and the diagrams have the same.

usage: tests/tools/palette.py LOGP
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
wrong = []

# How linear RGB is seen without one of the three cones: Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009.
SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
APART = 12  # CIE 1976 distance; 2.3 is just noticeable side by side


def check(holds, what):
    if not holds:
        wrong.append(what)


def linear(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]


def lab(rgb):
    r, g, b = (min(1, max(0, x)) for x in rgb)
    xyz = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, \
          (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(color, sight):
    return lab([sum(m * x for m, x in zip(row, linear(color))) for row in SIGHTS[sight]])


def contrast(a, b):
    low, high = sorted(sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear(c))) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def told_apart(colors, what):
    for sight in SIGHTS:
        for a, b in itertools.combinations(colors, 2):
            distance = sum((x - y) ** 2 for x, y in zip(seen(a, sight), seen(b, sight))) ** 0.5
            check(distance >= APART, "%s: %s and %s are %.1f apart for %s" % (what, a, b, distance, sight))


def logp(*words):
    return subprocess.run([sys.argv[1], *words, "-P", "4", "--clock", "virtual"], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, universal_newlines=True,
                          env={k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}).stdout


def main():
    with open(os.path.join(TOP, "tools/view/canvas/palette.h"), encoding="utf-8") as file:
        text = file.read()
    roles = {name.lower(): colors for name, *colors in re.findall(r'ROLE\((\w+), "(#\w+)", "(#\w+)"\)', text)}
    series = re.findall(r'SERIES\("(#\w+)", "(#\w+)", "(#\w+)", "(#\w+)"\)', text)
    check(len(roles) > 10 and len(series) == 8, "%d roles, %d series" % (len(roles), len(series)))
    for paper in (0, 1):
        on = roles["raised"][paper]
        drawn = ["send", "stream", "receive", "compute", "stall", "mark", "path"]
        told_apart([roles[r][paper] for r in drawn], "boxes")
        told_apart([s[2 + paper] for s in series], "curves")
        for color in [roles[r][paper] for r in drawn] + [s[2 + paper] for s in series]:
            check(contrast(color, on) >= 3, "%s on %s: contrast %.2f" % (color, on, contrast(color, on)))
        for name in ("ink", "soft", "accent", "path"):
            for ground in ("raised", "paper"):
                color, on = roles[name][paper], roles[ground][paper]
                check(contrast(color, on) >= 4.5, "%s on %s: contrast %.2f" % (color, on, contrast(color, on)))
    for fill, ink, _, _ in series:
        check(contrast(fill, ink) >= 4.5, "%s on %s" % (ink, fill))
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "page.html")
        logp("report", "broadcast", "--output", path)
        with open(path, encoding="utf-8") as file:
            page = file.read()
    for name, (light, dark) in roles.items():
        rule = "--%s: light-dark(%s, %s);" % (name.replace("_", "-"), light, dark)
        check(rule in page, "the page has no " + rule)
    for fill, ink, light, dark in series:
        check('{ fill: "%s", ink: "%s", light: "%s", dark: "%s" }' % (fill, ink, light, dark) in page, "no " + fill)
    for svg in (logp("trace", "broadcast", "--format", "svg"), logp("trace", "reduce", "--format", "svg")):
        for name in ("send", "receive"):
            got = re.findall(r"\.%s\{fill:(#\w+)\}" % name, svg)
            check(got == roles[name], "a diagram's %s is %s instead of %s" % (name, got, roles[name]))
    for what in wrong:
        print(what)
    return 1 if wrong else 0


sys.exit(main())
