"""What a job meets or not whatever others do: limits of each job, and what partitions, accounts and QOS admit."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.models.machine.limits.meters import Standing
from thinktime.models.site.partitions import Partition
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import Floats

IN_USE = "max_tres", "max_tres_per_user", "max_tres_per_account"
ENFORCES = {"associations", "limits", "qos", "safe"}
"""With any of these in AccountingStorageEnforce, users need an association."""
AGES = "max_jobs_accrue", "max_jobs_accrue_per_account", "group_jobs_accrue"


def restricts(site: Site) -> bool:
    """Whether a site may keep a job from starting that has room."""
    usual = Partition("usual")
    names = (
        "state", "max_time", "min_nodes", "max_nodes", "allow_accounts", "deny_accounts", "allow_qos", "deny_qos",
    )  # fmt: skip
    closed = any(getattr(each, name) != getattr(usual, name) for each in site.partitions for name in names)
    return site.limited or closed or (site.accounting and bool(ENFORCES & site.enforce))


def limits_ages(site: Site) -> bool:
    """Whether a limit is on the number of jobs whose age counts."""
    every = [*(each.limits for each in site.qos), *(each.limits for each in site.accounts)]
    return site.limited and any(name in AGES and value is not None for each in every for name, value in each.given())


def named_in(site: Site) -> set[str]:
    """The resources that limits of the site name."""
    every = [*(each.limits for each in site.qos), *(each.limits for each in site.accounts)]
    return {name for limits in every for _, value in limits.given() if hasattr(value, "keys") for name in value}


class Verdict(NamedTuple):
    """Which of some jobs may never start, why, and whether they are refused rather than wait for ever."""

    jobs: NDArray[np.bool_]
    why: str
    refused: bool


def verdicts(standing: Standing, requested: Floats, amounts: Mapping[str, Floats], site: Site) -> Iterator[Verdict]:
    """What keeps some jobs of one kind from ever starting; ``requested`` are time limits (s)."""
    every = np.ones(len(requested), bool)
    for why in _unwelcome(standing, site):
        yield Verdict(every, why, True)
    yield from _of_partition(standing, requested, amounts, site)
    if not site.limited:
        return
    denies = any("DenyOnLimit" in quality.flags for quality in standing.qualities)
    if (found := standing.first("max_wall")) is not None:
        yield Verdict(requested > found[0], found[1], denies)
    for name in IN_USE:
        for resource in standing.resources(name):
            if (found := standing.first(name, resource)) is not None:
                yield Verdict(amounts[resource] > found[0], found[1], denies)
    for resource in standing.resources("max_tres_per_node"):
        if (found := standing.first("max_tres_per_node", resource)) is not None:
            nodes = amounts["node"]  # none where the machine has only processors
            yield Verdict((nodes > 0) & (amounts[resource] > found[0] * nodes), found[1], denies)
    for resource in standing.resources("group_tres"):
        for most, which in standing.every("group_tres", resource):
            yield Verdict(amounts[resource] > most, which, denies)
    for resource in standing.resources("min_tres"):
        if (found := standing.first("min_tres", resource)) is not None:
            yield Verdict(amounts[resource] < found[0], found[1], denies)
    for resource in standing.resources("max_tres_seconds"):
        if (found := standing.first("max_tres_seconds", resource)) is not None:
            yield Verdict(amounts[resource] * requested > found[0], found[1], denies)


def _unwelcome(standing: Standing, site: Site) -> Iterator[str]:
    """Why no user of an association may submit jobs of this kind."""
    if not site.accounting:
        return
    tree, association, qos = standing.tree, standing.association, standing.qos
    if tree is not None and ENFORCES & site.enforce and association is None:
        yield f"user {standing.user} has no association there"
    if tree is not None and association is not None and "qos" in site.enforce and qos is not None:
        allowed = tree.inherited(association, "qos")
        if allowed is not None and qos.name not in allowed:
            yield f"{association} may not use QOS {qos.name}"


def _of_partition(
    standing: Standing, requested: Floats, amounts: Mapping[str, Floats], site: Site
) -> Iterator[Verdict]:
    """What the partition does not take, unless the job's QOS overrides it."""
    partition, flags = standing.partition, frozenset() if standing.qos is None else standing.qos.flags
    name, nodes, every = f"partition {partition.name}", amounts["node"], np.ones(len(requested), bool)
    refuses = site.enforce_partition_limits != "NO"
    if partition.max_time is not None and "PartitionTimeLimit" not in flags:
        yield Verdict(requested > partition.max_time, f"max_time of {name}", refuses)
    if partition.max_nodes is not None and "PartitionMaxNodes" not in flags:
        yield Verdict(nodes > partition.max_nodes, f"max_nodes of {name}", refuses)
    if partition.min_nodes > 0 and "PartitionMinNodes" not in flags:
        yield Verdict((nodes > 0) & (nodes < partition.min_nodes), f"min_nodes of {name}", refuses)
    if partition.state != "UP":
        yield Verdict(every, f"the state of {name} is {partition.state}", partition.state != "DOWN")
    account = None if standing.association is None else standing.association.account
    if not partition.admits(account, None if standing.qos is None else standing.qos.name):
        under = f" under QOS {standing.qos.name}" if standing.qos is not None else ""
        yield Verdict(every, f"{name} does not admit account {account}{under}", True)
