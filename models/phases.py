"""What happens at one instant, phase by phase, on a pool under a policy: no clock, no SimPy.

The contract of one instant *t*: (1) completions and kills; (2) policy clocks; (3) withdrawals and submissions, by
(time, id); (4) one scheduling pass; (5) starts. `thinktime.models.scheduler` goes through the phases under SimPy's
clock and tells the users; `thinktime.models.forecast` goes through the same ones on a copy of the state.
"""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models import machine_checks
from thinktime.models.changing.sights import Leave
from thinktime.models.engine.entries import start_entries
from thinktime.models.engine.limits import by_tier
from thinktime.models.engine.queue_orders import AsKept
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.hooks import Hooks, RowsHook
from thinktime.models.pool import PolicyError, Pool
from thinktime.models.proposals import Omissions, as_rows
from thinktime.models.state import State
from thinktime.models.view import Columns, View
from thinktime.workloads.arrays import writable
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.grid import ceil_to_grid

Rows = NDArray[np.int64]
ARRIVAL = AsKept(np.zeros(1, np.int64))
"""An order that knows nothing of partitions."""
HINT = "if a policy yields its jobs one by one, view.fits(job) counts those before"


class Phases:
    """A pool, its policy, the view of that policy, and the phases of an instant."""

    def __init__(self, pool: Pool, policy: Any, names: dict[str, list[Any]]) -> None:
        self.pool = pool
        self.policy = policy
        self.names = names
        self.hooks = hooks = Hooks(policy)
        self.view = View(pool, names, trusted=hooks.trusted)
        self._key = self.view.kept = None if hooks.order is None else hooks.order.static
        self._clock = inf
        self._opening = inf  # when time alone brings a waiting job within its limits
        self._may_preempt = pool.may_preempt
        outside = not hooks.trusted and not isinstance(policy, ReadyPolicy)
        self.omissions = Omissions() if outside else None
        """What a policy from outside seems to have forgotten; a ready rule within it holds back what it does."""
        self._on_end, self._on_start, self._on_estimate = hooks.on_end, hooks.on_start, hooks.on_estimate
        self._on_interrupt = hooks.on_end if hooks.trusted else hooks.on_interrupt
        self._on_kill = None if hooks.trusted else hooks.on_end
        if hooks.accounts is not None:
            hooks.accounts.keep(pool, names)
            self._on_interrupt = in_turn(hooks.accounts.on_end, self._on_interrupt)
            self._on_end = in_turn(hooks.accounts.on_end, hooks.on_end)
            self._on_start = in_turn(hooks.accounts.on_start, hooks.on_start)

    @property
    def over(self) -> int:
        """The number of jobs that are over."""
        return int(self.pool.truth.over)

    def _tell_started(self, rows: Rows, now: float) -> None:
        """Jobs have started."""

    def _tell_over(self, rows: Rows, now: float) -> bool:
        """Jobs are over; True if somebody was told who may react."""
        self.pool.truth.over += len(rows)
        self.pool.over(rows)
        return False

    def tell_calendar(self, calendar: Calendar) -> None:
        """Tell the policy, and the accounts that its order keeps, about the calendar of a log."""
        if self.hooks.accounts is not None:
            self.hooks.accounts.on_calendar(calendar)
        if self.hooks.on_calendar is not None:
            self.hooks.on_calendar(calendar)

    def _finish(self, now: float, cancelled: list[int]) -> bool:
        """(1) End what is due; True if somebody was told."""
        told = self._on_estimate is not None and self._prolong(now, cancelled)
        if self.pool.next_end() <= now:
            told |= self._ended(self.pool.finish_due(now), now)
        return told

    def _prolong(self, now: float, cancelled: list[int]) -> bool:
        """(1) Before the kills: end the others, and ask the policy about jobs that reach their estimates unfinished."""
        rows = self.pool.reaching_estimate(now)
        rows = rows[~np.isin(rows, cancelled)]
        if not len(rows):
            return False
        told = self._end(self.pool.completing(now), State.FINISHED, now)
        told |= self._end(cancelled, State.KILLED, now)
        assert self._on_estimate is not None
        self.view.look(self.pool, now)
        for row, until in zip(rows.tolist(), self._on_estimate(self.view, rows, now), strict=True):
            until = machine_checks.checked_until(self.policy, until, now)
            if until > now:
                self.pool.prolong(row, until)
        return told

    def _end(self, rows: list[int], how: State, now: float) -> bool:
        """(1) End those of the rows that run; True if somebody was told."""
        told = False
        for row in rows:
            if self.pool.requests.state[row] == State.RUNNING:
                self.pool.end_now(row, now, how)
                told |= self._ended(np.array([row]), now)
        return told

    def _change(self, now: float) -> bool:
        """(1) The machine changes, if it is due; True if somebody was told."""
        if self.pool.next_change() > now:
            return False
        rows = self.pool.change(now).copy()
        told = False
        given_up = self.pool.given_up
        if len(rows):
            told = self._interrupted(rows, now)
        if len(given_up):
            told |= self._gave_up(given_up, now)
        if self.hooks.on_change:
            self.view.look(self.pool, now)
            self.hooks.on_change(self.view, now)
        return told

    def _interrupted(self, rows: Rows, now: float) -> bool:
        """Jobs were thrown off: some go back into the queue, others are killed."""
        killed = rows[self.pool.requests.state[rows] == State.KILLED]
        on_interrupt, on_requeue = self._on_interrupt, self.hooks.on_requeue
        if on_interrupt:
            self.view.look(self.pool, now)
            on_interrupt(self.view, rows, now)
        if on_requeue and len(killed) < len(rows):
            on_requeue(self.view, np.setdiff1d(rows, killed, assume_unique=True), now)
        if len(killed) and self._on_kill:
            self.view.look(self.pool, now)
            self._on_kill(self.view, killed, now)
        return self._tell_over(killed, now) if len(killed) else False

    def _ended(self, rows: Rows, now: float) -> bool:
        if self._on_end:
            self.view.look(self.pool, now)
            self._on_end(self.view, rows, now)
        return self._tell_over(rows, now)

    def _strike(self, now: float) -> None:
        """(2) The time that the policy asked for has come."""
        self._clock = inf
        if self.hooks.on_clock:
            self.view.look(self.pool, now)
            self.hooks.on_clock(self.view, now)

    def _enqueue(self, now: float) -> None:
        """(3) Submitted jobs enter the queue, by id."""
        if self.pool.limits is not None:
            self.pool.limits.learn()
        self._compute_keys(now)
        accepted = self.pool.enqueue(now)
        if self.pool.truth.turned_away:
            self._tell_over(self.pool.turned_away, now)
        if self.hooks.on_submit and len(accepted):
            self.view.look(self.pool, now)
            self.hooks.on_submit(self.view, accepted, now)

    def _compute_keys(self, now: float) -> None:
        """(3) Compute the keys by which the machine keeps submitted jobs in the queue, if it does."""
        if self._key:
            rows = self.pool.newcomers
            self.pool.requests.key[rows] = self._key.keys(Columns(self.pool.requests, self.names, rows), now)

    def _schedule(self, now: float) -> int:
        """(4) One pass, and (5) its starts; returns how many jobs still wait.

        If a job that was passed over or chosen is beyond a limit by these starts, another pass follows without it.
        """
        self._refuse_hopeless(now)
        if not self.pool.waiting_count() and self.hooks.next_clock is None:
            return 0
        while self._pass(now):
            pass
        self.pool.raise_fault()
        self.pool.age(now)
        if self.pool.truth.explained:
            self.pool.explain(now)
        self._opening = self.pool.next_opening(now)
        if self.hooks.next_clock:
            self._clock = machine_checks.checked_clock(self.policy, self.hooks.next_clock(now), now)
        return self.pool.waiting_count()

    def _pass(self, now: float) -> bool:
        """(4) One pass, and (5) its starts; True if limits call for another one."""
        self.pool.state.spare.used = 0
        if self.pool.limits is not None:
            self.pool.limits.learn()
            beyond = self.pool.sort_out(now)
            if len(beyond) and self.hooks.on_bar:
                self.view.look(self.pool, now)
                self.hooks.on_bar(self.view, beyond, now)
        self.view.look(self.pool, now)
        rows = self.hooks.select(self.view, now)
        if type(rows) is not np.ndarray or rows.dtype != np.int64 or rows.ndim != 1:
            if rows is None and self.omissions is not None:
                self.omissions.gave_none(self.pool, now)
            rows = as_rows(self.policy, rows, self.view, self.pool, self._choose)
        elif not self.hooks.trusted:
            rows = rows.copy()  # it may be a part of the queue, which starts change
        again = False
        if len(rows) and self.pool.limits is not None:
            rows, again = self._within_limits(rows, now)
        if self._may_preempt:
            rows = rows.copy()
            if len(left := self.pool.preempt(now).copy()):
                self._interrupted(left, now)
        if rows.size:
            self._start(self._jobs_of(rows, now), now)
        if self.omissions is not None and self.pool.limits is None:
            self.omissions.passed(self.pool, rows, now, self._fits)
        return again

    def _fits(self, row: int) -> bool:
        """Whether a waiting job would fit now, beside those that have started."""
        self.view.look(self.pool, self.view.now)
        return self.view.fits(row)

    def _jobs_of(self, rows: Rows, now: float) -> Rows:
        """(5) The jobs that start, some of them through entries (`thinktime.models.limits.entries`)."""
        if self.pool.limits is None or not len(self.pool.state.entry):
            return rows
        rows, accounts = rows.copy(), self.hooks.accounts
        order = ARRIVAL if accounts is None or not accounts.in_tree else accounts.as_structure(0, now)
        start_entries(self.pool.state, order, rows)
        return rows

    def _within_limits(self, rows: Rows, now: float) -> tuple[Rows, bool]:
        """(5) Those of the proposed rows that may start together, and whether another pass has to follow."""
        order, queue = self.hooks.order, self.view.waiting
        if not self.hooks.trusted:
            beyond = np.setdiff1d(rows, queue)
            waiting = beyond[self.pool.requests.state[beyond] == State.WAITING]
            if len(waiting):
                name, job = machine_checks.name_of(self.policy), self.pool.requests.id[waiting[0]]
                raise PolicyError(f"policy {name} proposed to start job {job} at {now:g} s, which is beyond a limit")
            if len(beyond):
                return rows, False  # an error that the start reports
        if order is not None and order.dynamic:
            queue = order.sort(self.view)
        queue = np.asarray(by_tier(self.pool.state, writable(queue)))
        rows, rest, again = self.pool.cut(
            now, np.array(self.pool.state.room.admitted_first(self.pool.state, queue)), rows
        )
        if len(rest) and self.hooks.on_put_off:
            self.hooks.on_put_off(self.view, rest, now)
        return rows, again

    def _choose(self, leave: Leave) -> None:
        """(5) A running job is to leave, by the policy's proposal."""
        name, now = machine_checks.name_of(self.policy), self.view.now
        if not self._may_preempt:
            raise PolicyError(f"policy {name} preempts jobs, so the machine needs changes, such as changes=Changes()")
        try:
            self.pool.choose(leave.row, leave.how, now, ceil_to_grid(leave.grace), leave.keeper)
        except PolicyError as error:
            raise PolicyError(f"policy {name} {error}") from None

    def _refuse_hopeless(self, now: float) -> None:
        """(3) Waiting jobs that can never start any more leave."""
        if len(rows := self.pool.leave_hopeless(now)):
            self._gave_up(rows, now)

    def _gave_up(self, rows: Rows, now: float) -> bool:
        """(3) Waiting jobs have left the queue for good; True if somebody was told."""
        if self.hooks.on_withdraw:
            self.view.look(self.pool, now)
            self.hooks.on_withdraw(self.view, rows, now)
        return self._tell_over(rows, now)

    def _start(self, rows: Rows, now: float) -> None:
        try:
            evicted = self.pool.start(rows, now)
        except PolicyError as error:
            hint = "" if len(rows) == 1 else f"; {HINT}"
            raise PolicyError(f"policy {machine_checks.name_of(self.policy)} {error}{hint}") from None
        if len(evicted):
            self._ended(evicted, now)
        if self._on_start:
            self.view.look(self.pool, now)
            self._on_start(self.view, rows, now)
        self._tell_started(rows, now)


def in_turn(first: RowsHook, then: RowsHook | None) -> RowsHook:
    """One hook that calls two, or the first where there is no other."""
    if then is None:
        return first

    def both(view: View, rows: Rows, now: float) -> None:
        first(view, rows, now)
        then(view, rows, now)

    return both
