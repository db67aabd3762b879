"""MLPT, an order for sequential jobs of which some processors are still busy with others."""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.spare import Spare
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def mlpt_order(spare: Spare, lengths: Floats, busy: Floats, free: int) -> Ints:
    """MLPT for sequential jobs: the order of the jobs in which the ``free`` processors should take them.

    Lee (Discrete Applied Mathematics 30, 1991) treats the time for which a processor is still busy as one more job
    and applies LPT to all of them, with at most one such time for each processor; the processors that got none
    are the free ones. Here: ``lengths`` (which must descend) and the remaining times ``busy`` of running jobs,
    longest first, each to the processor with the least load. Then the longest job of each free processor comes
    first, and the others follow, longest first.
    """
    n, machines = len(lengths), free + len(busy)
    keys, later = spare.real(len(busy)), spare.real(n)
    for i in range(len(busy)):
        keys[i] = -busy[i]
    for i in range(n):
        later[i] = 1.0
    left, longest = spare.sorted_places(keys, len(keys)), spare.whole(machines)
    loads, open_loads = spare.real_zeros(machines), spare.real_zeros(machines)  # infinite: has a remaining time
    for place in range(machines):
        longest[place] = -1
    j = 0
    for i in range(n + 1):
        while j < len(left) and (i == n or busy[left[j]] >= lengths[i]):
            place = arithmetic.first_least(open_loads)
            loads[place] += busy[left[j]]
            open_loads[place] = INFINITY
            j += 1
        if i < n:
            place = arithmetic.first_least(loads)
            if longest[place] < 0:
                longest[place] = i
            loads[place] += lengths[i]
            open_loads[place] += lengths[i]
    for place in range(len(loads)):
        if open_loads[place] < INFINITY and longest[place] >= 0:
            later[longest[place]] = 0.0
    return spare.sorted_places(later, n)
