"""Limits that a job would pass even if nothing else ran: those on what may run at once."""

from __future__ import annotations

from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State


def could_be_within(state: State, row: int) -> bool:
    """Whether limits on what may run at once leave room for a job if nothing else runs."""
    group, entries = limits.group_of(state, row), state.limit_entries
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m = entries[e + limits_codes.METER] * limits_codes.OF_METER
        asked = limits.amount(state, row, entries[e + limits_codes.RESOURCE])
        at_once = state.limit_meters[m + limits_codes.KIND] == limits_codes.AT_ONCE
        if entries[e + limits_codes.HOLDS] and at_once and asked > state.limit_meters[m + limits_codes.MOST]:
            return False
    return True
