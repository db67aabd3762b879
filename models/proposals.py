"""What policies propose: it is looked at part by part, as it comes, so that the view knows what was proposed so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.changing.sights import Leave
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.machine_checks import name_of
from thinktime.models.pool import PolicyError, Pool
from thinktime.models.request import Request
from thinktime.models.view import Proposed, View
from thinktime.workloads.names import quoted
from thinktime.workloads.units import counted

Rows = NDArray[np.int64]
NOBODY: Rows = np.empty(0, np.int64)
NO_ACCIDENT = 3
"""So many times are no accident."""


def as_rows(policy: Any, given: Any, view: View, pool: Pool, choose: Callable[[Leave], None]) -> Rows:
    """The rows that a policy proposed: rows, requests, an array, a generator, or None for nobody.

    ``choose`` is called for each running job that is to leave. ``PolicyError`` at the first part that is no job, does
    not wait, or was there before.
    """
    try:
        if given is None:
            return NOBODY
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


def _in_turn(policy: Any, given: Iterable[Any], view: View, pool: Pool, choose: Callable[[Leave], None]) -> Rows:
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
        else:
            row = _row_in(policy, part, view, pool)
        # an entry of a job has no state of its own
        fine = 0 <= row < size and (apart or state.state[row] == states.WAITING)
        if not fine or row in rows:  # objects: a dictionary
            _refuse(policy, pool, [*rows, row], view.now)  # objects: it raises an error
        rows[row] = None  # objects: a dictionary
        proposed.processors += state.processors[row]
    return np.fromiter(rows, np.int64, len(rows)) if rows else NOBODY


def _row_in(policy: Any, part: Any, view: View, pool: Pool) -> int:
    """The row that a whole number is."""
    if isinstance(part, bool | np.bool_) or not isinstance(part, int | np.integer):
        raise _NoJobError(f"{quoted(part)} is neither")
    if not 0 <= part < pool.requests.size:
        _refuse(policy, pool, [*(view.proposed.rows if view.outside else ()), int(part)], view.now)
    return int(part)


def _refuse(policy: Any, pool: Pool, rows: list[int], now: float) -> None:
    """The last of some rows cannot start."""
    row = rows[len(rows) - 1]
    if not -(2**63) <= row < 2**63:
        raise _NoJobError(f"{quoted(row)} is neither")
    try:
        pool.refuse_last(np.array(rows, np.int64), now)
    except PolicyError as error:
        raise PolicyError(f"policy {name_of(policy)} {error}") from None


class Omissions:
    """What a policy of one's own seems to have forgotten, for the notes of a result.

    A policy that starts one job in each pass, say, although others would fit, can be told from one that holds jobs back
    on purpose: at the next instant it starts jobs that waited before, on processors that were idle all the time.
    Counted are passes that started as many jobs as any, and left the head of the queue waiting though it fitted. A
    policy that then starts nobody at the next instant holds back.
    """

    def __init__(self) -> None:
        self.none_at, self.waiting = nan, 0
        """When the policy returned None although nothing ran, for the first time, and how many jobs waited."""
        self._most = self._count = self._held = 0
        self._first, self._idle, self._since = nan, -1, -inf

    def gave_none(self, pool: Pool, now: float) -> None:
        """The policy returned None."""
        if self.waiting == 0 and pool.is_idle():
            self.none_at, self.waiting = now, pool.waiting_count()

    def passed(self, pool: Pool, rows: Rows, now: float, fits: Callable[[int], bool]) -> None:
        """A pass is over, in which these rows have started; ``fits`` says whether a job fits now."""
        started, idle = len(rows), self._idle
        if started < self._most and idle < 0:
            return
        self._idle = -1
        if started > self._most:
            self._most, self._count, self._held = started, 0, 0
        elif idle >= 0 and now > self._since:
            self._held += not started
            if started and self._late(pool, rows, idle):
                self._count += 1
                self._first = self._since if self._count == 1 else self._first
        if started and started == self._most and pool.waiting_count():
            head, idle = int(pool.waiting_rows[0]), pool.idle
            if pool.requests.processors.item(head) <= idle and fits(head):
                self._idle, self._since = idle, now

    def _late(self, pool: Pool, rows: Rows, idle: int) -> bool:
        """Whether the jobs that start waited at the last pass, and would have found room then."""
        jobs = pool.requests
        return bool(jobs.processors[rows].sum() <= idle and (jobs.submit[rows] <= self._since).all())

    def returned_none(self) -> str:
        """What the policy did if it returned None although nothing ran, and what it should do; else empty."""
        if not self.waiting:
            return ""
        return (
            f"returned None at {self.none_at:.15g} s, although {counted(self.waiting, 'job')} waited and nothing ran: "
            "it has to yield or return the jobs that start; to start none, return []"
        )

    def left_idle(self, name: str) -> list[str]:
        """A sentence for the notes of a result if jobs seem to have been held back by mistake."""
        if self._count < NO_ACCIDENT or self._count <= self._held:
            return []
        most = "one job" if self._most == 1 else f"{self._most} jobs"
        return [
            f"policy {name} left processors idle on which the head of the queue would have fitted, {self._count:,} "
            f"times (first at {self._first:.15g} s), and started waiting jobs there at the next instant, never "
            f"more than {most} at once: it is asked once, so it has to propose all of them, as in "
            "'for job in view.queue: if view.fits(job): yield job'"
        ]
