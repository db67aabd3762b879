"""The shapes of the jobs of a log: a column of numbers, and the texts that these stand for.

`Trace.further` has the number of each job's shape as ``shape`` (NaN: the job is rigid), and `Trace.names` its text. So
parts, copies and files of a log keep them. Files beside a log have a row for each job (`read_shapes`):

    job,min_processors,max_processors,speedup,shape
    12,4,64,amdahl(0.1),
    15,,,,8-64*2 preferred=16 kind=moldable

A job without a row is rigid. ``shape`` is a whole text of `Shape`, which says everything; else a job is malleable, with
all sizes from the least to the largest, and ``speedup`` is linear if it is not given.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.files import csv_text
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.shapes.shape import KINDS, Shape, shape_of
from thinktime.workloads.text_files import text_of
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import counted

SHAPE = "shape"
COLUMNS = ("job", "min_processors", "max_processors", "speedup", SHAPE)
"""The columns of a file of shapes."""
RIGID = -1
MOST_TOLD = 3


class LogShapes(NamedTuple):
    """The shapes of some jobs: for each its place among the shapes, -1 for a rigid one."""

    codes: Whole
    shapes: tuple[Shape, ...]

    @classmethod
    def of(cls, each: Sequence[Shape | None]) -> LogShapes:
        """Those of jobs, of which None is rigid."""
        known: dict[Shape, int] = {}
        codes = [RIGID if shape is None else known.setdefault(shape, len(known)) for shape in each]
        return cls(np.array(codes, np.int64), tuple(known))


def shapes_of(trace: Trace) -> LogShapes | None:
    """The shapes that jobs of a log have; None if all are rigid."""
    if (column := trace.further.get(SHAPE)) is None:
        return None
    return coded(column, trace.names.get(SHAPE, {}))


def coded(column: Floats, texts: Mapping[int, str]) -> LogShapes | None:
    """The same of a column of numbers; None if it has none."""
    known = ~np.isnan(column)
    if not known.any():
        return None
    numbers, codes = np.unique(column[known].astype(np.int64), return_inverse=True)
    found = np.full(len(column), RIGID)
    found[known] = codes
    return LogShapes(found, tuple(_parsed(texts[number]) for number in numbers.tolist()))


def with_shapes(trace: Trace, codes: Whole, shapes: Sequence[Shape]) -> Trace:
    """The same jobs with these shapes; a rigid job has the code -1, and a shape as before if it has one."""
    before = shapes_of(trace)
    texts = {str(each): number for number, each in enumerate(() if before is None else before.shapes)}
    column = np.full(len(trace), np.nan)
    if before is not None:
        column[before.codes >= 0] = before.codes[before.codes >= 0]
    numbers = np.array([texts.setdefault(str(each), len(texts)) for each in shapes], np.int64)
    column[codes >= 0] = numbers[codes[codes >= 0]]
    names = {**trace.names, SHAPE: {number: text for text, number in texts.items()}}
    return Trace.of(trace.columns, trace.header, trace.extra, names, trace.report, {**trace.further, SHAPE: column})


def check_sizes(found: LogShapes, ids: Whole, asked: Whole, processors: int) -> None:
    """``ValueError`` for the first job whose shape is not for its size, or too large for a machine."""
    preferred = np.array([each.preferred for each in found.shapes])
    most = np.array([each.every[-1] for each in found.shapes])
    rows = np.flatnonzero((found.codes >= 0) & (asked <= processors))
    for row in rows[preferred[found.codes[rows]] != asked[rows]][:1].tolist():
        shape = found.shapes[found.codes[row]]
        raise ValueError(f"job {ids[row]} asks for {asked[row]} processors, but its shape prefers {shape.preferred}")
    for row in rows[most[found.codes[rows]] > processors][:1].tolist():
        raise ValueError(
            f"job {ids[row]} may have up to {most[found.codes[row]]} processors, but the machine has {processors}; "
            "give it sizes that fit"
        )


def told(trace: Trace, unheeded_by: str | None) -> list[str]:
    """What is assumed of the shapes of a log's jobs, if it has any; ``unheeded_by``: policies that choose no sizes."""
    if (found := shapes_of(trace)) is None:
        return []
    count = np.bincount(found.codes[found.codes >= 0], minlength=len(found.shapes))
    pairs = list(zip(found.shapes, count.tolist(), strict=True))
    kinds = {kind: sum(n for each, n in pairs if each.kind == kind) for kind in KINDS}
    who = " and ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n)
    share = count.sum() / len(trace)
    least = min(each.every[0] / (each.preferred or 1) for each in found.shapes)
    most = max(each.every[-1] / (each.preferred or 1) for each in found.shapes)
    by_speed: dict[str, int] = {}
    for each, n in pairs:
        by_speed[each.speedup] = by_speed.get(each.speedup, 0) + n
    often = sorted(by_speed, key=lambda text: -by_speed[text])
    others = len(often) - MOST_TOLD
    speeds = ", ".join(often[:MOST_TOLD]) + (f" and {counted(others, 'other')}" if others > 0 else "")
    sentence = (
        f"assumed: {who} of {counted(len(trace), 'job')} ({100 * share:.3g} %), with {least:.3g} to {most:.3g} "
        f"times their processors; speed-up {speeds}"
    )
    unheeded = "" if unheeded_by is None else f"under {unheeded_by} all jobs are as large as they ask for"
    return [sentence, unheeded] if unheeded else [sentence]


