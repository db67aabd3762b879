"""MLPT, an order for sequential jobs of which some processors are still busy with others."""

import numpy as np

from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.workloads.compiler import Floats, Ints, kernel


@kernel
def mlpt_order(lengths: Floats, busy: Floats, free: int) -> Ints:
    """MLPT for sequential jobs: the order of the jobs in which the ``free`` processors should take them.

    Lee (Discrete Applied Mathematics 30, 1991) treats the time for which a processor is still busy as one more job
    and applies LPT to all of them, with at most one such time for each processor; the processors that got none
    are the free ones. Here: ``lengths`` (which must descend) and the remaining times ``busy`` of running jobs,
    longest first, each to the processor with the least load. Then the longest job of each free processor comes
    first, and the others follow, longest first.
    """
    left, later = sorted_by(-busy, np.arange(busy.size)), np.ones(lengths.size)
    loads, longest = np.zeros(free + busy.size), np.full(free + busy.size, -1)
    open_loads = np.zeros(loads.size)  # infinite for processors that have got a remaining time
    j = 0
    for i in range(lengths.size + 1):
        while j < left.size and (i == lengths.size or busy[left[j]] >= lengths[i]):
            place = int(np.argmin(open_loads))
            loads[place] += busy[left[j]]
            open_loads[place] = np.inf
            j += 1
        if i < lengths.size:
            place = int(np.argmin(loads))
            if longest[place] < 0:
                longest[place] = i
            loads[place] += lengths[i]
            open_loads[place] += lengths[i]
    for place in range(loads.size):
        if open_loads[place] < np.inf and longest[place] >= 0:
            later[longest[place]] = 0.0
    return sorted_by(later, np.arange(lengths.size))
