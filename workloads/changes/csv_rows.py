"""CSV files of windows and outages: rows by column name, with errors that name file and line, and writing them.

The first line names the columns, in any order. Blank lines and lines that begin with # are skipped. Files may be
compressed (gzip).
"""

import csv
import gzip
import io
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from thinktime.workloads.calendar import Calendar, seconds_since
from thinktime.workloads.compressed import opened
from thinktime.workloads.files import csv_text, written
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.text_files import decoding
from thinktime.workloads.units import in_two_units


class Row:
    """The values of a line by column, or of a table by key, and where it stands; a missing one is empty."""

    def __init__(self, where: str, values: Mapping[str, Any], of_file: bool = True, outage: bool = False) -> None:
        self.where, self.outage = where, outage
        """File and line, as in ``events.csv, line 7``, or such as ``window 1``."""
        self.values = values
        self._of_file = of_file

    def __getitem__(self, column: str) -> Any:
        return self.values.get(column, "")

    def error(self, text: object) -> ValueError:
        """What is wrong with this line."""
        return ValueError(f"{self.where}: {text}")

    def time(self, column: str, calendar: Calendar) -> float:
        """A time in s since the log's start, from seconds or a date in the log's zone; it may be infinite."""
        if self[column] == "":
            raise ValueError(f"{column} is empty; it must be seconds since the log's start, or a date")
        found = self.moment(column, calendar)
        if found < 0:
            before = in_two_units(-found) if found > -math.inf else "for ever"
            raise ValueError(
                f"{column} is {quoted(self[column])}, {before} before the log's start; it must be 0 or later"
            )
        return found

    def moment(self, column: str, calendar: Calendar) -> float:
        """A time as `time` gives it, be it before the log's start."""
        try:
            return seconds_since(self[column], None if calendar.start is None else int(calendar.start), calendar.zone)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{column}: {error}" if self._of_file else error) from None


def lines(path: Path, max_size: int | None = None) -> Iterator[str]:
    """The lines of a text file, plain or compressed; ``ValueError`` if it is not in UTF-8."""
    try:
        file = opened(path, max_size)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise ValueError(f"{path} is a folder; give a CSV file") from None
    try:
        with decoding(path), io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
            yield from text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is a damaged gzip file: {error}") from None


def rows(path: Path, needed: Sequence[str], optional: Sequence[str] = (), max_size: int | None = None) -> Iterator[Row]:
    """The rows of a CSV file that has the ``needed`` columns and some of the ``optional`` ones."""
    header: list[str] | None = None
    table = csv.reader(lines(path, max_size), strict=True)
    while (found := _next(table, path)) is not None:
        where = f"{path}, line {table.line_num}"
        cells = [cell.strip() for cell in found]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if header is None:
            header = _header(where, cells, needed, optional)
        elif len(cells) != len(header):
            raise ValueError(f"{where}: {len(cells)} values for the {len(header)} columns {','.join(header)}")
        else:
            yield Row(where, dict(zip(header, cells, strict=True)))
    if header is None:
        raise ValueError(f"{path} is empty; its first line must be {','.join(needed)}")


def write(path: Path, header: Sequence[str], table: Iterable[Sequence[str]]) -> None:
    """Write a CSV file whole; compressed if its name ends with `.gz`."""
    with written(path) as file:
        file.write(csv_text([header, *table]).encode("utf-8"))


def joined(words: Iterable[object]) -> str:
    """Names or numbers in one cell, separated by blanks."""
    texts = [str(word) for word in words]
    for text in texts:
        if len(text.split()) != 1:
            raise ValueError(f"the name {quoted(text)} cannot be written, since blanks separate the names in a file")
    return " ".join(texts)


def _next(table: Iterator[list[str]], path: Path) -> list[str] | None:
    try:
        return next(table, None)
    except csv.Error as error:
        raise ValueError(f"{path} is not a CSV file: {error}") from None


def _header(where: str, names: list[str], needed: Sequence[str], optional: Sequence[str]) -> list[str]:
    for name in names:
        if name not in (*needed, *optional):
            raise ValueError(
                f"{where}: there is no column {quoted(name)}; {key_of(name, [*needed, *optional], 'the columns')}"
            )
        if names.count(name) > 1:
            raise ValueError(f"{where}: the column {quoted(name)} occurs twice")
    for name in needed:
        if name not in names:
            raise ValueError(
                f"{where}: the column {quoted(name)} is missing; the first line must name {', '.join(needed)}"
            )
    return names
