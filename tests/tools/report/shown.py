# SPDX-License-Identifier: MIT
"""What the page shows, to whom."""
import json
import os

from support import Browser, PICTURES, VIRTUAL, box, check, clean, logp, make, text, view


def test_diagram_is_the_tree():
    """Each receive ends when `logp tree` says that the rank holds the item."""
    path = make("tree", "broadcast", "--algo", "optimal", *VIRTUAL)
    labels = {node["rank"]: node["label"] for node in json.loads(logp("tree", "broadcast", "--format", "json"))["nodes"]}
    with Browser() as browser:
        browser.open(path)
        clean(browser, path, "the tree")
        check(browser.value("stage.boxes.constructor.name") == "SvgBoxes", "a small diagram is no SVG")
        boxes = browser.value("""[...document.querySelectorAll("#stage rect[data-event]")].filter((r) => !r.hasAttribute("display"))
            .map((r) => ({style: r.getAttribute("style"), opacity: r.getAttribute("opacity"), y: +r.getAttribute("y"),
                          end: stage.state.view.time(+r.getAttribute("x") + +r.getAttribute("width"))}))""")
        row = view(browser)["row"]
        for lane in ("1", "0.55"):
            ends = {int(b["y"] // row): b["end"] for b in boxes if "--receive" in b["style"] and b["opacity"] == lane}
            check(len(ends) == 7, "receives of a lane:", ends)
            for rank, end in ends.items():
                check(abs(end - 10000 * labels[rank]) < 100, "rank", rank, "holds the item at", end)
        check("T = 2L + 4o + g" in text(browser, "#path-sum"), text(browser, "#path-sum"))
        steps = browser.value("stage.state.path.map((p) => p[4] - p[3]).reduce((a, b) => a + b)")
        check(steps == 240000, "the critical path takes", steps)


def test_a_prediction_that_is_the_run_is_kept_once():
    with open(make("once", "broadcast", "--algo", "binomial", *VIRTUAL), encoding="utf-8") as file:
        page = file.read()
    check('id="trace-0-start"' in page and 'id="trace-1-' not in page, "the columns of the prediction are in the page, too")


def test_long_messages():
    """A message of k bytes occupies the port of its sender for (k-1)G after the send: 63 bytes of 100 ns."""
    model = ["-L", "5us", "-o", "1us", "-g", "2us", "-G", "100ns", "--bytes", "64"]
    path = make("long", "broadcast", "--algo", "flat", "-P", "4", *model, *VIRTUAL)
    bands = """[...document.querySelectorAll("#stage rect")].filter((r) => r.style.fill === "var(--stream)" && !r.hasAttribute("display"))
        .map((r) => [stage.state.view.time(+r.getAttribute("x")), stage.state.view.time(+r.getAttribute("x") + +r.getAttribute("width")),
                     +r.getAttribute("opacity")])"""
    with Browser() as browser:
        browser.open(path)
        wanted = [(send + 1000, send + 1000 + 6300, lane) for send in (0, 8300, 16600) for lane in (1, 0.55)]
        found = browser.value(bands)
        check(len(found) == 6 and all(abs(a - b) < 30 for x, y in zip(sorted(found), sorted(map(list, wanted))) for a, b in zip(x, y)),
              "bands:", found)
        keys = text(browser, "#kinds")
        for words in ("receive (o)", "gap (g + (k-1)G)", "port streams ((k-1)G)", "message on its way ((k-1)G + L)"):
            check(words in keys, "no", words, "in", keys)
        browser.value("stage.select({trace: stage.state.traces[0], i: 0}, false)")
        check("its port streams until 7.3 µs" in text(browser, "#event"), text(browser, "#event"))
        browser.value("player.show(5000 / player.end)")
        browser.settle()
        found = browser.value(bands)
        check(len(found) == 2 and all(abs(end - 5000) < 30 for _, end, _ in found), "bands until 5 µs:", found)
        clean(browser, path, "long messages")
    # large diagrams, the second of rows that are thin: pixels of that colour; without G neither bands nor words
    for name, more in (("many", ["alltoall", "--algo", "linear", "-P", "80"]), ("thin", ["broadcast", "--algo", "binomial", "-P", "1024"]),
                       ("short", ["alltoall", "--algo", "linear", "-P", "80", "-G", "0"])):
        path = make(name, *model, *more, *VIRTUAL)
        with Browser() as browser:
            browser.open(path)
            check(browser.value("stage.boxes.constructor.name") == "CanvasBoxes", "a large diagram is no canvas")
            n = browser.value("stage.boxes.pixels.filter((x) => x === CanvasBoxes.pixel('stream')).length")
            check(n == 0 if name == "short" else n > 5000, name, "pixels of bands:", n)
            check(("port streams" in text(browser, "#kinds")) == (name != "short"), name, text(browser, "#kinds"))
            clean(browser, path, name)


def test_figures():
    path = make("all", "broadcast", "-G", "0.01", *VIRTUAL)
    said = json.loads(logp("predict", "broadcast", "-G", "0.01", "--algo", "all", "--format", "json"))
    order = sorted(said, key=lambda r: r["predicted_ns"])
    with Browser() as browser:
        browser.open(path)
        clean(browser, path, "figures")
        names = browser.value('[...document.querySelectorAll("#ranking-table tbody th")].map((e) => e.textContent.split(" (")[0])')
        check(len(names) == len(order), "ranked:", names)
        at = {r["algorithm"]: r["predicted_ns"] for r in said}
        check([at[name] for name in names] == [r["predicted_ns"] for r in order], "not ranked by their times:", names)
        ratios = browser.value('[...document.querySelectorAll("#ranking-table tbody td:nth-child(4)")].map((e) => +e.textContent)')
        for name, ratio in zip(names, ratios):
            record = next(r for r in said if r["algorithm"] == name)
            check(abs(ratio - record["predicted_ns"] / record["lower_bound_ns"]) < 0.0006, name, "of best", ratio)
        check("exactly what is predicted" in text(browser, "#ratios-note"), text(browser, "#ratios-note"))
        for P, size in ((2, 4), (8, 65536), (32, 1048576)):
            rows = json.loads(logp("predict", "broadcast", "-G", "0.01", "-P", str(P), "--bytes", str(size), "--algo", "all", "--format", "json"))
            best = min(rows, key=lambda r: r["predicted_ns"])["algorithm"]
            cell = browser.value("""[...document.querySelectorAll("#map button")].map((b) => b.getAttribute("aria-label"))
                .find((t) => t.startsWith("P = %d, bytes = " + format.short(%d) + ": "))""" % (P, size))
            check(cell is not None and (": %s predicted" % best) in cell, "map:", cell, "and not", best)
        stops = """[...document.querySelectorAll("#map button")].filter((b) => b.tabIndex === 0).map((b) => b.getAttribute("aria-label"))"""
        first = browser.value(stops)
        browser.value("""document.querySelector("#map button").focus(), 0""")
        browser.key("ArrowRight")
        check(len(first) == len(browser.value(stops)) == 1 and first != browser.value(stops), "stops of the map:", browser.value(stops))
        check("easured" not in text(browser, "main"), "an emulated run was not measured")
        check(browser.value('document.querySelectorAll("#map .run").length') == 1, "one point of the map was run")
        machine = text(browser, "#machine")
        check(os.uname().release in machine, "the kernel is not named:", machine)
        check(text(browser, "#commands code").startswith("logp report " + path + " broadcast -G 0.01 --algo all"), "command")
        check("THE SOFTWARE IS PROVIDED" in text(browser, "footer"), "no licence of dygraphs")


def test_sweep():
    path = make("sweep", "allreduce", "-P", "4,8,16", "--count", "1,1k", "-G", "0.001", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        clean(browser, path, "a sweep")
        check(browser.value('document.querySelectorAll("#curves canvas").length') >= 1, "no curves")
        rows = browser.value("curves.graph.numRows()")
        check(rows == 3, "points along P:", rows)
        value = browser.value('curves.graph.getValue(1, curves.graph.indexFromSetName("recursive-doubling"))[1] * curves.unit.ns')
        said = json.loads(logp("predict", "allreduce", "-G", "0.001", "--algo", "recursive-doubling", "--format", "json"))[0]
        check(abs(value - said["predicted_ns"]) < 1e-6 * value, "the curve at P = 8:", value)
        browser.value('dom.by("axis").value = 1, dom.by("axis").dispatchEvent(new Event("change")), 0')
        check(browser.value("curves.graph.numRows()") == 2, "points along the operands")
        browser.value('document.querySelector("#curves-legend input").click(), 0')
        check(browser.value("curves.shown.size") == browser.value("(curves.graph.numColumns() - 1) / 2"), "an algorithm less")
        before = text(browser, "#ranking-note")
        browser.value('dom.by("point").value = 3, dom.by("point").dispatchEvent(new Event("change")), 0')
        check(text(browser, "#ranking-note") != before, "another point changes nothing")
        check(browser.value('document.querySelectorAll("#map .run").length') == 6, "six points of the map were run")
        check("P = 16" in text(browser, "#diagram-note"), "the diagram is not of the most processors")
        graph = box(browser, "#curves")
        browser.mouse("mouseMoved", graph[0] + graph[2] / 2, graph[1] + graph[3] / 2)
        check(" = " in text(browser, "#curves-say"), "pointing at the curves says nothing")
        clean(browser, path, "a sweep after all that")


def test_wall():
    """The host decides what the figures are; that they are there it does not."""
    path = make("wall", "broadcast", "--reps", "20", "--warmup", "1", "--algo", "optimal,flat", "--unit", "20us")
    with Browser() as browser:
        browser.open(path)
        clean(browser, path, "the wall clock")
        check(browser.value('stage.whole.run.source') == "wall", "no run on the wall clock")
        check(browser.value("lanes.of(stage.state.traces, stage.state.view.row).length") == 2, "run and prediction are not both there")
        check(not browser.value('dom.by("lag").hidden'), "no lag")
        check(browser.value('document.querySelectorAll("#ratios .row:not(.headings)").length') == 3, "two rows of ratios and their axis")
        check(browser.value('dom.by("late").querySelectorAll("canvas").length') > 0, "no curve of lateness")
        late = browser.value("Array.from(stage.whole.run.lateness(stage.whole.prediction))")
        check(len(late) == 14 and late == sorted(late) and min(late) >= 0, "lateness:", late)
        figures = text(browser, "#key-figures")
        check("Measured" in figures and " to " in figures, figures)


# ---- who looks at it, and with what ----

NAMED = {"button", "checkbox", "radio", "slider", "combobox", "link", "image", "application", "region"}


def test_everybody():
    path = make("everybody", "broadcast", "-P", "4,8", "--bytes", "8,64k", "-G", "0.01", *VIRTUAL)
    for name, width, dark in (("light", 1200, False), ("dark", 1200, True), ("narrow", 360, False)):
        with Browser(width, 800, dark, 2 if width == 360 else 1) as browser:
            browser.open(path)
            check(browser.value("document.documentElement.scrollWidth") <= width, name, "is wider than the screen")
            beyond = browser.value("""[...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll, svg, .hidden, canvas, .chart, #stage")
                && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))""")
            check(beyond == [], name, "sticks out:", beyond)
            faint = browser.value("""(() => {
                const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
                    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((s, c, i) => s + c * [0.2126, 0.7152, 0.0722][i], 0);
                const ratio = (a, b) => { const [x, y] = [light(theme.color(a)), light(theme.color(b))].sort(); return (y + 0.05) / (x + 0.05); };
                return ["ink", "soft", "accent", "path"].flatMap((ink) => ["paper", "raised"].map((paper) => [ink, paper, ratio(ink, paper)]))
                    .concat([["on-accent", "accent", ratio("on-accent", "accent")]]).filter(([, , r]) => r < 4.5); })()""")
            check(faint == [], name, "is hard to read:", faint)
            nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
            for node in nodes:
                role = node.get("role", {}).get("value")
                if role in NAMED and not node.get("ignored") and not node.get("name", {}).get("value"):
                    check(False, name, "has no name:", role, node.get("properties"))
            nameless = browser.value("""[...document.querySelectorAll(".scroll")].filter((e) => e.tabIndex !== 0
                || !(e.ariaLabel ?? dom.by(e.getAttribute("aria-labelledby"))?.textContent)).length""")
            check(nameless == 0, name, "has scrolling tables without a name, or out of reach of the keyboard:", nameless)
            check(sum(node.get("role", {}).get("value") == "slider" for node in nodes)
                  == (1 if browser.value("dom.by('what-if').hidden") else 5), "not all sliders are announced")
            if PICTURES:
                browser.picture(os.path.join(PICTURES, name + ".png"))
            clean(browser, path, name)
