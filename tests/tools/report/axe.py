#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""axe finds no violation in the pages: light and wide, dark and narrow, with all details open.

usage: axe.py LOGP AXE.JS [--browser CHROMIUM]; exit code 77: AXE.JS is not there (tools/check installs it)
"""
import json
import os
import subprocess
import sys

from support import FOLDER, LOGP, Browser, VIRTUAL, check, logp, make, wrong

AXE = sys.argv[2]
RUN = """axe.run(document, {resultTypes: ["violations"]}).then(({violations, passes}) => ({passes: passes.length,
    violations: violations.map((v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])}))"""


def violations(browser):
    found = browser.value(RUN)
    check(found["passes"] > 20, "axe has looked at next to nothing:", found["passes"])
    return found["violations"]


def test_page(name, axe, *words):
    return test_file(name, axe, make(name, *words))


def test_mpirun(axe):
    """The page of `logp mpirun --report`."""
    tools = os.path.dirname(LOGP)
    ring, path = os.path.join(FOLDER.name, "reported"), os.path.join(FOLDER.name, "mpirun.html")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../mpi/reported.c")
    subprocess.run([os.path.join(tools, "logp-cc"), "-g", source, "-o", ring], check=True)
    logp("mpirun", "-P", "5", "-L", "6us", "-o", "2us", "-G", "1ns", "--clock", "virtual", "--report", path, ring)
    test_file("mpirun", axe, path)


def test_file(name, axe, path):
    for looks, width, dark in (("light", 1280, False), ("dark and narrow", 360, True)):
        with Browser(width, 800, dark) as browser:
            browser.open(path)
            browser.value(axe + "; 0")
            for state in ("as it opens", "with all details"):
                for rule, words_of_it, nodes in violations(browser):
                    check(False, name, looks, state + ":", rule, "(%s)" % words_of_it, *nodes)
                browser.value("document.querySelectorAll('details').forEach((d) => (d.open = true)), 0")
                browser.settle()
    return path


def test_axe_is_awake(axe, path):
    """It finds what is wrong when something is."""
    with Browser() as browser:
        browser.open(path)
        browser.value(axe + "; 0")
        browser.value("""document.querySelector("#theme").textContent = "",
            document.querySelector("#subtitle").style.color = "#e8e8e8", 0""")
        found = {rule for rule, *_ in violations(browser)}
        check({"button-name", "color-contrast"} <= found, "axe does not see a button without a name and a faint text:", found)


def main():
    if not os.path.exists(AXE):
        print(AXE, "is not there; type tools/check")
        return 77
    with open(AXE) as file:
        axe = file.read()
    path = test_page("sweep", axe, "broadcast", "-P", "4,8", "--bytes", "8,64k", "-G", "0.01", *VIRTUAL)
    test_page("wall", axe, "allreduce", "--reps", "12", "--warmup", "1", "--unit", "20us")
    test_page("single", axe, "barrier", "--algo", "dissemination", *VIRTUAL)
    test_axe_is_awake(axe, path)
    test_mpirun(axe)
    path = os.path.join(FOLDER.name, "explain.html")
    logp("explain", "broadcast", "optimal", "binomial", "--output", path)
    test_file("explain", axe, path)
    print(json.dumps({"wrong": len(wrong)}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
