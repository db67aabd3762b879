"""Runs of jobs that may be interrupted: how long they are, and what they leave behind.

A job has work to do, and ``done`` is what of it is safe. A run is ``restart`` s, unless it is the first one, then
``checkpoint`` s of work, a checkpoint that takes ``cost`` s, and so on; after the last piece of work there is none.
Without checkpoints, ``checkpoint`` is infinite. All of these are columns.

Where jobs may have several sizes, work passes at a ``rate`` that depends on the size, and a stage of a run begins with
a ``pause`` (`thinktime.models.engine.shapes`). Checkpoints are made after so much time on the size that the job has.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import runs as runs_codes
from thinktime.models.engine.limits import entry_rows
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
    if state.shaped:
        work = arithmetic.on_grid(work / state.rate[row])
    return with_checkpoints(state, row, work) + (state.restart[row] if state.runs[row] > 0 else 0.0)


def with_checkpoints(state: State, row: int, worked: float) -> float:
    """How long a job works and makes checkpoints that works for so long, s."""
    if state.checkpoint[row] < worked:
        return worked + state.cost[row] * (arithmetic.ceil(worked / state.checkpoint[row]) - 1.0)
    return worked


def end_of_run(state: State, truth: Truth, row: int, now: float) -> tuple[float, float]:
    """When a job that starts now has done its work, and when its limit is used up, s."""
    begin = now + (state.restart[row] if state.runs[row] > 0 else 0.0)
    return end_of_stage(state, truth, row, begin)


def end_of_stage(state: State, truth: Truth, row: int, begin: float) -> tuple[float, float]:
    """When a job that works from a time on has done its work, and when its limit is used up, s."""
    work, limit = truth.runtime[row] - truth.worked[row], state.requested[row] - state.done[row]
    whole = begin + stage(state, row, work, truth.true_rate[row])
    return whole, begin + stage(state, row, limit, state.rate[row])


def stage(state: State, row: int, work: float, rate: float) -> float:
    """How long a job works for what it has left, at a rate, with checkpoints, s."""
    if work == INFINITY:
        return work
    return with_checkpoints(state, row, arithmetic.on_grid(max(0.0, work) / rate))


def credit(state: State, truth: Truth, row: int, progress: float) -> None:
    """A job has made so much progress (s) that is safe."""
    if not state.shaped:
        state.done[row] += progress
        return
    state.done[row] += progress * state.rate[row]
    truth.worked[row] += progress * truth.true_rate[row]


def plan_run(state: State, row: int) -> None:
    """Let the estimate be the planned length of the next run."""
    state.estimate[row] = length(state, row, max(LEAST, state.requested[row] - state.done[row]))


def plan_entries(state: State) -> None:
    """The same for entries of waiting jobs that may start, with their own sizes (`limits.entry_rows`)."""
    for i in range(state.limit_eligible):
        entry = state.limit_rows[i]
        row = entry_rows.job_of(state, entry)
        if row != entry:
            state.done[entry], state.runs[entry] = state.done[row], state.runs[row]
            state.restart[entry], state.cost[entry] = state.restart[row], state.cost[row]
            state.checkpoint[entry] = state.checkpoint[row]
            plan_run(state, entry)


def account(state: State, truth: Truth, row: int, now: float, how: int) -> tuple[float, float, float]:
    """Progress, overhead and lost time of a run that is broken off now, s."""
    passed = now - state.start[row]
    overhead = min(passed, state.restart[row]) if state.runs[row] > 0 else 0.0
    if state.shaped:
        overhead = min(passed, state.pause[row]) + max(0.0, now - state.still_from[row])
    worked, interval = passed - overhead, state.checkpoint[row]
    if interval == INFINITY:
        return (worked, overhead, 0.0) if how == runs_codes.KEPT else (0.0, overhead, worked)
    whole, limit = truth.runtime[row], state.requested[row] - state.done[row]
    if state.shaped:
        whole, limit = (whole - truth.worked[row]) / truth.true_rate[row], limit / state.rate[row]
    else:
        whole -= state.done[row]
    if state.overrun == at.KILL:
        whole = min(whole, limit)
    pieces = min(arithmetic.floor(worked / (interval + state.cost[row])), arithmetic.ceil(whole / interval) - 1.0)
    pieces = max(pieces, 0.0)
    progress, overhead = pieces * interval, overhead + pieces * state.cost[row]
    rest = passed - progress - overhead
    if how == runs_codes.KEPT:
        return progress + min(rest, interval), overhead + max(0.0, rest - interval), 0.0
    return progress, overhead, rest
