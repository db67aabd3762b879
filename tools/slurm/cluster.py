"""One Slurm on this machine: started with its accounts, fed with an experiment, and stopped.

Its own database and daemons are all that it touches. The clock of an experiment begins at a full second, `zero`, so
that Slurm's whole seconds are those of the experiment.
"""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from tools.slurm.conf import FIRST_NODE, Layout, slurm_conf, slurmdbd_conf
from tools.slurm.daemons import Daemons, environment, listens, told, until
from tools.slurm.workload import Row, numbered

ATTEMPTS = "JobIDRaw,JobID,State,Submit,Start,End,NodeList"
"""What `sacct` is asked of each attempt of a job."""
WAITING = ("sprio", "-h", "-o", "%i|%Y")
SHARES = ("sshare", "-a", "-P", "-h", "-o", "Account,User,RawUsage,FairShare")
_TICKS_FROM = re.compile(r"\[(\S+)\] (?:priority/multifactor: )?_read_last_decay_ran")
_LATE = 0.02
"""Submissions come so long after their full second (s), so that they do not fall into the one before."""


class Stopped(Exception):
    """The user has interrupted the run."""


class Cluster:
    """A Slurm that runs as long as the ``with`` lasts; an experiment on it ends with `Stopped` if ``stop`` is set."""

    def __init__(self, layout: Layout, password: str, stop: threading.Event, nice: int = 0) -> None:
        self.layout, self.daemons = layout, Daemons(layout.folder, nice)
        self._password, self._stop = password, stop
        self._environment = environment(layout.slurm_conf) | {"TZ": "UTC"}
        self.numbers: dict[str, str] = {}
        """Slurm's number of each job; empty for a job that was refused."""
        self.answers: dict[str, str] = {}
        """What sbatch said to jobs that were refused, and what commands said."""
        self.zero = 0

    def __enter__(self) -> Self:
        self._write()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self.run("squeue", "-h", "-a", "-o", "%A").split() if self.zero else []:
            self.run("scancel", number)
        self.daemons.stop()

    def _write(self) -> None:
        for name in ("state", "spool"):
            (self.layout.folder / name).mkdir(parents=True)
        self.layout.slurm_conf.write_text(slurm_conf(self.layout))
        accounting = self.layout.folder / "slurmdbd.conf"
        accounting.touch(mode=0o600)
        accounting.write_text(slurmdbd_conf(self.layout, self._password))

    def start(self, accounts: Iterable[str]) -> None:
        """Start the accounting, give it the accounts (lines of `sacctmgr`), then the controller and the nodes."""
        port = self.layout.port
        self._daemon("slurmdbd", "-D")
        until("slurmdbd", lambda: listens(port + 1))
        until("sacctmgr", lambda: "Cluster" in self.run("sacctmgr", "-P", "show", "cluster"))
        for line in (f"add cluster {self.layout.name}", *accounts):
            told(["sacctmgr", "-i", *line.split()], self._environment, check=True)
        self._daemon("slurmctld", "-D")
        until("slurmctld", lambda: listens(port))
        for k in range(1, len(self.layout.cpus) + 1):
            self._daemon("slurmd", "-D", "-N", f"n{k}", name=f"slurmd-n{k}")
            until(f"node n{k}", lambda own=port + FIRST_NODE + k - 1: listens(own))  # type: ignore[misc]
        until("nodes", lambda: {*self.run("sinfo", "-h", "-N", "-o", "%t").split()} == {"idle"})

    def _daemon(self, *command: str, name: str = "") -> None:
        self.daemons.start(command, self._environment, name)

    def run(self, *command: str, check: bool = False) -> str:
        """What a command of this cluster prints; with ``check``, ``RuntimeError`` if it fails."""
        return told(command, self._environment, check)

    def play(
        self, rows: Sequence[Row], last: int, watch: Callable[[int, "Cluster"], None],
        snapshots: Mapping[int, Path] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """Submit the rows at their times, ``watch`` every second, until ``last`` or until no job waits or runs.

        ``snapshots`` are taken meanwhile, each at a second into a folder.
        """
        self.zero = int(time.time()) + 2
        over = threading.Event()
        watching = threading.Thread(target=self._watch, args=(over, watch), daemon=True)
        watching.start()
        taking = [threading.Thread(target=self._snapshot, args=each, daemon=True) for each in snapshots.items()]
        for each in taking:
            each.start()
        for row in sorted(rows, key=lambda row: row.t):
            self._sleep(row.t + _LATE)
            self._submit(row)
        while time.time() < self.zero + last and self.run("squeue", "-a", "-h", "-o", "%i").strip():
            self._sleep(time.time() - self.zero + 0.5)
        time.sleep(2)  # the accounting is told of ends a moment later
        over.set()
        watching.join(10)
        for each in taking:
            each.join(60)

    def _snapshot(self, second: int, folder: Path) -> None:
        """Run the command that takes a snapshot, as somebody at the site would."""
        if not self._stop.wait(max(0.0, self.zero + second - time.time())):
            said = self.run(sys.executable, "-m", "thinktime", "site", "snapshot", "--out", str(folder))
            self.answers[f"snapshot at {second}"] = said.strip()

    def _watch(self, over: threading.Event, watch: Callable[[int, "Cluster"], None]) -> None:
        second = 0
        while not over.wait(max(0.0, self.zero + second + 0.5 - time.time())) and not self._stop.is_set():
            watch(second, self)
            second = max(second + 1, int(time.time() - self.zero))

    def _sleep(self, second: float) -> None:
        if self._stop.wait(max(0.0, self.zero + second - time.time())):
            raise Stopped

    def _submit(self, row: Row) -> None:
        if row.is_command:
            self.answers[row.extra] = self.run(*numbered(row.extra, self.numbers).split()).strip()
            return
        said = self.run(*sbatch(row, self.numbers)).strip()
        self.numbers[row.name] = said if said.isdigit() else ""
        if not said.isdigit():
            self.answers[row.name] = said

    def first_tick(self) -> float:
        """When priorities were first computed (s); other ticks are a multiple of a minute later."""
        log = (self.layout.folder / "slurmctld.log").read_text()
        found = _TICKS_FROM.search(log)
        begun = found[1] if found else log.partition("]")[0].strip("[")
        return round(datetime.fromisoformat(begun).replace(tzinfo=UTC).timestamp() - self.zero, 3)


def sbatch(row: Row, numbers: dict[str, str]) -> list[str]:
    """The command that submits a job, which sleeps."""
    given = {
        "uid": row.user, "account": row.account, "partition": row.partition, "qos": row.qos, "nodes": row.nodes,
        "ntasks": row.cpus, "time": row.limit, "array": row.array, "dependency": numbered(row.dependency, numbers),
    }  # fmt: skip
    command = ["sbatch", "--parsable", f"--job-name={row.name}", "--output=/dev/null", "--chdir=/tmp"]
    command += [f"--{name}={value}" for name, value in given.items() if value]
    command += ["--exclusive"] if row.nodes else []
    command += numbered(row.extra, numbers).split()
    return [*command, f"--wrap=exec sleep {row.sleep}" if row.sleep.isdigit() else f"--wrap={row.sleep}"]
