"""The columns of a schedule: one row per submitted job, and the conditions under which the jobs ran.

A `Schedule` is a snapshot at the horizon `now`, in the order of the machine. It includes jobs that were
still waiting or running then, and jobs that were killed, withdrawn or refused, as their `state` says. Times still to
come are NaN. Jobs not yet submitted are excluded. docs/design.md describes the columns ("The machine's columns").

Measures, tables and files are functions of a schedule, in the other modules of this package. A `Result` is a
schedule that has them as methods.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thinktime.models.results.demand import LostDemand
from thinktime.models.results.history import History
from thinktime.models.results.node_record import NodeRecord
from thinktime.models.results.responses import Responses
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.names import Explained, key_of, quoted
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.signals.units import CARBON, PRICE

_WHOLE = ("id", "user", "group", "queue", "partition", "campaign", "processors")
COLUMNS: dict[str, npt.DTypeLike] = {
    name: np.int64 if name in _WHOLE else np.int8 if name == "state" else np.float64
    for name in (
        "id", "user", "group", "queue", "partition", "campaign", "submit", "start", "end", "processors",
        "estimate", "memory", "runtime", "state", "think_time", "promised", "latest_start", "recorded_start",
    )
}  # fmt: skip
"""The columns of a result, with their types."""

ON_REQUEST: dict[str, npt.DTypeLike] = {
    "reason": np.int8, "limit": np.int64, "runs": np.int64, "lost": np.float64, "eligible": np.float64,
    "power": np.float64, "shape": np.int64,
}  # fmt: skip
"""Columns of some results: `reason` of machines that were asked for it, with `limit` where a site has limits; `runs`
and `lost` of machines that change; `eligible` where jobs may have to wait outside the queue; `power`, the W that each
processor of a job draws above idle, where the machine's power is known; and `shape`, which sizes a job may have, under
policies that choose them."""

LABELLED = ("user", "group", "queue", "partition")
"""The columns that hold codes into `Result.names`; -1 means none."""

LABELLED_ON_REQUEST = ("limit", "shape")
"""Columns `ON_REQUEST` that hold such codes, too."""


@dataclass(frozen=True, eq=False, repr=False)
class Schedule(Explained):
    """The jobs of one machine up to its horizon, with the conditions under which they ran.

    `schedule["start"]` is a column (read-only); the attribute `unix_start` is the Unix time of t = 0.
    """

    columns: dict[str, AnyArray]
    names: dict[str, list[Any]]
    """The labels behind the codes of `user`, `group`, `queue` and `partition`, and of `limit` and `shape`, if there."""
    processors: int
    policy: str
    overrun: str
    now: float
    """The horizon: the simulated time at which the result was taken."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Jobs that a log's cleaning left out, by reason."""
    notes: list[str] = field(default_factory=list)
    nodes: NodeRecord | None = None
    """The nodes on which the jobs ran, for a machine of nodes."""
    unix_start: float | None = None
    """Unix time of t = 0, if known."""
    zone: str | tzinfo | None = None
    """The time zone of the log, or its name, if known."""
    simulation_seconds: float | None = None
    """CPU seconds of the event loop alone, if measured; the only field that differs between equal runs."""

    history: History | None = None
    """The runs of jobs, the windows and the outages of a machine that changes; None for others."""
    machine_power: Any = None
    """What the machine draws, and the cap on it (`thinktime.models.machine.power.Power`), if it is known."""
    charge: Any = None
    """What jobs are charged (`thinktime.models.site.charge.Charge`), if they are."""
    budget: Any = None
    """How much users or accounts may be charged (`thinktime.models.site.budget.Budget`), if that is limited."""
    signals: Mapping[str, Signal] = field(default_factory=dict)
    """Prices, carbon and tariffs over the time of the run, by name."""
    lost_demand: dict[str, AnyArray] = field(default_factory=lambda: LostDemand().columns())
    """Demand that users gave up, as columns (see `thinktime.models.results.demand`)."""
    responses: dict[str, AnyArray] = field(default_factory=lambda: Responses().columns())
    """What users did instead, as columns (see `thinktime.models.results.responses`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _checked(self.columns))
        known = [*LABELLED, *(name for name in LABELLED_ON_REQUEST if name in self.columns)]
        object.__setattr__(self, "names", {name: list(self.names.get(name, [])) for name in known})

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        processors: int,
        *,
        names: dict[str, list[Any]] | None = None,
        policy: str = "recorded",
        overrun: str = "kill",
        now: float | None = None,
    ) -> Self:
        """A result from a schedule made elsewhere, which may lack columns.

        `submit`, `start`, `end` and `processors` are required (NaN for what did not happen). By default, `state`,
        `runtime` and `estimate` follow from these, jobs are numbered from 1, the horizon is the last time that
        occurs, and other columns are `none`.
        """
        given = {name: np.asarray(column) for name, column in columns.items()}
        times = np.concatenate([given[name] for name in ("submit", "start", "end")])
        last = float(np.nanmax(times, initial=0.0)) if now is None else now
        return cls(_implied(given) | given, names or {}, processors, policy, overrun, last)

    def __getitem__(self, column: str) -> AnyArray:
        if isinstance(column, str) and column in self.columns:
            return self.columns[column]
        raise KeyError(
            f"a result has no column {quoted(column)}; {key_of(str(column), self._known(), 'its columns', 3)}"
        )

    def _known(self) -> list[str]:
        return list(self.columns)

    def __len__(self) -> int:
        return len(self.columns["id"])

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {len(self)} jobs on {self.processors} processors under {self.policy} "
            f"(overrun: {self.overrun}) at t = {self.now:.15g} s>"
        )

    @property
    def has(self) -> frozenset[str]:
        """What it has that some metrics need (`thinktime.models.results.metric.OF_SOME`)."""
        power = self.machine_power is not None
        signals = {each.kind for each in self.signals.values()} & {CARBON, PRICE} if power else set()
        others = {"power": power, "changes": self.history is not None, "charge": self.charge is not None}
        others |= {"budget": self.budget is not None, "shapes": "shape" in self.columns}
        return frozenset({*signals, *(name for name, there in others.items() if there)})

    def signal(self, kind: str) -> Signal | None:
        """The signal of a kind, such as ``price``: of several the one that is called so, or else the first."""
        own = {name: each for name, each in self.signals.items() if each.kind == kind}
        return own.get(kind, next(iter(own.values()), None))

    def labels(self, column: str) -> AnyArray:
        """The labels of each job's user, group, queue, partition or limit, as objects; None where there is none."""
        labels = np.array([*self.names[column], None], dtype=object)
        return labels[self.columns[column]]


