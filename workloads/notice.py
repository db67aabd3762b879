"""What is said when kernels are compiled: one line, once, if it takes longer than two seconds.

Compiled code is kept (`thinktime.workloads.compiler`), so this happens where a kind of machine or a policy is used for
the first time. Worker processes say nothing: what they need was compiled before they began.
"""

import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import parent_process

LINE = (
    "thinktime: compiling, once for each kind of machine and policy (measured: 20 s of processor time for EASY on "
    "processors, 110 s for a policy in Python on nodes that change)"
)
"""The times were measured on one core of a server (x86-64)."""
PATIENCE = 2.0
"""Compiling that takes no longer (s) is not worth a line."""


def on_standard_error(line: str) -> None:
    """What a script says."""
    print(line, file=sys.stderr, flush=True)


say: Callable[[str], None] = on_standard_error
"""How it is said; the command line has ways of its own."""


class Watch:
    """Told of the beginning and the end of each compilation, it says the line when they have taken so long."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.left = patience
        self.said = parent_process() is not None
        self._depth, self._began = 0, 0.0
        self._timer: threading.Timer | None = None

    def begins(self) -> None:
        """A kernel is compiled now; within it, others may be."""
        self._depth += 1
        if self._depth > 1 or self.said:
            return
        self._began = time.monotonic()
        self._timer = threading.Timer(max(self.left, 0.0), self._say)
        self._timer.daemon = True
        self._timer.start()

    def ends(self) -> None:
        """It has been compiled."""
        self._depth -= 1
        if self._depth or self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        self.left -= time.monotonic() - self._began

    def _say(self) -> None:
        if not self.said:
            self.said = True
            say(LINE)
