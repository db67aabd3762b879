"""A machine at this moment, from a file or a folder: a state that was saved, or a snapshot of a site."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path

from thinktime.analysis.now.draws import Past
from thinktime.models.machine.announcing import announcing, check_changing
from thinktime.models.machine.another_policy import under_policy
from thinktime.models.machine.state import MachineState
from thinktime.models.site.site import Site
from thinktime.models.snapshot.clock import NO_ZONE
from thinktime.models.snapshot.reading import Snapshot, read_snapshot
from thinktime.models.snapshot.records import REPAIRED, UNKNOWN
from thinktime.workloads.changes.events_file import read_events
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.sacct.convert import ConversionOptions
from thinktime.workloads.sacct.read import read_sacct
from thinktime.workloads.trace import Trace

HISTORY = "sacct.psv"
"""The history of a snapshot."""
POLICY = "policy"
"""What can be changed of a state."""


@dataclass(frozen=True, eq=False)
class Present:
    """A state, and what is known beside it."""

    state: MachineState
    unix_start: float | None = None
    """The Unix time of t = 0 of the machine's clock; None: it is that of the history."""
    zone: tzinfo = UTC
    promised: Mapping[int, float] = field(default_factory=dict)
    """When the site's own scheduler says that jobs start, by number, s."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """What users call jobs, by number."""
    programs: Mapping[int, str] = field(default_factory=dict)
    """The names of jobs, by number."""
    notes: tuple[str, ...] = ()
    snapshot: Snapshot | None = None

    @classmethod
    def read(cls, path: str | Path) -> Present:
        """The moment in a file or a folder."""
        if not Path(path).exists():
            raise ValueError(f"--from {shortened(path)}: there is no such file or folder")
        return cls.of_snapshot(read_snapshot(path)) if Path(path).is_dir() else cls(MachineState.read(path))

    @classmethod
    def of_snapshot(cls, snapshot: Snapshot) -> Present:
        """The moment of a snapshot of a real site."""
        jobs = [(snapshot.numbers[each.label], each) for each in snapshot.jobs if each.label in snapshot.numbers]
        said = snapshot.report.of(REPAIRED) | snapshot.report.of(UNKNOWN)
        unknown = [f"{what} ({count:,})" for what, count in said.items() if what != NO_ZONE]
        if not snapshot.zone:
            unknown.append("the site's time zone: times are in UTC")
        return cls(
            snapshot.state,
            snapshot.zero,
            _zone(snapshot.zone),
            {number: each.forecast - snapshot.zero for number, each in jobs if each.forecast is not None},
            {number: each.label for number, each in jobs},
            {number: each.name for number, each in jobs},
            tuple(unknown),
            snapshot,
        )

    @property
    def site(self) -> Site | None:
        """The site of the machine, if it has one."""
        found: Site | None = self.state.fields["site"]
        return found

    @property
    def users(self) -> set[str]:
        """Who submitted jobs to the machine."""
        return {str(name) for name in self.state.names["user"]}

    def under(self, change: str) -> MachineState:
        """The state of the machine as a text PATH=VALUE says; ``ValueError`` if it cannot be so."""
        path, equals, value = change.partition("=")
        if not equals or not path or not value:
            raise ValueError(f"--change {quoted(change)}: write PATH=VALUE, such as backfill.bf_max_job_test=500")
        if self.snapshot is None and path != POLICY:
            raise ValueError(
                f"--change {quoted(change)}: a state has no site whose settings could be changed, but policy=NAME can; "
                "or simulate the change from the start"
            )
        try:
            if self.snapshot is None:
                return under_policy(self.state, value)
            changed = self.snapshot.under(change)
            now, then = (each.moment.spec.changes for each in (self.snapshot, changed))
            added = set(then.windows if then else ()) - set(now.windows if now else ())
            if any(window.start < self.state.time for window in added):
                raise ValueError("the window begins before the snapshot; give dates, or times from the day's 0:00 on")
            return changed.state
        except ValueError as error:
            raise ValueError(f"--change {quoted(change)}: {error}") from None

    def changing(self) -> Present:
        """The same, on a machine that can change (`thinktime.models.machine.announcing`)."""
        if self.snapshot is None:
            check_changing(self.state)
            return self
        return replace(self, snapshot=(snapshot := self.snapshot.changing()), state=snapshot.state)

    def with_events(self, path: str | Path, past: Past | None) -> MachineState:
        """The state once windows and outages to come are known, which a file has; ``changing`` comes first."""
        nodes, calendar = self.state.fields["nodes"], None if past is None else past.log.calendar
        machine = self.state.fields["processors"] if nodes is None else nodes.numbers
        if self.snapshot is not None:
            calendar = self.snapshot.moment.calendar
        return announcing(self.state, read_events(path, machine, calendar))

    def past(self, history: Trace) -> Past:
        """What a log says; ``ValueError`` if it does not say when it began, and the machine's clock is another."""
        if self.unix_start is None:
            return Past(history, self.state.time)
        if history.unix_start is None:
            raise ValueError("the history does not say when it began (UnixStartTime), and the snapshot is of a date")
        known = {name: number for number, name in history.names.get("executable", {}).items()}
        executables = {number: known[name] for number, name in self.programs.items() if name in known}
        return Past(history, self.unix_start + self.state.time - history.unix_start, executables)


def history_in(folder: str | Path) -> Trace | None:
    """The history that a snapshot brings along, if it does."""
    path = Path(folder) / HISTORY
    return read_history(path) if path.is_file() else None


def read_history(path: str | Path) -> Trace:
    """A log of ``sacct``, with the jobs that were cancelled before they ran."""
    return read_sacct([path], ConversionOptions(), withdrawn="queue")


def _zone(name: str) -> tzinfo:
    try:
        return zoneinfo.ZoneInfo(name) if name else UTC
    except (ValueError, zoneinfo.ZoneInfoNotFoundError, OSError):
        return UTC
