"""The log's own schedule as a compiled rule: each job starts when the log says.

The machine keeps the queue by recorded starts; that of a job without one is minus infinity. ``counts`` and ``clock``
say how the schedule departs from what the machine could do.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import recorded as recorded_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


class Recorded(Rule):
    """The rule: how often and by how much the schedule could not be kept."""

    FIELDS = ("counts", "clock")
    counts: Ints
    clock: Floats

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start the jobs that started now in the log, by row."""
        counts, clock, out = self.counts, self.clock, state.out
        over = counts[recorded_codes.IN_USE] - state.machine_size
        if over > 0:
            clock[recorded_codes.EXCESS] += over * (now - clock[recorded_codes.LAST])
        clock[recorded_codes.LAST], clock[recorded_codes.NEXT_START] = now, INFINITY
        counts[recorded_codes.IN_USE] = state.machine_size - state.idle
        k = 0
        while k < len(rows) and state.key[rows[k]] <= now:
            place, row = k, rows[k]
            while place > 0 and out[place - 1] > row:
                out[place] = out[place - 1]
                place -= 1
            out[place] = row
            counts[recorded_codes.IN_USE] += state.processors[row]
            counts[recorded_codes.WITHOUT_START] += state.key[row] == -INFINITY
            k += 1
        if k > 0:
            counts[recorded_codes.MOST_IN_USE] = max(counts[recorded_codes.MOST_IN_USE], counts[recorded_codes.IN_USE])
        if k < len(rows):
            clock[recorded_codes.NEXT_START] = state.key[rows[k]]
        return k

    def next_due(self, state: State, now: float) -> float:
        """The next recorded start."""
        return float(self.clock[recorded_codes.NEXT_START])
