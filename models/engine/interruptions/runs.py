"""Runs of jobs that may be interrupted: how long they are, and what they leave behind.

A job has work to do, and ``done`` is what of it is safe. A run is ``restart`` s, unless it is the first one, then
``checkpoint`` s of work, a checkpoint that takes ``cost`` s, and so on; after the last piece of work there is none.
Without checkpoints, ``checkpoint`` is infinite. All of these are columns.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import runs as runs_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth

INFINITY = math.inf

LEAST = runs_codes.LEAST


def length_with_checkpoints(state: State, row: int, whole: float) -> float:
    """As `run_length`: what is left of the work, with the checkpoints and the restart."""
    return length(state, row, whole - state.done[row])


def length(state: State, row: int, work: float) -> float:
    """How long the next run takes that does so much work, s."""
    if work == INFINITY:
        return work
    total = work + (state.restart[row] if state.runs[row] > 0 else 0.0)
    if state.checkpoint[row] < work:
        total += state.cost[row] * (arithmetic.ceil(work / state.checkpoint[row]) - 1.0)
    return float(total)


def plan_run(state: State, row: int) -> None:
    """Let the estimate be the planned length of the next run."""
    state.estimate[row] = length(state, row, max(LEAST, state.requested[row] - state.done[row]))


def account(state: State, truth: Truth, row: int, now: float, how: int) -> tuple[float, float, float]:
    """Progress, overhead and lost time of a run that is broken off now, s."""
    passed = now - state.start[row]
    overhead = min(passed, state.restart[row]) if state.runs[row] > 0 else 0.0
    worked, interval = passed - overhead, state.checkpoint[row]
    if interval == INFINITY:
        return (worked, overhead, 0.0) if how == runs_codes.KEPT else (0.0, overhead, worked)
    whole = truth.runtime[row]
    if state.overrun == at.KILL:
        whole = min(whole, state.requested[row])
    pieces = min(
        arithmetic.floor(worked / (interval + state.cost[row])),
        arithmetic.ceil((whole - state.done[row]) / interval) - 1.0,
    )
    pieces = max(pieces, 0.0)
    progress, overhead = pieces * interval, overhead + pieces * state.cost[row]
    rest = passed - progress - overhead
    if how == runs_codes.KEPT:
        return progress + min(rest, interval), overhead + max(0.0, rest - interval), 0.0
    return progress, overhead, rest
