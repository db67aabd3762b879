"""Jobs that will be submitted at known times: a heap of timetables by the time of their next job."""

from __future__ import annotations

import math

from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth

INFINITY = math.inf


def announce(state: State, truth: Truth, first: int, stop: int) -> None:
    """Add a timetable: the rows from ``first`` to ``stop`` are submitted at their times ``submit``, which ascend."""
    tables, stops, submit = truth.tables, truth.stops, state.submit
    place = truth.table_count
    truth.table_count += 1
    while place > 0 and submit[tables[(place - 1) // 2]] > submit[first]:
        tables[place], stops[place] = tables[(place - 1) // 2], stops[(place - 1) // 2]
        place = (place - 1) // 2
    tables[place], stops[place] = first, stop
    truth.next_arrival = min(truth.next_arrival, submit[first])


def arrive_as_announced(state: State, truth: Truth, now: float) -> None:
    """Submit what is announced for now: add it to ``arrived``."""
    while truth.table_count > 0 and state.submit[truth.tables[0]] <= now:
        row, stop = truth.tables[0], truth.stops[0]
        while row < stop and state.submit[row] <= now:
            truth.arrived[truth.arrived_count] = row
            truth.arrived_count += 1
            row += 1
        if row == stop:
            truth.table_count -= 1
            row, stop = truth.tables[truth.table_count], truth.stops[truth.table_count]
        _sink(state, truth, row, stop)
    truth.next_arrival = state.submit[truth.tables[0]] if truth.table_count > 0 else INFINITY


def _sink(state: State, truth: Truth, row: int, stop: int) -> None:
    """Put a timetable into the first place, and down to where it belongs."""
    place, n = 0, truth.table_count
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and state.submit[truth.tables[child + 1]] < state.submit[truth.tables[child]]:
            child += 1
        if state.submit[row] <= state.submit[truth.tables[child]]:
            break
        truth.tables[place], truth.stops[place] = truth.tables[child], truth.stops[child]
        place = child
    truth.tables[place], truth.stops[place] = row, stop
