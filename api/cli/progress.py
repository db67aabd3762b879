"""How far a run is, on standard error: a bar on a terminal, one line per policy, nothing with --quiet.

The bar appears once a run has taken half a second, and shows the share of jobs done, the simulated time, jobs
done and jobs per second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from thinktime.cli.durations import duration, number

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Report = Callable[[float, int, int], None]
"""Called now and then with the simulated time (s), jobs done and jobs in all."""

PATIENCE = 0.5  # s of run time before a bar appears: a bar that flashes up is only a disturbance
NOTICE = 1.0  # s of compilation before a line says so: reading kernels from the cache takes less
INTERVAL = 0.1  # s between two pictures of the bar
COMPILING = "compiling the kernels, once (about 10 s) …"


class Teller:
    """Tells on standard error what goes on, or keeps quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def say(self, line: str) -> None:
        """One line, unless quiet."""
        if not self.quiet:
            self.console.print(line)

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Say that kernels are being compiled, if that takes longer than reading them from the cache."""
        timer = threading.Timer(NOTICE, self.say, [COMPILING])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def bar(self, title: str, start: float = 0.0) -> Iterator[Report | None]:
        """A function that draws the progress of a run from `start` (s) on; None where nobody would see it."""
        if self.quiet or not self.console.is_terminal:
            yield None
            return
        bar = Bar(title, start, self.console)
        try:
            yield bar.update
        finally:
            bar.close()


class Bar:
    """A bar that appears when a run takes long, and goes when it is over."""

    def __init__(self, title: str, start: float, console: Console) -> None:
        self._title = title
        self._start = start
        self._console = console
        self._began = time.perf_counter()
        self._next = self._began + PATIENCE
        self._shown: tuple[Progress, TaskID] | None = None

    def update(self, now: float, done: int, total: int) -> None:
        """Draw the bar, unless it was drawn a moment ago."""
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
        """Take the bar off the screen."""
        if self._shown:
            self._shown[0].stop()

    def _open(self, total: int) -> tuple[Progress, TaskID]:
        # Imported here: most runs are over before a bar is due. Drawn by `update` alone, without rich's own
        # thread, which would take turns with the simulation.
        from rich.progress import BarColumn, Progress, TextColumn

        columns = TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[facts]}")
        progress = Progress(*columns, console=self._console, auto_refresh=False, transient=True)
        progress.start()
        return progress, progress.add_task(self._title, total=total, facts="")
