"""A headless Chromium, spoken to through its DevTools pipe: no driver, no sockets, no packages.

Chromium reads commands from file descriptor 3 and answers on 4, each message a JSON text ended by a zero byte
(``--remote-debugging-pipe``; https://chromedevtools.github.io/devtools-protocol/).
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 60.0
"""Seconds to wait for an answer: a busy machine starts a browser slowly."""


def program() -> str | None:
    """The path of a Chromium; None if there is none here. $THINKTIME_CHROMIUM names another one."""
    named = os.environ.get("THINKTIME_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """A page in a browser, and everything that it complained about or asked the network for."""

    def __init__(self, path: str) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._in, self._out, self._number, self._buffer = ours_in, ours_out, 0, b""

        def connect() -> None:
            high = [os.dup(theirs_in), os.dup(theirs_out)]  # 3 and 4 may be in use themselves
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    # -- what tests do --------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Load a file and wait until it is there."""
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not self._loaded:
            self._listen(time.monotonic() + PATIENCE)

    def appear(self, scheme: str, width: int, height: int = 900, *, phone: bool = False) -> None:
        """Take a colour scheme (light, dark) and a size (CSS pixels)."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone,
        )  # fmt: skip

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def mouse(self, name: str, x: float, y: float, *kinds: str, **more: Any) -> None:
        """Move, press, release or turn the mouse at a share of the width and height of an element, by its id."""
        found = f"document.getElementById({json.dumps(name)})"
        self.ask(f"{found}.checkVisibility() && {found}.scrollIntoView({{block: 'nearest'}})")
        box = self.ask(f"{found}.getBoundingClientRect().toJSON()")
        place = {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}
        for kind in kinds:
            pressed = {"button": "left", "clickCount": 1} if kind in ("mousePressed", "mouseReleased") else {}
            self.call("Input.dispatchMouseEvent", type=kind, **place, **pressed, **more)

    def key(self, name: str, text: str = "") -> None:
        """Press a key on the keyboard, wherever the focus is."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, text=text if kind == "keyDown" else "")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.ask(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} is not so: {self.complaints}")
            time.sleep(0.01)

    def screenshot(self, *, whole: bool = True) -> bytes:
        """The page as a PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        return base64.b64decode(shot["data"])

    def pdf(self) -> bytes:
        """The page as it is printed (A4)."""
        printed = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=False)
        return base64.b64decode(printed["data"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        if method == "Page.navigate":
            self._loaded = False
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._listen(until)
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    # -- what the browser says ------------------------------------------------------------------------------

    _loaded = False

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def _listen(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or self._process.poll() is not None:
                raise TimeoutError(f"the browser does not answer (status {self._process.poll()})")
            if select.select([self._in], [], [], min(left, 1.0))[0]:
                self._buffer += os.read(self._in, 1 << 20)
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, about: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(about))


@contextmanager
def browser() -> Iterator[Page]:
    """A page in a fresh browser."""
    path = program()
    assert path is not None
    with Page(path) as page:
        yield page