def _implied(given: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """Every column, as derived from submissions, starts and ends alone."""
    start, end = given["start"], given["end"]
    none = {name: np.full(len(start), -1 if dtype is np.int64 else np.nan) for name, dtype in COLUMNS.items()}
    runtime = np.where(np.isnan(end - start), 0.0, end - start)
    state = np.where(np.isnan(end), State.RUNNING, State.FINISHED)
    unstarted = np.where(np.isnan(end), State.WAITING, State.WITHDRAWN)
    return none | {
        "id": np.arange(1, len(start) + 1),
        "runtime": runtime,
        "estimate": np.maximum(runtime, 1.0),
        "state": np.where(np.isnan(start), unstarted, state),
    }


def _checked(columns: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """The columns in their documented order and types, read-only, with names and lengths checked."""
    known = COLUMNS | {name: dtype for name, dtype in ON_REQUEST.items() if name in columns}
    if set(columns) != set(known):
        missing, unknown = sorted(set(COLUMNS) - set(columns)), sorted(set(columns) - set(COLUMNS))
        raise ValueError(f"a result has the columns of COLUMNS, here missing {missing} and unknown {unknown}")
    lengths = {name: len(columns[name]) for name in known}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of a result have one length, got {lengths}")
    return {name: _read_only(columns[name], dtype) for name, dtype in known.items()}


def _read_only(column: AnyArray, dtype: npt.DTypeLike) -> AnyArray:
    view = np.asarray(column, dtype=dtype).view()
    view.flags.writeable = False
    return view
