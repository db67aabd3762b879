"""Deviation from fair shares, per user and day: what users got against what they were entitled to.

For user u and day d, with n processors and times of the schedule:

* used: sum of ``n |[start, end) in d|``;
* demand: sum over jobs that wait or run at some time in d of n min(remaining run time, rest of the day), both
  from max(start of the day, submission) on: a job counts on every day on which it waits or runs;
* entitled: the capacity C(d), divided among the users who have a job that day: ``maxmin`` by max-min fair shares
  capped by demand, ``proportional`` in proportion to demand, ``equal`` in equal parts (all three can be weighted);
* dev = sum over days of (used - entitled), in processor-hours: over-share above 0, under-share below 0.

C(d) is the work delivered that day (default; deviations then add up to 0 every day), or the whole machine's
P times the length of the day. Source: the goal paper, section IV.B, for dev and demand; it does not define the entitled
share, so the divisions and capacities are ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thinktime.models.orders.entitlement import max_min, proportional
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.units import HOUR

SHARES = ("maxmin", "proportional", "equal")
"""What users may be entitled to of a day's capacity."""
CAPACITIES = ("delivered", "machine")


@dataclass(frozen=True, slots=True)
class Deviation:
    """Arrays of one row per user and one column per day, in processor-seconds."""

    users: list[Any]
    """Names in the log's order; None for jobs without a user."""
    days: Floats
    """The boundaries of the days (s), one more than there are days."""
    used: Floats
    demand: Floats
    entitled: Floats
    active: Flags
    """Whether the user had a job that waited or ran at some time in the day."""

    @property
    def daily(self) -> Floats:
        """Used minus entitled, per user and day (processor-hours)."""
        return (self.used - self.entitled) / HOUR

    @property
    def dev(self) -> Floats:
        """The sum over days, per user (processor-hours)."""
        total: Floats = self.daily.sum(axis=1)
        return total

    @property
    def sum_abs(self) -> float:
        """The sum over users of ``|dev|`` (processor-hours)."""
        return float(np.abs(self.dev).sum())

    @property
    def mean_abs(self) -> float:
        """The mean of ``|dev|`` over the users who were active on some day (processor-hours); NaN if no user was."""
        count = int(self.active.any(axis=1).sum())
        return self.sum_abs / count if count else np.nan


def deviation(
    result: Result,
    days: ArrayLike,
    share: str = "maxmin",
    capacity: str = "delivered",
    weights: Mapping[Any, float] | None = None,
) -> Deviation:
    """The deviation of every user of a result, over the days between these boundaries (s).

    The boundaries need not be a day apart. ``Calendar.midnights`` has a log's local days.
    ``weights`` are users' shares by name (others weigh 1).
    """
    if share not in SHARES or capacity not in CAPACITIES:
        raise ValueError(
            f"share is {quoted(share)} and capacity {quoted(capacity)}, but must be one of {', '.join(SHARES)} "
            f"and one of {', '.join(CAPACITIES)}"
        )
    borders = np.asarray(days, np.float64)
    if borders.ndim != 1 or len(borders) < 2 or not (np.diff(borders) > 0).all():
        raise ValueError("days must be at least two borders in ascending order")
    names = [None, *result.names["user"]]
    weight = np.array([(weights or {}).get(name, 1.0) for name in names])
    shape = len(names), len(borders) - 1
    used, demand, entitled = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    active = np.zeros(shape, np.bool_)
    jobs = _Jobs(result)
    for d, (begin, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        live = jobs.live(begin, end)
        owner = jobs.owner[live]
        active[:, d] = np.bincount(owner, minlength=shape[0]) > 0
        used[:, d] = np.bincount(owner, jobs.used(live, begin, end), shape[0])
        demand[:, d] = np.bincount(owner, jobs.demand(live, begin, end), shape[0])
        size = float(used[:, d].sum()) if capacity == "delivered" else result.processors * (end - begin)
        here = active[:, d]
        if share == "equal":
            entitled[here, d] = size * weight[here] / weight[here].sum()
        else:
            divide = max_min if share == "maxmin" else proportional
            entitled[here, d] = divide(size, demand[here, d], weight[here])
    return Deviation(names, borders, used, demand, entitled, active)


class _Jobs:
    """The accepted jobs of a result, as the sums above need them."""

    def __init__(self, result: Result) -> None:
        kept = result["state"] != State.REFUSED
        self.spans, self.sizes, self.count = measures.used(result), measures.sizes_of(result), len(result)
        self.rows = np.flatnonzero(kept)
        started = np.isfinite(result["start"])
        asked = np.minimum(result["runtime"], result["estimate"])
        planned = asked if result.overrun == "kill" else result["runtime"]
        run = np.where(measures.ended(result), measures.actual_runtime(result), planned)
        over = np.where(np.isfinite(result["end"]), result["end"], np.inf)
        run = np.where(started | np.isinf(over), run, np.where(np.isfinite(run), run, 0.0))
        self.owner: Whole = result["user"][kept] + 1
        self.processors = result["processors"][kept]
        self.submit: Floats = result["submit"][kept]
        self.over = over[kept]
        self.run = run[kept]

    def live(self, begin: float, end: float) -> Whole:
        """The jobs that wait or run at some time in [begin, end)."""
        return np.flatnonzero((self.submit < end) & ((self.over > begin) | (self.submit >= begin)))

    def used(self, live: Whole, begin: float, end: float) -> Floats:
        """Processor-seconds of these jobs in [begin, end)."""
        return self._summed(self.sizes * self._inside(begin, end), live)

    def demand(self, live: Whole, begin: float, end: float) -> Floats:
        """Processor-seconds that these jobs could use in [begin, end)."""
        before = self._held(live, -np.inf, begin)
        rest = end - np.maximum(self.submit[live], begin)
        amounts: Floats = self.processors[live] * np.minimum(self.run[live] - before, rest)
        return amounts

    def _held(self, live: Whole, begin: float, end: float) -> Floats:
        """How long these jobs ran in [begin, end), s."""
        return self._summed(self._inside(begin, end), live)

    def _inside(self, begin: float, end: float) -> Floats:
        """How long each run was in [begin, end), s."""
        return np.clip(self.spans.end, begin, end) - np.clip(self.spans.begin, begin, end)

    def _summed(self, amounts: Floats, live: Whole) -> Floats:
        """The sums of amounts of runs over these jobs."""
        return np.bincount(self.spans.row, amounts, self.count).astype(np.float64)[self.rows[live]]
