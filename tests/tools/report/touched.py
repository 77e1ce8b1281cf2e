# SPDX-License-Identifier: MIT
"""What happens when the page is touched."""
import time

from support import Browser, VIRTUAL, box, check, clean, click, make, span, text, view


def test_mouse_and_keys():
    path = make("hands", "broadcast", "-P", "16", "--algo", "binomial,optimal", *VIRTUAL)
    with Browser() as browser:
        browser.open(path)
        x, y, width, height = box(browser, "#stage")
        whole = span(browser)
        middle = (x + width / 2, y + height / 2)
        under = browser.value("stage.state.view.time(%f)" % (width / 2))
        browser.mouse("mouseWheel", *middle, deltaX=0, deltaY=-100)
        check(span(browser) < whole, "the wheel does not zoom")
        check(abs(browser.value("stage.state.view.time(%f)" % (width / 2)) - under) < whole / 500, "what is pointed at does not stay")
        left = view(browser)["from"]
        browser.mouse("mousePressed", *middle, button="left", clickCount=1)
        browser.mouse("mouseMoved", middle[0] - 50, middle[1], button="left", buttons=1)
        browser.mouse("mouseReleased", middle[0] - 50, middle[1], button="left")
        check(view(browser)["from"] > left, "dragging does not pan")
        click(browser, "#fit")
        check(abs(span(browser) - whole) < 1, "it does not fit")
        click(browser, "#zoom-in")
        check(span(browser) < whole, "the button does not zoom in")
        click(browser, "#zoom-out")
        check(abs(span(browser) - whole) < 1, "the button does not zoom out")

        box(browser, "#stage")
        place = browser.value("""(() => { const r = [...document.querySelectorAll("#stage rect[data-event]")]
            .find((r) => r.getAttribute("style").includes("--receive") && !r.hasAttribute("display")).getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; })()""")
        browser.mouse("mouseMoved", *place)
        check("receive from P" in text(browser, "#event"), "pointing at a receive says:", text(browser, "#event"))
        check(browser.value("document.querySelectorAll('#stage .chosen').length") == 3, "box, other end and message are not marked")

        browser.value("stage.element.focus(), 0")
        browser.key("Escape")
        check(text(browser, "#event") == "", "Escape does not let go")
        browser.key("+", "+")
        near = span(browser)
        check(near < whole, "+ does not zoom")
        browser.key("ArrowRight")
        check(view(browser)["from"] > 0, "an arrow does not pan")
        browser.key("-", "-")
        check(span(browser) > near, "- does not zoom out")
        browser.key("0", "0")
        check(abs(span(browser) - whole) < 1, "0 does not fit")
        browser.key("ArrowRight", shift=True)
        first = text(browser, "#event")
        check(first.startswith("P0 (run): send to P"), "the first event:", first)
        browser.key("ArrowRight", shift=True)
        check(text(browser, "#event") not in ("", first), "Shift+arrow does not go on")
        browser.key("ArrowLeft", shift=True)
        check(text(browser, "#event") == first, "nor back")
        browser.key("Enter")
        check("receive from P0" in text(browser, "#event"), "Enter does not follow the message:", text(browser, "#event"))
        other = text(browser, "#event").split(" ")[0]
        browser.key("ArrowDown", shift=True)
        check(not text(browser, "#event").startswith(other + " "), "Shift+down stays at", text(browser, "#event"))
        clean(browser, path, "mouse and keys")


def test_player_and_switches():
    path = make("switches", "broadcast", "-P", "16", "--algo", "optimal,flat", *VIRTUAL)
    shown = "[...document.querySelectorAll('#stage rect[data-event]')].filter((r) => !r.hasAttribute('display')).length"
    with Browser() as browser:
        browser.open(path)
        everything = browser.value(shown)
        browser.value('dom.by("scrub").value = 300, dom.by("scrub").dispatchEvent(new Event("input")), 0')
        browser.settle()
        check(0 < browser.value(shown) < everything, "the scrubber hides nothing")
        check(browser.value("document.querySelectorAll('#stage .head').length") == 1, "the time is not marked")
        at = browser.value("stage.state.now")
        late = browser.value("Math.max(...[...document.querySelectorAll('#stage rect[data-event]')].filter((r) => !r.hasAttribute('display')).map((r) => stage.state.view.time(+r.getAttribute('x') + +r.getAttribute('width'))))")
        check(late <= at * 1.01 + 1000, "what comes later is shown:", late, at)
        click(browser, "#play")
        check(text(browser, "#play") == "Pause", "it does not play")
        until = time.monotonic() + 60
        while browser.value("stage.state.now") <= at and time.monotonic() < until:
            browser.settle()
        check(browser.value("stage.state.now") > at, "time stands still")
        click(browser, "#play")
        check(text(browser, "#play") == "Play", "it does not pause")
        at = browser.value("stage.state.now")
        browser.settle()
        check(browser.value("stage.state.now") == at, "it goes on in a pause")
        browser.value('dom.by("scrub").value = 1000, dom.by("scrub").dispatchEvent(new Event("input")), 0')
        browser.settle()
        check(browser.value(shown) == everything, "at the end not all is shown")

        check(browser.value("document.querySelectorAll('#stage .critical').length") == 1, "no critical path")
        browser.value('dom.by("path").click(), 0')
        browser.settle()
        check(browser.value("document.querySelectorAll('#stage .critical').length") == 0, "it cannot be hidden")
        lines = "[...document.querySelectorAll('#stage line[marker-end]')].filter((r) => !r.hasAttribute('display')).length"
        check(browser.value(lines) == 30, "messages of run and prediction:", browser.value(lines))
        browser.value('dom.by("messages").click(), 0')
        browser.settle()
        check(browser.value(lines) == 0, "messages cannot be hidden")
        browser.value("document.querySelector('#overlay input[value=run]').click(), 0")
        browser.settle()
        check(browser.value(shown) == everything / 2, "the run alone:", browser.value(shown), everything)
        browser.value('dom.by("trace").value = 1, dom.by("trace").dispatchEvent(new Event("change")), 0')
        browser.settle()
        check(browser.value("stage.whole.run.labels").pop() == "broadcast/flat", "the other algorithm is not shown")

        paper = "getComputedStyle(document.body).backgroundColor"
        light = browser.value(paper)
        click(browser, "#theme")
        check(browser.value(paper) != light, "the button does not make it dark")
        check(browser.value("dom.by('theme').getAttribute('aria-pressed')") == "true", "nor says so")
        click(browser, "#theme")
        check(browser.value(paper) == light, "nor light again")
        clean(browser, path, "player and switches")
        browser.prefer(True)
        browser.open(path)
        check(browser.value(paper) != light, "the system's wish is not heard")


