"""The changes of a machine as plain values: what command lines, scenarios and the TOML of a `MachineSpec` hold.

    windows = [{ start = "8 h", end = "10 h", processors = 64, every = "7 d", until = "365 d" }]
    outages = [{ start = 500, end = 1700, processors = "0-3 7" }]
    events = "events.csv"
    failures = "mtbf=30d,mttr=4h,shape=0.7"
    checkpoint = "1h,cost=30s,restart=2m"

The keys are the fields of `Changes`, and ``events``, a file of windows and outages (`read_events`). A window has the
fields of `Window`; with ``every`` and ``until`` it is repeated. Times are seconds, durations since the log's start, or
dates in its zone; the end of a window may be ``+8h``, after its start. Failures may also be a table, and ``cost`` and
``restart`` keys of their own. "none" stands for the default of a key.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from thinktime.models.changing.rules import Changes
from thinktime.workloads.calendar import Calendar, seconds_since
from thinktime.workloads.changes.csv_rows import Row
from thinktime.workloads.changes.events_file import read_events
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outage_logs import OutageRows, outage_cells
from thinktime.workloads.changes.outages import Machine, Outages
from thinktime.workloads.changes.windows import RULES, Window, repeat
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import as_text, counted, plain, seconds

EVENTS, NONE = "events", "none"
NOTHING = "nothing"
OF_CHANGES = tuple(field.name for field in dataclasses.fields(Changes))
OF_WINDOWS = tuple(field.name for field in dataclasses.fields(Window))
REPEATED = ("every", "until")
OF_OUTAGES = ("start", "end", "processors")
OF_CHECKPOINTS = ("cost", "restart")


def changes_of(
    table: Mapping[str, Any], machine: Machine | None = None, calendar: Calendar | None = None, seed: int = 1
) -> Changes:
    """The changes that a table describes; ``ValueError`` names the key and what is wrong.

    ``machine`` is a number of processors or the nodes with their numbers, if it is known. Dates need the ``calendar``
    of a log. ``seed`` is that of failures which have none of their own.
    """
    values = {key: value for key, value in table.items() if value is not None and value != NONE}
    _check_keys(values, (*OF_CHANGES, EVENTS), "changes have")
    when = calendar or Calendar()
    given = enumerate(values.pop("windows", ()), start=1)
    windows = [each for number, one in given for each in _windows(f"window {number}", one, when)]
    outages = [_outages(values.pop("outages"), machine, when)] if "outages" in values else []
    if (path := values.pop(EVENTS, None)) is not None:
        read = read_events(path, machine, when)
        windows, outages = [*windows, *read.windows], [*outages, *([read.outages] if len(read.outages) else [])]
    if "failures" in values:
        values["failures"] = _failures(values["failures"], seed)
    if isinstance(text := values.pop("checkpoint", None), str):
        values |= _checkpoint(text, values)
    elif text is not None:
        values["checkpoint"] = text
    both = outages[0] | outages[1] if len(outages) > 1 else next(iter(outages), None)
    return Changes(windows=tuple(windows), outages=both, **values)


def table_of(changes: Changes) -> dict[str, Any]:
    """The changes as a table of plain values, without defaults, from which `changes_of` makes them again."""
    table = _differing(changes)
    if "windows" in table:
        table["windows"] = [_of_window(each) for each in changes.windows]
    if changes.outages is not None:
        rows = ((float(begin), float(end), which) for begin, end, which in outage_cells(changes.outages))
        table["outages"] = [dict(zip(OF_OUTAGES, row, strict=True)) for row in rows]
    if (failures := changes.failures) is not None:
        if failures.mtbf is None or failures.mttr is None:
            raise ValueError(f"failures have a distribution of their own ({failures}), which TOML cannot hold")
        table["failures"] = str(failures)
    return table


def in_words(changes: Changes, seeds: bool = True) -> str:
    """The changes in a line; with ``seeds``, also the seed of random failures that name none."""
    found = _differing(changes)
    parts = [counted(len(found.pop("windows")), "window")] if "windows" in found else []
    if (outages := found.pop("outages", None)) is not None:
        parts.append(counted(sum(1 for _ in outage_cells(outages)), "outage"))
    if (failures := found.pop("failures", None)) is not None:
        seed = f",seed={failures.seed}" if seeds and "seed=" not in str(failures) else ""
        parts.append(f"failures {failures}{seed}")
    shown = {name: as_text(value) if isinstance(value, float) else value for name, value in found.items()}
    return ", ".join([*parts, *(f"{name} {value}" for name, value in shown.items())]) or NOTHING


def _differing(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {field.name: found for field, found in fields if found != field.default}


def _windows(name: str, table: Any, calendar: Calendar) -> Sequence[Window]:
    _check_table(name, table, (*OF_WINDOWS, *REPEATED), OF_OUTAGES)
    given = {key: value for key, value in table.items() if key not in REPEATED}
    try:
        times = {key: _time(given[key], calendar) for key in ("start", "announced") if key in given}
        end = given["end"]
        after = isinstance(end, str) and end.startswith("+")
        times["end"] = times["start"] + seconds(end.removeprefix("+")) if after else _time(end, calendar)
        window = Window(**(given | times))
        if not any(key in table for key in REPEATED):
            return (window,)
        if not all(key in table for key in REPEATED):
            raise ValueError("every and until belong together")
        return repeat(window, table["every"], _time(table["until"], calendar))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None


def _outages(tables: Any, machine: Machine | None, calendar: Calendar) -> Outages:
    found = OutageRows(machine)
    for number, table in enumerate(tables, start=1):
        _check_table(name := f"outage {number}", table, OF_OUTAGES, OF_OUTAGES)
        which = table["processors"]
        cells = {"processors": which if isinstance(which, str) else " ".join(map(str, which))}
        try:
            times = {key: plain(_time(table[key], calendar)) for key in ("start", "end")}
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        found.add(Row(name, cells | times), calendar)
    return found.table()


def _failures(given: Any, seed: int) -> Failures:
    try:
        if isinstance(given, Mapping):
            given = ",".join(f"{key}={value}" for key, value in given.items())
        return Failures.parse(str(given), seed)
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith("failures") else f"failures: {error}") from None


def _checkpoint(text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The interval, which may be "none", and the cost and the restart that may follow it."""
    interval, *more = (part.strip() for part in text.split(","))
    found: dict[str, Any] = {} if interval == NONE else {"checkpoint": interval}
    for part in more:
        key, _, value = (word.strip() for word in part.partition("="))
        if key not in OF_CHECKPOINTS or not value:
            raise ValueError(
                f"checkpoint must be such as 1h or 1h,cost=30s,restart=2m, so {quoted(part)} is not understood"
            )
        if key in given or key in found:
            raise ValueError(f"checkpoint: {key} is given twice")
        found[key] = value
    return found


def _time(value: Any, calendar: Calendar) -> float:
    """A time since the log's start (s), from seconds, a duration or a date."""
    if value == math.inf:
        return math.inf
    try:
        return seconds(value)
    except ValueError:
        return seconds_since(value, None if calendar.start is None else int(calendar.start), calendar.zone)


def _of_window(window: Window) -> dict[str, Any]:
    """A window as a table, without what is empty."""
    fields = {name: getattr(window, name) for name in OF_WINDOWS}
    usual = {"rule": RULES[0], "kind": "reservation" if window.users or window.jobs else "maintenance"}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in fields.items()
        if value not in ((), None, usual.get(name))
    }


def _check_table(name: str, table: Any, known: Sequence[str], needed: Sequence[str]) -> None:
    if not isinstance(table, Mapping):
        raise ValueError(f"{name} must be a table of {', '.join(known)}, not {quoted(table)}")
    _check_keys(table, known, f"{name} has")
    if missing := [key for key in needed if key not in table]:
        raise ValueError(f"{name} needs {' and '.join(missing)}")


def _check_keys(table: Mapping[str, Any], known: Sequence[str], who_has: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"{who_has} no key {quoted(key)}; {key_of(key, known, 'its keys')}")
