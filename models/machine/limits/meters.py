"""Which limits hold for a job, by its association, its partition and its QOS.

Of each kind of limit, the first that is set counts: of the partition's QOS, the job's QOS (the other way round with
``OverPartQOS``), the user's association, the accounts above it. Limits of a group that no QOS sets hold at every level.
(Slurm 22.05.8, measured.) A job for which a limit does not count is still one of those whose jobs are counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS

Kind = Literal["at once", "there", "ageing", "ahead", "budget", "safe budget"]
JOBS, SECONDS = "jobs", "seconds"
"""What is not a resource: jobs themselves, and the time that they run."""

OF_USER: tuple[tuple[str, Kind], ...] = (
    ("max_jobs", "at once"), ("max_submit", "there"), ("max_jobs_accrue", "ageing"),
)  # fmt: skip
OF_ACCOUNT: tuple[tuple[str, Kind], ...] = (
    ("max_jobs_per_account", "at once"), ("max_submit_per_account", "there"), ("max_jobs_accrue_per_account", "ageing"),
)  # fmt: skip
OF_GROUP: tuple[tuple[str, Kind], ...] = (
    ("group_jobs", "at once"), ("group_submit", "there"), ("group_jobs_accrue", "ageing"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """A limit on what some jobs have of a resource; ``whose`` tells it from the same limit of others.

    If it does not hold for a job, since another one comes first, what the job has is counted all the same.
    """

    kind: Kind
    resource: str
    most: float
    whose: tuple[Any, ...]
    decays: bool
    label: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Whose a job is, and under which rules it is submitted."""

    tree: AccountTree | None
    association: Association | None
    user: Any
    partition: Partition
    qos: QOS | None
    qualities: tuple[QOS, ...]
    """The QOS whose limits hold, the first one first."""

    @property
    def path(self) -> tuple[Association, ...]:
        """The association and the accounts above it."""
        return () if self.tree is None or self.association is None else self.tree.path(self.association)

    def first(self, name: str, resource: str | None = None) -> tuple[float, str] | None:
        """The limit of a kind that counts, per job, and a text that says which one it is; None for none."""
        return next(iter(self.every(name, resource)), None)

    def every(self, name: str, resource: str | None = None) -> list[tuple[float, str]]:
        """The limit of the first QOS that sets it, or else those of all associations up to root; the same of each."""
        of_qos = [(f"QOS {quality.name}", quality.limits) for quality in self.qualities]
        found = _given(of_qos, name, resource)[:1]
        return found or _given([(str(each), each.limits) for each in self.path], name, resource)

    def resources(self, *names: str) -> list[str]:
        """The resources that limits of these kinds name."""
        parts = [*(quality.limits for quality in self.qualities), *(each.limits for each in self.path)]
        return list(dict.fromkeys(resource for limits in parts for name in names for resource in getattr(limits, name)))


def value_of(limits: Limits, name: str, resource: str | None = None) -> float | None:
    """A limit, or None if it is not set."""
    value = getattr(limits, name)
    if resource is not None:
        value = value.get(resource)
    return None if value is None else float(value)


def _given(limits: list[tuple[str, Limits]], name: str, resource: str | None) -> list[tuple[float, str]]:
    values = ((where, value_of(each, name, resource)) for where, each in limits)
    return [(most, _label(name, resource, where)) for where, most in values if most is not None]


def _label(name: str, resource: str | None, where: str) -> str:
    return f"{name}{f' ({resource})' if resource else ''} of {where}"


def measured(standing: Standing, safe: bool) -> Iterator[Measured]:
    """The limits that count the jobs of a group, each with what is measured, and whether the group has to keep it."""
    account = None if standing.association is None else standing.association.account
    for name, kind in OF_USER:
        yield from _of_user(standing, name, kind)
    for name, kind in OF_ACCOUNT:
        yield from _of_qos(standing, name, kind, JOBS, None, account)
    for resource in standing.resources("max_tres_per_user"):
        yield from _of_qos(standing, "max_tres_per_user", "at once", resource, resource, standing.user)
    for resource in standing.resources("max_tres_per_account"):
        yield from _of_qos(standing, "max_tres_per_account", "at once", resource, resource, account)
    for name, kind in OF_GROUP:
        yield from _of_group(standing, name, kind, JOBS, None)
    budget: Kind = "safe budget" if safe else "budget"
    yield from _of_group(standing, "group_wall", budget, SECONDS, None)
    kinds: Sequence[tuple[str, Kind]] = (
        ("group_tres", "at once"),
        ("group_tres_seconds", budget),
        ("group_tres_run_seconds", "ahead"),
    )
    for name, kind in kinds:
        for resource in standing.resources(name):
            yield from _of_group(standing, name, kind, resource, resource)


def _of_user(standing: Standing, name: str, kind: Kind) -> Iterator[Measured]:
    """A limit of each user: under a QOS, of a user in all accounts; otherwise in this one."""
    holds = True
    for each in _of_qos(standing, name, kind, JOBS, None, standing.user):
        holds = False
        yield each
    for level in standing.path:
        if (most := value_of(level.limits, name)) is not None:
            assert standing.association is not None
            owner = name, "association", *standing.association.key
            yield Measured(kind, JOBS, most, owner, True, _label(name, None, str(level)), holds)
            return


def _of_qos(
    standing: Standing, name: str, kind: Kind, resource: str, key: str | None, owner: Any
) -> Iterator[Measured]:
    """A limit of each owner under a QOS."""
    holds = True
    for quality in standing.qualities:
        if (most := value_of(quality.limits, name, key)) is not None:
            label = _label(name, key, f"QOS {quality.name}")
            yield Measured(kind, resource, most, (name, key, "qos", quality.name, owner), True, label, holds)
            holds = False


def _of_group(standing: Standing, name: str, kind: Kind, resource: str, key: str | None) -> Iterator[Measured]:
    """A limit of all jobs together: of the first QOS that sets it, else of every association up to root that does."""
    holds = True
    for quality in standing.qualities:
        if (most := value_of(quality.limits, name, key)) is not None:
            decays, label = "NoDecay" not in quality.flags, _label(name, key, f"QOS {quality.name}")
            yield Measured(kind, resource, most, (name, key, quality.name), decays, label, holds)
            holds = False
    for each in standing.path:
        if (most := value_of(each.limits, name, key)) is not None:
            label = _label(name, key, str(each))
            yield Measured(kind, resource, most, (name, key, *each.key), True, label, holds)
