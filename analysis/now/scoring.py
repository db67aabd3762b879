"""How good forecasts were: those of a series of moments, against the starts in a later log.

Scored are the jobs that waited when a forecast was made and have started in the log by now. Of each forecast F of a
start y (both at most the horizon):

* **coverage**: whether y is in the interval that has 50, 80, 95 % of the draws;
* **CRPS** = E|X - y| - E|X - X'| / 2, X and X' drawn from F (s): of a single time, the absolute error (M. Gneiting,
  A. Raftery, Strictly proper scoring rules, JASA 102 (2007));
* **absolute error** of the median, and whether it is at most 1, 10, 60 min;
* **PIT**: the share of draws below y, uniform if F is right; ties are drawn.

Baselines, on the same jobs: the ``StartTime`` of the site's scheduler, or where there is none the start if all jobs ran
to their limits and nobody came, which is how a scheduler reckons (*by limits*); the *past waits* of jobs alike (same
size and limit to a power of two, in the log until then), given that the job has waited already, with their mean as a
time; and *quantile regression* (`thinktime.analysis.now.regression`).

Jobs of one day depend on each other, so intervals are by bootstrap over the days of the forecasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.now.kept import Kept, labels
from thinktime.analysis.now.outlook import SHARES, quantile
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate, mean
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE

HORIZONS = {
    "below 10 min": 10 * MINUTE,
    "10 min to 1 h": HOUR,
    "1 h to 6 h": 6 * HOUR,
    "6 h to 1 d": DAY,
    "more": np.inf,
}
"""By how long after the forecast a job really started."""
ERRORS = {"1 min": MINUTE, "10 min": 10 * MINUTE, "60 min": HOUR}
"""By at most how much forecasts miss a start."""
FEWEST = 10
"""Past waits of jobs alike; with fewer, those of all jobs count."""
OURS = "thinktime"
"""What its own forecasts are called beside baselines."""


@dataclass(frozen=True, eq=False)
class Scored:
    """One method on all jobs; a number for each job."""

    crps: Floats
    error: Floats
    """Absolute error of the median or the mean, s."""


@dataclass(frozen=True, eq=False)
class Score:
    """What is told of a series of forecasts."""

    forecasts: int
    time: Floats
    """When each job that is scored was forecast, s."""
    ahead: Floats
    """How long after the forecast it started, s; at most to the horizon."""
    covered: dict[float, Flags]
    pit: Floats
    methods: dict[str, Scored]
    left: int
    """Jobs that were not scored: taken back, unknown, or still waiting."""

    @property
    def day(self) -> Whole:
        """The day of each job's forecast."""
        found: Whole = (self.time // DAY).astype(np.int64)
        return found

    def __len__(self) -> int:
        return len(self.time)

    def coverage(self, share: float) -> Estimate:
        """The share of starts in the interval, with its own interval by days."""
        return mean(self.covered[share].astype(np.float64), [self.day]) if len(self) else UNKNOWN

    def crps(self, method: str = OURS) -> Estimate:
        """The mean CRPS of a method, s."""
        return mean(self.methods[method].crps, [self.day]) if len(self) else UNKNOWN

    def gain(self, method: str) -> Estimate:
        """By how much the CRPS of a method is above ours, s: paired."""
        return mean(self.methods[method].crps - self.methods[OURS].crps, [self.day]) if len(self) else UNKNOWN

    def by_horizon(self, method: str = OURS) -> dict[str, tuple[int, float]]:
        """By how long after the forecast jobs started: how many, and their median absolute error, s."""
        errors = self.methods[method].error
        return {
            name: (int(mine.sum()), float(np.median(errors[mine])) if mine.any() else np.nan)
            for name, mine in self._spans()
        }

    def coverage_by_horizon(self, share: float) -> dict[str, Estimate]:
        """The same of the share of starts in the interval, with its own interval by days."""
        covered = self.covered[share].astype(np.float64)
        return {name: mean(covered[mine], [self.day[mine]]) if mine.any() else UNKNOWN for name, mine in self._spans()}

    def _spans(self) -> Iterator[tuple[str, Flags]]:
        low = -np.inf
        for name, high in HORIZONS.items():
            yield name, (self.ahead > low) & (self.ahead <= high)
            low = high

    def within(self, method: str = OURS) -> dict[str, float]:
        """The share of jobs of which the error is at most 1, 10, 60 min."""
        errors = self.methods[method].error
        return {name: float((errors <= most).mean()) if len(errors) else np.nan for name, most in ERRORS.items()}


def score(series: Sequence[Kept], log: Trace, regression: Any = None, seed: Seed = 0) -> Score:
    """Score forecasts against a log that has what came; ``regression`` predicts for a forecast from the log until it.

    ``ValueError`` if there is no forecast, or nothing to score.
    """
    if not series:
        raise ValueError("there is no forecast to score")
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    start = dict(zip(labels(log), np.where(log.withdrawn, np.nan, begun).tolist(), strict=True))
    past = _Past(log)
    rng, left = stream(seed, "pit"), 0
    times: list[Any] = []
    found: dict[str, list[Any]] = {"ahead": [], "pit": [], **{str(share): [] for share in SHARES}}
    methods: dict[str, list[tuple[Floats, Floats]]] = {}
    for each in sorted(series, key=lambda one: one.time):
        one = (
            each
            if log.unix_start is None or np.isnan(each.unix)
            else each.moved(each.unix - log.unix_start - each.time)
        )
        truth = np.array([start.get(job, np.nan) for job in one.label.tolist()], np.float64)
        rows = np.flatnonzero((truth >= one.time) & ~np.isnan(one.starts).all(axis=0))
        left += len(truth) - len(rows)
        if not len(rows):
            continue
        y, draws = np.minimum(truth[rows], one.until), np.minimum(one.starts[:, rows], one.until)
        times.append(np.full(len(rows), one.time))
        found["ahead"].append(y - one.time)
        below, equal, known = ((draws < y).sum(axis=0), (draws == y).sum(axis=0), (~np.isnan(draws)).sum(axis=0))
        found["pit"].append((below + rng.random(len(rows)) * (equal + 1)) / (known + 1))
        for share in SHARES:
            low, high = quantile(draws, (1 - share) / 2), quantile(draws, (1 + share) / 2)
            found[str(share)].append((low <= y) & (y <= high))
        middle = quantile(draws, 0.5)
        told = {OURS: (crps(draws, y), np.abs(middle - y))}
        site = np.where(np.isnan(one.promised), one.by_limits, one.promised)[rows]
        told["site says" if np.isfinite(one.promised).any() else "by limits"] = _of_times(site, one, y)
        waits = [past.beyond(one, row) for row in rows.tolist()]
        several = np.array([np.interp(np.arange(50) / 49, np.linspace(0, 1, len(w)), w) for w in waits]).T
        past_starts = np.minimum(one.submit[rows] + several, one.until)
        means = np.array([w.mean() for w in waits])
        told["past waits"] = crps(past_starts, y), _of_times(one.submit[rows] + means, one, y)[1]
        told["mean past wait"] = _of_times(one.submit[rows] + means, one, y)
        if regression is not None:
            shares = np.minimum(regression(one, log, rows), one.until)
            told["quantile regression"] = crps(shares, y), np.abs(np.median(shares, axis=0) - y)
        for name, values in told.items():
            methods.setdefault(name, []).append(values)
    if not times:
        raise ValueError("no job that waited at a forecast has started in the log; is it the log of what came later?")
    joined = {name: np.concatenate(columns) for name, columns in found.items()}
    return Score(
        len(series), np.concatenate(times), joined["ahead"], {share: joined[str(share)] for share in SHARES},
        joined["pit"], {name: Scored(*map(np.concatenate, zip(*v, strict=True))) for name, v in methods.items()}, left,
    )  # fmt: skip


def crps(draws: Floats, truth: Floats) -> Floats:
    """The CRPS of each column of draws (NaN: not drawn), s.

    E|X - X'| is over all pairs of draws of a column: with sorted x_1 … x_n, 2 sum (2 i - n - 1) x_i / n^2.
    """
    ordered = np.sort(draws, axis=0)
    known = (~np.isnan(ordered)).sum(axis=0)
    weight = 2.0 * np.arange(1, len(draws) + 1)[:, None] - known - 1.0
    apart = 2.0 * np.nansum(weight * ordered, axis=0) / known**2
    found: Floats = np.nansum(np.abs(ordered - truth), axis=0) / known - apart / 2.0
    return found


def _of_times(times: Floats, one: Kept, truth: Floats) -> tuple[Floats, Floats]:
    """CRPS and error of single times: both are the absolute error."""
    error = np.abs(np.clip(times, one.time, one.until) - truth)
    return error, error


class _Past:
    """The waits of a log, by size and limit to a power of two."""

    def __init__(self, log: Trace) -> None:
        self._wait = np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
        self._begun = log.submit + self._wait
        self._kind = _kind(log.processors, log.estimate)
        self._kept = ~log.withdrawn
        self._known: tuple[float, dict[int, Floats], Floats] = (np.nan, {}, np.empty(0))

    def beyond(self, one: Kept, row: int) -> Floats:
        """The waits (s, ascending) of jobs alike that waited for longer than this one has."""
        if self._known[0] != one.time:
            past = self._kept & (self._begun <= one.time)
            kinds, waits = self._kind[past], self._wait[past]
            order = np.argsort(kinds, kind="stable")
            codes, first = np.unique(kinds[order], return_index=True)
            groups = map(np.sort, np.split(waits[order], first[1:]))
            self._known = one.time, dict(zip(codes.tolist(), groups, strict=False)), np.sort(waits)
        kind = int(_kind(one.processors[row : row + 1], one.limit[row : row + 1])[0])
        waited = one.time - one.submit.item(row)
        for waits in (self._known[1].get(kind, np.empty(0)), self._known[2]):
            longer: Floats = waits[np.searchsorted(waits, waited, "right") :]
            if len(longer) >= FEWEST:
                return longer
        return longer if len(longer) else np.array([waited])


def _kind(processors: Whole, limit: Floats) -> Whole:
    size = np.log2(np.maximum(processors, 1)).astype(np.int64)
    found: Whole = 64 * size + np.log2(np.clip(np.nan_to_num(limit, nan=1.0), 1.0, 2.0**40)).astype(np.int64)
    return found