def test_touch():
    path = make("touch", "broadcast", "--algo", "optimal", *VIRTUAL)
    with Browser(360, 740) as browser:
        browser.resize(360, 740, 2, True)
        browser.open(path)
        x, y, width, height = box(browser, "#stage")
        whole, middle = span(browser), (x + width / 2, y + height / 2)
        browser.touch("touchStart", (middle[0] - 20, middle[1]), (middle[0] + 20, middle[1]))
        for step in range(1, 6):
            browser.touch("touchMove", (middle[0] - 20 - 12 * step, middle[1]), (middle[0] + 20 + 12 * step, middle[1]))
        browser.touch("touchEnd")
        check(span(browser) < whole / 1.5, "two fingers do not zoom:", span(browser), whole)
        left = view(browser)["from"]
        browser.touch("touchStart", (middle[0], middle[1]))
        for step in range(1, 6):
            browser.touch("touchMove", (middle[0] - 10 * step, middle[1]))
        browser.touch("touchEnd")
        check(view(browser)["from"] > left, "a finger does not pan")
        clean(browser, path, "touch")


def test_large():
    """A million events of 1024 processors. How long that takes is printed, and not judged here."""
    path = make("large", "broadcast", "-P", "1024", "--bytes", "512k", "--block", "1k", "--algo", "chain-pipelined", *VIRTUAL)
    with Browser() as browser:
        took = browser.open(path)
        clean(browser, path, "large")
        check(browser.value("stage.boxes.constructor.name") == "CanvasBoxes", "a large diagram is no canvas")
        n = browser.value("stage.whole.run.n")
        check(n > 1000000 and browser.value("stage.whole.run.dropped") == 0, "events:", n)
        inked = """(() => { const c = stage.boxes.canvas, p = new Uint32Array(c.getContext("2d").getImageData(46 * stage.boxes.scale, 0, 400, c.height).data.buffer);
            return p.filter((x) => x !== 0).length; })()"""
        whole = browser.value(inked)
        check(whole > 5000, "next to nothing is drawn:", whole)
        box(browser, "#stage")
        steps = browser.value("""(async () => {
            const out = [];
            for (let k = 0; k < 60; k++) {
                const r = stage.element.getBoundingClientRect(), before = stage.draws;
                const wheel = (x, y, more) => stage.element.dispatchEvent(new WheelEvent("wheel", {deltaX: x, deltaY: y, bubbles: true,
                    cancelable: true, clientX: r.x + 600, clientY: r.y + 300, ...more}));
                if (k % 2) wheel(0, k < 40 ? -60 : 60);
                else wheel(30, 0);
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                if (stage.draws > before) out.push(stage.took);
            }
            return out.sort((a, b) => a - b); })()""")
        check(len(steps) == 60, "steps that drew nothing:", 60 - len(steps))
        check(span(browser) < view(browser)["end"] / 2, "it does not zoom")
        print("%d events: open in %.2f s; a step of zoom or pan takes %.1f ms, 90 %% at most %.1f ms, all at most %.1f ms"
              % (n, took, steps[len(steps) // 2], steps[len(steps) * 9 // 10], steps[-1]), flush=True)
        place = browser.value("""(() => { const {view, traces: [t]} = stage.state, r = stage.element.getBoundingClientRect();
            for (let rank = view.firstRow + 2; rank < view.lastRow; rank++) {
                const i = t.firstAfter(rank, (view.from + view.to) / 2);
                if (i < t.first[rank + 1] && t.start[i] < view.to)
                    return [r.x + view.x(Math.max(t.start[i], view.from) / 2 + Math.min(t.endOf(i), view.to) / 2), r.y + view.y(rank) + view.row * 0.3];
            }
            return [0, 0]; })()""")
        browser.mouse("mouseMoved", *place)
        check(text(browser, "#event").startswith("P"), "pointing at it says:", text(browser, "#event"))
        clean(browser, path, "large after all that")