def read_shapes(trace: Trace, path: str | os.PathLike[str], processors: int | None = None) -> Trace:
    """The jobs of a log with the shapes of a CSV file, by the numbers of the jobs; ``ValueError`` names the line.

    ``processors`` is the size of the machine that the sizes have to fit, if it is known.
    """
    file = Path(path)
    lines = csv.reader(text_of(file).splitlines())
    header = [word.strip() for word in next(lines, [])]
    _check_header(header, file)
    rows = {number: row for row, number in enumerate(trace.id.tolist())}
    found: dict[int, dict[str, str]] = {}
    for line, words in enumerate(lines, start=2):
        if not any(word.strip() for word in words):
            continue
        where = f"{shortened(file)}, line {line}"
        given = dict(zip(header, (word.strip() for word in words), strict=False))
        if not given.get("job", "").removeprefix("-").isdigit():
            raise ValueError(f"{where}: job must be the number of a job, not {quoted(given.get('job', ''))}")
        if (row := rows.get(int(given["job"]))) is None:
            continue  # of a part of the log that is not read
        if row in found:
            raise ValueError(f"{where}: job {given['job']} has a shape already")
        found[row] = given
    return as_described(trace, found.items(), f"{shortened(file)}: job {{id}}", processors)


def write_shapes(trace: Trace, path: str | os.PathLike[str]) -> Path | None:
    """Write the shapes of a log's jobs as such a file, and return its path; None if all are rigid."""
    if (found := shapes_of(trace)) is None:
        return None
    texts = list(map(str, found.shapes))
    rows = np.flatnonzero(found.codes >= 0)
    pairs = zip(trace.id[rows].tolist(), found.codes[rows].tolist(), strict=True)
    Path(path).write_text(csv_text([["job", SHAPE], *([job, texts[code]] for job, code in pairs)]), encoding="utf-8")
    return Path(path)


def beside(log: str | os.PathLike[str]) -> Path:
    """The file of shapes of a log that is converted: ``site.shapes.csv`` of ``site.swf.gz``."""
    path = Path(log)
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".swf") + ".shapes.csv")


def as_described(
    trace: Trace, given: Iterable[tuple[int, Mapping[str, str]]], where: str, processors: int | None = None
) -> Trace:
    """The jobs of a log, of which some rows have the shapes that texts of `COLUMNS` say.

    ``ValueError`` says ``where``, with the ``{id}`` of the job, and that of a size above ``processors``.
    """
    codes, shapes = np.full(len(trace), RIGID), dict[Shape, int]()
    for row, texts in given:
        words = tuple(texts.get(name, "") for name in COLUMNS[1:])
        try:
            shape = _described(*words, int(trace.processors[row]))
            if shape is not None and processors is not None and shape.every[-1] > processors:
                raise ValueError(f"its sizes go up to {shape.every[-1]}, but there are {processors} processors")
        except ValueError as error:
            raise ValueError(f"{where.format(id=trace.id[row])}: {error}") from None
        if shape is not None:
            codes[row] = shapes.setdefault(shape, len(shapes))
    return with_shapes(trace, codes, list(shapes))


@lru_cache(4096)
def _described(low: str, high: str, speedup: str, text: str, processors: int) -> Shape | None:
    """The shape of a job of so many processors; None for a rigid job."""
    if text:
        if low or high or speedup:
            raise ValueError("a shape says the sizes and the speed-up of a job; leave the other columns empty")
        return _preferring(_parsed(text), processors, "preferred=" in text)
    if not (low or high):
        return None
    least, most = _size("min_processors", low, processors), _size("max_processors", high, processors)
    return shape_of((least, processors, most), speedup or "linear")


def _preferring(shape: Shape, processors: int, said: bool) -> Shape:
    """A shape for a job of so many processors, which it prefers unless something else is said."""
    if said and shape.preferred != processors:
        raise ValueError(f"the job has {processors} processors, but its shape prefers {shape.preferred}")
    return shape if said else replace(shape, preferred=processors, reference=processors)


def _size(name: str, text: str, processors: int) -> int:
    if not text:
        return processors
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{name} must be a number of processors of at least 1, not {quoted(text)}")
    return int(text)


def _check_header(header: Sequence[str], file: Path) -> None:
    for name in header:
        if name not in COLUMNS:
            raise ValueError(f"{shortened(file)} has no column {quoted(name)}; {key_of(name, COLUMNS, 'its columns')}")
    if "job" not in header or len(header) < 2:
        raise ValueError(f"{shortened(file)} needs a first line with the columns job and {', '.join(COLUMNS[1:])}")


@lru_cache(1024)
def _parsed(text: str) -> Shape:
    return Shape.parse(text)
