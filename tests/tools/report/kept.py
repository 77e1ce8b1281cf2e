# SPDX-License-Identifier: MIT
"""What can be kept of the page: its figures and their data as files, its state as its address."""
import csv
import io
import json
import os
import struct
import tempfile
import time
import xml.etree.ElementTree as xml

from support import Browser, VIRTUAL, check, clean, click, logp, make, span, text, view

SVG = "{http://www.w3.org/2000/svg}"


def downloaded(browser, name, folder):
    """The bytes of what a button saves."""
    browser.call("Browser.setDownloadBehavior", behavior="allow", browserContextId=browser.context, downloadPath=folder)
    browser.call("Runtime.evaluate", expression="document.querySelector('[data-save=\"%s\"]').click()" % name, userGesture=True)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for file in os.listdir(folder):
            path = os.path.join(folder, file)
            if file.endswith("-" + name) and os.path.getsize(path) > 0:
                with open(path, "rb") as f:
                    return f.read()
        time.sleep(0.02)
    check(False, name, "is not saved; there are", os.listdir(folder))
    return b""


def rows_of(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_figures_can_be_saved():
    arguments = ("broadcast", "-P", "4,8,16", "--bytes", "8", "-G", "0.01", *VIRTUAL)
    path = make("saved", *arguments)
    said = {(r["P"], r["algorithm"]): r for r in json.loads(logp("bench", *arguments, "--algo", "all", "--format", "json"))}
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        browser.open(path)
        pictures = {}
        for name in ("curves", "ranking", "map", "diagram"):
            picture = pictures[name] = xml.fromstring(downloaded(browser, name + ".svg", folder))
            check(picture.tag == SVG + "svg", name, "is no SVG but", picture.tag)
            words = " ".join(picture.itertext())
            check({"curves": "time, µs", "ranking": "optimal", "map": "P = 16", "diagram": "P15"}[name] in words, name, "lacks words:", words[:300])
            check(all("var(" not in value for node in picture.iter() for value in node.attrib.values()), name, "needs a style sheet")
            image = downloaded(browser, name + ".png", folder)
            check(image[:8] == b"\x89PNG\r\n\x1a\n", name, "is no PNG")
            width, height = struct.unpack(">II", image[16:24])
            check((width, height) == (2 * int(picture.get("width")), 2 * int(picture.get("height"))), name, "as PNG has", width, height)
            shades = browser.value("""(async () => { const image = new Image();
                image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(save.picture(dom.by(%s), null)); await image.decode();
                const canvas = dom.html("canvas", {width: image.width, height: image.height}), to = canvas.getContext("2d");
                to.drawImage(image, 0, 0);
                return new Set(new Uint32Array(to.getImageData(0, 0, image.width, image.height).data.buffer)).size; })()"""
                % json.dumps({"curves": "curves", "ranking": "ranking-table", "map": "map", "diagram": "stage"}[name]))
            check(shades > 20, name, "is drawn in", shades, "colours")
        curves = pictures["curves"]
        drawn = [node.get("data-curve") for node in curves.iter(SVG + "path") if node.get("data-curve")]
        check(len(drawn) == 2 * browser.value("curves.shown.size"), "curves in the SVG:", drawn)
        words = [node.text for node in curves.iter(SVG + "text")]
        for name in browser.value("[...curves.shown].map(curves.label)"):
            check(name in words, "the legend of the SVG lacks", name, words)
        colours = {node.get("fill") for node in pictures["map"].iter(SVG + "rect")}
        wanted = browser.value("[...new Set([...document.querySelectorAll('#map button')].map((b) => getComputedStyle(b).backgroundColor))]")
        check(set(wanted) <= colours, "the map's SVG lacks", set(wanted) - colours)
        for name, picture in pictures.items():
            named = {node.get("id") for node in picture.iter()}
            used = {value.split("#")[1].rstrip('")') for node in picture.iter() for value in node.attrib.values() if value.startswith("url(")}
            check(used <= named, name, "names what is not there:", used - named)
        clean(browser, path, "saved")
    # the data in another browser: Chromium asks before the eleventh download from one page
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        browser.open(path)
        rows = rows_of(downloaded(browser, "curves.csv", folder))
        check(len(rows) == browser.value("records.all.length"), "rows of the curves:", len(rows))
        for row in rows:
            right = said[int(row["P"]), row["algorithm"]]["predicted_ns"]
            check(int(row["predicted_ns"]) == right, row, right)
            check(int(row["median_ns"]) == right, "the virtual clock:", row)
        ranking = rows_of(downloaded(browser, "ranking.csv", folder))
        check([r["predicted_ns"] for r in ranking] == sorted((r["predicted_ns"] for r in ranking), key=int), "the ranking's order")
        winners = rows_of(downloaded(browser, "map.csv", folder))
        check(len(winners) == browser.value("document.querySelectorAll('#map button').length"), "cells of the map:", len(winners))
        events = rows_of(downloaded(browser, "diagram.csv", folder))
        sends = [e for e in events if e["kind"] == "send" and e["source"] == "predicted"]
        check(len(sends) == 15, "sends to 15 others:", len(sends))
        # 7 x 100 ns for each message of 8 bytes
        check(all((e["stream_ns"] == "700") == (e["kind"] == "send") for e in events), "the ports stream (k-1)G")
        check(max(int(e["end_ns"]) for e in events) == said[16, "optimal"]["predicted_ns"], "the diagram's end")
        clean(browser, path, "saved")


def test_csv_is_quoted():
    path = make("quoted", "broadcast", "--algo", "flat", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        text_of = browser.value("""save.csv([["a,b", 'c"d', "e\\nf"], [null, NaN, 0]])""")
        check(list(csv.reader(io.StringIO(text_of, newline=""))) == [["a,b", 'c"d', "e\nf"], ["", "", "0"]], "CSV:", repr(text_of))


def wait_for_address(browser, part):
    until = time.monotonic() + 10
    while part not in browser.value("location.hash") and time.monotonic() < until:
        time.sleep(0.05)
    check(part in browser.value("location.hash"), "not in the address:", part, browser.value("location.hash"))


STATE = """({point: dom.by("point").value, axis: dom.by("axis").value, log: dom.by("curves-log").checked,
    shown: [...curves.shown].sort(), trace: dom.by("trace").value, overlay: dom.by("overlay").querySelector(":checked").value,
    path: dom.by("path").checked, messages: dom.by("messages").checked, scrub: dom.by("scrub").value, dark: theme.isDark(),
    note: dom.by("ranking-note").textContent, rows: curves.graph.numRows(), view: stage.state.view.text()})"""


def test_state_is_in_the_address():
    path = make("state", "broadcast", "-P", "4,8,16", "--bytes", "8,64k", "-G", "0.01", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        check(browser.value("location.hash") == "", "an untouched page has a state:", browser.value("location.hash"))
        first = browser.value(STATE)
        for script in ('dom.by("point").value = 3, dom.by("point").dispatchEvent(new Event("change", {bubbles: true}))',
                       'dom.by("axis").value = 1, dom.by("axis").dispatchEvent(new Event("change", {bubbles: true}))',
                       'dom.by("curves-log").click()', 'document.querySelector("#curves-legend input").click()',
                       'dom.by("trace").value = 2, dom.by("trace").dispatchEvent(new Event("change", {bubbles: true}))',
                       'document.querySelector("#overlay input").click()', 'dom.by("path").click()', 'dom.by("messages").click()',
                       'dom.by("scrub").value = 400, dom.by("scrub").dispatchEvent(new Event("input", {bubbles: true}))',
                       'dom.by("theme").click()', 'dom.by("zoom-in").click()'):
            browser.value(script + ", 0")
            browser.settle()
        wait_for_address(browser, "view=")
        before, address = browser.value(STATE), browser.value("location.hash")
        for key, value in before.items():
            check(value != first[key], "the test does not change", key)
    with Browser() as other:
        other.open(path)
        other.call("Page.navigate", url="about:blank")
        other.requests.clear()
        other.call("Page.navigate", url="file://" + path + address)
        other.wait(lambda m: m.get("method") == "Page.loadEventFired", "Page.navigate")
        other.settle()
        after = other.value(STATE)
        for key, value in before.items():
            check(after[key] == value, "not restored:", key, after[key], "and not", value)
        click(other, "nav a[href='#ranking']")
        wait_for_address(other, "#ranking&point=3")
        check(other.value(STATE) == before, "a link to a section forgets the state")
        other.value("location.hash = '', 0")
        other.settle()
        time.sleep(0.1)
        other.settle()
        check(other.value(STATE) == first, "the bare address shows", other.value(STATE), "and not", first)
        other.value("location.hash = '#point=99&axis=x&view=1,b&trace=%&algorithms=none&overlay=\"', 0")
        other.settle()
        check(other.value("dom.by('point').value") == "0" and other.value("dom.by('trace').value") == "0", "a wrong address is taken")
        check(other.complaints == [], "a wrong address:", other.complaints)


def test_header_shows_G():
    for words, wanted in ((("-G", "0.01"), "G = 100 ns/byte (10 MB/s)"), ((), "G = 0 ns/byte"), (("-G", "0.01,0.02"), "G = 100 ns/byte (10 MB/s), 200 ns/byte")):
        path = make("header", "broadcast", "--algo", "optimal,flat", *words, *VIRTUAL)
        with Browser() as browser:
            browser.open(path)
            check(wanted in text(browser, "#subtitle"), text(browser, "#subtitle"), "lacks", wanted)


def test_lag_has_headings_and_units():
    path = make("lag", "broadcast", "--reps", "20", "--warmup", "1", "--algo", "optimal,flat", "--unit", "20us")
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        browser.open(path)
        headings = browser.value("[...document.querySelectorAll('#lag-spread .headings div')].map((e) => e.textContent)")
        check(headings == ["Algorithm", "median", "99th percentile", "latest"], headings)
        values = browser.value("[...document.querySelectorAll('#lag-spread .row:not(.headings) .value')].map((e) => e.textContent)")
        check(len(values) == 6 and all(v.split(" ")[1] in ("ns", "µs", "ms", "s") for v in values), "a figure without a unit:", values)
        rows = rows_of(downloaded(browser, "lag.csv", folder))
        shown = browser.value("records.points[0].rows.map((r) => r.lag.p99)")
        check([int(r["p99_ns"]) for r in rows] == shown, "lag.csv:", rows, shown)
        check(xml.fromstring(downloaded(browser, "ratios.svg", folder)).tag == SVG + "svg", "ratios are no SVG")


def test_disturbed_runs_are_shown():
    for limit in ("1s", "1ns"):
        path = make("disturbed", "broadcast", "--algo", "optimal,flat", "--reps", "20", "--warmup", "1", "--unit", "20us",
                    "--disturbed-by", limit)
        with Browser() as browser, tempfile.TemporaryDirectory() as folder:
            browser.open(path)
            headings = browser.value("[...document.querySelectorAll('#ranking-table thead th')].map((e) => e.textContent)")
            check(headings[3].startswith("Undisturbed, ") and headings[4] == "Disturbed", headings)
            cells = browser.value("[...document.querySelectorAll('#ranking-table tbody tr')].map((r) => [...r.children].map((e) => e.textContent))")
            known = browser.value("records.points[0].rows.map((r) => [r.undisturbed, r.disturbed, r.record.reps])")
            check([row[4] for row in cells] == ["%d of %d" % (k[1], k[2]) for k in known], cells, known)
            if limit == "1s":
                check(all(k[0] > 0 and k[1] == 0 for k in known), known)
                check("too busy" not in text(browser, "#ranking-note"), "too busy without a disturbed run")
            else:
                check(all(k[1] > 0 for k in known), known)
            rows = rows_of(downloaded(browser, "ranking.csv", folder))
            check([r["disturbed"] for r in rows] == [str(k[1]) for k in known], "ranking.csv:", rows, known)
    path = make("undisturbed", "broadcast", "--algo", "optimal,flat", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        check("Undisturbed" not in text(browser, "#ranking-table"), "marks on the virtual clock")


def test_equal_curves_have_one_name():
    path = make("equal", "broadcast", "-P", "4,8,16", "--algo", "optimal,binomial,binary,chain,chain-pipelined", "--bytes", "8", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        names = browser.value("[...document.querySelectorAll('#curves-legend label')].map((e) => e.textContent)")
        told = {name: " ".join(str(browser.value("records.all.filter((r) => r.algorithm === %s).map((r) => r.predicted_ns)" % json.dumps(name)))
                               .split()) for group in names for name in group.split(" = ")}
        check(sorted(told) == ["binary", "binomial", "chain", "chain-pipelined", "optimal"], "names in the legend:", names)
        check(any(" = " in group for group in names), "chain and chain-pipelined are equal, and have two names:", names)
        for group in names:
            check(len({told[name] for name in group.split(" = ")}) == 1, "these are not equal:", group)
        check(len(set(told.values())) == len(names), "equal curves with two names:", names)
        check(browser.value("(curves.graph.numColumns() - 1) / 2") == len(names), "curves and names differ in number")


def test_without_scripts():
    path = make("noscript", "broadcast", "--algo", "optimal", *VIRTUAL)
    with Browser() as browser:
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.call("Page.navigate", url="file://" + path)
        browser.wait(lambda m: m.get("method") == "Page.loadEventFired", "Page.navigate")
        nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
        said = " ".join(n.get("name", {}).get("value", "") for n in nodes if not n.get("ignored"))
        check("JavaScript" in said and "logp bench" in said, "without scripts it says:", said[:300])
        check("Measured against predicted" not in said, "empty figures are shown")
