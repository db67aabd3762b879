"""Running jobs that would have more processors keep to the limits of a site, and to budgets."""

from __future__ import annotations

from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.limits import limits, prices
from thinktime.models.engine.machine_state import State


def may_have(state: State, row: int, more: int, until: float, now: float) -> bool:
    """Whether limits and budgets leave room for so many processors more of a running job, which would end then."""
    if not state.limited:
        return True
    group, entries = limits.group_of(state, row), state.limit_entries
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m, resource = entries[e + limits_codes.METER] * limits_codes.OF_METER, entries[e + limits_codes.RESOURCE]
        asked = limits.amount(state, row, resource) * more / state.processors[row]
        holds = resource != limits_codes.ONE and entries[e + limits_codes.HOLDS] > 0 and asked > 0.0
        if holds and not limits.is_met(state, m, row, asked, now):
            return False
    return prices.may_grow(state, row, more, until, now)
