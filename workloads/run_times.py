"""How long jobs run, given that they have run for some time: the run times of jobs alike in a log.

Jobs are alike at five *levels*, from near to far: those of the same user and name (SWF field 14), of the same user and
limit (requested times that differ by less than a fifth are one), of the same user, of the same limit and size (a power
of two), and all. Of a user's jobs alike, the last `RECENT` count. Where limits differ, jobs are alike in the part of
their limits that they run for: who asks for more runs longer.

Among jobs alike, the law of a job that has run for an age a is the product-limit estimate beyond a
(`thinktime.workloads.product_limit`). A job that was ended at its limit would have run longer, and so would one that
still ran when the log was taken: both are censored. So a job reaches its own limit with the chance that the jobs alike
have to run so long, and of jobs with one limit the share that ends at it is kept. What the log does not say (beyond the
longest censored job) is a run time without end, which a limit ends.

The law is a mixture: a level with n jobs that ran longer than a has the share n / (n + `FEWEST`) of the weight that
nearer ones leave, and the last one has the rest. With the nearest level alone, laws are too narrow on logs: on KTH-SP2
and CTC-SP2, 38 to 39 % of the run times fall into the outer fifth, with mixtures 24 to 29 %.

`foretold` says how good these laws are, on the last part of the log: if they are right, the share of the law below the
true run time (its probability integral transform) is uniform. All this is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.product_limit import product_limit
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace

LEVELS = "user and name", "user and limit", "user", "limit and size", "limit", "all"
NOTHING = len(LEVELS)
"""The level of a law of which the log says nothing: no job has run so long."""
FEWEST = 10
"""With so many jobs, a level has half of the weight that nearer ones leave."""
STEPS = 4
"""Of limits to a factor of two."""
NEARBY = {0: 2.0, 2: 2.0, 4: 2.0, 5: np.inf}
"""The levels at which limits differ, and by how many steps: there, run times are told in units of the limit."""
OWN = 3
"""The levels of a user come first."""
RECENT = 30
"""Of a user's jobs alike, so many count: the last ones."""
FITTED = 0.9
"""The part of a log to which laws are fitted that `foretold` tries on the rest."""
ROUNDING = 1e-12
Asked = tuple[Any, ...]
"""The age of a job (s), its limit (s), the step of the limit, and the keys of the groups of jobs alike."""


class Alike(NamedTuple):
    """What is known of jobs, as columns: numbers as in the log (-1: unknown), and limits in s (NaN: none)."""

    user: Whole
    executable: Whole
    limit: Floats
    processors: Whole

    @classmethod
    def of(cls, log: Trace, rows: Whole) -> Alike:
        """Some jobs of a log."""
        return cls(log.user[rows], log.executable[rows], limits(log)[rows], log.processors[rows])

    def steps(self) -> Whole:
        """The step of each limit; -1 where there is none."""
        known = np.isfinite(self.limit) & (self.limit > 0)
        found: Whole = np.where(known, np.rint(STEPS * np.log2(np.where(known, self.limit, 1.0))), -1.0).astype(
            np.int64
        )
        return found

    def tables(self) -> list[Whole]:
        """A table for each level, with a row of whole numbers for each job; those that say nothing are -1."""
        limit = self.steps()
        size = np.log2(np.maximum(self.processors, 1)).astype(np.int64)
        nothing = np.full(len(limit), 0)
        pairs = (
            (self.user, self.executable),
            (self.user, limit),
            (self.user, nothing),
            (limit, size),
            (np.minimum(limit, 0), nothing),
            (nothing, nothing),
        )
        return [np.where((one >= 0) & (other >= 0), (one, other), -1).T for one, other in pairs]


class Part(NamedTuple):
    """The law of jobs alike at one level, beyond an age."""

    weight: float
    times: Floats
    """The run times that a job may have, ascending, in units of ``unit``."""
    fallen: Floats
    """Minus the share of all jobs alike that run longer than each of these."""
    left: float = 1.0
    """The share of them that reach the age."""
    unit: float = 1.0
    """s: 1, or the job's limit."""

    @property
    def share(self) -> Floats:
        """The chance that it runs at most so long."""
        return 1.0 + self.fallen / self.left


