"""What a Slurm did in an experiment, as files in a folder.

* `slurm.conf`, `dump.cfg` (sacctmgr dump), `qos.psv` (sacctmgr -P show qos): its configuration, as Slurm has it
* `in.csv`: the workload; `out.csv`: what became of the jobs, a line for each attempt, in seconds
* `priority.csv`, `usage.csv`: what sprio and sshare said, second by second, where it changed
* `moments.csv`: when Slurm was given jobs, started them and saw their ends, by its log, to the millisecond
* `clock.csv`: the Unix time of second 0, and the second of the first tick
* `at_70`: the snapshot that was begun in second 70, if there is one
"""

import csv
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import floor
from pathlib import Path
from typing import Any, Self

from thinktime.workloads.host_lists import expand
from tools.slurm import workload
from tools.slurm.cluster import ATTEMPTS, SHARES, WAITING, Cluster

Said = dict[str, dict[int, str]]
"""What was said of each job or association, by the second from which on it was."""
MOMENTS = {
    "submit": re.compile(r"^\[(\S+)\] _slurm_rpc_submit_batch_job: JobId=(\d+) "),
    "start": re.compile(r"^\[(\S+)\] sched(?:/backfill)?: (?:Allocate|_start_job: Started) JobId=(\d+) "),
    "end": re.compile(r"^\[(\S+)\] _job_complete: JobId=(\d+) done"),
}
"""How the log of the daemon says what happens to jobs."""
OUT = ("name", "id", "user", "state", "submit", "start", "end", "nodes")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a job; ``start`` and ``end`` are None if it did not run."""

    name: str
    """That of the workload; of a task of an array with its number: ``A_3``."""
    state: str
    submit: int
    start: int | None = None
    end: int | None = None
    nodes: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, str]) -> Self:
        """An attempt out of a line of out.csv."""
        ran = row["state"] not in ("PENDING", "REFUSED") and row["start"] != ""
        task = row["id"].partition("_")[2]
        return cls(
            f"{row['name']}_{task}" if task else row["name"],
            row["state"],
            int(row["submit"] or 0),
            int(row["start"]) if ran else None,
            int(row["end"]) if ran and row["end"] else None,
            tuple(expand(row["nodes"])) if ran else (),
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """What happened to a job, to the millisecond: ``submit``, ``start`` or ``end``."""

    time: float
    job: str
    what: str


@dataclass(slots=True)
class Watch:
    """Keeps what sprio and sshare say, each value when it changes."""

    priority: Said = field(default_factory=dict)
    usage: Said = field(default_factory=dict)
    shares: Said = field(default_factory=dict)

    def __call__(self, second: int, cluster: Cluster) -> None:
        """Ask both."""
        names = {number: name for name, number in cluster.numbers.items()}
        lines = (line.strip().split("|") for line in cluster.run(*WAITING).splitlines() if "|" in line)
        waiting = {names.get(number, number): value for number, value in lines}
        for name in {*waiting, *self.priority}:
            keep(self.priority, name, second, waiting.get(name, ""))
        for line in cluster.run(*SHARES).splitlines():
            account, user, used, share = (cell.strip() for cell in line.split("|"))
            key = f"{account}/{user}" if user else account
            keep(self.usage, key, second, used)
            keep(self.shares, key, second, share)


def keep(said: Said, name: str, second: int, value: str) -> None:
    """Keep a value unless it is the last that was said."""
    of_name = said.setdefault(name, {})
    if not of_name or next(reversed(of_name.values())) != value:
        of_name[second] = value


def snapshot_name(second: int) -> str:
    """The folder of the snapshot of a second."""
    return f"at_{second}"


def record(cluster: Cluster, rows: Sequence[workload.Row], watch: Watch, folder: Path) -> None:
    """Write what has happened on a cluster to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("slurm.conf", "slurmctld.log"):
        shutil.copy(cluster.layout.folder / name, folder / name)
    cluster.run("sacctmgr", "-i", "dump", cluster.layout.name, f"file={folder / 'dump.cfg'}", check=True)
    (folder / "qos.psv").write_text(cluster.run("sacctmgr", "-P", "show", "qos", check=True))
    workload.write(folder / "in.csv", rows)
    numbers = {number: name for name, number in cluster.numbers.items()}
    _table(folder / "out.csv", OUT, _attempts(cluster, rows))
    _table(folder / "clock.csv", ("zero", "tick"), [(cluster.zero, cluster.first_tick())])
    _table(folder / "moments.csv", ("t", "job", "what"), moments(cluster.layout.folder, numbers, cluster.zero))
    _table(folder / "priority.csv", ("t", "job", "priority"), _lines(watch.priority))
    _table(folder / "usage.csv", ("t", "association", "used"), _lines(watch.usage))
    _table(folder / "share.csv", ("t", "association", "share"), _lines(watch.shares))


