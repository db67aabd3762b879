"""Jobs that will be submitted at known times: a heap of timetables by the time of their next job."""

from thinktime.models.kernels.machine_state import ARRIVAL, ARRIVED, INFINITY, TABLES
from thinktime.workloads.compiler import inlined, kernel
from thinktime.workloads.structures import Structure


@kernel
def announce(state: Structure, truth: Structure, first: int, stop: int) -> None:
    """Add a timetable: the rows from ``first`` to ``stop`` are submitted at their times ``submit``, which ascend."""
    tables, stops, submit = truth.tables, truth.stops, state.submit
    place = truth.counts[TABLES]
    truth.counts[TABLES] += 1
    while place > 0 and submit[tables[(place - 1) // 2]] > submit[first]:
        tables[place], stops[place] = tables[(place - 1) // 2], stops[(place - 1) // 2]
        place = (place - 1) // 2
    tables[place], stops[place] = first, stop
    truth.clock[ARRIVAL] = min(truth.clock[ARRIVAL], submit[first])


@kernel
@inlined
def arrive_as_announced(state: Structure, truth: Structure, now: float) -> None:
    """Submit what is announced for now: add it to ``arrived``."""
    counts, tables, stops, submit = truth.counts, truth.tables, truth.stops, state.submit
    while counts[TABLES] > 0 and submit[tables[0]] <= now:
        row, stop = tables[0], stops[0]
        while row < stop and submit[row] <= now:
            truth.arrived[counts[ARRIVED]] = row
            counts[ARRIVED] += 1
            row += 1
        if row == stop:
            counts[TABLES] -= 1
            row, stop = tables[counts[TABLES]], stops[counts[TABLES]]
        place, n = 0, counts[TABLES]
        while 2 * place + 1 < n:
            child = 2 * place + 1
            if child + 1 < n and submit[tables[child + 1]] < submit[tables[child]]:
                child += 1
            if submit[row] <= submit[tables[child]]:
                break
            tables[place], stops[place] = tables[child], stops[child]
            place = child
        tables[place], stops[place] = row, stop
    truth.clock[ARRIVAL] = submit[tables[0]] if counts[TABLES] > 0 else INFINITY
