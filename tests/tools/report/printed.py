# SPDX-License-Identifier: MIT
"""The pages as they are printed: light, of the paper's width, without what only a hand can use."""
import os

from support import FOLDER, VIRTUAL, Browser, check, clean, logp, make
from timeline import report

# Within its margins, a sheet of A4 is 718 pixels wide, and one of Letter 739.
PAPER = 704
STATE = """({ground: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    main: document.querySelector("main").getBoundingClientRect().width,
    beyond: [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().width > 0 &&
        !e.closest(".hidden, svg") && e.getBoundingClientRect().right > document.querySelector("main").getBoundingClientRect().right + 1)
        .map((e) => `${e.tagName} ${e.id} ${e.className} ${e.getBoundingClientRect().right}`),
    hands: [...document.querySelectorAll("nav, select, input, .by-hand, .save button, #theme, #fit, .commands button")]
        .filter((e) => e.getClientRects().length > 0).map((e) => `${e.tagName} ${e.id}`),
    scrolled: [...document.querySelectorAll("main *")].filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX) &&
        e.scrollWidth > e.clientWidth + 1).map((e) => e.className)})"""


def printed(browser, path, what):
    """Look at the page between the two events of a print, with the style of paper."""
    browser.open(path)
    before = browser.value("[document.querySelector('main').clientWidth, document.documentElement.className]")
    browser.value("theme.choose('1'), 0")
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.value("dispatchEvent(new Event('beforeprint')), 0")
    state = browser.value(STATE)
    check(state["ground"] == "rgb(255, 255, 255)", what, "is printed on", state["ground"])
    check(state["ink"].startswith("rgb(") and max(map(int, state["ink"][4:-1].split(","))) < 96, what, "is printed in", state["ink"])
    check(state["main"] == PAPER, what, "is wide:", state["main"])
    for key in ("beyond", "hands", "scrolled"):
        check(state[key] == [], what, key, state[key][:5])
    return before


def back(browser, before, what):
    browser.value("dispatchEvent(new Event('afterprint')), 0")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.settle()
    check(browser.value("theme.isDark()"), what, "was dark before it was printed")
    after = browser.value("[document.querySelector('main').clientWidth, document.documentElement.className]")
    check(after == before, what, "after printing:", after, "and not", before)


def test_report_is_printed_whole():
    path = make("printed", "allreduce", "-P", "4,8,16", "--count", "1,1k", "-G", "0.01", *VIRTUAL)
    with Browser() as browser:
        before = printed(browser, path, "report")
        check(browser.value("[...document.querySelectorAll('#curves > .on-paper path')].length") > 0, "the curves are not printed")
        check(browser.value("stage.width") == browser.value("dom.by('stage').clientWidth"), "the diagram has the width of the screen")
        labels = browser.value("[...document.querySelectorAll('#curves-legend label')].map((l) => [l.getClientRects().length > 0, l.querySelector('input').checked])")
        check(all(seen == chosen for seen, chosen in labels), "the legend of the curves:", labels)
        back(browser, before, "report")
        check(browser.value("document.querySelector('.on-paper') === null"), "curves of paper stay on the screen")
        clean(browser, path, "printed")


def test_report_of_a_program_is_printed_whole():
    path = report(8, 6)
    with Browser() as browser:
        before = printed(browser, path, "mpirun --report")
        check(browser.value("stage.width === dom.by('stage').clientWidth && stage.canvas.clientWidth <= stage.width + 1"), "the timeline has the width of the screen")
        back(browser, before, "mpirun --report")
        clean(browser, path, "printed")


def test_explanation_is_printed_whole():
    path = os.path.join(FOLDER.name, "explained.html")
    logp("explain", "broadcast", "optimal", "binomial", "-P", "16", "--format", "html", "--output", path)
    with Browser() as browser:
        before = printed(browser, path, "explain")
        back(browser, before, "explain")
        clean(browser, path, "printed")