@dataclass(frozen=True, slots=True)
class Law:
    """How long one job runs in all, given its age: a mixture of the laws of jobs alike."""

    level: int
    """The place in `LEVELS` of the part with the largest weight, or `NOTHING`."""
    jobs: int
    """How many jobs alike there ran longer than its age."""
    parts: tuple[Part, ...]

    def quantile(self, luck: Floats) -> Floats:
        """Run times (s) for uniform numbers, infinite where jobs alike were all ended before.

        They increase with the number within each part.
        """
        found, first = np.full(len(luck), np.inf), 0.0
        for weight, times, fallen, left, unit in self.parts:
            mine = np.flatnonzero((luck >= first) & (luck < first + weight))
            place = fallen.searchsorted(left * ((luck[mine] - first) / weight - ROUNDING - 1.0))
            known = place < len(times)
            found[mine[known]] = unit * times[place[known]]
            first += weight
        return found

    def at(self, luck: float) -> float:
        """`quantile` for one number.

        >>> law = Law(0, 2, (Part(1.0, np.array([9.0, 20.0]), np.array([-0.5, -0.0])),))
        >>> law.at(0.5), law.at(0.6), law.quantile(np.array([0.5, 0.6])).tolist()
        (9.0, 20.0, [9.0, 20.0])
        """
        first = 0.0
        for weight, times, fallen, left, unit in self.parts:
            if first <= luck < first + weight:
                place = int(fallen.searchsorted(left * ((luck - first) / weight - ROUNDING - 1.0)))
                return unit * times.item(place) if place < len(times) else math.inf
            first += weight
        return math.inf

    def below(self, time: float) -> tuple[float, float]:
        """The chance that it runs for less than a time (s), and at most for it."""
        less = most = 0.0
        for weight, times, fallen, left, unit in self.parts:
            before, by = int(times.searchsorted(time / unit)), int(times.searchsorted(time / unit, "right"))
            less += weight * (1.0 + fallen.item(before - 1) / left) if before else 0.0
            most += weight * (1.0 + fallen.item(by - 1) / left) if by else 0.0
        return less, most


@dataclass(frozen=True, slots=True)
class _Curve:
    """The product-limit estimate of some jobs."""

    observed: Floats
    """The times of all observations, ascending, s."""
    times: Floats
    """The times of those that are events, s."""
    fallen: Floats
    """Minus the estimate at each of them."""

    @classmethod
    def of(cls, times: Floats, seen: Flags) -> _Curve:
        found, survival = product_limit(times, seen)
        events = np.diff(survival, prepend=1.0) < 0
        return cls(np.sort(times), found[events], -survival[events])

    def beyond(self, age: float) -> int:
        """How many ran longer."""
        return len(self.observed) - int(self.observed.searchsorted(age, "right"))

    def part(self, weight: float, age: float, unit: float) -> Part:
        """The law of a job that has run so long, in units."""
        first = int(self.times.searchsorted(age, "right")) if age else 0
        if not first:
            return Part(weight, self.times, self.fallen, 1.0, unit)
        left = -self.fallen.item(first - 1)
        return Part(weight, self.times[first:], self.fallen[first:], left if left > 0 else 1.0, unit)


def asked_of(jobs: Alike, age: Floats) -> list[Asked]:
    """What is asked of each of some jobs that have run so long (s)."""
    keys = np.hstack(jobs.tables()).tolist()
    numbers = zip(age.tolist(), jobs.limit.tolist(), jobs.steps().tolist(), keys, strict=True)
    return [(each, limit, step, *key) for each, limit, step, key in numbers]


