"""Waiting jobs that endless windows leave no room for."""

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.changing_profile import earliest_fit, window_profile
from thinktime.models.kernels.interruptions import let_go
from thinktime.models.kernels.leap import leave_hopeless
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.models.kernels.pool import leave_queue
from thinktime.models.kernels.rules import withdrawn
from thinktime.models.kernels.sources import note_over
from thinktime.models.kernels.state_codes import KILLED, REFUSED
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure


@written_for(CHANGING, leave_hopeless)
def leave_hopeless_queue(state: Structure, truth: Structure, rule: Structure, sources: Structure, now: float) -> bool:
    """Refuse waiting jobs that endless windows leave no room for, and kill those that have run."""
    rows = hopeless_rows(state, truth, now)
    if rows.size == 0:
        return False
    withdrawn(state, rule, now, rows)
    return bool(note_over(state, truth, sources, now, rows))


@kernel
def hopeless_rows(state: Structure, truth: Structure, now: float) -> Ints:
    """Take waiting jobs out of the queue that could never start any more, in ``scratch``."""
    counts, k = state.counts, 0
    if state.situation[of.ENDLESS] == 0:
        return state.scratch[:0]  # type: ignore[no-any-return]
    for row in state.waiting[counts[at.HEAD] : counts[at.HEAD] + counts[at.IN_QUEUE]]:
        if never_starts(state, row, now):
            state.scratch[k] = row
            k += 1
    for row in state.scratch[:k]:
        let_go(state, row)
        state.state[row] = KILLED if state.runs[row] > 0 else REFUSED
        truth.end[row] = now
    if k > 0:
        counts[at.PASSED_OVER] = 0
        leave_queue(state, k)
    return state.scratch[:k]  # type: ignore[no-any-return]


@by_kind
def never_starts(state: Structure, row: int, now: float) -> bool:
    """Whether a job would find no room on the machine if it were idle and up, beside the windows that are known."""
    processors, times, free = state.counts[at.PROCESSORS], state.seen_times, state.seen_free
    if state.processors[row] + state.situation[of.ENDLESS] <= processors:
        return False
    n = window_profile(state, now, processors, times, free)
    return bool(earliest_fit(state, row, state.estimate[row], times, free, n) == INFINITY)
