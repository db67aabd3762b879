"""Slack-based backfilling: candidate slots, and where delayed jobs go behind a new one.

Source: the slack paper, section 4.5. Jobs from the slot on are delayed by the new job's length and then compressed, in
one order or in every order. The symbols are those of `thinktime.models.kernels.slack_prices`.
"""

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY
from thinktime.models.kernels.profile import TAKE, begin_sweep, book, bring_forward, earliest
from thinktime.workloads.compiler import Floats, Ints, kernel, whole
from thinktime.workloads.structures import Structure

INSERT, REMOVE, EXTEND = whole(0), whole(1), whole(2)  # what a slot is sought for


@kernel
def slot_starts(state: Structure, now: float, kind: int, queue: Ints, due: Floats, base: Floats) -> Floats:
    """Where a slot starts, from now on: each start and each end of a job in the profile, once, ascending."""
    if kind == EXTEND:
        return np.full(1, now)
    slots = np.concatenate((base, due[queue], due[queue] + state.estimate[queue]))
    slots.sort()
    kept = 0
    for time in slots:
        if now <= time < INFINITY and (kept == 0 or time > slots[kept - 1]):
            slots[kept] = time
            kept += 1
    return slots[:kept]


@kernel
def reinsert(
    state: Structure, sequence: Ints, queue: Ints, bound: Floats, times: Floats, free: Ints, n: int, trial: Floats
) -> int:
    """Insert jobs again at their earliest fits, and return how many are in time."""
    for k in range(sequence.size):
        i = sequence[k]
        row = queue[i]
        duration = state.estimate[row]
        begin = earliest(state, row, duration, times, free, n)
        if begin == INFINITY or begin > bound[i]:
            return k
        n = book(state, row, TAKE, begin, begin + duration, times, free, n)
        trial[i] = begin
    return int(sequence.size)


@kernel
def compress(
    state: Structure, sequence: Ints, queue: Ints, stands: Floats, bound: Floats, times: Floats, free: Ints,
    n: int, trial: Floats,
) -> int:  # fmt: skip
    """Let jobs stand where they are delayed to, then move each to its earliest fit; return how many are in time."""
    for i in sequence:
        row = queue[i]
        n = book(state, row, TAKE, stands[i], stands[i] + state.estimate[row], times, free, n)
    begin_sweep(state)
    for k in range(sequence.size):
        i = sequence[k]
        trial[i], n = bring_forward(state, queue[i], stands[i], stands[i], trial[:0], times, free, n)
        if trial[i] > bound[i]:
            return k
    return int(sequence.size)


@kernel
def next_permutation(order: Ints, keep: int) -> bool:
    """The next permutation in lexical order whose first ``keep`` + 1 places are not the same; False after the last."""
    n = order.size
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
