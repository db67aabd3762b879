"""The shortest estimates of waiting jobs, by width: for whom a pass need not look behind the head of a long queue.

``least[c]`` is no longer than the estimate of any job in the queue that asks for 2ᶜ to 2ᶜ⁺¹ - 1 processors. Jobs that
join the queue are noted. Those that leave it are not, so that the numbers may be too small; they are found anew when
they have helped nobody some times (``in_vain``). They belong to one state of a machine, and are not copied with it.

With 20,000 waiting jobs, EASY took twice as long for a day when its passes looked at all of them.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf
CLASSES = 64


class Shortest:
    """What is known of the jobs in a queue."""

    def __init__(self) -> None:
        self.known, self.in_vain = False, 0
        self.least = np.full(CLASSES, INFINITY)

    def joins(self, width: int, estimate: float) -> None:
        """A job joins the queue."""
        if not self.known:
            return
        c = 0
        while width > 1:
            width >>= 1
            c += 1
        self.least[c] = min(self.least[c], estimate)

    def learn(self, rows: Ints, width: Ints, estimate: Floats) -> None:
        """These are all jobs in the queue."""
        for c in range(CLASSES):
            self.least[c] = INFINITY
        self.known, self.in_vain = True, 0
        for i in range(len(rows)):
            self.joins(width[rows[i]], estimate[rows[i]])

    def of(self, width: int) -> float:
        """No job that asks for at most so many processors has a shorter estimate; infinite if there is none."""
        c, found = 0, INFINITY
        while width > 0:
            found = min(found, self.least[c])
            width >>= 1
            c += 1
        return float(found)
