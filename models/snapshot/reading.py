"""Read a snapshot: the site, the machine's state, and a report on what was read, repaired, ignored and is unknown."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.changing.tables import changes_of
from thinktime.models.machine.configured import OWN, configured
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.orders.tree_accounts import TreeAccounts
from thinktime.models.site.site import Site
from thinktime.models.site.slurm.importing import SlurmFiles, import_site
from thinktime.models.snapshot.clock import Clock, calendar_of
from thinktime.models.snapshot.jobs import SnapshotJob, read_jobs
from thinktime.models.snapshot.records import IGNORED, READ, UNKNOWN, Report
from thinktime.models.snapshot.restoring import Restored, restore
from thinktime.models.snapshot.submissions import Submissions
from thinktime.models.snapshot.usage import PRIORITIES, Key, Used, last_tick, read_priorities, read_used
from thinktime.models.snapshot.windows import Members, begins, windows_of
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import shortened
from thinktime.workloads.units import DAY

WITHIN = 1e-6
"""sshare prints so many digits of fair shares."""


@dataclass(frozen=True)
class Moment:
    """All that a machine in the state of a snapshot is made of."""

    spec: MachineSpec
    jobs: tuple[SnapshotJob, ...]
    zero: float
    time: float
    calendar: Calendar
    used: Used
    backfill: float | None
    """When the last backfill pass was (Unix time, s); None if it is not known."""
    over: tuple[SnapshotJob, ...]
    """Jobs that ended since the last tick."""
    charged: Mapping[Key, float]
    """What associations were charged for these."""
    reserved: Mapping[str, float]
    """When reservations begin (Unix time, s), by their names."""

    def restored(
        self, runtimes: Mapping[str, float], report: Report, differences: dict[str, float] | None = None
    ) -> Restored:
        """The machine, where jobs run for so long, by their labels, and others to their limits.

        ``differences`` are told by how much fair shares differ from those that were printed.
        """

        def tell(machine: Machine) -> None:
            if isinstance(accounts := accounts_of(machine.policy), TreeAccounts):
                share = accounts.go_on_with(self.charged, self.used.shares, WITHIN)
                if differences is not None:
                    differences["fair share"] = share
            if machine.pool.limits is not None:
                machine.pool.limits.go_on_with(self.used.seconds, machine.env.now)

        site = self.spec.known_site
        assert site is not None
        made = Submissions(self.jobs, site, (self.zero, self.time), runtimes, report, self.reserved)
        restored = restore(self.spec, made.all(), self.time, self.calendar, tell)
        for label, why in restored.refused.items():
            report.add(UNKNOWN, f"jobs that the model refuses: {why}", f"job {label}")
        for label in restored.unplaced:
            report.add(UNKNOWN, "running jobs that do not fit on their nodes here: they wait", f"job {label}")
        return restored


@dataclass(frozen=True)
class Snapshot:
    """A site, the state of its machine, and what was found on the way.

    >>> import thinktime as tt
    >>> snapshot = tt.read_snapshot("now")                             # doctest: +SKIP
    >>> rest = tt.run(tt.MachineSpec(begin=snapshot.state))            # doctest: +SKIP
    """

    site: Site
    report: Report
    zone: str
    """The name of the time zone; empty if it is not known."""
    tick: float
    """The second at which priorities last changed."""
    differences: Mapping[str, float]
    """By how much priorities and fair shares differ at most from those that Slurm has printed."""
    moment: Moment = field(repr=False)
    """All that the machine is made of."""
    _restored: Restored = field(repr=False)

    @property
    def spec(self) -> MachineSpec:
        """The machine of the site, with its reservations and nodes that are down, under Slurm's rule."""
        return self.moment.spec

    @property
    def jobs(self) -> tuple[SnapshotJob, ...]:
        """Those that run or wait, in order of submission."""
        return self.moment.jobs

    @property
    def zero(self) -> float:
        """The Unix time of second 0."""
        return self.moment.zero

    @property
    def time(self) -> float:
        """The second at which the state was taken."""
        return self.moment.time

    @property
    def state(self) -> MachineState:
        """The state, in which every job runs to its time limit."""
        return self._restored.state

    @property
    def numbers(self) -> Mapping[str, int]:
        """The machine's number of each job by its label (``12``, or ``12_3`` for a task)."""
        return self._restored.numbers

    @property
    def rows(self) -> Mapping[str, int]:
        """The machine's row of each job by its label (`Machine.event`)."""
        return self._restored.rows

    @property
    def machine(self) -> Machine:
        """The machine that was played up to the snapshot."""
        return self._restored.machine

    def entries(self, job: SnapshotJob) -> Iterator[tuple[str, int]]:
        """The machine's row of a job in each of its partitions."""
        yield from _entries(self.machine, self.rows[job.label], job.partition)

    @property
    def begin(self) -> float:
        """The Unix time of the state, s."""
        return self.zero + self.time

    def with_run_times(self, runtimes: Mapping[str, float]) -> Snapshot:
        """The same with run times (s, from start to end) of jobs, by their labels; others run to their limits."""
        unknown = runtimes.keys() - {job.label for job in self.jobs}
        if unknown:
            raise ValueError(f"the snapshot has no job {shortened(min(unknown), 40)}")
        return replace(self, _restored=self.moment.restored(runtimes, Report("")))

    def changing(self) -> Snapshot:
        """The same on a machine to which windows and outages can be added."""
        if self.moment.spec.changes is not None:
            return self
        moment = replace(self.moment, spec=replace(self.moment.spec, changes=Changes(strangers="note")))
        return replace(self, moment=moment, _restored=moment.restored({}, Report("")))

    def under(self, *changes: str) -> Snapshot:
        """The same moment of a site with other settings, each a text PATH=VALUE (`thinktime.models.site.changed`).

        Waiting jobs come to the changed machine at their own submissions, and running jobs start when and where they
        did. Reservations and nodes that are down stay. ``ValueError`` for a change that is not understood.
        """
        today, then = (configured(self.site, text) for text in (OWN, f"{OWN}:{','.join(changes)}"))
        now, policy = self.moment.spec, str(then.machine.policy)
        options = str(now.policy).removeprefix(str(today.machine.policy)).lstrip(":,")
        if options:
            policy += f"{',' if ':' in policy else ':'}{options}"
        spec = replace(
            now, policy=policy, nodes=then.machine.nodes, allocator=then.machine.allocator, site=then.machine.site
        )
        if then.windows:
            own = spec.changes or Changes(strangers="note")
            tables = {"windows": list(then.windows)}
            assert spec.nodes is not None
            more = changes_of(tables, spec.nodes.numbers, self.moment.calendar).windows
            spec = replace(spec, changes=replace(own, windows=(*own.windows, *more)))
        moment = replace(self.moment, spec=spec)
        assert then.machine.known_site is not None
        return replace(self, site=then.machine.known_site, moment=moment, _restored=moment.restored({}, Report("")))


