"""The clock that users think by: a cycle, by which time passes faster by day, and working hours.

A think time z that begins at t is over when z seconds of operational time have passed, in the sense of
`cycles`; a submission that would then fall outside working hours waits for the next time inside them (ours).
"""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.hours import WorkingHours


@dataclass(frozen=True, slots=True)
class UserClock:
    """When users come back; without a cycle and hours, when they have thought."""

    cycle: Cycle | None = None
    hours: WorkingHours | None = None

    @property
    def plain(self) -> bool:
        """Whether it is an ordinary clock."""
        return self.cycle is None and self.hours is None

    def later(self, time: float, gap: float) -> float:
        """When somebody submits who thinks for `gap` s from `time` on (s)."""
        at = time + gap if self.cycle is None else self.cycle.later(time, gap)
        return at if self.hours is None else self.hours.next(at)


PLAIN = UserClock()
"""The clock of those who keep neither hours nor a cycle."""
