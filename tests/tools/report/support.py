# SPDX-License-Identifier: MIT
"""What the tests of the page share: pages made by the command, and browsers that look at them."""
import json
import os
import subprocess
import sys
import tempfile

import browser as browsers


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


LOGP = sys.argv[1]
CHROMIUM = option("--browser", "chromium")
PICTURES = option("--pictures", None)
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("LOGP_")}
FOLDER = tempfile.TemporaryDirectory()
VIRTUAL = ["--clock", "virtual", "--executor", "fiber"]
wrong = []


def check(holds, *what):
    if not holds:
        wrong.append(" ".join(map(str, what)))
        print("FAILED:", *what, flush=True)


def logp(*words):
    done = subprocess.run([LOGP, *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)
    check(done.returncode == 0, "logp", *words, "exit code", done.returncode, done.stderr)
    return done.stdout


def make(name, *words):
    path = os.path.join(FOLDER.name, name + ".html")
    logp("report", path, *words)
    return path


def Browser(*screen):
    return browsers.Browser(CHROMIUM, *screen)


def text(browser, selector):
    return browser.value("document.querySelector(%s).textContent.trim()" % json.dumps(selector))


def box(browser, selector):
    """Where an element is seen, after it has been brought into sight: x, y, width, height"""
    browser.value('document.querySelector(%s).scrollIntoView({block: "center", behavior: "instant"})' % json.dumps(selector))
    browser.settle()
    return browser.value("""(() => { const r = document.querySelector(%s).getBoundingClientRect();
        return [r.x, r.y, r.width, r.height]; })()""" % json.dumps(selector))


def click(browser, selector):
    x, y, width, height = box(browser, selector)
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, x + width / 2, y + height / 2, button="left", clickCount=1)


def view(browser):
    return browser.value("(({from, to, top, row, end}) => ({from, to, top, row, end}))(stage.state.view)")


def span(browser):
    seen = view(browser)
    return seen["to"] - seen["from"]


def clean(browser, path, what):
    """Nothing was complained of, and nothing asked for but the page."""
    check(browser.complaints == [], what, browser.complaints)
    others = [url for url in browser.requests if url != "file://" + path and not url.startswith("data:")]
    check(others == [], what, "asks for", others)
