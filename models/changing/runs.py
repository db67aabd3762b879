"""The runs of jobs that may be interrupted, one row each, and what became of their time.

The columns are those of the contract of a machine that changes: ``job`` and ``run`` (1, 2, …), ``start`` and ``end``
(s), ``processors``, ``indices`` (an interval set such as "0-3 7"), ``how`` it ended, and its ``progress``, ``overhead``
(checkpoints and restarts) and ``lost`` time (s), which add up to end - start.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import changes as kernels
from thinktime.models.kernels import machine_state, runs
from thinktime.models.kernels import situation as of
from thinktime.models.state import State

FAILED, WINDOW, PREEMPTED = int(kernels.FAILED), int(kernels.WINDOW), int(kernels.PREEMPTED)
WHY = {FAILED: "failure", WINDOW: "window", PREEMPTED: "preemption"}
FINISHED, LIMIT, CANCELLED, RUNNING = 0, 1, 2, 6


def run_columns(pool: Any, rows: NDArray[np.int64], now: float) -> dict[str, NDArray[Any]]:
    """All runs of the jobs in some rows of a `ChangingPool`, by (job's place among the rows, run)."""
    records = pool.broken_runs()
    place = np.full(pool.requests.size, -1)
    place[rows] = np.arange(len(rows))
    records = records[place[records[:, kernels.ROW].astype(np.int64)] >= 0]
    last = _last_runs(pool, rows, now)
    found = np.concatenate([records[:, : kernels.SUBMIT], last])
    row = found[:, kernels.ROW].astype(np.int64)
    order = np.lexsort((np.arange(len(found)), place[row]))
    found, row = found[order], row[order]
    first = np.flatnonzero(np.diff(row, prepend=-1))
    number = np.arange(len(row)) - np.repeat(first, np.diff(np.append(first, len(row)))) + 1
    begin, count = found[:, kernels.FIRST_PLACE].astype(np.int64), found[:, kernels.PLACES].astype(np.int64)
    return {
        "row": place[row],
        "run": number,
        "start": found[:, kernels.BEGIN],
        "end": found[:, kernels.STOP],
        "how": found[:, kernels.HOW].astype(np.int8),
        "progress": found[:, kernels.PROGRESS],
        "overhead": found[:, kernels.OVERHEAD],
        "lost": found[:, kernels.LOST],
        "first_range": begin,
        "ranges": count,
        "places": pool.arrays["places"][: pool.arrays["situation"][of.PLACES]].copy(),
    }


def _last_runs(pool: Any, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """Records of the runs that were not broken off, or not yet."""
    jobs, truth, site = pool.requests, pool.outcomes, pool.arrays
    state = jobs.state[rows]
    ran = np.isfinite(jobs.start[rows]) & (state >= State.RUNNING)
    rows, state = rows[ran], state[ran]
    found = np.empty((len(rows), kernels.SUBMIT))
    start, end = jobs.start[rows], np.where(state == State.RUNNING, now, truth.end[rows])
    done, overrun = jobs.done[rows], pool.mode
    work = truth.runtime[rows] - done
    if overrun == machine_state.KILL:
        work = np.minimum(work, jobs.requested[rows] - done)
    whole = end - start == _lengths(pool, rows, work)
    at_limit = (overrun == machine_state.KILL) & (truth.runtime[rows] > jobs.requested[rows])
    how = np.select([state == State.RUNNING, ~whole, at_limit], [RUNNING, CANCELLED, LIMIT], FINISHED)
    how[(state == State.FINISHED)] = FINISHED
    found[:, kernels.ROW], found[:, kernels.BEGIN], found[:, kernels.STOP] = rows, start, end
    found[:, kernels.FIRST_PLACE], found[:, kernels.PLACES] = site["offset"][rows], site["size"][rows]
    found[:, kernels.HOW] = how
    for k, row in enumerate(rows.tolist()):
        if whole[k] and state[k] != State.RUNNING:
            progress, overhead = work[k], end[k] - start[k] - work[k]
        else:
            progress, overhead, _ = runs.account(pool.state, pool.truth, row, end[k], runs.KEPT)
        found[k, kernels.PROGRESS], found[k, kernels.OVERHEAD], found[k, kernels.LOST] = progress, overhead, 0.0
    return found


def _lengths(pool: Any, rows: NDArray[np.int64], work: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long runs take that do so much work, s."""
    site = pool.arrays
    interval, cost = site["checkpoint"][rows], site["cost"][rows]
    pieces = np.where(interval < work, np.ceil(work / interval) - 1.0, 0.0)
    again = np.where(pool.requests.runs[rows] > 0, site["restart"][rows], 0.0)
    found: NDArray[np.float64] = work + again + np.where(pieces > 0, pieces * cost, 0.0)
    return found
