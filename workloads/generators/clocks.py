"""The clock of users: a cycle, in which time passes faster by day, and working hours.

A think time z that begins at t ends after z seconds of operational time, in the sense of `cycles`. A submission
that would fall outside working hours is delayed until they begin (ours).
"""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.hours import WorkingHours


@dataclass(frozen=True, slots=True)
class UserClock:
    """When users come back from thinking."""

    cycle: Cycle | None = None
    hours: WorkingHours | None = None

    @property
    def plain(self) -> bool:
        """Whether the clock has neither a cycle nor hours."""
        return self.cycle is None and self.hours is None

    def later(self, time: float, gap: float) -> float:
        """When a user submits who starts to think at `time` for `gap` s."""
        at = time + gap if self.cycle is None else self.cycle.later(time, gap)
        return at if self.hours is None else self.hours.next(at)


PLAIN = UserClock()
"""The clock without hours and cycle."""
