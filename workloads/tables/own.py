"""A `Trace` as a parquet file, which reads back equal: its columns, and in the file's metadata the header and names.

Columns of which nothing is known are left out. The names of users are in the file, so it identifies people where the
data set does.
"""

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import BY_NAME, COLUMNS, blank
from thinktime.workloads.data_set import DataSet
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.header import Header
from thinktime.workloads.names import shortened
from thinktime.workloads.nodes import Cluster, Nodes
from thinktime.workloads.tables.arrow import arrow, reading
from thinktime.workloads.trace import Trace

KEY = b"thinktime"
VERSION = 1
EXTRA, FURTHER = "after_field_18", "further:"


def write_own(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a trace as a parquet file."""
    pa = arrow()
    import pyarrow.parquet as pq

    arrays = {name: array for name, array in trace.columns.items() if _known(name, array)}
    arrays |= {f"{FURTHER}{name}": array for name, array in trace.further.items()}
    columns = {name: pa.array(array) for name, array in arrays.items()}
    if trace.extra is not None:
        columns[EXTRA] = pa.array(trace.extra, pa.string()).dictionary_encode()
    about = {
        "version": VERSION,
        "header": trace.header.lines,
        "names": {
            column: {str(number): name for number, name in names.items()} for column, names in trace.names.items()
        },
        "data_set": _plain(trace.report.data_set),
    }
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about).encode()})
    with whole_or_nothing(Path(path)) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_own(path: Path) -> Trace:
    """Read what `write_own` wrote; ``ValueError`` for any other table."""
    arrow()
    import pyarrow.parquet as pq

    with reading(str(path)), pq.ParquetFile(_existing(path)) as file:
        about, table = _about(file, path), file.read()
    rows = table.num_rows
    arrays = {column.name: _column(table, column.name, rows) for column in COLUMNS}
    further = {
        name.removeprefix(FURTHER): table.column(name).to_numpy()
        for name in table.column_names
        if name.startswith(FURTHER)
    }
    extra = table.column(EXTRA).to_pylist() if EXTRA in table.column_names else None
    names = {column: {int(number): name for number, name in known.items()} for column, known in about["names"].items()}
    report = CleaningReport(path.name, rows, rows, data_set=_data_set(about["data_set"]))
    return Trace.of(arrays, Header(about["header"]), extra, names, report, further)


def data_set_of(path: Path) -> DataSet | None:
    """What is known of the data set that such a file is from."""
    arrow()
    import pyarrow.parquet as pq

    with reading(str(path)), pq.ParquetFile(_existing(path)) as file:
        return _data_set(_about(file, path)["data_set"])


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError
    return path


def _about(file: Any, path: Path) -> Any:
    """What the metadata say of the log."""
    metadata = file.schema_arrow.metadata or {}
    if KEY not in metadata:
        raise ValueError(f"{shortened(path)} is a table of a data set: name its preset, as {_which(file)}:{path.name}")
    about = json.loads(metadata[KEY])
    if about["version"] != VERSION:
        raise ValueError(f"{shortened(path)} was written by another version of thinktime; convert it again")
    return about


def _which(file: Any) -> str:
    from thinktime.workloads.tables.fitting import fitting

    return next(iter(fitting(set(file.schema_arrow.names))), "PRESET")


def _known(name: str, array: AnyArray) -> bool:
    """Whether anything is known in a column."""
    missing = BY_NAME[name].missing
    return bool((~np.isnan(array)).any() if np.isnan(missing) else (array != missing).any())


def _column(table: Any, name: str, rows: int) -> AnyArray:
    if name in table.column_names:
        return np.array(table.column(name).to_numpy())
    return np.broadcast_to(blank(BY_NAME[name], 1), rows) if rows else blank(BY_NAME[name], 0)


def _plain(known: DataSet | None) -> dict[str, Any] | None:
    if known is None:
        return None
    fields = {field.name: getattr(known, field.name) for field in dataclasses.fields(known)}
    if known.nodes is not None:
        fields["nodes"] = [
            {
                "name": each.name, "count": each.count, "resources": dict(each.resources),
                "properties": sorted(each.properties), "names": list(each.names),
            }
            for each in known.nodes.clusters
        ]  # fmt: skip
    return fields


def _data_set(fields: Mapping[str, Any] | None) -> DataSet | None:
    if fields is None:
        return None
    nodes = fields["nodes"]
    made = None if nodes is None else Nodes([
        Cluster(each["name"], each["count"], each["resources"], frozenset(each["properties"]), tuple(each["names"]))
        for each in nodes
    ])  # fmt: skip
    return DataSet(**{**fields, "nodes": made, "guesses": tuple(fields["guesses"]), "notes": tuple(fields["notes"])})
