"""Slack-based backfilling: candidate slots, and where delayed jobs go behind a new one.

Source: the slack paper, section 4.5. Jobs from the slot on are delayed by the new job's length and then compressed, in
one order or in every order. The symbols are those of `thinktime.models.kernels.slack`.
"""

import numpy as np

from thinktime.models.kernels.availability import change, earlier_fit, earliest_fit, locate
from thinktime.models.kernels.machine_state import INFINITY
from thinktime.workloads.compiler import Floats, Ints, kernel, whole

INSERT, REMOVE, EXTEND = whole(0), whole(1), whole(2)  # what a slot is sought for


@kernel
def slot_starts(
    now: float,
    kind: int,
    queue: Ints,
    estimate: Floats,
    due: Floats,
    base_times: Floats,
    base: int,
) -> Floats:
    """Where a slot starts, from now on: each start and each end of a job in the profile, once, ascending."""
    if kind == EXTEND:
        return np.full(1, now)
    slots = np.empty(base + 2 * queue.size)
    slots[:base] = base_times[:base]
    n = base
    for row in queue:
        slots[n] = due[row]
        slots[n + 1] = due[row] + estimate[row]
        n += 2
    slots.sort()
    kept = 0
    for time in slots:
        if now <= time < INFINITY and (kept == 0 or time > slots[kept - 1]):
            slots[kept] = time
            kept += 1
    return slots[:kept]


@kernel
def fits_at(begin: float, need: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether ``need`` processors are free from ``begin`` on for the whole ``duration``."""
    i = locate(begin, times, n)
    end = begin + duration
    while i < n and times[i] < end:
        if free[i] < need:
            return False
        i += 1
    return True


@kernel
def reinsert(
    sequence: Ints,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    bound: Floats,
    times: Floats,
    free: Ints,
    n: int,
    trial: Floats,
) -> int:
    """Insert jobs again at their earliest fits, and return how many are in time."""
    for k in range(sequence.size):
        i = sequence[k]
        row = queue[i]
        begin = earliest_fit(processors[row], estimate[row], times, free, n)
        if begin == INFINITY or begin > bound[i]:
            return k
        n = change(begin, begin + estimate[row], -processors[row], times, free, n)
        trial[i] = begin
    return int(sequence.size)


@kernel
def compress(
    sequence: Ints,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    bound: Floats,
    delay: float,
    times: Floats,
    free: Ints,
    n: int,
    trial: Floats,
) -> int:
    """Delay jobs, then move each in turn to its earliest fit, and return how many are in time."""
    for i in sequence:
        row = queue[i]
        begin = due[row] + delay
        n = change(begin, begin + estimate[row], -processors[row], times, free, n)
    for k in range(sequence.size):
        i = sequence[k]
        row = queue[i]
        stands = due[row] + delay
        begin = earlier_fit(stands, processors[row], estimate[row], times, free, n)
        if begin > bound[i]:
            return k
        if begin < stands:
            n = change(stands, stands + estimate[row], processors[row], times, free, n)
            n = change(begin, begin + estimate[row], -processors[row], times, free, n)
        trial[i] = begin
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
