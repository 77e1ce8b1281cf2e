#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sliders of the page: its fold equals the library's in 1000 draws, and the table what `logp predict` says.

usage: what_if.py LOGP PEER [--browser CHROMIUM] [--seed N]
"""
import json
import random
import subprocess
import sys

from support import Browser, VIRTUAL, check, clean, logp, make, option, text, wrong

PEER = sys.argv[2]
SEED = int(option("--seed", random.randrange(1 << 32)))
DRAWS = 1000


def ask(words, lines=""):
    return subprocess.run([PEER, *words], input=lines, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def draw(rng, names):
    """Values in the order of what_if.h."""
    P = rng.choice([rng.randint(1, 40), 2 ** rng.randint(0, 5), rng.randint(1, 6) ** 2])
    time = lambda: rng.choice([0, rng.randint(1, 50), rng.randint(1, 200000)])
    seldom = lambda value: value if rng.random() < 0.15 else 0
    values = {"P": P, "root": rng.choice([0, rng.randrange(P)]), "bytes": rng.choice([0, rng.randint(1, 64), rng.randint(1, 4096)]),
              "count": rng.choice([1, P, rng.randint(1, 50 * P)]), "op": rng.randrange(8), "rows": P * rng.randint(1, 3), "cols": P * rng.randint(1, 3),
              "packing": rng.randrange(2), "k": seldom(rng.randint(1, 5)), "window": seldom(rng.randint(1, 4)), "block": seldom(rng.randint(64, 512)),
              "pack": seldom(rng.randint(1, 5000)), "work": seldom(rng.randint(1, 5000)), "no_overlap": rng.randrange(2), "L": time(), "o_send": time(),
              "o_recv": time(), "g": time(), "G": rng.choice([0, rng.randint(1, 200000)]), "gamma": rng.choice([0, rng.randint(1, 10 ** 6)]),
              "gap_shared": seldom(1), "capacity": rng.choice([0, 0, -1, 3]), "store_forward": 0, "recv_streams": seldom(1),
              "rendezvous": seldom(rng.randint(1, 2048))}
    if rng.random() < 0.5:
        values["o_recv"] = values["o_send"]
    return (*rng.choice(names), int(rng.random() < 0.7), values)


def test_draws(browser):
    """Each draw is folded, or predicted as `logp predict` does."""
    rng = random.Random(SEED)
    names = [line.split() for line in ask(["list"]).splitlines()]
    draws = [draw(rng, names) for _ in range(DRAWS)]
    lines = "".join(" ".join(map(str, (*d[:3], *d[3].values()))) + "\n" for d in draws)
    ours = [float(line) for line in ask([], lines).splitlines()]
    theirs = browser.value("""(async () => { const fold = await what_if.load();
        return %s.map(([c, a, byFold, values]) => what_if.compute(fold, c, a, values, byFold) ?? -1); })()""" % json.dumps(draws))
    check(len(ours) == len(theirs) == DRAWS, "answers:", len(ours), len(theirs))
    for case, a, b in zip(draws, ours, theirs):
        check(a == b, "seed", SEED, "the library says", a, "and the page", b, "of", *case)
    times = [ns for ns in ours if ns >= 0]
    folded = sum(case[2] for case, ns in zip(draws, ours) if ns >= 0)
    check(len(times) > DRAWS / 2 and folded > DRAWS / 4, "too few have a time:", len(times), folded)
    check(len(set(times)) > DRAWS / 4, "too many are equal:", len(set(times)))
    print("seed %d: %d draws, %d with a time, %d of these folded" % (SEED, DRAWS, len(times), folded))


def table(browser):
    """Once the last computation is shown: [[algorithm, ns] ...]"""
    return browser.value("what_if.update().then(() => what_if.shown.map(({row, ns}) => [row.name, ns]))")


def move(browser, slider, to):
    browser.value("""dom.by("what-if-%s").value = %d, dom.by("what-if-%s").dispatchEvent(new Event("input", {bubbles: true})), 0"""
                  % (slider, to, slider))
    browser.settle()


def test_sliders(browser, path):
    check(not browser.value("dom.by('what-if').hidden"), "there are no sliders")
    check(browser.value("what_if.module === null"), "the fold is unpacked before a slider has moved")
    before = dict(table(browser))
    # ten times L, a tenth of o, g 0, and G = 100 ns a byte where there was none
    for slider, to, words in (("L", 150, ("-L", "600us")), ("o", 50, ("-o", "2us")), ("g", 0, ("-g", "0")), ("G", 200, ("-G", "100ns"))):
        move(browser, slider, to)
        said = logp("predict", "broadcast", "-P", "8", *words, "--algo", "all", "--format", "json")
        wanted = {r["algorithm"]: r["predicted_ns"] for r in json.loads(said)}
        shown = table(browser)
        check(dict(shown) == wanted, slider, "shows", shown, "and not", wanted)
        check(dict(shown) != before, slider, "changes nothing")
        check([ns for _, ns in shown] == sorted(ns for _, ns in shown), slider, "does not rank them anew")
        check("what-if-%s=%d" % (slider, to) in browser.value("address.text()"), "not in the address:", slider)
        browser.value('dom.by("what-if-reset").click(), 0')
        check(dict(table(browser)) == before, "Reset does not bring back what was")
    printed = lambda selector: browser.value("getComputedStyle(document.querySelector('%s')).display" % selector) != "none"
    browser.call("Emulation.setEmulatedMedia", media="print")
    check(not printed("#what-if"), "sliders that have not moved are printed")
    move(browser, "L", 150)
    check(printed("#what-if-L-value") and not printed("#what-if-L"), "the value of L is not printed, or its slider is")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.value('dom.by("what-if-L").focus(), 0')
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    browser.settle()
    check(browser.value("dom.by('what-if-L').value") == "151", "an arrow key does not move a slider")
    move(browser, "L", 150)
    table(browser)
    check(text(browser, "#what-if-L-value") == "600 µs", "L is shown as", text(browser, "#what-if-L-value"))
    rows = browser.value("what_if.csv()")
    check(len(rows) == len(before) + 1 and rows[1][3] == 600000, "its CSV:", rows[:2])
    clean(browser, path, "sliders")


def test_not_for_others():
    """No sliders where what is emulated is more than L, o, g and G."""
    path = make("ring", "broadcast", "--topology", "ring", "--algo", "flat", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        check(browser.value("dom.by('what-if').hidden"), "a topology has sliders")


def main():
    path = make("sliders", "broadcast", "-P", "8", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        test_sliders(browser, path)
        test_draws(browser)
    test_not_for_others()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
