"""The scheduler process: it governs the machine, one instant after the other.

The contract of one instant *t*: (1) completions and kills; (2) policy clocks; (3) withdrawals and
submissions, by (time, id); (4) one scheduling pass; (5) starts. Users who react to an end or a withdrawal
at *t* do so before the pass. Reactions to starts, and jobs that end at the instant of their start, open a
second round at the same *t*.

`thinktime.models.phases` defines what happens in each phase. The process sleeps on an `Alarm`. Whenever it has
told somebody something, it sets the alarm for the same instant and sleeps, so that everybody reacts before it
goes on. If there was nobody to tell, the instant costs one wake-up. While nobody waits and nobody would be
told, it sleeps through ends: they change nothing that anybody can see before the next instant, which ends those
jobs at their times (`settle` does so for those who look at the machine in between). On real logs this saves up to a
third of all wake-ups.
"""

from __future__ import annotations

from collections.abc import Generator
from heapq import heappop, heappush, heapreplace
from math import inf, nextafter
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.alarm import Alarm, Timetable
from thinktime.models.chains import Chains
from thinktime.models.estimates import Estimator
from thinktime.models.kernels.instant import turn
from thinktime.models.kernels.watches import watched_turn
from thinktime.models.listeners import Listeners
from thinktime.models.phases import Phases, in_turn
from thinktime.models.pool import Pool
from thinktime.models.state import State
from thinktime.workloads.grid import ceil_to_grid

Rows = NDArray[np.int64]
# Looking up the attributes of an enum is slow.
FUTURE, WAITING, RUNNING = int(State.FUTURE), int(State.WAITING), int(State.RUNNING)


