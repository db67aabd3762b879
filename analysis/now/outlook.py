"""What a forecast has found: the waiting jobs, what was drawn of them, and its quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, NamedTuple

import numpy as np

from thinktime.analysis.statistics.intervals import Interval, mean
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.run_times import LEVELS, Foretold
from thinktime.workloads.streams import Seed

TODAY = "today"
"""The machine as it is."""
SHARES = 0.5, 0.8, 0.95
"""Of the intervals that are told."""
REACTING, CALIBRATED, OPEN, NOBODY = "reacting", "calibrated", "open", "none"
ARRIVING = {
    REACTING: "users who wait for results, as in the history",
    CALIBRATED: "users with hazards that were fitted to the history",
    OPEN: "those of a past week of the history",
    NOBODY: "nobody",
}
"""Who comes, by what arrivals are."""
HOW_KNOWN = (*LEVELS, "unknown: to the limit")
"""How run times are known, by level."""


class WaitingJobs(NamedTuple):
    """The jobs that wait now, in the order of the queue, then those that are not eligible; times in s."""

    id: Whole
    user: list[Any]
    processors: Whole
    limit: Floats
    submit: Floats
    reason: list[str]
    """Why the job waits, in words."""
    ahead: Whole
    """How many jobs are ahead of it in the queue."""
    whom_for: Whole
    """Of how many other users."""
    level: Whole
    """How its run time is known: a place in `thinktime.workloads.run_times.LEVELS`."""
    alike: Whole
    """From how many jobs."""
    by_limits: Floats
    """When it would start if all jobs ran to their limits and nobody came; infinite if never."""

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Drawings:
    """What was drawn of one machine; a row for each draw."""

    starts: Floats
    """Of the waiting jobs, s."""
    later_wait: Floats
    """The mean wait (s) of the jobs that came later, up to the horizon; NaN if none came."""
    later: Floats
    """How many jobs came later, up to the horizon."""
    use: Floats
    """Processors in use at the moments of `Outlook.moments`."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """A forecast, made at ``time`` (s) up to ``until`` (s).

    >>> import simpy, thinktime as tt
    >>> machine = tt.Machine(simpy.Environment(), processors=2)
    >>> outlook = tt.forecast(machine.state(), draws=3)
    >>> outlook.draws, len(outlook.waiting)
    (3, 0)
    """

    time: float
    until: float
    seed: Seed
    processors: int
    waiting: WaitingJobs
    running: dict[str, int]
    """How many running jobs have their run times from which level."""
    drawings: dict[str, Drawings]
    """By the name of the change; `TODAY` comes first."""
    asked: dict[str, Floats]
    """For each job that was asked about, when it starts (s), by draw."""
    moments: Floats
    notes: list[str]
    """What the forecast does not know."""
    unix_start: float | None = None
    zone: tzinfo = UTC
    promised: Floats = field(default_factory=lambda: np.empty(0))
    """When the site's own scheduler says that each waiting job starts (s; NaN: it does not say)."""
    foretold: Foretold | None = None
    """How good the laws of run times were on the last tenth of the history."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """What users call jobs, by number."""
    never: Mapping[str, str] = field(default_factory=dict)
    """Why jobs that were asked about would never start, by name."""
    arrivals: str = NOBODY
    """Who comes, one of `ARRIVING`."""

    def label(self, place: int) -> str:
        """What users call a waiting job."""
        number = self.waiting.id.item(place)
        return self.labels.get(number, str(number))

    @property
    def draws(self) -> int:
        """How often the rest was drawn."""
        return len(self.drawings[TODAY].starts)

    @property
    def starts(self) -> Floats:
        """When waiting jobs start on the machine as it is, a row for each draw."""
        return self.drawings[TODAY].starts

    def median(self, change: str = TODAY) -> Floats:
        """The median start of each waiting job, s."""
        return quantile(self.drawings[change].starts, 0.5)

    def interval(self, share: float, change: str = TODAY) -> tuple[Floats, Floats]:
        """Between which times (s) each waiting job starts in this share of the draws."""
        starts = self.drawings[change].starts
        return quantile(starts, (1 - share) / 2), quantile(starts, (1 + share) / 2)

    def share_by(self, seconds: float, change: str = TODAY) -> Floats:
        """In which share of the draws each waiting job starts within some time (s)."""
        return share_by(self.drawings[change].starts, self.time + seconds)

    def leaves(self) -> Floats:
        """In which share of the draws each waiting job is taken back."""
        return np.isnan(self.starts).mean(axis=0) if len(self.waiting) else np.empty(0)

    def moved(self, change: str) -> Floats:
        """By how much later (s) each waiting job starts under a change, by draw; a start after the horizon is at it."""
        one, other = (np.minimum(self.drawings[name].starts, self.until) for name in (change, TODAY))
        return one - other

    def by_job(self, change: str) -> tuple[Floats, Floats, Floats]:
        """The mean of `moved` for each waiting job, and its 95 % interval over the draws, s."""
        intervals = [mean(each[~np.isnan(each)]) for each in self.moved(change).T]
        found = np.array([(each.mean, each.low, each.high) for each in intervals]).reshape(-1, 3)
        return found[:, 0], found[:, 1], found[:, 2]

    def everybody(self, change: str) -> tuple[Interval, Interval]:
        """By how much longer (s) those wait on average who wait now, and those who come later: paired intervals."""
        moved = self.moved(change)
        now = (
            np.nanmean(np.where(np.isnan(moved).all(axis=1, keepdims=True), 0.0, moved), axis=1)
            if moved.size
            else [0.0]
        )
        later = self.drawings[change].later_wait - self.drawings[TODAY].later_wait
        return mean(np.asarray(now)), mean(later[~np.isnan(later)])


def quantile(starts: Floats, share: float) -> Floats:
    """The quantile of each column, without NaN, as one of its values; NaN if there is none."""
    ordered = np.sort(starts, axis=0)  # NaN come last
    known = (~np.isnan(starts)).sum(axis=0)
    place = np.ceil(share * known - 1e-9).astype(np.int64) - 1
    if not starts.size:
        return np.full(starts.shape[1], np.nan)
    found: Floats = ordered[np.clip(place, 0, len(starts) - 1), np.arange(starts.shape[1])]
    return np.where(known > 0, found, np.nan)


def share_by(starts: Floats, time: float) -> Floats:
    """The share of the known numbers of each column that are at most ``time``; NaN if none is known."""
    known = (~np.isnan(starts)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (starts <= time).sum(axis=0) / np.where(known > 0, known, np.nan)
    return found


def passed(times: Floats, width: Whole, moments: Floats) -> Floats:
    """How many processors have had their times by each moment."""
    order = np.argsort(times)
    sums = np.concatenate([[0.0], np.cumsum(width[order])])
    found: Floats = sums[np.searchsorted(times[order], moments, "right")]
    return found
