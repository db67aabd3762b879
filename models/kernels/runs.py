"""Runs of jobs that may be interrupted: how long they are, and what they leave behind.

A job has work to do, and ``done`` is what of it is safe. A run is ``restart`` s, unless it is the first one, then
``checkpoint`` s of work, a checkpoint that takes ``cost`` s, and so on; after the last piece of work there is none.
Without checkpoints, ``checkpoint`` is infinite. All of these are columns.
"""

import numpy as np

from thinktime.models.kernels.machine_state import CHANGING, INFINITY, KILL, OVERRUN
from thinktime.models.kernels.room import run_length
from thinktime.workloads.compiler import kernel
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure

LEAST = 1.0  # s: the shortest plan
LOST, KEPT = 0, 1
"""What becomes of work since the last checkpoint."""


@written_for(CHANGING, run_length)
def length_with_checkpoints(state: Structure, row: int, whole: float) -> float:
    """What is left of the work, with the checkpoints and the restart."""
    return length(state, row, whole - state.done[row])


@kernel
def length(state: Structure, row: int, work: float) -> float:
    """How long the next run takes that does so much work, s."""
    if work == INFINITY:
        return work
    total = work + (state.restart[row] if state.runs[row] > 0 else 0.0)
    if state.checkpoint[row] < work:
        total += state.cost[row] * (np.ceil(work / state.checkpoint[row]) - 1.0)
    return float(total)


@kernel
def plan_run(state: Structure, row: int) -> None:
    """Let the estimate be the planned length of the next run."""
    state.estimate[row] = length(state, row, max(LEAST, state.requested[row] - state.done[row]))


@kernel
def account(state: Structure, truth: Structure, row: int, now: float, how: int) -> tuple[float, float, float]:
    """Progress, overhead and lost time of a run that is broken off now, s."""
    passed = now - state.start[row]
    overhead = min(passed, state.restart[row]) if state.runs[row] > 0 else 0.0
    worked, interval = passed - overhead, state.checkpoint[row]
    if interval == INFINITY:
        return (worked, overhead, 0.0) if how == KEPT else (0.0, overhead, worked)
    whole = truth.runtime[row]
    if state.counts[OVERRUN] == KILL:
        whole = min(whole, state.requested[row])
    pieces = min(np.floor(worked / (interval + state.cost[row])), np.ceil((whole - state.done[row]) / interval) - 1.0)
    pieces = max(pieces, 0.0)
    progress, overhead = pieces * interval, overhead + pieces * state.cost[row]
    rest = passed - progress - overhead
    if how == KEPT:
        return progress + min(rest, interval), overhead + max(0.0, rest - interval), 0.0
    return progress, overhead, rest