@dataclass(frozen=True, eq=False)
class RunTimes:
    """The run times of a log up to some time."""

    alike: Alike
    times: Floats
    """For how long each job was seen to run, s."""
    seen: Flags
    """Whether it ended by itself then."""

    @classmethod
    def of(cls, log: Trace, until: float = np.inf) -> RunTimes:
        """Those of a log, as far as it was known at a time (s)."""
        begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
        known = (begun <= until) & ~log.withdrawn & (log.runtime > 0)
        ran = np.minimum(log.runtime, until - begun)
        ended = (log.runtime <= until - begun) & ~(log.runtime >= limits(log))
        return cls(Alike.of(log, np.flatnonzero(known)), to_grid(ran[known]), ended[known])

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def _groups(self) -> list[dict[tuple[int, int], Whole]]:
        found: list[dict[tuple[int, int], Whole]] = []
        for table in self.alike.tables():
            order = np.lexsort(table.T)
            begin = np.flatnonzero((np.diff(table[order], axis=0, prepend=-2) != 0).any(axis=1))
            rows = np.split(order, begin[1:])
            keys = map(tuple, table[order[begin]].tolist())
            found.append({key: own for key, own in zip(keys, rows, strict=False) if key[0] >= 0})
        return found

    @cached_property
    def _curves(self) -> dict[tuple[int, tuple[int, int], int], _Curve]:
        return {}

    @cached_property
    def _steps(self) -> Whole:
        return self.alike.steps()

    def _curve(self, level: int, key: tuple[int, int], step: int) -> _Curve | None:
        """That of a group at a level; with a ``step`` of limits: of jobs with limits nearby, in units of these."""
        curve = self._curves.get((level, key, step))
        if curve is None and (rows := self._groups[level].get(key)) is not None:
            if step >= 0:
                steps = self._steps[rows]
                rows = rows[(steps >= 0) & (np.abs(steps - step) <= NEARBY[level])]
            if level < OWN:
                rows = np.sort(rows)[-RECENT:]
            times = self.times[rows] / self.alike.limit[rows] if step >= 0 else self.times[rows]
            curve = self._curves[level, key, step] = _Curve.of(times, self.seen[rows])
        return curve

    def is_as(self, other: RunTimes) -> bool:
        """Whether it has the same jobs, so that laws are the same."""
        mine, others = (*self.alike, self.times, self.seen), (*other.alike, other.times, other.seen)
        return all(np.array_equal(one, two) for one, two in zip(mine, others, strict=True))

    def laws(self, jobs: Alike, age: Floats) -> list[Law]:
        """How long each of some jobs runs in all, given its age (s; 0: it has not begun); equal ones share a law."""
        return [self.law(asked) for asked in asked_of(jobs, age)]

    @cached_property
    def _found(self) -> dict[Asked, Law]:
        return {}

    def law(self, asked: Asked) -> Law:
        """How long one job runs (`asked_of`)."""
        law = self._found.get(asked)
        if law is None:
            age, limit, step, *key = asked
            law = self._found[asked] = self._law(list(zip(key[::2], key[1::2], strict=True)), age, limit, step)
        return law

    def _law(self, keys: list[tuple[int, int]], age: float, limit: float, step: int) -> Law:
        parts: list[Part] = []
        level, jobs, left = NOTHING, 0, 1.0
        for place, (one, other) in enumerate(keys):
            relative = place in NEARBY and step >= 0
            unit = limit if relative else 1.0
            near = -1 if not relative else step if NEARBY[place] < np.inf else 0
            curve = self._curve(place, (one, other), near) if one >= 0 else None
            if curve is None or (count := curve.beyond(age / unit)) == 0:
                continue
            weight = left * count / (count + FEWEST) if place < len(LEVELS) - 1 else left
            if not parts or weight > max(each.weight for each in parts):
                level, jobs = place, count
            parts.append(curve.part(weight, age / unit, unit))
            left -= weight
        if not parts:
            return Law(NOTHING, 0, ())
        return Law(
            level,
            jobs,
            tuple(part._replace(weight=part.weight / (1.0 - left)) for part in parts) if left else tuple(parts),
        )


class Foretold(NamedTuple):
    """The probability integral transforms of the last jobs of a log, which are uniform if the laws are right."""

    new: Floats
    """Of jobs that have just begun."""
    running: Floats
    """Of those that ran longer than another job of the log, at the age at which that one ended."""

    def tenths(self) -> tuple[list[float], list[float]]:
        """The share of jobs in each tenth of the law: 0.1 each if it is right."""
        new, running = (np.histogram(each, 10, (0.0, 1.0))[0] / max(1, len(each)) for each in self)
        return new.tolist(), running.tolist()


def foretold(log: Trace, until: float = np.inf, seed: Seed = 0) -> Foretold:
    """Foretell the last tenth of the jobs that a log had at a time (s) from what was known when the first of them came.

    A job that was ended at its limit, or has not ended, has a random place in what the law has beyond. So has one
    among several of equal length.
    """
    known = np.flatnonzero((log.submit <= until) & ~log.withdrawn & (log.runtime > 0))
    if len(known) < 2 * FEWEST:
        return Foretold(np.empty(0), np.empty(0))
    last = known[int(FITTED * len(known)) :]
    laws = RunTimes.of(log, log.submit.item(last[0]))
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    last = last[begun[last] < until]
    ran, limit = np.minimum(log.runtime, until - begun)[last], limits(log)[last]
    ended = (log.runtime[last] <= ran) & ~(ran >= limit)
    luck = stream(seed, "foretold").random((3, len(last)))
    new = _places(laws.laws(Alike.of(log, last), np.zeros(len(last))), ran, ended, luck[0])
    age = laws.times[(luck[2] * len(laws)).astype(np.int64)] if len(laws) else ran
    older = np.flatnonzero(ran > age)
    running = laws.laws(Alike.of(log, last[older]), age[older])
    return Foretold(new, _places(running, ran[older], ended[older], luck[1][older]))


def _places(laws: list[Law], ran: Floats, ended: Flags, luck: Floats) -> Floats:
    """The shares of laws below what happened, of those laws that say something."""
    found = []
    for law, time, by_itself, part in zip(laws, ran.tolist(), ended.tolist(), luck.tolist(), strict=True):
        if law.level != NOTHING:
            less, most = law.below(time)
            found.append(less + part * ((most if by_itself else 1.0) - less))
    return np.array(found)


def limits(log: Trace) -> Floats:
    """The requested time of each job of a log, s; infinite where there is none."""
    asked: Floats = np.where(log.requested_time > 0, log.requested_time, np.inf)
    return asked
