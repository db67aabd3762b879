"""Tsafrir's model of user estimates: a histogram of a few values, matched at random to the jobs.

n jobs use K distinct estimates (`bins`). Twenty of them, the head, are used by 89 % of the jobs. The tail has the
other K − 20 estimates, which share 11 %: ranks x = 21, 22, … in proportion to 795.6 x^−2.267. The i-th of its k times
is y · largest, rounded to minutes, with x = i / k, y = (a − 1) x / (a − x), a = 1 + 12.1039 K^−0.6026, and moved by
30, 20 or 10 s if that time is taken. Times and ranks of the tail are matched at random.

The head's times: the largest; 5, 10, 15, 20, 30 min and 1, 2, 3, 4, 5, 6, 8, 10, 12, 18 h as far as they are below it;
then, up to twenty in all, multiples of 200, 100, 50, 10, 5, 2, 1 h, 20, 10 and 5 min, counted down from the largest.
Popularity rank x = 2 … 20 is used by 14.0491 e^(−0.177531 x) + 0.462513 % of the jobs, rank 1, the largest time, by
the rest of the 89 %. The others, from short to long, get ranks that such a time had in one of four logs (`RANKS`). Each
time adds its four ranks to a pool. A rank that no longer time ever had must be taken now, else the better of two draws
is taken.

Jobs in order of decreasing run time pick at random one of the remaining estimates that are long enough.

Source: Tsafrir, Etsion and Feitelson, Modeling user runtime estimates, JSSPP 2005, and the authors' program
(m_tsafrir05 at the Parallel Workloads Archive). Ours: percentages become whole numbers of jobs by largest
remainder. Above 250,000 jobs K follows the power law of the program's other option, n^0.547761. Without a tail
(below some 200 jobs) the head has all jobs. The program gives up if too many jobs are long; here estimates too
short for any remaining job are raised to the next value of the histogram. If the largest time is only a few hours, the
head has fewer than twenty times, whose ranks are renumbered without gaps.
"""

import math
from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.units import HOUR, MINUTE

TOP = 20
HEAD_PERCENT = 89.0

COMMON = tuple(m * MINUTE for m in (5, 10, 15, 20, 30)) + tuple(h * HOUR for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18))
STEPS = tuple(h * HOUR for h in (200, 100, 50, 10, 5, 2, 1)) + tuple(m * MINUTE for m in (20, 10, 5))

RANKS = {
    "SDSC-106": (3, 1, 4, 17, 13, 7, 8, 18, 2, 6, 16, 10, 5, 15, 14, 19, 11, 12, 9, 20),
    "CTC": (1, 3, 4, 2, 12, 9, 8, 18, 6, 7, 11, 20, 16, 5, 14, 13, 10, 15, 17, 19),
    "KTH, 4 h": (1, 4, 10, 14, 20, 2, 3, 7, 12, 6, 19, 5, 18, 16, 9, 17, 15, 13, 8, 11),
    "SDSC-Blue": (1, 6, 5, 3, 7, 2, 18, 19, 4, 11, 20, 9, 10, 14, 13, 16, 15, 17, 8, 12),
}
"""Popularity ranks of the twenty times (the largest, then from short to long) in four logs."""


