"""`thinktime trace info`: a log's header, how it was cleaned, and a summary of its jobs."""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any

from thinktime.cli import inputs
from thinktime.cli.console import stdout
from thinktime.cli.layout import duration, listing, number, percentage
from thinktime.cli.options import MaxSize, argument
from thinktime.workloads import Trace
from thinktime.workloads.header import Header

Rows = Iterator[tuple[str, str]]


def info(
    file: Annotated[str, argument("FILE", "A log: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    max_size: MaxSize = None,
) -> None:
    """Show a log's header, its cleaning report and a summary of its jobs."""
    trace, report = inputs.read(file, max_size=max_size)
    console = stdout()
    for title, rows in (("header", header(trace.header)), ("jobs", summary(trace))):
        console.print(listing(title, rows))
        console.print()
    console.print(str(report))


def header(lines: Header) -> Rows:
    """Each label of the header with its values."""
    if not lines.labels:
        yield "none", "the file has no labelled comment lines"
    for label in lines.labels:
        for value in lines.all(label):
            yield label, " ".join(value.split())


def summary(trace: Trace) -> Rows:
    """The number of jobs and users, and the distribution of submit times, widths, run times and load."""
    yield "jobs", number(len(trace))
    yield "users", _distinct(trace.user)
    yield "submitted", f"{_moment(trace, trace.submit[0])} to {_moment(trace, trace.submit[-1])}"
    span = float(trace.submit[-1] - trace.submit[0])
    yield "time span", duration(span)
    yield "processors", "not in the header" if trace.machine_size is None else number(trace.machine_size)
    if trace.machine_size and span:
        work = float((trace.processors * trace.runtime).sum())
        yield "offered load", f"{percentage(work / (span * trace.machine_size))} of the machine"
    yield "job width", _spread(trace.processors, number)
    yield "run time", _spread(trace.runtime, duration)
    yield "estimate", _spread(trace.estimate, duration)
    over = float((trace.runtime > trace.estimate).mean())
    yield "overrunning", f"{percentage(over)} of the jobs ran longer than their estimate"


def _distinct(column: Any) -> str:
    import numpy as np

    known = np.unique(column[column >= 0])
    return number(len(known)) if len(known) else "not recorded"


def _spread(column: Any, show: Any) -> str:
    import numpy as np

    median, p95, most = np.quantile(column, [0.5, 0.95, 1.0]).tolist()
    return f"median {show(median)}, 95th percentile {show(p95)}, maximum {show(most)}"


def _moment(trace: Trace, seconds: float) -> str:
    """A date in the log's zone if its start is known, else seconds since the start."""
    if trace.unix_start is None:
        return f"{number(seconds)} s"
    moment = datetime.datetime.fromtimestamp(trace.unix_start + float(seconds), trace.zone)
    return f"{moment:%Y-%m-%d %H:%M}"
