"""Questions of policies in Python: whether a job finds room at a time, and when its earliest fit is.

In the way are running jobs, windows, and what the policy has proposed so far in this pass: ``chosen`` rows that start
now, and ``gone`` rows of running jobs that leave at their ``notice``.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, keeping, room, trials
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def without(state: State, now: float, gone: Ints, times: Floats, free: Ints) -> int:
    """The profile of the running jobs, of which some leave; its length."""
    if state.changing:
        return without_chosen(state, now, gone, times, free)
    return without_overrunning(state, now, gone, times, free)


def without_overrunning(state: State, now: float, gone: Ints, times: Floats, free: Ints) -> int:
    """As `without`: those who leave do so by their expected ends."""
    return int(state.profiles.running_profile(state, now, room.overrunning(state, now), times, free))


def without_chosen(state: State, now: float, gone: Ints, times: Floats, free: Ints) -> int:
    """As `without`: victims leave at the end of their notice; those that are suspended may keep what they had."""
    if len(gone) == 0:
        return without_overrunning(state, now, gone, times, free)
    notice = arithmetic.taken(state.notice, gone)
    arithmetic.fill(state.notice, gone, INFINITY)
    state.victim_count = 0
    n = without_overrunning(state, now, gone, times, free)
    for i in range(len(gone)):
        row = gone[i]
        end, suspends = max(state.expected_end[row], now + state.grace), state.leaves[row] == of.SUSPENDED
        n = keeping.lift(state, times, free, n)
        n = state.profiles.send_off(state, row, profile_codes.GIVE, suspends, notice[i], end, times, free, n)
        state.notice[row] = notice[i]
        state.victim_count += 1
        n = keeping.lay(state, times, free, n)
    return int(n)


def answer(
    state: State, now: float, row: int, time: float, chosen: Ints, gone: Ints, times: Floats, free: Ints
) -> float:
    """Whether a job fits at a time, as 1 or 0; without one (NaN) its earliest fit, infinite for none.

    All jobs stay where they are planned to be.
    """
    used = state.spare.used
    rows = state.spare.whole(len(chosen) + 1)
    for i in range(len(chosen)):
        rows[i] = chosen[i]
    rows[len(chosen)] = row
    trials.number(state, free, len(times))
    n = without(state, now, gone, times, free)
    planned = trials.kept_places(state, rows)
    for i in range(len(chosen)):
        each = chosen[i]
        length = max(state.estimate[each], state.grace)
        state.profiles.fits_at(state, each, now, length, times, free, n)  # on nodes, it finds places
        n = state.profiles.book(state, each, profile_codes.TAKE, now, now + length, times, free, n)
    if time != time:
        found = state.profiles.earliest(state, row, state.estimate[row], times, free, n)
    else:
        found = 1.0 if state.profiles.fits_at(state, row, time, state.estimate[row], times, free, n) else 0.0
    trials.plan_again(state, rows, planned)
    state.spare.used = used
    return float(found)
