# SPDX-License-Identifier: BSD-3-Clause
"""Drives headless Chromium by its DevTools protocol, over a pipe: opens a page, asks it, moves the pointer, presses keys, takes pictures."""
import base64
import json
import os
import select
import signal
import subprocess
import time

from harness import need
from limits import LIMIT_S


class Browser:
    """A Chromium with one page. What it requests and what its console says is kept."""

    def __init__(self, folder):
        need("chromium")
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        self.end_s = time.monotonic() + LIMIT_S
        self.number, self.left, self.requests, self.console = 0, b"", [], []

        def descriptors(): # Chromium reads from 3 and writes to 4
            high = [os.dup2(to_browser, 60), os.dup2(from_browser, 61)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                                         "--user-data-dir=" + os.path.join(folder, "chromium"), "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=descriptors, close_fds=False, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Performance.enable", timeDomain="threadTicks")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.write)
        os.close(self.read)

    def message(self):
        """The next message of the browser."""
        while b"\0" not in self.left:
            ready = select.select([self.read], [], [], max(0, self.end_s - time.monotonic()))[0]
            piece = os.read(self.read, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser is gone" if ready else "the browser took too long")
            self.left += piece
        text, self.left = self.left.split(b"\0", 1)
        found = json.loads(text)
        if found.get("method") == "Network.requestWillBeSent":
            self.requests.append(found["params"]["request"]["url"])
        elif found.get("method") == "Runtime.consoleAPICalled":
            self.console.append(json.dumps(found["params"]["args"]))
        elif found.get("method") == "Runtime.exceptionThrown":
            self.console.append(json.dumps(found["params"]["exceptionDetails"]))
        elif found.get("method") == "Log.entryAdded":
            self.console.append(found["params"]["entry"]["text"])
        return found

    def call(self, method, **arguments):
        self.number += 1
        text = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            text["sessionId"] = self.session
        os.write(self.write, json.dumps(text).encode() + b"\0")
        while True:
            found = self.message()
            if found.get("id") == self.number:
                if "error" in found:
                    raise RuntimeError("%s: %s" % (method, found["error"]))
                return found["result"]

    def ask(self, expression):
        """The value of an expression on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError("%s: %s" % (expression, found["exceptionDetails"]))
        return found["result"].get("value")

    def open(self, file, width=1280, dark=False):
        """Opens a file, and waits until the page is drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="file://" + file)
        while not self.ask("document.body && document.body.dataset.drawn === 'yes'"):
            time.sleep(0.02)
        self.frame()

    def frame(self):
        """Waits until what was asked for is drawn."""
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150))))")

    def processor_s(self):
        """Seconds of the processor that the page's thread has used since the page was opened."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def box(self, selector):
        """Left, top, width and height of an element, which is scrolled to."""
        return self.ask("(() => { const e = document.querySelector(%s); e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()" % json.dumps(selector))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left", buttons=1)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.frame()

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, file, selector=None):
        """A picture of the page, or of an element with all that is in it."""
        if selector:
            left, top, width, height = self.ask("(() => { const b = document.querySelector(%s).getBoundingClientRect(); return [b.left + scrollX, b.top + scrollY, b.width, b.height]; })()" % json.dumps(selector))
        else:
            left, top, width, height = 0, 0, self.ask("document.documentElement.clientWidth"), self.ask("document.documentElement.scrollHeight")
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={"x": left, "y": top, "width": width, "height": min(height, 12000), "scale": 1})
        with open(file, "wb") as out:
            out.write(base64.b64decode(found["data"]))
