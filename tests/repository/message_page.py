#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each message that docs/troubleshooting.md explains is in the sources, and each that tools/ print on
stderr, but errors of arguments, is explained. usage: tests/repository/message_page.py

A message is a heading in backquotes; `...` stands for what a conversion prints.
"""
import glob
import os
import re
import sys

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
CONVERSION = r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z]"


SAID = re.compile(r'(?:\b(?:say|failure)\(|fprintf\(stderr,)\s*(%s(?:\s*%s)*)' % (LITERAL, LITERAL))
LEAST = 7  # letters of a part that tells one message from others
# Progress, lines that belong to another message, and what getopt() says for an MPI program
NEED_NO_WORD = ("is ambiguous; possibilities:", "of %d runs \\033", "of %lld rows", "no memory", "paper %s", "points, %s left", "schedules, at most %s left \\033", "trying %s \\033", "P = %lld, size", "\\033[%dA", "ratio %.4f", "lag %.3f",
                "run%s; ", "%s %s%s%s: ", "%s of rank %d: ", "... and ", "  rank %d %s", "  rank %lld %s", "  rank %d in %s")


def text_of(literals):
    """The text of strings that follow each other, with \\0 for each conversion."""
    text = "".join(literal[1:-1] for literal in re.findall(LITERAL, literals))
    text = re.sub(CONVERSION, "\0", text.replace("%%", "\1")).replace("\1", "%")
    return text.replace("\\n", "\n").replace('\\"', '"')


def sources(*folders):
    for folder in folders:
        for name in glob.glob(os.path.join(TOP, folder, "**", "*.c"), recursive=True):
            with open(name, encoding="utf-8") as f:
                yield f.read()


def main():
    known = "\0".join(text_of(literals) for source in sources("tools", "runtime")
                      for literals in re.findall(r"%s(?:\s*%s)*" % (LITERAL, LITERAL), source))
    with open(os.path.join(TOP, "docs", "troubleshooting.md"), encoding="utf-8") as f:
        messages = re.findall(r"^### `(.*)`$", f.read(), re.M)
    parts = {part for m in messages for part in m.split("...") if len(part) > 2}
    wrong = ["no message has '%s'" % part for part in sorted(parts) if part not in known]
    telling = [part for part in parts if len(part) >= LEAST]
    for source in sources("tools"):
        for literals in SAID.findall(source):
            if not any(word in literals for word in NEED_NO_WORD) and len(max(text_of(literals).split("\0"), key=len)) >= LEAST:
                text = text_of(literals)
                if not any(part in text for part in telling):
                    wrong.append("not explained: %s" % text.replace("\0", "...").strip())
    print("\n".join(wrong) or "%d messages are in the sources" % len(messages))
    return 1 if wrong or not messages else 0


sys.exit(main())
