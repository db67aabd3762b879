"""The columns of a log: the eighteen fields of the Standard Workload Format (SWF 2.2), their names and types.

Source: the format's definition at https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. A missing value is
−1 in SWF. Here it is −1 in whole-number and memory columns, and NaN in times.
"""

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from thinktime.workloads.arrays import AnyArray, Whole
from thinktime.workloads.grid import LIMIT, to_grid
from thinktime.workloads.names import quoted

Kind = Literal["whole", "time", "memory"]
LabelNames = Mapping[str, Mapping[int, str]]
"""What numbers in columns such as ``user`` stand for, by column."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name here, its field number (from 1) and title in SWF, and the kind of its values.

    Times are in s on the grid, memory in KB per processor.
    """

    name: str
    field: int
    title: str
    kind: Kind

    @property
    def missing(self) -> float:
        """The value of a missing entry."""
        return np.nan if self.kind == "time" else -1


COLUMNS = (
    Column("id", 1, "job number", "whole"),
    Column("submit", 2, "submit time", "time"),
    Column("wait", 3, "wait time", "time"),
    Column("runtime", 4, "run time", "time"),
    Column("allocated", 5, "number of allocated processors", "whole"),
    Column("cpu_time", 6, "average CPU time used", "time"),
    Column("used_memory", 7, "used memory", "memory"),
    Column("requested_processors", 8, "requested number of processors", "whole"),
    Column("requested_time", 9, "requested time", "time"),
    Column("requested_memory", 10, "requested memory", "memory"),
    Column("status", 11, "status", "whole"),
    Column("user", 12, "user ID", "whole"),
    Column("group", 13, "group ID", "whole"),
    Column("executable", 14, "executable number", "whole"),
    Column("queue", 15, "queue number", "whole"),
    Column("partition", 16, "partition number", "whole"),
    Column("preceding", 17, "preceding job number", "whole"),
    Column("think_time", 18, "think time", "time"),
)
BY_NAME: Mapping[str, Column] = {column.name: column for column in COLUMNS}


def blank(column: Column, rows: int) -> AnyArray:
    """A column in which every entry is missing."""
    return np.full(rows, column.missing, dtype=np.int64 if column.kind == "whole" else np.float64)


def coerce(column: Column, values: ArrayLike) -> AnyArray:
    """Convert values to a column's type and times to the grid; a ValueError names the first bad row."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {quoted(column.name)} must have one dimension, not {array.ndim}")
    if array.size == 0:
        return blank(column, 0)
    if array.dtype.kind not in "iuf":
        # Convert an array of numbers and None (missing); strings and booleans are refused.
        for row, value in enumerate(array.tolist()):
            if isinstance(value, bool) or not (value is None or isinstance(value, numbers.Real)):
                raise ValueError(f"row {row} of column {quoted(column.name)} is {quoted(value)}, but must be a number")
        array = np.array([np.nan if value is None else value for value in array.tolist()], dtype=np.float64)
    if column.kind == "whole":
        return _whole(column, array)
    if column.kind == "time":
        far = np.flatnonzero(np.isfinite(array) & (np.abs(array) >= LIMIT))
        if far.size:
            raise ValueError(
                f"row {far[0]} of column {quoted(column.name)} is {quoted(float(array[far[0]]))}, "
                f"but must be a time below {LIMIT:,.0f} s"
            )
        return to_grid(array)
    return np.where(np.isnan(array), -1.0, array).astype(np.float64)


def complete(columns: Mapping[str, ArrayLike]) -> dict[str, AnyArray]:
    """Check the columns of a trace and complete them: all eighteen, of one length, each with its type."""
    for name in columns:
        if name not in BY_NAME:
            raise ValueError(f"a trace has no column {quoted(name)}; its columns are {', '.join(BY_NAME)}")
    if "submit" not in columns:
        raise ValueError("a trace needs the column 'submit' (s since the log's start)")
    given = {name: coerce(BY_NAME[name], values) for name, values in columns.items()}
    rows = len(given["submit"])
    for name, array in given.items():
        if len(array) != rows:
            raise ValueError(f"column {quoted(name)} has {len(array)} rows, 'submit' has {rows}")
    untimed = np.flatnonzero(~np.isfinite(given["submit"]))
    if untimed.size:
        raise ValueError(f"row {untimed[0]} of column 'submit' has no time, but every job needs one")
    if "id" not in given:
        given["id"] = np.argsort(np.argsort(given["submit"], kind="stable"), kind="stable") + 1
    return {column.name: given.get(column.name, blank(column, rows)) for column in COLUMNS}


def _whole(column: Column, array: AnyArray) -> Whole:
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    filled = np.where(np.isnan(array), -1.0, array)
    bad = np.flatnonzero((filled != np.floor(filled)) | (np.abs(filled) >= 2.0**63))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"row {row} of column {quoted(column.name)} is {quoted(float(array[row]))}, but must be a whole number"
        )
    return filled.astype(np.int64)
