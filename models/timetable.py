"""A timetable: jobs that will be submitted at known times."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray


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
