"""Logs of outages: CSV files with the columns start, end, processors, and the Failure Trace Archive's event traces.

CSV: times are seconds since the log's start, or dates in its zone, and ``end`` may be ``inf``. Processors are an
interval set of indices (`0-3 7`), or names of nodes, separated by blanks.

The Failure Trace Archive's ``event_trace.tab`` has a line per event, with nine columns separated by tabs: event_id,
component_id, node_id, platform_id, node_name, event_type, event_start_time, event_end_time (or event_stop_time) and
event_end_reason. Comments begin with #. Times are Unix times (s). Type 0 is unavailability and 1 is availability, so
lines of type 0 are the outages; types of a site's own, such as a user being present, are left out. In logs kept in
whole minutes (LANL's), some outages end when they begin: they interrupt jobs too, and are one step of the grid long.
Source: Kondo, Javadi, Iosup, Epema, "The Failure Trace Archive", CCGrid 2010; http://fta.scem.uws.edu.au, FTAFormat.
"""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Whole
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes.csv_rows import Row, joined, lines, rows, write
from thinktime.workloads.changes.outages import Machine, Outages, check_indices, check_names
from thinktime.workloads.changes.windows import interval
from thinktime.workloads.grid import TICK, to_grid
from thinktime.workloads.interval_sets import LARGEST, indices_of, interval_set, is_interval_set
from thinktime.workloads.names import quoted
from thinktime.workloads.units import plain

COLUMNS = ("start", "end", "processors")
UNAVAILABLE = "0"
EVENT_ID = "event_id"
NODE_ID, NODE_NAME, EVENT_TYPE, BEGIN, END, LAST = 2, 4, 5, 6, 7, 8
"""The places of columns in an event trace."""
SHORT = 8
"""A number with fewer digits is an index, which most rows have alone; a longer one is checked."""


def read_outages(
    path: str | os.PathLike[str],
    machine: Machine | None = None,
    calendar: Calendar | None = None,
    max_size: int | None = None,
) -> Outages:
    r"""Read a log of outages: CSV, or an event trace.

    Wrong lines, and processors or nodes that the ``machine`` does not have, are a ``ValueError`` with file and line.
    Dates need the ``calendar`` of the log of jobs (`Trace.calendar`). In event traces, t = 0 is the calendar's start,
    else the first event; what lies before is cut off. Their nodes are found by name on a machine of nodes. Otherwise
    they are numbered in order of their node_id. `max_size` is what a compressed file may decompress to (bytes).

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "outages.csv")
    ...     _ = path.write_text("start,end,processors\n0,3600,2\n")
    ...     print(read_outages(path, machine=4).index.tolist())
    [2]
    """
    file = Path(path)
    if _is_event_trace(file, max_size):
        return _event_trace(file, machine, None if calendar is None else calendar.start, max_size)
    found = OutageRows(machine)
    for row in rows(file, COLUMNS, max_size=max_size):
        found.add(row, calendar or Calendar())
    return found.table()


def write_outages(path: str | os.PathLike[str], outages: Outages) -> None:
    """Write outages as CSV, so that `read_outages` gives them back; compressed if the name ends with `.gz`."""
    write(Path(path), COLUMNS, outage_cells(outages))


def outage_cells(outages: Outages) -> Iterator[tuple[str, str, str]]:
    """Start, end and processors, as in a file, of the outages that begin and end together."""
    return ((plain(start), plain(end), names) for start, end, names in outage_rows(outages))


def outage_rows(outages: Outages) -> Iterator[tuple[float, float, str]]:
    """Start, end (s) and processors, as an interval set or nodes, of the outages that begin and end together."""
    order = np.lexsort((outages.index, outages.end, outages.start))
    start, end, index = (column[order] for column in (outages.start, outages.end, outages.index))
    cuts = np.flatnonzero((start[1:] != start[:-1]) | (end[1:] != end[:-1])) + 1
    first, last = np.append(0, cuts).tolist(), np.append(cuts, len(order)).tolist()
    for low, high in zip(first, last, strict=True) if len(order) else ():
        left = index[low:high].tolist()
        while left:  # equal outages are rows of their own
            at = list(dict.fromkeys(left))
            names = interval_set(at) if outages.names is None else joined(outages.names[i] for i in at)
            yield float(start[low]), float(end[low]), names
            left = [i for before, i in pairwise(left) if i == before]


