"""A profile: what will be free at what time if every job runs as long as it asked for.

A profile is a step function. Step i lasts from ``times[i]`` to ``times[i + 1]``, and the last of its ``n`` steps for
ever; ``times[0]`` is the present. A step has ``width`` numbers in ``free``. Where processors are alike this is one,
``free[i]``: so many are free then, and neighbours with equal values are merged. What other machines need is written in
`thinktime.models.engine.rooms.changing_profile` and `thinktime.models.engine.rooms.node_profile`.

Intervals are half-open: what is reserved on [a, b) is free again at b. A profile grows by itself when it needs more
steps, so references to its arrays do not outlast a change.

Steps are moved in one loop for each array: compilers make a block move of such a loop.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf
FEW = 16
"""Among so few steps one after the other is found sooner than by halving."""


class Profile(Structure):
    """What is free at what time. Who owns one keeps it, and begins it anew instead of making another."""

    FIELDS = {"times": Floats, "free": Ints}
    NUMBERS = {"n": 0, "width": 1}
    times: Floats
    free: Ints
    n: int
    """How many steps it has."""
    width: int
    """How many numbers each step has."""
    second: Profile | None
    """That of power, below a cap (`thinktime.models.engine.rooms.capped_profile`)."""
    pending: int
    """The first place in ``running`` of those whose ends are not in it yet, if a pass looks at few steps."""
    until: float
    """When they begin to end, s: it is only known up to then; infinite if all of it is."""
    in_groups: bool
    """Whether they leave in groups (`thinktime.models.engine.end_groups`)."""
    falls: Floats
    """Only at the first ``falling`` of these times may less be left than before; at any, if ``falling`` is below 0."""
    falling: int

    def __init__(self, **given: Any) -> None:
        self.second, self.pending, self.until, self.in_groups = None, 0, INFINITY, False
        self.falls, self.falling = np.empty(0), -1
        super().__init__(**given)

    def contents(self) -> dict[str, Any]:
        """With a copy of that of power."""
        second = {} if self.second is None else {"second": self.second.copied()}  # objects: when it is copied
        return super().contents() | second  # objects: when it is copied

    def begin(self, now: float, width: int) -> None:
        """A single step from now on, whose numbers are for the caller to write."""
        if width != self.width:
            self.width, self.n = width, 0
            self.times, self.free = self.times[:0], self.free[:0]
        if len(self.times) == 0:
            self.grow()
        self.times[0], self.n, self.until, self.in_groups, self.falling = now, 1, INFINITY, False, -1

    def grow(self) -> None:
        """Have room for more steps. Where a step has several numbers, the first may say where the others are."""
        size, width = len(self.times), self.width
        more = 2 * size + 32
        times, free = np.zeros(more), np.zeros(more * width, np.int64)  # objects: seldom, since it doubles
        times[:size] = self.times
        free[: size * width] = self.free
        if width > 1:
            for i in range(size, more):
                free[i * width] = i
        self.times, self.free = times, free

    def note_fall(self, time: float) -> None:
        """Less may be left from a time on."""
        if self.falling < 0:
            return
        if self.falling == len(self.falls):
            falls = np.empty(2 * self.falling + 32)  # objects: seldom, since it doubles
            falls[: self.falling] = self.falls
            self.falls = falls
        self.falls[self.falling] = time
        self.falling += 1

    def may_fall(self, i: int) -> bool:
        """Whether less may be left in a step than in the one before."""
        k = 0
        while k < self.falling and self.falls[k] != self.times[i]:
            k += 1
        return self.falling < 0 or k < self.falling

    def copy_from(self, other: Profile) -> None:
        """Be as another profile is whose steps have their numbers at their places."""
        n, numbers = other.n, other.n * other.width
        self.begin(other.times[0] if n > 0 else 0.0, other.width)
        while len(self.times) < n:
            self.grow()
        for i in range(n):
            self.times[i] = other.times[i]
        for i in range(numbers):
            self.free[i] = other.free[i]
        self.n = n

    def add_ends(self, grace: float, processors: Ints, running: Ints, skip: int, expected_end: Floats) -> None:
        """Behind the only step, give back what running jobs have, which are sorted by expected end.

        The first ``skip`` count as ended. No end lies before the present plus the ``grace``.
        """
        earliest = self.times[0] + grace
        for i in range(skip, len(running)):
            end = max(expected_end[running[i]], earliest)
            if end == INFINITY:
                break
            if end > self.times[self.n - 1]:
                self.split(self.n - 1, end)
            self.free[self.n - 1] += processors[running[i]]

    def advance(self, now: float) -> None:
        """Forget what is past: the first step starts now."""
        n, width, k = self.n, self.width, 0
        while k + 1 < n and self.times[k + 1] <= now:
            k += 1
        if k > 0:
            for i in range(k, n):
                self.times[i - k] = self.times[i]
            for i in range(k * width, n * width):
                self.free[i - k * width] = self.free[i]
            self.n = n - k
        if n > 0:  # nothing was reserved yet
            self.times[0] = now

    def locate(self, time: float) -> int:
        """The step that holds a time: the last one that starts at or before it; what is past is in the first one."""
        low, high = 0, self.n
        while high - low > FEW:
            middle = (low + high) // 2
            if self.times[middle] <= time:
                low = middle + 1
            else:
                high = middle
        while low < high and self.times[low] <= time:
            low += 1
        return max(low - 1, 0)

    def step_at(self, time: float) -> int:
        """The step that begins at a time, which becomes one if need be; ``n`` for infinity."""
        if time == INFINITY:
            return self.n
        i = self.locate(time)
        if self.times[i] < time:
            self.split(i, time)
            i += 1
        return i

    def change(self, start: float, end: float, delta: int) -> None:
        """Add ``delta`` to what is free on [start, end), as far as this is not past."""
        start = max(start, self.times[0])
        if not start < end or start == INFINITY:
            return
        i = self.locate(start)
        if self.times[i] < start:
            self.split(i, start)
            i += 1
        j, n = i, self.n
        while j < n and self.times[j] < end:
            if j + 1 == n or self.times[j + 1] > end:
                if end < INFINITY:
                    self.split(j, end)
                self.free[j] += delta
                j += 1
                break
            self.free[j] += delta
            j += 1
        if j < self.n and self.free[j] == self.free[j - 1]:
            self.join(j)
        if i > 0 and self.free[i] == self.free[i - 1]:
            self.join(i)

    def has_before(self, time: float, need: int) -> bool:
        """Whether so many processors are free at any time before another."""
        i = 0
        while i < self.n and self.times[i] < time:
            if self.free[i] >= need:
                return True
            i += 1
        return False

    def earliest_fit(self, need: int, duration: float) -> float:
        """The earliest start at which ``need`` processors are free for the whole ``duration`` (infinite: none)."""
        return self.earlier_fit(INFINITY, need, duration, -INFINITY, INFINITY)

    def earlier_fit(self, reserved: float, need: int, duration: float, since: float, reach: float) -> float:
        """An earlier fit of a job whose own reservation is in the profile, from ``since`` on and before ``reach``.

        If there is none, this is ``reserved``.

        Without its reservation the job would find ``need`` more processors on [reserved, reserved + duration). So a
        window that starts earlier needs only a profile that is not over-committed from ``reserved`` on. Over-commitment
        can occur only within the next second of a machine whose jobs may outlive their estimates.
        """
        i, n, until = 0, self.n, min(reserved, reach)
        if since > self.times[0]:
            i = self.locate(since)
            i += self.times[i] < since  # earliest fits begin where steps begin
        while i < n and self.times[i] < until:
            if self.free[i] < need:
                i += 1
                continue
            end = self.times[i] + duration
            apart = min(end, reserved)
            j = i + 1
            while j < n and self.times[j] < apart and self.free[j] >= need:
                j += 1
            if j == n or self.times[j] >= apart:
                while j < n and self.times[j] < end and self.free[j] >= 0:
                    j += 1
                if j == n or self.times[j] >= end:
                    return float(self.times[i])
            i = j + 1
        return reserved

    def fit_from(self, since: float, need: int, duration: float) -> float:
        """The earliest start from a time on, which need not be a step, as `earliest_fit`."""
        if self.fits_at(need, since, duration):
            return since
        return self.earlier_fit(INFINITY, need, duration, since, INFINITY)

    def fits_at(self, need: int, begin: float, duration: float) -> bool:
        """Whether ``need`` processors are free from a time on for the whole ``duration``."""
        i, end = self.locate(begin), begin + duration
        while i < self.n and self.times[i] < end:
            if self.free[i] < need:
                return False
            i += 1
        return True

    def fits_now(self, need: int, duration: float) -> bool:
        """As `fits_at`, from the present on."""
        i, end = 0, self.times[0] + duration
        while i < self.n and self.times[i] < end:
            if self.free[i] < need:
                return False
            i += 1
        return True

    def split(self, i: int, time: float) -> None:
        """Cut step ``i`` in two at a time."""
        n, width = self.n, self.width
        if n == len(self.times):
            self.grow()
        for j in range(n, i + 1, -1):
            self.times[j] = self.times[j - 1]
        if width == 1:
            for j in range(n, i, -1):
                self.free[j] = self.free[j - 1]
        else:
            for j in range((n + 1) * width - 1, (i + 1) * width - 1, -1):
                self.free[j] = self.free[j - width]
        self.times[i + 1] = time
        self.n = n + 1

    def join(self, i: int) -> None:
        """Remove the border between step ``i`` and the one before it, which has the same numbers."""
        n, width = self.n - 1, self.width
        for j in range(i, n):
            self.times[j] = self.times[j + 1]
        if width == 1:
            for j in range(i, n):
                self.free[j] = self.free[j + 1]
        else:
            for j in range(i * width, n * width):
                self.free[j] = self.free[j + width]
        self.n = n


def no_fit_before(reserved: float, need: int, duration: float, tried: Floats) -> float:
    """Before what time a job finds no earlier fit, since others did not that are no larger and no longer.

    ``tried[0]`` is 4 times a number of entries, of four values each: processors, duration, a time before which there is
    no fit for these, and one before which everything begins that is in the way. If the reservation of this job
    begins earlier, that may be a part of it.
    """
    since = -INFINITY
    last = int(tried[0])
    for k in range(1, last + 1, 4):
        if tried[k] <= need and tried[k + 1] <= duration:
            apart = INFINITY if tried[k + 3] <= reserved else reserved - tried[k + 1]
            since = max(since, min(tried[k + 2], apart))
    return since


def note_tried(need: int, duration: float, until: float, tried: Floats) -> None:
    """There is no fit before ``until``. This replaces an entry that says no more, or the one with the first time."""
    n, place = int(tried[0]), 1
    for k in range(1, n + 1, 4):
        if need <= tried[k] and duration <= tried[k + 1] and until >= tried[k + 2]:
            place = k
            break
        if tried[k + 2] < tried[place + 2]:
            place = k
    else:
        if n + 4 < len(tried):
            place, tried[0] = n + 1, n + 4
    tried[place], tried[place + 1] = need, duration
    tried[place + 2] = tried[place + 3] = until


def note_given(begin: float, tried: Floats) -> None:
    """More is free from ``begin`` on."""
    last = int(tried[0])
    for k in range(1, last + 1, 4):
        if tried[k + 3] > begin:
            tried[k + 2] = min(tried[k + 2], begin - tried[k + 1])
