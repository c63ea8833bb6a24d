# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Drives Debian's chromium, headless, by chromedriver (W3C WebDriver), with mouse and keys."""

import base64
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-quic", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
         "--window-size=1500,1200"]
KEYS = {"Shift": "\ue008", "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Escape": "\ue00c",
        "Tab": "\ue004", "Enter": "\ue007"}
PATIENCE_S = 600  # for each answer of the browser. Only a failure, or a machine with much other work, takes that long


class Browser:
    """A browser without network access: it resolves no names, and opens only files."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="cudahisto-chromium-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        said = (re.search(r"successfully on port (\d+)", line) for line in self.driver.stdout)
        port = next(match[1] for match in said if match)
        self.url = f"http://127.0.0.1:{port}/session"
        flags = FLAGS + [f"--user-data-dir={self.profile.name}", "--host-resolver-rules=MAP * ~NOTFOUND"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        options = {"goog:chromeOptions": {"args": flags}, "goog:loggingPrefs": {"browser": "ALL"}}
        options["timeouts"] = {"script": PATIENCE_S * 1000, "pageLoad": PATIENCE_S * 1000}
        session = self.call("POST", "", {"capabilities": {"alwaysMatch": options}})
        self.url += "/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, method=method, data=data)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:1000]) from error

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, *arguments):
        """Waits until the script returns a true value, and returns that."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never so: {script}")

    def open(self, path):
        self.call("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})
        self.wait_for("return document.documentElement.dataset.openedAfter")

    def settle(self):
        """Waits until the page has been drawn."""
        self.call("POST", "/execute/async", {"args": [], "script":
                  "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))"})

    def set_media(self, **features):
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def set_width(self, width):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=1200, deviceScaleFactor=1, mobile=False)

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def take_log(self):
        """Returns the console's messages since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def take_picture(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def print(self):
        return base64.b64decode(self.call("POST", "/print", {"background": True, "page": {"width": 21.0, "height": 29.7}}))

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector)

    # ---- a person

    def box(self, selector):
        return self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
                        "const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]", selector)

    def act(self, kind, *actions, **more):
        self.call("POST", "/actions", {"actions": [{"type": kind, "id": kind, "actions": list(actions), **more}]})
        self.settle()

    def place(self, selector, across, down):
        """A mouse move to these fractions of an element."""
        left, top, width, height = self.box(selector)
        x, y = (min(max(round(begin + length * share), math.ceil(begin)), math.ceil(begin + length) - 1)
                for begin, length, share in ((left, width, across), (top, height, down)))
        return {"type": "pointerMove", "duration": 0, "x": x, "y": y}

    def move(self, selector, across=0.5, down=0.5):
        self.act("pointer", self.place(selector, across, down))

    def click(self, selector, across=0.5, down=0.5):
        self.act("pointer", self.place(selector, across, down), {"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0})

    def tap(self, selector, across=0.5, down=0.5):
        """Taps with a finger."""
        actions = [self.place(selector, across, down), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"},
                                                    "actions": actions}]})
        self.settle()

    def double_click(self, selector):
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.act("pointer", self.place(selector, 0.5, 0.5), *press, *press)

    def drag(self, selector, begin, end):
        self.act("pointer", self.place(selector, begin, 0.5), {"type": "pointerDown", "button": 0},
                 {**self.place(selector, end, 0.5), "duration": 60}, {"type": "pointerUp", "button": 0})

    def turn_wheel(self, selector, amount, across=0.5):
        place = self.place(selector, across, 0.5)
        self.act("wheel", {"type": "scroll", "x": place["x"], "y": place["y"], "deltaX": 0, "deltaY": amount, "duration": 0})

    def press(self, *keys):
        for key in keys:
            value = KEYS.get(key, key)
            self.act("key", {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()
