"""What wakes the scheduler process: an alarm, a SimPy event that rings again and again.

SimPy orders the events of one time by priority: 0 for urgent events, 1 for all others, such as what users do.
Alarms have the priorities from 2 on, in the order in which their machines were made. When one rings at *t*, users have
done everything that they do at *t*, reactions without think time included.

An ordinary SimPy event is processed once. The alarm is scheduled as often as it is set, without a new object each
time. It cannot be cancelled, so a process that it wakes must check whether anything is due.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf, nextafter
from typing import cast

import simpy
from simpy.events import NORMAL, EventPriority

from thinktime.workloads.grid import ceil_to_grid

_priorities = count(2)


class Alarm(simpy.Event):
    """An event that a process can wait for again after it has been processed."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        self.turn: Turn | None = None
        """The event of users of the same machine, if any follow plans."""
        self._pending: list[float] = []
        self._priority = cast(EventPriority, next(_priorities))
        self.callbacks = [self._rearm]

    def ring_at(self, time: float) -> None:
        """Ring at ``time``, or earlier if an earlier ring is pending; whoever that wakes sets the alarm again."""
        pending = self._pending
        if time == inf or (pending and pending[0] <= time):
            return
        env = self.env
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

    def _rearm(self, event: simpy.Event) -> None:
        """Become an event that has not been processed; called first, before the process waits for it again."""
        heappop(self._pending)
        self.callbacks = [self._rearm]

    def horizon(self) -> float:
        """The time of the next event of anybody else; rings that are pending until then are taken back."""
        queue, mine = self.env._queue, (self, self.turn)
        while queue and queue[0][3] in mine:
            event = heappop(queue)[3]
            event.taken_back()  # type: ignore[attr-defined]
        return float(queue[0][0]) if queue else inf


class Turn(simpy.Event):
    """An event that happens where SimPy would process the one with a given number."""

    def __init__(self, env: simpy.Environment, call: Callable[[int], None]) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
        self._call = call
        self._pending: list[tuple[float, int]] = []
        self.callbacks = [self._ring]

    def at(self, time: float, stamp: int) -> None:
        """Ring at ``time``, as SimPy's event number ``stamp``."""
        if (time, stamp) not in self._pending:
            heappush(self._pending, (time, stamp))
            heappush(self.env._queue, (time, NORMAL, stamp, self))

    def taken_back(self) -> None:
        """The first ring has been taken out of SimPy's queue."""
        heappop(self._pending)

    def _ring(self, event: simpy.Event) -> None:
        self.callbacks = [self._ring]
        self._call(heappop(self._pending)[1])
