"""The scheduler process: it governs the machine, one instant after the other.

The contract of one instant *t*: (1) completions and kills; (2) policy clocks; (3) withdrawals and
submissions, by (time, id); (4) one scheduling pass; (5) starts. Users who react to an end or a withdrawal
at *t* do so before the pass. Reactions to starts, and jobs that end at the instant of their start, open a
second round at the same *t*.

The process sleeps on an `Alarm`. Whenever it has told somebody something, it sets the alarm for the same
instant and sleeps, so that everybody reacts before it goes on; when there was nobody to tell, the instant
costs one wake-up. And while nobody waits and nobody would be told, it sleeps through ends: they change
nothing that anybody can see before the next instant, which ends those jobs at their times (`settle` does
for those who look at the machine in between). On the logs at hand this saves a third of all wake-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush, heapreplace
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.alarm import Alarm
from thinktime.models.policies.orders import Order
from thinktime.models.pool import PolicyError
from thinktime.models.state import State
from thinktime.models.view import Columns, Request, View
from thinktime.workloads.grid import ceil_to_grid

if TYPE_CHECKING:
    from thinktime.models.machine import Machine

Rows = NDArray[np.int64]
FUTURE, WAITING, RUNNING = (
    int(State.FUTURE),
    int(State.WAITING),
    int(State.RUNNING),
)  # an enum's attributes are slow


class Scheduler:
    """What happens on a machine at one instant, and the process that makes it happen."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.pool = machine.pool
        self.policy = machine.policy
        self.over = 0
        self.view = View(machine.pool, machine.names)
        self._key: Order | None = _static(getattr(self.policy, "order", None))
        self._arrivals: list[range] = []
        self._timetables: list[Timetable] = []  # a heap by next time
        self._arrival = inf  # the next time in a timetable
        self._cancelled: list[int] = []
        self._released: list[int] = []
        self._leaving = False  # somebody was cancelled or released
        self._clock = inf
        self._on_end = self._hook("on_end")
        self._on_clock = self._hook("on_clock")
        self._on_withdraw = self._hook("on_withdraw")
        self._on_submit = self._hook("on_submit")
        self._on_start = self._hook("on_start")
        self._next_clock: Callable[[float], float] | None = self._hook("next_clock")
        self._alarm = Alarm(machine.env)
        self.process = machine.env.process(self._govern())

    # -- what the machine passes on -----------------------------------------------------

    def submitted(self, rows: range) -> None:
        """Jobs are submitted now."""
        now = ceil_to_grid(self.machine.env.now)
        self.pool.requests.submit[rows.start : rows.stop] = now
        self._arrivals.append(rows)
        self._alarm.ring_at(now)

    def announced(self, rows: range) -> None:
        """Loaded jobs will be submitted at the times that stand in their column ``submit``, which ascend."""
        timetable = Timetable(self.pool.requests.submit, rows)
        if timetable.next < self.machine.env.now:
            raise ValueError(
                f"jobs cannot be submitted at {timetable.next:g} s: it is {self.machine.env.now:g} s already"
            )
        heappush(self._timetables, timetable)
        self._arrival = self._timetables[0].next
        self._alarm.ring_at(self._arrival)

    def cancelled(self, row: int) -> None:
        """A job is taken back now; if it is over, that is no event at all."""
        self.settle()
        if self.pool.requests.state[row] > RUNNING:
            return
        self._cancelled.append(row)
        self._leaving = True
        self._alarm.ring_at(ceil_to_grid(self.machine.env.now))

    def released(self, row: int) -> None:
        """A hold ends now; if it has ended, that is no event at all."""
        if self.pool.requests.state[row] > RUNNING:
            return
        self._released.append(row)
        self._leaving = True
        self._alarm.ring_at(ceil_to_grid(self.machine.env.now))

    def settle(self) -> None:
        """End the jobs that the process slept through: those that ended before now."""
        before = nextafter(float(self.machine.env.now), -inf)
        if self.pool.next_end() <= before:
            self._ended(self.pool.finish_due(before), before)

    def attend(self) -> None:
        """Somebody listens from now on: settle, and do not sleep through the next end."""
        self.settle()
        self._alarm.ring_at(self.pool.next_end())

    # -- the process --------------------------------------------------------------------

    def _govern(self) -> Generator[Alarm, None, None]:
        """One turn of the loop is one round of one instant."""
        machine, alarm, env, pool = self.machine, self._alarm, self.machine.env, self.pool
        next_end, ring_at = pool.next_end, alarm.ring_at
        listening = self._on_end is not None or self._next_clock is not None
        while True:
            yield alarm
            now = float(env.now)
            if next_end() <= now or self._leaving:
                while self._complete(now):
                    ring_at(now)
                    yield alarm
            elif (
                not self._arrivals and self._arrival > now and self._clock > now
            ):  # a ring that has been overtaken
                ring_at(min(next_end(), self._arrival, self._clock))
                continue
            if self._clock <= now:
                self._strike(now)
            while self._leaving and (self._withdraw(now) or self._complete(now)):
                ring_at(now)
                yield alarm
            if self._arrival <= now:
                self._read_timetables(now)
            if self._arrivals:
                self._admit(now)
            waiting = self._schedule(now)
            if waiting or listening or machine._events or machine._campaigns:
                ring_at(min(next_end(), self._arrival, self._clock))
            else:
                ring_at(min(pool.last_end(), self._arrival))

    # -- the phases ---------------------------------------------------------------------

    def _complete(self, now: float) -> bool:
        """(1) End what is due, released, or cancelled while it ran; True if somebody was told."""
        told = False
        if self.pool.next_end() <= now:
            told = self._ended(self.pool.finish_due(now), now)
        if self._leaving:
            state = self.pool.requests.state
            leaving = [(row, State.FINISHED) for row in self._released] + [
                (row, State.KILLED) for row in self._cancelled
            ]
            self._released.clear()
            self._cancelled = [row for row in self._cancelled if state[row] < RUNNING]
            self._leaving = bool(self._cancelled)
            for row, how in leaving:
                if state[row] == RUNNING:
                    self.pool.end_now(row, now, how)
                    told |= self._ended(np.array([row]), now)
        return told

    def _strike(self, now: float) -> None:
        """(2) The policy's clock has come to its time."""
        self._clock = inf
        if self._on_clock:
            self.view.look(self.pool, now)
            self._on_clock(self.view, now)

    def _withdraw(self, now: float) -> bool:
        """(3) Take waiting jobs out of the queue; True if somebody was told."""
        state = self.pool.requests.state
        cancelled = list(dict.fromkeys(self._cancelled))
        rows = [row for row in cancelled if state[row] == WAITING]
        never_in = [row for row in cancelled if state[row] == FUTURE]
        self._cancelled.clear()
        self._leaving = bool(self._released)
        for row in rows:
            self.pool.withdraw(row, now)
        for row in never_in:
            state[row], self.pool.outcomes.end[row] = State.WITHDRAWN, now
        gone = np.array(rows + never_in, np.int64)
        if len(gone) and self._on_withdraw:
            self.view.look(self.pool, now)
            self._on_withdraw(self.view, np.array(rows, np.int64), now)
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
        parts = [self.pool.rows(part) for part in self._arrivals]
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self._arrivals.clear()
        if self._key:
            keys = self._key.keys(Columns(self.pool.requests, self.machine.names, rows), now)
            self.pool.requests.key[rows] = keys
        accepted = self.pool.enqueue(rows)
        if len(accepted) < len(rows):
            refused = rows[(self.pool.requests.state[rows] == State.REFUSED)]
            self.pool.outcomes.end[refused] = now
            self._tell_over(refused, now)
        if self._on_submit and len(accepted):
            self.view.look(self.pool, now)
            self._on_submit(self.view, accepted, now)

    def _schedule(self, now: float) -> int:
        """(4) One pass, and (5) its starts; how many jobs still wait."""
        if not self.view.look(self.pool, now) and self._next_clock is None:
            return 0
        rows = self.policy.select(self.view, now)
        if type(rows) is not np.ndarray or rows.dtype != np.int64:
            rows = _as_rows(rows)
        if rows.size:
            self._start(rows, now)
        if self._next_clock:
            self._clock = self._next_clock(now)
            if self._clock <= now:
                raise PolicyError(
                    f"policy {self.policy}: next_clock({now:g}) gave {self._clock:g}, which is not later than now"
                )
        return self.pool.waiting_count()

    def _start(self, rows: Rows, now: float) -> None:
        try:
            evicted = self.pool.start(rows, now)
        except PolicyError as error:
            raise PolicyError(f"policy {self.policy} {error}") from None
        if len(evicted):
            self._ended(evicted, now)
        if self._on_start:
            self._on_start(self.view, rows, now)
        if self.machine._events:
            for row in rows.tolist():
                event = self.machine._events.get(row)
                if event is not None:
                    event._on_start(now)

    # -- telling ------------------------------------------------------------------------

    def _ended(self, rows: Rows, now: float) -> bool:
        if self._on_end:
            self.view.look(self.pool, now)
            self._on_end(self.view, rows, now)
        return self._tell_over(rows, now)

    def _tell_over(self, rows: Rows, now: float) -> bool:
        """Let the events of jobs that are over succeed; True if there were any."""
        self.over += len(rows)
        events, campaigns = self.machine._events, self.machine._campaigns
        if not events and not campaigns:
            return False
        told = False
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

    def _hook(self, name: str) -> Any:
        """A method of the policy, or None where it has none."""
        return getattr(self.policy, name, None)


