"""Which job each job without a campaign waited for: the loop of users who think (replays with feedback, for instance).

Such a job has a `think_time`, from the end of what released it to its own submission, so its predecessor is the job
of the same user that was over at submit - think_time (the first one submitted among equals).

A replay of SWF fields 17 and 18 takes the jobs of a user with the same submission and the same fields together, and
waits for all of them (`thinktime.users.dependencies`). Where this would be later than the end of the job
that is named, or that job does not come before its successor in the log, the fields cannot say what happened:
there is no predecessor then, and the job keeps its submission. The rule is ours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinktime.models.results.schedule import Array, Schedule
from thinktime.models.results.tables import NONE, over_at

Rows = npt.NDArray[np.int64]


def released_by(result: Schedule) -> Rows:
    """The row of the job that each job waited for; -1 where there is none, and for the jobs of campaigns."""
    over, user, submit = over_at(result), result["user"], result["submit"]
    before = np.full(len(result), NONE)
    known = np.flatnonzero(np.isfinite(over) & (user != NONE))
    known = known[np.lexsort((result["id"][known], submit[known], over[known], user[known]))]
    rows = np.flatnonzero((result["campaign"] == NONE) & (user != NONE) & np.isfinite(result["think_time"]))
    if not len(known) or not len(rows):
        return before
    times = np.unique(over[known])
    keys = user[known] * len(times) + np.searchsorted(times, over[known])
    since = submit[rows] - result["think_time"][rows]
    moment = np.searchsorted(times, since).clip(max=len(times) - 1)
    wanted = user[rows] * len(times) + moment
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    found = (times[moment] == since) & (keys[place] == wanted)
    before[rows[found]] = known[place[found]]
    return _sayable(result, before, over)


def _sayable(result: Schedule, before: Rows, over: Array) -> Rows:
    """Without those predecessors that the two fields cannot express; each that goes may join other jobs together."""
    rank = np.empty(len(result), np.int64)
    rank[np.lexsort((result["id"], result["submit"]))] = np.arange(len(result))
    finished = np.where(np.isnan(over), np.inf, over)
    while True:
        chain, last, first = _chains(result, before, finished, rank)
        rows = np.flatnonzero(before != NONE)
        named = chain[before[rows]]
        wrong = (last[named] != over[before[rows]]) | (first[named] >= first[chain[rows]])
        if not wrong.any():
            return before
        before[rows[wrong]] = NONE


def _chains(result: Schedule, before: Rows, finished: Array, rank: Rows) -> tuple[Rows, Array, Rows]:
    """What is submitted together: each job's chain, when all of a chain was over, and its first place in the log."""
    think = np.where(before == NONE, -1.0, result["think_time"])
    keys = (think, before, result["submit"], result["user"])
    order = np.lexsort(keys)
    opens = np.zeros(len(order), np.bool_)
    opens[:1] = True
    for key in keys:
        opens[1:] |= key[order][1:] != key[order][:-1]
    begin = np.flatnonzero(opens)
    chain = np.empty(len(order), np.int64)
    chain[order] = np.cumsum(opens) - 1
    return chain, np.maximum.reduceat(finished[order], begin), np.minimum.reduceat(rank[order], begin)
