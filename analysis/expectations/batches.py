"""One EET for a whole batch of jobs: the expectations paper's future work (section 5).

Users of workflows and bags of tasks "are interested in the performance of an entire batch of jobs". A batch is
a campaign where the jobs have one; else it is a maximal run of jobs of one user, each submitted at most
``gap`` seconds after the one before (our decision; the paper's logs do not tell).

The batch is one thing then: submitted with its first job, over with its last, expected at the latest EET of
its jobs. It weighs as much as its jobs together, and its run time, for heatmaps, is that of the job whose EET
is the latest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thinktime.analysis.expectations.evaluate import Expectations

GAP = 60.0  # s


def batch_numbers(jobs: Expectations, gap: float = GAP) -> npt.NDArray[np.int64]:
    """The number of each job's batch, from 0 on."""
    names = {label: code for code, label in enumerate(dict.fromkeys(jobs.user.tolist()))}
    user = np.array([names[label] for label in jobs.user.tolist()], np.int64)
    order = np.lexsort((jobs.id, jobs.submit, jobs.campaign, user))
    new = np.ones(len(order), np.bool_)
    u, c, submit = user[order], jobs.campaign[order], jobs.submit[order]
    same = (u[1:] == u[:-1]) & (c[1:] == c[:-1])
    new[1:] = ~(same & ((c[1:] >= 0) | (np.diff(submit) <= gap)))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers


def as_batches(jobs: Expectations, number: npt.NDArray[np.int64]) -> Expectations:
    """The same expectations with one row per batch."""
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
        eet=jobs.eet[last],
        runtime=jobs.runtime[last],
        processors=np.bincount(number, jobs.processors, count).astype(np.int64),
        memory=np.bincount(number, np.nan_to_num(jobs.memory), count).astype(np.float64),
        others={
            name: np.bincount(number, each, count).astype(np.int64) for name, each in jobs.others.items()
        },
    )
