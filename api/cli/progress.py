"""Progress on standard error: a bar on a terminal, one line per policy, nothing with --quiet.

The bar appears after half a second and shows the share of jobs done, the simulated time, jobs done and jobs per second.
Without a terminal, a sweep has a line per minute. The time left is said once it is worth something (`TimeLeft`).
"""

from __future__ import annotations

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
INTERVAL = 0.1  # s between two updates of the bar
ENOUGH = 3  # things done after the first, before the time left can be told
HALF = 0.5  # of the time until the first thing is done, for which the pace must have been watched
EVERY = 60.0  # s between two lines on the progress of a sweep, without a terminal


class TimeLeft:
    """How much time is left, s, at the pace so far; None while this is not known within a factor of two.

    The pace since the beginning is too slow, as it counts the start of workers; that since the first
    thing was done is too fast where several are done at once. So it is their geometric mean, once things have been done
    for half as long as it took until the first.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._before: int | None = None
        self._first: tuple[float, int] | None = None

    def at(self, done: int, total: int) -> float | None:
        """So many of so many things are done; those that were at the first call do not count."""
        now = self._clock()
        if self._before is None:
            self._before = done
        if done > self._before and self._first is None:
            self._first = now, done
        if self._first is None or done - self._first[1] < ENOUGH:
            return None
        watched, until_first = now - self._first[0], self._first[0] - self._began
        slow = (watched + until_first) / (done - self._before)
        fast = watched / (done - self._first[1])
        return (slow * fast) ** 0.5 * (total - done) if watched >= HALF * until_first else None


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
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn(title),
            BarColumn(30),
            MofNCompleteColumn(),
            *map(TextColumn, (*more, "{task.fields[left]}")),
        )
        with Progress(*columns, console=self.console, transient=True) as bar:
            task, left = bar.add_task(title, total=None, facts="", left=""), TimeLeft()

            def draw(done: int, total: int, **facts: Any) -> None:
                if bar.tasks[0].total is None:
                    bar.reset(task, total=total, completed=done)
                said = in_words(left.at(done, total)).removeprefix(", ")
                bar.update(task, completed=done, left=said, **facts)

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
    left = TimeLeft()

    def tell(standing: Standing) -> None:
        nonlocal due
        now, first = time.monotonic(), due == began
        seconds = left.at(standing.done + standing.failed, standing.runs)
        if now < due:
            return
        due, runs = now + EVERY, counted(standing.runs, "run")
        if first:
            say(f"{runs} ({number(standing.resumed)} already finished)" if standing.resumed else runs)
        else:
            say(f"{number(standing.done)} of {runs} done, {facts(standing)}{in_words(seconds)}")

    return tell


def facts(standing: Standing) -> str:
    """The running and failed runs, in words.

    >>> from types import SimpleNamespace
    >>> facts(SimpleNamespace(running=2, failed=1))
    '2 running, 1 failed'
    """
    return f"{number(standing.running)} running, {number(standing.failed)} failed"


def in_words(seconds: float | None) -> str:
    """The time left, after a comma; nothing if it is not known.

    >>> in_words(130.0), in_words(None)
    (', 2m 10s left', '')
    """
    return "" if seconds is None else f", {duration(seconds)} left"
