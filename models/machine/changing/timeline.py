"""The changes of one run in order of time, told to the engine step by step.

Random outages have no end, so they are drawn up to a horizon, which moves as the run goes on.
"""

import math

import numpy as np

from thinktime.models.engine.codes.changes import ANNOUNCE, CLOSE, FAIL, OPEN, REPAIR
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window

EVENTS = 2048
"""How many failures are drawn in one step, on average."""


class Timeline:
    """What will happen to a machine, as far as it is known: columns of time, kind, processor or window, and until."""

    def __init__(self, processors: int, outages: Outages | None, failures: Failures | None) -> None:
        self.horizon = math.inf
        """Before this time all changes are known (s)."""
        self._later = _columns([])
        self._outages = [Outages.of([])]
        self._drawing = None
        if failures is not None:
            self._drawing = failures.drawing(processors)
            self._step = EVENTS * failures.mean_up / processors
            self.horizon = -math.inf
        if outages is not None:
            self.add_outages(outages)

    def add_window(self, number: int, window: Window) -> None:
        """A window is announced, begins and ends."""
        announced = -math.inf if window.announced is None else window.announced
        self._add([
            (announced, ANNOUNCE, number, 0.0), (window.start, OPEN, number, 0.0), (window.end, CLOSE, number, 0.0)
        ])  # fmt: skip

    def add_known_window(self, number: int, window: Window) -> None:
        """A window that was announced before begins and ends."""
        self._add([(window.start, OPEN, number, 0.0), (window.end, CLOSE, number, 0.0)])

    def add_repair(self, processor: int, end: float, outages: int) -> None:
        """A processor that is down comes back, once all of so many outages are over."""
        self._add([(end, REPAIR, processor, 0.0)] * outages)

    def known_until(self, now: float, untold: tuple[Floats, ...] = ()) -> tuple[Floats, Whole, Whole, Floats]:
        """The next changes, with those that were told before and have not happened; the horizon lies after ``now``."""
        if untold:
            self._later = tuple(np.concatenate(pair) for pair in zip(untold, self._later, strict=True))
        while self._drawing is not None and self.horizon <= now:
            self.horizon = max(self.horizon, now) + self._step
            self.add_outages(self._drawing.until(math.nextafter(self.horizon, -math.inf)))
        time, what, which, _ = self._later
        order = np.lexsort((which, what, time))
        columns = [column[order] for column in self._later]
        told = int(np.searchsorted(columns[0], self.horizon)) if self.horizon < math.inf else len(order)
        self._later = tuple(column[told:] for column in columns)
        found = [column[:told] for column in columns]
        return found[0], found[1].astype(np.int64), found[2].astype(np.int64), found[3]

    def add_outages(self, outages: Outages) -> None:
        """From now on these outages are known to come: processors go down, and up again."""
        self._outages.append(outages)
        start, end, index = outages.start, outages.end, outages.index
        ends, none = np.isfinite(end), np.zeros(len(start))
        down = start, none + FAIL, index * 1.0, end
        up = end[ends], none[ends] + REPAIR, index[ends] * 1.0, none[ends]
        self._later = tuple(np.concatenate(each) for each in zip(self._later, down, up, strict=True))

    def happened(self, now: float) -> Outages:
        """When processors were down (their union), of the outages that began before ``now`` (s)."""
        columns = ((each.start, each.end, each.index) for each in self._outages)
        start, end, index = (np.concatenate(arrays) for arrays in zip(*columns, strict=True))
        began = start < now
        return Outages(start[began], end[began], index[began]).union()

    def fewest_down(self, since: float, now: float) -> int:
        """How few processors were down at once at a time from ``since`` to before ``now`` (s)."""
        past = self.happened(now)
        start, end = np.sort(past.start), np.sort(past.end)
        moments = np.append(end[(end >= since) & (end < now)], since)
        down = np.searchsorted(start, moments, "right") - np.searchsorted(end, moments, "right")
        return int(down.min())

    def down_for_ever(self, now: float) -> int:
        """How many processors are down at ``now`` (s) and never come back."""
        return int(np.isinf(self.happened(now).end).sum())

    def end_failures(self) -> None:
        """Draw no more random failures."""
        self._drawing, self.horizon = None, math.inf

    def _add(self, changes: list[tuple[float, int, int, float]]) -> None:
        finite = [change for change in changes if change[0] < math.inf]
        self._later = tuple(np.concatenate(pair) for pair in zip(self._later, _columns(finite), strict=True))


def _columns(changes: list[tuple[float, int, int, float]]) -> tuple[Floats, ...]:
    table = np.array(changes, np.float64).reshape(-1, 4)
    return tuple(table.T)
