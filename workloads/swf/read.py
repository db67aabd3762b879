"""Read an SWF log into a `Trace`, with a report of what was dropped, repaired, or found odd.

A job is dropped for the first of these reasons that applies: no submit time; cancelled (status 5) without a run, unless
such jobs are asked for; run time missing or negative; no processors (requested, else allocated); wider than the
machine. A run time of 0 means "less than half a second" and is kept and counted in the report. If no time was
requested, the run time is used as the estimate.

A checkpointed or swapped job may have one line for the whole, with status 0, 1 or 5, and one line per burst of
execution, all with the same job number: status 2 for a burst that is continued, 3 for the last one if the job
completed, 4 if it failed. Only the first burst has a submit time. The wait times of the others count from the previous
burst. Some logs use 2, 3, 4 for exit codes, so they mean bursts only if lines share a job number. If there is a total
line, its bursts are dropped; otherwise they are merged. A single burst is left as it is.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from thinktime.workloads.arrays import AnyArray, Rows
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import COLUMNS, coerce
from thinktime.workloads.compressed import size
from thinktime.workloads.header import LABELS, Header
from thinktime.workloads.names import quoted
from thinktime.workloads.swf.lines import SWFError
from thinktime.workloads.swf.records import RecordColumns, read_records
from thinktime.workloads.trace import CANCELLED, Trace

WITHDRAWN = "cancelled without a run"
KNOWN_STATUS = (-1, 0, 1, CANCELLED)
BURSTS = (2, 3, 4)
TOTALS = (0, 1, 5)

_FINAL = {3: 1, 4: 0}
_ADDED = ("runtime", "cpu_time")


def read_swf(
    path: str | os.PathLike[str],
    *,
    processors: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    max_size: int | str | None = None,
    withdrawn: Literal["drop", "queue"] = "drop",
) -> Trace:
    r"""Read a log (`.swf` or `.swf.gz`); its `Trace.report` says what was dropped and repaired.

    `processors` is the size of the machine that the jobs must fit (default: the header's). A malformed line raises
    an `SWFError` with file, line and field; with `on_error="skip"` such lines are dropped and counted. `max_size` is
    what a compressed log may decompress to, in bytes or as a string such as "4 gb" (default: 200 times its size,
    and at least 1 GiB). Beyond that a ValueError is raised. With `withdrawn="queue"` jobs that were cancelled without
    a run are kept, with a run time of 0: in a replay they wait as long as recorded, and then leave (`Trace.patience`).

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.swf")
    ...     _ = path.write_text("; MaxProcs: 4\n1 0 5 60 2 -1 -1 2 90 -1 1 7 -1 -1 -1 -1 -1 -1\n")
    ...     trace = read_swf(path)
    >>> trace.user.tolist(), trace.estimate.tolist(), trace.report.dropped
    ([7], [90.0], {})
    """
    _check(processors, on_error, withdrawn)
    file = Path(path)
    records = read_records(file, on_error == "skip", None if max_size is None else size(max_size))
    header = _header(file, records)
    report = CleaningReport(source=file.name, records=len(records))
    records.drop_malformed(file, on_error == "skip", report)
    return cleaned(records, header, report, processors, withdrawn == "queue")


def cleaned(
    records: RecordColumns, header: Header, report: CleaningReport, processors: int | None, queue: bool
) -> Trace:
    """The jobs among records, in the columns of SWF, missing values as −1; the report gets what becomes of others.

    Columns that SWF does not have become `Trace.further`. ``queue`` keeps jobs that were cancelled without a run.
    """
    _merge_bursts(records, report)
    _drop(records, processors or header.max_procs or header.max_nodes, report, queue)
    _repair(records, report)
    _note(records, report)
    report.jobs = len(records)
    for column in COLUMNS:
        if column.kind != "whole":
            records.columns[column.name] = coerce(column, records.columns[column.name])
    further = {name: records.columns.pop(name) for name in set(records.columns) - {each.name for each in COLUMNS}}
    return Trace.of(records.columns, header, records.extra, report=report, further=further)


def _check(processors: int | None, on_error: str, withdrawn: str) -> None:
    if withdrawn not in ("drop", "queue"):
        raise ValueError(f"withdrawn must be 'drop' or 'queue', not {quoted(withdrawn)}")
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', not {quoted(on_error)}")
    if processors is not None and processors < 1:
        raise ValueError(f"processors must be at least 1, not {quoted(processors)}")


def _header(path: Path, records: RecordColumns) -> Header:
    header = Header(records.comments)
    for label in (name for name, kind in LABELS.items() if kind is int):
        try:
            header.number(label)
        except ValueError as error:
            raise SWFError(f"{path}, line {records.comment_lines[header.row(label)]}: {error}") from None
    return header


def _drop(records: RecordColumns, size: int | None, report: CleaningReport, keep_withdrawn: bool) -> None:
    columns = records.columns
    withdrawn = (columns["status"] == CANCELLED) & (columns["runtime"] <= 0)
    if keep_withdrawn:
        columns["runtime"][withdrawn] = 0.0
        report.add_rows("noted", "cancelled without a run, and kept", withdrawn, records.lines)
    runtime, requested = columns["runtime"], columns["requested_processors"]
    width = np.where(requested > 0, requested, columns["allocated"])
    reasons = {
        "no submit time": columns["submit"] < 0,
        WITHDRAWN: withdrawn & (not keep_withdrawn),
        "run time missing or negative": runtime < 0,
        "no processors": width <= 0,
        "wider than the machine": width > (np.inf if size is None else size),
    }
    kept = np.ones(len(records), dtype=np.bool_)
    for reason, holds in reasons.items():
        report.add_rows("dropped", reason, kept & holds, records.lines)
        if reason == WITHDRAWN:
            asked = (width * columns["requested_time"])[kept & holds]
            report.withdrawn_work = float(asked.clip(min=0).sum())
        kept &= ~holds
    records.keep(kept)


def _repair(records: RecordColumns, report: CleaningReport) -> None:
    """Turn missing times into NaN, and report lines out of order (the trace sorts them)."""
    submit, number = records.columns["submit"], records.columns["id"]
    late = np.zeros(len(records), dtype=np.bool_)
    late[1:] = (submit[1:] < submit[:-1]) | ((submit[1:] == submit[:-1]) & (number[1:] < number[:-1]))
    report.add_rows("repaired", "line out of order", late, records.lines)
    odd = np.zeros(len(records), dtype=np.bool_)
    for column in COLUMNS:
        if column.kind == "time":
            values = records.columns[column.name]
            odd |= (values < 0) & (values != -1)
            values[values < 0] = np.nan
    report.add_rows("repaired", "negative time treated as missing", odd, records.lines)


def _note(records: RecordColumns, report: CleaningReport) -> None:
    """Report what is odd but kept."""
    runtime, requested, number = (records.columns[name] for name in ("runtime", "requested_time", "id"))
    # Which numbers occurred before.
    repeats = np.zeros(len(number), dtype=np.bool_)
    if not (number[1:] > number[:-1]).all():
        repeats[:] = True
        repeats[np.unique(number, return_index=True)[1]] = False
    findings = {
        "unknown status": ~np.isin(records.columns["status"], KNOWN_STATUS),
        "job number missing, given one": number < 0,
        "job number used twice": repeats & (number >= 0),
        "run time of 0 s": runtime == 0,
        "estimate missing, run time used instead": ~(requested > 0),
        "run time above the estimate": (requested > 0) & (runtime > np.maximum(requested, 1.0)),
    }
    for finding, holds in findings.items():
        report.add_rows("noted", finding, holds, records.lines)


def _merge_bursts(records: RecordColumns, report: CleaningReport) -> None:
    """Reduce the rows of each job in bursts to one; report each line that is removed."""
    status = records.columns["status"]
    merged = np.zeros(len(records), dtype=np.bool_)
    covered = np.zeros(len(records), dtype=np.bool_)
    for rows in _jobs_in_bursts(records.columns["id"], status):
        bursts = rows[np.isin(status[rows], BURSTS)]
        if np.isin(status[rows], TOTALS).any():
            covered[bursts] = True
        elif len(bursts) > 1:
            merged[bursts] = True
            merged[_merge(records.columns, bursts)] = False
    report.add_rows("repaired", "burst line merged into its job", merged, records.lines)
    report.add_rows("repaired", "burst line replaced by its total line", covered, records.lines)
    records.keep(~(merged | covered))


def _jobs_in_bursts(number: Rows, status: Rows) -> Iterator[Rows]:
    """Yield the rows of each job number shared by several lines, at least one of them a burst."""
    burst = np.isin(status, BURSTS)
    if not burst.any():
        return
    _, job, count = np.unique(number, return_inverse=True, return_counts=True)
    with_burst = np.unique(job[(count[job] > 1) & (number >= 0) & burst])
    rows = np.flatnonzero(np.isin(job, with_burst))
    by_job = rows[np.argsort(job[rows], kind="stable")]
    yield from np.split(by_job, np.flatnonzero(np.diff(job[by_job])) + 1) if by_job.size else ()


def _merge(columns: dict[str, AnyArray], bursts: Rows) -> int:
    """Add the bursts' known times to the first burst, which gets the status of the whole; returns its row."""
    submitted = bursts[columns["submit"][bursts] >= 0]
    first = int(submitted[0] if submitted.size else bursts[0])
    for name in _ADDED:
        times = columns[name][bursts]
        known = times[times >= 0]
        columns[name][first] = known.sum() if known.size else -1
    # A job whose last burst is "to be continued" keeps status 2: the log ends before the job does.
    last = int(columns["status"][bursts[-1]])
    columns["status"][first] = _FINAL.get(last, last)
    return first
