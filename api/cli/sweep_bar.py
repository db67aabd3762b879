"""How far a sweep is, on standard error: a bar on a terminal, a line a minute where nobody looks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thinktime.cli.durations import counted, duration, number
from thinktime.cli.progress import Teller

if TYPE_CHECKING:
    from thinktime.analysis.experiments.sweep import Standing

EVERY = 60.0
"""s between two lines where there is no terminal."""


@contextmanager
def standing_bar(teller: Teller, name: str) -> Iterator[Callable[[Standing], None] | None]:
    """A function that shows how far a sweep is; None where nobody wants to know."""
    if teller.quiet:
        yield None
    elif teller.console.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        with Progress(*columns, console=teller.console, transient=True) as bar:
            task = bar.add_task(name, total=None, facts="")

            def draw(standing: Standing) -> None:
                over = standing.done + standing.failed
                if bar.tasks[0].total is None:
                    bar.reset(task, total=standing.runs, completed=over)
                bar.update(task, completed=over, facts=facts(standing))

            yield draw
    else:
        yield MinuteLines(teller).tell


class MinuteLines:
    """A line at the beginning and every minute."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._began = time.monotonic()
        self._next = self._began

    def tell(self, standing: Standing) -> None:
        """Say how far the sweep is, unless that was said a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        first, self._next = self._next == self._began, now + EVERY
        if first:
            there = f" ({number(standing.resumed)} of them finished before)" if standing.resumed else ""
            self._teller.say(f"{counted(standing.runs, 'run')}{there}")
            return
        left = remaining(standing, now - self._began)
        self._teller.say(
            f"{number(standing.done)} of {counted(standing.runs, 'run')} done, {facts(standing)}, {left} left"
        )


def facts(standing: Standing) -> str:
    """What is going on, in words.

    >>> from types import SimpleNamespace
    >>> facts(SimpleNamespace(running=2, failed=1))
    '2 running, 1 failed'
    """
    return f"{number(standing.running)} running, {number(standing.failed)} failed"


def remaining(standing: Standing, seconds: float) -> str:
    """The time left, at the pace up to now."""
    made = standing.done + standing.failed - standing.resumed
    missing = standing.runs - standing.done - standing.failed
    return duration(seconds / made * missing if made else None)