def read_snapshot(folder: str | os.PathLike[str]) -> Snapshot:
    """The snapshot in a folder, as `thinktime site snapshot` makes it.

    ``ValueError`` names the file and the line of what is wrong.

    >>> import thinktime as tt
    >>> tt.read_snapshot("monday")
    Traceback (most recent call last):
        ...
    ValueError: there is no folder monday; make one with 'thinktime site snapshot --out DIR'
    """
    path = Path(folder)
    if not path.is_dir():
        raise ValueError(f"there is no folder {shortened(folder)}; make one with 'thinktime site snapshot --out DIR'")
    for name in ("begun.txt", "ended.txt", "nodes.txt", "partitions.txt", "config.txt"):
        if not (path / name).exists():
            raise ValueError(f"{shortened(folder)} has no {name}, so it is no whole snapshot; take another one")
    report = Report(str(folder))
    clock = Clock(path, report)
    jobs = read_jobs(path, clock, report)
    used = read_used(path, report)
    site = _site(path, used, report)
    present = _known(jobs.present, site, report)
    earliest = min([clock.begun, *(min(job.submit, job.start or job.submit) for job in present)])
    zero = float(earliest // DAY * DAY)
    time = float(int(jobs.time - zero))
    ages = {job.label: max(job.submit, job.eligible or 0.0) for job in present}
    ages |= {str(job.array): ages[job.label] for job in present if job.array is not None}
    tick = last_tick(path, ages, clock, jobs.time, site.priority, report) - zero
    members: dict[str, list[int]] = defaultdict(list)
    for number, job in enumerate(present, 1):
        members[job.reservation].append(number)
    spec = _spec(path, site, clock, (zero, time, tick), members, report)
    over = tuple(job for job in jobs.over if job.start is not None and job.start + (job.limit or 0.0) > zero + tick)
    charged = _charged(over, site, zero + tick)
    calendar = calendar_of(clock.zone, zero)
    moment = Moment(
        spec, tuple(present), zero, time, calendar, used, clock.backfill, over, charged, begins(path, clock)
    )
    differences: dict[str, float] = {}
    restored = moment.restored({}, report, differences)
    _compare_priorities(path, moment, restored, report, differences)
    return Snapshot(site, report, clock.zone, tick, differences, moment, restored)


# -- the site ---------------------------------------------------------------------------------------------------------


def _site(path: Path, used: Used, report: Report) -> Site:
    names = {name: path / name if (path / name).exists() else None for name in ("assoc.psv", "qos.psv")}
    for name, found in names.items():
        if found is None:
            report.add(UNKNOWN, f"{name} is missing, so nothing is known of what it has")
    files = SlurmFiles(
        [path / "config.txt"], names["assoc.psv"], names["qos.psv"], path / "partitions.txt", path / "nodes.txt"
    )
    imported = import_site(files)
    clusters = {row["cluster"] for row in _associations(path)} - {"", imported.site.name}
    if clusters and imported.site.name != "site":
        raise ValueError(
            f"assoc_mgr.txt is of the cluster {shortened(min(clusters), 40)}, and config.txt of {imported.site.name}: "
            "the files are of different clusters"
        )
    for note in imported.notes:
        if "taken as up" not in note.what:
            report.add(IGNORED, note.what, note.where)
    known = {(each.account, each.user) for each in imported.site.accounts} | {("root", None)}
    usage = [each for each in used.usage() if (each.account, each.user) in known]
    return replace(imported.site, usage=_without_crumbs(imported.site, usage))


def _associations(path: Path) -> Iterator[dict[str, str]]:
    file = path / "assoc_mgr.txt"
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"ClusterName=(\S*)", line):
                yield {"cluster": match[1]}


