"""The scheduler process: it runs the loop of instants under SimPy's clock, and tells the users.

The loop (`thinktime.models.engine.leap`) does what an instant holds. The process sleeps on an `Alarm`. Whenever it has
told users something, it sets the alarm for the same instant and sleeps, so that they react before it goes on.

One wake-up may do more than one instant. Between two events of SimPy no process outside the machine can act, so the
loop *leaps* through all instants before the next event of another process, unless a user has to be told of what
happens. The machine is then ahead of the clock. No user can see that, since none is asked before the next event; for
policies, orders and observers in Python, which are, the clock is brought up to date; and the process makes sure that it
is SimPy's ``run()`` which processes events, and not a caller of ``step()``, who may look in between.
``THINKTIME_LEAP=0`` turns leaps off: every instant then has a wake-up of its own.

While no job waits and no user would be told, the process sleeps through ends: they change nothing that a user can see
before the next instant, which ends those jobs at their times (`settle` does so for those who look at the machine in
between).
"""

import os
import sys
from collections.abc import Callable, Generator
from functools import partial
from math import inf, nextafter
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes.leap import ENDS, PASS, TELL
from thinktime.models.engine.leap import following, next_wish
from thinktime.models.engine.sources.releases import next_submission
from thinktime.models.jobs.chains import Chain
from thinktime.models.jobs.estimates import Estimates
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.jobs.view import Columns
from thinktime.models.machine.alarm import Alarm
from thinktime.models.machine.instants import Instants
from thinktime.models.machine.listeners import Listeners
from thinktime.models.machine.lone_failures import LoneFailures
from thinktime.models.machine.plans import Plans
from thinktime.models.machine.simpy_insides import events_of, is_simpys_own, is_woken_by_run, set_clock
from thinktime.models.machine.wishes import Wishes
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows
from thinktime.workloads.grid import ceil_to_grid

# Looking up the attributes of an enum is slow.
RUNNING = int(State.RUNNING)
WHERE = ("_time", "_phase", "_late", "_changes", "omissions")
"""Where the process is, and what it knows."""


