"""A pool under a policy: what the loop that goes through instants needs to know, and what it asks in Python.

The loop is `thinktime.models.engine.leap`. `thinktime.models.machine.scheduler` runs it under SimPy's clock and tells
the users; `thinktime.models.machine.forecast` runs it on a copy of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.models.engine.asked import Asked, AskedOrder, Eyes
from thinktime.models.engine.codes import budgets as budget_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes.leap import AGAIN, HELP, PASS
from thinktime.models.engine.leap import leap, note_ends
from thinktime.models.engine.omissions import Omissions
from thinktime.models.jobs.estimates import as_requested
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import Columns, View
from thinktime.models.machine.asking import Caller
from thinktime.models.machine.questions import Questions
from thinktime.models.orders.order import as_kept
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows
from thinktime.workloads.calendar import Calendar

if TYPE_CHECKING:
    from thinktime.models.machine.deferring import Deferring

Known = tuple[Any, Any, Any, Any]
"""A rule, an order, an estimator, and the sources of jobs."""


class Instants:
    """A pool, its policy, the view of that policy, and the instants that they go through."""

    def __init__(
        self,
        pool: Pool,
        policy: Any,
        names: dict[str, list[Any]],
        questions: Questions,
        clock: Callable[[float], None] | None = None,
    ) -> None:
        self.pool = pool
        self.policy = policy
        self.names = names
        self.hooks = hooks = Hooks(policy)
        self.view = View(pool, names, trusted=hooks.trusted)
        self._key = self.view.kept = None if hooks.order is None else hooks.order.static
        self._late = self._key is not None
        """Whether keys depend on what is known only when a job joins the queue."""
        outside = not hooks.trusted and not isinstance(policy, ReadyPolicy)
        self.omissions = Omissions() if outside else None
        """What a policy from outside seems to have forgotten; a ready rule within it holds back what it does."""
        if hooks.accounts is not None:
            hooks.accounts.keep(pool, names)
        self._eyes = Eyes(self.view, pool, clock)
        self._caller = Caller(pool, hooks, self.view, self.omissions)
        self.asked: Asked | None = None
        """The policy as a rule, if the engine has to ask it."""
        if hooks.entry is None or not policy.compiles:
            self.asked = Asked(self._eyes, self._caller, hooks, self.omissions)
        self._known: Known | None = None
        self._questions = questions
        questions.about(at.NEWCOMERS, self._look_at_newcomers)
        questions.about(at.AT_ESTIMATES, self._prolong)
        self.deferring: Deferring | None = None
        """Who says until when jobs are held back, if the policy does that."""
        self.spending = None if pool.limits is None else pool.limits.spending
        """The accounts of budgets, if jobs have them."""
        if self.spending is not None:
            self.spending.on(pool)
            questions.about(budget_codes.QUESTION, self.spending.settle)
        pool.truth.prolongs = hooks.on_estimate is not None

    @property
    def over(self) -> int:
        """The number of jobs that are over."""
        return int(self.pool.truth.over)

    def tell_calendar(self, calendar: Calendar) -> None:
        """Tell the policy, and the accounts that its order keeps, about the calendar of a log."""
        if self.hooks.accounts is not None:
            self.hooks.accounts.on_calendar(calendar)
        if self.hooks.on_calendar is not None:
            self.hooks.on_calendar(calendar)
        if self.spending is not None:
            self.spending.on_calendar(calendar)

    # -- what the loop takes ------------------------------------------------------------

    def _leap(self, time: float, phase: int, horizon: float, mark: int, attended: bool) -> tuple[float, int]:
        """Go through instants before the horizon (`leap`); returns where it has stopped."""
        pool = self.pool
        rule, order, estimator, sources = self._look_around(time)
        until = min(horizon, pool.known_until)
        if self.hooks.order is not None and not isinstance(order, AskedOrder):
            until = min(until, self.hooks.order.known_until)
        while True:
            time, phase = leap(
                pool.state, pool.truth, rule, order, estimator, sources, time, phase, until, mark, attended
            )
            if phase == HELP:
                self._help(time)
                rule, order, estimator, sources = self._look_around(time)
                phase = PASS
            elif phase == AGAIN:
                self._eyes.set_clock(time)
                if not self.policy.answers():
                    self._adopt()
                    rule = self._as_rule()
                    self._known = rule, order, estimator, sources
            else:
                break
        pool.raise_fault()
        return time, phase

    def _look_around(self, now: float) -> Known:
        order = self._as_order(now)  # first: it opens accounts that a rule may look at
        self._known = self._as_rule(), order, self._as_estimator(), self._as_sources()
        return self._known

    def _as_rule(self) -> Any:
        """What the rule remembers."""
        if self.asked is not None:
            return self.asked
        pool = self.pool
        jobs = pool.state.in_queue + pool.state.at_work
        self.policy.prepare(self.names["user"], pool.processors)
        return self.policy.as_rule(pool.requests.capacity, jobs)

    def _as_order(self, now: float) -> Any:
        """What the engine knows of the order."""
        order, pool = self.hooks.order, self.pool
        if order is None:
            return as_kept(False)
        if self.asked is None and order.compiles:
            return order.as_structure(self.names, pool.processors, pool.requests.capacity, now, self._late)
        accounts = self.hooks.accounts
        if accounts is None and not order.dynamic:
            return as_kept(self._late)
        asked = AskedOrder(self._eyes, order, self._late)
        if accounts is not None and accounts.in_tree:
            asked.inner = accounts.as_structure(0, now)
        return asked

    def _as_estimator(self) -> Any:
        """What the engine knows of predicted estimates."""
        return as_requested()

    def _as_sources(self) -> Any:
        """Who submits jobs."""
        return self.pool.sources

    def _help(self, now: float) -> None:
        """Help the user for whom the loop has stopped."""
        raise NotImplementedError

    def _adopt(self) -> None:
        """The engine may have made rows."""

    # -- what the loop asks -------------------------------------------------------------

    def _look_at_newcomers(self, now: float) -> None:
        """(3) Jobs are about to join the queue."""
        self._compute_keys(now)

    def _compute_keys(self, now: float) -> None:
        """(3) Compute the keys by which the machine keeps submitted jobs in the queue, if they are not known."""
        if self._key and self._late:
            rows = self.pool.newcomers
            self.pool.requests.key[rows] = self._key.keys(Columns(self.pool.requests, self.names, rows), now)

    def _prolong(self, now: float) -> bool:
        """(1) Before the kills: end the others, and ask the policy about jobs that reach their estimates unfinished."""
        rows, cancelled = self.pool.reaching_estimate(now), self._cancelled()
        rows = rows[~np.isin(rows, cancelled)]
        if not len(rows):
            return False
        told = self.end(self.pool.completing(now), State.FINISHED, now)
        told |= self.end(cancelled, State.KILLED, now)
        self._eyes.look(now)
        for row, until in zip(rows.tolist(), self._caller.until(rows, now), strict=True):
            if until > now:
                self.pool.prolong(row, until)
        return told

    def _cancelled(self) -> list[int]:
        """The rows that users have cancelled."""
        return []

    def end(self, rows: list[int], how: State, now: float) -> bool:
        """(1) End those of the rows that run; True if a user may react."""
        told = False
        for row in rows:
            if self.pool.requests.state[row] == State.RUNNING:
                self.pool.end_now(row, now, how)
                told |= self._ended(np.array([row]), now)
        return told

    def _ended(self, rows: Rows, now: float) -> bool:
        """(1) These rows run no longer: the rule, the order and the users are told; True if a user may react."""
        self.pool.done[: len(rows)] = rows
        known = self._known or self._look_around(now)
        return bool(note_ends(self.pool.state, self.pool.truth, *known, now, len(rows)))

    def left_queue(self, rows: Rows, now: float) -> None:
        """(3) Tell the policy that jobs have left the queue without a start."""
        rule = (self._known or self._look_around(now))[0]
        rule.withdrawn(self.pool.state, now, rows)
