"""The log's own schedule as a compiled rule: each job starts when the log says.

The machine keeps the queue by recorded starts; that of a job without one is minus infinity. ``counts`` and ``clock``
say how the schedule departs from what the machine could do.
"""

from thinktime.models.kernels.machine_state import IDLE, INFINITY, PROCESSORS
from thinktime.models.kernels.rules import due, select
from thinktime.workloads.compiler import Floats, Ints
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure, StructureKind, maker

WITHOUT_START, IN_USE, MOST_IN_USE = range(3)  # places in ``counts``: jobs, processors
NEXT_START, EXCESS, LAST = range(3)  # places in ``clock``; EXCESS: processor-seconds beyond the machine until LAST
RECORDED = StructureKind("Recorded", counts=Ints, clock=Floats)
make_recorded = maker(RECORDED)


@written_for(RECORDED, select)
def recorded_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Start the jobs that started now in the log, by row."""
    counts, clock, out = rule.counts, rule.clock, state.out
    over = counts[IN_USE] - state.counts[PROCESSORS]
    if over > 0:
        clock[EXCESS] += over * (now - clock[LAST])
    clock[LAST], clock[NEXT_START] = now, INFINITY
    counts[IN_USE] = state.counts[PROCESSORS] - state.counts[IDLE]
    k = 0
    while k < rows.size and state.key[rows[k]] <= now:
        place, row = k, rows[k]
        while place > 0 and out[place - 1] > row:
            out[place] = out[place - 1]
            place -= 1
        out[place] = row
        counts[IN_USE] += state.processors[row]
        counts[WITHOUT_START] += state.key[row] == -INFINITY
        k += 1
    if k > 0:
        counts[MOST_IN_USE] = max(counts[MOST_IN_USE], counts[IN_USE])
    if k < rows.size:
        clock[NEXT_START] = state.key[rows[k]]
    return k


@written_for(RECORDED, due)
def recorded_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next recorded start."""
    return float(rule.clock[NEXT_START])
