"""Questions of policies in Python: whether a job finds room at a time, and when its earliest fit is.

In the way are running jobs, windows, and what the policy has proposed so far in this pass: ``chosen`` rows that start
now, and ``gone`` rows of running jobs that leave at their ``notice``.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, keeping, room, shapes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.limits import growth
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import trials
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def without(state: State, now: float, gone: Ints, profile: Profile) -> None:
    """The profile of the running jobs, of which some leave."""
    if state.changing:
        without_chosen(state, now, gone, profile)
    else:
        without_overrunning(state, now, gone, profile)


def without_overrunning(state: State, now: float, gone: Ints, profile: Profile) -> None:
    """As `without`: those who leave do so by their expected ends."""
    state.profiles.running_profile(state, now, room.overrunning(state, now), profile)


def without_chosen(state: State, now: float, gone: Ints, profile: Profile) -> None:
    """As `without`: victims leave at the end of their notice; those that are suspended may keep what they had."""
    if len(gone) == 0:
        without_overrunning(state, now, gone, profile)
        return
    notice = arithmetic.taken(state.notice, gone)
    arithmetic.fill(state.notice, gone, INFINITY)
    state.victim_count = 0
    without_overrunning(state, now, gone, profile)
    for i in range(len(gone)):
        row = gone[i]
        end, suspends = max(state.expected_end[row], now + state.grace), state.leaves[row] == of.SUSPENDED
        keeping.lift(state, profile)
        state.profiles.send_off(state, row, profile_codes.GIVE, suspends, notice[i], end, profile)
        state.notice[row] = notice[i]
        state.victim_count += 1
        keeping.lay(state, profile)


def answer(state: State, now: float, row: int, time: float, chosen: Ints, gone: Ints) -> float:
    """Whether a job fits at a time, as 1 or 0; without one (NaN) its earliest fit, infinite for none.

    All jobs stay where they are planned to be.
    """
    used = state.spare.used
    rows = state.spare.whole(len(chosen) + 1)
    for i in range(len(chosen)):
        rows[i] = chosen[i]
    rows[len(chosen)] = row
    profile, skip = state.trial, room.overrunning(state, now)
    planned = trials.kept_places(state, rows)
    if state.on_nodes and skip > 0 and time == now and len(gone) == 0:
        found = 1.0 if fits_beside(state, now, row, chosen, skip) else 0.0
        trials.plan_again(state, rows, planned)
        state.spare.used = used
        return found
    without(state, now, gone, profile)
    _book(state, now, chosen, profile)
    if time != time:
        found = state.profiles.earliest(state, row, state.estimate[row], profile)
    else:
        found = 1.0 if state.profiles.fits_at(state, row, time, state.estimate[row], profile) else 0.0
    trials.plan_again(state, rows, planned)
    state.spare.used = used
    return float(found)


def _book(state: State, now: float, chosen: Ints, profile: Profile) -> None:
    """Jobs start now in a profile."""
    for i in range(len(chosen)):
        each = chosen[i]
        length = max(state.estimate[each], state.grace)
        state.profiles.fits_at(state, each, now, length, profile)  # on nodes, it finds places
        state.profiles.book(state, each, profile_codes.TAKE, now, now + length, profile)


def may_grow(state: State, now: float, row: int, place: int, chosen: Ints, gone: Ints) -> bool:
    """Whether a running job could grow beside what was chosen so far, if nobody else did."""
    until, more = shapes.end_with(state, row, now, place), state.form_sizes[place] - state.processors[row]
    if not shapes.may_last(state, row, until) or not growth.may_have(state, row, more, until, now):
        return False
    planned = trials.kept_places(state, chosen)
    without(state, now, gone, state.trial)
    _book(state, now, chosen, state.trial)
    fitting = shapes.has_room(state, row, place, until, state.trial)
    trials.plan_again(state, chosen, planned)
    return bool(fitting)


def grows(state: State, now: float, row: int, place: int, first: bool) -> bool:
    """Let a running job grow at the end of a pass, if it ends earlier so and what it needs more is free until then.

    For the ``first`` of a pass, what is free is looked at; after that, those that have grown have had their part.
    """
    if first:
        without_overrunning(state, now, state.out[:0], state.trial)
    until, more = shapes.end_with(state, row, now, place), state.form_sizes[place] - state.processors[row]
    if not shapes.may_last(state, row, until) or not growth.may_have(state, row, more, until, now):
        return False
    return shapes.grow_in(state, row, place, until, state.trial)


def fits_beside(state: State, now: float, row: int, chosen: Ints, skip: int) -> bool:
    """Whether a job fits now where jobs may be evicted: all are placed as at their starts, first on what is idle."""
    left, taken = state.room.begin_pass(state, skip), 0
    for i in range(len(chosen)):
        if not state.room.fits_now(state, chosen[i], left):
            break
        left = state.room.take_now(state, chosen[i], left)
        taken += 1
    fitting = taken == len(chosen) and state.room.fits_now(state, row, left)
    state.room.rewind(state, chosen[:taken])
    return bool(fitting)
