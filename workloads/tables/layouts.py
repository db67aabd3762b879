"""From files to Arrow tables: `opened_tables` gives the columns of a file, and its rows in batches.

A layout is a way to lay out jobs in files. ``table`` is one row per job, in parquet, CSV or JSON lines; the others make
such rows, with the columns that their presets name: `torque`, `philly`, `pai`, `events`. Text columns of CSV are read
as texts, since what a column looks like in the first block says nothing of the others.
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any

from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.tables.arrow import MOST_RECORD, arrow, reading
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.mapping import Mapping

BATCH = 2**18
"""Rows of a parquet file read at a time."""

Batches = Callable[[Sequence[str]], Iterator[Any]]
"""Given names of columns, the rows as Arrow tables of these columns."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose columns are known."""

    columns: list[str]
    batches: Batches
    rows: int = 0
    """How many rows it has; 0 if that is not known before."""


LAYOUTS: dict[str, str] = {
    "table": "layouts:table",
    "torque": "torque:torque",
    "philly": "philly:philly",
    "pai": "pai:pai",
    "frontier-swf": "frontier:frontier",
    "google-2011": "events:google_2011",
}
"""Where each layout is: a function of a file and its mapping."""
TOGETHER = ("google-2011",)
"""Layouts whose files are parts of one table: a function of all files and the mapping."""


def opened_tables(files: Sequence[TableFile], how: Mapping) -> list[tuple[TableFile, Opened]]:
    """The tables of these files, by the layout of their mapping."""
    if how.layout in TOGETHER:
        return [(files[0], _opened(files[0], how, files))]
    return [(file, _opened(file, how, file)) for file in files]


def _opened(file: TableFile, how: Mapping, given: Any) -> Opened:
    if how.layout not in LAYOUTS:
        raise ValueError(f"layout cannot be {quoted(how.layout)}; {key_of(how.layout, LAYOUTS, 'the layouts')}")
    module, _, name = LAYOUTS[how.layout].partition(":")
    opening: Callable[[Any, Mapping], Opened] = getattr(import_module(f"thinktime.workloads.tables.{module}"), name)
    with reading(file.name):
        return opening(given, how)


def table(file: TableFile, how: Mapping) -> Opened:
    """One row per job."""
    kind = file.kind
    if kind == "parquet":
        return _parquet(file, how)
    return _json(file) if kind == "json" else _csv(file, how)


def of_rows(columns: Sequence[str], rows: Callable[[], Iterator[Sequence[object]]], at_once: int = 2**16) -> Opened:
    """A table out of rows of values, all of which become texts."""

    def batches(wanted: Sequence[str]) -> Iterator[Any]:
        places = [columns.index(name) for name in wanted]
        several: list[Sequence[object]] = []
        for row in rows():
            several.append(row)
            if len(several) == at_once:
                yield _as_table(wanted, places, several)
                several = []
        if several:
            yield _as_table(wanted, places, several)

    return Opened(list(columns), batches)


def _as_table(names: Sequence[str], places: Sequence[int], rows: Sequence[Sequence[object]]) -> Any:
    pa = arrow()
    texts = [[None if row[place] is None else str(row[place]) for row in rows] for place in places]
    return pa.table([pa.array(each, pa.string()) for each in texts], names=list(names))


def _parquet(file: TableFile, how: Mapping) -> Opened:
    arrow()
    import pyarrow.parquet as pq

    def source() -> Any:
        return io.BytesIO(file.open().read()) if file.member else str(file.path)

    labels = [name for role in how.columns if role in ("user", "account", "queue", "partition", "state")
              for name in how.columns[role].names]  # fmt: skip
    whole = pq.ParquetFile(source())
    texts = {field.name for field in whole.schema_arrow if str(field.type) in ("string", "large_string")}

    def batches(wanted: Sequence[str]) -> Iterator[Any]:
        coded = [name for name in labels if name in texts and name in wanted]
        with reading(file.name), pq.ParquetFile(source(), read_dictionary=coded) as read:
            for batch in read.iter_batches(batch_size=BATCH, columns=list(wanted)):
                yield arrow().Table.from_batches([batch])

    return Opened(list(whole.schema_arrow.names), batches, whole.metadata.num_rows)


def _csv(file: TableFile, how: Mapping) -> Opened:
    arrow()
    from pyarrow import csv

    with file.open() as first:
        line = first.readline(MOST_RECORD)
    if len(line) == MOST_RECORD:
        raise ValueError(f"{shortened(file.name)}: its first line is longer than {MOST_RECORD // 2**20} MB")
    head = line.decode("utf-8-sig").rstrip("\r\n")
    separator = how.separator if how.separator in head or "\t" not in head else "\t"
    names = how.names or [each.strip().strip('"') for each in head.split(separator)]

    def batches(wanted: Sequence[str]) -> Iterator[Any]:
        how_read = csv.ReadOptions(
            block_size=MOST_RECORD, column_names=names, skip_rows=0 if how.names else 1, use_threads=True
        )
        as_texts = csv.ConvertOptions(
            include_columns=list(wanted),
            column_types=dict.fromkeys(wanted, arrow().string()),
            strings_can_be_null=True,
            null_values=[""],
        )
        parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
        with reading(file.name), file.open() as raw:
            try:
                stream = csv.open_csv(raw, how_read, parse, as_texts)
            except arrow().ArrowInvalid as error:
                if "Empty CSV" in str(error):
                    return
                raise
            for batch in stream:
                yield arrow().Table.from_batches([batch])

    return Opened(names, batches)


def _json(file: TableFile) -> Opened:
    with file.open() as first:
        beginning = first.read(64).lstrip()[:1]
    if beginning == b"[":
        return _json_list(file)

    def tables() -> Iterator[Any]:
        from pyarrow import json as lines

        with file.open() as raw:
            for block in _line_blocks(raw, file.name):
                yield lines.read_json(io.BytesIO(block), lines.ReadOptions(block_size=len(block) + 1))

    first_table = next(tables(), None)

    def batches(wanted: Sequence[str]) -> Iterator[Any]:
        pa = arrow()
        with reading(file.name):
            for each in tables():
                lacking = [name for name in wanted if name not in each.column_names]
                for name in lacking:  # a key that no object of this block has
                    each = each.append_column(name, pa.nulls(len(each), pa.string()))
                yield each.select(list(wanted))

    return Opened([] if first_table is None else list(first_table.column_names), batches)


def _json_list(file: TableFile) -> Opened:
    try:
        with file.open() as raw:
            rows = json.load(raw)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{shortened(file.name)} is no list of jobs in JSON: {error}") from None
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{shortened(file.name)} is no list of jobs in JSON: each must be an object")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return of_rows(columns, lambda: ([row.get(name) for name in columns] for row in rows))


def _line_blocks(raw: IO[bytes], name: str) -> Iterator[bytes]:
    """Whole lines, 2^24 bytes at a time."""
    rest = b""
    while more := raw.read(MOST_RECORD):
        end = more.rfind(b"\n") + 1
        if not end:
            if len(rest) + len(more) > MOST_RECORD:
                raise ValueError(f"{shortened(name)}: a line is longer than {MOST_RECORD // 2**20} MB")
            rest += more
            continue
        yield rest + more[:end]
        rest = more[end:]
    if rest.strip():
        yield rest
