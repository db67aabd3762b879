"""Waiting jobs that endless windows leave no room for."""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, pool
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import capped_profile, changing_profile
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def leave_hopeless_queue(state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
    """As `leave_hopeless`: refuse waiting jobs that endless windows leave no room for, and kill those that have run."""
    if state.endless == 0 and state.power_endless == 0:  # mostly: a copy of no rows took a third of the time on CM5
        return False
    rows = arithmetic.rows_copied(hopeless_rows(state, truth, now))
    if len(rows) == 0:
        return False
    rule.withdrawn(state, now, rows)
    return bool(sources.note_over(state, truth, now, rows))


def hopeless_rows(state: State, truth: Truth, now: float) -> Ints:
    """Take waiting jobs out of the queue that could never start any more, in ``scratch``."""
    k = 0
    for i in range(state.head, state.head + state.in_queue):
        row = state.waiting[i]
        processors = state.endless > 0 and state.changes.never_starts(state, row, now)
        if processors or (state.power_endless > 0 and never_has_power(state, row, now)):
            state.scratch[k] = row
            k += 1
    for i in range(k):
        row = state.scratch[i]
        state.changes.let_go(state, row)
        state.state[row] = states.KILLED if state.runs[row] > 0 else states.REFUSED
        truth.end[row] = now
    if k > 0:
        state.passed_over = 0
        pool.leave_queue(state, k)
    return state.scratch[:k]


def never_starts(state: State, row: int, now: float) -> bool:
    """Whether a job would find no room on the machine if it were idle and up, beside the windows that are known."""
    processors = state.machine_size
    if state.processors[row] + state.endless <= processors:
        return False
    changing_profile.window_profile(state, now, processors, state.trial)
    return bool(changing_profile.earliest_fit(state, row, state.estimate[row], -INFINITY, state.trial) == INFINITY)


def never_has_power(state: State, row: int, now: float) -> bool:
    """Whether caps without end leave a job too few watts, and the time before them is too short for it."""
    draw = capped_profile.draw_of(state, row)
    if draw + state.power_endless <= state.power_cap:
        return False
    own = capped_profile.power_of(state.trial)
    own.begin(now, 1)
    own.free[0] = state.power_cap
    capped_profile.withhold(state, at.ZERO, state.known_count, now, own)
    return own.earliest_fit(draw, state.estimate[row]) == INFINITY
