"""Groups in which running jobs are expected to leave, and what each gives back: numbers of one state of a machine.

The first group has all ends up to w + g, the next those up to w + 2 g, then 4 g, 8 g, … (or each reaches so many
seconds further), where w is the first end, rounded up; all of a group leave with its last. What is done with them
stands in `thinktime.models.engine.rooms.leaving`.

Between two passes of a scheduler few jobs begin or end, and the groups hardly move. So what a group gives back is kept:
``tables`` has a table for each of some intervals of time (``lower``, ``upper``] (s), with what all running jobs have
that are expected to end in it. Where 5,000 jobs run on 1,000 nodes, adding it up anew in each pass took a fifth of the
engine's time. It belongs to one state of a machine, and is not copied with it.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine.codes import end_groups as groups_codes

INFINITY = math.inf


class EndGroups:
    """The groups of the present pass, and tables of some."""

    def __init__(self) -> None:
        self.known, self.size, self.count, self.started = False, 0, 0, 0
        self.since = self.length = self.linear = self.soonest = 0.0
        self.after = -INFINITY
        self.lower, self.upper = np.zeros(groups_codes.SLOTS), np.zeros(groups_codes.SLOTS)
        self.tables = np.empty(0, np.int64)
        self.lowers, self.uppers, self.times = np.empty(0), np.empty(0), np.empty(0)

    def forget(self, size: int) -> None:
        """Nothing is known of any interval; a table has so many numbers."""
        self.known, self.size = True, size
        if len(self.tables) != len(self.lower) * size:
            self.tables = np.empty(len(self.lower) * size, np.int64)  # objects: seldom
        for slot in range(len(self.lower)):
            self.clear(slot, 0.0)

    def clear(self, slot: int, time: float) -> None:
        """The table is of no time at all, at some time (s)."""
        self.lower[slot] = self.upper[slot] = time
        for i in range(slot * self.size, (slot + 1) * self.size):
            self.tables[i] = 0

    def add(self, lower: float, upper: float, time: float) -> None:
        """The next group of this pass, with the ends in (``lower``, ``upper``], leaves at a time (s)."""
        n = self.count
        if n == len(self.times):
            self.grow()
        self.lowers[n], self.uppers[n], self.times[n] = lower, upper, time
        self.count = n + 1

    def grow(self) -> None:
        """Have room for more groups in a pass."""
        n = self.count
        lowers, uppers, times = np.empty(2 * n + 32), np.empty(2 * n + 32), np.empty(2 * n + 32)  # objects: seldom
        lowers[:n], uppers[:n], times[:n] = self.lowers, self.uppers, self.times
        self.lowers, self.uppers, self.times = lowers, uppers, times
