#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of `logp paper`: those printed, of formulas, predicted and of the virtual clock are those of
papers/NAME.txt; what is measured is shown, and what does not agree is said.

A table there has its rows, their numbers in the order of the rows (-: none; ours: predicted and on the virtual clock
alike), remarks by their rows, and the numbers in its notes. A claim has its verdict and the numbers in its words, a
listing those of its run as printed, and as here.
usage: tests/papers.py [--update] LOGP [CANNED]; CANNED is to be preloaded (canned_paper.c); without it, numbers alone
--update: keep the numbers of now; look at `git diff tests/papers` before it is committed
"""
import json
import os
import re
import subprocess
import sys
import textwrap

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "papers")
PAPERS = ["shou-chen", "sun", "kurnosov", "grama", "liu"]
COLUMNS = ["printed", "paper_formula", "derived", "predicted", "emulated"]
failures = []


def check(right, what):
    if not right:
        failures.append(what)


def run(paper, *options, canned="", clock="virtual"):
    """Exit code, stdout and stderr of `logp paper`; canned: "NAME=VALUE NAME=VALUE", with what is preloaded."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}
    env.update(entry.split("=", 1) for entry in canned.split())
    env.update({"LD_PRELOAD": CANNED} if canned else {})
    given = ["--clock", "virtual"] if clock == "virtual" else ["--reps", "1", "--warmup", "1"]
    done = subprocess.run([LOGP, "paper", paper, *given, *options], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def records(paper, **how):
    code, out, err = run(paper, "--format", "json", **how)
    return code, json.loads(out), err


def numbers(texts):
    return re.findall(r"\d+(?:\.\d+)?", " ".join(texts))


def joined(words, separator=" "):
    """The words with a separator between; many equal ones as 3*0."""
    out = []
    for word in words:
        if out and out[-1][0] == word and separator == " ":
            out[-1][1] += 1
        else:
            out.append([word, 1])
    return separator.join(str(w) if n == 1 else "%d*%s" % (n, w) for w, n in out)


def shown_table(rows):
    lines = ["%s: %s, in %s" % (rows[0]["figure"], rows[0]["title"], rows[0]["unit"])]
    lines.append("rows " + joined(["|".join(str(v) for v in row["row"].values()) for row in rows], "; "))
    values = {c: [("-" if row[c] is None else "%.7g" % row[c]) for row in rows] for c in COLUMNS}
    if values["predicted"] == values["emulated"]:
        values["ours"] = values.pop("predicted")
        values.pop("emulated")
    lines += [c + " " + joined(v) for c, v in values.items() if any(x != "-" for x in v)]
    kinds = [row["prediction"] for row in rows]
    lines += ["kinds " + joined(kinds)] if set(kinds) - {"exact", "none"} else []
    remarks = {}
    for i, row in enumerate(rows, 1):
        if row["remark"]:
            remarks.setdefault(row["remark"], []).append(i)
    lines += ["remarks " + "; ".join("%s: %s" % (" ".join(map(str, at)), text) for text, at in remarks.items())] \
        if remarks else []
    notes = [row["notes"] for row in rows if row["notes"]]
    check(len(notes) == bool(notes) and not any(row["notes"] for row in rows[1:]), "%s: notes" % lines[0])
    return lines + (["notes %d: %s" % (len(notes[0]), joined(numbers(notes[0])))] if notes else [])


def tables_of(found):
    """The records of each table, one after another."""
    tables = []
    for record in found:
        same = tables and all(tables[-1][0][key] == record[key] for key in ("figure", "title"))
        tables[-1].append(record) if same else tables.append([record])
    return tables


def shown(found):
    """The records of a paper as the lines of its file."""
    lines = []
    for rows in tables_of(found):
        if rows[0]["figure"] == "Listings":
            lines += ["listing %s: %s -> %s" % (r["row"]["listing"], joined(numbers([r["row"]["run as printed"]])),
                                                joined(numbers([r["row"]["as run here"]]))) for r in rows]
        elif rows[0]["figure"] == "Summary":
            lines += ["%s %s: %s" % (r["verdict"].split()[0], r["row"]["what"], joined(numbers([r["remark"]])))
                      for r in rows]
        else:
            lines += shown_table(rows)
    return "".join(textwrap.fill(line.rstrip(), 118, subsequent_indent="  ", break_long_words=False,
                                 break_on_hyphens=False) + "\n" for line in lines)


def holds(row):
    ours, emulated = row["predicted"], row["emulated"]
    return row["measured"] is None and (ours is None or emulated is None or {
        "exact": ours == emulated, "bound": emulated <= ours, "lower-bound": emulated >= ours}[row["prediction"]])


def try_numbers(paper):
    code, found, err = records(paper)
    check(code == 0 and err == "", "paper %s: exit code %d: %s" % (paper, code, err))
    check(all(map(holds, found)), "paper %s: predictions do not hold" % paper)
    path = os.path.join(HERE, paper + ".txt")
    if UPDATE:
        with open(path, "w", encoding="utf-8") as f:
            f.write(shown(found))
    with open(path, encoding="utf-8") as f:
        kept = f.read().split("\n")
    now = shown(found).split("\n")
    for was, is_now in zip(kept + [""] * len(now), now + [""] * (len(kept) - len(now))):
        check(was == is_now, "paper %s: kept   %s\n          printed  %s" % (paper, was, is_now))
    try_text(paper, found)
    # in CSV there are as many listings and verdicts
    listings = sum(r["figure"] == "Listings" for r in found)
    verdicts = sum(r["verdict"] is not None for r in found)
    csv = run(paper, "--format", "csv")[1]
    check((csv.count(",Listings,"), csv.count(",Summary,")) == (listings, verdicts), "paper %s: CSV" % paper)
    check({re.sub('"[^"]*"', "x", line).count(",") for line in csv.splitlines()} == {13}, "paper %s: cells" % paper)
    return found


def cell(row, column):
    """A number as the text has it."""
    x = row[column]
    if x is None:
        return "n/a" if column == "printed" else "-"
    mark = {"bound": "<= ", "lower-bound": ">= "}.get(row["prediction"], "") if column == "predicted" else ""
    return mark + ("%d" % x if x == int(x) else "%g" % x if column == "printed" else "%.2f" % x)


def table_as_text(rows):
    """The table of these records, without its notes."""
    columns = [c for c in COLUMNS if c != "derived" or any(r[c] is not None for r in rows)]
    headings = {"paper_formula": "its formula", "derived": "derived here", "emulated": "virtual", "printed": "printed" + (
        ", " + rows[0]["printed_unit"] if rows[0]["printed_unit"] != rows[0]["unit"] else "")}
    labels = list(rows[0]["row"])
    table = [labels + [headings.get(c, c) for c in columns]]
    table += [[str(v) for v in r["row"].values()] + [cell(r, c) for c in columns] for r in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    left = [i < len(labels) and not re.fullmatch(r"-?\d+", table[1][i]) for i in range(len(widths))]
    lines = ["".join("  " + (text.ljust if is_left else text.rjust)(width)
                     for text, width, is_left in zip(line, widths, left)) for line in table]
    lines[1:] = [line + ("  " + r["remark"] if r["remark"] else "") for line, r in zip(lines[1:], rows)]
    return "\n%s: %s (%s)\n\n%s\n" % (rows[0]["figure"], rows[0]["title"], rows[0]["unit"], "\n".join(lines))


def alike(line, other):
    """Equal, or with a last decimal that is rounded the other way: records have seven digits."""
    return line == other or len(line) == len(other) and all(
        a == b or re.fullmatch(r"\d+\.\d\d", a) and abs(float(a) - float(b)) < 0.011
        for a, b in zip(line.split(), other.split()))


def try_text(paper, found):
    """The text has the tables, notes, listings and verdicts of the records."""
    text = run(paper)[1]
    flat, lines = " ".join(text.split()), text.split("\n")
    for rows in tables_of(found):
        if rows[0]["figure"] not in ("Listings", "Summary"):
            expected = table_as_text(rows).split("\n")[1:-1]
            at = lines.index(expected[0]) if expected[0] in lines else 0
            check(all(map(alike, expected, lines[at:])), "paper %s as text, not: %s" % (paper, "\n".join(expected)))
    for r in found:
        parts = (r["notes"] or []) + (list(r["row"].values()) if r["figure"] == "Listings" else [])
        parts += ["- %s: %s: %s" % (r["row"]["what"], r["verdict"], r["remark"])] if r["verdict"] else []
        check(all(" ".join(part.split()) in flat for part in parts), "paper %s as text, not: %s" % (paper, parts))
    check(max(map(len, text.split("Claims of the paper")[1].splitlines())) <= 100, "paper %s: long lines" % paper)


def try_measured():
    """What is measured is what was measured, and nothing where the host did not keep up."""
    for paper in ("shou-chen", "grama"):
        for later, shows in ((5000, True), (20000, False)):
            code, found, err = records(paper, clock="wall", canned="CANNED_LATER_PPM=%d" % later)
            measured = [r for r in found if r["measured"] is not None and r["emulated"] != 0]
            check(code == 0 and (len(measured) >= 3 if shows else not measured) and
                  all(abs(r["measured"] - r["emulated"] * 1.005) < 1e-3 for r in measured),
                  "paper %s, %d ppm later: %s" % (paper, later, err))
    out = run("shou-chen", clock="wall", canned="CANNED_MEASURED=1234567")[1]
    check(len(re.findall(r"^   all .* 24 *-  the broadcast", out, re.M)) == 2, "late, as text")
    check(re.search(r"did not keep up with (\d+) of \1 runs", out), "all are late, and it is not said")
    out = run("shou-chen", clock="wall", canned="CANNED_MEASURED=239000")[1]
    check(len(re.findall(r"^   all .* 24 *23.90  the broadcast", out, re.M)) == 2, "measured, as text")


def disagrees(paper, canned, lines):
    code, out, err = run(paper, canned=canned)
    n = len(re.findall(r"predicted [0-9.]*(?: ns, the virtual clock|, here) ", err))
    check(code == 1 and n == lines, "paper %s, %s: exit code %d, %d lines, not %d" % (paper, canned, code, n, lines))
    check("\nNot every prediction agrees with the virtual clock" in out, "paper %s, %s: all agree" % (paper, canned))
    return out, err


def try_disagreement(sun):
    """What does not agree is said, once for each run, and the exit code is 1."""
    exact = sum(r["prediction"] == "exact" and r["emulated"] is not None and not r["figure"].startswith("Lemmas")
                for r in sun)
    check("paper sun, transpose ring: predicted 50000 ns, the virtual clock 50001 ns" in
          disagrees("sun", "CANNED_LATE=1", exact)[1], "which one does not agree")
    check(re.search("n/a *12 *10 *10.00", disagrees("sun", "CANNED_LATE=-1", exact)[0]), "the virtual clock's number")
    disagrees("sun", "CANNED_CERTAINTY=2 CANNED_LATE=1", exact)
    disagrees("sun", "CANNED_CERTAINTY=3 CANNED_LATE=-1", exact)
    disagrees("shou-chen", "CANNED_LATE=1", 68)  # 52 runs, and 8 times two numbers of operands
    disagrees("shou-chen", "CANNED_NOW=1", 38)
    disagrees("kurnosov", "CANNED_NOW=-1", 62)
    check("binomial-nearest: predicted 1510000 ns, the virtual clock 1180000 ns" in
          run("grama", canned="CANNED_LATE=-800000")[2], "below a lower bound")
    for canned in ("CANNED_CERTAINTY=2 CANNED_LATE=-1", "CANNED_CERTAINTY=3 CANNED_LATE=1",
                   "CANNED_CERTAINTY=0 CANNED_LATE=1"):
        check(run("sun", canned=canned)[0] == 0, "paper sun, %s" % canned)
    code, out, err = run("sun", canned="CANNED_WRONG=3")
    check(code == 1 and err.count("WRONG RESULT on rank 3") == 1 and "\nThe run was interrupted" in out and
          "Claims of the paper" not in out, "a wrong result: %s" % err)
    code, out, err = run("shou-chen", canned="CANNED_TREE=7")
    check(code == 1 and "Figure 1: the trees are not those printed" in err, "another tree: %s" % err)


def try_other_algorithms():
    """What is said turns round with the algorithms."""
    said = {r["row"]["what"]: r for r in records("grama", canned="CANNED_INSTEAD=binomial=binomial-nearest")[1]
            if r["verdict"]}
    check(all(said[f]["verdict"] == "differs" for f in ("Figure 4.2", "Figure 4.6", "Figure 4.7")), "other steps")
    swapped = "CANNED_INSTEAD=kchain=kchain-short-first,kchain-short-first=kchain"
    said = {r["row"]["what"]: r for r in records("kurnosov", canned=swapped)[1] if r["verdict"]}
    check(said["Figure 9, k = 4"]["verdict"] == "differs", "swapped chains: figure 9")
    for what, words in (("Figure 7", "sometimes slower"), ("Figure 6, 3o+2L+c", "45 units in place of 37"),
                        ("Section 6, short first, in general", "ours 45"),
                        ("Section 6, long first, 9o+3L+6c", "ours 37")):
        check(words in said[what]["remark"], "swapped chains: %s: %s" % (what, said[what]["remark"]))


UPDATE = "--update" in sys.argv
LOGP, CANNED = (list(map(os.path.abspath, sys.argv[1 + UPDATE:])) + [None])[:2]
all_found = {paper: try_numbers(paper) for paper in PAPERS}
if CANNED is not None:
    try_measured()
    try_disagreement(all_found["sun"])
    try_other_algorithms()
for failure in failures:
    print("FAILED:", failure)
print("" if failures else "all good")
sys.exit(bool(failures))
