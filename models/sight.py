"""What a user sees: the queue as a batch system shows it, own positions and predicted starts. Never a true run time.

`Sight` is to users what a `View` is to policies: read-only, live, and without what nobody can know. Of
other people's jobs it shows what ``squeue`` shows (number, owner, size, time limit, submission, start), of
the user's own jobs their places in the queue as well. It shows the machine as the last scheduling pass left
it: what is submitted at this instant is not in the queue yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thinktime.models.border import name_of
from thinktime.models.policies.orders import Order

if TYPE_CHECKING:
    from thinktime.models.events import JobEvent
    from thinktime.models.machine import Machine
    from thinktime.models.view import View


class Listed(NamedTuple):
    """A line of the list of jobs: times in s; ``start`` is None for a job that waits."""

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

    __slots__ = ("_machine", "user")

    def __init__(self, machine: Machine, user: Any) -> None:
        self._machine = machine
        self.user = user

    # -- the machine --------------------------------------------------------------------

    @property
    def now(self) -> float:
        """The time, s."""
        return float(self._machine.env.now)

    @property
    def capacity(self) -> int:
        """Processors of the machine."""
        return self._machine.capacity

    @property
    def free(self) -> int:
        """Processors on which nothing runs."""
        return self.capacity - self._machine.count

    @property
    def queue_length(self) -> int:
        """How many jobs wait."""
        return self._machine.pool.waiting_count()

    @property
    def queued_work(self) -> float:
        """Processors times estimates of the waiting jobs, processor-seconds."""
        jobs, rows = self._machine.pool.requests, self._machine.pool.waiting_rows
        return float(jobs.processors[rows] @ jobs.estimate[rows])

    @property
    def backlog(self) -> float:
        """How long the whole machine would need for the queue, by its estimates, s."""
        return self.queued_work / self.capacity

    @property
    def queue(self) -> list[Listed]:
        """The waiting jobs in the order in which the policy would take them (by arrival, where it has no order)."""
        return self._listed(self._in_order())

    @property
    def running(self) -> list[Listed]:
        """The running jobs, by start + estimate."""
        self._machine.count  # noqa: B018  (settles what ended before now)
        return self._listed(self._machine.pool.running_rows)

    # -- the user's own -----------------------------------------------------------------

    @property
    def own(self) -> list[Listed]:
        """The user's jobs in the queue and on the machine."""
        return [job for job in (*self.queue, *self.running) if job.user == self.user]

    def position(self, job: JobEvent) -> int:
        """The place of one of the user's waiting jobs in the queue; 1 is next."""
        self._check(job)
        places = np.flatnonzero(self._in_order() == job.row)
        if not len(places):
            raise ValueError(f"job {job.id} is not in the queue: it is {job.state.label}")
        return int(places[0]) + 1

    def predicted_start(self, job: JobEvent) -> float:
        """When one of the user's waiting jobs will start, as the policy foresees it (s)."""
        self._check(job)
        predict = getattr(self._machine.policy, "predict", None)
        if predict is None:
            raise ValueError(f"policy {name_of(self._machine.policy)} predicts no starts")
        start: float = predict(self._view(), job.row)
        return start

    def _check(self, job: JobEvent) -> None:
        owner = self._machine.pool.requests.user.item(job.row)
        names = self._machine.names["user"]
        if (names[owner] if owner >= 0 else None) != self.user:
            raise ValueError(f"job {job.id} is not one of user {self.user!r}")

    def _in_order(self) -> Any:
        order = getattr(self._machine.policy, "order", None)
        view = self._view()
        return order.sort(view) if isinstance(order, Order) else view.waiting

    def _view(self) -> View:
        view = self._machine._scheduler.view
        view.look(self._machine.pool, self.now)
        return view

    def _listed(self, rows: Any) -> list[Listed]:
        jobs, names = self._machine.pool.requests, self._machine.names["user"]
        columns = (jobs.id, jobs.user, jobs.processors, jobs.estimate, jobs.submit, jobs.start)
        return [
            Listed(id, names[user] if user >= 0 else None, n, estimate, submit, None if start != start else start)
            for id, user, n, estimate, submit, start in zip(*(c[rows].tolist() for c in columns), strict=True)
        ]  # fmt: skip

    def __repr__(self) -> str:
        processors = f"{self.free} of {self.capacity} processors free"
        return f"<what {self.user!r} sees: {processors}, {self.queue_length} jobs wait>"
