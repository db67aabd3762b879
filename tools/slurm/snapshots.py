"""Forecasts from snapshots of a recording, beside what the real Slurm did afterwards.

A recording may have folders with snapshots that were taken while it ran. Each becomes a state, from which the machine
goes on; jobs run for as long as they really did, or were to sleep, and commands are given when they were. So what
differs is the state, the rule, or a lag: Slurm looks once a second, and lags of jobs that wait for each other add up.
Therefore there is a second forecast, in which jobs that start at the right time end when they really did.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simpy

import thinktime as tt
from thinktime.models.machine.machine import Machine
from thinktime.models.snapshot.reading import Snapshot, read_snapshot
from thinktime.workloads.host_lists import compress
from tools.slurm.model import RELEASE, ROUNDS, WITHIN, runs_of
from tools.slurm.recording import Attempt, Recording
from tools.slurm.report import aligned

COLUMNS = (
    "site", "snapshot", "waits", "starts", f"within {WITHIN} s", "at most", f"within {WITHIN} s", "at most",
    "same nodes", "priorities",
)  # fmt: skip
ABOVE = "", "", "", "", "true run times", "", "true ends", "", "", ""
AROUND = 3
"""How many lines of Slurm's log are shown around the first start that differs."""
LOG = "slurmctld.log"
TOLD = re.compile(r"Allocate JobId=|_start_job: Started JobId=|_job_complete: JobId=\S+ done")
"""What is shown of it: starts, and ends."""
Run = tuple[float, tuple[str, ...]]
"""When a job starts, and on which nodes."""


@dataclass(frozen=True, slots=True)
class Start:
    """When and where a job really started, and when and where by each forecast (None: never)."""

    job: str
    really: Attempt
    forecast: Run | None
    """With true run times."""
    ending: Run | None
    """If jobs that start at the right time end when they really did: so lags do not add up."""

    @property
    def late(self) -> float:
        """By how much the second forecast is wrong (s)."""
        return _late(self.ending, self.really)

    @property
    def right(self) -> bool:
        """Whether the second forecast is right, nodes included."""
        return self.late <= WITHIN and self.ending is not None and self.ending[1] == self.really.nodes

    def __str__(self) -> str:
        own = "never" if self.ending is None else f"at {self.ending[0]:g} on {compress(self.ending[1])}"
        return f"{self.job} starts at {self.really.start} on {compress(self.really.nodes)}, here {own}"


def _late(run: Run | None, really: Attempt) -> float:
    assert really.start is not None
    return float("inf") if run is None else abs(run[0] - really.start)


@dataclass(frozen=True, slots=True)
class Forecast:
    """One snapshot, and the starts that followed it in order."""

    site: str
    name: str
    snapshot: Snapshot
    starts: tuple[Start, ...]

    @property
    def first(self) -> Start | None:
        """The first start that is not right, if any is more than a lag apart."""
        if all(each.late <= WITHIN for each in self.starts):
            return None
        return next(each for each in self.starts if not each.right)

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        counts, differences = self.snapshot.report.of("read"), self.snapshot.differences
        told = sum(n for what, n in counts.items() if what.startswith("priorities"))
        same = counts.get("priorities of jobs, as they are computed here", 0)
        return [
            self.site, self.name, str(counts.get("waiting jobs", 0)), str(len(self.starts)),
            *_counted([_late(each.forecast, each.really) for each in self.starts]),
            *_counted([each.late for each in self.starts]), str(sum(each.right for each in self.starts)),
            f"{same} of {told} (±{differences.get('priority', 0.0):g})" if told else "–",
        ]  # fmt: skip


def _counted(late: Sequence[float]) -> list[str]:
    """How many starts are near, and by how much they are wrong at most (s)."""
    return [str(sum(each <= WITHIN for each in late)), f"{max(late, default=0.0):g}"]


def forecasts(folder: Path) -> list[Forecast]:
    """The forecasts of all snapshots of a recording; ``ValueError`` if it has none."""
    found = [path.parent for path in sorted(folder.glob("*/jobs.txt"), key=lambda path: (len(str(path)), path))]
    if not found:
        raise ValueError(f"{folder} has no folders of snapshots")
    return [_forecast(Recording(folder), path) for path in found]


