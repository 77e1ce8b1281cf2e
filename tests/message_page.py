#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each message that docs/troubleshooting.md explains is in the sources. usage: tests/message_page.py

A message is a heading in backquotes; `...` stands for what a conversion prints.
"""
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
CONVERSION = r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z]"


def texts():
    """The strings of the sources; those that follow each other are one, and a conversion ends a part."""
    for folder in ("tools", "runtime"):
        for name in glob.glob(os.path.join(TOP, folder, "**", "*.c"), recursive=True):
            with open(name, encoding="utf-8") as f:
                source = f.read()
            for several in re.findall(r"%s(?:\s*%s)*" % (LITERAL, LITERAL), source):
                text = "".join(s[1:-1] for s in re.findall(LITERAL, several))
                text = re.sub(CONVERSION, "\0", text.replace("%%", "\1")).replace("\1", "%")
                yield text.replace("\\n", "\n").replace('\\"', '"')


def main():
    known = "\0".join(texts())
    with open(os.path.join(TOP, "docs", "troubleshooting.md"), encoding="utf-8") as f:
        messages = re.findall(r"^### `(.*)`$", f.read(), re.M)
    wrong = ["%s: no message has '%s'" % (m, part) for m in messages for part in m.split("...")
             if len(part) > 2 and part not in known]
    print("\n".join(wrong) or "%d messages are in the sources" % len(messages))
    return 1 if wrong or not messages else 0


sys.exit(main())
