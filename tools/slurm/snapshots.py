"""Forecasts from snapshots of a recording, beside what the real Slurm did afterwards.

A recording may have folders with snapshots that were taken while it ran. Each becomes a state, from which the machine
goes on; jobs run for as long as they really did, or were to sleep, and commands are given when they were. So what
differs is the state, or the rule. The same jobs are played from second 0 as well: where the model starts a job at
another time than Slurm though it has seen everything, the rule differs, and not the state.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simpy

import thinktime as tt
from thinktime.models.machine.machine import Machine
from thinktime.models.snapshot.reading import Snapshot, read_snapshot
from tools.slurm.model import RELEASE, WITHIN, Play
from tools.slurm.recording import Attempt, Recording
from tools.slurm.report import aligned

COLUMNS = (
    "snapshot", "runs", "waits", "starts", "same s", f"within {WITHIN} s", "until the first other", "as from second 0",
    "priorities", "fair shares",
)  # fmt: skip
AFTER = 3
"""How many lines of Slurm's log are shown around the first start that differs."""


@dataclass(frozen=True, slots=True)
class Start:
    """When a job really started, when by the forecast, and when by the model from second 0 (None: never)."""

    job: str
    really: int
    forecast: float | None
    played: int | None

    @property
    def near(self) -> bool:
        """Whether the forecast is right."""
        return self.forecast is not None and abs(self.forecast - self.really) <= WITHIN


@dataclass(frozen=True, slots=True)
class Forecast:
    """One snapshot, and the starts that followed it in order."""

    name: str
    snapshot: Snapshot
    starts: tuple[Start, ...]

    @property
    def right(self) -> int:
        """How many starts are right before the first that is not."""
        return next((k for k, each in enumerate(self.starts) if not each.near), len(self.starts))

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        counts = self.snapshot.report.of("read")
        told = sum(n for what, n in counts.items() if what.startswith("priorities"))
        same = counts.get("priorities of jobs, as they are computed here", 0)
        alike = sum(each.forecast == each.played for each in self.starts)
        return [
            self.name, str(counts.get("running jobs", 0)), str(counts.get("waiting jobs", 0)), str(len(self.starts)),
            str(sum(each.forecast == each.really for each in self.starts)), str(sum(each.near for each in self.starts)),
            str(self.right), str(alike), f"{same} of {told} (±{self.snapshot.differences.get('priority', 0.0):g})",
            f"±{self.snapshot.differences.get('fair share', 0.0):.1g}",
        ]  # fmt: skip


def forecasts(folder: Path) -> list[Forecast]:
    """The forecasts of all snapshots of a recording; ``ValueError`` if it has none."""
    recording = Recording(folder)
    found = [path.parent for path in sorted(folder.glob("*/jobs.txt"), key=lambda path: (len(str(path)), path))]
    if not found:
        raise ValueError(f"{folder} has no folders of snapshots")
    played = dict(_played(recording))
    return [_forecast(recording, path, played) for path in found]


def table(found: Sequence[Forecast], folder: Path) -> str:
    """The table, and what Slurm's log says where the first start differs."""
    lines = [list(COLUMNS), *(each.cells for each in found)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    return "\n".join(
        [*(aligned(line, widths) for line in lines), *(line for each in found for line in _why(each, folder))]
    )


def _lengths(recording: Recording) -> dict[str, int]:
    """How long each job or task really ran, or was to sleep."""
    sleeps = {row.name: int(row.sleep) for row in recording.rows if not row.is_command}
    found = {}
    for name, attempts in recording.attempts.items():
        last = attempts[-1]
        ran = last.end - last.start if last.start is not None and last.end is not None else None
        found[name] = sleeps[name.partition("_")[0]] if ran is None else max(1, ran)
    return found


def _played(recording: Recording) -> Iterator[tuple[str, int | None]]:
    """When the model starts each job that has seen everything from second 0."""
    for name, attempts in Play(recording, _lengths(recording)).found().attempts.items():
        yield name, attempts[-1].start


def _forecast(recording: Recording, folder: Path, played: Mapping[str, int | None]) -> Forecast:
    taken = read_snapshot(folder)
    names = {job.label: job.name if job.task is None else f"{job.name}_{job.task}" for job in taken.jobs}
    lengths, really = _lengths(recording), recording.attempts
    snapshot = taken.with_run_times({label: lengths[name] for label, name in names.items()})
    late = recording.zero - snapshot.zero
    env = simpy.Environment(snapshot.state.time)
    machine = tt.MachineSpec(begin=snapshot.state).open(env)
    env.process(_commands(recording, machine, {name: snapshot.rows[label] for label, name in names.items()}, late))
    env.run()
    result = machine.result()
    begun = dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))
    starts = []
    for label, name in names.items():
        attempt: Attempt = really[name][-1]
        if attempt.start is not None and attempt.start + late > snapshot.time:
            own = begun[snapshot.numbers[label]] - late
            starts.append(Start(name, attempt.start, own if own == own else None, played.get(name)))
    return Forecast(folder.name, taken, tuple(sorted(starts, key=lambda each: (each.really, each.job))))


def _commands(
    recording: Recording, machine: Machine, rows: Mapping[str, int], late: float
) -> Generator[simpy.Event, Any, None]:
    """Release jobs when they were released after the snapshot."""
    for row in sorted(recording.rows, key=lambda each: each.t):
        name = row.extra.removeprefix(RELEASE)
        if row.extra.startswith(RELEASE) and row.t + late >= machine.env.now and name in rows:
            yield machine.env.timeout(row.t + late - machine.env.now)
            machine.event(rows[name]).release()


def _why(found: Forecast, folder: Path) -> Iterator[str]:
    """The first start that differs, and Slurm's log around it."""
    if found.right == len(found.starts):
        return
    first = found.starts[found.right]
    own = "never" if first.forecast is None else f"at {first.forecast:g}"
    yield f"\n{found.name}: {first.job} starts at {first.really}, here {own}; Slurm's log:"
    numbers = {job.name: job.label for job in found.snapshot.jobs if job.task is None}
    lines = [line for line in (folder / "slurmctld.log").read_text().splitlines() if "JobId=" in line]
    number = numbers.get(first.job, "")
    place = next((k for k, line in enumerate(lines) if f"JobId={number} NodeList" in line), None)
    place = (
        next((k for k, line in enumerate(lines) if f"Started JobId={number} " in line), 0) if place is None else place
    )
    yield from (f"  {line}" for line in lines[max(place - AFTER, 0) : place + AFTER])
