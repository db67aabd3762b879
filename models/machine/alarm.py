"""What wakes the scheduler process: an alarm, a SimPy event that rings again and again.

SimPy orders the events of one time by priority: 0 for urgent events, 1 for all others, such as what users do.
Alarms have the priorities from 2 on, in the order in which their machines were made. When one rings at *t*, users have
done everything that they do at *t*, reactions without think time included.

An ordinary SimPy event is processed once. The alarm is scheduled as often as it is set, without a new object each
time. It cannot be cancelled, so a process that it wakes must check whether anything is due.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf, nextafter

import simpy

from thinktime.models.machine.simpy_insides import Recurring, events_of, insert, take_priority
from thinktime.workloads.grid import ceil_to_grid


class Alarm(Recurring):
    """An event that a process can wait for again after it has been processed."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self.turn: Turn | None = None
        """The event of users of the same machine, if any follow plans."""
        self._pending: list[float] = []
        self._priority = take_priority()

    def ring_at(self, time: float) -> None:
        """Ring at ``time``, or earlier if an earlier ring is pending; the process that wakes sets it again."""
        pending = self._pending
        if time == inf or (pending and pending[0] <= time):
            return
        env, time = self.env, float(time)  # it may be one of NumPy's numbers where the engine is not compiled
        now = env.now
        delay = time - now
        while now + delay < time:  # off the grid of time, the difference may be rounded
            delay = nextafter(delay, inf)
        if now + delay > time:  # no delay is exact: ring at the next grid point, from which all delays are
            time = ceil_to_grid(now)
            delay = time - now
        heappush(pending, time)
        env.schedule(self, self._priority, delay)

    @property
    def rings(self) -> list[float]:
        """When it will ring, as far as is known."""
        return list(self._pending)

    def taken_back(self) -> None:
        """The first ring has been taken out of SimPy's queue."""
        heappop(self._pending)

    def happen(self) -> None:
        """A ring is over, before the process waits for the next one."""
        heappop(self._pending)

    def horizon(self) -> float:
        """The time of the next event of any other process; rings that are pending until then are taken back."""
        events, mine = events_of(self.env), (self, self.turn)
        while events and events[0][3] in mine:
            event = heappop(events)[3]
            event.taken_back()  # type: ignore[attr-defined]
        return float(self.env.peek())


class Turn(Recurring):
    """An event that happens where SimPy would process the one with a given number."""

    def __init__(self, env: simpy.Environment, call: Callable[[int], None]) -> None:
        super().__init__(env)
        self._call = call
        self._pending: list[tuple[float, int]] = []

    def at(self, time: float, stamp: int) -> None:
        """Ring at ``time``, as SimPy's event number ``stamp``."""
        if (time, stamp) not in self._pending:
            heappush(self._pending, (time, stamp))
            insert(self.env, self, time, stamp)

    def taken_back(self) -> None:
        """The first ring has been taken out of SimPy's queue."""
        heappop(self._pending)

    def happen(self) -> None:
        """Its turn has come."""
        self._call(heappop(self._pending)[1])
