"""The log's own schedule as a compiled rule: each job starts when the log says.

The machine keeps the queue by recorded starts; that of a job without one is minus infinity. The rule counts
how the schedule departs from what the machine could do.
"""

from __future__ import annotations

import math

from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


class Recorded(Rule):
    """The rule: how often and by how much the schedule could not be kept."""

    NUMBERS = {
        "without_start": 0, "in_use": 0, "most_in_use": 0, "next_start": INFINITY, "excess": 0.0, "last": -INFINITY,
    }  # fmt: skip
    without_start: int
    """Jobs without a recorded start so far."""
    in_use: int
    """Processors in use."""
    most_in_use: int
    """The most processors that have been in use."""
    next_start: float
    """The next recorded start, s."""
    excess: float
    """Processor-seconds beyond the machine, until ``last``."""
    last: float
    """The last pass, s."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start the jobs that started now in the log, by row."""
        out = state.out
        over = self.in_use - state.machine_size
        if over > 0:
            self.excess += over * (now - self.last)
        self.last, self.next_start = now, INFINITY
        self.in_use = state.machine_size - state.idle
        k = 0
        while k < len(rows) and state.key[rows[k]] <= now:
            place, row = k, rows[k]
            while place > 0 and out[place - 1] > row:
                out[place] = out[place - 1]
                place -= 1
            out[place] = row
            self.in_use += state.processors[row]
            self.without_start += state.key[row] == -INFINITY
            k += 1
        if k > 0:
            self.most_in_use = max(self.most_in_use, self.in_use)
        if k < len(rows):
            self.next_start = state.key[rows[k]]
        return k

    def next_due(self, state: State, now: float) -> float:
        """The next recorded start."""
        return float(self.next_start)
