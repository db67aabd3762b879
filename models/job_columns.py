"""Columns that grow together: what policies may see of a job, and what they may not.

A job is one row, with the same number in both tables. ``Requests`` holds what the job's owner said and what has
become visible since. ``Outcomes`` holds the true run time and the end that follows from it. No object that a policy
can reach refers to ``Outcomes``: this is the boundary of knowledge. ``docs/design.md`` describes the columns.
"""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

FIRST_CAPACITY = 64


class JobColumns:
    """Named columns of one length and one capacity; ``size`` rows are in use."""

    schema: ClassVar[dict[str, tuple[Any, Any]]]  # name: (type, value of a missing entry)
    seldom: ClassVar[tuple[str, ...]] = ()
    """Columns that take no memory, and are read-only, until `own` is asked for them."""

    def __init__(self) -> None:
        self.size = 0
        self.capacity = 0
        for name, (kind, _) in self.schema.items():
            column = np.empty(0, kind)
            column.flags.writeable = name not in self.seldom
            setattr(self, name, column)
        self._allocate(FIRST_CAPACITY)

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
        for name in self.schema:
            column = getattr(self, name)[:size]
            setattr(twin, name, column.copy() if name in changing else column)
        return twin

    def columns(self) -> dict[str, NDArray[Any]]:
        """The rows in use, column by column (views, not copies)."""
        return {name: getattr(self, name)[: self.size] for name in self.schema}

    def _allocate(self, capacity: int) -> None:
        for name, (kind, missing) in self.schema.items():
            before = getattr(self, name)
            column = np.broadcast_to(kind(missing), capacity)
            if before.flags.writeable:  # zeros take no memory until they are written
                column = column.copy() if missing != 0 else np.zeros(capacity, kind)
                column[: self.size] = before[: self.size]
            setattr(self, name, column)
        self.capacity = capacity


class Requests(JobColumns):
    """What a policy may see: the request, and what has happened in the open."""

    seldom = ("queue", "memory", "recorded_start")
    schema: ClassVar[dict[str, tuple[Any, Any]]] = {
        "id": (np.int64, -1),
        "user": (np.int64, -1),
        "group": (np.int64, -1),
        "queue": (np.int64, -1),
        "campaign": (np.int64, -1),
        "submit": (np.float64, np.nan),
        "processors": (np.int64, 0),
        "requested": (np.float64, np.nan),
        "estimate": (np.float64, np.nan),
        "memory": (np.float64, np.nan),
        "equivalents": (np.float64, np.nan),
        "think_time": (np.float64, np.nan),
        "recorded_start": (np.float64, np.nan),
        "key": (np.float64, 0.0),
        "numbered_here": (np.bool_, False),
        "start": (np.float64, np.nan),
        "expected_end": (np.float64, np.nan),
        "promised": (np.float64, np.nan),
        "latest_start": (np.float64, np.nan),
        "state": (np.int8, 0),
    }
    id: NDArray[np.int64]
    user: NDArray[np.int64]
    group: NDArray[np.int64]
    queue: NDArray[np.int64]
    campaign: NDArray[np.int64]
    submit: NDArray[np.float64]
    processors: NDArray[np.int64]
    requested: NDArray[np.float64]
    """What the owner asked for, s: under ``kill``, a job is killed at it."""
    estimate: NDArray[np.float64]
    """What the policy plans with, s."""
    memory: NDArray[np.float64]
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


class Outcomes(JobColumns):
    """What only the machine knows: how long a job really runs, when it ends, and how."""

    schema: ClassVar[dict[str, tuple[Any, Any]]] = {
        "runtime": (np.float64, np.nan),
        "end": (np.float64, np.nan),
        "fate": (np.int8, 0),
        "watch": (np.int64, -1),
        "attention": (np.int8, 0),
    }
    runtime: NDArray[np.float64]
    end: NDArray[np.float64]
    fate: NDArray[np.int8]
    watch: NDArray[np.int64]
    attention: NDArray[np.int8]