class OutageRows:
    """Rows of outages from one file, which all have indices, or all names of nodes."""

    def __init__(self, machine: Machine | None) -> None:
        self._machine = machine
        self._rows: list[tuple[float, float, str | Sequence[int] | Whole]] = []
        self._places: dict[str, int] = {}
        self._named: bool | None = None

    def add(self, row: Row, calendar: Calendar) -> None:
        """Add the outage of a row with start, end and processors: a text as in a file, or a list."""
        try:
            start, end = row.time("start", calendar), row.time("end", calendar)
            self._rows.append((*interval(start, end), self._indices(row["processors"])))
        except ValueError as error:
            raise row.error(error) from None

    def _indices(self, given: Any) -> Sequence[int] | Whole:
        """The indices that are given, or the places of the names."""
        if not isinstance(given, Sequence):
            raise ValueError(f"processors must be such as '0-3 7', a list of indices or of names, not {quoted(given)}")
        if given and all(isinstance(each, int) and 0 <= each < LARGEST for each in given) and not self._named:
            self._named = False
            return self._known(np.unique(np.array(given, np.int64)))
        text = given if isinstance(given, str) else " ".join(map(str, given))
        named = not is_interval_set(text)
        if self._named is not None and named != self._named:
            raise ValueError(f"outages in one file must all have indices, or all names of nodes, unlike {quoted(text)}")
        self._named = named
        if named:
            names = text.split()
            if self._machine is not None:
                check_names(names, self._machine)
            return [self._places.setdefault(name, len(self._places)) for name in names]
        return self._known([int(text)] if text.isdecimal() and len(text) < SHORT else indices_of(text))

    def _known(self, indices: Sequence[int] | Whole) -> Sequence[int] | Whole:
        if self._machine is not None:
            check_indices(indices, self._machine)
        return indices

    def table(self) -> Outages:
        """All outages, of the machine if one is known."""
        found = Outages.of(self._rows)
        found = found.named(tuple(self._places)) if self._named else found
        return found if self._machine is None else found.bound(self._machine)


def _is_event_trace(path: Path, max_size: int | None) -> bool:
    """Whether the first line that is no comment has tabs, or the names of an event trace's columns."""
    first = next((line for line in lines(path, max_size) if line.strip() and not line.startswith("#")), "")
    return first.split()[:1] == [EVENT_ID] or ("\t" in first and "," not in first)


def _event_trace(path: Path, machine: Machine | None, unix_start: float | None, max_size: int | None) -> Outages:
    """The outages of an event trace."""
    names: dict[int, str] = {}
    down: list[tuple[float, float, int]] = []
    earliest = math.inf
    for number, line in enumerate(lines(path, max_size), start=1):
        # With more tabs than columns, they only align the columns, which are then separated by blanks of any kind.
        cells = [cell.strip() for cell in line.split("\t")] if line.count("\t") == LAST else line.split()
        if not any(cells) or line.startswith("#") or cells[0] == EVENT_ID:
            continue
        row = Row(f"{path}, line {number}", {})
        node, begin, end = _event(cells, row)
        names.setdefault(node, cells[NODE_NAME])
        earliest = min(earliest, begin)
        if cells[EVENT_TYPE] == UNAVAILABLE:
            down.append((begin, max(end, begin + TICK), node))
    zero = earliest if unix_start is None else unix_start
    if down and max(end for _, end, _ in down) <= zero:
        raise ValueError(f"{path}: all its outages end before the log's start (Unix time {plain(zero)} s)")
    kept = [(max(begin - zero, 0.0), end - zero, node) for begin, end, node in down if to_grid(end - zero) > 0]
    try:
        return _of_nodes(kept, names, machine)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _event(cells: list[str], row: Row) -> tuple[int, float, float]:
    """The node's number, and the start and end of an event (Unix times, s)."""
    if len(cells) <= END:
        raise row.error(f"{len(cells)} columns, but an event trace has nine, separated by tabs")
    try:
        node, begin, end = int(cells[NODE_ID]), float(cells[BEGIN]), float(cells[END])
    except ValueError:
        found = ", ".join(repr(cells[place]) for place in (NODE_ID, BEGIN, END))
        raise row.error(f"node_id, event_start_time and event_end_time must be numbers, not {found}") from None
    if not (math.isfinite(begin) and end >= begin):
        raise row.error(f"the event must end after its start ({cells[BEGIN]}), not at {cells[END]}")
    return node, begin, end


def _of_nodes(down: list[tuple[float, float, int]], names: Mapping[int, str], machine: Machine | None) -> Outages:
    """Outages by node_id as outages of a machine."""
    place = {node: k for k, node in enumerate(sorted(names))}
    found = Outages.of((start, end, [place[node]]) for start, end, node in down)
    if machine is None:
        return found
    return (found if isinstance(machine, int) else found.named([names[node] for node in sorted(names)])).bound(machine)
