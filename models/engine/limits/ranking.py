"""What comes before the order of the queue: tiers of partitions, and whether a budget is spent."""

from __future__ import annotations

import numpy as np

from thinktime.models.engine import queue_orders
from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints


def by_tier(state: State, rows: Ints) -> Ints:
    """Some rows in order, those of higher tiers first where tiers count."""
    if not state.limited or len(state.tiers) == 0:
        return rows
    keys = np.empty(len(rows))
    for i in range(len(rows)):
        keys[i] = -state.tiers[state.partition[rows[i]]]
    return queue_orders.sorted_by(keys, rows)


def lowest_last(state: State, rows: Ints) -> Ints:
    """Some rows in order, but for those whose budgets are spent, which come behind the others."""
    if not state.limited or state.budget_lows == 0:
        return rows
    found, k = np.empty(len(rows), np.int64), 0
    for low in range(2):
        for i in range(len(rows)):
            row = rows[i]
            if (state.limit_bar[row] & limits_codes.LOW > 0) == (low > 0):
                found[k] = row
                k += 1
    return found
