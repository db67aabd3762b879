"""The runs of jobs on a machine that changes, and what became of their time (`thinktime.models.results.history`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import interruptions, machine_state
from thinktime.models.engine.codes.interruptions import FIRST_PLACE, PLACES
from thinktime.models.results.history import INTERRUPTIONS, Runs, counted
from thinktime.models.state import RUN_ENDS, State
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.grid import TICK

WHY = {RUN_ENDS.index(how): why for why, how in INTERRUPTIONS.items()}
FINISHED, LIMIT, CANCELLED, RUNNING = (RUN_ENDS.index(how) for how in ("finished", "limit", "cancelled", "running"))


def runs_of(pool: Any, rows: Rows, now: float) -> Runs:
    """All runs of the jobs in some rows of a `ChangingMachine`, which count from 0."""
    records = pool.broken_runs()
    place = np.full(pool.requests.size, -1)
    place[rows] = np.arange(len(rows))
    begun = np.isfinite(records[:, interruptions.BEGIN])  # others interrupted suspended jobs
    records = records[begun & (place[records[:, interruptions.ROW].astype(np.int64)] >= 0)]
    found = np.concatenate([records[:, : interruptions.SUBMIT], _last_runs(pool, rows, now)])
    at = place[found[:, interruptions.ROW].astype(np.int64)]
    order = np.argsort(at, kind="stable")
    columns = found[order].T
    whole = {name: columns[k].astype(np.int64) for name, k in (("first_range", FIRST_PLACE), ("ranges", PLACES))}
    counts = np.bincount(at, minlength=len(rows))
    return Runs(
        at[order], counted(counts) + 1, columns[interruptions.BEGIN], columns[interruptions.STOP],
        columns[interruptions.HOW].astype(np.int8), columns[interruptions.PROGRESS], columns[interruptions.OVERHEAD],
        columns[interruptions.LOST], **whole, places=pool.ranges(),
        processors=columns[interruptions.SIZE].astype(np.int64),
    )  # fmt: skip


def record_of(pool: Any, row: int) -> tuple[float, tuple[tuple[float, float, str], ...]]:
    """When a job that is over was submitted, and start, end and ending of each of its runs."""
    if not pool.has_run(row) and pool.requests.state.item(row) == State.FINISHED:
        run = pool.requests.start.item(row), pool.outcomes.end.item(row), RUN_ENDS[FINISHED]
        return pool.requests.submit.item(row), (run,)
    records = pool.broken_runs() if pool.has_run(row) else np.empty((0, interruptions.RECORD))
    records = records[(records[:, interruptions.ROW] == row) & np.isfinite(records[:, interruptions.BEGIN])]
    submit = float(records[0, interruptions.SUBMIT]) if len(records) else pool.requests.submit.item(row)
    found = np.concatenate([records[:, : interruptions.SUBMIT], _last_runs(pool, np.array([row]), np.nan)])
    runs = found[:, [interruptions.BEGIN, interruptions.STOP, interruptions.HOW]].tolist()
    return submit, tuple((start, end, RUN_ENDS[int(how)]) for start, end, how in runs)


def _last_runs(pool: Any, rows: Rows, now: float) -> NDArray[np.float64]:
    """Records of the runs that were not broken off, or not yet, of the jobs in some rows."""
    jobs, truth = pool.requests, pool.outcomes
    rows = rows[np.isfinite(jobs.start[rows]) & (jobs.state[rows] >= State.RUNNING)]
    state, start = jobs.state[rows], jobs.start[rows]
    end = np.where(state == State.RUNNING, now, truth.end[rows])
    if pool.forms is None:
        work = np.minimum(truth.runtime[rows], jobs.requested[rows] if pool.mode == machine_state.KILL else np.inf)
        work -= jobs.done[rows]
        progress, overhead = _kept(pool, rows, end - start, work)
        at_limit = (progress == work) & (truth.runtime[rows] > jobs.requested[rows])
    else:
        work, limit = _left(pool, rows)
        work = np.minimum(work, limit if pool.mode == machine_state.KILL else np.inf)
        progress, overhead = _kept(pool, rows, end - start, work, _standstill(pool, rows, start, end))
        at_limit = (limit <= work) & (progress >= work - TICK)
    how = np.select([state == State.RUNNING, state == State.FINISHED, at_limit], [RUNNING, FINISHED, LIMIT], CANCELLED)
    offset, size = pool.first_and_count
    found = np.zeros((len(rows), interruptions.SUBMIT))
    for place, values in (
        (interruptions.ROW, rows), (interruptions.BEGIN, start), (interruptions.STOP, end), (interruptions.HOW, how),
        (interruptions.FIRST_PLACE, offset[rows]), (interruptions.PLACES, size[rows]),
        (interruptions.PROGRESS, progress), (interruptions.OVERHEAD, overhead),
        (interruptions.SIZE, jobs.processors[rows]),
    ):  # fmt: skip
        found[:, place] = values
    return found


def _left(pool: Any, rows: Rows) -> tuple[Floats, Floats]:
    """How long jobs would work, on their sizes, for what they had left when their stages began: work and limit (s)."""
    arrays, jobs = pool.arrays, pool.requests
    work = (pool.outcomes.runtime[rows] - arrays["worked"][rows]) / arrays["true_rate"][rows]
    return work, (jobs.requested[rows] - jobs.done[rows]) / arrays["rate"][rows]


def _standstill(pool: Any, rows: Rows, start: Floats, end: Floats) -> Floats:
    """How long jobs stood still in their last stages (s): at the beginning, and before they are smaller."""
    arrays = pool.arrays
    return np.minimum(end - start, arrays["pause"][rows]) + np.maximum(0.0, end - arrays["still_from"][rows])


def _kept(pool: Any, rows: Rows, passed: Floats, work: Floats, still: Floats | None = None) -> tuple[Floats, Floats]:
    """Progress and overhead of runs that keep all work, after some time (s), and with so much work to do.

    This is `thinktime.models.engine.interruptions.runs.account` for many jobs.
    """
    interval, cost, restart = (pool.arrays[name][rows] for name in ("checkpoint", "cost", "restart"))
    restart = np.where(pool.requests.runs[rows] > 0, np.minimum(passed, restart), 0.0) if still is None else still
    with np.errstate(invalid="ignore"):
        pieces = np.minimum(np.floor((passed - restart) / (interval + cost)), np.ceil(work / interval) - 1.0)
        pieces = np.where(interval < np.inf, np.maximum(pieces, 0.0), 0.0)
        saved = np.where(pieces > 0, pieces * interval, 0.0)
    overhead = restart + pieces * cost
    rest = passed - saved - overhead
    return saved + np.minimum(rest, interval), overhead + np.maximum(0.0, rest - interval)
