"""One EET for a whole batch of jobs: the expectations paper's future work (section 5).

Users of workflows and bags of tasks "are interested in the performance of an entire batch of jobs". A batch is a
campaign, if the jobs have one, else a maximal sequence of jobs of one user, each submitted at most ``gap`` s after the
previous one (our choice, as the paper's logs do not have batches).

A batch is submitted with its first job, ends with its last, and is expected at the latest EET of its jobs. It has the
processors and memory of all its jobs. Its run time, for heatmaps, is that of the job with the latest EET.
"""

from dataclasses import replace

import numpy as np

from thinktime.analysis.expectations.capacity import codes_of
from thinktime.analysis.expectations.evaluate import Expectations
from thinktime.models.results.measures import Spans
from thinktime.workloads.arrays import Whole
from thinktime.workloads.units import Duration, as_seconds

GAP = 60.0  # s


def batch_numbers(jobs: Expectations, gap: Duration = GAP) -> Whole:
    """The number of each job's batch, counted from 0."""
    gap = as_seconds("gap", gap)
    _, user = codes_of(jobs.user)
    order = np.lexsort((jobs.id, jobs.submit, jobs.campaign, user))
    new = np.ones(len(order), np.bool_)
    u, c, submit = user[order], jobs.campaign[order], jobs.submit[order]
    same = (u[1:] == u[:-1]) & (c[1:] == c[:-1])
    new[1:] = ~(same & ((c[1:] >= 0) | (np.diff(submit) <= gap)))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers


def as_batches(jobs: Expectations, number: Whole) -> Expectations:
    """The expectations with one row per batch."""
    by_batch = np.lexsort((jobs.id, jobs.submit, number))
    first = by_batch[np.r_[True, np.diff(number[by_batch]) > 0]] if len(number) else by_batch
    latest = np.lexsort((jobs.id, jobs.eet, number))
    last = latest[np.r_[np.diff(number[latest]) > 0, True]] if len(number) else latest
    count = len(first)
    end = np.full(count, -np.inf)
    np.maximum.at(end, number, jobs.end)
    start = np.full(count, np.inf)
    np.minimum.at(start, number, jobs.start)
    return replace(
        jobs.select(first),
        start=start,
        end=end,
        used=Spans(np.arange(count), start, end),
        eet=jobs.eet[last],
        runtime=jobs.runtime[last],
        processors=np.bincount(number, jobs.processors, count).astype(np.int64),
        memory=np.bincount(number, np.nan_to_num(jobs.memory), count).astype(np.float64),
        others={each: np.bincount(number, jobs.others[each], count).astype(np.int64) for each in jobs.others},
    )
