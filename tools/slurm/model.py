"""The jobs of a recording under the policy `slurm`, on the site that is imported out of the recording's own files.

Jobs are submitted, and end, in the second in which they did there, so that a start depends on what really happened
before, and no job's second adds to another's. When and where they start, in which order, and who is refused or waits
for ever, is the model's. For this, they are played several times: a job that starts a second earlier than in the last
round runs a second longer in the next.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.events import ArrayEvent, JobEvent
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site
from thinktime.models.state import State
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.host_lists import expand
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.units import MINUTE
from tools.slurm.recording import Attempt, Recording
from tools.slurm.workload import Row, numbered

RELEASE = "scontrol release @"
WINDOW = "scontrol create reservation"
WITHIN = 2
"""Seconds by which starts may differ: Slurm looks once a second, and a job that ends is seen up to a second later."""
ROUNDS = 30
"""The most rounds; each settles at least one more start, unless two depend on each other."""


@dataclass(slots=True)
class Modelled:
    """What the model says: the attempts of each job, and priorities, use and fair shares in every second."""

    attempts: dict[str, list[Attempt]]
    priorities: dict[str, dict[int, float]] = field(default_factory=dict)
    usage: dict[str, dict[int, float]] = field(default_factory=dict)
    shares: dict[str, dict[int, float]] = field(default_factory=dict)


def imported(recording: Recording) -> Imported:
    """The site of a recording, and what could not be used of its files."""
    at = recording.folder
    return import_site(SlurmFiles([at / "slurm.conf"], at / "dump.cfg", at / "qos.psv"))


def machine_of(recording: Recording) -> MachineSpec:
    """Its machine: with Slurm's clock and ticks, and with its maintenance."""
    site = imported(recording).site
    spec = MachineSpec.of_site(site)
    options = f"origin={-recording.zero % MINUTE}"
    if site.priority.type == "multifactor":
        options += f",accrual=slurm,tick_origin={recording.tick % MINUTE}"
    windows = tuple(_window(row) for row in recording.rows if row.extra.startswith(WINDOW))
    return replace(
        spec,
        policy=f"{spec.policy}{',' if ':' in spec.policy else ':'}{options}",
        changes=replace(spec.changes or Changes(), windows=windows) if windows else spec.changes,
    )


def _window(row: Row) -> Window:
    given = row.options
    start = row.t + int(given["starttime"].removeprefix("now+"))
    return Window(start, start + MINUTE * int(given["duration"]), expand(given["nodes"]))


def play(recording: Recording) -> Modelled:
    """What the model makes of the jobs."""
    lengths: dict[str, int] = {}
    for _ in range(ROUNDS):
        found, before = Play(recording, lengths).found(), lengths
        lengths = dict(_lengths(recording, found))
        if lengths == before:
            break
    return found


def _lengths(recording: Recording, found: Modelled) -> Iterator[tuple[str, int]]:
    """How long jobs run so that they end when they did there; one that starts at quite another time runs as long."""
    for name, attempts in recording.attempts.items():
        theirs, ours = attempts[-1], found.attempts[name][-1]
        if theirs.start is not None and theirs.end is not None and ours.start is not None:
            near = abs(theirs.start - ours.start) <= WITHIN
            yield name, max(1, theirs.end - (ours.start if near else theirs.start))


