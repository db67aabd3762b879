"""What suspended jobs keep from others where they keep all that they had (``suspended_holds=all``).

A suspended job keeps as many processors as it had, or on nodes those that it had there, for itself and for its
*keeper*, the job that preempted it, which uses them first. So a keeper and those it has sent away together occupy the
larger of what it uses and what they keep, and so on if the keeper is suspended in its turn. What running jobs use is in
profiles as ever; what is kept comes on top of it, and is *laid* over a profile for all jobs. A job that is itself
concerned, as a suspended job or as a keeper, finds more, and looks at a copy of its own (`seen_by`).

Source: a job that Slurm suspends keeps its nodes from all but the job that preempts it. The count, where processors
have no places, is our decision.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine.codes import keeping as keeping_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.workloads.arrays import Ints, IntTable

INFINITY = math.inf


def active(state: State) -> bool:
    """Whether any job keeps, or is about to keep, what it had."""
    return bool(state.keeps_all and state.set_aside + state.leaving_count + state.victim_count > 0)


def will_keep(state: State, row: int) -> bool:
    """Whether a running job is under notice and will be suspended, unless it ends by itself before."""
    if state.notice[row] == INFINITY or state.leaves[row] != of.SUSPENDED:
        return False
    own = max(state.start[row] + state.estimate[row], state.now + state.grace)
    return bool(own > state.notice[row])


def _keeping(state: State) -> Ints:
    """Jobs that are suspended, or will be."""
    n = 0
    rows = state.spare.whole(state.set_aside + state.leaving_count + state.victim_count)
    for i in range(state.set_aside):
        row = state.kept[i]
        rows[n] = row
        n += 1
    for i in range(state.leaving_count):
        row = state.leaving[i]
        if will_keep(state, row):
            rows[n] = row
            n += 1
    for i in range(state.victim_count):
        row = state.victims[i]
        if will_keep(state, row):
            rows[n] = row
            n += 1
    return rows[:n]


def concerns(state: State, row: int) -> bool:
    """Whether a job is suspended, or has sent away one that is, or will be."""
    if not active(state):
        return False
    found, before = state.suspended[row] > 0, state.spare.used
    others_here = _keeping(state)
    for i in range(len(others_here)):
        other = others_here[i]
        found = found or state.keeper[other] == row
    state.spare.used = before
    return bool(found)


def _keeps_at(state: State, row: int, time: float) -> bool:
    """Whether a job keeps what it had at a time: once it has left, until it is planned to go on."""
    if state.suspended[row] > 0:
        return bool(time < state.booked[row])
    return bool(time >= state.notice[row])


def _presence(state: State, row: int) -> tuple[float, float]:
    """From when to when a job runs, as it is planned at this moment."""
    if state.booked[row] < INFINITY or state.state[row] != states.RUNNING:
        return state.booked[row], state.booked_until[row]
    end = max(state.expected_end[row], state.now + state.grace)
    return -INFINITY, min(end, state.notice[row])


def _above(state: State, rows: Ints, asker: int, time: float) -> Ints:
    """For each of ``rows`` the place of its keeper if this keeps something itself at that time, else a code."""
    above = state.spare.whole(len(rows))
    for i in range(len(rows)):
        keeper, above[i] = state.keeper[rows[i]], keeping_codes.ALONE
        if rows[i] == asker or not _keeps_at(state, rows[i], time) or of.NOBODY < keeper == asker:
            above[i] = keeping_codes.NOTHING
            continue
        for j in range(len(rows)):
            if rows[j] == keeper and _keeps_at(state, keeper, time):
                above[i] = j
        if above[i] == keeping_codes.ALONE and keeper != of.NOBODY:
            begin, end = _presence(state, keeper)
            above[i] = keeping_codes.INSIDE if begin <= time < end else keeping_codes.ALONE
    return above


def _lowest_first(state: State, above: Ints) -> Ints:
    """Places in an order in which those that a job has sent away come before it."""
    n, k = len(above), 0
    order, below, done = state.spare.whole(n), state.spare.zeros(n), state.spare.zeros(n)
    for j in range(len(above)):
        place = above[j]
        if place >= 0:
            below[place] += 1
    while k < n:
        chosen = -1
        for i in range(n - 1, -1, -1):  # jobs that a policy lets send each other away are taken as they come
            if not done[i] and (chosen < 0 or below[i] == 0 or below[chosen] > 0):
                chosen = i
        order[k], done[chosen], k = chosen, 1, k + 1
        if above[chosen] >= 0:
            below[above[chosen]] -= 1
    return order


def kept_at(state: State, asker: int, time: float) -> IntTable:
    """What is kept from a job, or from everybody (``NOBODY``), on each node beside what running jobs use."""
    rows, size = _keeping(state), state.profiles.places(state)
    above, kept, own = _above(state, rows, asker, time), np.zeros((size, 1), np.int64), np.zeros((size, 1), np.int64)
    behind = np.zeros((len(rows), size), np.int64)  # what those keep whom a job has sent away
    inside = np.zeros((len(rows), size), np.int64)  # the same for a running job, in the place of the first of those
    is_here = _lowest_first(state, above)
    for k in range(len(is_here)):
        i = is_here[k]
        if above[i] == keeping_codes.NOTHING:
            continue
        first, own[:, :] = i, 0
        state.profiles.add_processors(state, rows[i], own)
        for j in range(i - 1, -1, -1):
            if state.keeper[rows[j]] == state.keeper[rows[i]]:
                first = j
        for v in range(size):
            amount = max(own[v, 0], behind[i, v])
            if above[i] == keeping_codes.ALONE:
                kept[v, 0] += amount
            elif above[i] == keeping_codes.INSIDE:
                inside[first, v] += amount
            else:
                behind[above[i], v] += amount
    for i in range(len(rows)):
        some = False
        for v in range(size):
            some = some or inside[i, v] != 0
        if some:
            own[:, :] = 0
            state.profiles.add_processors(state, state.keeper[rows[i]], own)
            for v in range(size):
                kept[v, 0] += max(0, inside[i, v] - own[v, 0])
    return kept


def change_now(state: State, sign: int, asker: int, time: float, free: IntTable) -> None:
    """Take what is kept at a time from what nodes have left, or give it back."""
    if active(state):
        before = state.spare.used
        kept = kept_at(state, asker, time)
        for v in range(kept.shape[0]):
            free[v, 0] += sign * kept[v, 0]
        state.spare.used = before


def _change(state: State, sign: int, asker: int, profile: Profile) -> None:
    """Take what is kept from a profile, or give it back."""
    now, before = profile.times[0], state.spare.used
    rows_here = _keeping(state)
    for j in range(len(rows_here)):
        row = rows_here[j]
        edge = state.booked[row] if state.suspended[row] > 0 else state.notice[row]
        if now < edge < INFINITY:
            state.profiles.step_at(state, edge, profile)
        if state.keeper[row] != of.NOBODY:
            begin, end = _presence(state, state.keeper[row])
            if now < begin < INFINITY:
                state.profiles.step_at(state, begin, profile)
            if now < end < INFINITY:
                state.profiles.step_at(state, end, profile)
    for i in range(profile.n):
        state.profiles.change_step(state, i, sign, kept_at(state, asker, profile.times[i]), profile)
    state.spare.used = before


def lay(state: State, profile: Profile) -> None:
    """Take what is kept from a profile."""
    if active(state):
        _change(state, profile_codes.TAKE, of.NOBODY, profile)


def lift(state: State, profile: Profile) -> None:
    """Give what is kept back to a profile, before anything changes that it depends on."""
    if active(state):
        _change(state, profile_codes.GIVE, of.NOBODY, profile)


def seen_by(state: State, row: int, profile: Profile) -> Profile:
    """A profile as a job finds it: one that is concerned has a copy of its own, until the next one asks."""
    if not concerns(state, row):
        return profile
    own = state.own_view
    state.profiles.copy_profile(state, profile, own)
    _change(state, profile_codes.GIVE, of.NOBODY, own)
    _change(state, profile_codes.TAKE, row, own)
    return own


def forget_bookings(state: State) -> None:
    """A new plan is made."""
    if active(state):
        before = state.spare.used
        rows_here = _keeping(state)
        for i in range(len(rows_here)):
            row = rows_here[i]
            book_nothing(state, row)
            if state.keeper[row] != of.NOBODY:
                book_nothing(state, state.keeper[row])
        state.spare.used = before


def book_nothing(state: State, row: int) -> None:
    """A job is not planned."""
    state.booked[row], state.booked_until[row] = INFINITY, -INFINITY


def note_booking(state: State, row: int, sign: int, begin: float, end: float) -> None:
    """A job is planned to run at that time, or is not any more."""
    if sign == profile_codes.TAKE:
        state.booked[row], state.booked_until[row] = begin, end
    else:
        book_nothing(state, row)
