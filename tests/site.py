#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site of the documentation in a browser without a network: no page complains, asks a server for
something or is wider than the screen; the navigation shows, the search finds functions and pages, and
the colours follow the system.

usage: tests/site.py SITE BROWSER [PICTURES]    PICTURES: a folder for a picture of each page and size
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "report"))
import browser  # noqa: E402

SITE, PROGRAM = sys.argv[1:3]
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
PAGES = ["index", "documentation", "concepts", "running", "command", "records", "troubleshooting", "tutorial-race",
         "vp_8h", "structlogp__config", "annotated", "globals"]
SHOWN = """(selector => { const it = document.querySelector(selector);
    return it !== null && it.getBoundingClientRect().width > 0; })(%r)"""
WIDER = """[...document.querySelectorAll("#doc-content")].map(it => it.scrollWidth - it.clientWidth)
    .concat(document.documentElement.scrollWidth - innerWidth).some(more => more > 1)"""
BRIGHT = "getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 127"
FOUND = """[...document.querySelectorAll(".SRResult")].filter(it => it.getBoundingClientRect().height > 0)
    .map(it => it.querySelector(".SRSymbol").textContent)"""
wrong = []


def expect(what, holds):
    if not holds:
        wrong.append(what)


def search(page, word, result):
    """Whether the search for a word shows this result. The page of results is in a frame that scripts
    may not read, so it is opened by itself."""
    page.open(os.path.join(SITE, "index.html"))
    page.value("document.querySelector('#MSearchField').focus()")
    for letter in word:
        page.key(letter, text=letter)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        time.sleep(0.6) # the search waits until typing has ended
        page.settle()
        asked = [url for url in page.requests if url.endswith("?" + word)]
        if asked:
            page.open(asked[-1][len("file://"):])
            return result in page.value(FOUND)
    return False


with browser.Browser(PROGRAM) as page:
    for width in (1280, 360):
        page.resize(width, 900)
        for dark in (False, True):
            page.prefer(dark)
            for name in PAGES:
                seen = "%s at %d px, %s" % (name, width, "dark" if dark else "light")
                page.open(os.path.join(SITE, name + ".html"))
                expect(seen + ": wider than the screen", not page.value(WIDER))
                expect(seen + ": the background", page.value(BRIGHT) != dark)
                expect(seen + ": the tree", page.value(SHOWN % "#nav-tree .item") == (width == 1280))
                if PICTURES:
                    page.picture(os.path.join(PICTURES, "%s-%d-%s.png" % (name, width, "dark" if dark else "light")),
                                 whole=False)
    page.resize(1280, 900)
    expect("the search finds no function", search(page, "logp_se", "logp_send"))
    expect("the search finds no page", search(page, "running", "Running collectives"))
    wrong += page.complaints + [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))]
print("\n".join(wrong) or "the site works without a server")
sys.exit(1 if wrong else 0)
