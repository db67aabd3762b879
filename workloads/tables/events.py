"""The tasks of Google's trace of 2011 out of its events: submitted, scheduled, and ended in one way or another.

A task that is submitted again after it was evicted, failed or lost is another job. Times are in microseconds; those of
events after the end of the trace are left out.

Source: C. Reiss, J. Wilkes, J. Hellerstein, Google cluster-usage traces: format + schema (2011).
"""

import csv
import io
from collections.abc import Iterator, Sequence

from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import Opened, of_rows
from thinktime.workloads.tables.mapping import Mapping

WIDTH = 13
COLUMNS = ("task", "user", "class", "submit", "schedule", "end", "event", "processors")
SUBMIT, SCHEDULE = "0", "1"
ENDS = frozenset("23456")
NEVER = 2**63 - 1


def google_2011(files: Sequence[TableFile], how: Mapping) -> Opened:
    """One row for each time that a task was submitted; the files are those of one table, in order."""

    def rows() -> Iterator[tuple[object, ...]]:
        waiting: dict[tuple[str, str], list[str | None]] = {}
        times: dict[tuple[str, str], int] = {}
        for file in files:
            for moment, job, index, event, user, kind in _events(file):
                task = job, index
                if event == SUBMIT or task not in waiting:
                    if event in ENDS:
                        continue
                    waiting[task] = [user, kind, moment, moment if event == SCHEDULE else None]
                    times[task] = times.get(task, 0) + 1
                elif event == SCHEDULE:
                    waiting[task][3] = moment
                elif event in ENDS:
                    yield _named(task, times), *waiting.pop(task), moment, event, 1
        for task, begun in waiting.items():
            yield _named(task, times), *begun, None, None, 1

    return of_rows(COLUMNS, rows)


def _named(task: tuple[str, str], times: dict[tuple[str, str], int]) -> str:
    return f"{task[0]}-{task[1]}" + (f"-{times[task]}" if times[task] > 1 else "")


def _events(file: TableFile) -> Iterator[tuple[str, str, str, str, str, str]]:
    with file.open() as raw:
        for number, row in enumerate(csv.reader(io.TextIOWrapper(raw, "utf-8", newline="")), start=1):
            if len(row) != WIDTH:
                where = f"{shortened(file.name)}, line {number:,}"
                raise ValueError(f"{where}: found {len(row)} values, expected {WIDTH} of a task event")
            if not row[0].isdigit():
                raise ValueError(
                    f"{shortened(file.name)}, line {number:,}: the time must be in µs, not {quoted(row[0])}"
                )
            if int(row[0]) < NEVER:
                yield row[0], row[2], row[3], row[5], row[6], row[7]
