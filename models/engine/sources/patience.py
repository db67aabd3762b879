"""Jobs that their users take back when they have waited for too long.

A log may say so of those that never ran, and so do users with patience.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, pool
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def has_run(state: State, row: int) -> bool:
    """Whether a waiting job was interrupted in an earlier run: then its user stays."""
    if state.changing:
        return has_run_before(state, row)
    return False


def has_run_before(state: State, row: int) -> bool:
    """As `has_run`: machines that change interrupt jobs."""
    return bool(state.runs[row] > 0)


def next_leaving(state: State, truth: Truth) -> float:
    """When the next job in the queue is taken back; infinite for never."""
    time = INFINITY
    if truth.impatient > 0:
        rows_here = pool.queue_of(state)
        for i in range(len(rows_here)):
            row = rows_here[i]
            leaves = state.submit[row] + truth.patience[row]
            if leaves < time and not has_run(state, row):
                time = float(leaves)
    return time


def out_of_patience(state: State, truth: Truth, now: float) -> Ints:
    """The jobs in the queue that are taken back now, by id."""
    rows, k = state.scratch, 0
    rows_here = pool.queue_of(state)
    for i in range(len(rows_here)):
        row = rows_here[i]
        if state.submit[row] + truth.patience[row] <= now and not has_run(state, row):
            place = k
            while place > 0 and state.id[rows[place - 1]] > state.id[row]:
                rows[place] = rows[place - 1]
                place -= 1
            rows[place] = row
            k += 1
    return rows[:k]


def leave_impatiently(state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
    """Jobs that have waited for too long leave the queue; true if somebody has to be told."""
    if truth.impatient == 0:
        return False
    rows = arithmetic.rows_copied(out_of_patience(state, truth, now))
    if len(rows) == 0:
        return False
    for i in range(len(rows)):
        row = rows[i]
        state.state[row], truth.end[row] = states.WITHDRAWN, now
    state.passed_over = 0
    pool.leave_queue(state, len(rows))
    truth.in_sight, truth.stirred = state.in_queue, True
    rule.withdrawn(state, now, rows)
    return bool(sources.note_over(state, truth, now, rows))
