"""The progress of a sweep on standard error: a bar on a terminal, else a line per minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thinktime.cli.progress import StatusOutput
from thinktime.cli.readable import counted, duration, number

if TYPE_CHECKING:
    from thinktime.analysis.experiments.sweep import Standing

EVERY = 60.0
"""Time between two lines without a terminal (s)."""


@contextmanager
def standing_bar(status: StatusOutput, name: str) -> Iterator[Callable[[Standing], None] | None]:
    """A function that shows the progress of a sweep; None if quiet."""
    with status.counting(name, "{task.fields[facts]}") as draw:
        if draw:
            yield lambda each: draw(each.done + each.failed, each.runs, facts=facts(each))
        else:
            yield None if status.quiet else MinuteLines(status).tell


class MinuteLines:
    """A line at the beginning and every minute."""

    def __init__(self, status: StatusOutput) -> None:
        self._teller = status
        self._began = time.monotonic()
        self._next = self._began

    def tell(self, standing: Standing) -> None:
        """Print the progress of the sweep, unless it was printed less than a minute ago."""
        now = time.monotonic()
        if now < self._next:
            return
        first, self._next = self._next == self._began, now + EVERY
        if first:
            before = f" ({number(standing.resumed)} already finished)" if standing.resumed else ""
            self._teller.say(f"{counted(standing.runs, 'run')}{before}")
            return
        left = remaining(standing, now - self._began)
        self._teller.say(
            f"{number(standing.done)} of {counted(standing.runs, 'run')} done, {facts(standing)}, {left} left"
        )


def facts(standing: Standing) -> str:
    """The running and failed runs, in words.

    >>> from types import SimpleNamespace
    >>> facts(SimpleNamespace(running=2, failed=1))
    '2 running, 1 failed'
    """
    return f"{number(standing.running)} running, {number(standing.failed)} failed"


def remaining(standing: Standing, seconds: float) -> str:
    """The estimated time left, at the pace so far."""
    made = standing.done + standing.failed - standing.resumed
    missing = standing.runs - standing.done - standing.failed
    return duration(seconds / made * missing if made else None)
