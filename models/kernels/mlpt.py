"""MLPT, an order for sequential jobs of which some processors are still busy with others."""

import numpy as np

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
    remaining = np.sort(busy)[::-1]
    loads, closed = np.zeros(free + remaining.size), np.zeros(free + remaining.size)  # closed: infinite load
    longest = np.full(loads.size, -1)
    j = 0
    for i in range(lengths.size + 1):
        while j < remaining.size and (i == lengths.size or remaining[j] >= lengths[i]):
            place = int(np.argmin(np.maximum(loads, closed)))
            loads[place] += remaining[j]
            closed[place] = np.inf
            j += 1
        if i < lengths.size:
            place = int(np.argmin(loads))
            if longest[place] < 0:
                longest[place] = i
            loads[place] += lengths[i]
    first = np.zeros(lengths.size, np.bool_)
    for place in range(loads.size):
        if closed[place] == 0.0 and longest[place] >= 0:
            first[longest[place]] = True
    return np.concatenate((np.flatnonzero(first), np.flatnonzero(~first)))
