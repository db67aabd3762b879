"""The profile: how many processors will be free at what time if every job runs as long as it asked for.

A profile is a step function in two arrays: ``free[i]`` processors are free from ``times[i]`` to ``times[i + 1]``, and
``free[n - 1]`` from ``times[n - 1]`` on. ``times[0]`` is the present. Neighbours with equal values are merged.
Intervals are half-open: what is reserved on [a, b) is free again at b. Functions that change a profile return its new
length ``n``, and the arrays must have room for two more steps.

Steps are moved in one loop for each array: compilers make a block move of such a loop.
"""

from __future__ import annotations

import math

from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf
FEW = 16
"""Among so few steps one after the other is found sooner than by halving."""


def build(
    now: float,
    grace: float,
    free_now: int,
    processors: Ints,
    running: Ints,
    skip: int,
    expected_end: Floats,
    times: Floats,
    free: Ints,
) -> int:
    """The profile of the running jobs alone.

    ``running`` is sorted by expected end; its first ``skip`` jobs count as ended.
    """
    times[0] = now
    free[0] = free_now
    n = 1
    earliest = now + grace
    for i in range(skip, len(running)):
        end = max(expected_end[running[i]], earliest)
        if end == INFINITY:
            break
        if end > times[n - 1]:
            times[n] = end
            free[n] = free[n - 1]
            n += 1
        free[n - 1] += processors[running[i]]
    return n


def advance(now: float, times: Floats, free: Ints, n: int) -> int:
    """Forget what is past: the first step starts now."""
    k = 0
    while k + 1 < n and times[k + 1] <= now:
        k += 1
    if k > 0:
        for i in range(k, n):
            times[i - k] = times[i]
        for i in range(k, n):
            free[i - k] = free[i]
    times[0] = now
    return n - k


def locate(time: float, times: Floats, n: int) -> int:
    """The step that holds ``time``: the last one that starts at or before it."""
    low, high = 0, n
    while high - low > FEW:
        middle = (low + high) // 2
        if times[middle] <= time:
            low = middle + 1
        else:
            high = middle
    while low < high and times[low] <= time:
        low += 1
    return low - 1


def change(start: float, end: float, delta: int, times: Floats, free: Ints, n: int) -> int:
    """Add ``delta`` to what is free on [start, end); ``start`` must not lie before the present."""
    if not start < end or start == INFINITY:
        return n
    i = locate(start, times, n)
    if times[i] < start:
        n = _split(i, start, times, free, n)
        i += 1
    j = i
    while j < n and times[j] < end:
        if j + 1 == n or times[j + 1] > end:
            if end < INFINITY:
                n = _split(j, end, times, free, n)
            free[j] += delta
            j += 1
            break
        free[j] += delta
        j += 1
    if j < n and free[j] == free[j - 1]:
        n = _join(j, times, free, n)
    if i > 0 and free[i] == free[i - 1]:
        n = _join(i, times, free, n)
    return n


def earliest_fit(need: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest start at which ``need`` processors are free for the whole ``duration`` (infinite: none)."""
    return earlier_fit(INFINITY, need, duration, -INFINITY, INFINITY, times, free, n)


def earlier_fit(
    reserved: float, need: int, duration: float, since: float, reach: float, times: Floats, free: Ints, n: int
) -> float:
    """An earlier fit of a job whose own reservation is in the profile, from ``since`` on and before ``reach``.

    If there is none, this is ``reserved``.

    Without its reservation the job would find ``need`` more processors on [reserved, reserved + duration). So a window
    that starts earlier needs only a profile that is not over-committed from ``reserved`` on. Over-commitment can occur
    only within the next second of a machine whose jobs may outlive their estimates.
    """
    i, until = 0, min(reserved, reach)
    if since > times[0]:
        i = locate(since, times, n)
        i += times[i] < since  # earliest fits begin where steps begin
    while i < n and times[i] < until:
        if free[i] < need:
            i += 1
            continue
        end = times[i] + duration
        j = i + 1
        while j < n and times[j] < end and free[j] >= (need if times[j] < reserved else 0):
            j += 1
        if j == n or times[j] >= end:
            return float(times[i])
        i = j + 1
    return reserved


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


def fits_now(need: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether ``need`` processors are free from now on for the whole ``duration``."""
    end = times[0] + duration
    i = 0
    while i < n and times[i] < end:
        if free[i] < need:
            return False
        i += 1
    return True


def _split(i: int, time: float, times: Floats, free: Ints, n: int) -> int:
    """Cut step ``i`` in two at ``time``."""
    for j in range(n, i + 1, -1):
        times[j] = times[j - 1]
    for j in range(n, i + 1, -1):
        free[j] = free[j - 1]
    times[i + 1] = time
    free[i + 1] = free[i]
    return n + 1


def _join(i: int, times: Floats, free: Ints, n: int) -> int:
    """Remove the border between step ``i`` and the one before it."""
    for j in range(i, n - 1):
        times[j] = times[j + 1]
    for j in range(i, n - 1):
        free[j] = free[j + 1]
    return n - 1
