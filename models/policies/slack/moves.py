"""Slack-based backfilling: candidate slots, and where delayed jobs go behind a new one.

Source: the slack paper, section 4.5. Jobs from the slot on are delayed by the new job's length and then compressed, in
one order or in every order. The symbols are those of `thinktime.models.policies.slack.prices`.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import slack_moves as slack_moves_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def slot_starts(state: State, now: float, kind: int, queue: Ints, due: Floats, base: Profile) -> Floats:
    """Where a slot starts, from now on: each start and each end of a job in the profile, once, ascending."""
    if kind == slack_moves_codes.EXTEND:
        slots = state.spare.real(1)
        slots[0] = now
        return slots
    n, more = base.n, 0 if base.second is None else base.second.n
    slots = state.spare.real(n + more + 2 * len(queue))
    slots[:n] = base.times[:n]
    if base.second is not None:  # of power, which has steps of its own
        slots[n : n + more] = base.second.times[:more]
        n += more
    for i in range(len(queue)):
        slots[n], slots[n + 1] = due[queue[i]], due[queue[i]] + state.estimate[queue[i]]
        n += 2
    order, unsorted = state.spare.sorted_places(slots, n), state.spare.real(n)
    unsorted[:] = slots
    for i in range(n):
        slots[i] = unsorted[order[i]]
    kept = 0
    for i in range(n):
        time = slots[i]
        if now <= time < INFINITY and (kept == 0 or time > slots[kept - 1]):
            slots[kept] = time
            kept += 1
    return slots[:kept]


def reinsert(state: State, sequence: Ints, queue: Ints, bound: Floats, profile: Profile, trial: Floats) -> int:
    """Insert jobs again at their earliest fits, and return how many are in time."""
    for k in range(len(sequence)):
        i = sequence[k]
        row = queue[i]
        duration = state.estimate[row]
        begin = state.profiles.earliest(state, row, duration, profile)
        if begin == INFINITY or begin > bound[i]:
            return k
        state.profiles.book(state, row, profile_codes.TAKE, begin, begin + duration, profile)
        trial[i] = begin
    return len(sequence)


def compress(
    state: State, sequence: Ints, queue: Ints, stands: Floats, bound: Floats, profile: Profile, trial: Floats
) -> int:
    """Let jobs stand where they are delayed to, then move each to its earliest fit; return how many are in time."""
    for j in range(len(sequence)):
        i = sequence[j]
        row = queue[i]
        state.profiles.book(state, row, profile_codes.TAKE, stands[i], stands[i] + state.estimate[row], profile)
    state.profiles.begin_sweep(state)
    for k in range(len(sequence)):
        i = sequence[k]
        trial[i] = state.profiles.bring_forward(state, queue[i], stands[i], stands[i], trial[:0], profile)
        if trial[i] > bound[i]:
            return k
    return len(sequence)


def next_permutation(order: Ints, keep: int) -> bool:
    """The next permutation in lexical order whose first ``keep`` + 1 places are not the same; False after the last."""
    n = len(order)
    for i in range(keep + 1, n):  # in descending order the rest is the last permutation with this beginning
        j = i
        while j > keep + 1 and order[j] > order[j - 1]:
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1
    i = n - 2
    while i >= 0 and order[i] > order[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = n - 1
    while order[j] < order[i]:
        j -= 1
    order[i], order[j] = order[j], order[i]
    low, high = i + 1, n - 1
    while low < high:
        order[low], order[high] = order[high], order[low]
        low += 1
        high -= 1
    return True
