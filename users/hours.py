"""Working hours: when people submit.

Days are counted from t = 0, which is midnight before a Monday (our decision; ``origin`` moves it, for
instance to the start of a log). A submission that would fall outside the hours waits for the next time
inside them. `LocalHours` are hours on a log's own wall clock, with its summer time.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from thinktime.workloads.behaviour.rhythm import THURSDAY, utc_offset
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """From ``start`` to ``end`` (hours of the day) on the given ``days`` (0 is Monday).

    >>> WorkingHours(9, 17).next(0.0) / 3600
    9.0
    """

    start: float = 9.0
    end: float = 17.0
    days: tuple[int, ...] = (0, 1, 2, 3, 4)
    origin: float = 0.0  # s: a midnight before a Monday

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= 24:
            raise ValueError(
                f"working hours go from {self.start} to {self.end}, but must lie in a day: 0 <= start < end <= 24"
            )
        if not self.days or not set(self.days) <= set(range(7)):
            raise ValueError(f"working days are {self.days}, but must be some of 0 (Monday) to 6 (Sunday)")

    def next(self, time: float) -> float:
        """The first time at or after ``time`` inside the hours, s."""
        day, second = divmod(time - self.origin, DAY)
        if second >= self.end * HOUR:
            day, second = day + 1, 0.0
        while day % 7 not in self.days:
            day, second = day + 1, 0.0
        return self.origin + day * DAY + max(second, self.start * HOUR)

    def morning(self, time: float) -> float:
        """The first begin of a working day after ``time``, s."""
        day, second = divmod(time - self.origin, DAY)
        if second >= self.start * HOUR:
            day += 1
        return self.next(self.origin + day * DAY)


@dataclass(frozen=True, slots=True)
class LocalHours:
    """Working hours on the clock of a zone that may have summer time; ``start`` is the Unix time of t = 0.

    >>> LocalHours(WorkingHours(9, 17), start=4 * DAY).next(0.0) / 3600
    9.0
    """

    hours: WorkingHours
    start: float
    zone: datetime.tzinfo = datetime.UTC

    @classmethod
    def of_log(cls, hours: WorkingHours, trace: Trace) -> LocalHours:
        """Hours on a log's clock; a log without a start time begins at midnight before a Monday."""
        return cls(hours, -THURSDAY) if trace.start is None else cls(hours, trace.start, trace.zone)

    def next(self, time: float) -> float:
        """The first time at or after ``time`` inside the hours, s."""
        moment = self.start + time
        wall = self._wall(moment)
        found = self.hours.next(wall)
        if found == wall:
            return time
        before = moment + (found - wall)  # were no clock changed until then
        after = found - (self._wall(before) - before)
        return (after if self._wall(after) == found else before) - self.start

    def _wall(self, moment: float) -> float:
        """A Unix time on the clock: s since midnight before some Monday."""
        return moment + utc_offset(moment, self.zone) + THURSDAY