def moments(folder: Path, names: Mapping[str, str], zero: int) -> Iterator[tuple[str, str, str]]:
    """When Slurm was given jobs of some numbers, started them and saw their ends, as the log in a folder says."""
    for line in (folder / "slurmctld.log").read_text().splitlines():
        for what, pattern in MOMENTS.items():
            if (found := pattern.search(line)) and found[2] in names:
                since = datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp() - zero
                yield f"{since:.3f}", names[found[2]], what


def _attempts(cluster: Cluster, rows: Sequence[workload.Row]) -> Iterable[tuple[Any, ...]]:
    """The lines of out.csv: attempts by sacct, who was refused, and who is not eligible yet, which sacct leaves out."""
    own = {number: row for row in rows if (number := cluster.numbers.get(row.name))}
    listed = set()
    table = cluster.run("sacct", "-a", "-D", "-X", "-P", "-n", "-S", "now-1hour", "-o", ATTEMPTS, check=True)
    for line in table.splitlines():
        _, number, state, *times, nodes = line.split("|")
        row = own[number.partition("_")[0]]
        listed.add(row.name)
        submit, start, end = (int(each) - cluster.zero if each.isdigit() else "" for each in times)
        yield row.name, number, row.user, state.split()[0], submit, start, end, "" if "None" in nodes else nodes
    for row in rows:
        if not row.is_command and row.name not in listed:
            number = cluster.numbers.get(row.name, "")
            yield row.name, number, row.user, "PENDING" if number else "REFUSED", row.t, "", "", ""


def _table(path: Path, heading: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(lines)


def _lines(said: Said) -> list[tuple[int, str, str]]:
    return sorted((second, name, value) for name, values in said.items() for second, value in values.items())


@dataclass(frozen=True)
class Recording:
    """What a folder says of an experiment."""

    folder: Path

    @property
    def rows(self) -> list[workload.Row]:
        """The workload that was submitted: the rows of in.csv."""
        return workload.read(self.folder / "in.csv")

    @property
    def attempts(self) -> dict[str, list[Attempt]]:
        """What became of each job or task, by its name; attempts in order of submission."""
        found: dict[str, list[Attempt]] = {}
        for attempt in sorted(map(Attempt.of, self._lines("out.csv")), key=lambda each: each.submit):
            found.setdefault(attempt.name, []).append(attempt)
        return found

    @property
    def moments(self) -> list[Moment]:
        """What Slurm's log says of jobs, in its order; arrays are one job."""
        if not (self.folder / "moments.csv").exists():
            return []
        return [Moment(float(line["t"]), line["job"], line["what"]) for line in self._lines("moments.csv")]

    @property
    def zero(self) -> int:
        """The Unix time of second 0."""
        return int(self._clock["zero"])

    @property
    def tick(self) -> int:
        """The second of a tick; others are whole minutes away."""
        return floor(self.tick_moment)

    @property
    def tick_moment(self) -> float:
        """The same to the millisecond, where it was recorded."""
        return float(self._clock["tick"])

    @property
    def priorities(self) -> Said:
        """What sprio said of waiting jobs; empty from when a job did not wait."""
        return self._said("priority.csv", "job", "priority")

    @property
    def usage(self) -> Said:
        """RawUsage of each account, and of each user in it (``ACCOUNT/USER``)."""
        return self._said("usage.csv", "association", "used")

    @property
    def shares(self) -> Said:
        """FairShare of each user."""
        return self._said("share.csv", "association", "share")

    @property
    def _clock(self) -> dict[str, str]:
        return self._lines("clock.csv")[0]

    def _said(self, file: str, key: str, value: str) -> Said:
        found: Said = {}
        for line in self._lines(file):
            found.setdefault(line[key], {})[int(line["t"])] = line[value]
        return found

    def _lines(self, file: str) -> list[dict[str, str]]:
        with (self.folder / file).open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))
