"""What runs are charged whose sizes may change, in budgets (`thinktime.models.engine.limits.budgets`).

The k-th *clock* is the integral of the signals by which a term is charged, or the time. ``budget_clocks`` has `OF_LINE`
numbers for each of its lines, which are those from ``budget_first[k]`` to before ``budget_first[k + 1]``: from a time
on, the clock is a sum, and grows. ``budget_weights`` has as many numbers for each row as ``budget_first``: what its run
is charged whatever its length, and then what it is charged per processor for a second of each clock.
``budget_earlier[row]`` is what the stages of its run that are over have been charged.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import budgets as budget_codes
from thinktime.models.engine.machine_state import State

INFINITY = math.inf
ENDLESS = budget_codes.ENDLESS
ROUNDED = budget_codes.ROUNDED


def clock_at(state: State, k: int, time: float) -> float:
    """What a clock is at a time."""
    low, high, lines = state.budget_first[k], state.budget_first[k + 1], state.budget_clocks
    while high - low > 1:
        middle = (low + high) // 2
        if lines[middle * budget_codes.OF_LINE + budget_codes.FROM] <= time:
            low = middle
        else:
            high = middle
    line = low * budget_codes.OF_LINE
    passed = time - lines[line + budget_codes.FROM]
    return float(lines[line + budget_codes.SUM] + lines[line + budget_codes.GROWTH] * passed)


def charge(state: State, row: int, size: int, begin: float, end: float) -> float:
    """What a job is charged for so many processors between two times (s)."""
    found, endless, width = 0.0, end - begin >= ENDLESS, len(state.budget_first)
    if endless:
        end = begin + ENDLESS
    for k in range(width - 1):
        weight = state.budget_weights[row * width + k + 1]
        if weight != 0.0:
            found += weight * size * (clock_at(state, k, end) - clock_at(state, k, begin))
    return INFINITY if endless and found > 0.0 else found


def price(state: State, row: int) -> None:
    """A waiting job would start with another size."""
    if state.budget_kind != budget_codes.NONE:
        once, begin = state.budget_weights[row * len(state.budget_first)], 0.0
        if state.budget_varies:
            begin = max(0.0, state.now)
        end = begin + state.estimate[row]
        state.budget_wanted[row] = once + charge(state, row, state.processors[row], begin, end)


def end_stage(state: State, row: int, now: float) -> None:
    """A stage of a run is over, and its size and its start are still known."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_earlier[row] += charge(state, row, state.processors[row], state.start[row], now)


def renew(state: State, row: int) -> None:
    """The run of a job has reserved what it will be charged as it is planned now."""
    if state.budget_kind != budget_codes.NONE:
        before = state.budget_wanted[row]
        wanted = _before(state, row) + _of_stage(state, row)
        state.budget_wanted[row], state.budget_asked = wanted, -INFINITY
        if wanted < INFINITY and before < INFINITY:
            state.budget_left[state.budget_account[row]] -= wanted - before


def may_grow(state: State, row: int, more: int, until: float, now: float) -> bool:
    """Whether a running job may have so many processors more until its end then: what is left is enough for that.

    A run that began in an earlier period goes by what is left of that one.
    """
    if state.budget_kind == budget_codes.NONE or state.budget_kind == budget_codes.LOWEST:
        return True
    account = state.budget_account[row]
    left = ROUNDED * state.budget_wanted[row] + state.budget_left[account] - state.budget_tried[account]
    extra = _extra(state, row, more, until, now)
    return bool(extra <= 0.0 or extra <= left)


def count_growth(state: State, row: int, more: int, until: float, now: float) -> None:
    """In a pass, count what a running job would have reserved beside if it grew."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_tried[state.budget_account[row]] += _extra(state, row, more, until, now)


def count_no_growth(state: State, row: int) -> None:
    """Growth in a pass is not counted any more."""
    if state.budget_kind != budget_codes.NONE:
        state.budget_tried[state.budget_account[row]] = 0.0


def _extra(state: State, row: int, more: int, until: float, now: float) -> float:
    """What a run would be charged beside what it has reserved, with so many processors more from now on."""
    size = state.processors[row]
    stages = charge(state, row, size, state.start[row], now) + charge(state, row, size + more, now, until)
    return _before(state, row) + stages - state.budget_wanted[row]


def _before(state: State, row: int) -> float:
    """What a run is charged beside its present stage."""
    return float(state.budget_weights[row * len(state.budget_first)] + state.budget_earlier[row])


def _of_stage(state: State, row: int) -> float:
    """What the present stage of a run, and the one that is known to follow, will be charged."""
    size, begin, end = state.processors[row], state.start[row], state.expected_end[row]
    if state.shrinks_at[row] < end:
        then = state.shrinks_at[row]
        smaller = state.form_sizes[state.shrinks_to[row]]
        return charge(state, row, size, begin, then) + charge(state, row, smaller, then, end)
    if state.insists[row] > 0:  # nobody knows for how long it stands still
        end = state.still_from[row]
    return charge(state, row, size, begin, end)
