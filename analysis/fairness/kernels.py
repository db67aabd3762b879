"""The list scheduler of the hybrid fair start time, compiled."""

from thinktime.workloads.compiler import Floats, Ints, kernel


@kernel
def list_start(times: Floats, counts: Ints, groups: int, processors: Ints, lengths: Floats) -> float:
    """Schedule jobs in this order, each on the nodes that are free earliest; returns the start of the last.

    ``counts[g]`` nodes become free at ``times[g]``. Times ascend, and the first ``groups`` groups are in use (the
    arrays must have room for one more per job). A job of n nodes starts when the n-th node is free, takes the n nodes
    that are free earliest, and releases them at its end. Holes are never used.
    """
    start = 0.0
    for i in range(processors.size):
        need = processors[i]
        g = 0
        while counts[g] < need:
            need -= counts[g]
            g += 1
        start = times[g]
        counts[g] -= need
        first = g if counts[g] > 0 else g + 1
        end = start + lengths[i]
        kept = 0
        placed = False
        j = first
        while j < groups and times[j] <= end:
            times[kept] = times[j]
            counts[kept] = counts[j]
            kept += 1
            j += 1
        if first > 0:  # there is room for the new group before the remaining ones
            times[kept] = end
            counts[kept] = processors[i]
            kept += 1
            placed = True
            while j < groups:
                times[kept] = times[j]
                counts[kept] = counts[j]
                kept += 1
                j += 1
            groups = kept
        if not placed:
            for m in range(groups, j, -1):
                times[m] = times[m - 1]
                counts[m] = counts[m - 1]
            times[j] = end
            counts[j] = processors[i]
            groups += 1
    return start
