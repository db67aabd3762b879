"""Working hours: when people submit.

Days are counted from t = 0, which is midnight before a Monday (our decision; ``origin`` moves it, for
instance to the start of a log). A submission that would fall outside the hours waits for the next time
inside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    def warp(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """`next` of many times, s."""
        return np.array([self.next(time) for time in times.tolist()], dtype=np.float64)

    def morning(self, time: float) -> float:
        """The first begin of a working day after ``time``, s."""
        day, second = divmod(time - self.origin, DAY)
        if second >= self.start * HOUR:
            day += 1
        return self.next(self.origin + day * DAY)
