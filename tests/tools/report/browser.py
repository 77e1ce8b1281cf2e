# SPDX-License-Identifier: MIT
"""A headless Chromium without a network, driven by the DevTools protocol over two pipes.

It reads commands from its descriptor 3 and writes answers and events to its descriptor 4, as JSON
that ends with a NUL: so nothing is needed but what comes with Python.
"""
import atexit
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds until it counts as hung


def far_pipe():
    """A pipe whose descriptors are not those that the browser's shall be."""
    ends = os.pipe()
    far = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return far


class Process:
    """A browser, of which each Browser is a window that shares nothing with others: a start takes seconds."""
    running = None

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        to_it, self.commands = far_pipe()
        self.answers, from_it = far_pipe()
        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--hide-scrollbars", "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(3, 4), preexec_fn=lambda: (os.dup2(to_it, 3), os.dup2(from_it, 4)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.profile), start_new_session=True)
        os.close(to_it)
        os.close(from_it)
        self.buffer = b""
        self.last = 0
        atexit.register(self.end)

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    @classmethod
    def of(cls, program):
        if cls.running is None or cls.running.process.poll() is not None:
            cls.running = cls(program)
        return cls.running

    def write(self, message):
        """@return the number of the message"""
        self.last += 1
        os.write(self.commands, json.dumps({"id": self.last, **message}).encode() + b"\0")
        return self.last

    def read(self, until):
        """The next message; None: there is none until that moment."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)


class Browser:
    def __init__(self, program, width=1200, height=900, dark=False, scale=1):
        self.process = Process.of(program)
        self.complaints = []  # what the console said, exceptions
        self.requests = []    # what the page asked for
        self.session = None
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1,
                  uploadThroughput=-1)
        self.resize(width, height, scale)
        self.prefer(dark)

    def close(self):
        self.session = None
        self.call("Target.disposeBrowserContext", browserContextId=self.context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def note(self, message):
        method, it = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = it["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and it["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([arg.get("value", arg.get("description")) for arg in it["args"]]))
        elif method == "Log.entryAdded" and it["entry"]["level"] in ("error", "warning"):
            self.complaints.append(it["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(it["request"]["url"])

    def call(self, method, **parameters):
        message = {"method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        number = self.process.write(message)
        return self.wait(lambda m: m.get("id") == number, method).get("result", {})

    def wait(self, wanted, what):
        until = time.monotonic() + PATIENCE
        while True:
            message = self.process.read(until)
            if message is None:
                raise RuntimeError("no answer to " + what)
            if message.get("sessionId") == self.session:
                self.note(message)
            if wanted(message):
                if "error" in message:
                    raise RuntimeError("%s: %s" % (what, message["error"]))
                return message

    def open(self, path):
        """@return how long it took until it was loaded and had drawn, in seconds"""
        begun = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait(lambda m: m.get("method") == "Page.loadEventFired", "Page.navigate")
        while self.value("document.readyState") != "complete":
            time.sleep(0.01)  # the event was that of the page before
        self.settle()
        return time.monotonic() - begun

    def value(self, expression):
        """What JavaScript says; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (expression, result["exceptionDetails"].get("exception", {}).get("description")))
        return result["result"].get("value")

    def settle(self):
        """All that waited for the next frame has been drawn; if the page has been left meanwhile, of the next page."""
        frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        try:
            self.value(frames)
        except RuntimeError as problem:
            if "navigated" not in str(problem):
                raise
            self.value(frames)

    def resize(self, width, height, scale=1, mobile=False):
        self.scale, self.mobile = scale, mobile
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile)

    def prefer(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.settle()

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
        self.settle()

    def key(self, key, text=None, shift=False):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=8 if shift else 0, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=8 if shift else 0)
        self.settle()

    def picture(self, path, whole=True):
        if whole:
            width, height = self.value("[innerWidth, document.documentElement.scrollHeight]")
            self.resize(width, height, self.scale, self.mobile)
            self.settle()
        data = self.call("Page.captureScreenshot")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
