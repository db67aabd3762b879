"""Rows of jobs in several partitions: their entries in the queue (`thinktime.models.machine.limits.entries`).

If ``entry[row]`` is above 0, it is the row of the first entry of a job, and for each of the entries, which follow each
other, it is -1 - the row of the job. It is empty where no job is in several partitions.
"""

from __future__ import annotations

from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints


def entries_of(state: State, row: int) -> tuple[int, int]:
    """The rows by which a waiting job is in the queue, from one to before another: its own, or those of its entries."""
    if len(state.entry) == 0 or state.entry[row] <= 0 or state.changes.stays(state, row):
        return row, row + 1
    first: int = state.entry[row]
    stop = first
    while stop < len(state.entry) and state.entry[stop] == -1 - row:
        stop += 1
    return first, stop


def stays(state: State, row: int) -> bool:
    """Whether a waiting job can go on only where it was."""
    return False


def job_of(state: State, row: int) -> int:
    """The job of an entry, or the job itself."""
    if len(state.entry) == 0 or state.entry[row] >= 0:
        return row
    entry: int = state.entry[row]
    return -1 - entry


def is_taken(state: State, row: int, k: int) -> bool:
    """Whether another entry of a job is among the ``k`` that start."""
    if len(state.entry) == 0 or state.entry[row] >= 0:
        return False
    taken = False
    for i in range(k):
        other = state.out[i]
        taken = taken or state.entry[other] == state.entry[row]
    return taken


def eligible_since(state: State, row: int) -> float:
    """When a waiting job could have started for the first time, for all that its user has said."""
    job = job_of(state, row)
    if job < len(state.eligible):
        return float(max(state.submit[job], state.eligible[job]))
    return float(state.submit[job])


def copy_job(state: State, row: int, entry: int) -> None:
    """What may have changed of a job since it is known holds for its entry."""
    state.submit[entry], state.key[entry] = state.submit[row], state.key[row]
    state.requested[entry], state.estimate[entry] = state.requested[row], state.estimate[row]


def every_row(state: State) -> Ints:
    """The rows by which jobs are in the queue, in its order."""
    k = 0
    for i in range(state.head, state.head + state.in_queue):
        first, stop = entries_of(state, state.waiting[i])
        for row in range(first, stop):
            state.limit_rows[k] = row
            k += 1
    return state.limit_rows[:k]
