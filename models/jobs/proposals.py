"""What policies propose: it is looked at part by part, as it comes, so that the view knows what was proposed so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.omissions import Omissions
from thinktime.models.jobs.checks import name_of
from thinktime.models.jobs.leaving import Leave, Resize
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.proposed import Proposed
from thinktime.models.jobs.refusing import PolicyError
from thinktime.models.jobs.request import Request
from thinktime.models.jobs.view import View
from thinktime.workloads.arrays import NO_ROWS, Rows
from thinktime.workloads.names import quoted
from thinktime.workloads.units import counted

NO_ACCIDENT = 3
"""So many times are no accident."""


def as_rows(policy: Any, given: Any, view: View, pool: Pool, choose: Callable[[Leave | Resize], None]) -> Rows:
    """The rows that a policy proposed: rows, requests, an array, a generator, or None for nobody.

    ``choose`` is called for each running job that is to leave, or to have another size. ``PolicyError`` at the first
    part that is no job, does not wait, or was there before.
    """
    try:
        if given is None:
            return NO_ROWS
        if isinstance(given, np.ndarray):
            if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
                raise TypeError(f"an array of {given.dtype} in {given.ndim} dimensions is neither")
            return given.astype(np.int64)
        return _in_turn(policy, given, view, pool, choose)
    except _NoJobError as error:
        wrong: Exception = error
    except (TypeError, OverflowError) as error:
        if not isinstance(given, np.ndarray) and isinstance(given, Iterable):
            raise  # out of the policy itself
        wrong = error
    raise PolicyError(
        f"policy {name_of(policy)} proposed {quoted(given)} at {view.now:g} s ({wrong}), but must propose rows "
        "(whole numbers) or requests"
    )


class _NoJobError(TypeError):
    """A part of a proposal is neither a row nor a request."""


def _in_turn(
    policy: Any, given: Iterable[Any], view: View, pool: Pool, choose: Callable[[Leave | Resize], None]
) -> Rows:
    """Look through what comes, part by part."""
    proposed = view.proposed if view.outside else Proposed()
    state: State = pool.state
    rows, size, apart = proposed.rows, pool.requests.size, pool.limits is not None
    for part in given:  # objects: from a policy
        if isinstance(part, Request):  # objects: from a policy
            job = part
            row = job.row
        elif isinstance(part, Leave):  # objects: from a policy
            choose(part)  # objects: it is asked
            proposed.leaving.append(part.row)  # objects: a list
            continue
        elif isinstance(part, Resize):  # objects: from a policy
            choose(part)  # objects: it is asked
            continue
        elif isinstance(part, tuple):  # objects: from a policy
            row = _with_size(policy, part, view, pool)
        else:
            row = _row_in(policy, part, view, pool)
        # an entry of a job has no state of its own
        fine = 0 <= row < size and (apart or state.state[row] == states.WAITING)
        if not fine or row in rows:  # objects: a dictionary
            _refuse(policy, pool, [*rows, row], view.now)  # objects: it raises an error
        rows[row] = None  # objects: a dictionary
        proposed.processors += state.processors[row]
    return np.fromiter(rows, np.int64, len(rows)) if rows else NO_ROWS


def _row_in(policy: Any, part: Any, view: View, pool: Pool) -> int:
    """The row that a whole number is."""
    if isinstance(part, bool | np.bool_) or not isinstance(part, int | np.integer):
        raise _NoJobError(f"{quoted(part)} is neither")
    if not 0 <= part < pool.requests.size:
        _refuse(policy, pool, [*(view.proposed.rows if view.outside else ()), int(part)], view.now)
    return int(part)


def _with_size(policy: Any, part: tuple[Any, ...], view: View, pool: Pool) -> int:
    """The row of a job that starts with another size, which it has from now on."""
    if len(part) != 2:
        raise _NoJobError(f"{quoted(part)} is neither")
    job, processors = part
    row = job.row if isinstance(job, Request) else _row_in(policy, job, view, pool)
    proposed = view.proposed.rows if view.outside else {}
    if 0 <= row < pool.requests.size and row not in proposed and _waits(pool.state, row):
        try:
            pool.start_with(row, processors)
        except PolicyError as error:
            raise PolicyError(f"policy {name_of(policy)} {error}") from None
    return int(row)


def _waits(state: State, row: int) -> bool:
    """Whether a job waits, or that of an entry (`thinktime.models.engine.limits.entry_rows`)."""
    return bool(state.state[entry_rows.job_of(state, row)] == states.WAITING)


def _refuse(policy: Any, pool: Pool, rows: list[int], now: float) -> None:
    """The last of some rows cannot start."""
    row = rows[len(rows) - 1]
    if not -(2**63) <= row < 2**63:
        raise _NoJobError(f"{quoted(row)} is neither")
    try:
        pool.refuse_last(np.array(rows, np.int64), now)
    except PolicyError as error:
        raise PolicyError(f"policy {name_of(policy)} {error}") from None


def returned_none(omissions: Omissions) -> str:
    """What the policy did if it returned None although nothing ran, and what it should do; else empty."""
    if not omissions.waiting:
        return ""
    return (
        f"returned None at {omissions.none_at:.15g} s, although {counted(omissions.waiting, 'job')} waited and nothing "
        "ran: it has to yield or return the jobs that start; to start none, return []"
    )


def left_idle(omissions: Omissions, name: str) -> list[str]:
    """A sentence for the notes of a result if jobs seem to have been held back by mistake."""
    if omissions.count < NO_ACCIDENT or omissions.count <= omissions.held:
        return []
    most = "one job" if omissions.most == 1 else f"{omissions.most} jobs"
    return [
        f"policy {name} left processors idle on which the head of the queue would have fitted, {omissions.count:,} "
        f"times (first at {omissions.first:.15g} s), and started waiting jobs there at the next instant, never "
        f"more than {most} at once: it is asked once, so it has to propose all of them, as in "
        "'for job in view.queue: if view.fits(job): yield job'"
    ]
