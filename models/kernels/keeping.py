"""What suspended jobs keep from others where they keep all that they had (``suspended_holds=all``).

A suspended job keeps as many processors as it had, or on nodes those that it had there, for itself and for its
*keeper*, the job that preempted it, which uses them first. So a keeper and those it has sent away together occupy the
larger of what it uses and what they keep, and so on if the keeper is suspended in its turn. What running jobs use is in
profiles as ever; what is kept comes on top of it, and is *laid* over a profile for everybody. A job that is itself
concerned, as a suspended job or as a keeper, finds more, and looks at a copy of its own (`seen_by`).

Source: a job that Slurm suspends keeps its nodes from all but the job that preempts it. The count, where processors
have no places, is our decision.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.machine_state import INFINITY
from thinktime.models.kernels.profile import GIVE, TAKE
from thinktime.models.kernels.state_codes import RUNNING
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure

NOTHING, ALONE, INSIDE = -3, -2, -1
"""What a suspended job keeps at a time: nothing from a job that asks; or something by itself; or within what the
running job uses that sent it away."""


@kernel
def active(state: Structure) -> bool:
    """Whether any job keeps, or is about to keep, what it had."""
    situation = state.situation
    return bool(situation[of.KEEPS_ALL] and situation[of.SET_ASIDE] + situation[of.LEAVING] + situation[of.VICTIMS] > 0)


@kernel
def will_keep(state: Structure, row: int) -> bool:
    """Whether a running job is under notice and will be suspended, unless it ends by itself before."""
    if state.notice[row] == INFINITY or state.leaves[row] != of.SUSPENDED:
        return False
    own = max(state.start[row] + state.estimate[row], state.when[of.NOW] + state.clock[at.GRACE])
    return bool(own > state.notice[row])


@kernel
def _keeping(state: Structure) -> Ints:
    """Jobs that are suspended, or will be."""
    situation, n = state.situation, 0
    rows = np.empty(situation[of.SET_ASIDE] + situation[of.LEAVING] + situation[of.VICTIMS], np.int64)
    for row in state.kept[: situation[of.SET_ASIDE]]:
        rows[n] = row
        n += 1
    for row in state.leaving[: situation[of.LEAVING]]:
        if will_keep(state, row):
            rows[n] = row
            n += 1
    for row in state.victims[: situation[of.VICTIMS]]:
        if will_keep(state, row):
            rows[n] = row
            n += 1
    return rows[:n]


@kernel
def concerns(state: Structure, row: int) -> bool:
    """Whether a job is suspended, or has sent away one that is, or will be."""
    if not active(state):
        return False
    found = state.suspended[row] > 0
    for other in _keeping(state):
        found = found or state.keeper[other] == row
    return bool(found)


@kernel
def _keeps_at(state: Structure, row: int, time: float) -> bool:
    """Whether a job keeps what it had at a time: once it has left, until it is planned to go on."""
    if state.suspended[row] > 0:
        return bool(time < state.booked[row])
    return bool(time >= state.notice[row])


@kernel
def _presence(state: Structure, row: int) -> tuple[float, float]:
    """From when to when a job runs, as it is planned at this moment."""
    if state.booked[row] < INFINITY or state.state[row] != RUNNING:
        return state.booked[row], state.booked_until[row]
    end = max(state.expected_end[row], state.when[of.NOW] + state.clock[at.GRACE])
    return -INFINITY, min(end, state.notice[row])


@by_kind
def add_processors(state: Structure, row: int, table: IntTable) -> None:
    """Add what a job has; a pool is a single node."""
    table[0, 0] += state.processors[row]


@by_kind
def places(state: Structure) -> int:
    """How many nodes there are."""
    return 1


@kernel
def _above(state: Structure, rows: Ints, asker: int, time: float) -> Ints:
    """For each of ``rows`` the place of its keeper if this keeps something itself at that time, else a code."""
    above = np.full(rows.size, ALONE)
    for i in range(rows.size):
        keeper = state.keeper[rows[i]]
        if rows[i] == asker or not _keeps_at(state, rows[i], time) or of.NOBODY < keeper == asker:
            above[i] = NOTHING
            continue
        for j in range(rows.size):
            if rows[j] == keeper and _keeps_at(state, keeper, time):
                above[i] = j
        if above[i] == ALONE and keeper != of.NOBODY:
            begin, end = _presence(state, keeper)
            above[i] = INSIDE if begin <= time < end else ALONE
    return above


@kernel
def _lowest_first(above: Ints) -> Ints:
    """Places in an order in which those that a job has sent away come before it."""
    n, k = above.size, 0
    order, below, done = np.empty(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for place in above:
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


@kernel
def kept_at(state: Structure, asker: int, time: float) -> IntTable:
    """What is kept from a job, or from everybody (``NOBODY``), on each node beside what running jobs use."""
    rows, size = _keeping(state), places(state)
    above, kept, own = _above(state, rows, asker, time), np.zeros((size, 1), np.int64), np.zeros((size, 1), np.int64)
    behind = np.zeros((rows.size, size), np.int64)  # what those keep whom a job has sent away
    inside = np.zeros((rows.size, size), np.int64)  # the same for a running job, in the place of the first of those
    for i in _lowest_first(above):
        if above[i] == NOTHING:
            continue
        first, own[:] = i, 0
        add_processors(state, rows[i], own)
        for j in range(i - 1, -1, -1):
            if state.keeper[rows[j]] == state.keeper[rows[i]]:
                first = j
        for v in range(size):
            amount = max(own[v, 0], behind[i, v])
            if above[i] == ALONE:
                kept[v, 0] += amount
            elif above[i] == INSIDE:
                inside[first, v] += amount
            else:
                behind[above[i], v] += amount
    for i in range(rows.size):
        if inside[i].any():
            own[:] = 0
            add_processors(state, state.keeper[rows[i]], own)
            for v in range(size):
                kept[v, 0] += max(0, inside[i, v] - own[v, 0])
    return kept


@kernel
def change_now(state: Structure, sign: int, asker: int, time: float, free: IntTable) -> None:
    """Take what is kept at a time from what nodes have left, or give it back."""
    if active(state):
        kept = kept_at(state, asker, time)
        for v in range(kept.shape[0]):
            free[v, 0] += sign * kept[v, 0]


@by_kind
def step_at(state: Structure, time: float, times: Floats, free: Ints, n: int) -> int:
    """Let a step of a profile begin at a time; the new length."""
    return n


@by_kind
def change_step(state: Structure, i: int, sign: int, kept: IntTable, free: Ints) -> None:
    """Take what is kept from a step of a profile, or give it back."""


@by_kind
def copied_profile(state: Structure, times: Floats, free: Ints, n: int, more: int) -> tuple[Floats, Ints]:
    """A copy of a profile with room for more steps."""
    return times, free


@kernel
def _change(state: Structure, sign: int, asker: int, times: Floats, free: Ints, n: int) -> int:
    """Take what is kept from a profile, or give it back; its new length."""
    now = times[0]
    for row in _keeping(state):
        edge = state.booked[row] if state.suspended[row] > 0 else state.notice[row]
        if now < edge < INFINITY:
            n = step_at(state, edge, times, free, n)
        if state.keeper[row] != of.NOBODY:
            begin, end = _presence(state, state.keeper[row])
            if now < begin < INFINITY:
                n = step_at(state, begin, times, free, n)
            if now < end < INFINITY:
                n = step_at(state, end, times, free, n)
    for i in range(n):
        change_step(state, i, sign, kept_at(state, asker, times[i]), free)
    return n


@kernel
def lay(state: Structure, times: Floats, free: Ints, n: int) -> int:
    """Take what is kept from a profile; its new length."""
    return _change(state, TAKE, of.NOBODY, times, free, n) if active(state) else n


@kernel
def lift(state: Structure, times: Floats, free: Ints, n: int) -> int:
    """Give what is kept back to a profile, before anything changes that it depends on; its new length."""
    return _change(state, GIVE, of.NOBODY, times, free, n) if active(state) else n


@kernel
def seen_by(state: Structure, row: int, times: Floats, free: Ints, n: int) -> tuple[Floats, Ints, int]:
    """A copy of a profile as a job finds it that is concerned."""
    own_times, own_free = copied_profile(state, times, free, n, 6 * _keeping(state).size)
    n = _change(state, GIVE, of.NOBODY, own_times, own_free, n)
    return own_times, own_free, _change(state, TAKE, row, own_times, own_free, n)


@kernel
def forget_bookings(state: Structure) -> None:
    """A new plan is made."""
    if active(state):
        for row in _keeping(state):
            book_nothing(state, row)
            if state.keeper[row] != of.NOBODY:
                book_nothing(state, state.keeper[row])


@kernel
def book_nothing(state: Structure, row: int) -> None:
    """A job is not planned."""
    state.booked[row], state.booked_until[row] = INFINITY, -INFINITY


@kernel
def note_booking(state: Structure, row: int, sign: int, begin: float, end: float) -> None:
    """A job is planned to run at that time, or is not any more."""
    if sign == TAKE:
        state.booked[row], state.booked_until[row] = begin, end
    else:
        book_nothing(state, row)
