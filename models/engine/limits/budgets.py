"""Budgets: what the owner of a job may still be charged in this period (`thinktime.models.site.budget`).

``budget_owner[row]`` is the number of a job's owner, and of the account of this owner in this period, which lasts until
``budget_until``. Behind these are the accounts of earlier periods in which runs began that go on;
``budget_account[row]`` is that of a run. ``budget_whole`` is what there is for an account, and ``budget_left`` what its
runs have neither been charged nor reserved. ``budget_tried`` is what the starts counted so far in a pass would reserve,
and 0 between passes. ``budget_kind`` says what happens to jobs for which too little is left; ``budget_lows`` of those
that wait come last for it since the last pass.

``budget_wanted[row]`` is the charge of a run that starts now and is as long as planned; if the job runs, it is what its
run has reserved. ``budget_opens[row]`` is when time alone leaves enough for it, if ``budget_varies``: then charges vary
with the time, and those that are wanted are for ``budget_asked``. What a run is charged whose size may change is said
in `thinktime.models.engine.limits.prices`.

The rows of the ``budget_ended`` runs that have ended are in ``budget_over``, with the ``budget_size`` of their last
stages, from ``budget_begin`` to ``budget_end``, until Python, which knows the charge, has settled them
(`thinktime.models.machine.limits.spending`): it is asked before a pass.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import budgets as budget_codes
from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.machine_state import State

INFINITY = math.inf


def is_due(state: State, now: float) -> bool:
    """Whether Python has to be asked before a pass: a run has ended, a period begins, or charges vary."""
    if state.budget_kind == budget_codes.NONE:
        return False
    varies = state.budget_varies and (state.in_queue > 0 or state.shaped) and state.budget_asked != now
    return bool(state.budget_ended > 0 or state.budget_until <= now or varies)


def is_within(state: State, row: int) -> bool:
    """Whether enough is left for a job that starts now."""
    if state.budget_kind == budget_codes.NONE:
        return True
    owner = state.budget_owner[row]
    return bool(state.budget_wanted[row] <= state.budget_left[owner] - state.budget_tried[owner])


def keeps_back(state: State, row: int) -> bool:
    """Whether its budget keeps a job from starting now."""
    return state.budget_kind != budget_codes.LOWEST and not is_within(state, row)


def falls(state: State, row: int) -> bool:
    """Whether the starts before it in a pass, or a size that costs more, let a job come last that did not."""
    if state.budget_kind != budget_codes.LOWEST or state.limit_bar[row] & limits_codes.LOW:
        return False
    return not is_within(state, row)


def rank(state: State, row: int) -> bool:
    """Note whether a waiting job comes last; true if it does from now on."""
    if state.budget_kind != budget_codes.LOWEST:
        return False
    before = state.limit_bar[row] & limits_codes.LOW
    if is_within(state, row):
        state.limit_bar[row] &= ~limits_codes.LOW
        return False
    state.limit_bar[row] |= limits_codes.LOW
    state.budget_lows += 1
    return before == 0


def is_beyond(state: State, row: int) -> bool:
    """Whether its budget never leaves enough for a job with its size, which is so for good: charges do not vary."""
    if state.budget_kind == budget_codes.NONE or state.budget_kind == budget_codes.LOWEST or state.budget_varies:
        return False
    return bool(state.budget_wanted[row] > state.budget_whole[state.budget_owner[row]])


def is_refused(state: State, row: int) -> bool:
    """Whether a job is refused: it may not start now, and has no run; or no period ever has enough for it."""
    if not keeps_back(state, row) or state.budget_marks[row] & budget_codes.BEGUN:
        return False
    if state.budget_kind == budget_codes.REFUSE:
        return True
    if state.budget_varies:
        return bool(state.budget_marks[row] & budget_codes.HOPELESS)
    return bool(state.budget_wanted[row] > state.budget_whole[state.budget_owner[row]])


def opening(state: State, row: int) -> float:
    """When time alone leaves enough for a job; infinite for never."""
    if state.budget_varies:
        return float(state.budget_opens[row])
    if state.budget_wanted[row] > state.budget_whole[state.budget_owner[row]]:
        return INFINITY
    return float(state.budget_until)


def count_start(state: State, row: int) -> None:
    """A pass would start a job."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_tried[state.budget_owner[row]] += state.budget_wanted[row]


def count_no_start(state: State, row: int) -> None:
    """Starts of a pass are not counted any more."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_tried[state.budget_owner[row]] = 0.0


def reserve(state: State, row: int) -> None:
    """A job starts: the charge of its run is reserved."""
    if state.budget_kind != budget_codes.NONE:
        owner = state.budget_owner[row]
        state.budget_account[row] = owner
        state.budget_left[owner] -= state.budget_wanted[row]
        state.budget_marks[row] |= budget_codes.BEGUN
        state.budget_earlier[row] = 0.0
        state.budget_asked = -INFINITY  # less is left for others


def end_run(state: State, row: int, now: float) -> None:
    """A run has ended, which is to be settled; its start is still known."""
    if state.budget_kind != budget_codes.NONE:
        n = state.budget_ended
        state.budget_over[n], state.budget_begin[n], state.budget_end[n] = row, state.start[row], now
        state.budget_size[n] = state.processors[row]
        state.budget_ended += 1


def count_as(state: State, row: int, entry: int) -> None:
    """A job starts through one of its entries, with the charge of this partition."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_wanted[row] = state.budget_wanted[entry]
        width = len(state.budget_first)
        for k in range(width):
            state.budget_weights[row * width + k] = state.budget_weights[entry * width + k]
