"""Questions of policies in Python: whether a job finds room at a time, and when its earliest fit is.

In the way are running jobs, windows, and what the policy has proposed so far in this pass: ``chosen`` rows that start
now, and ``gone`` rows of running jobs that leave at their ``notice``.
"""

import numpy as np

from thinktime.models.kernels import keeping, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.models.kernels.room import overrunning
from thinktime.models.kernels.trials import kept_places, number, plan_again
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, usual, written_for
from thinktime.workloads.structures import Structure


@by_kind
def without(state: Structure, now: float, gone: Ints, times: Floats, free: Ints) -> int:
    """The profile of the running jobs, of which some leave; its length."""
    return int(profile.running_profile(state, now, overrunning(state, now), times, free))


usual_without = usual(without)


@written_for(CHANGING, without)
def without_chosen(state: Structure, now: float, gone: Ints, times: Floats, free: Ints) -> int:
    """At their notice; those that are suspended may keep what they had."""
    situation, notice = state.situation, state.notice[gone]
    if gone.size == 0:
        return usual_without(state, now, gone, times, free)
    state.notice[gone], situation[of.VICTIMS] = INFINITY, 0
    n = usual_without(state, now, gone, times, free)
    for i in range(gone.size):
        row = gone[i]
        end, suspends = max(state.expected_end[row], now + state.clock[at.GRACE]), state.leaves[row] == of.SUSPENDED
        n = keeping.lift(state, times, free, n)
        n = profile.send_off(state, row, profile.GIVE, suspends, notice[i], end, times, free, n)
        state.notice[row] = notice[i]
        situation[of.VICTIMS] += 1
        n = keeping.lay(state, times, free, n)
    return int(n)


@kernel
def answer(
    state: Structure, now: float, row: int, time: float, chosen: Ints, gone: Ints, times: Floats, free: Ints
) -> float:
    """Whether a job fits at a time, as 1 or 0; without one (NaN) its earliest fit, infinite for none.

    All jobs stay where they are planned to be.
    """
    rows = np.empty(chosen.size + 1, np.int64)
    rows[:-1], rows[-1] = chosen, row
    number(state, free, times.size)
    n = without(state, now, gone, times, free)
    planned = kept_places(state, rows)
    for each in chosen:
        length = max(state.estimate[each], state.clock[at.GRACE])
        profile.fits_at(state, each, now, length, times, free, n)  # on nodes, it finds places
        n = profile.book(state, each, profile.TAKE, now, now + length, times, free, n)
    if time != time:
        found = profile.earliest(state, row, state.estimate[row], times, free, n)
    else:
        found = 1.0 if profile.fits_at(state, row, time, state.estimate[row], times, free, n) else 0.0
    plan_again(state, rows, planned)
    return float(found)
