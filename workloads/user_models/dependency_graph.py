"""The dependencies between a user's batches: a graph with think times as weights.

Batch b' of a user depends on batch b iff b had ended when b' was first submitted, b began before it, and no batch
lies between them (the graph is transitively reduced). The weight of the edge is its think time, first submission
of b' - end of b, which is at least 0.

Sort the begins and ends of a user's batches by time, and let c be the batch that began last among those that had ended
when b' began. Then b' depends exactly on the batches that ended between the beginnings of c and of b', since any batch
that ended earlier precedes c. So the edges into b' are a range of the sorted ends, and two sorts give the graph.

Source: N. Zakay and D. Feitelson, Preserving user behavior characteristics in trace-based simulation of
parallel job scheduling (MASCOTS 2014); the reduction is ours.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.user_models.sessions import Groups


@dataclass(frozen=True, eq=False)
class Dependencies:
    """The edges ``before[i]`` → ``after[i]`` with their ``think_time[i]`` (s), in order of (before, after).

    The edges out of batch b are ``bounds[b]`` to ``bounds[b + 1]``; ``count[b]`` edges lead into it.
    """

    before: Whole
    after: Whole
    think_time: Floats
    bounds: Whole
    count: Whole

    def __len__(self) -> int:
        return len(self.before)


def dependencies(batches: Groups) -> Dependencies:
    """The dependencies between the batches of each user."""
    n = len(batches)
    number = np.arange(n)
    # At equal times, an end comes before the beginning of a later batch: a think time of 0 is a dependency.
    time = np.concatenate([batches.submit, batches.end])
    place_of = np.concatenate([2 * number, 2 * number + 1])
    row = np.lexsort((place_of, time, np.concatenate([batches.owner, batches.owner])))
    is_end = row >= n
    place = np.empty(2 * n, np.int64)
    place[row] = np.arange(2 * n)
    ended = np.cumsum(is_end)
    latest = np.maximum.accumulate(np.where(is_end, row - n, -1)) if n else ended
    first_of_user = np.searchsorted(batches.owner, batches.owner)
    begin = place[:n]
    last_begun = latest[begin]  # c; that of an earlier user if no batch of this one has ended
    waits = last_begun >= first_of_user
    low = np.where(waits, ended[begin[np.where(waits, last_begun, 0)]], 0) if n else ended
    high = np.where(waits, ended[begin], 0) if n else ended
    count = high - low
    after = np.repeat(number, count)
    within = np.arange(len(after)) - np.repeat(np.cumsum(count) - count, count)
    before = (row[is_end] - n)[np.repeat(low, count) + within]
    order = np.lexsort((after, before))
    before, after = before[order], after[order]
    return Dependencies(
        before=before,
        after=after,
        think_time=batches.submit[after] - batches.end[before],
        bounds=np.searchsorted(before, np.arange(n + 1)),
        count=count,
    )