def head_times(largest: float) -> list[float]:
    """The head's times (s): the largest, then from short to long."""
    found = [largest, *(float(time) for time in COMMON if time < largest)]
    for step in STEPS:
        for multiple in range(int(largest // step), 0, -1):
            if len(found) < TOP and float(multiple * step) not in found:
                found.append(float(multiple * step))
            if len(found) == TOP:
                break
    return [largest, *sorted(found[1:])]


def head_percents(count: int = TOP) -> list[float]:
    """The percentages of jobs at ranks 1 to `count`; they sum to 89."""
    rest = [14.0491 * math.exp(-0.177531 * x) + 0.462513 for x in range(2, count + 1)]
    return [HEAD_PERCENT - sum(rest), *rest]


def head_ranks(rng: np.random.Generator) -> list[int]:
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


def draw_head(largest: float, bins: int, rng: np.random.Generator) -> dict[float, float]:
    """Draw the head: the percentage of jobs by time (s), for at most `bins` times."""
    all_times = head_times(largest)
    drawn = head_ranks(rng)[: len(all_times)]
    kept = sorted(range(len(drawn)), key=drawn.__getitem__)[:bins]
    sizes = head_percents(len(kept))
    return {all_times[place]: size for place, size in zip(kept, sizes, strict=True)}


JOBS = (0, 20, 200, 1_000, 10_000, 70_000, 250_000)
BINS = (0, 10, 20, 35, 90, 340, 565)
TAIL_PERCENT = 100.0 - HEAD_PERCENT
_OFFSETS = (0, 30, -30, 20, -20, 10, -10)


@dataclass(frozen=True, slots=True)
class EstimateHistogram:
    """Estimates `times` (s), ascending, and how many `jobs` have each."""

    times: Floats
    jobs: Whole


def bins(jobs: int) -> int:
    """The number of distinct estimates of `jobs` jobs."""
    if jobs > JOBS[-1]:
        return round(BINS[-1] * math.pow(jobs / JOBS[-1], 0.547761))
    return max(1, round(float(np.interp(jobs, JOBS, BINS))))


def curvature(count: int) -> float:
    """The parameter a of the tail's times, for `count` bins."""
    return float(1 + 12.1039 * count**-0.6026)


def tail_times(count: int, largest: float, all_bins: int, taken: set[float]) -> list[float]:
    """Up to `count` times (s) that are not taken."""
    x = np.arange(1, count + 1) / max(1, count)
    a = curvature(all_bins)
    minutes = np.rint((a - 1) * x / (a - x) * largest / 60) * 60
    found: set[float] = set()
    for minute in minutes.tolist():
        near = (minute + offset for offset in _OFFSETS)
        free = (time for time in near if 0 < time < largest and time not in taken and time not in found)
        found.update([time] if (time := next(free, None)) is not None else [])
    return sorted(found)


def tail_percents(count: int) -> Floats:
    """The percentages of the ranks 21, 22, …; they sum to 11."""
    sizes = 795.6 * np.arange(TOP + 1, TOP + 1 + count, dtype=np.float64) ** -2.267
    return np.asarray(TAIL_PERCENT * sizes / sizes.sum(), dtype=np.float64)


def histogram(jobs: int, largest: float, count: int, rng: np.random.Generator) -> EstimateHistogram:
    """Draw a histogram for `jobs` jobs, with `count` bins up to `largest` (s)."""
    percents = draw_head(largest, count, rng)
    times = tail_times(max(0, count - len(percents)), largest, count, set(percents))
    percents |= dict(zip(times, rng.permutation(tail_percents(len(times))).tolist(), strict=True))
    ordered = sorted(percents)
    shares = np.array([percents[time] for time in ordered])
    # Whole numbers that sum to `jobs`, in proportion to the shares, by largest remainder.
    wanted = shares * (jobs / shares.sum())
    counts: Whole = np.floor(wanted).astype(np.int64)
    rest = np.argsort(counts - wanted, kind="stable")[: jobs - int(counts.sum())]
    counts[rest] += 1
    return EstimateHistogram(np.array(ordered), counts)


def match(runtimes: Floats, histogram: EstimateHistogram, rng: np.random.Generator) -> Floats:
    """Assign each job an estimate of the histogram that is no shorter than its run time."""
    order = np.argsort(-runtimes, kind="stable")
    longest_first = runtimes[order]
    estimates = _raised(np.repeat(histogram.times, histogram.jobs)[::-1], longest_first, histogram.times)
    # How many estimates, in descending order, are long enough for each job.
    enough = np.searchsorted(-estimates, -longest_first, side="right")
    places = np.arange(len(order))
    picks = (places + np.floor(rng.random(len(order)) * (enough - places))).astype(np.int64)
    given = np.empty_like(runtimes)
    given[order] = _picked(estimates.tolist(), picks.tolist())
    return given


def _picked(left: list[float], picks: list[int]) -> list[float]:
    """Swap each job's estimate with the one it picks at or after its own place."""
    for place, pick in enumerate(picks):
        left[place], left[pick] = left[pick], left[place]
    return left


def _raised(estimates: Floats, runtimes: Floats, times: Floats) -> Floats:
    """Raise estimates too short for the job in the same place to the next value of the histogram."""
    least = times[np.minimum(np.searchsorted(times, runtimes), len(times) - 1)]
    return np.where(estimates < runtimes, least, estimates)
