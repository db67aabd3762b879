"""What a user sees: the queue as a batch system shows it, own positions and predicted starts, never true run times.

`Sight` is to users what `View` is to policies: live, read-only, and without what no user can know. Of other users'
jobs it shows what ``squeue`` shows: number, owner, size, time limit, submission and start. Of the user's own jobs it
also knows positions in the queue and predicted starts, and of the user the fairshare usage. It shows the machine as
the last scheduling pass left it, so jobs submitted at this instant are not in the queue yet.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from thinktime.models.engine.limits.ranking import lowest_last
from thinktime.models.jobs.view import View
from thinktime.models.machine.events import JobEvent
from thinktime.models.machine.forecast import expected_end, fair_start, predicted_ends, predicted_starts
from thinktime.models.machine.scheduler import Scheduler
from thinktime.models.orders.accounts import Accounts
from thinktime.workloads.arrays import writable
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted


class Listed(NamedTuple):
    """A line of the list of jobs, with times in s; ``start`` is None while the job waits."""

    id: int
    user: Any
    processors: int
    estimate: float
    submit: float
    start: float | None


class Sight:
    """The machine as one user sees it at the moment.

    >>> import simpy, thinktime as tt
    >>> machine = tt.Machine(simpy.Environment(), processors=4)
    >>> sight = machine.sight("ada")
    >>> sight.free, sight.queue_length
    (4, 0)
    """

    __slots__ = ("_probe", "_scheduler", "user")

    def __init__(
        self, scheduler: Scheduler, probe: Callable[[Job, Any], AbstractContextManager[int]], user: Any
    ) -> None:
        self._scheduler = scheduler
        self._probe = probe
        self.user = user

    @property
    def now(self) -> float:
        """The time of the simulation, s."""
        return float(self._scheduler.env.now)

    @property
    def capacity(self) -> int:
        """Processors of the machine."""
        return self._scheduler.pool.processors

    @property
    def free(self) -> int:
        """Processors on which nothing runs."""
        self._scheduler.settle()
        return self._scheduler.pool.idle

    @property
    def queue_length(self) -> int:
        """How many jobs wait."""
        return self._scheduler.pool.waiting_count()

    @property
    def queued_work(self) -> float:
        """Processors times estimates of the waiting jobs, processor-seconds."""
        rows, requests = self._scheduler.pool.waiting_rows, self._scheduler.pool.requests
        return float(requests.processors[rows] @ requests.requested[rows])

    @property
    def backlog(self) -> float:
        """How long the whole machine would need for the queue, by its estimates, s."""
        return self.queued_work / self.capacity

    @property
    def queue(self) -> list[Listed]:
        """The waiting jobs in the policy's order, or by arrival where it has none."""
        return self._listed(self._in_order())

    @property
    def running(self) -> list[Listed]:
        """The running jobs, by start + estimate."""
        self._scheduler.settle()
        return self._listed(self._scheduler.pool.running_rows)

    @property
    def own(self) -> list[Listed]:
        """The user's jobs in the queue, on the machine, and outside the queue until they are eligible."""
        aside = self._listed(self._scheduler.pool.aside_rows)
        return [job for job in (*self.queue, *self.running, *aside) if job.user == self.user]

    def position(self, job: JobEvent) -> int:
        """The place of one of the user's waiting jobs in the queue; 1 is next."""
        self._check(job)
        places = np.flatnonzero(self._in_order() == job.row)
        if not len(places):
            raise self._not_in_queue(job)
        return int(places[0]) + 1

    def _not_in_queue(self, job: JobEvent) -> ValueError:
        what = "not eligible yet" if self._scheduler.pool.is_aside(job.row) else job.state.label
        return ValueError(f"job {job.id} is not in the queue: it is {what}")

    def predicted_start(self, job: JobEvent | Job) -> float:
        """When one of the user's waiting jobs, or a job that they would submit now, will start (s).

        This is the job's reservation where the policy makes one (conservative backfilling). Otherwise it is a forecast:
        the policy is run forward on a copy of the machine as if all jobs ran as long as they asked for and no others
        came. It is infinite for a job that would never start, or is not eligible yet. A forecast costs about as much as
        the passes that it runs. It uses the estimates that the policy plans with, so it is as exact as these.
        """
        scheduler = self._scheduler
        scheduler.settle()
        if isinstance(job, Job):
            with self._probe(job, self.user) as row:
                start = fair_start(scheduler, np.array([row]), self.now, by_estimates=True)
            return inf if isnan(start) else start
        if (place := self._place(job)) < 0:
            return inf
        predict = scheduler.hooks.predict
        reserved = nan if predict is None else float(predict(self._view(), job.row))
        return float(predicted_starts(scheduler, self.now)[place]) if isnan(reserved) else reserved

    def predicted_end(self, job: JobEvent | Job) -> float:
        """When one of the user's waiting jobs, or a job that they would submit now, will end (s).

        A forecast as for `predicted_start`, in which the job runs for as long as it asks for. A policy that chooses
        sizes (`thinktime.models.policies.shapes`) may start it with another one.
        """
        scheduler = self._scheduler
        scheduler.settle()
        if isinstance(job, Job):
            with self._probe(job, self.user) as row:
                end = expected_end(scheduler, row, self.now)
            return inf if isnan(end) else end
        place = self._place(job)
        return inf if place < 0 else float(predicted_ends(scheduler, self.now)[place])

    def _place(self, job: JobEvent) -> int:
        """The place of one of the user's jobs among those that wait; -1 if it is not eligible yet."""
        self._check(job)
        place = np.flatnonzero(self._scheduler.pool.waiting_rows == job.row)
        if len(place):
            return int(place[0])
        if self._scheduler.pool.is_aside(job.row):
            return -1
        raise self._not_in_queue(job)

    @property
    def usage(self) -> float | None:
        """The user's usage in the accounts of the policy's order, such as fairshare; None where it keeps none of users.

        In decayed processor-seconds, or in whatever the order measures.
        """
        accounts = self._accounts()
        return None if accounts is None else accounts.usages(self._labels, self.now).get(self.user, 0.0)

    @property
    def priority(self) -> float | None:
        """The user's fairshare priority: usage divided by weight, smaller is next; None where no accounts are kept."""
        accounts = self._accounts()
        if accounts is None or (self.user is not None and self.user not in self._labels):
            return None if accounts is None else 0.0
        account = 0 if self.user is None else self._labels.index(self.user) + 1
        return float(accounts.priorities(self._labels, self.now)[account])

    @property
    def _labels(self) -> list[Any]:
        return self._scheduler.names["user"]

    def _accounts(self) -> Accounts | None:
        accounts = self._scheduler.hooks.accounts
        if accounts is None or accounts.by != "user":
            return None
        self._scheduler.settle()
        return accounts

    def _check(self, job: JobEvent) -> None:
        owner = self._scheduler.pool.requests.user.item(job.row)
        if (self._labels[owner] if owner >= 0 else None) != self.user:
            raise ValueError(f"job {job.id} is not one of user {quoted(self.user)}")

    def _in_order(self) -> Any:
        order, view = self._scheduler.hooks.order, self._view()
        view.waiting, view.left_out = self._scheduler.pool.waiting_rows, view.left_out[:0]  # also those beyond limits
        rows = view.waiting if order is None else order.sort(view)
        return np.array(lowest_last(self._scheduler.pool.state, writable(rows)))

    def _view(self) -> View:
        view = self._scheduler.view
        view.look(self._scheduler.pool, self.now)
        return view

    def _listed(self, rows: Any) -> list[Listed]:
        jobs, names = self._scheduler.pool.requests, self._labels
        columns = (
            jobs.id[rows],
            jobs.user[rows],
            jobs.processors[rows],
            jobs.requested[rows],
            jobs.submit[rows],
            jobs.start[rows],
        )
        return [
            Listed(id, names[user] if user >= 0 else None, n, estimate, submit, None if start != start else start)
            for id, user, n, estimate, submit, start in zip(*(c.tolist() for c in columns), strict=True)
        ]  # fmt: skip

    def __repr__(self) -> str:
        processors = f"{self.free} of {self.capacity} processors free"
        return f"<what {self.user!r} sees: {processors}, {self.queue_length} jobs wait>"
