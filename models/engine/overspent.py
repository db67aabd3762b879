"""Waiting jobs that are refused: too little of their budgets is left (`thinktime.models.engine.limits.budgets`)."""

from __future__ import annotations

from thinktime.models.engine import arithmetic, pool
from thinktime.models.engine.codes import budgets as budget_codes
from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.limits import budgets, entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints


def refuse(state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
    """Refuse them before a pass; true if somebody may react."""
    if state.budget_kind == budget_codes.NONE or state.budget_kind == budget_codes.LOWEST:
        return False
    rows = arithmetic.rows_copied(leave_refused(state, truth, now))
    if len(rows) == 0:
        return False
    rule.withdrawn(state, now, rows)
    return bool(sources.note_over(state, truth, now, rows))


def leave_refused(state: State, truth: Truth, now: float) -> Ints:
    """Take them out of the queue, in ``scratch``. What would follow them is not submitted."""
    k = 0
    for i in range(state.head, state.head + state.in_queue):
        row = state.waiting[i]
        first, stop = entry_rows.entries_of(state, row)
        refused = True
        for each in range(first, stop):
            refused = refused and budgets.is_refused(state, each)
        if refused:
            state.scratch[k] = row
            k += 1
    for i in range(k):
        row = state.scratch[i]
        state.state[row], truth.end[row] = states.REFUSED, now
        state.limit_note[row] = -limits_codes.REFUSES - limits_codes.SPENDS
        if row < len(truth.following):
            then = truth.following[row]
            truth.following[row] = -1
            while then >= 0:
                truth.to_come -= 1
                then = truth.following[then]
    if k > 0:
        state.passed_over = 0
        pool.leave_queue(state, k)
    return state.scratch[:k]
