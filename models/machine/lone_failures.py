"""When only random failures go on: no end, so a run for which jobs wait that never start would have none either.

Failures are drawn step by step (`thinktime.models.machine.changing.timeline`). Before a step is drawn, nothing but
failures may have happened since the one before: nothing runs, started or came, no other process has an event, no
clock, window or limit is due. If the jobs that wait can never start, or had room on an idle machine (as much as there
will ever be, on nodes) and were not started, no more failures are drawn, and a note says so. This is our decision.
"""

from math import inf
from typing import Any

import simpy

from thinktime.models.engine.sources.releases import next_submission
from thinktime.models.machine.alarm import Alarm
from thinktime.models.machine.simpy_insides import events_of
from thinktime.workloads.units import counted, in_two_units


class LoneFailures:
    """Watches over the steps in which the failures of one run are drawn."""

    def __init__(self, env: simpy.Environment, alarm: Alarm, pool: Any) -> None:
        self._env, self._alarm, self._pool = env, alarm, pool
        self._since, self._before = inf, (0, 0, 0)
        self._stopped = inf

    @property
    def seen(self) -> tuple[float, tuple[int, int, int], float]:
        """What was seen at the last step, and since when there are no more."""
        return self._since, self._before, self._stopped

    @seen.setter
    def seen(self, seen: tuple[float, tuple[int, int, int], float]) -> None:
        self._since, self._before, self._stopped = seen

    def look(self, now: float, clock: float) -> None:
        """Failures will be drawn from now on; ``clock`` is when anything else of the scheduler's is due."""
        pool = self._pool
        seen = int(pool.truth.over), int(pool.truth.given), int(pool.state.in_queue)
        quiet, since = seen == self._before, self._since
        self._before, self._since = seen, now
        if quiet and seen[2] and since < now and self._nothing_else(clock) and pool.nothing_starts(since, now):
            pool.end_failures(now)
            self._stopped = now

    def _nothing_else(self, clock: float) -> bool:
        """Whether nothing runs, comes, or is due."""
        pool = self._pool
        busy = pool.state.at_work or pool.truth.arrived_count or pool.truth.to_come or pool.coming_back
        due = min(clock, pool.next_end(), pool.next_leaving(), next_submission(pool.truth))
        return not busy and due == inf and all(event is self._alarm for *_, event in events_of(self._env))

    def since(self) -> str:
        """Since when there are no failures; empty if they went on."""
        return "" if self._stopped == inf else f"no failures were drawn after {in_two_units(self._stopped)}"

    def notes(self) -> list[str]:
        """The same as a sentence for the notes of a result."""
        waiting = counted(int(self._pool.state.in_queue), "job")
        return [f"{since}, since nothing could start any more ({waiting} waiting)"] if (since := self.since()) else []