def _without_crumbs(site: Site, usage: list[Any]) -> tuple[Any, ...]:
    """Usage of accounts is the sum of what is below them, but for what they have used by themselves."""
    own = {(each.account, each.user): each.amount for each in usage}
    for account in reversed([*site.accounts.accounts]):
        below = [own.get((each.account, each.user), 0.0) for each in site.accounts.children(account)]
        if abs(own.get((account, None), 0.0) - sum(below)) <= 0.05 * (1 + len(below)):
            own[account, None] = sum(below)
    return tuple(type(usage[0])(account, user, amount) for (account, user), amount in own.items() if amount)


def _spec(
    path: Path, site: Site, clock: Clock, times: tuple[float, float, float], members: Members, report: Report
) -> MachineSpec:
    """``times`` are the Unix time of second 0, and the seconds of the state and of the last tick."""
    zero, time, tick = times
    spec, options = MachineSpec.of_site(site), []
    if site.backfill.enabled:
        if clock.backfill is None:
            report.add(UNKNOWN, "when backfill passes are: at whole multiples of their interval")
        else:
            report.add(READ, "the clock of backfill passes")
            options.append(f"origin={(clock.backfill - zero) % site.backfill.interval:g}")
    if site.priority.type == "multifactor":
        options.append(f"accrual=slurm,tick_origin={tick % site.priority.calc_period:g}")
    if options:
        spec = replace(spec, policy=f"{spec.policy}{',' if ':' in spec.policy else ':'}{','.join(options)}")
    windows = windows_of(path, site, clock, (zero, time), members, report)
    if windows:
        spec = replace(spec, changes=replace(spec.changes or Changes(strangers="note"), windows=windows))
    return spec


# -- jobs -------------------------------------------------------------------------------------------------------------


