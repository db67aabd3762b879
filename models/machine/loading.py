"""What those do with a machine who submit the jobs of logs and of other tables: a part of the machine.

They load jobs, whose rows they are given, and say later when these are submitted: now, at known times, or in batches
that wait for each other. No job has an event of its own, unlike those that are given to `Machine.submit`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import simpy
from numpy.typing import NDArray

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.jobs.chains import Chain
from thinktime.models.jobs.log_conditions import restrict
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.trace import Trace

if TYPE_CHECKING:
    import numpy as np

    from thinktime.models.jobs.conditions import Conditions
    from thinktime.models.jobs.pool import Pool
    from thinktime.models.jobs.split_jobs import SplitJobs
    from thinktime.models.machine.changing.rules import Changes
    from thinktime.models.machine.intake import Intake
    from thinktime.models.machine.listeners import Listeners
    from thinktime.models.machine.scheduler import Scheduler
    from thinktime.models.results.demand import LostDemand
    from thinktime.workloads.columns import LabelNames
    from thinktime.workloads.job import Job
    from thinktime.workloads.node_requests import NodeRequest
    from thinktime.workloads.nodes import Nodes


class Loading:
    """The part of a machine that loads jobs."""

    env: simpy.Environment
    pool: Pool
    split_jobs: SplitJobs
    conditions: Conditions
    changes: Changes | None
    nodes: Nodes | None
    listeners: Listeners
    scheduler: Scheduler
    _intake: Intake
    _partitions: Any
    _lost: LostDemand

    def load(
        self,
        trace: Trace,
        order: NDArray[np.int64] | None = None,
        asked: Sequence[NodeRequest] = (),
        queues: Any = None,
    ) -> range:
        """Load a trace's jobs without submitting them; returns their rows.

        ``submit_rows`` submits ranges of them. Jobs that can never run here are refused when they are submitted.
        ``order`` (rows of the trace) is for users who decide when they submit: it makes jobs submitted together
        adjacent, and the log's submit times are ignored. ``asked`` is what the jobs ask of nodes, and ``queues`` the
        names of their queues, if a log has more than the standard fields (`thinktime.workloads.node_log`) and no names
        for its numbers.
        """
        rows = self._intake.log(trace, order, asked, queues)
        self.scheduler.tell_calendar(trace.calendar)
        return rows

    def load_jobs(self, user: Any, count: int, called: LabelNames | None = None, **columns: Any) -> range:
        """Load jobs of one user without submitting them; returns their rows.

        Jobs of several users say whose each is: numbers, which may be ``called`` something.
        ``columns`` are arrays of ``runtime``, ``processors``, ``estimate`` and optionally ``patience`` (how long they
        wait before they are taken back, s; NaN: for ever), ``memory``, ``group``, ``queue`` and ``partition``: numbers
        (-1: none), which may be ``called`` something, or texts. The machine numbers the jobs.
        """
        return self._intake.jobs_of(user, count, columns, called or {})

    def job_in(self, row: int, request: NodeRequest | None = None) -> Job:
        """The job in a row, as its user would submit it; ``request`` is what it asks of nodes."""
        return self._intake.job_in(row, request)

    def alter(self, row: int, job: Job | None) -> None:
        """The user of a loaded job, which is about to be submitted, submits this one instead, or none.

        The row is that of the other job then, or of one that is withdrawn as it is submitted. ``ValueError`` if the
        other job could never run here.
        """
        if job is None:
            self.pool.outcomes.attention[row] |= at.UNWANTED
        else:
            rows = self._intake.alter(row, job, ceil_to_grid(self.env.now))
            if self.scheduler.deferring is not None:
                self.scheduler.deferring.forget(rows)
            self.scheduler.altered(rows)

    def respond(
        self, job: Job, response: str, reason: str, instead: Job | None, delay: float = 0.0, ahead: float = 0.0
    ) -> None:
        """Record that a user did something ``instead`` of submitting a job as it was wanted (`Result.answers`).

        ``response`` is a kind of `thinktime.models.results.responses`, ``delay`` how much later that is, and ``ahead``
        in how much time the job is submitted (s).
        """
        self._lost.responses.add(ceil_to_grid(self.env.now + ahead), job, response, reason, instead, delay)

    def restrict(self, trace: Trace, rows: range, conditions: LogConditions) -> None:
        """The jobs of a trace in these rows, which are not submitted yet, wait for what a table says.

        A dependency on a job that the trace does not have is taken as met. Jobs that failed in the log, or were
        cancelled (status 0 and 5), are not ok.
        """
        restrict(self.conditions, trace, rows, conditions, ceil_to_grid(self.env.now))

    def submit_rows(self, rows: range) -> None:
        """Submit loaded jobs now, whatever their recorded submit times."""
        self.scheduler.submitted(rows)

    def chain(self, chain: Chain) -> simpy.Event:
        """Submit batches of loaded jobs, each after those that it waits for; returns the event of the last end.

        Compiled code counts them down, so this costs no more than submissions at known times.
        """
        self.scheduler.attend()
        return self.scheduler.chained(chain)

    def announce(self, rows: range, at: NDArray[np.float64] | None = None) -> None:
        """Submit loaded jobs at their recorded times, or at the given ones (s, ascending, none in the past).

        This does the same as a process that sleeps between submissions, with one SimPy event less for each.
        """
        if at is not None:
            self.pool.requests.submit[rows.start : rows.stop] = at
        self.scheduler.announced(rows)

    def watch(self, rows: range | NDArray[np.int64]) -> simpy.Event:
        """An event that succeeds when the last of these loaded jobs is over; its value is the time.

        Use it to wait for many jobs without needing their records: compiled code counts them down. Call it before
        submitting the jobs. A job can be in one watch at a time.
        """
        self.scheduler.attend()
        return self.listeners.add_watch(rows)

    def can_plan(self, impatient: bool = False) -> bool:
        """Whether users who cannot react can follow plans here (`plans`); if not, each is a process.

        They cannot on nodes, under limits of a site or a runtime limit, and between two points of the grid of time; nor
        can users with patience where jobs may be interrupted, and wait again.
        """
        if impatient and self.changes is not None:
            return False
        on_grid = self.env.now == ceil_to_grid(self.env.now) and self.pool.limits is None
        on_grid = on_grid and not self._partitions.rounds
        return on_grid and self.nodes is None and self.split_jobs.limit == math.inf
