"""Parse records into numbers: the eighteen fields of each line, or what is wrong with it.

NumPy parses the whole block at once. Only if that fails are lines parsed one by one, to find the wrong line and
field, or to read a log with more columns after field 18. NumPy is given nothing but the characters of numbers and
blanks, so both ways agree on where a field ends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.columns import COLUMNS, Column
from thinktime.workloads.grid import LIMIT
from thinktime.workloads.header import quoted
from thinktime.workloads.swf.cleaning import CleaningReport
from thinktime.workloads.swf.lines import BLANKS, Lines, SWFError, as_text

WIDTH = len(COLUMNS)
_WHOLE = [index for index, column in enumerate(COLUMNS) if column.kind == "whole"]
_TIMES = [index for index, column in enumerate(COLUMNS) if column.kind == "time"]
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LETTERS = b"0123456789+-.eE" + BLANKS
"""The characters of numbers and of the blanks between them."""
_STRETCH = 1000

LARGEST = 2.0**53
"""From here on doubles skip whole numbers, so a job number could be read as another one."""

Values = NDArray[np.float64]
Extra = list[str | None]


@dataclass(slots=True)
class RecordTable:
    """The numbers of a log: one row per record, in order of the file, one column per field, missing as −1."""

    values: Values
    lines: NDArray[np.int64]
    extra: Extra | None

    def take(self, rows: NDArray[np.int64]) -> RecordTable:
        """A table of these rows, in this order."""
        extra = None if self.extra is None else [self.extra[row] for row in rows.tolist()]
        return RecordTable(self.values[rows], self.lines[rows], extra)


def parse(path: Path, lines: Lines, skip: bool, report: CleaningReport) -> RecordTable:
    """Parse all records; raise an SWFError at the first malformed one, or drop such lines (`skip`)."""
    records, numbers = lines.records, np.array(lines.numbers, dtype=np.int64)
    parsed = _block(records)
    if parsed is None:
        good = _well_formed(path, lines, skip)
        report.add_rows("dropped", "malformed line", ~good, numbers)
        rows = np.flatnonzero(good)
        records, numbers = [records[row] for row in rows.tolist()], numbers[rows]
        parsed = _block(records)
        if parsed is None:
            raise SWFError(f"{path}: the numbers cannot be parsed, although each line looks valid")
    return RecordTable(parsed[0], numbers, parsed[1])


def fault(record: bytes) -> str | None:
    """What is wrong with a record, as the text after "line 7"; None if it is valid."""
    texts = [as_text(text) for text in split(record)]
    for column, text in zip(COLUMNS, texts, strict=False):
        expected = _expected(column, text)
        if expected:
            return f", field {column.field} ({column.title}): found {quoted(text)}, expected {expected}"
    if len(texts) < WIDTH:
        column = COLUMNS[len(texts)]
        return (
            f", field {column.field} ({column.title}): the line ends after {quoted(texts[-1])}, expected "
            f"{WIDTH} numbers, with -1 for missing ones"
        )
    return None


def split(record: bytes) -> list[bytes]:
    """The fields of a record, followed by the rest of the line, if any."""
    # Without a separator, bytes are split at our blanks and at line ends, which no record has.
    return record.split(None, WIDTH)


def _block(records: Sequence[bytes]) -> tuple[Values, Extra | None] | None:
    """Parse well-formed records at once; None if any is malformed."""
    if not records:
        return np.empty((0, WIDTH)), None
    extra: Extra | None = None
    values = _numbers(records)
    if values is None or values.shape[1] != WIDTH:
        parts = [split(record) for record in records]
        if any(len(part) < WIDTH for part in parts):
            return None
        if any(len(part) > WIDTH for part in parts):
            extra = [as_text(part[WIDTH]) if len(part) > WIDTH else None for part in parts]
        values = _numbers([b" ".join(part[:WIDTH]) for part in parts])
    return None if values is None or not _plausible(values) else (values, extra)


def _numbers(records: Sequence[bytes]) -> Values | None:
    for start in range(0, len(records), _STRETCH):
        if b"".join(records[start : start + _STRETCH]).translate(None, _LETTERS):
            return None
    try:
        return np.loadtxt(records, dtype=np.float64, comments=None, ndmin=2)
    except ValueError:
        return None


def _plausible(values: Values) -> bool:
    whole = values[:, _WHOLE]
    return bool(
        np.isfinite(values).all()
        and (whole == np.floor(whole)).all()
        and (np.abs(whole) < LARGEST).all()
        and (np.abs(values[:, _TIMES]) < LIMIT).all()
    )


def _well_formed(path: Path, lines: Lines, skip: bool) -> NDArray[np.bool_]:
    """Find malformed lines, in the stretches of the file that cannot be parsed as a block."""
    good = np.ones(len(lines.records), dtype=np.bool_)
    for start in range(0, len(good), _STRETCH):
        stretch = lines.records[start : start + _STRETCH]
        complaints = [None] * len(stretch) if _block(stretch) else [fault(record) for record in stretch]
        for row, complaint in enumerate(complaints, start):
            if complaint and not skip:
                _refuse_other_files(path, lines.records)
                raise SWFError(f"{path}, line {lines.numbers[row]}{complaint}")
            good[row] = complaint is None
    if not good.any():
        _refuse_other_files(path, lines.records)
    return good


def _refuse_other_files(path: Path, records: Sequence[bytes]) -> None:
    """Raise an error about the file as a whole if none of its first lines is a record."""
    if all(fault(record) for record in records[:_STRETCH]):
        found = quoted(as_text(records[0]))
        raise SWFError(
            f"{path} is not in the Standard Workload Format: a line must have {WIDTH} numbers, "
            f"but this file begins with {found}"
        )


def _expected(column: Column, text: str) -> str | None:
    """What a field must be, if `text` is not; else None."""
    kind = "a whole number" if column.kind == "whole" else "a number"
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number) or (column.kind == "whole" and not number.is_integer()):
        return kind
    if column.kind == "whole" and abs(number) >= LARGEST:
        return f"{kind} below {LARGEST:,.0f}"
    if column.kind == "time" and abs(number) >= LIMIT:
        return f"a time below {LIMIT:,.0f} s"
    return None
