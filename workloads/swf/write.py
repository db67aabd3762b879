"""Write a `Trace` as an SWF log; reading it again gives the same trace.

Whole numbers are written as such, other times with all their digits, missing values as −1, and header and extra
texts unchanged. The same trace gives the same bytes: a compressed file contains neither its name nor a time stamp.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags, Whole
from thinktime.workloads.files import written
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.header import Header
from thinktime.workloads.swf.digits import WIDEST, write_rows
from thinktime.workloads.trace import Trace

_BLOCK = 8_000
"""Rows converted at a time: their numbers stay in a processor's cache."""

FAR = 2**42
"""From here on, in s or any other unit, numbers are written by Python."""


def write_swf(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a log, compressed if the name ends with `.gz`.

    The file is written under a temporary name and then moved, so that it is never incomplete.

    >>> import tempfile, thinktime as tt
    >>> log = tt.Trace({"submit": [0], "runtime": [60], "allocated": [2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_swf(log, f"{folder}/small.swf.gz")
    ...     print(tt.read_swf(f"{folder}/small.swf.gz").runtime.tolist())
    [60.0]
    """
    write_columns(trace.columns, trace.header, trace.extra, path)


def write_columns(
    columns: Mapping[str, AnyArray], header: Header, extra: Sequence[str | None] | None, path: str | os.PathLike[str]
) -> None:
    """Write the lines of a log as they are, in this order: ``columns`` are those of a `Trace`."""
    with written(Path(path)) as file:
        file.write("".join(f"{line}\n" for line in header.lines).encode("utf-8"))
        for start in range(0, len(columns["id"]), _BLOCK):
            block = slice(start, start + _BLOCK)
            file.write(_rows([array[block] for array in columns.values()], None if extra is None else extra[block]))


def _rows(columns: list[AnyArray], texts_after: Sequence[str | None] | None) -> memoryview:
    extra = (None,) * len(columns[0]) if texts_after is None else texts_after
    ticks, odd = (np.array(rows) for rows in zip(*map(_ticks, columns), strict=True))
    given = np.vstack([odd, [text is not None for text in extra]])
    sources: list[Any] = [*columns, extra]
    places = np.argwhere(given.T).tolist() if given.any() else []
    texts = "".join(f"{_text(sources[column][row])}\n" for row, column in places)
    letters = texts.encode("utf-8")
    out = np.empty(WIDEST * ticks.size + len(letters), dtype=np.uint8)
    return out.data[: write_rows(ticks, given.view(np.uint8), letters, out)]


def _ticks(values: AnyArray) -> tuple[Whole, Flags]:
    """Values in ticks of the time grid, missing ones as −1 s, and which of them have to be written as texts."""
    filled = np.where(np.isnan(values), -1.0, values)
    far = np.abs(filled) >= FAR
    ticks = np.where(far, 0.0, filled) * TICKS_PER_SECOND
    return ticks.astype(np.int64), far | (ticks != np.rint(ticks))


def _text(value: object) -> str:
    """An extra text, or a number with all its digits: whole ones as integers."""
    plain = value.item() if isinstance(value, np.generic) else value
    return str(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)
