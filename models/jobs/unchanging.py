"""What a pool answers where nothing changes: no windows, no outages, and every job runs once, to its end.

Machines that change (`thinktime.models.machine.changing`) answer otherwise, and those of nodes some of it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.jobs.part import Part
from thinktime.models.jobs.refusing import NOT_RESIZING, PolicyError
from thinktime.models.results.history import History
from thinktime.models.results.node_record import NodeRecord
from thinktime.workloads.arrays import NO_ROWS, Rows
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job
from thinktime.workloads.shapes.shape import Shape

UNCHANGING = "{}() is for machines that change: open this one with changes=Changes()"


class Unchanging(Part):
    """The part of a pool that others override."""

    forms: Any = None
    """The shapes of its jobs, where these may have several sizes (`thinktime.models.jobs.forms`)."""

    def foresee(self, now: float) -> None:
        """Let the engine know all changes of the machine up to some time after ``now``."""

    known_until = np.inf
    """Up to when the engine knows the changes of the machine, s."""

    leaving_rows = NO_ROWS
    """The rows of running jobs that are under notice."""

    known: Callable[[], list[Any]] = list
    """Gives the windows that policies may know."""

    def next_change(self) -> float:
        """When the machine changes next; infinite for never."""
        return np.inf

    def change(self, now: float) -> Rows:
        """Do all changes of the machine that are due, and return the rows of the jobs that this interrupts."""
        return NO_ROWS

    def choose(self, row: int, how: str, now: float, grace: float, keeper: int = -1) -> None:
        """A policy wants a running job to leave; ``PolicyError`` if it may not."""
        raise NotImplementedError

    may_preempt = coming_back = False
    """Whether jobs can be preempted, and whether interrupted jobs will come back into the queue."""

    def has_run(self, row: int) -> bool:
        """Whether a waiting job has run before."""
        return False

    def options_of(self, jobs: Sequence[Job]) -> dict[str, Any]:
        """What jobs say that only some machines ask, as columns."""
        return {}

    def check(self, job: Job) -> None:
        """``ValueError`` if there is more that keeps the job from ever running here than its processors."""

    def consider(self, row: int, job: Job) -> None:
        """Let a row that is not submitted ask what a job asks, beside its processors."""

    def start_with(self, row: int, processors: Any) -> None:
        """A waiting job is to start with so many processors."""
        raise PolicyError(NOT_RESIZING)

    def to_resize(self, row: int, processors: Any, now: float) -> Any:
        """A running job is to have so many processors."""
        raise PolicyError(NOT_RESIZING)

    def resize(self, proposed: Sequence[tuple[int, int]], now: float) -> None:
        """Propose sizes, by their places, for running jobs."""
        raise PolicyError(NOT_RESIZING)

    def shape_of(self, row: int) -> Shape | None:
        """The shape of a job; None for one that is rigid here."""
        return None

    def deadlock(self, over: bool) -> list[str]:
        """A sentence on running jobs that wait for processors which none of them will give back, once all is over."""
        return []

    def take_shapes(self) -> None:
        """From now on, jobs may have several sizes."""
        raise NotImplementedError

    def of_process(self, row: int) -> None:
        """A job is a hold."""

    def add_window(self, window: Window, now: float) -> None:
        """A window is announced."""
        raise ValueError(UNCHANGING.format("add_window"))

    def add_outages(self, outages: Outages, now: float) -> None:
        """Outages are to come; such a machine refuses them."""
        raise ValueError(UNCHANGING.format("add_outages"))

    def fail(self, failing: Iterable[int | str], now: float, until: float) -> None:
        """Some processors or nodes go down now."""
        raise ValueError(UNCHANGING.format("fail"))

    def interruption(self, row: int) -> Any:
        """The last `Interruption` of a job; None if there was none."""
        return None

    def gave_up(self, row: int) -> bool:
        """Whether a job that has run was taken back while it waited to run again."""
        return False

    def first_and_all_runs(self, row: int) -> tuple[float, float, tuple[tuple[float, float, str], ...]]:
        """Submission and first start of a job that is over (s), and its runs if jobs may have several."""
        return self.requests.submit.item(row), self.requests.start.item(row), ()

    def first_runs(self) -> dict[str, NDArray[Any]]:
        """The columns of a result that begin with a job's first run, where jobs may have several."""
        return {}

    def shape_names(self) -> list[str]:
        """The texts of the shapes that jobs have, by their codes, where jobs may have several sizes."""
        return []

    def history(self, rows: Rows, now: float) -> History | None:
        """The runs of some jobs, and what happened to the machine up to now; None if it does not change."""
        return None

    def placement(self, rows: Rows) -> NodeRecord | None:
        """On which nodes the jobs in some rows run or have run; None for a machine without nodes."""
        return None