def _known(jobs: list[SnapshotJob], site: Site, report: Report) -> list[SnapshotJob]:
    """The jobs, without those whose partitions or nodes the site does not have; strangers are told."""
    partitions, nodes = {each.name for each in site.partitions}, site.nodes.numbers
    users = {each.user for each in site.accounts.users}
    found = []
    for job in jobs:
        if job.user and site.accounts.users and job.user not in users:
            report.add(UNKNOWN, "jobs of users whom the accounting does not have", job.where)
        elif job.account and site.accounts.users and site.accounts.find(job.account) is None:
            report.add(UNKNOWN, "jobs of accounts that the accounting does not have", job.where)
        own = [name for name in job.partition.split(",") if name in partitions]
        if not own:
            report.add(UNKNOWN, "jobs in partitions that the site does not have: left out", job.where)
            continue
        if strange := [name for name in job.nodes if name not in nodes]:
            report.add(UNKNOWN, f"jobs on nodes that the site does not have ({strange[0]}): left out", job.where)
            continue
        found.append(replace(job, partition=",".join(own)))
    return found


# -- accounts ---------------------------------------------------------------------------------------------------------


def _charged(over: tuple[SnapshotJob, ...], site: Site, tick: float) -> dict[Key, float]:
    """What associations were charged since the last tick, for jobs that have ended since."""
    if not site.limited:
        return {}
    rules = site.priority
    kept = 1.0 - 0.693 / rules.half_life if rules.half_life else 1.0
    found: dict[Key, float] = defaultdict(float)
    for job in over:
        assert job.start is not None and job.limit is not None
        end = job.start + job.limit
        association = site.association_of(job.user, job.account, job.partition)
        if association is None:
            continue
        passed = end - max(job.start, tick)
        billing = float(job.resources.get("billing", job.resources.get("cpu", job.processors)))
        quality = site.quality_of(job.user, job.account, job.qos, job.partition)
        factor = 1.0 if quality is None else quality.usage_factor
        found[association.key] += passed * kept**passed * billing * factor
    return found


def _compare_priorities(
    path: Path, moment: Moment, restored: Restored, report: Report, differences: dict[str, float]
) -> None:
    """Compare the priorities of waiting jobs with those that sprio has printed."""
    machine = restored.machine
    accounts, told = accounts_of(machine.policy), read_priorities(path / PRIORITIES)
    if not isinstance(accounts, TreeAccounts) or not told:
        if machine.site is not None and machine.site.priority.type == "multifactor":
            report.add(UNKNOWN, f"the priorities that Slurm has computed, since {PRIORITIES} is missing")
        return
    rows: dict[tuple[str, str], int] = {}
    for job in moment.jobs:
        if job.start is None and job.label in restored.rows:
            for name, row in _entries(machine, restored.rows[job.label], job.partition):
                rows.setdefault((job.label if job.array is None else str(job.array), name), row)
                rows.setdefault((job.label, name), row)
    asked = [(each, rows[each.label, each.partition]) for each in told if (each.label, each.partition) in rows]
    left_out = len(told) - len(asked)
    report.add(UNKNOWN, f"lines of {PRIORITIES} of jobs that do not wait", told[0].where, left_out)
    values = accounts.priorities_of(np.array([row for _, row in asked], np.int64), moment.time)
    found = [abs(each.priority - value) for (each, _), value in zip(asked, values.tolist(), strict=True)]
    differences["priority"] = max(found, default=0.0)
    same = sum(difference < 1 for difference in found)
    report.add(READ, "priorities of jobs, as they are computed here", "", same)
    if same < len(found):
        worst = asked[found.index(max(found))][0]
        what = f"priorities that differ from those computed here, at most by {max(found):g}"
        report.add(READ, what, worst.where, len(found) - same)


def _entries(machine: Machine, row: int, partitions: str) -> Iterator[tuple[str, int]]:
    """The row of a job in each of its partitions."""
    names = partitions.split(",")
    entries = machine.pool.limits.entries.of(row) if machine.pool.limits is not None and len(names) > 1 else ()
    if not entries:
        yield names[0], row
        return
    for entry in entries:
        code = int(machine.pool.requests.partition[entry])
        yield str(machine.names["partition"][code]), entry
