"""The list scheduler of the hybrid fair start time."""

from thinktime.workloads.arrays import Floats, Whole


def list_start(times: Floats, counts: Whole, groups: int, processors: Whole, lengths: Floats) -> float:
    """Schedule jobs in this order, each on the nodes that are free earliest; returns the start of the last.

    ``counts[g]`` nodes become free at ``times[g]``. Times ascend, and the first ``groups`` groups are in use (the
    arrays must have room for one more per job). A job of n nodes starts when the n-th node is free, takes the n nodes
    that are free earliest, and releases them at its end. Holes are never used.
    """
    start = 0.0
    for i in range(len(processors)):
        need = processors[i]
        g = 0
        while counts[g] < need:
            need -= counts[g]
            g += 1
        start = times[g]
        counts[g] -= need
        used = g if counts[g] > 0 else g + 1  # groups of which nothing is left
        end = start + lengths[i]
        for m in range(groups if used == 0 else 0, 0, -1):
            times[m], counts[m] = times[m - 1], counts[m - 1]
        # The new group is at least one place before the first that is left, and moves on to its place.
        groups += 1 - used
        place, ahead = 0, max(used, 1)
        while place < groups - 1 and times[place + ahead] <= end:
            times[place], counts[place] = times[place + ahead], counts[place + ahead]
            place += 1
        times[place], counts[place] = end, processors[i]
        for m in range(place + 1, groups if used > 1 else 0):
            times[m], counts[m] = times[m + used - 1], counts[m + used - 1]
    return start
