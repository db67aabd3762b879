"""Columns that grow together: what policies may see of a job, and what they may not.

A job is one row, with the same number in both tables. ``Requests`` holds what the job's owner said and what has
become visible since. ``Outcomes`` holds the true run time and the end that follows from it. No object that a policy
can reach refers to ``Outcomes``: this is the boundary of knowledge. ``docs/design.md`` describes the columns.
"""

import math
from copy import copy, deepcopy
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.current import Current
from thinktime.workloads.names import quoted

Column = TypeVar("Column", bound=NDArray[Any])

FIRST_CAPACITY = 64
MISSING: dict[Any, float] = {np.int64: -1, np.float64: np.nan, np.bool_: False, np.int8: 0}
SCALARS: dict[Any, Any] = {
    NDArray[np.int64]: np.int64,
    NDArray[np.float64]: np.float64,
    NDArray[np.bool_]: np.bool_,
    NDArray[np.int8]: np.int8,
}
"""What columns of a type consist of. NumPy's aliases do not tell: what they are made of depends on its version."""


class JobColumns:
    """Named columns of one length and one capacity; ``size`` rows are in use.

    ``current`` has the state of the engine that refers to them.
    """

    schema: ClassVar[dict[str, tuple[Any, Any]]]
    """The annotated columns by name: the type, and the value of a missing entry."""
    zero: ClassVar[tuple[str, ...]] = ()
    """Columns in which a missing entry is 0, unlike in others of their types."""
    seldom: ClassVar[tuple[str, ...]] = ()
    """Columns that take no memory, and are read-only, until `own` is asked for them."""
    at_first: ClassVar[int] = FIRST_CAPACITY
    """For how many rows there is room before any is added."""

    def __init_subclass__(cls) -> None:
        kinds = {name: SCALARS[kind] for name, kind in cls.__annotations__.items()}
        cls.schema = {name: (kind, 0 if name in cls.zero else MISSING[kind]) for name, kind in kinds.items()}

    def __init__(self) -> None:
        self.size = 0
        self.capacity = 0
        self.current = Current()
        for name, (kind, missing) in self.schema.items():
            setattr(self, name, _constant(kind, missing, 0) if name in self.seldom else np.empty(0, kind))
        if self.at_first:
            self._allocate(self.at_first)

    def append(self, count: int, **columns: Any) -> slice:
        """Add ``count`` rows and return them as a slice; columns that are not given hold their missing value."""
        self.reserve(count)
        rows = slice(self.size, self.size + count)
        self.size += count
        for name, values in columns.items():
            self.own(name)[rows] = values
        return rows

    def own(self, name: str) -> NDArray[Any]:
        """A column to write to."""
        column: NDArray[Any] = getattr(self, name)
        if not column.flags.writeable:
            column = column.copy()
            setattr(self, name, column)
        return column

    def reserve(self, count: int) -> None:
        """Make room for ``count`` more rows."""
        if self.size + count > self.capacity:
            self._allocate(max(2 * self.capacity, self.size + count))

    def cut(self, size: int) -> None:
        """Remove all rows but the first ``size``."""
        for name, (_, missing) in self.schema.items():
            if getattr(self, name).flags.writeable:
                getattr(self, name)[size : self.size] = missing
        self.size = size

    def snapshot(self, size: int, changing: tuple[str, ...]) -> Self:
        """The first ``size`` rows: copies of the ``changing`` columns, views of the others."""
        twin = type(self).__new__(type(self))
        twin.size = twin.capacity = size
        twin.current = Current()
        for name in self.schema:
            column = getattr(self, name)[:size]
            setattr(twin, name, column.copy() if name in changing else column)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Columns of its own, but for those that take no memory."""
        twin = copy(self)
        memo[id(self)], twin.current = twin, Current()
        for name in self.schema:
            column = getattr(self, name)
            if column.flags.writeable:
                setattr(twin, name, deepcopy(column, memo))
        return twin

    def columns(self) -> dict[str, NDArray[Any]]:
        """The rows in use, column by column (views, not copies)."""
        return {name: getattr(self, name)[: self.size] for name in self.schema}

    def _allocate(self, capacity: int) -> None:
        for name, (kind, missing) in self.schema.items():
            before = getattr(self, name)
            if not before.flags.writeable:
                column = _constant(kind, missing, capacity)
            else:  # zeros take no memory until they are written
                column = np.full(capacity, missing, kind) if missing != 0 else np.zeros(capacity, kind)
                column[: self.size] = before[: self.size]
            setattr(self, name, column)
        self.capacity = capacity


@lru_cache(maxsize=64)
def _constant(kind: Any, value: float, length: int) -> NDArray[Any]:
    """A read-only column that has the same value everywhere, and takes no memory."""
    return np.broadcast_to(kind(value), length)


class Requests(JobColumns):
    """What a policy may see: the request, and what has happened in the open."""

    usual_watts = math.nan
    """What each processor of a job draws above idle whose ``power`` is not said, W."""

    seldom = ("queue", "partition", "nice", "memory", "power", "recorded_start", "runs", "done")
    zero = ("nice", "processors", "key", "runs", "done")
    id: NDArray[np.int64]
    user: NDArray[np.int64]
    group: NDArray[np.int64]
    queue: NDArray[np.int64]
    partition: NDArray[np.int64]
    nice: NDArray[np.int64]
    """What its owner takes off its priority."""
    campaign: NDArray[np.int64]
    submit: NDArray[np.float64]
    processors: NDArray[np.int64]
    requested: NDArray[np.float64]
    """What the owner asked for, s: under ``kill``, a job is killed at it."""
    estimate: NDArray[np.float64]
    """What the policy plans with, s."""
    memory: NDArray[np.float64]
    power: NDArray[np.float64]
    """What each processor draws above idle, W."""
    equivalents: NDArray[np.float64]
    think_time: NDArray[np.float64]
    recorded_start: NDArray[np.float64]
    key: NDArray[np.float64]
    numbered_here: NDArray[np.bool_]
    start: NDArray[np.float64]
    expected_end: NDArray[np.float64]
    promised: NDArray[np.float64]
    latest_start: NDArray[np.float64]
    state: NDArray[np.int8]
    runs: NDArray[np.int64]
    """How many runs of it were interrupted."""
    done: NDArray[np.float64]
    """The work of these that need not be done again, s."""

    def snapshot(self, size: int, changing: tuple[str, ...]) -> Self:
        """With the same usual power."""
        twin = super().snapshot(size, changing)
        twin.usual_watts = self.usual_watts
        return twin


class Outcomes(JobColumns):
    """What only the machine knows: how long a job really runs, when it ends, and how."""

    seldom = ("fails",)
    runtime: NDArray[np.float64]
    end: NDArray[np.float64]
    fails: NDArray[np.int8]
    """Whether it ends with an error, which only jobs that depend on it care about."""
    fate: NDArray[np.int8]
    watch: NDArray[np.int64]
    attention: NDArray[np.int8]


def known_row(row: int, size: int) -> int:
    """The row itself; ``IndexError`` if there is no job in it, since compiled code checks no index."""
    if not 0 <= row < size:
        raise IndexError(f"there is no job in row {quoted(row)}: the rows are 0 to {size - 1}")
    return row


def grown(array: Column, size: int) -> Column:
    """A longer array that begins with the same values; the others are 0."""
    longer: Any = np.zeros_like(array, shape=size)
    longer[: len(array)] = array
    return cast(Column, longer)
