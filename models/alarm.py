"""An alarm: the SimPy event that wakes the scheduler process, again and again.

SimPy orders the events of one time by priority: 0 for what is urgent, 1 for everything users do. The alarm
rings with priority 2, so when it rings at *t*, everything that users do at *t* has been done, zero think
times after a completion included. An ordinary SimPy event is processed once; the alarm takes its place in
SimPy's agenda as often as it is set, without a new object and a new callback list each time, and it cannot
be taken back: a process that waits for it must look whether something is due.
"""

from heapq import heappop, heappush
from math import inf, nextafter
from typing import cast

import simpy
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
        """Ring at ``time`` at the latest; where it will ring earlier, whoever wakes up then sets it anew."""
        pending = self._pending
        if time == inf or (pending and pending[0] <= time):
            return
        env = self.env
        now = env.now
        delay = time - now
        while now + delay < time:  # off the grid of time, the difference may round
            delay = nextafter(delay, inf)
        if now + delay > time:  # too far apart for any delay: go to the grid first, whence all is exact
            time = ceil_to_grid(now)
            delay = time - now
        heappush(pending, time)
        env.schedule(self, AFTER_USERS, delay)

    def _rearm(self, event: simpy.Event) -> None:
        """First callback of every ring: be an event that has not been processed yet, before the process asks."""
        heappop(self._pending)
        self.callbacks = [self._rearm]
