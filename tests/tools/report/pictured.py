# SPDX-License-Identifier: MIT
"""The picture of README.md shows what its command makes.

tools/pictures/report.png is the upper part of the page of the command that docs/pictures.md names. It has the text that
it shows as a comment (tEXt), which is compared: pixels depend on the fonts of the host.
"""
import base64
import os
import re
import shlex
import struct
import sys
import zlib

from support import Browser, check, clean, make

TOP = os.path.abspath(os.path.join(__file__, "../../../.."))
PICTURE = os.path.join(TOP, "tools", "pictures", "report.png")
WIDTH = 1100
PARTS = ".lead, #results, #ranking"


def command():
    with open(os.path.join(TOP, "docs", "pictures.md"), encoding="utf-8") as file:
        return shlex.split(re.search(r"`logp report ([^`]*) --output page.html`", file.read())[1])


def chunks(png):
    """(type, data) of a PNG."""
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind, png[at + 8:at + 8 + size]
        at += 12 + size


def commented(png, text):
    """The same picture with a comment behind its header."""
    out = png[:8]
    for kind, data in chunks(png):
        for k, d in [(kind, data)] + ([(b"tEXt", b"Comment\0" + text.encode("latin-1", "xmlcharrefreplace"))] if kind == b"IHDR" else []):
            out += struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d))
    return out


def test_picture_of_the_readme():
    path = make("pictured", *command())
    with Browser(WIDTH, 900) as browser:
        browser.open(path)
        clean(browser, path, "the picture")
        shown = browser.value("[...document.querySelectorAll('%s')].map((e) => e.innerText).join('\\n')" % PARTS)
        if "--write" in sys.argv:
            height = browser.value("Math.ceil(document.querySelector('#ranking').getBoundingClientRect().bottom + scrollY)")
            browser.resize(WIDTH, height)
            browser.settle()
            png = base64.b64decode(browser.call("Page.captureScreenshot")["data"])
            with open(PICTURE, "wb") as file:
                file.write(commented(png, shown))
    with open(PICTURE, "rb") as file:
        kept = [data.split(b"\0", 1)[1] for kind, data in chunks(file.read()) if kind == b"tEXt"]
    check(kept == [shown.encode("latin-1", "xmlcharrefreplace")], "tools/pictures/report.png shows something else; make it with",
          "tests/tools/report/page.py LOGP --write: it shows", kept, "and not", shown)
