#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures: each value of a table or record is a point of its figure, and no other is; the axes follow
the lines; PNG, SVG and PDF are well-formed. A paper's trees and space-time diagrams are those of
`logp tree` and `logp trace`. What is written is looked at, not how it looks.

usage: tests/tools/pictures.py LOGP CANNED_PAPER
"""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.dom.minidom

LOGP, CANNED = sys.argv[1:3]
ENV = {k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}
SWEEP = ["--clock", "virtual", "--executor", "fiber"]
failed = []


def check(good, what):
    if not good:
        failed.append(what)


def logp(*words, code=0, **environment):
    done = subprocess.run([LOGP, *words], env=dict(ENV, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(done.returncode == code, "%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr[-300:]))
    return done


CURVES = {"predicted": "line", "formula": "line", "printed": "printed", "measured": "measured"}


def elements(svg, *names):
    """The elements of these names that are not part of an image."""
    document = xml.dom.minidom.parseString(svg)
    return [node for node in walk(document) if node.nodeType == node.ELEMENT_NODE and node.tagName in names]


def class_of(node):
    return node.getAttribute("class").split()


def curves(svg):
    """The curves, as groups: the kind of each, the group, its marks. A cross is drawn as two lines."""
    for group in elements(svg, "g"):
        kind = class_of(group)[:1]
        if kind and kind[0] in CURVES:
            marks = [m for m in walk(group) if m.nodeType == m.ELEMENT_NODE and {"disc", "ring", "mark"} & set(class_of(m))]
            yield kind[0], group, [m for i, m in enumerate(marks) if m.tagName != "line" or i % 2 == 0]


def kinds(svg):
    """How many points are printed; a line or a formula; measured, and of these beyond the axis."""
    counts = {}
    for kind, _, marks in curves(svg):
        counts[CURVES[kind]] = counts.get(CURVES[kind], 0) + len(marks)
        beyond = sum("beyond" in class_of(mark) for mark in marks)
        if beyond:
            counts["beyond"] = counts.get("beyond", 0) + beyond
    return counts


def shown(rows):
    """How many points there should be: printed, lines and dashes, measured."""
    printed = sum(r["printed"] is not None for r in rows)
    formula = sum(r[kind] is not None for r in rows for kind in ("paper_formula", "derived"))
    ours = sum(r["predicted"] is not None or r["emulated"] is not None for r in rows)
    measured = sum(r["measured"] is not None for r in rows)
    return printed, formula + ours, measured


# The figures that are a tree (edges), a space-time diagram (wires) or both, in the order of their tables; and how
# many messages there are.
DRAWN = {"shou-chen": {"figure-1": ("edge wire", 7), "figure-1-2": ("edge wire", 6), "figure-2": ("edge wire", 6)},
         "kurnosov": {"figure-1": ("wire", 3), "figures-2-3": ("edge", 10), "figure-6": ("edge", 10),
                      "figure-8": ("edge", 10), "figure-8-2": ("edge", 12), "figure-8-3": ("edge", 12)},
         "grama": {"figure-4.2": ("wire", 7), "figure-4.3": ("wire", 7), "example-4.1": ("wire", 24),
                   "figure-4.5": ("wire", 15), "figure-4.6": ("wire", 7), "figure-4.7": ("wire", 7)}}


def drawn_messages(svg, kind):
    """Messages of a diagram, or edges of a tree, the legend's entry apart."""
    xml.dom.minidom.parseString(svg)
    text = svg.decode()
    return len(re.findall('class="%s"' % kind, text)) - (kind == "wire" and len(re.findall('>message [(][^<]*[)]<', text)))


def figures(records):
    """The tables, each with the name of its file."""
    tables, seen = {}, {}
    for r in records:
        if r["figure"] not in ("Summary", "Listings"):
            tables.setdefault((r["figure"], r["title"]), []).append(r)
    for (figure, _), rows in tables.items():
        name = re.sub(r"[ ,;:/()]+", "-", figure).strip("-").lower()
        seen[name] = seen.get(name, 0) + 1
        yield name + ("-%d" % seen[name] if seen[name] > 1 else ""), rows


