"""The situation of a machine that changes: what windows are known, who is admitted, what is held.

Window w has ``amount[w]`` processors on [``opens[w]``, ``closes[w]``). ``known[:n]`` are those that are announced and
not over, by (begin, number). It admits the users with the codes ``users[first_user[w]:first_user[w + 1]]`` and the jobs
with the numbers ``ids[first_id[w]:first_id[w + 1]]``, or nobody. ``slot[w]`` is -1 if it admits nobody; of windows that
admit somebody, no two with one slot are open at one time. What such a window holds is what jobs that it admits do not
use: ``remaining[w]``, in the course of a pass. ``manner[w]`` says what happens to jobs in its way. Below a cap on
power, it takes ``window_watts[w]`` off the cap, 2⁻¹⁰ W; a window may do that alone.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def admits(state: State, window: int, row: int) -> bool:
    """Whether a window admits a job."""
    found = False
    for i in range(state.first_user[window], state.first_user[window + 1]):
        found = found or state.users[i] == state.user[row]
    for i in range(state.first_id[window], state.first_id[window + 1]):
        found = found or state.ids[i] == state.id[row]
    return found


def is_open(state: State, window: int) -> bool:
    """Whether a known window is open now."""
    return bool(state.opens[window] <= state.now < state.closes[window])


def admitted_now(state: State, row: int) -> bool:
    """Whether a window that is open now admits a job."""
    if state.open_for_some == 0:
        return False
    for i in range(state.known_count):
        window = state.known[i]
        if state.slot[window] != of.NOBODY and is_open(state, window) and admits(state, window, row):
            return True
    return False


def next_return(state: State) -> float:
    """When the next job leaves that is under notice, or comes back into the queue; now for another round."""
    time = state.now if state.again else INFINITY
    for i in range(state.leaving_count):
        row = state.leaving[i]
        time = min(time, state.notice[row])
    for i in range(state.shrinking_count):
        time = min(time, state.shrinks_at[state.shrinking[i]])
    for i in range(state.delayed_count):
        row = state.delayed[i]
        if state.state[row] == states.FUTURE:
            time = min(time, state.ready[row])
    return float(time)


def drop(rows: Ints, count: int, row: int) -> int:
    """Take a row out of a short list; the new length."""
    n = 0
    for i in range(count):
        rows[n] = rows[i]
        n += rows[i] != row
    return n


def begin_run(state: State, row: int) -> None:
    """A job starts another run on a machine that changes."""
    if state.runs[row] == 0:
        state.first_start[row] = state.start[row]
    state.booked[row], state.booked_until[row] = INFINITY, -INFINITY


def end_run(state: State, row: int) -> None:
    """A job ends or leaves, and is not under notice any more."""
    if state.notice[row] < INFINITY:
        state.notice[row] = INFINITY
        state.leaving_count = drop(state.leaving, state.leaving_count, row)
    if state.shrinking_count > 0:
        state.shrinking_count = drop(state.shrinking, state.shrinking_count, row)
    if state.asking_count > 0:
        state.asking_count = drop(state.asking, state.asking_count, row)


def set_aside(state: State, row: int) -> None:
    """A job is suspended, and keeps something."""
    state.suspended[row] = 1
    state.kept[state.set_aside] = row
    state.set_aside += 1


def go_on(state: State, row: int) -> None:
    """A job is not suspended any more."""
    if state.suspended[row] > 0:
        state.suspended[row] = 0
        state.set_aside = drop(state.kept, state.set_aside, row)


def look_ahead(state: State, now: float) -> None:
    """Note what is held now, and when a known change comes next."""
    state.now, state.next_hold, state.next_known = now, INFINITY, INFINITY
    state.open_for_some = state.held_by_windows = state.endless = 0
    state.power_held = state.power_endless = 0
    for j in range(state.known_count):
        window = state.known[j]
        if state.opens[window] > now:
            state.next_hold = min(state.next_hold, state.opens[window])
        elif state.slot[window] == of.NOBODY:
            state.held_by_windows += state.amount[window]
        else:
            state.open_for_some += 1
        if state.opens[window] <= now:
            state.power_held += state.window_watts[window]
        state.next_known = min(state.next_known, state.closes[window])
        if state.closes[window] == INFINITY:
            state.endless += state.amount[window]
            state.power_endless += state.window_watts[window]
    state.next_known = min(state.next_known, state.next_hold)
    if state.repairs_told:
        for i in range(state.down):
            processor = state.broken[i]
            state.next_known = min(state.next_known, state.back[processor])