def table(found: Mapping[Path, Sequence[Forecast]]) -> str:
    """The table, and what Slurm's log says where the first start of a forecast differs, by the recordings' folders."""
    rows = [each.cells for of_one in found.values() for each in of_one]
    lines = [list(ABOVE), list(COLUMNS), *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    why = (line for folder, of_one in found.items() for each in of_one for line in _why(each, folder))
    return "\n".join([*(aligned(line, widths).rstrip() for line in lines), *why])


def _lengths(recording: Recording) -> dict[str, float]:
    """How long each job or task really ran, or was to sleep."""
    sleeps = {row.name: int(row.sleep) for row in recording.rows if not row.is_command}
    found: dict[str, float] = {}
    for name, attempts in recording.attempts.items():
        last = attempts[-1]
        ran = last.end - last.start if last.start is not None and last.end is not None else None
        found[name] = sleeps[name.partition("_")[0]] if ran is None else max(1, ran)
    return found


def _forecast(recording: Recording, folder: Path) -> Forecast:
    taken = read_snapshot(folder)
    names = {job.label: job.name if job.task is None else f"{job.name}_{job.task}" for job in taken.jobs}
    lengths = _lengths(recording)
    forecast = _begun(recording, taken, names, lengths)
    ending = forecast
    for _ in range(ROUNDS):
        before, lengths = lengths, lengths | dict(_ending_then(recording, ending))
        if lengths == before:
            break
        ending = _begun(recording, taken, names, lengths)
    starts = []
    for name in names.values():
        attempt = recording.attempts[name][-1]
        if attempt.start is not None and attempt.start + recording.zero - taken.zero > taken.time:
            starts.append(Start(name, attempt, forecast[name], ending[name]))
    starts.sort(key=lambda each: (each.really.start, each.job))
    return Forecast(recording.folder.name, folder.name, taken, tuple(starts))


def _begun(
    recording: Recording, taken: Snapshot, names: Mapping[str, str], lengths: Mapping[str, float]
) -> dict[str, Run | None]:
    """When and where each job starts if the machine goes on from a snapshot, and jobs run for so long."""
    late = recording.zero - taken.zero
    snapshot = taken.with_run_times({label: lengths[name] for label, name in names.items()})
    env = simpy.Environment(snapshot.state.time)
    machine = tt.MachineSpec(begin=snapshot.state).open(env)
    env.process(_commands(recording, machine, {name: snapshot.rows[label] for label, name in names.items()}, late))
    env.run()
    result, nodes = machine.result(), taken.site.nodes.names
    places = {number: k for k, number in enumerate(result["id"].tolist())}
    found: dict[str, Run | None] = dict.fromkeys(names.values())
    for label, name in names.items():
        for start, _, numbers in runs_of(result, places[snapshot.numbers[label]]):
            found[name] = start - late, tuple(nodes[number] for number in numbers)
    return found


def _ending_then(recording: Recording, begun: Mapping[str, Run | None]) -> Iterator[tuple[str, float]]:
    """How long jobs run so that they end when they really did, where they start when they really did."""
    for name, run in begun.items():
        really = recording.attempts[name][-1]
        if run is not None and really.start is not None and really.end is not None and _late(run, really) <= WITHIN:
            yield name, max(1.0, really.end - run[0])


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
    if (first := found.first) is None:
        return
    yield f"\n{found.site}, {found.name}: {first}; Slurm's log:"
    numbers = {job.name if job.task is None else f"{job.name}_{job.task}": job.label for job in found.snapshot.jobs}
    number = re.escape(numbers[first.job])
    started = re.compile(rf"Allocate JobId={number}(\(\d+\))? |Started JobId={number}(\(\d+\))? ")
    lines = [line for line in (folder / LOG).read_text(encoding="utf-8").splitlines() if TOLD.search(line)]
    place = next((k for k, line in enumerate(lines) if started.search(line)), 0)
    yield from (f"  {line}" for line in lines[max(place - AROUND, 0) : place + AROUND])
