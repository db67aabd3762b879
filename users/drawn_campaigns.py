"""The campaigns of users who cannot react, drawn some at a time (`thinktime.models.plans`).

A user's numbers come from the streams and in the order in which the user's process would draw them. A stream is opened
anew for each look at its first block, so users who have drawn few numbers keep nothing but these.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.plans import FAR, Ahead, Floats, Plan
from thinktime.users.local_hours import LocalHours, WorkingHours
from thinktime.users.profiles import Profile
from thinktime.users.sampling import BLOCK
from thinktime.workloads.generators.quantities import Distribution, Piece
from thinktime.workloads.generators.shapes import Sizes
from thinktime.workloads.grid import ceil_to_grid, to_grid
from thinktime.workloads.job import SHORTEST_ESTIMATE

QUANTITIES = ("runtime", "jobs", "think_time", "processors", "overestimate", "first")
"""Each has a stream of its own."""
JOBS = 8, 2048
"""About how many jobs of a user are drawn at first, and at most; in between, each time as many as before together."""
MOST_JOBS = 1e6
"""Campaigns of more jobs are left to processes."""


def foreseeable(profile: Profile) -> bool:
    """Whether nothing that a user does can depend on anything but the ends of campaigns.

    A function may look at anything, so a user with a function for a quantity is not.
    """
    return (
        not profile.behaviours
        and type(profile.hours) in (type(None), WorkingHours, LocalHours)
        and profile.nodes is None
        and not profile.labels
        and all(_is_drawn_alone(getattr(profile, part)) for part in QUANTITIES)
    )


def is_number(quantity: Any) -> bool:
    """Whether a quantity is always the same."""
    return isinstance(quantity, int | float | np.number) and not isinstance(quantity, bool)


def _is_drawn_alone(quantity: Any) -> bool:
    """Whether a quantity is a number, or a distribution of SciPy or of this package."""
    if is_number(quantity):
        return True
    if isinstance(quantity, Piece | Sizes):
        parts: Any = quantity
        return type(parts).__module__.startswith("thinktime.") and all(
            _is_part(getattr(parts, each.name)) for each in fields(parts)
        )
    kind = type(getattr(quantity, "dist", quantity))
    return kind.__module__.startswith("scipy.stats.") and isinstance(quantity, Distribution)


def _is_part(part: Any) -> bool:
    """Whether a distribution may be made of this."""
    if isinstance(part, tuple | list):
        return all(map(_is_part, part))
    return part is None or isinstance(part, bool | str) or _is_drawn_alone(part)


class DrawnCampaigns(Plan):
    """Campaign users who cannot react. ``streams(user, i)`` opens the stream of ``QUANTITIES[i]`` of a user, in place.

    ``process(user, campaigns, jobs)`` is a process that goes on after so many.
    """

    on_grid = True

    def __init__(
        self,
        names: Sequence[str | int],
        profiles: Sequence[Profile],
        streams: Callable[[int, int], np.random.Generator],
        process: Callable[[int, int, int], Any],
        processors: int,
        campaigns: float,
        until: float,
    ) -> None:
        self.names, self.until = names, until
        self.asked = any(each.hours is not None for each in profiles)
        self._profiles, self._streams, self._process = profiles, streams, process
        self._processors, self._most = processors, campaigns
        self._known = np.zeros((len(names), 2), np.int64)
        """How many campaigns and jobs of each user have been drawn."""
        self._drawn: dict[tuple[int, str], Drawn] = {}

    def more(self, user: int, now: float) -> Ahead | None:
        """The next campaigns of a user; None if a process has to draw them, since there is something wrong."""
        known, jobs = self._known[user].tolist()
        count = min(max(JOBS[0], min(jobs, JOBS[1])), self._most - known)
        if not count > 0:
            return None
        sizes = self._numbers(user, "jobs", known, math.ceil(count))
        sizes = sizes[: np.searchsorted(np.cumsum(sizes), count) + 1]
        size = np.maximum(np.rint(sizes[: _length(sizes < MOST_JOBS)]), 1).astype(np.int64)
        thought = self._thoughts(user, known, len(size) + 1)
        total = int(size.sum())
        runtime = self._numbers(user, "runtime", jobs, total, least=0.0)
        with np.errstate(invalid="ignore"):
            estimate = runtime * self._numbers(user, "overestimate", jobs, total)
        width = np.maximum(np.rint(self._numbers(user, "processors", jobs, total)), 1)
        fine = _length((runtime < FAR) & (estimate < FAR) & (width <= self._processors))
        campaigns = min(int(np.searchsorted(np.cumsum(size), fine, side="right")), _length(thought < FAR))
        if not campaigns:
            return None
        size = size[:campaigns]
        total = int(size.sum())
        last = known + campaigns >= self._most and bool(thought[campaigns] < FAR)
        self._keep(user, known + campaigns, jobs + total)
        return Ahead(
            thought[:campaigns],
            size,
            to_grid(runtime[:total]),
            np.maximum(to_grid(estimate[:total]), SHORTEST_ESTIMATE),
            width[:total].astype(np.int64),
            last=last,
        )

    def wait(self, user: int, now: float, thought: float) -> float:
        """How long a user waits for a submission, with working hours, s."""
        hours = self._profiles[user].hours
        return ceil_to_grid(now + thought if hours is None else hours.next(now + thought)) - now

    def process(self, user: int) -> Any:
        """A process that does what a user does from now on."""
        return self._process(user, *self._known[user].tolist())

    def _thoughts(self, user: int, known: int, count: int) -> Floats:
        if known:
            return self._numbers(user, "think_time", known - 1, count)
        later = self._numbers(user, "think_time", 0, count - 1)
        return np.concatenate([self._numbers(user, "first", 0, 1), later])

    def _numbers(self, user: int, part: str, begin: int, count: int, least: float = -math.inf) -> Floats:
        """Drawn numbers as `usable` has them, infinite where they are not."""
        quantity: Any = getattr(self._profiles[user], part)
        if is_number(quantity):
            found = np.full(count, float(quantity))
        else:
            drawn = self._drawn.get((user, part))
            if drawn is None:
                drawn = self._drawn[user, part] = Drawn(self._streams(user, QUANTITIES.index(part)))
            found = drawn.numbers(quantity, begin, count)
        return np.where((found >= least) & (found > -math.inf) & (found < math.inf), np.maximum(found, 0.0), math.inf)

    def _keep(self, user: int, campaigns: int, jobs: int) -> None:
        """So many campaigns and jobs of a user are known now."""
        self._known[user] = campaigns, jobs
        for part in QUANTITIES:
            if (drawn := self._drawn.get((user, part))) is not None:
                used = {"jobs": campaigns, "think_time": campaigns - 1, "first": 1}.get(part, jobs)
                if used < BLOCK:
                    del self._drawn[user, part]
                else:
                    drawn.forget(used)


class Drawn:
    """The numbers of one stream, in blocks, without those that will not be used again."""

    __slots__ = ("_begin", "_stream", "_values")

    def __init__(self, stream: np.random.Generator) -> None:
        self._stream, self._begin, self._values = stream, 0, np.empty(0)

    def numbers(self, quantity: Any, begin: int, count: int) -> Floats:
        """``count`` numbers from one place on."""
        while self._begin + len(self._values) < begin + count:
            block = np.asarray(quantity.rvs(size=BLOCK, random_state=self._stream), dtype=float)
            self._values = np.concatenate([self._values, block])
        return self._values[begin - self._begin : begin - self._begin + count]

    def forget(self, used: int) -> None:
        """The first numbers will not be asked for again."""
        self._values, self._begin = self._values[used - self._begin :].copy(), used


def _length(fine: NDArray[np.bool_]) -> int:
    """How many are fine, up to the first one that is not."""
    return int(fine.argmin()) if not fine.all() else len(fine)
