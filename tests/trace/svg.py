#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A space-time diagram as SVG is well-formed, boxes of a processor do not overlap, nor does text,
nothing is outside, and boxes and arrows are where the same trace as JSON says.

usage: tests/trace/svg.py FILE.svg FILE.json
"""
import json
import re
import sys
import xml.etree.ElementTree as ET

NS = "{http://www.w3.org/2000/svg}"
KINDS = ("send", "receive", "compute", "gap", "stall", "idle")
EM = 0.62  # of a character, on the safe side of what sans-serif fonts take on average


def text_box(t, size):
    n = len(t.text) * size * EM
    x, y = float(t.get("x")), float(t.get("y"))
    anchor = t.get("class")
    left = x - n if anchor == "end" else x - n / 2 if anchor == "mid" else x
    return left, y - 0.8 * size, left + n, y + 0.2 * size


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def main():
    root = ET.parse(sys.argv[1]).getroot()
    with open(sys.argv[2], encoding="utf-8") as file:
        trace = json.load(file)
    width, height = float(root.get("width")), float(root.get("height"))
    texts = [text_box(t, float(t.get("font-size", root.get("font-size"))))
             for t in root.iter(NS + "text")]
    for i, a in enumerate(texts):
        assert a[0] >= 0 and a[1] >= 0 and a[2] <= width + 4 and a[3] <= height, "text outside"
        for b in texts[:i]:
            assert not overlap(a, b), "texts overlap: %r %r" % (a, b)
    boxes = [(r.get("class"), float(r.get("x")), float(r.get("y")), float(r.get("width")),
              float(r.get("height")), r.find(NS + "title")) for r in root.iter(NS + "rect")
             if r.find(NS + "title") is not None]
    rows = sorted({round(y + h / 2, 1) for _, _, y, _, h, _ in boxes})
    lines = {t.text: float(t.get("y")) - 4 for t in root.iter(NS + "text")
             if re.fullmatch(r"P\d+", t.text or "")}
    assert sorted(lines) == sorted("P%d" % r for r in range(trace["P"]))
    assert all(abs(y - min(lines.values(), key=lambda v: abs(v - y))) < 0.2 for y in rows)
    by_row = {}
    for kind, x, y, w, h, _ in boxes:
        assert kind in KINDS and w >= 0 and x >= 56 and x + w <= 56 + 840 + 0.01
        by_row.setdefault(round(y + h / 2), []).append((x, x + w, kind))
    for row in by_row.values():
        row.sort()
        for a, b in zip(row, row[1:]):
            assert a[1] <= b[0] + 0.011, "boxes overlap: %r %r" % (a, b)
    scale = 840 / max([trace["wall_ns"], (trace["predicted"] or {"end_ns": 0})["end_ns"], 1] +
                      [e["arrival_ns"] or 0 for e in trace["events"] if e["kind"] == "send"])
    wanted = sorted((round(lines["P%d" % e["rank"]]), e["kind"], 56 + e["start_ns"] * scale,
                     56 + e["end_ns"] * scale) for e in trace["events"] if e["kind"] != "mark")
    found = sorted((y, kind, x, end) for y, row in by_row.items() for x, end, kind in row)
    assert len(found) == len(wanted), "%d boxes, %d events" % (len(found), len(wanted))
    for a, b in zip(found, wanted):
        assert a[:2] == b[:2] and abs(a[2] - b[2]) < 0.02 and abs(a[3] - b[3]) < 0.02, (a, b)
    ends = {e["message"]: e["rank"] for e in trace["events"] if e["kind"] == "receive"}
    wires = sorted((float(w.get("x1")), float(w.get("x2")), float(w.get("y1")) < float(w.get("y2")))
                   for w in root.iter(NS + "line")
                   if w.get("class") == "wire" and float(w.get("y2")) < max(lines.values()) + 12)
    wanted = sorted((56 + e["end_ns"] * scale, 56 + e["arrival_ns"] * scale,
                     ends.get(e["message"], e["peer"]) > e["rank"]) for e in trace["events"]
                    if e["kind"] == "send" and e["peer"] != e["rank"])
    assert len(wires) == len(wanted)
    assert all(abs(a[0] - b[0]) < 0.02 and abs(a[1] - b[1]) < 0.02 and a[2] == b[2]
               for a, b in zip(wires, wanted)), "an arrow is elsewhere"


main()