def look_at(paper, folder, records):
    names, drawn = set(), DRAWN.get(paper.split(",")[0], {})
    for name, rows in figures(records):
        names |= {name + end for end in (".png", ".svg", ".pdf")}
        path = os.path.join(folder, name)
        check(open(path + ".png", "rb").read(8) == b"\x89PNG\r\n\x1a\n", name + ".png")
        pdf = open(path + ".pdf", "rb").read()
        check(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"), name + ".pdf")
        svg = open(path + ".svg", "rb").read()
        if name in drawn:
            for kind in ("edge", "wire"):
                messages = drawn[name][1] if kind in drawn[name][0] else 0
                got = drawn_messages(svg, kind)
                check(got == messages, "%s %s: %d messages instead of %d" % (paper, name, got, messages))
            continue
        counts = kinds(svg)
        got = tuple(counts.get(kind, 0) for kind in ("printed", "line", "measured"))
        check(got == shown(rows), "%s %s: %s points instead of %s" % (paper, name, got, shown(rows)))
    check(set(drawn) <= {n[:-4] for n in names}, "%s: not drawn: %s" % (paper, set(drawn)))
    check(set(os.listdir(folder)) == names, "%s: %s" % (paper, sorted(set(os.listdir(folder)) ^ names)))


def like_tree_and_trace(shou_chen, grama):
    """Byte for byte what the other commands draw."""
    machine = ["-L", "6", "-o", "2", "-g", "4"]
    for path, words in (
            (os.path.join(shou_chen, "figure-1.svg"), ["tree", "broadcast", "-P", "8", "--bytes", "1", *machine]),
            (os.path.join(shou_chen, "figure-1-2.svg"), ["tree", "broadcast", "-P", "7", "--bytes", "1", *machine]),
            (os.path.join(shou_chen, "figure-2.svg"),
             ["tree", "summation", "--algo", "optimal-paper", "-P", "7", "-L", "5", "-o", "2", "-g", "4", "--count", "82"]),
            (os.path.join(grama, "figure-4.2.svg"),
             ["trace", "broadcast", "--algo", "binomial", "-P", "8", *machine, "-G", "0.2", "--bytes", "16",
              "--topology", "ring", "--predicted"])):
        other = logp(*words, "--format", "svg").stdout
        check(open(path, "rb").read() == other, "%s is not what `logp %s` draws" % (path, " ".join(words)))


def shape_of(mark):
    """The corners of a marker, whatever its place and size; none: it is round."""
    points = [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", mark.getAttribute("d"))]
    middle = [sum(p[i] for p in points) / max(1, len(points)) for i in (0, 1)]
    size = max((math.dist(p, middle) for p in points), default=1)
    return tuple(round(4 * (p[i] - middle[i]) / size) for p in points for i in (0, 1))


def look_of(group, marks):
    """The look of a curve, without its intervals: colour, dashes, marker."""
    dashes = [c for path in group.getElementsByTagName("path") for c in class_of(path) if re.fullmatch(r"d\d", c)]
    return class_of(group)[1], dashes[0] if dashes else None, shape_of(marks[0])


def texts_of(svg):
    """Each text with its place, and its size."""
    return [("".join(n.data for n in walk(t) if n.nodeType == n.TEXT_NODE),
             *(float(t.getAttribute(name) or "11") for name in ("x", "y", "font-size"))) for t in elements(svg, "text")]


def differ(top):
    """All curves of a catalogue differ, and each has its name beside it: no two meet."""
    records = json.loads(logp("predict", "broadcast", "-P", "64", "--algo", "all", "--format", "json").stdout)
    listed = {r["algorithm"] for r in records}
    n = len(listed)
    check(n > 16, "all of broadcast: %d" % n)
    for size in ([], ["--size", "400x300"], ["--size", "320x240"], ["--size", "1600x900"]):
        svg = logp("plot", "broadcast", "-P", "2..64*2", "--algo", "all", *SWEEP, *size).stdout
        lines, points = ([look_of(group, marks) for kind, group, marks in curves(svg) if kind == wanted]
                         for wanted in ("predicted", "measured"))
        check(len(lines) == len(points) == n, "%d lines, %d of points" % (len(lines), len(points)))
        check(len(set(lines)) == n and len(set(points)) == n, "curves look alike: %s" % (lines + points))
        check(all(line[0] == point[0] and line[2] == point[2] for line, point in zip(lines, points)),
              "the line and the points of an algorithm differ in colour or marker")
        names = sorted((y, x, name, font) for name, x, y, font in texts_of(svg)
                       if name in listed or name.endswith("...") and " " not in name or name.startswith("and "))
        check(len({x for _, x, _, _ in names}) == 1, "names are not in a column: %s" % names)
        for (y, _, name, font), (below, _, other, _) in zip(names, names[1:]):
            check(below - y >= 0.95 * font, "%s: %s and %s overlap" % (size, name, other))
        if not size:
            check(sorted(name for _, _, name, _ in names) == sorted(listed), "names: %s" % names)
        if size:
            width, height = size[1].split("x")
            check(b'width="%s" height="%s"' % (width.encode(), height.encode()) in svg, "not %s large" % size[1])
    for words in (["trace", "broadcast", "--predicted"], ["tree", "broadcast"], ["explain", "broadcast", "flat", "optimal"],
                  ["paper", "sun", "--clock", "virtual"]):
        for end, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
            path = os.path.join(top, words[0] + end)
            logp(*words, "--output", path)
            check(open(path, "rb").read()[:4] == magic, "%s is not what its name says" % path)
    # letters grow with the picture: a slide is as a small picture, but larger
    boxes = [re.search(rb'viewBox="([^"]+)"', logp("trace", "broadcast", "--predicted", "--format", "svg", "--size", size).stdout).group(1)
             for size in ("640x360", "1600x900")]
    check(boxes[0] == boxes[1], "a larger picture has other letters: %s" % boxes)
    path = os.path.join(top, "large.png")
    logp("plot", "broadcast", "-P", "2,4", *SWEEP, "--size", "500x410", "--output", path)
    check(open(path, "rb").read()[16:24] == (500).to_bytes(4, "big") + (410).to_bytes(4, "big"), "the size of a PNG")


def tics(svg, labels):
    """Where these labels stand on the axis of x; they are there."""
    places = {text: x for text, x, _, _ in texts_of(svg)}
    check(set(labels) <= set(places), "no labels %s, but %s" % (labels, sorted(places)))
    return [places.get(label, 0) for label in labels]


def scales():
    """An axis is linear or logarithmic as its sweep steps; bytes are in powers of two; --scale says otherwise."""
    def even(words, labels, expected, *scale):
        x = tics(logp("plot", "broadcast", "--algo", "flat", *words, *SWEEP, *scale).stdout, labels)
        steps = [b - a for a, b in zip(x, x[1:])]
        check((max(steps) - min(steps) < 9) == expected, "%s %s: steps of %s" % (words, scale, steps))

    even(["-P", "2,4,8"], ["2", "4", "8"], True)
    even(["-P", "1..6"], ["1", "2", "3", "4", "5", "6"], True)
    even(["-P", "3..12+3"], ["3", "6", "9", "12"], True)
    even(["-P", "1..1000*10"], ["1", "10", "100", "1000"], True)
    even(["-L", "1..16*2"], ["10", "20", "40", "80", "160"], True)
    even(["-P", "1..6"], ["1", "2", "3"], False, "--scale", "log")
    even(["-P", "1..6"], ["1", "2", "3"], False, "--scale", "log,linear")
    even(["-P", "1..6"], ["1", "2", "3"], True, "--scale", "linear,log")
    even(["-P", "2..6*2"], ["2", "4"], True, "--scale", "linear")
    even(["--bytes", "1k..64k*4", "-G", "0.01"], ["1 KiB", "4 KiB", "16 KiB", "64 KiB"], True)
    even(["--bytes", "1..2^20*16", "-G", "0.01"], ["1 B", "16 B", "256 B", "4 KiB", "64 KiB", "1 MiB"], True)
    even(["--bytes", "8..2^19*4", "-G", "0.01"], ["8 B", "128 B", "2 KiB", "32 KiB", "512 KiB"], True)
    even(["--bytes", "1..100000*10", "-G", "0.01"], ["1 B", "8 B", "64 B", "512 B", "4 KiB", "32 KiB"], True)
    even(["--bytes", "1000..9000+1000", "-G", "0.01"], ["2 KiB", "4 KiB", "6 KiB", "8 KiB"], True)
    done = logp("plot", "broadcast", "-L", "0,1,2", *SWEEP, "--scale", "log")
    check(b"--scale log: the x axis is linear" in done.stderr, "0 on a logarithmic axis: %s" % done.stderr)
    zero = logp("plot", "broadcast", "-P", "1..4", "--algo", "flat", *SWEEP, "--scale", "log").stdout
    check(kinds(zero) == {"line": 3, "measured": 3}, "a time of 0 on a logarithmic axis: %s" % kinds(zero))
    svg = logp("plot", "broadcast", "-P", "2,4", *SWEEP, "--title", "A <title> & 100 % of it").stdout
    check(any(text == "A <title> & 100 % of it" for text, _, _, _ in texts_of(svg)), "no title")


def legends(top):
    """The title of each picture is at its upper left, its legend below the axis, in letters of one size."""
    for words, axis, entries in (
            (["trace", "broadcast", "--clock", "virtual", "--format", "svg"], "time in units of 10 us", ["send (o)", "message (L)"]),
            (["tree", "broadcast", "--format", "svg"], "time in units of 10 us", ["send (o)", "message (L)"]),
            (["explain", "broadcast", "optimal", "binomial", "--format", "svg"], "time in units of 10 us", ["send (o)", "critical path"]),
            (["plot", "broadcast", "-P", "2,4", *SWEEP], "P", ["predicted", "emulated"]),
            (["plot", "broadcast", "-P", "4", "--algo", "all", *SWEEP], "time, us", ["predicted", "emulated"])):
        svg = logp(*words).stdout
        texts = texts_of(svg)
        first = texts[0]
        width, height = (float(xml.dom.minidom.parseString(svg).documentElement.getAttribute(name)) for name in ("width", "height"))
        check(first[1] < 0.25 * width and 11 < first[3] <= 15, "%s: title %s" % (words, first))
        low = max(y for name, _, y, _ in texts if name == axis)
        found = [text for text in texts if text[0] in entries]
        check(sorted(name for name, _, _, _ in found) == sorted(entries), "%s: legend %s" % (words, found))
        check(all(low < y < height and size == 11 for _, _, y, size in found), "%s: the axis ends at %g, the legend is %s" % (words, low, found))
        check(min(x for _, x, _, _ in found) < 0.35 * width, "%s: the legend is not at the left: %s" % (words, found))


def hostile(top):
    """Text of a file of records, and the names of files, are never commands of a shell."""
    canary = os.path.join(top, "canary")
    touch = "touch " + canary
    # what ends a line or moves a cursor is refused
    for text in ("x\n!%s\n" % touch, "x\r!%s" % touch, "x'\nsystem('%s')\n" % touch, "\x1b[31m", "\x7f", "\u0085!"):
        for key in ("algorithm", "sweep", "collective"):
            record = {"collective": "c", "algorithm": "a", "P": 2, "predicted_ns": 5, "sweep": "s", key: text}
            path = os.path.join(top, "hostile.json")
            with open(path, "w") as file:
                json.dump([record, dict(record, P=4)], file)
            done = logp("plot", path, code=2)
            check(b"control" in done.stderr and done.stderr.count(b"\n") == 1, "%r: %s" % (text, done.stderr))
            path = os.path.join(top, "hostile.csv")
            with open(path, "w", newline="") as file:
                file.write("collective,algorithm,P,predicted_ns,sweep\n")
                for P in (2, 4):
                    cells = dict(record, P=str(P), predicted_ns="5")
                    file.write(",".join('"%s"' % cells[k].replace('"', '""') for k in
                                        ("collective", "algorithm", "P", "predicted_ns", "sweep")) + "\n")
            done = logp("plot", path, code=2)
            check(b"control" in done.stderr and done.stderr.count(b"\n") == 1, "%r in CSV: %s" % (text, done.stderr))
    with open(os.path.join(top, "zero.csv"), "wb") as file:
        file.write(b"collective,algorithm,P,predicted_ns\nc,a,2,5\nc,a\0!x,4,5\n")
    logp("plot", os.path.join(top, "zero.csv"), code=2)
    with open(os.path.join(top, "latin.csv"), "wb") as file:
        file.write(b"collective,algorithm,P,predicted_ns\nc,\xe9,2,5\n")
    check(b"control" in logp("plot", os.path.join(top, "latin.csv"), code=2).stderr, "no UTF-8")

    # what can be printed is text: in titles, legends and on axes, of lines and of rows
    texts = ["`%s`" % touch, "$(%s)" % touch, "'; system('%s'); '" % touch, "\"; system(\"%s\")" % touch,
             "@%s" % touch, "END", "$texts", "%d%s %n", "{/Bold x} \\n", "<b>&amp;", "# é"]
    for swept in (True, False):
        records = [{"collective": "c", "algorithm": t, "P": P, "predicted_ns": P * 5, "sweep": texts[3]}
                   for t in texts for P in ((2, 4) if swept else (2,))]
        path = os.path.join(top, "printable.json")
        with open(path, "w") as file:
            json.dump(records, file)
        svg = logp("plot", path).stdout
        shown = [re.sub(r"\s+", " ", "".join(n.data for n in walk(t) if n.nodeType == n.TEXT_NODE)).strip()
                 for t in xml.dom.minidom.parseString(svg).getElementsByTagName("text")]
        for text in texts:
            check(re.sub(r"\s+", " ", text) in shown, "%r is not in the picture: %s" % (text, shown))
    # CSV with the line ends of RFC 4180 is the same
    with open(os.path.join(top, "ends.csv"), "wb") as file:
        file.write(b'collective,algorithm,P,predicted_ns,"sweep"\r\nc,a,2,5,"s"\r\nc,a,4,9,s\r\n')
    check(kinds(logp("plot", os.path.join(top, "ends.csv")).stdout) == {"line": 2}, "CSV with CRLF")

    # the names of files
    for name in ("a'b.svg", "a\n!%s\n.svg" % touch.replace("/", "_"), "a`%s`.svg" % "touch canary", "a';system('touch canary');'.svg",
                 "$(touch canary).svg", "a\\b.svg"):
        for option in ("--plot", "--output"):
            path = os.path.join(top, "names", option + name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            logp("plot", "barrier", "-P", "2,4", *SWEEP, option, path)
            check(os.path.exists(path) and b"</svg>" in open(path, "rb").read(), "%s %r" % (option, name))
            os.unlink(path)
    folder = os.path.join(top, "it's\n!touch canary\n")
    logp("paper", "sun", "--clock", "virtual", "--plot", folder)
    check(len(os.listdir(folder)) > 3, "a folder's name: %s" % os.listdir(folder))
    left = [f for f in os.listdir(top) + os.listdir(".") if "canary" in f and "it's" not in f]
    check(not left, "a command was run: %s" % left)


def walk(node):
    for child in node.childNodes:
        yield child
        yield from walk(child)


def lost(top, words):
    """What rsvg-convert cannot draw, or nobody can write, leaves the old picture, and one line."""
    path = os.path.join(top, "kept.png")
    fake = os.path.join(top, "fake")
    os.makedirs(fake)
    for script in ("exit 3", "echo half; exit 1", "exit 0"):
        with open(os.path.join(fake, "rsvg-convert"), "w") as file:
            file.write("#!/bin/sh\n%s\n" % script)
        os.chmod(os.path.join(fake, "rsvg-convert"), 0o755)
        for option in ("--plot", "--output"):
            with open(path, "w") as file:
                file.write("old")
            done = logp("plot", *words, option, path, code=1, PATH=fake + ":/usr/bin:/bin")
            check(b"rsvg-convert could not draw" in done.stderr, "%s: %s" % (script, done.stderr))
            check(open(path).read() == "old" and not [f for f in os.listdir(top) if f.startswith(".logp")],
                  "%s: %s" % (script, os.listdir(top)))


def pictures(top):
    xml.dom.minidom.parseString(logp("explain", "broadcast", "optimal", "binomial", "--format", "svg").stdout)
    for paper in ("shou-chen", "sun", "kurnosov", "grama", "liu"):
        folder = os.path.join(top, paper)
        done = logp("paper", paper, "--clock", "virtual", "--format", "json", "--plot", folder)
        records = json.loads(done.stdout)
        look_at(paper, folder, records)
        svg = logp("paper", paper, "--clock", "virtual", "--format", "svg").stdout
        counts, drawn = kinds(svg), DRAWN.get(paper, {})
        whole = [r for name, rows in figures(records) if name not in drawn for r in rows]
        check((counts.get("printed", 0), counts.get("line", 0)) == shown(whole)[:2],
              "%s in one: %s instead of %s" % (paper, counts, shown(whole)))
        # trees and diagrams are images in it: trees are the same as their files, diagrams as wide as a column
        images = [urllib.parse.unquote_to_bytes(i) for i in re.findall(rb'href="data:image/svg[+]xml,([^"]*)"', svg)]
        names = [name for name, _ in figures(records) if name in drawn]
        check(len(images) == len(names) == len(drawn), "%s: %d images, %d files" % (paper, len(images), len(names)))
        for image, name in zip(images, names):
            file = open(os.path.join(folder, name + ".svg"), "rb").read()
            check(image == file if "edge" in drawn[name][0] else
                  drawn_messages(image, "wire") == drawn_messages(file, "wire"), "%s: the image of %s" % (paper, name))
    like_tree_and_trace(os.path.join(top, "shou-chen"), os.path.join(top, "grama"))

    # a diagram that cannot be written: one line, and the other figures are there
    os.makedirs(os.path.join(top, "taken", "figure-2.svg"))
    done = logp("paper", "shou-chen", "--clock", "virtual", "--plot", os.path.join(top, "taken"), code=1)
    check(re.fullmatch(rb"logp: .*figure-2[.]svg could not be written: Is a directory\n", done.stderr), "taken: %s" % done.stderr)
    check({"figure-1.svg", "figure-1-2.svg"} < set(os.listdir(os.path.join(top, "taken"))), "taken: not all others")
    check(not [n for n in os.listdir(os.path.join(top, "taken")) if n.endswith(".new")], "taken: what is left over")

    # what was measured is a point; what the host did not keep up with is none
    folder = os.path.join(top, "measured")
    done = logp("paper", "kurnosov", "--reps", "1", "--warmup", "1", "--format", "json", "--plot", folder,
                LD_PRELOAD=CANNED, CANNED_LATER_PPM="5000")
    records = json.loads(done.stdout)
    look_at("kurnosov, measured", folder, records)
    nine = kinds(open(os.path.join(folder, "figure-9.svg"), "rb").read())
    check(nine.get("measured", 0) == sum(r["figure"] == "Figure 9" for r in records), "measured: %s" % nine)
    # what was measured far beyond the lines stands at the edge, and the axis stays
    late = os.path.join(top, "late.csv")
    logp("bench", "broadcast", "-P", "2..16*2", "--algo", "flat", "--executor", "fiber", "--reps", "1", "--warmup", "0",
         "--unit", "1us", "--output", late)
    head, *lines = list(csv.reader(open(late)))
    for line in lines:
        for column, name in enumerate(head):
            if re.fullmatch(r"measured_.*", name) and line[column]:
                line[column] = "300000000"
    csv.writer(open(late, "w"), lineterminator="\n").writerows([head] + lines)
    edge = logp("plot", late).stdout
    check(kinds(edge).get("beyond", 0) == 4, "beyond: %s" % kinds(edge))
    tics = [int(text) for text, _, _, _ in texts_of(edge) if text.isdigit()]
    check(tics and max(tics) <= 1000, "the axis: %s" % tics)
    done = logp("paper", "kurnosov", "--clock", "virtual", "--format", "svg", code=1, LD_PRELOAD=CANNED,
                CANNED_LATE="-1")
    check(b"NOT as emulated" in done.stdout, "a picture that does not agree says that it does")

    # sweeps: a point for each prediction and each measurement, from records as from the run
    words = ["broadcast", "-P", "2..16*2", "--algo", "flat,binomial", *SWEEP]
    for end in ("csv", "json"):
        logp("bench", *words, "--output", os.path.join(top, "sweep." + end))
    curves = logp("plot", *words).stdout
    check(kinds(curves) == {"line": 8, "measured": 8}, "a sweep: %s" % kinds(curves))
    for end in ("csv", "json"):
        check(logp("plot", os.path.join(top, "sweep." + end)).stdout == curves, "from %s: another picture" % end)
    for text in (b">P<", b"time, us", b">flat<", b">binomial<", b"predicted", b"emulated"):
        check(text in re.sub(rb"\s*<", b"<", re.sub(rb">\s*", b">", curves)), "a sweep: no %s" % text)
    svg = os.path.join(top, "b.svg")
    done = logp("bench", *words, "--plot", svg, "--format", "json")
    check(len(json.loads(done.stdout)) == 8 and open(svg, "rb").read() == curves, "bench --plot")
    for end, head in (("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        path = os.path.join(top, "b." + end)
        logp("plot", *words, "--plot", path)
        check(open(path, "rb").read().startswith(head), "plot to %s" % end)
    two = logp("plot", "broadcast", "-L", "2..5", "--bytes", "8,16", "-G", "1ns", "--algo", "flat", *SWEEP).stdout
    check(kinds(two) == {"line": 8, "measured": 8} and b"L, us" in two and b"algorithm | bytes" in two, "two: %s" % kinds(two))
    rows = logp("plot", "broadcast", "--algo", "flat,chain,optimal", *SWEEP).stdout
    check(kinds(rows) == {"line": 3, "measured": 3}, "no sweep: %s" % kinds(rows))
    # measured: with a bar for each interval
    wall = logp("plot", "broadcast", "-P", "2,3", "--unit", "1us", "--executor", "fiber", "--reps", "9", "--algo", "flat")
    check(b"measured" in wall.stdout, "no word of what was measured")

    hostile(top)
    lost(top, words)
    differ(top)
    legends(top)
    scales()

    # what is wrong is one line, before anything is run
    empty = os.path.join(top, "empty.csv")
    open(empty, "w").close()
    for words, said in ((["plot", "broadcast", "--plot", "x.gif"], "--plot x.gif: .*png"),
                        (["plot", "broadcast", "--plot", "/dev/null/x.png"], "--plot /dev/null/x.png: .*writable"),
                        (["plot", "nothing.csv"], "nothing.csv: "), (["plot", empty], "no records"),
                        (["plot"], "collective"), (["plot", empty, "more"], "more: unexpected"),
                        (["plot", "broadcast", "--size", "800"], "--size 800: .*800x600"),
                        (["plot", "broadcast", "--size", "100x100"], "--size 100x100: .*320x240"),
                        (["plot", "broadcast", "--size", "800x9999"], "--size 800x9999: .*8192"),
                        (["plot", "broadcast", "--size", "8e2x600x"], "--size 8e2x600x: "),
                        (["plot", "broadcast", "--title", "a\nb"], "--title a..b: must be one line"),
                        (["plot", "broadcast", "--title", "a" * 200], "--title a+: .*199 bytes"),
                        (["plot", "broadcast", "--scale", "cubic"], "--scale cubic: must be auto, linear or log"),
                        (["plot", "broadcast", "--scale", "log,"], "--scale log,: must be auto"),
                        (["bench", "broadcast", "--size", "800x600"], "--size without a picture"),
                        (["run", "broadcast", "--title", "x"], "--title: not an option"),
                        (["run", "broadcast", "--plot", "x.png"], "--plot: not an option")):
        done = logp(*words, code=2)
        check(re.search(said, done.stderr.decode()) and done.stderr.count(b"\n") == 1 and not done.stdout,
              "%s: %s" % (words, done.stderr))
    # PNG and PDF need rsvg-convert, and SVG does not
    for words in (["paper", "liu", "--plot", top], ["plot", "broadcast", "--output", os.path.join(top, "x.png")],
                  ["bench", "broadcast", "-P", "2,4", "--plot", os.path.join(top, "x.pdf")]):
        done = logp(*words, code=2, PATH="/nowhere")
        check(b"librsvg2-bin" in done.stderr and done.stderr.count(b"\n") == 1, "without rsvg-convert: %s" % done.stderr)
    for words in (["paper", "liu", "--clock", "virtual", "--format", "svg"], ["plot", "broadcast", "-P", "2,4", *SWEEP]):
        check(b"</svg>" in logp(*words, PATH="/nowhere").stdout, "no SVG without rsvg-convert")


if shutil.which("rsvg-convert") is None:
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    pictures(directory)
print("\n".join("FAILED: %s" % what for what in failed) or "all good")
sys.exit(1 if failed else 0)
