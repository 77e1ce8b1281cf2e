#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site of the documentation in a browser without a network: no page complains, asks a server for
something or is wider than the screen; the navigation shows, the colours follow the system, and the search
finds what is in the text of pages and of the API, by keyboard and by mouse.

usage: tests/repository/site.py SITE BROWSER [PICTURES]    PICTURES: a folder for a picture of each page and size
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/report"))
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
RESULTS = """[...document.querySelectorAll("#search-results a")].map(it => [it.querySelector(".search-name").textContent,
    it.getAttribute("href"), it.textContent])"""
STATUS = "document.querySelector('#search-status').textContent"
OPEN = "!document.querySelector('#search-panel').hidden"
CHOSEN = """[...document.querySelectorAll("#search-results a")].findIndex(it => it.getAttribute("aria-selected") === "true"
    && it.id === document.activeElement.getAttribute("aria-activedescendant"))"""
# What is typed, and the name, address and words of a result; the first one unless another place is given.
SEARCHES = [
    ("logp_send", "logp_send", "vp_8h.html#a", "Send n_bytes bytes", 0),
    ("logp_recv_until(", "logp_recv_until", "vp_8h.html#a", "function in vp.h", 0),
    ("LOGP_SEND_BUFFERED", "LOGP_SEND_BUFFERED", "vp_8h.html#a", "it does not wait", 0),
    ("logp_config stack_bytes", "stack_bytes", "structlogp__config.html#a", "field in logp_config", 0),
    ("running collectives", "Running collectives", "running.html", "page", 0),
    ("timing rules", "Timing rules", "design.html#design-timing-rules", "section in Design", 0),
    ('"length of a time unit"', "Options", "command.html#command-options", "--unit T length of a time unit", 0),
    ("--unit", "Options", "command.html#command-options", "--unit T length of a time unit", 3),
    ("blocking section mutex", "logp_blocking_begin", "vp_8h.html#a", "a mutex", 0),
    ("mutex qqzzqq", None, None, None, 0),
    ("qqzzqq", None, None, None, 0),
]
wrong = []


def expect(what, holds):
    if not holds:
        wrong.append(what)


def until(page, condition):
    end = time.monotonic() + 60
    while not page.value(condition) and time.monotonic() < end:
        time.sleep(0.05)
    return page.value(condition)


def search(page, text):
    """The results for what is typed into the field, which "/" enters; an earlier text is replaced."""
    page.key("/", text="/")
    expect("/ does not enter the field", page.value("document.activeElement.id") == "search-field")
    page.value("document.activeElement.value = '', document.querySelector('#search-results').replaceChildren()")
    for letter in text:
        page.key(letter, text=letter)
    until(page, STATUS + ".match(/result|Nothing/) !== null")
    found = page.value(RESULTS)
    page.value("document.activeElement.blur()")
    expect("the results stay open", not page.value(OPEN))
    return found


def test_results(page):
    page.open(os.path.join(SITE, "index.html"))
    expect("the text is loaded before it is asked for", page.value("search.entries === null"))
    for text, name, address, words, place in SEARCHES:
        found = search(page, text)
        if name is None:
            expect("%s: found %s" % (text, found[:1]), found == [] and page.value(STATUS) == "Nothing was found."
                   or "No section has all" in page.value(STATUS))
        elif len(found) <= place:
            expect("%s: only %d results" % (text, len(found)), False)
        else:
            expect("%s: found %s" % (text, found[place]), found[place][0] == name
                   and found[place][1].startswith(address) and words in found[place][2])


