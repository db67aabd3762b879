"""The clocks of charges that vary, as the engine reads them (`thinktime.models.engine.limits.prices`)."""

import math
from collections.abc import Sequence

import numpy as np

from thinktime.models.engine.codes import budgets as codes
from thinktime.models.results.bill import integral
from thinktime.workloads.arrays import AnyArray, Floats
from thinktime.workloads.signals.signal import Signal

AHEAD = 2.0
"""Clocks are told for so many times as long as they are needed, so that they need not be told at every pass."""


class Clocks:
    """The integrals of some products of signals, as lines between the steps of the signals."""

    def __init__(self) -> None:
        self._first, self._last = math.inf, -math.inf
        self._arrays: dict[str, AnyArray] = {}

    def arrays(self) -> dict[str, AnyArray]:
        """What the engine takes, by name."""
        return self._arrays

    def tell(self, clocks: Sequence[Sequence[Signal]], first: float, last: float) -> bool:
        """Make the lines between two times (s); false if they are there already."""
        if self._arrays and self._first <= first and last <= self._last:
            return False
        self._first, self._last = first, last + AHEAD * (last - first)
        every = [self._lines(list(clock)) for clock in clocks]
        joined = np.concatenate([np.empty((0, codes.OF_LINE)), *every]).ravel()
        self._arrays = {"clocks": joined, "first": np.cumsum([0, *map(len, every)]).astype(np.int64)}
        return True

    def _lines(self, clock: list[Signal]) -> Floats:
        """Times, the clock then, and how much it grows in a second from then on."""
        if not clock:
            return np.array([[0.0, 0.0, 1.0]])
        steps = [np.asarray(each.steps(self._first, self._last).times) for each in clock]
        times = np.unique(np.concatenate([[self._first, self._last], *steps]))
        times = times[(times >= self._first) & (times <= self._last)]
        sums = integral(clock, np.full(len(times), self._first), times)
        return np.column_stack([times[:-1], sums[:-1], np.diff(sums) / np.diff(times)])