class Scheduler(Instants):
    """The process that makes it happen on a machine."""

    def __init__(
        self,
        env: simpy.Environment,
        pool: Pool,
        policy: Any,
        names: dict[str, list[Any]],
        listeners: Listeners,
        split_jobs: SplitJobs,
        estimator: Estimates | None = None,
    ) -> None:
        super().__init__(pool, policy, names, listeners.questions, partial(set_clock, env))
        self.env = env
        self.listeners = listeners
        self.split_jobs = split_jobs
        self.wishes = Wishes(self, listeners.questions)
        self._splits = split_jobs.limit < inf
        self._estimator = estimator
        hooks = self.hooks
        listening = (hooks.on_end or hooks.next_clock) and not hooks.may_hear_late
        self._listening = bool(listening) or hooks.accounts is not None
        if estimator is not None:
            pool.truth.prolongs = False  # kills stay at the request, whatever policies plan with
        self._changes = pool.may_preempt
        by_known = estimator is None and not self._changes
        key = self._key
        self._late = key is not None and (not (by_known and key.timeless) or (self._splits and key.dated))
        self._leaps = os.environ.get("THINKTIME_LEAP") != "0" and is_simpys_own(env)
        self._time, self._phase = -inf, ENDS  # where to go on
        self._finished: simpy.Event | None = None
        self._mark, self._every = sys.maxsize, sys.maxsize
        self._pause: Callable[[], None] | None = None
        self._alarm = Alarm(env)
        self.lone_failures = LoneFailures(env, self._alarm, pool)
        self._plans: Plans | None = None
        if self.asked is not None:
            self._watch_events()
        self.process = env.process(self._govern())

    def _watch_events(self) -> None:
        """Code that is called in a leap may add to SimPy's events; the leap ends then."""
        self.pool.events = self.pool.truth.events = events_of(self.env)

    def due(self) -> dict[str, Any]:
        """What is to be done, and when: all that a copy of the machine's parts does not say."""
        own = {"rings": self._alarm.rings, "seen": self.lone_failures.seen, "wishes": self.wishes.kept}
        clock = inf if self.asked is None else self.asked.clock
        return own | {"clock": clock} | {name: getattr(self, name) for name in WHERE}

    def go_on_with(self, due: dict[str, Any]) -> None:
        """Begin where another machine was, of which `due` said what is to be done.

        What it does not say is as at the beginning: the other machine had another policy.
        """
        for name in WHERE:
            setattr(self, name, due.get(name, getattr(self, name)))
        self.lone_failures.seen, self.wishes.kept = due["seen"], due["wishes"]
        if self.asked is not None:
            self.asked.clock, self.asked.omissions = due.get("clock", inf), self.omissions
            self._caller.omissions = self.omissions
        for time in sorted(due["rings"], reverse=True):
            self._alarm.ring_at(time)

    def take_over(self) -> None:
        """The policy has not been told of the jobs that run: it plans anew, around these."""
        self.settle()
        now = ceil_to_grid(self.env.now)
        self.view.look(self.pool, now)
        if self.hooks.replan is not None:
            self.hooks.replan(self.view)

    # -- what the machine passes on -----------------------------------------------------

    def submitted(self, rows: range | Rows) -> None:
        """Jobs are submitted now."""
        now = ceil_to_grid(self.env.now)
        self.pool.requests.submit[slice(rows.start, rows.stop) if isinstance(rows, range) else rows] = now
        self.pool.arrive(rows)
        self._sort_in(self.pool.newcomers[-len(rows) :], now)
        self.pool.truth.given += len(rows)
        self._alarm.ring_at(now)

    def backdate(self, rows: Rows, times: NDArray[np.float64]) -> None:
        """Jobs that are submitted at this instant count, and queue, as submitted at these earlier times (s)."""
        self.pool.requests.submit[rows] = times
        self.pool.outcomes.attention[rows] |= at.LATE
        self._sort_in(rows, ceil_to_grid(self.env.now))

    def altered(self, rows: Rows) -> None:
        """Jobs that are about to be submitted have become others."""
        self._sort_in(rows, ceil_to_grid(self.env.now))

    def announced(self, rows: range) -> None:
        """Loaded jobs will be submitted at the times in their column ``submit``, which ascend."""
        if not rows:
            return
        first = self.pool.requests.submit.item(rows.start)
        if first < self.env.now:
            raise ValueError(f"jobs cannot be submitted at {first:g} s: it is {self.env.now:g} s already")
        if self.deferring is not None:
            self.deferring.foresee(rows)
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
        """Compute the keys by which newcomers find their places, where nothing else has to be known for it."""
        if self._key and not self._late:
            if self._splits:
                rows = np.concatenate([rows, np.array(self.split_jobs.following(rows), np.int64)])
            keys = self._key.keys(Columns(self.pool.requests, self.names, rows), now)
            self.pool.requests.key[rows] = keys

    def cancelled(self, row: int) -> None:
        """A job is taken back now; if it is over, that is no event at all."""
        self.settle()
        if self.pool.requests.state[row] > RUNNING:
            return
        self.wishes.cancel(row)
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def released(self, row: int) -> None:
        """A hold ends now; if it has ended, that is no event at all."""
        if self.pool.requests.state[row] < RUNNING:
            self.cancelled(row)
        if self.pool.requests.state[row] != RUNNING:
            return
        self.wishes.give_back(row)
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def held(self, row: int, held: bool) -> None:
        """A waiting job is held or let go now; one that runs, has run or is over is not touched."""
        self.wishes.hold(row, held)
        self._alarm.ring_at(ceil_to_grid(self.env.now))

    def settle(self) -> None:
        """End the jobs that the process slept through: those that ended before now."""
        before = nextafter(float(self.env.now), -inf)
        if self.pool.next_end() <= before:
            self._prepare()
            self._look_around(before)
            self._ended(self.pool.finish_due(before), before)
            self._adopt()
            self.listeners.tell(before)
        if self.pool.next_change() <= before and not self._busy():  # no job was in the way
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
        """Ring when the machine changes, if jobs are there or will come."""
        if self._changes and (self._busy() or self._arrival() < inf):
            self._alarm.ring_at(max(self.pool.next_change(), ceil_to_grid(self.env.now)))

    def attend(self) -> None:
        """A user waits for an end from now on: settle, and do not sleep through the next one."""
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
        """An observer wants to see the machine before every submission."""
        self.pool.truth.observed = True
        self._watch_events()

    # -- the process --------------------------------------------------------------------

    def _govern(self) -> Generator[Alarm, None, None]:
        """One turn of the loop is one round of one instant, or a leap."""
        alarm, env, pool = self._alarm, self.env, self.pool
        truth = pool.truth
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
                    self.lone_failures.look(now, next_wish(pool.state, self._as_rule(), self._as_estimator(), now))
                pool.foresee(now)
            if self._pause is not None and self.over >= self._mark:
                self._mark = self.over + self._every
                self._pause()
            if now < self._time and self._phase != ENDS:  # an older ring
                alarm.ring_at(self._time)
                continue
            self._go_on(now, self._horizon())

    def _horizon(self) -> float:
        """Before what time a leap may go on: the next event of any other process, if it is SimPy that processes it."""
        if self._leaps and is_woken_by_run():
            return self._alarm.horizon()
        return -inf

    def _go_on(self, now: float, horizon: float) -> None:
        """Do this instant, and all before the horizon; the alarm rings when there is more to do."""
        self.pool.look(now)
        if self.pool.limits is not None:
            self.pool.limits.learn()
        phase, time = self._phase if self._time == now else ENDS, now
        self._phase = ENDS
        pool, attended = self.pool, self._listening or bool(self.listeners)
        if phase != TELL and not (phase == PASS and self.listeners.untold):
            self._prepare()
            time, phase = self._leap(now, phase, horizon, self._mark, attended)
        if time > now and phase != ENDS:
            self._time, self._phase = time, phase
        else:
            self.listeners.tell(now)
            if phase == PASS:
                self._time, self._phase = now, PASS
            elif phase == TELL:
                time = following(pool.state, pool.truth, self._as_rule(), self._as_estimator(), now, attended)
        if pool.truth.reached > now and (time == inf == horizon or self.over >= pool.truth.given):
            time = pool.truth.reached  # SimPy's clock has to get there, too
        self._alarm.ring_at(time)
        self._adopt()
        if self._plans:
            self._plans.await_turn()

    # -- what the loop takes and asks ---------------------------------------------------

    def _as_estimator(self) -> Any:
        """What the engine knows of predicted estimates."""
        return super()._as_estimator() if self._estimator is None else self._estimator.as_structure()

    def _prepare(self) -> None:
        """The engine is about to let users think and submit."""
        if self._plans:
            self._plans.prepare()

    def _adopt(self) -> None:
        """The engine may have made rows."""
        if self._plans:
            self._plans.adopt()

    def _help(self, now: float) -> None:
        """Help the user for whom the loop has stopped."""
        if self.listeners.questions.awaits_response:
            self._adopt()
            self._eyes.set_clock(now)
            self.listeners.questions.respond(now)
            return
        assert self._plans is not None
        self._plans.adopt()
        self._plans.help(now)

    def _cancelled(self) -> list[int]:
        """The rows that users have cancelled."""
        return self.wishes.cancelled

    def _look_at_newcomers(self, now: float) -> None:
        """(3) Let observers see the machine, and compute keys."""
        self._adopt()
        if self.listeners.observers:
            rows = self.pool.newcomers
            rows = rows[(self.pool.outcomes.attention[rows] & at.UNWANTED) == 0]
            rows = np.array([row for row in rows.tolist() if not self.pool.has_run(row)], np.int64)
            rows = rows[np.argsort(self.pool.requests.id[rows])]
            self._eyes.set_clock(now)
            for observer in self.listeners.observers:
                observer.before_submissions(self, rows, now)
        self._compute_keys(now)

    def _arrival(self) -> float:
        """When jobs that were announced will be submitted next."""
        return next_submission(self.pool.truth)
