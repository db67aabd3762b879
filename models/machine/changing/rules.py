"""What changes on a machine, and what then happens to its jobs, as one value.

changes = Changes(failures=Failures(mtbf="30d", mttr="4h"), checkpoint=3600, cost=30)
spec = MachineSpec(processors=128, changes=changes)
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

from thinktime.workloads import checks
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outage_logs import outage_rows
from thinktime.workloads.changes.outages import Machine, Outages
from thinktime.workloads.changes.window_checks import check_windows
from thinktime.workloads.changes.windows import CAP, RULES, Window
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import AS_GIVEN, Codec, Table, table_of
from thinktime.workloads.units import Duration, seconds

REPAIRS = ("unknown", "told")
ON_FAILURE = ("requeue", "cancel", "shrink")
REQUEUE_AT = ("original", "now")
SUSPENDED_HOLDS = ("memory", "all")
STRANGERS = ("refuse", "note")
CHOICES = {
    "repairs": REPAIRS, "on_failure": ON_FAILURE, "requeue_at": REQUEUE_AT, "suspended_holds": SUSPENDED_HOLDS,
    "strangers": STRANGERS,
}  # fmt: skip
STEP = 2.0**-10  # s: the grid of time


def _window_tables(windows: tuple[Window, ...]) -> list[dict[str, Any]]:
    """The windows without what is empty, or usual."""
    found = []
    for window in windows:
        usual = {"rule": RULES[0], "kind": "reservation" if window.users or window.jobs else "maintenance"}
        table = table_of(window)
        if window.kind == CAP:
            usual, table = {"rule": "wait"}, {name: each for name, each in table.items() if name != "processors"}
        else:
            table.pop("watts", None)
        found.append({name: each for name, each in table.items() if each not in ([], usual.get(name))})
    return found


def _outage_tables(outages: Outages) -> list[dict[str, Any]]:
    return [dict(zip(("start", "end", "processors"), row, strict=True)) for row in outage_rows(outages)]


def _failures_text(failures: Failures) -> str:
    if failures.mtbf is None or failures.mttr is None:
        raise ValueError(f"failures have a distribution of their own ({failures}), which TOML cannot hold")
    return str(failures)


@dataclass(frozen=True, slots=True)
class Changes(Table):
    """Windows and outages of a machine, and what becomes of the jobs that they interrupt.

    ``outages`` and ``failures`` may both be given; a processor is down in their union. With ``repairs="told"``,
    policies know when an outage ends once it has begun. ``on_failure`` says what happens to jobs on processors that
    fail: ``requeue``, ``cancel``, or ``shrink``, by which malleable jobs go on with what is left, of failures and of
    windows, and others are requeued. A requeued job queues by its submission (``requeue_at="original"``) or by the
    time of the interruption (``"now"``), after ``requeue_delay`` s, in which it is not in the queue. It is killed at
    one interruption more than ``max_restarts``.

    ``checkpoint`` is the work between two checkpoints, ``cost`` what one takes, and ``restart`` what a run takes before
    its work goes on (s, or texts such as "1h"). The limit of a job is on its work, so they do not count against it.

    A suspended job keeps its memory, and whatever it has beside processors, on its nodes. With
    ``suspended_holds="all"`` it keeps its processors as well, as in Slurm: they are for itself and for the job that
    preempted it, which is taken to use them first (`thinktime.models.engine.keeping`).

    Users and jobs of windows that a log does not have are refused when it is replayed; with ``strangers="note"`` the
    result names them in a note instead.

    ``ValueError`` for a choice that is not there, or a time that cannot be; ``TypeError`` for anything else than
    windows, outages and failures.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0], "runtime": [100], "allocated": [4]})
    >>> maintenance = tt.Window(50, 80, processors=4)
    >>> tt.replay(log, "fcfs", 4, changes=Changes(windows=(maintenance,)))["start"].tolist()
    [80.0]
    """

    windows: Annotated[tuple[Window, ...], Codec(lambda value: value, _window_tables)] = ()
    outages: Annotated[Outages | None, Codec(lambda value: value, _outage_tables)] = None
    failures: Annotated[Failures | None, Codec(lambda value: value, _failures_text)] = None
    repairs: Annotated[str, AS_GIVEN] = "unknown"
    on_failure: Annotated[str, AS_GIVEN] = "requeue"
    requeue_at: Annotated[str, AS_GIVEN] = "original"
    max_restarts: Annotated[int | None, AS_GIVEN] = None
    checkpoint: Annotated[float, AS_GIVEN] = math.inf
    cost: Annotated[float, AS_GIVEN] = 0.0
    restart: Annotated[float, AS_GIVEN] = 0.0
    requeue_delay: Annotated[float, AS_GIVEN] = 0.0
    suspended_holds: Annotated[str, AS_GIVEN] = "memory"
    strangers: Annotated[str, AS_GIVEN] = "refuse"
    _fits: Machine | None = field(default=None, init=False, repr=False, compare=False)
    """The machine on which the windows are known to fit."""

    if TYPE_CHECKING:  # times may be given as texts, but are read as numbers

        def __init__(
            self,
            windows: Window | Iterable[Window] = (),
            outages: Outages | None = None,
            failures: Failures | None = None,
            repairs: str = "unknown",
            on_failure: str = "requeue",
            requeue_at: str = "original",
            max_restarts: int | None = None,
            checkpoint: Duration | None = math.inf,
            cost: Duration = 0.0,
            restart: Duration = 0.0,
            requeue_delay: Duration = 0.0,
            suspended_holds: str = "memory",
            strangers: str = "refuse",
        ) -> None: ...

    def __post_init__(self) -> None:
        given: Any = self.windows
        checks.put(self, "windows", _windows((given,) if isinstance(given, Window) else given))
        _instance("outages", self.outages, Outages, "Outages.of([(10, 20, '0-3')])")
        _instance("failures", self.failures, Failures, "Failures(mtbf='30d', mttr='4h')")
        for name, choices in CHOICES.items():
            if (value := getattr(self, name)) not in choices:
                raise ValueError(f"{name} cannot be {quoted(value)}; {key_of(str(value), choices, 'the choices')}")
        if self.max_restarts is not None:
            checks.put(self, "max_restarts", checks.whole("max_restarts", self.max_restarts, 0))
        for name in ("checkpoint", "cost", "restart", "requeue_delay"):
            checks.put(self, name, duration(name, getattr(self, name)))
        check_checkpoints(self.checkpoint, self.cost)

    def replicated(self, number: int) -> Self:
        """The same changes with other random failures: those of a seed that is ``number`` higher."""
        if self.failures is None or not number:
            return self
        return replace(self, failures=self.failures.with_seed(self.failures.seed + number))

    def check(self, machine: Machine, places: Sequence[str] | None = None) -> None:
        """``ValueError`` if they do not fit a machine of so many processors, or of nodes with these numbers.

        It names a window by its place in a file, if the ``places`` of all are known. Windows are checked once.
        """
        if self._fits != machine:
            check_windows(self.windows, machine, places)
            checks.put(self, "_fits", machine)
        if self.outages is not None:
            self.outages.bound(machine)


def check_checkpoints(interval: float, cost: float) -> None:
    """``ValueError`` for checkpoints that cannot be."""
    if interval < STEP:
        raise ValueError(f"checkpoint must be at least {STEP:.15g} s, not {interval:.15g}")
    if cost and interval == math.inf:
        raise ValueError(f"cost is {cost:.15g} s, but there are no checkpoints; give checkpoint as well")


def duration(name: str, value: Any) -> float:
    """A duration of at least 0, in s, on the grid; infinity is none at all."""
    if value is None or value == math.inf:
        return math.inf
    try:
        found = seconds(value)
        if found >= 0:
            return to_grid(found)
    except ValueError:
        pass
    raise ValueError(f"{name} must be a duration of at least 0, such as 60 or 1h, not {quoted(value)}")


def _windows(given: Iterable[Window]) -> tuple[Window, ...]:
    such_as = "[Window(3600, 7200, processors=64)]"
    if not isinstance(given, Iterable):
        raise TypeError(f"windows must be such as {such_as}, not {quoted(given)}")
    found = tuple(given)
    for each in found:
        _instance("windows", each, Window, such_as)
    return found


def _instance(name: str, value: Any, kind: type, such_as: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be such as {such_as}, not {quoted(value)}")
