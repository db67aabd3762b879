"""How a schedule meets the expectations of its users: violated EETs and tardiness (section 3.3).

Symbols, for job j of user u: C its end, EET its expected end (s), T = max(0, C - EET) its tardiness, w its
processors. An EET is violated if C > EET. VEET_u = 100 % times the violated of all jobs of u (formula 1);
WT_u = sum of w T over the jobs of u (formula 3, processor-seconds).

Jobs that ended after having started count, with the run times that they really had on the machine (after
any kill). Where memory is known, a job has one EET for processors and one for memory, and the later one
counts. With a ``tolerance`` (s), only C > EET + tolerance is a violation; tardiness stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.expectations.capacity import Capacity, Chosen, Units, choose, fairshare_factor
from thinktime.analysis.expectations.eet import expected_ends
from thinktime.models import measures
from thinktime.models.result import Result

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Expectations:
    """Every job that ended, with what its user expected; arrays of one length."""

    policy: str
    chosen: Chosen
    machine: Units
    id: Whole
    user: npt.NDArray[Any]
    """Labels; None for none."""
    queue: npt.NDArray[Any]
    submit: Floats
    start: Floats
    end: Floats
    runtime: Floats
    processors: Whole
    memory: Floats
    """Bytes of the whole job; NaN for none."""
    eet: Floats
    campaign: Whole
    """Numbers; −1 for none."""
    tolerance: float = 0.0

    def __len__(self) -> int:
        return len(self.id)

    @property
    def tardiness(self) -> Floats:
        """T = max(0, C - EET), s."""
        return np.maximum(0.0, self.end - self.eet)

    @property
    def violated(self) -> npt.NDArray[np.bool_]:
        """C > EET (+ tolerance)."""
        return self.end > self.eet + self.tolerance

    def users(self) -> pd.DataFrame:
        """One row per user, most work first: jobs, violated, veet (%), tardiness, weighted_tardiness, work."""
        import pandas as pd

        late = self.tardiness
        frame = pd.DataFrame(
            {
                "user": pd.Series([name_of(label) for label in self.user.tolist()], dtype=object),
                "jobs": 1,
                "violated": self.violated.astype(np.int64),
                "tardiness": late,
                "weighted_tardiness": self.processors * late,
                "work": self.processors * self.runtime,
            }
        )
        table = frame.groupby("user", sort=True).sum()
        table.insert(2, "veet", 100.0 * table["violated"] / table["jobs"])
        return table.sort_values("work", ascending=False, kind="stable")

    def only(self, users: Iterable[Any] | None = None, queues: Iterable[Any] | None = None) -> Expectations:
        """The jobs of these users and queues (names or numbers); their EETs stay those among all jobs of their user."""
        kept = np.ones(len(self), np.bool_)
        for wanted, labels in ((users, self.user), (queues, self.queue)):
            if wanted is not None:
                names = {str(label) for label in wanted}
                kept &= np.array([name_of(label) in names for label in labels.tolist()], np.bool_)
        return self.select(kept)

    def without(self, users: Iterable[Any] = (), queues: Iterable[Any] = ()) -> Expectations:
        """All jobs but those of these users (administrators, say) and queues."""
        kept = np.ones(len(self), np.bool_)
        for unwanted, labels in ((users, self.user), (queues, self.queue)):
            names = {str(label) for label in unwanted}
            kept &= np.array([name_of(label) not in names for label in labels.tolist()], np.bool_)
        return self.select(kept)

    def select(self, rows: npt.NDArray[Any]) -> Expectations:
        """Some of the jobs."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})


_COLUMNS = (
    "id", "user", "queue", "submit", "start", "end", "runtime", "processors", "memory", "eet",
    "campaign",
)  # fmt: skip


def schedule_of(result: Result) -> dict[str, npt.NDArray[Any]]:
    """What the expectations need of the jobs that ended after having started."""
    over = measures.ended(result)
    columns = {
        name: result[name][over] for name in ("id", "submit", "start", "end", "processors", "campaign")
    }
    columns["runtime"] = columns["end"] - columns["start"]
    columns["memory"] = np.rint(result["memory"][over] * columns["processors"])
    return columns | {name: result.labels(name)[over] for name in ("user", "queue")}


def chosen_for(
    result: Result, capacity: Capacity | None = None, memory: int | None = None, where: str = ""
) -> Chosen:
    """The capacities that a rule chooses for a machine (with so many bytes of memory) from one schedule of it."""
    jobs = schedule_of(result)
    machine = (result.processors, memory)
    return choose(capacity or Capacity(), machine, jobs["user"], jobs["submit"], jobs["end"], where)


def evaluate(
    result: Result,
    capacity: Capacity | Chosen | None = None,
    memory: int | None = None,
    tolerance: float = 0.0,
    slot: float = 1.0,
) -> Expectations:
    """Expect, and compare with what happened.

    ``memory`` is that of the whole machine (bytes); without it, or with a capacity that names none, only
    processors count. A `Chosen` capacity (of another schedule, say) is taken as it is.
    """
    jobs = schedule_of(result)
    machine = (result.processors, memory)
    chosen = capacity if isinstance(capacity, Chosen) else chosen_for(result, capacity, memory)
    eet = _eet(jobs, chosen, machine, slot)
    return Expectations(result.policy, chosen, machine, eet=eet, tolerance=tolerance, **jobs)


def _eet(jobs: dict[str, npt.NDArray[Any]], chosen: Chosen, machine: Units, slot: float) -> Floats:
    """The latest of the EETs over the resources."""
    labels: dict[Any, int] = {}
    codes = np.array([labels.setdefault(label, len(labels)) for label in jobs["user"].tolist()], np.int64)
    units = [chosen.of(label) for label in labels]
    processors = np.array([each[0] for each in units], np.int64)[codes]
    memory = np.array([each[1] or 0 for each in units], np.int64)[codes]
    if chosen.half_life is not None:
        fair = np.minimum(processors / machine[0], 1.0)
        weight = jobs["processors"].astype(np.float64)
        factor = fairshare_factor(
            codes, jobs["submit"], jobs["start"], jobs["end"], weight, fair, chosen.half_life
        )
        processors = np.maximum(np.ceil(processors * factor), 1).astype(np.int64)
        memory = np.where(memory > 0, np.maximum(np.ceil(memory * factor), 1), 0).astype(np.int64)
    eet = expected_ends(
        jobs["submit"], jobs["processors"], jobs["runtime"], processors, codes, jobs["id"], slot
    )
    asks = np.flatnonzero((memory > 0) & (jobs["memory"] > 0))
    if len(asks):
        bytes_of = jobs["memory"][asks].astype(np.int64)
        by_memory = expected_ends(
            jobs["submit"][asks], bytes_of, jobs["runtime"][asks], memory[asks], codes[asks], jobs["id"][asks], slot
        )  # fmt: skip
        eet[asks] = np.maximum(eet[asks], by_memory)
    return eet


def name_of(label: Any) -> str:
    """A label as text; −1, the log's own mark, for none."""
    return "-1" if label is None else str(label)
