"""The records of a log: read block by block into columns that grow, together with what is malformed.

A record is eighteen numbers, each of which fits its column. The tokenizer (`tokens`) accepts nothing else, so
`fault` is asked only for the few records that it leaves to Python: malformed ones, and numbers with more digits or
farther exponents than it can hold.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags, Whole
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import COLUMNS, Column, blank
from thinktime.workloads.grid import LIMIT
from thinktime.workloads.names import quoted
from thinktime.workloads.swf.lines import BLANKS, COMMENT, EXTRA, SWFError, as_text, blocks
from thinktime.workloads.swf.tokens import tokenise

WIDTH = len(COLUMNS)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)

LARGEST = 2.0**53
"""From here on doubles skip whole numbers, so a job number could be read as another one."""

LIMITS = {"whole": LARGEST, "time": LIMIT, "memory": math.inf}
"""Numbers of each kind must be below this."""


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


def _has_numbers(record: bytes) -> bool:
    """Whether a record has as many numbers as it must have, whatever they are."""
    texts = [as_text(text) for text in split(record)[:WIDTH]]
    return len(texts) == WIDTH and all(_NUMBER.fullmatch(text) for text in texts)


def split(record: bytes) -> list[bytes]:
    """The fields of a record, followed by the rest of the line, if any."""
    # Without a separator, bytes are split at our blanks and at line ends, which no record has.
    return record.split(None, WIDTH)


def _expected(column: Column, text: str) -> str | None:
    """What a field must be, if `text` is not; else None."""
    kind = "a whole number" if column.kind == "whole" else "a number"
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number) or (column.kind == "whole" and not number.is_integer()):
        return kind
    if abs(number) < LIMITS[column.kind]:
        return None
    return f"{kind} below {LARGEST:,.0f}" if column.kind == "whole" else f"a time below {LIMIT:,.0f} s"


_ROWS = 8000
"""Rows read at a time: a block of `lines` has room for 7,281 of the shortest records."""
_BEGINNING = 1000
"""A file without a single record in so many lines is not a log."""


@dataclass(slots=True)
class RecordColumns:
    """The content of a log: its comments, and one row per record, in order of the file, missing values as −1.

    Lines are numbered from 1. A malformed record has a row too, until it is dropped.
    """

    comments: list[str] = field(default_factory=list)
    comment_lines: list[int] = field(default_factory=list)
    columns: dict[str, AnyArray] = field(default_factory=lambda: {column.name: blank(column, 0) for column in COLUMNS})
    lines: Whole = field(default_factory=lambda: np.empty(0, np.int64))
    extra: list[str | None] | None = None
    malformed: list[int] = field(default_factory=list)
    """The rows of malformed records."""
    first_fault: tuple[bytes, str] | None = None
    """The first malformed record, and what is wrong with it."""

    def __len__(self) -> int:
        return len(self.lines)

    def keep(self, kept: Flags) -> None:
        """Drop the other rows, column by column, so that there are never two copies of everything."""
        if kept.all():
            return
        for name in self.columns:
            self.columns[name] = self.columns[name][kept]
        self.lines = self.lines[kept]
        if self.extra is not None:
            self.extra = [self.extra[row] for row in np.flatnonzero(kept).tolist()]

    def drop_malformed(self, path: Path, skip: bool, report: CleaningReport) -> None:
        """Drop malformed records if they are to be skipped; otherwise raise an SWFError for the first."""
        if not self.first_fault:
            return
        record, complaint = self.first_fault
        last = min(len(self), _BEGINNING) - 1
        no_record = self.malformed[last : last + 1] == [last]
        nothing = len(self.malformed) == len(self)
        if no_record and not _has_numbers(record) and (nothing or not skip):
            raise SWFError(
                f"{path} is not in the Standard Workload Format: a line must have {WIDTH} numbers, "
                f"but this file begins with {quoted(as_text(record))}"
            )
        if nothing or not skip:
            raise SWFError(f"{path}, line {self.lines[self.malformed[0]]}{complaint}")
        good = np.ones(len(self), dtype=np.bool_)
        good[self.malformed] = False
        report.add_rows("dropped", "malformed line", ~good, self.lines)
        self.keep(good)

    def add_extra(self, row: int, text: bytes) -> None:
        """Add the text after field 18 of a row."""
        self.extra = self.extra or []
        self.extra += [None] * (row - len(self.extra))
        self.extra.append(as_text(text))

    def judge(self, row: int, record: bytes, skip: bool) -> list[float]:
        """The numbers of a record that the tokenizer could not read; if it is malformed, none of them."""
        certain = self.first_fault and not skip and row >= _BEGINNING  # that an error will be raised
        complaint = "" if certain else fault(record)
        if complaint is not None:
            self.malformed.append(row)
            self.first_fault = self.first_fault or (record, complaint)
            return [-1.0] * WIDTH
        texts = split(record)
        if len(texts) > WIDTH:
            self.add_extra(row, texts[WIDTH])
        return [float(text) for text in texts[:WIDTH]]

    def resize(self, rows: int) -> None:
        """Make room for so many rows, or cut off the others."""
        # In place, which for large arrays moves pages of memory instead of copying them.
        for array in (*self.columns.values(), self.lines):
            array.resize(rows, refcheck=False)


def read_records(path: Path, skip: bool, max_size: int | None = None) -> RecordColumns:
    """Read a file; for `max_size` see `compressed.opened`."""
    records = RecordColumns()
    limits = np.array([LIMITS[column.kind] for column in COLUMNS])
    whole = np.array([column.kind == "whole" for column in COLUMNS], dtype=np.int8)
    values, lines = np.empty((WIDTH, _ROWS)), np.empty(_ROWS, np.int64)
    notes = np.empty((_ROWS, 4), np.int64)
    line, count = 1, 0
    for buffer, end in blocks(path, max_size):
        at = 0
        while at < end:
            at, line, rows, noted = tokenise(buffer, at, end, line, limits, whole, values, lines, notes)
            for what, number, begin, stop in notes[:noted].tolist():
                found = bytes(buffer[begin:stop])
                if what == COMMENT:
                    records.comments.append(as_text(found))
                    records.comment_lines.append(number)
                elif what == EXTRA:
                    records.add_extra(count + number, found.rstrip(BLANKS))
                else:
                    values[:, number] = records.judge(count + number, found.rstrip(BLANKS), skip)
            if count + rows > len(records):
                records.resize((count + rows) * 5 // 4)
            for column, new in zip((*records.columns.values(), records.lines), (*values, lines), strict=True):
                column[count : count + rows] = new[:rows]
            count += rows
    records.resize(count)
    if records.extra is not None:
        records.extra += [None] * (count - len(records.extra))
    return records
