"""How many processors the starts of a pass may use."""

from __future__ import annotations

from thinktime.models.engine import gapped
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.machine_state import State


def overrunning(state: State, now: float) -> int:
    """How many jobs at the head of ``running`` have outlived their estimates and may be evicted."""
    n = 0
    if state.overrun == at.UNTIL_NEEDED:
        gapped.sort_in(state)
        for i in range(state.first_running, state.stop_running):
            if state.expected[i] > now:
                break
            n += not gapped.is_gap(state, i)
    return n


def available(state: State, skip: int) -> int:
    """How many processors starts may use: idle ones, and those of the first ``skip`` running jobs."""
    free: int = state.idle
    i = state.first_running
    while skip > 0:
        if not gapped.is_gap(state, i):
            free += state.processors[state.running[i]]
            skip -= 1
        i += 1
    return free


def used_up(state: State, left: int) -> bool:
    """Whether certainly no job finds room."""
    return bool(left <= 0)
