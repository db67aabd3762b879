"""Working hours: when people submit, by day or at night.

Days are counted from t = 0, midnight before a Monday (our choice; ``origin`` moves it, for instance to match a
log). A submission that would fall outside the hours is delayed until they begin.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.units import DAY, HOUR


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """Hours from ``start`` to ``end`` (hours of the day) on the given ``days`` (0 is Monday).

    With ``end`` before ``start`` it is a night shift, which begins on ``days`` and ends the next day.

    ``ValueError`` for hours or days that do not exist.

    >>> WorkingHours(9, 17).next(0.0) / 3600
    9.0
    >>> night = WorkingHours(22, 6)
    >>> night.next(0.0) / 3600, night.next(27 * 3600.0) / 3600, night.next(31 * 3600.0) / 3600
    (22.0, 27.0, 46.0)
    """

    start: float = 9.0
    end: float = 17.0
    days: tuple[int, ...] = (0, 1, 2, 3, 4)
    origin: float = 0.0  # s: a midnight before a Monday

    def __post_init__(self) -> None:
        if not (0 <= self.start < 24 and 0 <= self.end <= 24) or self.start == self.end:
            raise ValueError(
                f"working hours are from {quoted(self.start)} to {quoted(self.end)}, but must be two different hours "
                "of the day: "
                "0 <= start < 24 and 0 <= end <= 24, such as 9 to 17, 22 to 6, or 0 to 24 for all day"
            )
        if not self.days or not set(self.days) <= set(range(7)):
            raise ValueError(f"working days are {quoted(self.days)}, but must be some of 0 (Monday) to 6 (Sunday)")

    @property
    def length(self) -> float:
        """The length of one day's hours, s."""
        return (self.end - self.start + (24 if self.end < self.start else 0)) * HOUR

    def next(self, time: float) -> float:
        """The first time at or after ``time`` within the hours, s."""
        return max(time, self.morning(time - self.length))

    def warp(self, times: Floats) -> Floats:
        """`next` for many times, s."""
        return np.array([self.next(time) for time in times.tolist()], dtype=np.float64)

    def morning(self, time: float) -> float:
        """The first time after ``time`` at which the hours begin (a night shift: in the evening), s."""
        day = (time - self.origin - self.start * HOUR) // DAY + 1
        while day % 7 not in self.days:
            day += 1
        return self.origin + day * DAY + self.start * HOUR
