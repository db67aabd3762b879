"""The scheduler process: it governs the machine, one instant after the other.

The contract of one instant *t*: (1) completions and kills; (2) policy clocks; (3) withdrawals and submissions, by
(time, id); (4) one scheduling pass; (5) starts. Users who react to an end or a withdrawal at *t* do so before the
pass. Reactions to starts, and jobs that end at the instant of their start, open a second round at the same *t*.

`thinktime.models.phases` defines what happens in each phase. The process sleeps on an `Alarm`. Whenever it has told
somebody something, it sets the alarm for the same instant and sleeps, so that everybody reacts before it goes on.

Under a compiled rule, one wake-up may do more than one instant. Between two events of SimPy nobody outside the
machine can act, so compiled code *leaps* through all instants before the next event of anybody else, unless somebody
has to be told of what happens (`thinktime.models.engine.leap`). The machine is then ahead of the clock. Nobody can see
that, since nobody is asked before the next event; the process makes sure that it is SimPy's ``run()`` which processes
events, and not somebody who calls ``step()`` and may look in between. ``THINKTIME_LEAP=0`` turns leaps off: every
instant then has a wake-up of its own.

While nobody waits and nobody would be told, the process sleeps through ends: they change nothing that anybody can see
before the next instant, which ends those jobs at their times (`settle` does so for those who look at the machine in
between).
"""

import os
import sys
from collections.abc import Callable, Generator
from math import inf, nextafter
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.alarm import Alarm
from thinktime.models.chains import Chain
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes.leap import AGAIN, ENDS, HELP, PASS, TELL
from thinktime.models.engine.leap import following, leap
from thinktime.models.estimates import Estimator, as_requested
from thinktime.models.listeners import Listeners
from thinktime.models.lone_failures import LoneFailures
from thinktime.models.phases import Phases, in_turn
from thinktime.models.plans import Plans
from thinktime.models.pool import Pool
from thinktime.models.split_jobs import SplitJobs
from thinktime.models.state import State
from thinktime.models.view import Columns
from thinktime.workloads.grid import ceil_to_grid

Rows = NDArray[np.int64]
# Looking up the attributes of an enum is slow.
FUTURE, WAITING, RUNNING = int(State.FUTURE), int(State.WAITING), int(State.RUNNING)
RUN, STEP = simpy.Environment.run, simpy.Environment.step


