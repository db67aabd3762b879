"""The head of Tsafrir's model: the twenty estimates that 89 % of the jobs use.

Times: the largest; 5, 10, 15, 20, 30 min and 1, 2, 3, 4, 5, 6, 8, 10, 12, 18 h as far as they are below it; then,
up to twenty in all, multiples of 200, 100, 50, 10, 5, 2, 1 h, 20, 10 and 5 min, counted down from the largest.

Percentages: the estimate of popularity rank x = 2 … 20 is used by 14.0491 e^(−0.177531 x) + 0.462513 % of the
jobs, that of rank 1 by the rest of the 89 %. The largest time has rank 1. The others, from short to long, get
ranks that such a time had in one of four logs (`RANKS`, where time 0 is the largest). Each time adds its four
ranks to a pool. A rank that no longer time ever had must be taken now, else the better of two draws is taken.

Source: see `tsafrir`. Ours: if the largest time is only a few hours, there are fewer than twenty times. They keep
the order of their ranks, which are renumbered without gaps. Without a tail, the percentages are scaled to all jobs.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.workloads.units import HOUR, MINUTE

TOP = 20
PERCENT = 89.0

COMMON = tuple(m * MINUTE for m in (5, 10, 15, 20, 30)) + tuple(
    h * HOUR for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18)
)
STEPS = tuple(h * HOUR for h in (200, 100, 50, 10, 5, 2, 1)) + tuple(m * MINUTE for m in (20, 10, 5))

RANKS = {
    "SDSC-106": (3, 1, 4, 17, 13, 7, 8, 18, 2, 6, 16, 10, 5, 15, 14, 19, 11, 12, 9, 20),
    "CTC": (1, 3, 4, 2, 12, 9, 8, 18, 6, 7, 11, 20, 16, 5, 14, 13, 10, 15, 17, 19),
    "KTH, 4 h": (1, 4, 10, 14, 20, 2, 3, 7, 12, 6, 19, 5, 18, 16, 9, 17, 15, 13, 8, 11),
    "SDSC-Blue": (1, 6, 5, 3, 7, 2, 18, 19, 4, 11, 20, 9, 10, 14, 13, 16, 15, 17, 8, 12),
}
"""Popularity ranks of the twenty times (the largest, then from short to long) in four logs."""


def times(largest: float) -> list[float]:
    """The head's times (s): the largest, then from short to long."""
    found = [largest, *(float(time) for time in COMMON if time < largest)]
    for step in STEPS:
        for multiple in range(int(largest // step), 0, -1):
            if len(found) < TOP and float(multiple * step) not in found:
                found.append(float(multiple * step))
            if len(found) == TOP:
                break
    return [largest, *sorted(found[1:])]


def percents(count: int = TOP) -> list[float]:
    """The percentages of jobs at ranks 1 to `count`; they sum to 89."""
    rest = [14.0491 * math.exp(-0.177531 * x) + 0.462513 for x in range(2, count + 1)]
    return [PERCENT - sum(rest), *rest]


def ranks(rng: np.random.Generator) -> list[int]:
    """Draw the popularity rank of each of the twenty times."""
    last = {rank: max(column.index(rank) for column in RANKS.values()) for rank in range(1, TOP + 1)}
    chosen, pool = [1], [rank for column in RANKS.values() if (rank := column[0]) != 1]
    for place in range(1, TOP):
        pool += [column[place] for column in RANKS.values()]
        pool = [rank for rank in pool if rank not in chosen]
        due = [rank for rank in sorted(set(pool)) if last[rank] <= place]
        draws = rng.integers(0, len(pool), 2)
        chosen.append(due[0] if due else min(pool[draw] for draw in draws.tolist()))
    return chosen


def draw(largest: float, bins: int, rng: np.random.Generator) -> dict[float, float]:
    """Draw the head: the percentage of jobs by time (s), for at most `bins` times."""
    all_times = times(largest)
    drawn = ranks(rng)[: len(all_times)]
    kept = sorted(range(len(drawn)), key=drawn.__getitem__)[:bins]
    sizes = percents(len(kept))
    return {all_times[place]: size for place, size in zip(kept, sizes, strict=True)}
