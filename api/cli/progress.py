"""Progress on standard error: a bar on a terminal, one line per policy, nothing with --quiet.

The bar appears after half a second and shows the share of jobs done, the simulated time, jobs done and jobs per second.
Without a terminal, a sweep has a line per minute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

from thinktime.cli.layout import counted, duration, number

if TYPE_CHECKING:
    from rich.progress import Progress

    from thinktime.analysis.experiments.sweep import Standing

Report = Callable[[float, int, int], None]
"""Called repeatedly with the simulated time (s), jobs done and all jobs."""

PATIENCE = 0.5  # s before a bar appears, so that it does not flash up in short runs
NOTICE = 1.0  # s before a line announces compilation; loading kernels from the cache takes less
INTERVAL = 0.1  # s between two updates of the bar
EVERY = 60.0  # s between two lines on the progress of a sweep, without a terminal
COMPILING = "compiling the kernels, once (some 10 s for each rule) …"


class StatusOutput:
    """Prints messages and progress on standard error, unless quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def say(self, line: str) -> None:
        """Print a line, unless quiet."""
        if not self.quiet:
            self.console.print(line)

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Announce the compilation of kernels if it takes longer than loading them from the cache."""
        timer = threading.Timer(NOTICE, self.say, [COMPILING])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def bar(self, title: str, start: float = 0.0) -> Iterator[Report | None]:
        """A function that shows the progress of a run that begins at `start` (s); None if it would not be seen."""
        if self.quiet or not self.console.is_terminal:
            yield None
            return
        began = time.perf_counter()
        due = began + PATIENCE
        shown: list[Progress] = []

        def update(now: float, done: int, total: int) -> None:
            nonlocal due
            moment = time.perf_counter()
            if moment < due:
                return
            due = moment + INTERVAL
            if not shown:
                shown.append(_opened(title, total, self.console))
            jobs = f"{number(done)} of {number(total)} jobs, {number(done / (moment - began))} jobs/s"
            facts = f"{duration(now - start)} simulated, {jobs}"
            shown[0].update(shown[0].task_ids[0], completed=done, facts=facts)
            shown[0].refresh()

        try:
            yield update
        finally:
            for bar in shown:
                bar.stop()

    @contextmanager
    def counting(self, title: str, *more: str) -> Iterator[Callable[..., None] | None]:
        """A function that draws how many things are done of how many, and facts by name; None if it would not be seen.

        ``more`` are templates of columns, such as ``{task.fields[facts]}``. What was done at the first call is not
        counted in the pace.
        """
        if self.quiet or not self.console.is_terminal:
            yield None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn(title), BarColumn(30), MofNCompleteColumn(), *map(TextColumn, more)
        left = TimeRemainingColumn(), TextColumn("left")
        with Progress(*columns, *left, console=self.console, transient=True) as bar:
            task = bar.add_task(title, total=None, facts="")

            def draw(done: int, total: int, **facts: Any) -> None:
                if bar.tasks[0].total is None:
                    bar.reset(task, total=total, completed=done)
                bar.update(task, completed=done, **facts)

            yield draw


def _opened(title: str, total: int, console: Console) -> Progress:
    """A bar that only its caller draws: rich's own thread would compete with the simulation."""
    from rich.progress import BarColumn, Progress, TextColumn  # here, since most runs end before a bar is due

    columns = TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[facts]}")
    progress = Progress(*columns, console=console, auto_refresh=False, transient=True)
    progress.start()
    progress.add_task(title, total=total, facts="")
    return progress


@contextmanager
def standing_bar(status: StatusOutput, name: str) -> Iterator[Callable[[Standing], None] | None]:
    """A function that shows the progress of a sweep; None if quiet."""
    with status.counting(name, "{task.fields[facts]}") as draw:
        if draw:
            yield lambda each: draw(each.done + each.failed, each.runs, facts=facts(each))
        else:
            yield None if status.quiet else minute_lines(status.say)


def minute_lines(say: Callable[[str], None]) -> Callable[[Standing], None]:
    """A function that prints the progress of a sweep at the beginning and every minute."""
    began = due = time.monotonic()

    def tell(standing: Standing) -> None:
        nonlocal due
        now, first = time.monotonic(), due == began
        if now < due:
            return
        due, runs = now + EVERY, counted(standing.runs, "run")
        if first:
            say(f"{runs} ({number(standing.resumed)} already finished)" if standing.resumed else runs)
        else:
            left = remaining(standing, now - began)
            say(f"{number(standing.done)} of {runs} done, {facts(standing)}, {left} left")

    return tell


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
