"""What may start under a site's limits, counted afresh from the definitions each time it is asked.

Written from Slurm's manual and what a Slurm 22.05.8 did; it shares no code with the package, whose sites are read as
values only. Sums go over all jobs ever started, and only what never changes is remembered: which limits count for whom.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from thinktime.models.site.accounts import Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site

OF_USER = {"max_jobs": "jobs", "max_tres_per_user": "cpu"}
OF_ACCOUNT = {"max_jobs_per_account": "jobs", "max_tres_per_account": "cpu"}
OF_GROUP = {
    "group_jobs": "jobs", "group_tres": "cpu", "group_tres_run_seconds": "run", "group_tres_seconds": "used",
    "group_wall": "wall",
}  # fmt: skip
ALONE = ("max_tres", "max_wall", "max_tres_seconds")


@dataclass(eq=False)
class Task:
    """A job with its labels, and the times of its runs so far: ``until`` is None while one lasts."""

    id: int
    submit: float
    processors: int
    runtime: float
    estimate: float
    user: str
    account: str
    qos: str
    partition: str
    state: str = "future"
    start: float | None = None
    until: float | None = None

    @property
    def labels(self) -> tuple[str, str, str, str]:
        """What says which limits hold for it."""
        return self.user, self.account, self.qos, self.partition

    def elapsed(self, now: float) -> float:
        """How long it has run."""
        return 0.0 if self.start is None else (now if self.until is None else min(self.until, now)) - self.start

    def rest(self, now: float) -> float:
        """How much longer it may run."""
        return max(0.0, self.estimate - self.elapsed(now)) if self.state == "running" else 0.0


Among = Callable[[Task], bool]


@dataclass(frozen=True)
class Cap:
    """One limit that holds for a job: what is measured (``kind``), how much there may be, and of which jobs.

    ``whose`` tells it from others: two jobs for which the same one holds have it twice.
    """

    kind: str
    amount: float
    whose: tuple[object, ...]
    among: Among
    decays: bool = True


class SiteRules:
    """The limits of a site, job by job."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.qos = {each.name: each for each in site.qos}
        self.partitions = {each.name: each for each in site.partitions}
        self.accounts = {each.account: each for each in site.accounts if each.user is None}
        self.accounts.setdefault("root", Association("root"))
        self.users = {(each.account, each.user, each.partition): each for each in site.accounts if each.user}
        self.half_life = site.priority.half_life
        self.safe = "safe" in site.enforce
        self._levels: dict[object, list[Association]] = {}
        self._caps: dict[object, list[Cap]] = {}

    # who a job belongs to

    def qualities(self, task: Task) -> list[QOS]:
        """The QOS whose limits hold for a job, the first to be looked at first."""
        own, of_partition = self.qos[task.qos], self.partitions[task.partition].qos
        if of_partition is None or of_partition == task.qos:
            return [own]
        other = self.qos[of_partition]
        return [own, other] if "OverPartQOS" in own.flags else [other, own]

    def levels(self, task: Task) -> list[Association]:
        """The association of the job's user and the accounts above it, up to root; empty for a stranger."""
        if task.labels not in self._levels:
            self._levels[task.labels] = self._find_levels(task)
        return self._levels[task.labels]

    def _find_levels(self, task: Task) -> list[Association]:
        here = (task.account, task.user)
        found = [self.users.get((*here, task.partition)) or self.users.get((*here, None))]
        if found[0] is None:
            return []
        name: str | None = task.account
        while name is not None:
            found.append(self.accounts[name])
            name = None if name == "root" else (self.accounts[name].parent or "root")
        return [each for each in found if each is not None]

    # which limits count

    def caps(self, task: Task) -> list[Cap]:
        """All limits that depend on what runs or was used."""
        if task.labels not in self._caps:
            self._caps[task.labels] = list(self._find_caps(task))
        return self._caps[task.labels]

    def _find_caps(self, task: Task) -> Iterator[Cap]:
        for name, kind in OF_USER.items():
            yield from self.first_of(task, name, kind, "user")
        for name, kind in OF_ACCOUNT.items():
            yield from self.first_of(task, name, kind, "account")
        for name, kind in OF_GROUP.items():
            yield from self.of_group(task, name, kind)

    def submit_caps(self, task: Task) -> Iterator[Cap]:
        """The limits of waiting and running jobs."""
        yield from self.first_of(task, "max_submit", "jobs", "user")
        yield from self.first_of(task, "max_submit_per_account", "jobs", "account")
        yield from self.of_group(task, "group_submit", "jobs")

    def first_of(self, task: Task, name: str, kind: str, owner: str) -> list[Cap]:
        """The limit per owner of the first QOS that sets it; else a user's own, or the one inherited."""
        mine = getattr(task, owner)
        for qos in self.qualities(task):
            if (value := _value(qos.limits, name)) is not None:
                among = lambda other, qos=qos: getattr(other, owner) == mine and self.has(other, qos)  # noqa: E731
                return [Cap(kind, value, (name, qos.name, mine), among)]
        levels = self.levels(task)
        for each in levels:
            if (value := _value(each.limits, name)) is not None:
                return [Cap(kind, value, (name, levels[0].key), lambda other: levels[0] in self.levels(other))]
        return []

    def of_group(self, task: Task, name: str, kind: str) -> list[Cap]:
        """The limit of the first QOS that sets it; else those of all levels."""
        for qos in self.qualities(task):
            if (value := _value(qos.limits, name)) is not None:
                decays = "NoDecay" not in qos.flags
                return [Cap(kind, value, (name, qos.name), lambda other, qos=qos: self.has(other, qos), decays)]
        values = [(each, _value(each.limits, name)) for each in self.levels(task)]
        return [
            Cap(kind, value, (name, each.key), lambda other, each=each: each in self.levels(other))
            for each, value in values
            if value is not None
        ]

    def has(self, task: Task, qos: QOS) -> bool:
        """Whether a job is counted in a QOS: by its own, or by that of its partition."""
        return qos.name in [each.name for each in self.qualities(task)]

    # whether they are kept

    def hopeless(self, task: Task) -> bool:
        """Whether a job asks for more than it may have whatever else runs, of a QOS or an association."""
        asks = {"max_tres": task.processors, "max_wall": task.estimate,
                "max_tres_seconds": task.processors * task.estimate}  # fmt: skip
        for name in ALONE:
            limits = [each.limits for each in (*self.qualities(task), *self.levels(task))]
            given = [value for each in limits if (value := _value(each, name)) is not None]
            if given and asks[name] > given[0]:
                return True
        return any(cap.kind == "cpu" and task.processors > cap.amount for cap in self.caps(task))

    def too_long(self, task: Task) -> bool:
        """Whether it is beyond the time limit of its partition."""
        most = self.partitions[task.partition].max_time
        return most is not None and task.estimate > most

    def refuses(self, task: Task, there: Sequence[Task]) -> bool:
        """Whether a job is refused when it is submitted; ``there`` are the jobs that wait or run."""
        if self.too_long(task) and self.site.enforce_partition_limits != "NO":
            return True
        if self.hopeless(task) and any("DenyOnLimit" in each.flags for each in self.qualities(task)):
            return True
        return any(sum(map(cap.among, there)) + 1 > cap.amount for cap in self.submit_caps(task))

    def beyond(self, task: Task, tasks: Sequence[Task], now: float) -> bool:
        """Whether a waiting job is beyond a limit, given what runs now and what all ``tasks`` have used."""
        if self.too_long(task) or self.hopeless(task):
            return True
        return not all(self.within(cap, task, tasks, now) for cap in self.caps(task))

    def within(self, cap: Cap, task: Task, tasks: Sequence[Task], now: float) -> bool:
        """Whether one limit is kept if the job starts now."""
        mine = [other for other in tasks if other.start is not None and cap.among(other)]
        running = [other for other in mine if other.state == "running"]
        if cap.kind == "jobs":
            return len(running) + 1 <= cap.amount
        if cap.kind == "cpu":
            return sum(other.processors for other in running) + task.processors <= cap.amount
        width = (lambda other: 1) if cap.kind == "wall" else (lambda other: other.processors)
        to_come = sum(width(other) * other.rest(now) for other in running) + width(task) * task.estimate
        if cap.kind == "run":
            return to_come <= cap.amount
        used = math.fsum(width(other) * self.decayed(other, now, cap.decays) for other in mine)
        return used + to_come <= cap.amount if self.safe else used < cap.amount

    def decayed(self, task: Task, now: float, decays: bool) -> float:
        """The seconds that a job has run, each counted half after every half-life that has passed since."""
        length = task.elapsed(now)
        if not decays or self.half_life == 0 or length == 0:
            return length
        assert task.start is not None
        rate = math.log(2) / self.half_life
        since = now - (task.start + length)
        return math.exp(-rate * since) * -math.expm1(-rate * length) / rate


def _value(limits: Limits, name: str) -> float | None:
    """What is set, if anything; of resources, the processors."""
    value = getattr(limits, name)
    return value if value is None or isinstance(value, int | float) else value.get("cpu")
