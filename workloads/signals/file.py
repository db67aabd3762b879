"""A signal in a CSV file.

    start,value
    2024-01-01T00:00,0.21
    2024-01-01T01:00,0.19

A start is in seconds since the log's start, or a date: with its own offset (``2024-01-01T00:00Z``), or else in the
log's zone. Of an hour that the clocks repeat in autumn, the second one is the later. A file of equal steps that leaves
some out has a gap, which is refused unless the value before it shall hold (``gaps="hold"``).
"""

import datetime
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes.csv_rows import Row, rows, write
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import in_two_units, plain

COLUMNS = ("start", "value")
GAPS = ("refuse", "hold")
EQUAL = 0.9
"""If this share of the steps is equally long, longer ones are gaps, since a signal that names changes only has none."""


def read_steps(
    path: Path, calendar: Calendar | None = None, gaps: str = "refuse", max_size: int | None = None
) -> tuple[Floats, Floats]:
    """When each step begins (s), and its value."""
    if gaps not in GAPS:
        raise ValueError(f"gaps cannot be {quoted(gaps)}; {key_of(str(gaps), GAPS, 'the ways')}")
    when = calendar or Calendar()
    places: list[str] = []
    times: list[float] = []
    values: list[float] = []
    for row in rows(path, COLUMNS, max_size=max_size):
        times.append(_start(row, when, times[-1] if times else -math.inf, places[-1] if places else ""))
        values.append(_value(row))
        places.append(row.where)
    if not times:
        raise ValueError(f"{path} has no steps; each line must be a start and a value")
    if gaps == "refuse":
        _refuse_gaps(times, places)
    return np.array(times), np.array(values)


def write_steps(path: Path, times: Floats, values: Floats) -> None:
    """Write when steps begin, in seconds, and their values, so that `read_steps` gives them back."""
    cells = zip(times.tolist(), values.tolist(), strict=True)
    write(path, COLUMNS, [[plain(time), repr(value)] for time, value in cells])


def _start(row: Row, calendar: Calendar, before: float, where: str) -> float:
    if row["start"] == "":
        raise row.error("start is empty; it must be seconds since the log's start, or a date")
    try:
        found = row.moment("start", calendar)
        if found <= before and (second := _in_second_hour(row["start"])) is not None:
            found = Row(row.where, {"start": second}).moment("start", calendar)
    except (TypeError, ValueError) as error:
        raise row.error(error) from None
    if not found > before:
        raise row.error(
            f"start is {quoted(row['start'])}, not after that of {where}; steps must be in the order of time, each once"
        )
    return found


def _in_second_hour(text: str) -> datetime.datetime | None:
    """A date without an offset, in the second of two hours of the same name."""
    try:
        date = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if date.tzinfo else date.replace(fold=1)


def _value(row: Row) -> float:
    try:
        found = float(row["value"])
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise row.error(f"value is {quoted(row['value'])}, but must be a finite number")
    return found


def _refuse_gaps(times: Sequence[float], places: Sequence[str]) -> None:
    lengths = np.diff(times)
    kinds, counts = np.unique(lengths, return_counts=True)
    if not len(kinds):
        return
    usual = float(kinds[counts.argmax()])
    if counts.max() < EQUAL * len(lengths) or not (long := np.flatnonzero(lengths > usual)).size:
        return
    length = in_two_units(float(lengths[long[0]]))
    raise ValueError(
        f"{places[long[0]]}: the next step begins {length} later, but steps are {in_two_units(usual)} long; write the "
        "steps that are missing, or let values hold over gaps (gaps='hold')"
    )
