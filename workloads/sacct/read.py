"""Read accounting data of Slurm as a log, without a file in SWF between: as `convert` and then `read_swf` would."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import COLUMNS, LabelNames
from thinktime.workloads.sacct.convert import ConversionOptions, Converted, convert
from thinktime.workloads.sacct.name_file import Names
from thinktime.workloads.swf.read import cleaned
from thinktime.workloads.swf.records import RecordColumns
from thinktime.workloads.trace import Trace


def read_sacct(
    paths: Sequence[str | Path], options: ConversionOptions | None = None, *, withdrawn: str = "drop"
) -> Trace:
    """The jobs of one or more files of `sacct -P`, `sacct --json`, or `squeue --json`, with names and report.

    ``withdrawn`` is as in `read_swf`. ``options.processors`` is the size of the machine that jobs must fit.
    """
    options = options or ConversionOptions()
    return log_of(convert(paths, options), paths, options.processors, withdrawn == "queue")


def log_of(made: Converted, paths: Sequence[str | Path], processors: int | None = None, queue: bool = False) -> Trace:
    """The jobs of files that were converted: without those that readers of SWF drop, and with names."""
    found = made.report
    report = CleaningReport(", ".join(Path(each).name for each in paths), found.records, entries=found.entries)
    trace = cleaned(_records(made), made.trace.header, report, processors, queue)
    return trace.with_names(names_of(made.names))


def names_of(names: Names) -> LabelNames:
    """The names by column, as the side file has them."""
    kinds = names.by_kind
    columns = {"user": "user", "group": "account", "queue": "qos" if kinds.get("qos") else "partition"}
    found = {
        column: dict(enumerate(kinds.get(kind, []), start=1))
        for column, kind in (columns | {"partition": "partition", "executable": "executable"}).items()
    }
    return {name: known for name, known in (found | {"id": names.jobs}).items() if known or name not in MORE}


MORE = ("executable", "id")
"""Columns whose names are left out where there are none."""


def _records(made: Converted) -> RecordColumns:
    trace = made.trace
    columns: dict[str, AnyArray] = {}
    for column in COLUMNS:
        values = trace.columns[column.name]
        columns[column.name] = values.copy() if column.kind == "whole" else np.where(np.isnan(values), -1.0, values)
    columns |= {name: values.copy() for name, values in trace.further.items()}
    extra = None if trace.extra is None else list(trace.extra)
    return RecordColumns(columns=columns, lines=np.array(made.lines, np.int64), extra=extra)
