#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files that the pages of the tree name exist (links: links.py). A program that a page quotes
(a block of C, JSON or text after `[name](file):`) is that file, and a block after `From FILE:` is part of
that file; each picture of docs/images is on a page; no table of an MPI page has more than 15 lines. A figure that is `([measured](PAGE))` stands there, too.

usage: tests/repository/pages.py
"""
import glob
import os
import re
import sys

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
os.chdir(TOP)
PAGES = glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True)
# Where a page names a file, from one of these
FOLDERS = ["", "runtime/", "runtime/core/", "runtime/mail/", "runtime/check/", "runtime/state/",
           "algorithms/schedule/", "tests/", "include/logp/"]
QUOTE = re.compile(r"\]\(([^)\s]+)\):\n\n```(?:c|json|text)\n(.*?)^```$", re.M | re.S)
LARGEST_PICTURE = 40000  # bytes
LONGEST_TABLE = 15  # lines, with those of the heading
wrong = []
pictures = set(glob.glob("docs/images/*"))
for page in PAGES:
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        pictures.discard(os.path.normpath(os.path.join(os.path.dirname(page), link)))
    for name, quote in QUOTE.findall(text):
        with open(os.path.join(os.path.dirname(page), name), encoding="utf-8") as file:
            if file.read() != quote:
                wrong.append("%s: what it quotes is not %s" % (page, name))
    for name in re.findall(r"`([a-z_/*-]+\.(?:c|h|py|sh))`", text) if page.startswith("docs") else []:
        if not any(glob.glob(folder + name) for folder in FOLDERS):
            wrong.append("%s: no %s" % (page, name))
    for figure, name in re.findall(r"([\d.]+ \w+)\s+\(\[measured\]\(([^)#]+)[^)]*\)\)", text):
        with open(os.path.join(os.path.dirname(page), name), encoding="utf-8") as file:
            if not re.search(r"(?<![\d.])" + re.escape(figure).replace(r"\ ", r"\s+") + r"\b", file.read()):
                wrong.append("%s: %s is not what %s says" % (page, figure, name))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M) if page.startswith("docs/mpi-") else []:
        if table.count("\n") > LONGEST_TABLE:
            wrong.append("%s: a table of %d lines: %s" % (page, table.count("\n"), table.split("\n")[2]))
    for name, quoted in re.findall(r"From `([^`]+)`:\n\n```[a-z]+\n(.*?)^```$", text, re.M | re.S):
        with open(name, encoding="utf-8") as file:
            if quoted not in file.read():
                wrong.append("%s: %s has other lines than the block" % (page, name))
wrong += ["no page shows " + picture for picture in sorted(pictures)]
wrong += ["%s is larger than %d bytes" % (picture, LARGEST_PICTURE) for picture in glob.glob("docs/images/*")
          if os.path.getsize(picture) > LARGEST_PICTURE]
print("\n".join(wrong) or "%d pages name what there is" % len(PAGES))
sys.exit(1 if wrong else 0)
