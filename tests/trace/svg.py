#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A space-time diagram as SVG is well-formed, boxes of a processor do not overlap, nor does text,
nothing is outside, and boxes and arrows are where the same trace as JSON says: those of lost messages
end halfway, with a cross, those that nobody receives in a ring, and there are two of what comes twice.
Above the boxes is a band for the (k-1)G of each long message: what LogGP says, for all links alike.

usage: tests/trace/svg.py FILE.svg FILE.json
"""
import json
import re
import sys
import xml.etree.ElementTree as ET

NS = "{http://www.w3.org/2000/svg}"
KINDS = ("send", "receive", "compute", "gap", "stall", "idle", "halted", "endless")
EM = 0.62  # of a character, on the safe side of what sans-serif fonts take on average


def text_box(t, size):
    n = len(t.text) * size * EM
    x, y = float(t.get("x")), float(t.get("y"))
    anchor = t.get("class")
    left = x - n if anchor == "end" else x - n / 2 if anchor == "mid" else x
    return left, y - 0.8 * size, left + n, y + 0.2 * size


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def streams(trace):
    """(rank, start, end) of the time in which the port of a sender streams a long message."""
    G = (trace["parameters"] or {"G_ps_per_byte": 0})["G_ps_per_byte"]
    for e in trace["events"]:
        if e["kind"] == "send" and e["arrival_ns"] is not None and G * (e["bytes"] - 1) > 0:
            yield e["rank"], e["end_ns"], e["end_ns"] + -(-(e["bytes"] - 1) * G // 1000)


def ways(e):
    """The lines of a send: class, how much of the way, and how far beside the first."""
    fate = e["fate"] or ""
    if "dropped" in fate:
        return [("lost", 0.5, 0)]
    arrives = "changed" if "flipped" in fate else "wire"
    found = [(arrives if e["received"] > 0 else "left", 1, 0)]
    if "duplicated" in fate:
        found.append(((arrives if e["received"] > 1 else "left") + " again", 1, 5))
    return found


def main():
    root = ET.parse(sys.argv[1]).getroot()
    with open(sys.argv[2], encoding="utf-8") as file:
        trace = json.load(file)
    _, _, width, height = map(float, root.get("viewBox").split())
    ratio = float(root.get("width")) / float(root.get("height"))
    assert abs(ratio / (width / height) - 1) < 0.01, "it is distorted"
    axis = max(float(line.get("x2")) for line in root.iter(NS + "line") if line.get("class") == "life") - 56
    texts = [text_box(t, float(t.get("font-size", root.get("font-size"))))
             for t in root.iter(NS + "text")]
    for i, a in enumerate(texts):
        assert a[0] >= 0 and a[1] >= 0 and a[2] <= width + 4 and a[3] <= height, "text outside"
        for b in texts[:i]:
            assert not overlap(a, b), "texts overlap: %r %r" % (a, b)
    boxes = [(r.get("class"), float(r.get("x")), float(r.get("y")), float(r.get("width")),
              float(r.get("height")), r.find(NS + "title")) for r in root.iter(NS + "rect")
             if r.find(NS + "title") is not None]
    bands = sorted((float(y) + float(h), x, x + w) for kind, x, y, w, h, _ in boxes if kind == "stream")
    boxes = [b for b in boxes if b[0] != "stream"]
    rows = sorted({round(y + h / 2, 1) for _, _, y, _, h, _ in boxes})
    lines = {t.text: float(t.get("y")) - 4 for t in root.iter(NS + "text")
             if re.fullmatch(r"P\d+", t.text or "")}
    assert sorted(lines) == sorted("P%d" % r for r in range(trace["P"]))
    assert all(abs(y - min(lines.values(), key=lambda v: abs(v - y))) < 0.2 for y in rows)
    by_row = {}
    for kind, x, y, w, h, _ in boxes:
        assert kind in KINDS and w >= 0 and x >= 56 and x + w <= 56 + axis + 0.01
        by_row.setdefault(min(lines, key=lambda name: abs(lines[name] - y - h / 2)), []).append((x, x + w, kind))
    for row in by_row.values():
        row.sort()
        for a, b in zip(row, row[1:]):
            assert a[1] <= b[0] + 0.011, "boxes overlap: %r %r" % (a, b)
    endless = [e for e in trace["events"] if e["kind"] == "halted" or e["fate"] == "endless"]
    end = max([trace["wall_ns"], (trace["predicted"] or {"end_ns": 0})["end_ns"], 1] +
                      [e["arrival_ns"] or 0 for e in trace["events"] if e["kind"] == "send"])
    scale = axis / (end + end // 16 + 1 if endless else end)
    wanted = sorted(("P%d" % e["rank"], "endless" if e["fate"] == "endless" else e["kind"],
                     56 + e["start_ns"] * scale, 56 + axis if e in endless else 56 + e["end_ns"] * scale)
                    for e in trace["events"] if e["kind"] != "mark")
    found = sorted((y, kind, x, end) for y, row in by_row.items() for x, end, kind in row)
    assert len(found) == len(wanted), "%d boxes, %d events" % (len(found), len(wanted))
    for a, b in zip(found, wanted):
        assert a[:2] == b[:2] and abs(a[2] - b[2]) < 0.02 and abs(a[3] - b[3]) < 0.02, (a, b)
    wanted = sorted((lines["P%d" % rank] - 6, 56 + start * scale, min(56 + stop * scale, 56 + axis))
                    for rank, start, stop in streams(trace))
    assert len(bands) == len(wanted), "%d bands instead of %d" % (len(bands), len(wanted))
    for a, b in zip(bands, wanted):
        assert all(abs(x - y) < 0.2 for x, y in zip(a, b)), ("a band", a, b)
    words = " ".join(t.text for t in root.iter(NS + "text") if t.text)
    assert ("port streams ((k-1)G)" in words) == ("message ((k-1)G + L)" in words) == bool(wanted), words
    ends = {e["message"]: e["rank"] for e in trace["events"] if e["kind"] == "receive"}
    below = max(lines.values()) + 12
    wires = sorted((w.get("class"), float(w.get("x1")), float(w.get("x2")), float(w.get("y1")) < float(w.get("y2")))
                   for w in root.iter(NS + "line")
                   if w.get("class").split()[0] in ("wire", "lost", "left", "changed") and float(w.get("y2")) < below)
    wanted = sorted((kind, 56 + e["end_ns"] * scale + aside,
                     56 + (e["end_ns"] + part * (e["arrival_ns"] - e["end_ns"])) * scale + aside,
                     ends.get(e["message"], e["peer"]) > e["rank"]) for e in trace["events"]
                    if e["kind"] == "send" and e["peer"] != e["rank"] for kind, part, aside in ways(e))
    assert len(wires) == len(wanted), "%d arrows instead of %d" % (len(wires), len(wanted))
    assert all(abs(a[1] - b[1]) < 0.02 and abs(a[2] - b[2]) < 0.02 and (a[0], a[3]) == (b[0], b[3])
               for a, b in zip(wires, wanted)), "an arrow is elsewhere"
    for tag, kind in (("path", "lost"), ("circle", "left")):
        marks = [m for m in root.iter(NS + tag) if m.get("class") in ("cross", "ring")
                 and float(m.get("cy") or m.get("d").split()[1].split("l")[0]) < below]
        assert len(marks) == sum(w[0].startswith(kind) for w in wires), "%s: %d marks" % (kind, len(marks))


main()
