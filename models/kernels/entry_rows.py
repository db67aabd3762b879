"""Rows of jobs in several partitions: their entries in the queue (`thinktime.models.limits.entries`).

If ``entry[row]`` is above 0, it is the row of the first entry of a job, and for each of the entries, which follow each
other, it is -1 - the row of the job. It is empty where no job is in several partitions.
"""

from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure


@kernel
def entries_of(state: Structure, row: int) -> tuple[int, int]:
    """The rows by which a waiting job is in the queue, from one to before another: its own, or those of its entries."""
    if state.entry.size == 0 or state.entry[row] <= 0 or stays(state, row):
        return int(row), int(row) + 1
    first = int(state.entry[row])
    stop = first
    while stop < state.entry.size and state.entry[stop] == -1 - row:
        stop += 1
    return first, stop


@by_kind
def stays(state: Structure, row: int) -> bool:
    """Whether a waiting job can go on only where it was."""
    return False


@kernel
def job_of(state: Structure, row: int) -> int:
    """The job of an entry, or the job itself."""
    return -1 - int(state.entry[row]) if state.entry.size and state.entry[row] < 0 else int(row)


@kernel
def is_taken(state: Structure, row: int, starting: Ints) -> bool:
    """Whether another entry of a job is among those that start."""
    if state.entry.size == 0 or state.entry[row] >= 0:
        return False
    taken = False
    for other in starting:
        taken = taken or state.entry[other] == state.entry[row]
    return taken


@kernel
def eligible_since(state: Structure, row: int) -> float:
    """When a waiting job could have started for the first time, for all that its user has said."""
    job = job_of(state, row)
    if job < state.eligible.size:
        return float(max(state.submit[job], state.eligible[job]))
    return float(state.submit[job])


@kernel
def copy_job(state: Structure, row: int, entry: int) -> None:
    """What may have changed of a job since it is known holds for its entry."""
    state.submit[entry], state.key[entry] = state.submit[row], state.key[row]
    state.requested[entry], state.estimate[entry] = state.requested[row], state.estimate[row]