def test_every_entry_leads_somewhere(page):
    """And no file of the site that has text is without an entry."""
    with open(os.path.join(SITE, "search-index.js"), encoding="utf-8") as file:
        entries = json.loads(re.sub(r"^searchEntries\(|\);\s*$", "", file.read()))
    expect("only %d entries" % len(entries), len(entries) > 1000)
    anchors = {}
    for kind, name, _, url, _ in entries:
        path, _, anchor = url.partition("#")
        if path not in anchors:
            with open(os.path.join(SITE, path), encoding="utf-8") as file:
                anchors[path] = set(re.findall(r'(?:id|name)="([^"]+)"', file.read()))
        expect("no name: " + url, name)
        expect("%s %s leads to no place: %s" % (kind, name, url), not anchor or anchor in anchors[path])
    lists = re.compile(r"(annotated|classes|files|functions.*|globals.*|pages|dir_.*|usergroup\d)\.html")
    pages = {path for path in os.listdir(SITE) if path.endswith(".html") and not lists.fullmatch(path)}
    expect("without an entry: %s" % (pages - set(anchors)), pages == set(anchors))


def test_keyboard_and_mouse(page):
    page.open(os.path.join(SITE, "concepts.html"))
    found = search(page, "virtual clock")
    expect("few results for virtual clock", len(found) > 5)
    page.key("/", text="/")
    expect("the field is entered without its results", page.value(OPEN))
    page.key("Escape")
    expect("Escape leaves the results open", not page.value(OPEN))
    page.value("document.activeElement.click()")
    for key, chosen in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowUp", 0), ("ArrowUp", len(found) - 1),
                        ("ArrowDown", 0), ("ArrowDown", 1)):
        page.key(key)
        expect("%s chooses result %s" % (key, page.value(CHOSEN)), page.value(CHOSEN) == chosen)
    for way, place in (("Enter", 1), ("a click", 2)):
        target = json.dumps(found[place][1])
        if way == "Enter":
            page.key("Enter")
        else:
            search(page, "virtual clock")
            page.value("document.querySelector('#search-field').click()")
            x, y = page.value("""(it => [it.left + 20, it.top + 5])(
                document.querySelectorAll("#search-results a")[2].getBoundingClientRect())""")
            for kind in ("mousePressed", "mouseReleased"):
                page.mouse(kind, x, y, button="left", clickCount=1)
        expect("%s does not lead to %s" % (way, target), until(page, "location.href.endsWith(%s)" % target))
        until(page, "document.readyState === 'complete'")


def test_without_scripts(page):
    """There is no field that does nothing, but a way to what it would find."""
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.call("Page.navigate", url="file://" + os.path.abspath(os.path.join(SITE, "index.html")))
    page.wait(lambda m: m.get("method") == "Page.loadEventFired", "Page.navigate")
    page.call("Emulation.setScriptExecutionDisabled", value=False)
    expect("the field is there without scripts", not page.value(SHOWN % "#search-field"))
    expect("without scripts nothing is said", page.value(SHOWN % "#search-none a"))


def becomes(page, script, wanted):
    """Is it, soon? Scripts of the page make the tree."""
    for _ in range(50):
        if page.value(script) == wanted:
            return True
        time.sleep(0.1)
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
                expect(seen + ": the field of the search", page.value(SHOWN % "#search-field"))
                expect(seen + ": the tree", becomes(page, SHOWN % "#nav-tree .item", width == 1280))
                if name == "concepts":
                    search(page, "blocking section")
                    page.value("document.querySelector('#search-field').click()")
                    expect(seen + ": the results are wider than the screen", page.value("""(it => it.left >= 0 &&
                        it.right <= innerWidth)(document.querySelector("#search-panel").getBoundingClientRect())"""))
                if PICTURES:
                    page.picture(os.path.join(PICTURES, "%s-%d-%s.png" % (name, width, "dark" if dark else "light")),
                                 whole=False)
    page.resize(1280, 900)
    test_results(page)
    test_every_entry_leads_somewhere(page)
    test_keyboard_and_mouse(page)
    test_without_scripts(page)
    wrong += page.complaints + [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))]
print("\n".join(wrong) or "the site works without a server")
sys.exit(1 if wrong else 0)
