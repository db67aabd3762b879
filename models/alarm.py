"""What wakes the scheduler process: an alarm, a SimPy event that rings again and again, and timetables of submissions.

SimPy orders the events of one time by priority: 0 for urgent events, 1 for all others, such as what users do.
The alarm rings with priority 2. When it rings at *t*, users have done everything that they do at *t*, reactions
without think time included.

An ordinary SimPy event is processed once. The alarm is scheduled as often as it is set, without a new object each
time. It cannot be cancelled, so a process that it wakes must check whether anything is due.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, nextafter
from typing import cast

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.events import EventPriority

from thinktime.workloads.grid import ceil_to_grid

AFTER_USERS = cast(EventPriority, 2)


class Alarm(simpy.Event):
    """An event that a process can wait for again after it has been processed."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        self._pending: list[float] = []
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
        env.schedule(self, AFTER_USERS, delay)

    def _rearm(self, event: simpy.Event) -> None:
        """Become an event that has not been processed; called first, before the process waits for it again."""
        heappop(self._pending)
        self.callbacks = [self._rearm]


class Timetable:
    """Jobs that will be submitted at known times, grouped by time."""

    __slots__ = ("_borders", "_place", "_times", "next")

    def __init__(self, submit: NDArray[np.float64], rows: range) -> None:
        times, first = np.unique(submit[rows.start : rows.stop], return_index=True)
        self._times = [*times.tolist(), inf]
        self._borders = [*(first + rows.start).tolist(), rows.stop]
        self._place = 0
        self.next: float = self._times[0]

    def take(self) -> range:
        """Return the rows of the next time, and move ``next`` to the time after it."""
        i = self._place
        self._place = i + 1
        self.next = self._times[i + 1]
        return range(self._borders[i], self._borders[i + 1])

    def __lt__(self, other: Timetable) -> bool:
        return self.next < other.next
