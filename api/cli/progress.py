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
    from rich.progress import Progress, TaskID

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
        bar = Bar(title, start, self.console)
        try:
            yield bar.update
        finally:
            bar.close()

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


class Bar:
    """A bar that appears if a run takes long, and disappears at its end."""

    def __init__(self, title: str, start: float, console: Console) -> None:
        self._title = title
        self._start = start
        self._console = console
        self._began = time.perf_counter()
        self._next = self._began + PATIENCE
        self._shown: tuple[Progress, TaskID] | None = None

    def update(self, now: float, done: int, total: int) -> None:
        """Draw the bar, unless it was drawn less than `INTERVAL` ago."""
        moment = time.perf_counter()
        if moment < self._next:
            return
        self._next = moment + INTERVAL
        progress, task = self._shown = self._shown or self._open(total)
        rate = done / (moment - self._began)
        jobs = f"{number(done)} of {number(total)} jobs, {number(rate)} jobs/s"
        facts = f"{duration(now - self._start)} simulated, {jobs}"
        progress.update(task, completed=done, facts=facts)
        progress.refresh()

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._shown:
            self._shown[0].stop()

    def _open(self, total: int) -> tuple[Progress, TaskID]:
        # Imported here, since most runs end before a bar is due. Only `update` draws: rich's own thread would
        # compete with the simulation.
        from rich.progress import BarColumn, Progress, TextColumn

        columns = TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[facts]}")
        progress = Progress(*columns, console=self._console, auto_refresh=False, transient=True)
        progress.start()
        return progress, progress.add_task(self._title, total=total, facts="")


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
