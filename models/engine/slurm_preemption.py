"""Slurm's preemption: who may preempt whom, and who is first in the queue.

A job's class, ``state.rank``, is its partition with its QOS. ``precedence`` says for each pair of the n classes whether
jobs of the one may preempt those of the other; it is empty where no job preempts. ``classes`` has some numbers of
each class (`thinktime.models.machine.changing.ranks`).

Source: Slurm 22.05.8, measured, and its documentation.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped
from thinktime.models.engine.codes import slurm_preemption as slurm_preemption_codes
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def preempts(state: State) -> bool:
    """Whether jobs preempt others as Slurm lets them."""
    if state.changing:
        return changing_preempts(state)
    return False


def changing_preempts(state: State) -> bool:
    """As `preempts`: if there are classes."""
    return bool(len(state.precedence) > 0)


def number_of(state: State, row: int, what: int) -> float:
    """A number of a job's class."""
    return float(state.classes[slurm_preemption_codes.OF_CLASS * state.rank[row] + what])


def _class_count(state: State) -> int:
    """How many classes there are."""
    return len(state.classes) // slurm_preemption_codes.OF_CLASS


def may_preempt(state: State, row: int, other: int) -> bool:
    """Whether a job may preempt another one, by what they are."""
    return bool(state.precedence[_class_count(state) * state.rank[row] + state.rank[other]])


def is_suspended(state: State, row: int) -> bool:
    """Whether a waiting job is suspended."""
    if state.changing:
        return changing_is_suspended(state, row)
    return False


def changing_is_suspended(state: State, row: int) -> bool:
    """As `is_suspended`: what is noted of the job."""
    return bool(state.suspended[row] > 0)


def next_candidate(state: State, now: float, rows: Ints, started: Ints) -> float:
    """When the next job may be preempted that has not run long enough yet; ``rows`` wait, but for those that start."""
    if state.changing:
        return changing_next_candidate(state, now, rows, started)
    return INFINITY


def changing_next_candidate(state: State, now: float, rows: Ints, started: Ints) -> float:
    """As `next_candidate`: for each class that runs and each that waits."""
    if not preempts(state):
        return INFINITY
    classes, time = _class_count(state), INFINITY
    waiting, starts, example = state.spare.zeros(classes), state.spare.real(classes), state.spare.zeros(classes)
    arithmetic.fill_all(starts, INFINITY)
    for i in range(len(rows)):
        row = rows[i]
        waiting[state.rank[row]] += 1
    for i in range(len(started)):
        row = started[i]
        waiting[state.rank[row]] -= 1
        starts[state.rank[row]], example[state.rank[row]] = now, row
    for i in range(gapped.line_up(state)):
        row = state.running[i]
        if state.start[row] + number_of(state, row, slurm_preemption_codes.SHORTEST) > now:
            starts[state.rank[row]] = min(starts[state.rank[row]], state.start[row])
            example[state.rank[row]] = row
    for c in range(classes):
        for d in range(classes):
            if waiting[c] > 0 and starts[d] < INFINITY and state.precedence[classes * c + d]:
                until = starts[d] + number_of(state, example[d], slurm_preemption_codes.SHORTEST)
                if until > now:
                    time = min(time, until)
    return float(time)


def preemptors_first(state: State, rows: Ints) -> Ints:
    """The queue: suspended jobs, then always the first whom no other that is left may preempt."""
    classes, n, k = _class_count(state), len(rows), 0
    spare = state.spare
    order, left, following = spare.whole(n), spare.zeros(classes), spare.whole(n)
    head, last = spare.whole(classes), spare.whole(classes)  # of classes of which some are left
    for j in range(len(rows)):
        row = rows[j]
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
