# SPDX-License-Identifier: MIT
"""The page of stored records shows what the page of the same sweep shows."""
import json
import os

from support import Browser, FOLDER, VIRTUAL, check, clean, logp, make, text

SEEN = """({title: dom.by("title").textContent, parameters: dom.by("subtitle").textContent, figures: dom.by("key-figures").textContent,
    points: [...dom.by("point").options].map((o) => o.text), axes: [...dom.by("axis").options].map((o) => o.text),
    ranking: dom.by("ranking-table").textContent, numbers: dom.by("numbers").rows.length,
    curves: curves.groups, shown: [...curves.shown], rows: curves.graph.numRows()})"""


def test_stored_records_look_like_their_sweep():
    sweep = ("broadcast", "-P", "4,8,16", "--bytes", "8,1k", "-G", "0.01", "--algo", "optimal,knomial,flat", "--k", "2,3", *VIRTUAL)
    pages = [make("swept", *sweep)]
    for suffix in ("csv", "json"):
        records = os.path.join(FOLDER.name, "records." + suffix)
        logp("bench", *sweep, "--output", records)
        pages.append(make("stored-" + suffix, records))
    seen = []
    for path in pages:
        with Browser() as browser:
            browser.open(path)
            # which algorithm has the first colour depends on the map, which stored records have not
            seen.append({key: sorted(value, key=str) if key in ("curves", "shown") else value for key, value in browser.value(SEEN).items()})
            hidden = browser.value("['what-if', 'crossover', 'diagram'].filter((id) => dom.by(id).hidden)")
            check(path == pages[0] or hidden == ["what-if", "crossover", "diagram"], "parts without data:", hidden)
            check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "wider than the window")
            clean(browser, path, "stored")
    for other in seen[1:]:
        for key, value in seen[0].items():
            check(other[key] == value, key, "of stored records:", other[key], "and not", value)


def test_records_of_two_collectives_are_kept_apart():
    both = [record for name in ("broadcast", "barrier") for record in json.loads(logp("bench", name, "-P", "4,8", *VIRTUAL, "--format", "json"))]
    records = os.path.join(FOLDER.name, "both.json")
    with open(records, "w", encoding="utf-8") as f:
        json.dump(both, f)
    path = make("both", records)
    with Browser() as browser:
        browser.open(path)
        check(text(browser, "#title") == "Broadcast, barrier, P = 4 … 8", text(browser, "#title"))
        for point in browser.value("records.points.map((p) => [p.label, p.rows.map((r) => r.record.collective)])"):
            check(len(set(point[1])) == 1 and point[1][0] in point[0], "a point of two collectives:", point)
        clean(browser, path, "both")
