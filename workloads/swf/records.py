"""The records of a log: read block by block into columns that grow, together with what is malformed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.columns import COLUMNS, AnyArray, blank
from thinktime.workloads.header import quoted
from thinktime.workloads.swf.cleaning import CleaningReport
from thinktime.workloads.swf.fields import LIMITS, WIDTH, fault, split
from thinktime.workloads.swf.lines import BLANKS, SWFError, as_text, blocks

_ROWS = 8000
"""Rows read at a time: a block of `lines` has room for 7,281 of the shortest records."""
_BEGINNING = 1000
"""A file without a single record in so many lines is not a log."""


@dataclass(slots=True)
class RecordTable:
    """The numbers of a log: one row per record, in order of the file, one column per field, missing as −1."""

    columns: dict[str, AnyArray] = field(
        default_factory=lambda: {each.name: blank(each, 0) for each in COLUMNS}
    )
    lines: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    extra: list[str | None] | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drop the other rows, column by column, so that there are never two copies of everything."""
        if kept.all():
            return
        for name in self.columns:
            self.columns[name] = self.columns[name][kept]
        self.lines = self.lines[kept]
        if self.extra is not None:
            self.extra = [self.extra[row] for row in np.flatnonzero(kept).tolist()]

    def resize(self, rows: int) -> None:
        """Make room for so many rows, or cut the columns off there."""
        # In place, which for large arrays moves pages of memory instead of copying them.
        for array in (*self.columns.values(), self.lines):
            array.resize(rows, refcheck=False)


@dataclass(slots=True)
class Records:
    """The content of a file: comments with their line numbers (from 1), and records."""

    path: Path
    skip: bool
    """Whether malformed records are dropped instead of refused."""
    comments: list[str] = field(default_factory=list)
    comment_lines: list[int] = field(default_factory=list)
    table: RecordTable = field(default_factory=RecordTable)
    count: int = 0
    malformed: list[int] = field(default_factory=list)
    """The rows of malformed records."""
    first_fault: tuple[bytes, str] | None = None
    """The first malformed record, and what is wrong with it."""

    def well_formed(self, report: CleaningReport) -> RecordTable:
        """The table without malformed records; an SWFError if there are any that may not be skipped."""
        if self.first_fault:
            record, complaint = self.first_fault
            self._refuse_other_files(record)
            if not self.skip:
                raise SWFError(f"{self.path}, line {self.table.lines[self.malformed[0]]}{complaint}")
            good = np.ones(self.count, dtype=np.bool_)
            good[self.malformed] = False
            report.add_rows("dropped", "malformed line", ~good, self.table.lines)
            self.table.keep(good)
        return self.table

    def _refuse_other_files(self, record: bytes) -> None:
        """Raise an error about the file as a whole if none of its first lines is a record."""
        last = min(self.count, _BEGINNING) - 1
        nothing = self.malformed[last : last + 1] == [last]
        if nothing and (not self.skip or len(self.malformed) == self.count):
            raise SWFError(
                f"{self.path} is not in the Standard Workload Format: a line must have {WIDTH} numbers, "
                f"but this file begins with {quoted(as_text(record))}"
            )

    def add_comment(self, line: int, text: bytes) -> None:
        """Add a comment of this line."""
        self.comments.append(as_text(text))
        self.comment_lines.append(line)

    def add_extra(self, row: int, text: bytes) -> None:
        """Add the text after field 18 of a row."""
        extra = self.table.extra = self.table.extra or []
        extra += [None] * (row - len(extra))
        extra.append(as_text(text))

    def judge(self, row: int, record: bytes) -> list[float]:
        """The numbers of a record that the tokenizer could not read; if it is malformed, none."""
        sure = self.first_fault and not self.skip and row >= _BEGINNING  # that an error will be raised
        complaint = "" if sure else fault(record)
        if complaint is None:
            texts = split(record)
            if len(texts) > WIDTH:
                self.add_extra(row, texts[WIDTH])
            return [float(text) for text in texts[:WIDTH]]
        self.malformed.append(row)
        self.first_fault = self.first_fault or (record, complaint)
        return [-1.0] * WIDTH

    def add(self, values: AnyArray, lines: NDArray[np.int64]) -> None:
        """Add rows."""
        rows = slice(self.count, self.count + len(lines))
        if rows.stop > len(self.table):
            self.table.resize(rows.stop + rows.stop // 4)
        for column, numbers in zip(self.table.columns.values(), values, strict=True):
            column[rows] = numbers
        self.table.lines[rows] = lines
        self.count = rows.stop

    def close(self) -> None:
        """Cut the columns off behind the last row."""
        self.table.resize(self.count)
        if self.table.extra is not None:
            self.table.extra += [None] * (self.count - len(self.table.extra))


def read_records(path: Path, skip: bool, max_size: int | None = None) -> Records:
    """Read a file; for `max_size` see `compressed.opened`."""
    # Here, since importing Numba takes longer than importing all of `workloads`.
    from thinktime.workloads.swf.kernels.tokens import COMMENT, EXTRA, tokenise

    records = Records(path, skip)
    limits = np.array([LIMITS[column.kind] for column in COLUMNS])
    whole = np.array([column.kind == "whole" for column in COLUMNS], dtype=np.int8)
    values, lines = np.empty((WIDTH, _ROWS)), np.empty(_ROWS, np.int64)
    notes = np.empty((_ROWS, 4), np.int64)
    line = 1
    for buffer, end in blocks(path, max_size):
        text, at = np.frombuffer(buffer, dtype=np.uint8), 0
        while at < end:
            at, line, rows, noted = tokenise(text, at, end, line, limits, whole, values, lines, notes)
            for what, number, begin, stop in notes[:noted].tolist():
                found = bytes(buffer[begin:stop])
                if what == COMMENT:
                    records.add_comment(number, found)
                elif what == EXTRA:
                    records.add_extra(records.count + number, found.rstrip(BLANKS))
                else:
                    values[:, number] = records.judge(records.count + number, found.rstrip(BLANKS))
            records.add(values[:, :rows], lines[:rows])
    records.close()
    return records