class Play:
    """One run of the machine, in which jobs run for some ``lengths``, by their names."""

    def __init__(self, recording: Recording, lengths: Mapping[str, float]) -> None:
        self.recording, self.really, self.lengths = recording, recording.attempts, lengths
        self.env = simpy.Environment()
        spec = self.spec()
        self.machine: Machine = spec.open(self.env)
        assert spec.nodes is not None
        self.nodes = spec.nodes
        self.events: dict[str, JobEvent] = {}
        self.numbers: dict[str, str] = {}

    def spec(self) -> MachineSpec:
        """The machine that the model has, out of what Slurm's files say."""
        return machine_of(self.recording)

    def submitted(self) -> None:
        """A job, or an array, has been submitted."""

    def found(self) -> Modelled:
        """Play it, looking at priorities and use in every second in which Slurm was asked."""
        modelled = Modelled({})
        order = getattr(self.machine.policy, "order", None)
        accounts = getattr(order, "accounts", None) if self.recording.priorities else None
        self.env.process(self._submit())
        for second in range(1 + self._last()):
            self.env.run(until=second + 0.5)
            if accounts is not None:
                self._look(accounts, second, modelled)
        self.env.run()
        modelled.attempts = self._attempts()
        return modelled

    def _last(self) -> int:
        said = (*self.recording.priorities.values(), *self.recording.usage.values())
        ends = (attempt.end or 0 for attempts in self.really.values() for attempt in attempts)
        return max((*ends, *(max(of_one) for of_one in said)), default=0)

    def _submit(self) -> Generator[simpy.Event, Any, None]:
        for time, row in sorted(((self._time(row), row) for row in self.recording.rows), key=lambda pair: pair[0]):
            yield self.env.timeout(time - self.env.now)
            if row.extra.startswith(RELEASE):
                self.events[row.extra.removeprefix(RELEASE)].release()
            elif not row.is_command:
                self._submit_row(row)
                self.submitted()

    def _time(self, row: Row) -> int:
        """The second of the submission; later attempts have others."""
        task = f"{row.name}_{TaskList.parse(row.array).numbers[0]}" if row.array else row.name
        return row.t if row.is_command else self.really[task][0].submit

    def _submit_row(self, row: Row) -> None:
        if not row.array:
            event = self.machine.submit(self._job(row, row.name))
            self.events[row.name], self.numbers[row.name] = event, str(event.id)
            return
        tasks = TaskList.parse(row.array)
        names = [f"{row.name}_{number}" for number in tasks.numbers]
        array: ArrayEvent = self.machine.submit_array([self._job(row, name) for name in names], row.array)
        self.events |= zip(names, array.jobs, strict=True)
        self.numbers[row.name] = str(array.id)

    def _job(self, row: Row, name: str) -> tt.Job:
        begin = row.options.get("begin", "")
        return tt.Job(
            runtime=self.lengths.get(name, int(row.sleep)), estimate=MINUTE * int(row.limit),
            user=row.user, group=row.account or None,
            queue=row.qos or None, partition=row.partition or None, nice=int(row.options.get("nice", 0)),
            held="hold" in row.options, begin=row.t + int(begin.removeprefix("now+")) if begin else 0.0,
            depends=numbered(row.depends, self.numbers) or None, **_size(row),
        )  # fmt: skip

    def _look(self, accounts: Any, second: int, modelled: Modelled) -> None:
        waiting = {name: event.row for name, event in self.events.items() if event.state == State.WAITING}
        values = accounts.priorities_of(np.array([*waiting.values()], np.int64), float(second)) if waiting else []
        for name, value in zip(waiting, values, strict=True):
            modelled.priorities.setdefault(name, {})[second] = float(value)
        for said, found in (
            (modelled.usage, accounts.raw_usage(float(second))),
            (modelled.shares, accounts.fair_shares(float(second))),
        ):
            for (account, user, _), value in found.items():
                said.setdefault(f"{account}/{user}" if user else account, {})[second] = value

    def _attempts(self) -> dict[str, list[Attempt]]:
        result = self.machine.result()
        places = {number: k for k, number in enumerate(result["id"].tolist())}
        return {name: list(self._runs(name, event, places[event.id], result)) for name, event in self.events.items()}

    def _runs(self, name: str, event: JobEvent, row: int, result: tt.Result) -> Iterator[Attempt]:
        """The runs of a job in a row of a result, or the one line of a job that has not run, or does not run again."""
        submit = int(result["submit"][row])
        runs = list(runs_of(result, row))
        for number, (start, end, nodes) in enumerate(runs, 1):
            state = "COMPLETED" if number == len(runs) and event.state != State.WAITING else "PREEMPTED"
            yield Attempt(name, state, submit, int(start), int(end), tuple(self.nodes.names[node] for node in nodes))
        if not runs or event.state == State.WAITING:
            yield Attempt(name, "REFUSED" if event.state == State.REFUSED else "PENDING", submit)


def _size(row: Row) -> dict[str, Any]:
    """Whole nodes, of which each job asks for one CPU, as its one task does; or CPUs anywhere."""
    return {"nodes": f"{row.nodes}:ppn=1#excl"} if row.nodes else {"processors": int(row.cpus)}


def runs_of(result: tt.Result, row: int) -> Iterator[tuple[float, float, list[int]]]:
    """Start, end and nodes of each run of a job; a machine that does not change has no more than one."""
    if result.history is None:
        assert result.nodes is not None
        start = float(result["start"][row])
        yield from [] if np.isnan(start) else [(start, float(result["end"][row]), result.nodes.of(row))]
        return
    runs = result.history.runs
    for k in np.flatnonzero(runs.row == row).tolist():
        places = runs.places[runs.first_range[k] :, :2][: runs.ranges[k]].tolist()
        nodes = sorted({node for begin, stop in places for node in range(begin, stop)})
        yield float(runs.start[k]), float(runs.end[k]), nodes