class Timetable:
    """Jobs that will be submitted at known times: all jobs of one time together."""

    __slots__ = ("_borders", "_place", "_times", "next")

    def __init__(self, submit: NDArray[np.float64], rows: range) -> None:
        times, first = np.unique(submit[rows.start : rows.stop], return_index=True)
        self._times = [*times.tolist(), inf]
        self._borders = [*(first + rows.start).tolist(), rows.stop]
        self._place = 0
        self.next: float = self._times[0]

    def take(self) -> range:
        """The rows of the next time; ``next`` is the time after it."""
        i = self._place
        self._place = i + 1
        self.next = self._times[i + 1]
        return range(self._borders[i], self._borders[i + 1])

    def __lt__(self, other: Timetable) -> bool:
        return self.next < other.next


def _static(order: Any) -> Order | None:
    """The order whose keys are computed at submission, if the policy has such a one."""
    return order if isinstance(order, Order) and order.key is not None and not order.dynamic else None


def _as_rows(proposal: Any) -> Rows:
    """The rows that a policy proposed, whatever form it chose: rows, requests, an array, a generator, or None."""
    if isinstance(proposal, np.ndarray):
        return proposal if proposal.dtype == np.int64 else proposal.astype(np.int64)
    if proposal is None:
        return np.empty(0, np.int64)
    return np.array([job.row if isinstance(job, Request) else int(job) for job in proposal], np.int64)
