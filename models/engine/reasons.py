"""Why jobs wait, on request: for each job the reason why it did not start at the last pass that found it waiting."""

from __future__ import annotations

from thinktime.models.engine import pool, room
from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.limits import entry_rows, limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth


def explain(state: State, truth: Truth, now: float) -> None:
    """After the starts of a pass: a job is beyond a limit, has no room, or has the reason of this rule for the others.

    ``truth.limit`` is the limit, as `binding` says it, of the first of the job's entries that may start some day.
    """
    queue = pool.queue_of(state)
    if len(queue) == 0:
        return
    left, beyond = state.room.what_is_left(state, queue[0], now), state.limited
    for i in range(len(queue)):
        row = queue[i]
        reason = states.LIMIT if beyond else states.NO_ROOM
        first, stop = entry_rows.entries_of(state, row)
        for each in range(first, stop):
            limit = limits.binding(state, each, now) if beyond else limits_codes.UNBOUND
            if each == first or truth.limit[row] == -limits_codes.NEVER:
                truth.limit[row] = limit
            if limit != limits_codes.UNBOUND:
                continue
            if state.room.has_room(state, each, left):
                reason = truth.explained
                break
            reason = states.NO_ROOM
        truth.reason[row] = reason
    state.room.forget_what_is_left(state)


def what_is_left(state: State, first: int, now: float) -> int:
    """What the starts of a pass have left, to ask about the ``first`` job that waits and all others."""
    return state.room.copied(state, first, state.room.begin_pass(state, room.overrunning(state, now)))


def has_room(state: State, row: int, left: int) -> bool:
    """Whether there is room for a job in what is left."""
    return state.room.fits(state, row, left)


def forget_what_is_left(state: State) -> None:
    """All have been asked about."""
