"""A private machine: when a user's jobs would end on P processors without other users.

Graham's list scheduling: whenever processors are free, the first job of the list that fits starts. For sequential
jobs that is the next job on the first free processor. Campaigns that fit as a whole start at once and need no
simulation.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque

import numpy as np

from thinktime.workloads.generators.quantities import Real, Whole


def campaign_ends(runtimes: Real, sizes: Whole, starts: Whole, processors: int) -> Real:
    """The end of each job (s), with each campaign on its own machine from time 0.

    `starts` is the row of each campaign's first job, ascending from 0.
    """
    ends = runtimes.copy()
    bounds = [*starts.tolist(), len(runtimes)]
    for campaign in np.flatnonzero(np.add.reduceat(sizes, starts) > processors).tolist():
        rows = slice(bounds[campaign], bounds[campaign + 1])
        ends[rows] = list_schedule(runtimes[rows], sizes[rows], processors)
    return ends


def list_schedule(runtimes: Real, sizes: Whole, processors: int) -> list[float]:
    """The ends (s) of jobs that are all submitted at time 0, in the order of the list.

    >>> list_schedule(np.array([3.0, 5.0, 2.0]), np.array([1, 2, 1]), 2)
    [3.0, 8.0, 2.0]
    """
    waiting = _by_size(sizes)
    times, ends = runtimes.tolist(), [0.0] * len(runtimes)
    running: list[tuple[float, int]] = []
    now, free = 0.0, processors
    while waiting:
        while (job := _first_that_fits(waiting, free)) is not None:
            size = _take(waiting, job)
            free -= size
            ends[job[0]] = now + times[job[0]]
            heapq.heappush(running, (ends[job[0]], size))
        now = running[0][0]
        while running and running[0][0] == now:
            free += heapq.heappop(running)[1]
    return ends


def _by_size(sizes: Whole) -> dict[int, deque[int]]:
    """The positions in the list of the jobs of each size."""
    waiting: dict[int, deque[int]] = defaultdict(deque)
    for place, size in enumerate(sizes.tolist()):
        waiting[size].append(place)
    return dict(waiting)


def _first_that_fits(waiting: dict[int, deque[int]], free: int) -> tuple[int, int] | None:
    """The position and the size of the next job to start."""
    return min(((places[0], size) for size, places in waiting.items() if size <= free), default=None)


def _take(waiting: dict[int, deque[int]], job: tuple[int, int]) -> int:
    size = job[1]
    waiting[size].popleft()
    if not waiting[size]:
        del waiting[size]
    return size
