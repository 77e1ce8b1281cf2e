# SPDX-License-Identifier: MIT
"""The page of `logp mpirun --report`: its timeline, tables and maps, and what happens when they are touched."""
import json
import os
import re
import subprocess

from support import FOLDER, LOGP, Browser, check, click, logp, text

NETWORK = ("-L", "6us", "-o", "2us", "-g", "4us", "-G", "1ns", "--clock", "virtual")
CALLS = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int me, n, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < atoi(argv[1]); i++)
        MPI_Sendrecv_replace(&x, 1, MPI_INT, (me + 1) % n, 0, (me + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def program():
    path = os.path.join(FOLDER.name, "calls")
    if not os.path.exists(path):
        with open(path + ".c", "w") as file:
            file.write(CALLS)
        subprocess.run([os.path.join(os.path.dirname(LOGP), "logp-cc"), "-g", path + ".c", "-o", path], check=True)
    return path


def report(P, rounds, *more, suffix="html"):
    path = os.path.join(FOLDER.name, "of-%s-%s.%s" % (P, rounds, suffix))
    logp("mpirun", "-P", str(P), *NETWORK, "--report", path, *more, program(), str(rounds))
    return path


def numbers(browser):
    """The visible time and rows, the number of bars and of messages, and the chosen bar."""
    return browser.value("""[stage.state.view.from, stage.state.view.to, stage.state.view.row, stage.data.bars.start.length,
        stage.data.lines.sent.length, stage.state.chosen && stage.state.chosen.i]""")


def test_timeline():
    path = report(4, 6)
    with Browser() as browser:
        browser.open(path)
        start, end, _, bars, lines, chosen = numbers(browser)
        # of each rank: Init, rank, size, 6 exchanges, a barrier and Finalize
        check(bars == 4 * 11, "bars:", bars)
        check(lines >= 24 and chosen is None and start == 0, lines, chosen, start)
        shown = browser.value("""[...stage.canvas.getContext("2d").getImageData(60, 10, 400, 1).data].filter((v, i) => i % 4 === 3 && v > 0).length""")
        check(shown > 300, "nothing is drawn:", shown)
        browser.value('dom.by("stage").focus(), 0')
        browser.key("+", "+")
        browser.settle()
        near = numbers(browser)
        check(near[1] - near[0] < 0.8 * (end - start), "no zoom by a key:", near)
        browser.key("ArrowRight")
        browser.settle()
        check(numbers(browser)[0] > near[0], "no move by a key")
        browser.key("0", "0")
        browser.settle()
        check(numbers(browser)[:2] == [start, end], "0 does not show all")
        browser.key("ArrowRight", shift=True)
        browser.settle()
        check(re.match(r"Rank 0: MPI_\w+ \(calls.c:\d+\), ", text(browser, "#event")), "a call by the keys:", text(browser, "#event"))
        place = browser.value("(({left, top}) => [left, top])(stage.element.getBoundingClientRect())")
        browser.mouse("mouseWheel", place[0] + 300, place[1] + 20, deltaX=0, deltaY=-200)
        browser.settle()
        check(numbers(browser)[1] < end, "no zoom by the wheel")


def test_tables_sort_and_maps_are_one_stop():
    with Browser() as browser:
        browser.open(report(4, 6))
        column = """[...document.querySelectorAll("#calls tbody tr")].map((row) => Number(row.cells[1].textContent))"""
        browser.value("""document.querySelectorAll("#calls th .sort")[1].click(), 0""")
        check(browser.value(column) == sorted(browser.value(column), reverse=True), "not sorted:", browser.value(column))
        browser.value("""document.querySelectorAll("#calls th .sort")[1].click(), 0""")
        check(browser.value(column) == sorted(browser.value(column)), "not sorted the other way:", browser.value(column))
        check(browser.value("""document.querySelectorAll("#messages [tabindex='0'] [tabindex]").length""") == 0, "stops within a map")
        browser.value("""document.querySelector("#messages svg").focus(), 0""")
        browser.key("ArrowRight")
        browser.key("ArrowDown")
        said = text(browser, "#messages .say")
        check(re.match(r"from rank \d to rank \d: \d+ bytes", said), "a cell of the map:", said)
        check(browser.value("tables.rows(document.querySelector('#calls table'))[0][2]") == "Time, all ranks, ns", "a heading of CSV")
        check(browser.value("document.querySelectorAll('[data-save$=csv]').length") >= 4, "figures to save")


def test_many_calls():
    """100,000 events take less than 5 MB, and of more calls neighbours share a bar."""
    path = report(8, 6200)
    check(os.path.getsize(path) < 5000000, "bytes of the page:", os.path.getsize(path))
    with Browser() as browser:
        browser.open(path)
        bars, lines = numbers(browser)[3:5]
        check(bars + lines > 99000 and text(browser, "#lines-say").startswith("The 4,000 longest of"), bars, lines)


def test_narrow():
    with Browser(390, 800) as browser:
        browser.open(report(4, 6))
        check(browser.value("document.documentElement.scrollWidth") <= 390, "the page is wider than a phone")


def test_against():
    """Two runs: the difference of each call is the difference of their reports."""
    before, now = report(4, 6, suffix="json"), report(4, 9, suffix="json")
    path = report(4, 9, "--against", before)
    with open(before) as a, open(now) as b:
        sums = [{c["call"]: sum(r[1] for r in c["ranks"]) for c in json.load(file)["calls"]} for file in (a, b)]
    with Browser() as browser:
        browser.open(path)
        rows = browser.value("""[...document.querySelector("#against tbody").rows].map((row) =>
            [row.cells[0].textContent.split(" ")[0], ...[1, 2, 3].map((i) => Number(row.cells[i].dataset.v))])""")
        check(len(rows) > 0 and rows[0][0] == "MPI_Sendrecv_replace", "the largest difference:", rows[:1])
        for name, was, is_now, more in rows:
            check([was, is_now, more] == [sums[0][name], sums[1][name], sums[1][name] - sums[0][name]], name, was, is_now, more)
