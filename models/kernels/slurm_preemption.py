"""Slurm's preemption: who may preempt whom, and who is first in the queue.

A job's class, ``state.rank``, is its partition with its QOS. ``precedence`` says for each pair of the n classes whether
jobs of the one may preempt those of the other; it is empty where nobody preempts. ``classes`` has some numbers of the
site, and then some of each class (`thinktime.models.changing.ranks`).

Source: Slurm 22.05.8, measured, and its documentation.
"""

import numpy as np

from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

YOUNGEST, REORDERS, STRICT, SWEEP, PHASE, RETRY, REQUEUES, HEADER = range(8)
"""Places in ``classes``: who is taken first, how often candidates are put in another order, whether the rest of them
keep theirs; how many seconds sweeps for time limits are apart, and at what time one is; how many seconds attempts of a
job are apart; whether jobs are requeued that do not say so."""
MODE, SHORTEST, NOTICE, CHEAPNESS, OF_CLASS = range(5)
"""Places of a class: how its jobs leave (`thinktime.models.kernels.situation`), how long they run at least, their grace
(s), and what candidates are sorted by."""


@by_kind
def preempts(state: Structure) -> bool:
    """Whether jobs preempt others as Slurm lets them."""
    return False


@written_for(CHANGING, preempts)
def changing_preempts(state: Structure) -> bool:
    """If there are classes."""
    return bool(state.precedence.size > 0)


@kernel
def number_of(state: Structure, row: int, what: int) -> float:
    """A number of a job's class."""
    return float(state.classes[HEADER + OF_CLASS * state.rank[row] + what])


@kernel
def may_preempt(state: Structure, row: int, other: int) -> bool:
    """Whether a job may preempt another one, by what they are."""
    classes = (state.classes.size - HEADER) // OF_CLASS
    return bool(state.precedence[classes * state.rank[row] + state.rank[other]])


@by_kind
def is_suspended(state: Structure, row: int) -> bool:
    """Whether a waiting job is suspended."""
    return False


@written_for(CHANGING, is_suspended)
def changing_is_suspended(state: Structure, row: int) -> bool:
    """What is noted of it."""
    return bool(state.suspended[row] > 0)


@by_kind
def next_candidate(state: Structure, now: float, rows: Ints, started: Ints) -> float:
    """When the next job may be preempted that has not run long enough yet; ``rows`` wait, but for those that start."""
    return INFINITY


@written_for(CHANGING, next_candidate)
def changing_next_candidate(state: Structure, now: float, rows: Ints, started: Ints) -> float:
    """For each class that runs and each that waits."""
    if not preempts(state):
        return INFINITY
    classes, time = (state.classes.size - HEADER) // OF_CLASS, INFINITY
    waiting, starts = np.zeros(classes, np.int64), np.full(classes, INFINITY)
    example = np.zeros(classes, np.int64)
    for row in rows:
        waiting[state.rank[row]] += 1
    for row in started:
        waiting[state.rank[row]] -= 1
        starts[state.rank[row]], example[state.rank[row]] = now, row
    for row in state.running[: line_up(state)]:
        if state.start[row] + number_of(state, row, SHORTEST) > now:
            starts[state.rank[row]] = min(starts[state.rank[row]], state.start[row])
            example[state.rank[row]] = row
    for c in range(classes):
        for d in range(classes):
            if waiting[c] > 0 and starts[d] < INFINITY and state.precedence[classes * c + d]:
                until = starts[d] + number_of(state, example[d], SHORTEST)
                if until > now:
                    time = min(time, until)
    return float(time)


@kernel
def preemptors_first(state: Structure, rows: Ints) -> Ints:
    """The queue: suspended jobs, then always the first whom no other that is left may preempt."""
    classes, n, k = (state.classes.size - HEADER) // OF_CLASS, rows.size, 0
    order, left, following = np.empty(n, np.int64), np.zeros(classes, np.int64), np.empty(n, np.int64)
    head, last = np.full(classes, -1), np.full(classes, -1)
    for row in rows:
        if state.suspended[row] > 0:
            order[k] = row
            k += 1
    for i in range(n):
        c = state.rank[rows[i]]
        if state.suspended[rows[i]] == 0:
            following[i] = -1
            if left[c] == 0:
                head[c] = i
            else:
                following[last[c]] = i
            last[c] = i
            left[c] += 1
    while k < n:
        chosen, free = -1, False
        for c in range(classes):
            if left[c] > 0:
                blocked = False
                for d in range(classes):
                    blocked = blocked or (d != c and left[d] > 0 and state.precedence[classes * d + c] > 0)
                if chosen < 0 or (free == (not blocked) and head[c] < head[chosen]) or (not free and not blocked):
                    chosen, free = c, not blocked
        order[k] = rows[head[chosen]]
        head[chosen] = following[head[chosen]]
        left[chosen] -= 1
        k += 1
    return order