class Scheduler(Phases):
    """The process that makes it happen on a machine: what an instant holds, and who is told of it."""

    def __init__(
        self,
        env: simpy.Environment,
        pool: Pool,
        policy: Any,
        names: dict[str, list[Any]],
        listeners: Listeners,
        split_jobs: SplitJobs,
        estimator: Estimator | None = None,
    ) -> None:
        super().__init__(pool, policy, names)
        self.env = env
        self.listeners = listeners
        self.split_jobs = split_jobs
        self._cancelled: list[int] = []
        self._released: list[int] = []
        self._holds: list[tuple[int, bool]] = []
        self._leaving = False  # somebody was cancelled, released, or held
        self._splits = split_jobs.limit < inf
        self._estimator = estimator
        hooks = self.hooks
        listening = (hooks.on_end or hooks.next_clock) and not hooks.may_hear_late
        self._listening = bool(listening) or hooks.accounts is not None
        if self._estimator:
            self._on_estimate = None  # kills stay at the request, whatever policies plan with
            self._on_end = in_turn(self._estimator.on_end, self._on_end)
        self._compiled = self._is_compiled()
        listeners.questions.about_newcomers(self._find_keys)
        self._changes = pool.may_preempt
        by_known = estimator is None and not self._changes
        self._late = self._key is not None and (not by_known or (self._splits and self._key.dated))
        """Whether keys depend on what is known only when a job joins the queue."""
        self._leaps = os.environ.get("THINKTIME_LEAP") != "0" and type(env).run is RUN and type(env).step is STEP
        self._time, self._phase = -inf, ENDS  # where to go on
        self._finished: simpy.Event | None = None
        self._mark, self._every = sys.maxsize, sys.maxsize
        self._pause: Callable[[], None] | None = None
        self._alarm = Alarm(env)
        self.lone_failures = LoneFailures(env, self._alarm, pool)
        self._plans: Plans | None = None
        self.process = env.process(self._govern())

    # -- what the machine passes on -----------------------------------------------------

    def submitted(self, rows: range | Rows) -> None:
        """Jobs are submitted now."""
        now = ceil_to_grid(self.env.now)
        self.pool.requests.submit[slice(rows.start, rows.stop) if isinstance(rows, range) else rows] = now
        self.pool.arrive(rows)
        self._sort_in(self.pool.newcomers[-len(rows) :], now)
        self.pool.truth.given += len(rows)
        self._alarm.ring_at(now)

    def announced(self, rows: range) -> None:
        """Loaded jobs will be submitted at the times in their column ``submit``, which ascend."""
        if not rows:
            return
        first = self.pool.requests.submit.item(rows.start)
        if first < self.env.now:
            raise ValueError(f"jobs cannot be submitted at {first:g} s: it is {self.env.now:g} s already")
        self.pool.announce(rows)
        self._sort_in(np.arange(rows.start, rows.stop), first)
        self.pool.truth.given += len(rows)
        self._alarm.ring_at(first)

    def chained(self, chain: Chain) -> simpy.Event:
        """Loaded jobs will be submitted in batches that wait for each other; returns the event of the last end."""
        now = ceil_to_grid(self.env.now)
        if self._key and self._key.dated:
            self._late = True
        over = self.listeners.add_chain(chain, now)
        self._sort_in(chain.rows, now)
        self._alarm.ring_at(self._arrival())
        return over

    def follow(self, plans: Plans) -> None:
        """Users follow plans, and nothing is known of their jobs before they are submitted."""
        self._plans, self._alarm.turn = plans, plans.turn
        self._late = self._key is not None

    def ring_at(self, time: float) -> None:
        """Something happens at a time."""
        self._alarm.ring_at(time)

    def _sort_in(self, rows: Rows, now: float) -> None:
        """Compute the keys by which a compiled rule finds the places of newcomers."""
        if self._compiled and self._key and not self._late:
            if self._splits:
                rows = np.concatenate([rows, np.array(self.split_jobs.following(rows), np.int64)])
            keys = self._key.keys(Columns(self.pool.requests, self.names, rows), now)
            self.pool.requests.key[rows] = keys

    def cancelled(self, row: int) -> None:
        """A job is taken back now; if it is over, that is no event at all."""
        self.settle()
        if self.pool.requests.state[row] > RUNNING:
            return
        self._cancelled.append(row)
        self._leaving = True
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def released(self, row: int) -> None:
        """A hold ends now; if it has ended, that is no event at all."""
        if self.pool.requests.state[row] < RUNNING:
            self.cancelled(row)
        if self.pool.requests.state[row] != RUNNING:
            return
        self._released.append(row)
        self._leaving = True
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def held(self, row: int, held: bool) -> None:
        """A waiting job is held or let go now; one that runs, has run or is over is not touched."""
        self._holds.append((row, held))
        self._leaving = True
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def settle(self) -> None:
        """End the jobs that the process slept through: those that ended before now."""
        before = nextafter(float(self.env.now), -inf)
        if self.pool.next_end() <= before:
            self._ended(self.pool.finish_due(before), before)
        if self.pool.next_change() <= before and not self._busy():  # nobody was in the way
            self.pool.foresee(before)
            self.pool.change(before)

    def changed(self) -> None:
        """Windows or outages were added."""
        self._changes = True
        self._ring_at_change()

    def _busy(self) -> bool:
        """Whether jobs wait or run."""
        pool = self.pool
        return bool(pool.state.in_queue or pool.state.at_work or pool.truth.arrived_count or pool.coming_back)

    def _ring_at_change(self) -> None:
        """Ring when the machine changes, if anybody is there or will come."""
        if self._changes and (self._busy() or self._arrival() < inf):
            self._alarm.ring_at(max(self.pool.next_change(), ceil_to_grid(self.env.now)))

    def attend(self) -> None:
        """Somebody waits for an end from now on: settle, and do not sleep through the next one."""
        self.settle()
        self._alarm.ring_at(self.pool.next_end())

    def all_over(self) -> simpy.Event:
        """An event that succeeds when all jobs that were submitted or announced are over."""
        self.attend()
        self._finished = simpy.Event(self.env)
        self._alarm.ring_at(self.env.now)
        return self._finished

    def pause_each(self, jobs: int, call: Callable[[], None]) -> None:
        """Call a function whenever so many more jobs are over."""
        self._mark = self._every = jobs
        self._pause = call

    def observed(self) -> None:
        """Somebody wants to see the machine before every submission, so there can be no leaps."""
        self._compiled = False
        self.pool.state.passed_over = 0

    # -- the process --------------------------------------------------------------------

    def _govern(self) -> Generator[Alarm, None, None]:
        """One turn of the loop is one round of one instant, or a leap."""
        listeners, alarm, env, pool = self.listeners, self._alarm, self.env, self.pool
        next_end, ring_at, truth = pool.next_end, alarm.ring_at, pool.truth
        listening, estimator = self._listening, self._estimator
        while True:
            if self._finished is not None and truth.over >= truth.given and truth.reached <= env.now:
                finished, self._finished = self._finished, None
                finished.succeed()
            if self._plans:
                self._plans.await_turn()
            yield alarm
            now = float(env.now)
            if self._changes:
                if pool.known_until <= now:
                    self.lone_failures.look(now, min(self._clock, self._opening, self._revision()))
                pool.foresee(now)
            if self._pause is not None and self.over >= self._mark:
                self._mark = self.over + self._every
                self._pause()
            if now < self._time and self._phase != ENDS:  # an older ring
                ring_at(self._time)
                continue
            if not self._compiled and (leaving := pool.out_of_patience(now)):
                self._cancelled, self._leaving = self._cancelled + leaving, True
            if self._compiled and not self._leaving:
                self._go_on(now, self._horizon())
                continue
            stirred = min(self._clock, self._opening, self._revision()) <= now
            stirred |= self._time == now and self._phase == PASS  # an observer came between the ends and the pass
            if next_end() <= now or pool.next_change() <= now or self._leaving:
                stirred = True
                while self._complete(now):
                    ring_at(now)
                    yield alarm
            elif not (stirred or truth.arrived_count or truth.next_arrival <= now):  # a ring that has been overtaken
                ring_at(min(next_end(), truth.next_arrival, self._clock, self._opening, self._revision()))
                ring_at(pool.next_leaving())
                self._ring_at_change()
                continue
            if estimator and estimator.next_revision <= now:
                self._revise(now)
            if self._clock <= now:
                self._strike(now)
            while self._leaving and (self._withdraw(now) or self._complete(now)):
                ring_at(now)
                yield alarm
            if self._compiled:
                self._time, self._phase, truth.stirred = now, PASS, True
                self._go_on(now, self._horizon())
                continue
            self._phase = ENDS
            if truth.next_arrival <= now:
                self._arrive(now)
            if truth.arrived_count:
                stirred = True
                self._admit(now)
            if stirred or truth.balked_at != now:
                self._schedule(now)
            waiting = truth.seen = truth.in_sight = pool.waiting_count()
            if waiting or listening or listeners or truth.to_come:
                ring_at(min(next_end(), truth.next_arrival, self._clock, self._opening, pool.next_leaving()))
                if estimator:
                    ring_at(estimator.next_revision)
            else:
                ring_at(min(pool.last_end(), truth.next_arrival))
            self._ring_at_change()

    # -- leaps --------------------------------------------------------------------------

    def _is_compiled(self) -> bool:
        """Whether compiled code can do whole instants under the policy, with all that it needs to know."""
        order = self.hooks.order
        return self.hooks.entry is not None and self.policy.compiles and order is not None and order.compiles

    def _horizon(self) -> float:
        """Before what time a leap may go on: the next event of anybody else, if it is SimPy that processes it."""
        if self._leaps and sys._getframe(4).f_code is RUN.__code__:
            return self._alarm.horizon()
        return -inf

    def _go_on(self, now: float, horizon: float) -> None:
        """Do this instant, and all before the horizon, in compiled code; the alarm rings when there is more to do."""
        self.pool.look(now)
        if self.pool.limits is not None:
            self.pool.limits.learn()
        phase, time = self._phase if self._time == now else ENDS, now
        self._phase = ENDS
        pool, attended = self.pool, self._listening or bool(self.listeners)
        if phase != TELL and not (phase == PASS and self.listeners.untold):
            time, phase = self._leap(now, phase, horizon, attended)
        if time > now and phase != ENDS:
            self._time, self._phase = time, phase
        else:
            self.listeners.tell(now)
            if phase == PASS:
                self._time, self._phase = now, PASS
            elif phase == TELL:
                time = following(pool.state, pool.truth, self._as_rule(), self._as_estimator(), now, attended)
        if self.hooks.next_clock:  # for forecasts, and for an observer who comes later
            self._clock = self.hooks.next_clock(now) or inf
        if pool.truth.reached > now and (time == inf == horizon or self.over >= pool.truth.given):
            time = pool.truth.reached  # SimPy's clock has to get there, too
        self._alarm.ring_at(time)
        if self._plans:
            self._plans.adopt()
            self._plans.await_turn()

    def _leap(self, time: float, phase: int, horizon: float, attended: bool) -> tuple[float, int]:
        """Leap as far as possible, with help on the way; returns where it has stopped."""
        pool, order = self.pool, self.hooks.order
        assert order is not None
        known = self._as_order(time), self._as_estimator(), pool.sources
        until = min(horizon, order.known_until, pool.known_until)
        if self._plans:
            self._plans.prepare()
        rule = self._as_rule()
        while True:
            time, phase = leap(pool.state, pool.truth, rule, *known, time, phase, until, self._mark, attended)
            if phase not in (AGAIN, HELP):
                break
            if phase == AGAIN and self.policy.answers():
                continue
            if self._plans:
                self._plans.adopt()
            if phase == HELP:
                assert self._plans is not None
                self._plans.help(time)
                known, phase = (self._as_order(time), self._as_estimator(), pool.sources), PASS
            rule = self._as_rule()
        self.listeners.questions.raise_fault()
        pool.raise_fault()
        return time, phase

    def _find_keys(self, now: float) -> None:
        """Compute the keys of newcomers in the middle of a leap."""
        if self._plans:
            self._plans.adopt()
        self._compute_keys(now)

    def _as_order(self, now: float) -> Any:
        """What the engine knows of the order."""
        assert self.hooks.order is not None
        pool = self.pool
        return self.hooks.order.as_structure(self.names, pool.processors, pool.requests.capacity, now, self._late)

    def _as_estimator(self) -> Any:
        """What the engine knows of predicted estimates."""
        return self._estimator.as_structure() if self._estimator else as_requested()

    def _as_rule(self) -> Any:
        """What the compiled rule remembers."""
        pool = self.pool
        jobs = pool.state.in_queue + pool.state.at_work + pool.state.changes_ahead
        self.policy.prepare(self.names["user"], pool.processors)
        return self.policy.as_rule(pool.requests.capacity, jobs, pool.width)

    # -- the phases ---------------------------------------------------------------------

    def _complete(self, now: float) -> bool:
        """(1) End what is due, released, or cancelled while it ran; True if somebody was told."""
        told = False
        if self._released:  # first: a hold that is given back at its estimate has not outlived it
            released, self._released = self._released, []
            told = self._end(released, State.FINISHED, now)
        if self.pool.next_end() <= now:
            told |= self._finish(now, self._cancelled)
        if self._leaving:
            told |= self._end(self._cancelled, State.KILLED, now)
            state = self.pool.requests.state
            self._cancelled = [row for row in self._cancelled if state[row] < RUNNING]
            self._leaving = bool(self._cancelled or self._holds)
        return self._change(now) or told

    def _interrupted(self, rows: Rows, now: float) -> bool:
        """(1) Jobs were thrown off."""
        told = super()._interrupted(rows, now)
        if self.pool.truth.hit_count:
            self.listeners.tell(now)
            return True
        return told

    def _arrive(self, now: float) -> None:
        """(3) Submit what was announced for now, and what users submit who follow plans."""
        if self.pool.limits is not None:
            self.pool.limits.learn()
        if self._plans:
            self._plans.prepare()
        while not self.pool.sources.arrive(self.pool.state, self.pool.truth, now):
            assert self._plans is not None
            self._plans.help(now)
        if self._plans:
            self._plans.adopt()

    def _arrival(self) -> float:
        """When jobs that were announced will be submitted next."""
        time: float = self.pool.truth.next_arrival
        return time

    def _revision(self) -> float:
        """When the next running job reaches what was expected of it, where policies plan with estimates."""
        return inf if self._estimator is None else self._estimator.next_revision

    def _revise(self, now: float) -> None:
        assert self._estimator is not None
        rows = self._estimator.revise(now)
        if len(rows) and self.hooks.on_revise:
            self.view.look(self.pool, now)
            self.hooks.on_revise(self.view, rows, now)

    def _withdraw(self, now: float) -> bool:
        """(3) Waiting jobs are held, let go, or withdrawn; True if somebody was told."""
        self._hold(now)
        state = self.pool.requests.state
        cancelled = list(dict.fromkeys(self._cancelled))
        rows = [row for row in cancelled if state[row] == WAITING]
        unborn = [row for row in cancelled if state[row] == FUTURE]
        never_in = [row for row in unborn if self.pool.requests.submit[row] <= now]
        later = [row for row in unborn if self.pool.requests.submit[row] > now]
        self.pool.outcomes.attention[later] |= at.UNWANTED
        self._cancelled = [row for row in cancelled if state[row] == RUNNING]
        self._leaving = bool(self._released or self._cancelled)
        for row in rows:
            self.pool.withdraw(row, now)
        for row in never_in:
            self.pool.give_up(row, now)
        self.pool.truth.in_sight = self.pool.waiting_count()
        known = [row for row in rows if not self.pool.is_aside(row)]
        if known or never_in:
            self._left_queue(known + [row for row in never_in if self.pool.has_run(row)], now)
        return self._tell_over(np.array(rows + never_in, np.int64), now)

    def _hold(self, now: float) -> None:
        """(3) Jobs are held or let go, in the order in which their users did so."""
        holds, self._holds = self._holds, []
        pool = self.pool
        for row, held in holds:
            state, known = pool.requests.state.item(row), pool.eligibility
            if state >= RUNNING or pool.has_run(row) or held == known.is_held(row):
                continue
            if not held:
                known.let_go(pool, row, now)
                continue
            known.hold(row)
            if state == WAITING and not known.is_aside(row):
                pool.take_out(row)
                self._left_queue([row], now)
                known.put_aside(pool, row, now)

    def _left_queue(self, rows: list[int], now: float) -> None:
        """(3) Tell the policy that jobs have left the queue without a start."""
        if self.hooks.on_withdraw:
            self.view.look(self.pool, now)
            self.hooks.on_withdraw(self.view, np.array(rows, np.int64), now)

    def _admit(self, now: float) -> None:
        if not (self._estimator or self.listeners.observers):
            self._enqueue(now)
            return
        rows = self.pool.newcomers
        rows = rows[(self.pool.outcomes.attention[rows] & at.UNWANTED) == 0]
        rows = np.array([row for row in rows.tolist() if not self.pool.has_run(row)], np.int64)
        if self._estimator:
            self._estimator.admit(rows)
        for observer in self.listeners.observers:
            observer.before_submissions(self, rows[np.argsort(self.pool.requests.id[rows])], now)
        self._enqueue(now)

    # -- telling ------------------------------------------------------------------------

    def _tell_started(self, rows: Rows, now: float) -> None:
        """Let the events of starts succeed."""
        if self._estimator:
            self._estimator.started(rows)
        pool = self.pool
        if not (self.listeners.jobs or pool.eligibility):
            return
        if pool.sources.note_started(pool.state, pool.truth, now, rows):
            self.listeners.tell(now)

    def _tell_over(self, rows: Rows, now: float) -> bool:
        """Let the events of jobs that are over succeed; True if somebody may react."""
        if not (self.listeners or self._splits or self.pool.batches or self.pool.eligibility):
            return super()._tell_over(rows, now)
        if self._plans:
            self._plans.prepare()
        urgent: bool = self.pool.sources.note_over(self.pool.state, self.pool.truth, now, rows)
        self.listeners.questions.raise_fault()
        if urgent or self.listeners:
            self.listeners.tell(now)
        return urgent
