"""Files of events: windows and outages of a machine in one CSV file.

    kind,start,end,processors,announced,users,jobs,rule,watts
    window,2003-07-15T08:00,2003-07-15T20:00,128,,,,wait,
    window,86400,90000,16,0,ann bob,,,
    outage,500,1700,0-3 7,,,,,
    capacity,0,1000000,32,,,,,
    cap,3600,7200,,,,,wait,40 kW

The last five columns may be left out. Times are seconds since the log's start, or dates in its zone; ``end`` may be
``inf``. ``processors`` of a window is a number, on a machine of nodes their names; those of ``capacity`` are what the
machine lacks, and those of an outage an interval set of indices, or names of nodes. Names and numbers are separated by
blanks. A ``window`` is maintenance, or a reservation if it has users or jobs; either may also be named as the kind. A
``cap`` has ``watts``, which the machine may draw at most, and no processors.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes.csv_rows import Row, joined, rows, write
from thinktime.workloads.changes.outage_logs import OutageRows, outage_cells
from thinktime.workloads.changes.outages import Machine, Outages
from thinktime.workloads.changes.window_checks import check_windows
from thinktime.workloads.changes.windows import CAP, KINDS, Window, repeat
from thinktime.workloads.interval_sets import is_interval_set
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import plain, seconds

NEEDED = ("kind", "start", "end", "processors")
OPTIONAL = ("announced", "users", "jobs", "rule", "watts")
WINDOW, OUTAGE = "window", "outage"
REPEATED = ("every", "until")


class EventsRead(NamedTuple):
    """How a machine changes."""

    windows: tuple[Window, ...]
    outages: Outages


def read_events(
    path: str | os.PathLike[str],
    machine: Machine | None = None,
    calendar: Calendar | None = None,
    max_size: int | None = None,
) -> EventsRead:
    r"""Read a file of events; a ``ValueError`` names file and line and says what would be right.

    With a ``machine``, its number of processors or its nodes with their numbers, windows and outages are checked
    against it, and outages get the nodes' numbers. Dates need the ``calendar`` of the log (`Trace.calendar`).
    `max_size` is what a compressed file may decompress to (bytes).

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "events.csv")
    ...     _ = path.write_text("start,end,kind,processors\n3600,7200,maintenance,4\n")
    ...     print(read_events(path, machine=8).windows[0].start)
    3600.0
    """
    found = events_of(event_rows(path, max_size), machine, calendar)
    if machine is not None:
        check_windows(found.windows, machine, found.places)
    return EventsRead(found.windows, found.outages)


class Events(NamedTuple):
    """Windows and outages, and where each window stands."""

    windows: tuple[Window, ...]
    outages: Outages
    places: tuple[str, ...]


def events_of(rows: Iterable[Row], machine: Machine | None = None, calendar: Calendar | None = None) -> Events:
    """What rows of windows and outages describe. Outages are checked against the machine."""
    windows: list[Window] = []
    places: list[str] = []
    outages, when = OutageRows(machine), calendar or Calendar()
    for row in rows:
        if row.outage:
            outages.add(row, when)
        else:
            windows += (new := windows_of(row, when))
            places += [row.where] * len(new)
    return Events(tuple(windows), outages.table(), tuple(places))


def windows_of(row: Row, calendar: Calendar) -> Sequence[Window]:
    """The window that a row describes with the fields of `Window`, or several with ``every`` and ``until``.

    Its end may be such as ``+8h``, after its start.
    """
    given = {key: value for key, value in row.values.items() if key not in REPEATED}
    repeats = [key for key in REPEATED if key in row.values]
    try:
        given |= {key: row.time(key, calendar) for key in ("start", "announced") if given.get(key) is not None}
        end = given["end"]
        after = isinstance(end, str) and end.startswith("+")
        given["end"] = given["start"] + seconds(end.removeprefix("+")) if after else row.time("end", calendar)
        window = Window(**given)
        if len(repeats) == 1:
            raise ValueError("every and until belong together")
        return repeat(window, row["every"], row.moment("until", calendar)) if repeats else (window,)
    except (TypeError, ValueError) as error:
        raise row.error(error) from None


def event_rows(path: str | os.PathLike[str], max_size: int | None = None) -> Iterator[Row]:
    """The rows of a file: windows with the fields of `Window`, and outages."""
    for row in rows(Path(path), NEEDED, OPTIONAL, max_size):
        if _kind(row) == OUTAGE:
            _refuse_for_outages(row)
            yield Row(row.where, row.values, outage=True)
        else:
            yield Row(row.where, _fields(row))


def write_events(path: str | os.PathLike[str], windows: Sequence[Window], outages: Outages | None = None) -> None:
    """Write windows and outages in seconds, so that `read_events` gives them back; `.gz` compresses.

    >>> import tempfile, thinktime as tt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_events(f"{folder}/events.csv", [tt.Window(0, 3600, processors=4)])
    ...     print(read_events(f"{folder}/events.csv").windows[0].end)
    3600.0
    """
    down = () if outages is None else outage_cells(outages)
    table = [*map(_cells, windows), *([OUTAGE, *cells, "", "", "", "", ""] for cells in down)]
    width = None if any(each.kind == CAP for each in windows) else -1
    write(Path(path), (*NEEDED, *OPTIONAL)[:width], [row[:width] for row in table])


def _kind(row: Row) -> str:
    kinds = (WINDOW, OUTAGE, *KINDS)
    if row["kind"] not in kinds:
        raise row.error(f"kind cannot be {quoted(row['kind'])}; {key_of(row['kind'], kinds, 'the kinds')}")
    return str(row["kind"])


def _refuse_for_outages(row: Row) -> None:
    for column in OPTIONAL:
        if row[column]:
            raise row.error(f"an outage has no {column}, but {quoted(row[column])}; only windows are known ahead")


def _fields(row: Row) -> dict[str, Any]:
    """The fields of the window in a line, as values."""
    found = {name: row[name] for name in ("start", "end", "announced", "rule") if row[name] or name in NEEDED}
    if row["kind"] != WINDOW:
        found["kind"] = row["kind"]
    if row["watts"] or row["kind"] == CAP:
        found["watts"] = row["watts"]
    try:
        return found | {
            "processors": None if row["kind"] == CAP and not row["processors"] else _processors(row["processors"]),
            "users": [_user(word) for word in row["users"].split()],
            "jobs": [_job(word) for word in row["jobs"].split()],
        }
    except ValueError as error:
        raise row.error(error) from None


def _processors(text: str) -> int | list[str]:
    if text.isdecimal():
        return int(text)
    if is_interval_set(text):
        raise ValueError(f"a window has a number of processors, or the names of its nodes, not {quoted(text)}")
    return text.split()


def _user(word: str) -> str | int:
    """A user of a log has a number; ``007`` is a name."""
    return int(word) if word.isdecimal() and word == str(int(word)) else word


def _job(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"jobs must be job numbers, separated by blanks, not {quoted(word)}") from None


def _cells(window: Window) -> list[str]:
    """A window as a row of a file."""
    usual = "reservation" if window.users or window.jobs else "maintenance"
    taken = window.processors
    return [
        WINDOW if window.kind == usual else window.kind,
        plain(window.start),
        plain(window.end),
        ("" if window.kind == CAP else str(taken)) if isinstance(taken, int) else joined(taken),
        "" if window.announced is None else plain(window.announced),
        joined(window.users),
        joined(window.jobs),
        window.rule,
        plain(window.watts) if window.kind == CAP else "",
    ]
