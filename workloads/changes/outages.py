"""Outages: which processors (on a machine of nodes: which nodes) are down over which times, not known ahead.

A table with one row per processor and interval [start, end), in order of (start, index, end). Intervals of one
processor may overlap. Each is an outage of its own, whose end is known, if at all, once it has begun, and the processor
is down in their union.

>>> outages = Outages.of([(10, 20, "0-1 7"), (15, 30, [7])])
>>> list(zip(outages.start.tolist(), outages.end.tolist(), outages.index.tolist()))
[(10.0, 20.0, 0), (10.0, 20.0, 1), (10.0, 20.0, 7), (15.0, 30.0, 7)]
>>> outages.union().end.tolist()
[20.0, 20.0, 30.0]
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.changes.windows import interval
from thinktime.workloads.grid import LIMIT, to_grid
from thinktime.workloads.interval_sets import indices_of
from thinktime.workloads.names import Explained, key_of, quoted
from thinktime.workloads.units import Duration, as_seconds

Machine = int | Mapping[str, int]
"""A number of processors, or the names of nodes with their numbers."""


class Outages(Explained):
    """Outages as three read-only arrays of equal length: ``start`` and ``end`` (s) and ``index``.

    Intervals may be given in any order; ``end`` may be infinite. If there are ``names`` (see `named`), an index is a
    place among these names of nodes, until `bound` looks them up on a machine.

    ``ValueError`` for arrays of unequal length, ends before starts, and indices that cannot be.

    >>> Outages([3600, 0], [7200, 60], [2, 0]).start.tolist()
    [0.0, 3600.0]
    """

    __slots__ = ("end", "index", "names", "start")

    start: Floats
    end: Floats
    index: Whole
    names: tuple[str, ...] | None

    def __init__(self, start: ArrayLike, end: ArrayLike, index: ArrayLike) -> None:
        begin, finish = (to_grid(np.asarray(each, np.float64)) for each in (start, end))
        which = np.asarray(index, np.int64)
        if not begin.ndim == 1 or not begin.shape == finish.shape == which.shape:
            raise ValueError("start, end and index of outages must be three lists of equal length")
        _check(begin, finish, which)
        order = np.lexsort((finish, which, begin))
        self._keep(begin[order], finish[order], which[order], None)

    @classmethod
    def of(cls, rows: Iterable[tuple[Duration, Duration, str | Sequence[int] | Whole]]) -> "Outages":
        """Outages from rows of start, end (s), and an interval set such as "0-3 7" or a list of indices."""
        given = [
            (as_seconds("start", start), as_seconds("end", end), indices_of(which) if isinstance(which, str) else which)
            for start, end, which in rows
        ]
        counts = [len(which) for *_, which in given]
        flat = np.concatenate([np.asarray(which, np.int64) for *_, which in given]) if given else np.empty(0, np.int64)
        return cls(np.repeat([row[0] for row in given], counts), np.repeat([row[1] for row in given], counts), flat)

    @classmethod
    def of_ordered(cls, start: Floats, end: Floats, index: Whole) -> "Outages":
        """Outages from arrays on the grid in order of (start, index, end), taken without a check."""
        return cls.__new__(cls)._keep(start, end, index, None)

    def _keep(self, start: Floats, end: Floats, index: Whole, names: Sequence[str] | None) -> "Outages":
        for array in (start, end, index):
            array.setflags(write=False)
        self.start, self.end, self.index = start, end, index
        self.names = None if names is None else tuple(names)
        return self

    def named(self, names: Sequence[str]) -> "Outages":
        """The same outages, whose indices are places among these names of nodes."""
        if len(self) and int(self.index.max()) >= len(names):
            raise ValueError(f"an outage has the index {self.index.max()}, beyond the {len(names)} names")
        return self._with(self.start, self.end, self.index, tuple(names))

    def _with(self, start: Floats, end: Floats, index: Whole, names: tuple[str, ...] | None) -> "Outages":
        return Outages.__new__(Outages)._keep(start, end, index, names)

    def bound(self, machine: Machine) -> "Outages":
        """The outages of a machine: of so many processors, or of nodes with these names and numbers.

        Raises ``ValueError`` for a processor or node that the machine does not have.
        """
        if self.names is None:
            check_indices(self.index, machine)
            return self
        check_names(self.names, machine)
        if isinstance(machine, int):
            return self
        return Outages(self.start, self.end, np.array([machine[name] for name in self.names], np.int64)[self.index])

    def __or__(self, other: "Outages") -> "Outages":
        """All outages of two tables."""
        if self.names is not None or other.names is not None:
            raise ValueError("outages that name nodes can be joined once they are bound to a machine")
        start, end, index = (np.concatenate(pair) for pair in zip(self._columns, other._columns, strict=True))
        return Outages(start, end, index)

    def union(self) -> "Outages":
        """When each processor is down: outages of one processor that overlap or touch are one."""
        return self._with(*_merged(*self._columns), self.names)

    def between(self, since: Duration = -math.inf, until: Duration = math.inf) -> "Outages":
        """The outages that begin at ``since`` <= t < ``until`` (s)."""
        since, until = as_seconds("since", since), as_seconds("until", until)
        low, high = np.searchsorted(self.start, [since, until])
        return self._with(self.start[low:high], self.end[low:high], self.index[low:high], self.names)

    def later(self, by: Duration) -> "Outages":
        """The same, later by some time (s)."""
        by = as_seconds("by", by)
        return self._with(self.start + by, self.end + by, self.index, self.names)

    @property
    def _columns(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        return self.start, self.end, self.index

    def __len__(self) -> int:
        return len(self.start)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outages):
            return NotImplemented
        same = all(np.array_equal(*pair) for pair in zip(self._columns, other._columns, strict=True))
        return same and self.names == other.names

    def __hash__(self) -> int:
        return hash((len(self), self.names, *(column.tobytes() for column in self._columns)))

    def __repr__(self) -> str:
        if not len(self):
            return "<Outages: none>"
        what = "processors or nodes" if self.names is None else "named nodes"
        span = f"beginning from {self.start[0]:.15g} to {self.start[-1]:.15g} s"
        return f"<Outages: {len(self):,} of {len(np.unique(self.index)):,} {what}, {span}>"


def check_indices(indices: Whole | Sequence[int], machine: Machine) -> None:
    """Raise ``ValueError`` if the machine does not have all these processors or nodes."""
    size = machine if isinstance(machine, int) else len(machine)
    if len(indices) and (largest := int(np.max(indices))) >= size:
        what = "processor" if isinstance(machine, int) else "node"
        raise ValueError(f"an outage of {what} {largest} is beyond the machine's {size} (0 to {size - 1})")


def check_names(names: Sequence[str], machine: Machine) -> None:
    """Raise ``ValueError`` if the machine does not have all these nodes."""
    for name in names:
        if isinstance(machine, int):
            raise ValueError(f"an outage names the node {quoted(name)}, but the machine is a pool: give indices")
        if name not in machine:
            raise ValueError(f"an outage of an unknown node {quoted(name)}; {key_of(name, machine, 'the nodes', 3)}")


def _check(start: Floats, end: Floats, index: Whole) -> None:
    """Raise ``ValueError`` for the first impossible row."""
    far = (end >= LIMIT) & (end < math.inf)
    wrong = np.flatnonzero(~((start >= 0) & (start < LIMIT) & (end > start) & ~far & (index >= 0)))
    if not wrong.size:
        return
    interval(start[wrong[0]].item(), end[wrong[0]].item())
    raise ValueError(f"an index must be at least 0, not {index[wrong[0]]}")


def _merged(start: Floats, end: Floats, index: Whole) -> tuple[Floats, Floats, Whole]:
    """The union of the intervals of each index, in order of (start, index); they touch nowhere."""
    by_index = np.lexsort((end, start, index))
    start, end, index = start[by_index], end[by_index], index[by_index]
    # Ends as ranks, raised by the index's turn, have a running maximum that begins anew with each index.
    values, ranks = np.unique(end, return_inverse=True)
    turn = np.cumsum(np.diff(index, prepend=index[:1]) > 0) * len(end)
    latest = values[np.maximum.accumulate(ranks.reshape(-1) + turn) - turn]
    begins = np.ones(len(start), np.bool_)
    begins[1:] = (index[1:] != index[:-1]) | (start[1:] > latest[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(start))[: len(first)] - 1
    start, end, index = start[first], latest[last], index[first]
    order = np.lexsort((index, start))
    return start[order], end[order], index[order]
