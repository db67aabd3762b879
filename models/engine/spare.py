"""Arrays that last for a call: making one in NumPy takes 0.7 µs, as long as many a pass; a part of one takes 0.01 µs.

A pass has all that it took when it ends (`thinktime.models.engine.rules.decide`). A call that takes many arrays, or is
made at other times, gives them back itself: it notes how much is ``used`` when it begins, and sets it so at its end.
What a call returns of them is its caller's, who is to copy what has to last.
"""

from __future__ import annotations

import numpy as np

from thinktime.models.engine import arithmetic
from thinktime.workloads.arrays import Floats, Ints

SIZE = 1024


class Spare:
    """A stack of arrays of a machine's state."""

    def __init__(self) -> None:
        self.used = 0
        self.integers = np.empty(SIZE, np.int64)
        self.numbers = np.empty(SIZE)

    def _take(self, n: int) -> int:
        """Where an array of so many begins. What was taken before stays where it is, also if there is no room."""
        first = self.used
        self.used = first + n
        if self.used > len(self.integers):
            self.integers = np.empty(2 * self.used, np.int64)
            self.numbers = np.empty(2 * self.used)
        return first

    def whole(self, n: int) -> Ints:
        """Whole numbers, whatever they are."""
        first = self._take(n)
        return self.integers[first : first + n]

    def real(self, n: int) -> Floats:
        """Times, or other numbers, whatever they are."""
        first = self._take(n)
        return self.numbers[first : first + n]

    def zeros(self, n: int) -> Ints:
        """Whole numbers that are 0."""
        first = self._take(n)
        for i in range(first, first + n):
            self.integers[i] = 0
        return self.integers[first : first + n]

    def real_zeros(self, n: int) -> Floats:
        """Numbers that are 0."""
        first = self._take(n)
        for i in range(first, first + n):
            self.numbers[i] = 0.0
        return self.numbers[first : first + n]

    def copied(self, rows: Ints) -> Ints:
        """A copy of whole numbers, in spare room."""
        found = self.whole(len(rows))
        for i in range(len(rows)):
            found[i] = rows[i]
        return found

    def taken(self, values: Floats, rows: Ints) -> Floats:
        """The values of some rows."""
        found = self.real(len(rows))
        for i in range(len(rows)):
            found[i] = values[rows[i]]
        return found

    def taken_whole(self, values: Ints, rows: Ints) -> Ints:
        """As `taken`, for whole numbers."""
        found = self.whole(len(rows))
        for i in range(len(rows)):
            found[i] = values[rows[i]]
        return found

    def sorted_places(self, keys: Floats, n: int) -> Ints:
        """The places of the first ``n`` keys as `thinktime.models.engine.arithmetic.sort_by` sorts them."""
        order = self.whole(n)
        before = self.used
        arithmetic.sort_by(keys, order, self.whole(n), n)
        self.used = before
        return order

    def sorted_by(self, keys: Floats, rows: Ints) -> Ints:
        """The rows by ascending keys, none of which is NaN; equal keys stay as they are."""
        order = self.sorted_places(keys, len(rows))
        for i in range(len(rows)):
            order[i] = rows[order[i]]
        return order
