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

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from thinktime.models.machine.changing.rules import Changes
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes.csv_rows import Row
from thinktime.workloads.changes.events_file import Events, event_rows, events_of
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outage_logs import outage_rows
from thinktime.workloads.changes.outages import Machine, Outages
from thinktime.workloads.changes.windows import Repeated
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import AS_GIVEN, Fault, Table, form_of, sentence
from thinktime.workloads.reading.texts import pairs_in
from thinktime.workloads.units import as_text, counted

EVENTS, NONE = "events", "none"
NOTHING = "nothing"
OF_CHECKPOINTS = ("cost", "restart")


@dataclass(frozen=True)
class Outage(Table):
    """An outage as files have it."""

    short: ClassVar[bool] = True
    start: Annotated[Any, AS_GIVEN]
    end: Annotated[Any, AS_GIVEN]
    processors: Annotated[Any, AS_GIVEN]


def changes_of(
    table: Mapping[str, Any], machine: Machine | None = None, calendar: Calendar | None = None, seed: int = 1
) -> Changes:
    """The changes that a table describes; ``ValueError`` names the key and what is wrong.

    ``machine`` is a number of processors or the nodes with their numbers, if it is known. Dates need the ``calendar``
    of a log. ``seed`` is that of failures which have none of their own.
    """
    values = {key: value for key, value in table.items() if value is not None and value != NONE}
    path, known = values.pop(EVENTS, None), [*form_of(Changes).keys, EVENTS]
    for key in values:
        if key not in known:
            raise ValueError(f"changes have no key {quoted(key)}; {key_of(key, known, 'its keys')}")
    own = events_of(_rows(values.pop("windows", ()), values.pop("outages", ())), machine, calendar)
    of_file = Events((), Outages.of([]), ()) if path is None else events_of(event_rows(path), machine, calendar)
    if "failures" in values:
        values["failures"] = _failures(values["failures"], seed)
    if isinstance(text := values.get("checkpoint"), str):
        values |= {"checkpoint": math.inf} | _checkpoint(text, values)
    outages = [each for each in (own.outages, of_file.outages) if len(each)]
    both = outages[0] | outages[1] if len(outages) > 1 else next(iter(outages), None)
    changes = Changes(windows=own.windows + of_file.windows, outages=both, **values)
    if machine is not None:
        changes.check(machine, own.places + of_file.places)
    return changes


def table_of(changes: Changes) -> dict[str, Any]:
    """The changes as a table of plain values, without defaults, from which `changes_of` makes them again."""
    return form_of(Changes).table(changes)


def in_words(changes: Changes, seeds: bool = True) -> str:
    """The changes in a line; with ``seeds``, also the seed of random failures that name none."""
    found = form_of(Changes).fields(changes)
    parts = [counted(len(found.pop("windows")), "window")] if "windows" in found else []
    if (outages := found.pop("outages", None)) is not None:
        parts.append(counted(sum(1 for _ in outage_rows(outages)), "outage"))
    if (failures := found.pop("failures", None)) is not None:
        seed = f",seed={failures.seed}" if seeds and "seed=" not in str(failures) else ""
        parts.append(f"failures {failures}{seed}")
    shown = {name: as_text(value) if isinstance(value, float) else value for name, value in found.items()}
    return ", ".join([*parts, *(f"{name} {value}" for name, value in shown.items())]) or NOTHING


def _rows(windows: Any, outages: Any) -> Iterator[Row]:
    """Tables of windows and outages as rows like those of a file."""
    for name, kind, tables in (("window", Repeated, windows), ("outage", Outage, outages)):
        for number, table in enumerate(tables, start=1):
            where = f"{name} {number}"
            try:
                values = form_of(kind).values(table)
            except Fault as fault:
                raise ValueError(sentence(fault.within(where))) from None
            yield Row(where, values, of_file=False, outage=kind is Outage)


def _failures(given: Any, seed: int) -> Failures:
    try:
        return Failures.of(given, seed) if isinstance(given, Mapping) else Failures.parse(str(given), seed)
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith("failures") else f"failures: {error}") from None


def _checkpoint(text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The interval, which may be "none", and the cost and the restart that may follow it."""
    interval, comma, more = (part.strip() for part in text.partition(","))
    found: dict[str, Any] = {} if interval == NONE else {"checkpoint": interval}
    wrong = "checkpoint must be such as 1h or 1h,cost=30s,restart=2m"
    for key, value in pairs_in(more, wrong) if comma else ():
        if key not in OF_CHECKPOINTS:
            raise ValueError(f"{wrong}, so {quoted(f'{key}={value}')} is not understood")
        if key in given or key in found:
            raise ValueError(f"checkpoint: {key} is given twice")
        found[key] = value
    return found