class Scheduler(Phases):
    """The process that makes it happen on a machine: what an instant holds, and who is told of it."""

    def __init__(
        self,
        env: simpy.Environment,
        pool: Pool,
        policy: Any,
        names: dict[str, list[Any]],
        listeners: Listeners,
        chains: Chains,
        estimator: Estimator | None = None,
    ) -> None:
        super().__init__(pool, policy, names)
        self.env = env
        self.listeners = listeners
        self.chains = chains
        self._arrivals: list[range | Rows] = []
        self._timetables: list[Timetable] = []  # a heap by next time
        self._arrival = inf  # the next time in a timetable
        self._cancelled: list[int] = []
        self._released: list[int] = []
        self._leaving = False  # somebody was cancelled or released
        self.given = 0  # jobs that were submitted or announced
        self._splits = chains.limit < inf
        self._unwanted: set[int] = set()  # announced, and taken back before their submission
        self._estimator = estimator
        hooks = self.hooks
        listening = (hooks.on_end or hooks.next_clock) and not hooks.may_hear_late
        self._listening = bool(listening) or hooks.accounts is not None
        if self._estimator:
            self._on_estimate = None  # kills stay at the request, whatever policies plan with
            self._on_end = in_turn(self._estimator.on_end, self._on_end)
        self._rule = self._compiled()
        self._owing = False  # a pass is due at this instant, after whoever was told of an end has reacted
        self._turn_capacity = 0
        self._turn_arguments: tuple[Any, ...] = ()
        self._alarm = Alarm(env)
        self.process = env.process(self._govern())

    # -- what the machine passes on -----------------------------------------------------

    def submitted(self, rows: range | Rows) -> None:
        """Jobs are submitted now."""
        now = ceil_to_grid(self.env.now)
        self.pool.requests.submit[slice(rows.start, rows.stop) if isinstance(rows, range) else rows] = now
        self._arrivals.append(rows)
        self.given += len(rows)
        self._alarm.ring_at(now)

    def announced(self, rows: range) -> None:
        """Loaded jobs will be submitted at the times in their column ``submit``, which ascend."""
        timetable = Timetable(self.pool.requests.submit, rows)
        if timetable.next < self.env.now:
            raise ValueError(
                f"jobs cannot be submitted at {timetable.next:g} s: it is {self.env.now:g} s already"
            )
        heappush(self._timetables, timetable)
        self._arrival = self._timetables[0].next
        self.given += len(rows)
        self._alarm.ring_at(self._arrival)

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

    def settle(self) -> None:
        """End the jobs that the process slept through: those that ended before now."""
        before = nextafter(float(self.env.now), -inf)
        if self.pool.next_end() <= before:
            self._ended(self.pool.finish_due(before), before)

    def attend(self) -> None:
        """Somebody waits for an end from now on: settle, and do not sleep through the next one."""
        self.settle()
        self._alarm.ring_at(self.pool.next_end())

    def observed(self) -> None:
        """Somebody wants to see the machine before every submission, so no instant may be taken in one call."""
        self._rule = None

    # -- the process --------------------------------------------------------------------

    def _govern(self) -> Generator[Alarm, None, None]:
        """One turn of the loop is one round of one instant."""
        listeners, chains = self.listeners, self.chains
        alarm, env, pool = self._alarm, self.env, self.pool
        next_end, ring_at = pool.next_end, alarm.ring_at
        listening, estimator, splits = self._listening, self._estimator, self._splits
        while True:
            yield alarm
            now = float(env.now)
            if self._rule is not None and self._turns(now):
                continue
            if next_end() <= now or self._leaving:
                while self._complete(now):
                    ring_at(now)
                    yield alarm
            elif not (
                self._arrivals
                or self._arrival <= now
                or self._clock <= now
                or self._revision() <= now
                or self._owing
            ):  # a ring that has been overtaken
                ring_at(min(next_end(), self._arrival, self._clock, self._revision()))
                continue
            if estimator and estimator.next_revision <= now:
                self._revise(now)
            if self._clock <= now:
                self._strike(now)
            while self._leaving and (self._withdraw(now) or self._complete(now)):
                ring_at(now)
                yield alarm
            if self._arrival <= now:
                self._read_timetables(now)
            if self._arrivals:
                self._admit(now)
            self._owing = False
            waiting = self._schedule(now)
            if (
                waiting
                or listening
                or listeners.jobs
                or listeners.campaigns
                or listeners.watches
                or (splits and chains)
            ):
                ring_at(min(next_end(), self._arrival, self._clock))
                if estimator:
                    ring_at(estimator.next_revision)
            else:
                ring_at(min(pool.last_end(), self._arrival))

    def _compiled(self) -> int | None:
        """The number of the policy's rule in `turn`; None where `turn` cannot do whole instants."""
        entry, order = self.hooks.entry, self.hooks.order
        if self._estimator or entry is None or entry.compiled is None or self.pool.overrun == "until_needed":
            return None
        return entry.compiled(self.policy) if order is not None and order.key is None else None

    def _turns(self, now: float) -> bool:
        """Do the whole instant in compiled code, if nobody has to be told anything; False if it must be done here."""
        listeners = self.listeners
        if self._leaving or listeners.jobs or listeners.campaigns or (self._splits and self.chains):
            return False
        if self._arrival <= now:
            self._read_timetables(now)
        if len(self._arrivals) > 1 or self._unwanted:
            return False
        part = self._arrivals[0] if self._arrivals else range(0)
        if not isinstance(part, range):
            return False
        self._arrivals.clear()
        if self._turn_capacity != self.pool.requests.capacity:
            self._bind_turn()
        if listeners.watches:
            return self._watched(now, part)
        wake, ended, refused = turn(now, part.start, part.stop, *self._turn_arguments)
        self.over += ended + refused
        if refused:
            rows = self.pool.rows(part)
            self.pool.outcomes.end[rows[self.pool.requests.state[rows] == State.REFUSED]] = now
        while wake <= now:  # jobs of run time 0: another round
            wake, ended, _ = turn(now, 0, 0, *self._turn_arguments)
            self.over += ended
        self._alarm.ring_at(min(wake, self._arrival))
        return True

    def _watched(self, now: float, part: range) -> bool:
        """The same while jobs are watched: whoever waits for one that ends reacts before the pass."""
        watches, pool = self.listeners.watches, self.pool
        more = True
        while more:  # again for jobs of run time 0
            arguments = (pool.outcomes.watch, watches.left, watches.over, *self._turn_arguments)
            wake, ended, refused = watched_turn(now, part.start, part.stop, *arguments)
            self.over += ended + refused
            self._owing = watches.tell(now)
            if self._owing:
                if part:
                    self._arrivals.append(part)
                break
            if refused:
                rows = pool.rows(part)
                rows = rows[pool.requests.state[rows] == State.REFUSED]
                pool.outcomes.end[rows] = now
                watches.count(rows, now)
            more, part = wake <= now, range(0)
        self._alarm.ring_at(now if self._owing else min(wake, self._arrival))
        return True

    def _bind_turn(self) -> None:
        """Note the arguments of `turn`, which change when the columns grow."""
        capacity = self._turn_capacity = self.pool.requests.capacity
        out, scratch = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
        assert self._rule is not None
        self._turn_arguments = self.pool.turn_arguments(self._rule, self.view.grace, out, scratch)

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
            self._leaving = bool(self._cancelled)
        return told

    def _revision(self) -> float:
        """When the next running job reaches what was expected of it, where policies plan with estimates."""
        return inf if self._estimator is None else self._estimator.next_revision

    def _revise(self, now: float) -> None:
        """(2) Running jobs have reached what was expected of them: expect more."""
        assert self._estimator is not None
        rows = self._estimator.revise(now)
        if len(rows) and self.hooks.on_revise:
            self.view.look(self.pool, now)
            self.hooks.on_revise(self.view, rows, now)

    def _withdraw(self, now: float) -> bool:
        """(3) Take waiting jobs out of the queue; True if somebody was told."""
        state = self.pool.requests.state
        cancelled = list(dict.fromkeys(self._cancelled))
        rows = [row for row in cancelled if state[row] == WAITING]
        unborn = [row for row in cancelled if state[row] == FUTURE]
        never_in = [row for row in unborn if self.pool.requests.submit[row] <= now]
        self._unwanted.update(row for row in unborn if self.pool.requests.submit[row] > now)
        self._cancelled = [row for row in cancelled if state[row] == RUNNING]
        self._leaving = bool(self._released or self._cancelled)
        for row in rows:
            self.pool.withdraw(row, now)
        for row in never_in:
            state[row], self.pool.outcomes.end[row] = State.WITHDRAWN, now
        gone = np.array(rows + never_in, np.int64)
        if len(gone) and self.hooks.on_withdraw:
            self.view.look(self.pool, now)
            self.hooks.on_withdraw(self.view, np.array(rows, np.int64), now)
        return self._tell_over(gone, now)

    def _read_timetables(self, now: float) -> None:
        """(3) What was announced for now is submitted now."""
        tables = self._timetables
        while tables and tables[0].next <= now:
            table = tables[0]
            self._arrivals.append(table.take())
            if table.next == inf:
                heappop(tables)
            elif len(tables) > 1:
                heapreplace(tables, table)
        self._arrival = tables[0].next if tables else inf

    def _admit(self, now: float) -> None:
        """(3) Put what was submitted into the queue, by id."""
        parts = [self.pool.rows(part) if isinstance(part, range) else part for part in self._arrivals]
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self._arrivals.clear()
        if self._unwanted:
            rows = self._without_unwanted(rows, now)
        if self._estimator:
            self._estimator.admit(rows)
        for observer in self.listeners.observers:
            observer.before_submissions(self, rows[np.argsort(self.pool.requests.id[rows])], now)
        self._enqueue(rows, now)

    def _without_unwanted(self, rows: Rows, now: float) -> Rows:
        """Jobs that were taken back before their submission are withdrawn at that instant."""
        gone = np.array([row for row in rows.tolist() if row in self._unwanted], np.int64)
        self._unwanted.difference_update(gone.tolist())
        self.pool.requests.state[gone], self.pool.outcomes.end[gone] = State.WITHDRAWN, now
        self._tell_over(gone, now)
        return np.setdiff1d(rows, gone, assume_unique=True)

    def _follow(self, rows: Rows) -> Rows:
        """Submit the segments that follow those that are over; returns the rows whose jobs are over altogether."""
        chains, events, watch = self.chains, self.listeners.jobs, self.pool.outcomes.watch
        last = []
        for row in rows.tolist():
            following = chains.follow(row, State(self.pool.requests.state.item(row)))
            if following is None:
                last.append(row)
                continue
            if row in events:
                events[following] = events.pop(row)
            watch[following], watch[row] = watch[row], -1
            self.submitted(range(following, following + 1))
        return np.array(last, np.int64)

    # -- telling ------------------------------------------------------------------------

    def _tell_started(self, rows: Rows, now: float) -> None:
        """Let the events of starts succeed."""
        if self._estimator:
            self._estimator.started(rows)
        if self.listeners.jobs:
            for row in rows.tolist():
                event = self.listeners.jobs.get(row)
                if event is not None:
                    event._on_start(now)

    def _tell_over(self, rows: Rows, now: float) -> bool:
        """Let the events of jobs that are over succeed; True if there were any."""
        self.over += len(rows)
        if self._splits and self.chains:
            rows = self._follow(rows)
        events, campaigns = self.listeners.jobs, self.listeners.campaigns
        told = bool(self.listeners.watches) and self.listeners.watches.count(rows, now)
        if not events and not campaigns:
            return told
        campaign_of = self.pool.requests.campaign
        for row in rows.tolist():
            event = events.pop(row, None)
            if event is not None:
                told |= event._on_end(now)
            number = campaign_of.item(row)
            if number >= 0:
                ended = campaigns[number]._on_end()
                if ended:
                    del campaigns[number]
                told |= ended
        return told
