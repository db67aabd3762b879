"""Who may preempt whom at a site, and what becomes of the victims, by their partitions and QOS.

With ``PreemptType=preempt/qos``, the mode and the grace of a victim are those of its QOS, and with
``preempt/partition_prio`` those of its partition; a mode that is not set is the site's. A job is suspended only for one
in a partition of a higher tier: Slurm lets jobs of one tier take turns on the same processors, or run there at once
(22.05.8, measured).
"""

from typing import Any, NamedTuple

from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site

Class = tuple[Partition, QOS | None]
"""A partition with a QOS."""


def preempts(site: Site) -> bool:
    """Whether any job may preempt another one."""
    if site.preemption.type == "none":
        return False
    every = [(partition, qos) for partition in site.partitions for qos in site.qos]
    return any(may_preempt(site, one, other) for one in every for other in every)


class Victims(NamedTuple):
    """Jobs of a QOS, or of a partition, and who may preempt them how: the mode, grace and shortest run (s)."""

    name: str
    by: tuple[str, ...]
    mode: str
    grace: float
    exempt: float


def victims(site: Site) -> list[Victims]:
    """Whose jobs may be preempted, in the order of the site's QOS, or of its partitions."""
    by_tier = site.preemption.type == "partition_prio"
    kinds = [(partition, qos) for partition in site.partitions for qos in site.qos]
    names = [each.name for each in (site.partitions if by_tier else site.qos)]
    found = []
    for name in names if preempts(site) else ():
        mine = [each for each in kinds if each[0 if by_tier else 1].name == name]
        by = [each[0 if by_tier else 1].name for each in kinds if any(may_preempt(site, each, one) for one in mine)]
        if by:
            partition, qos = mine[0]
            grace, exempt = grace_of(site, partition, qos), exempt_time(site, None if by_tier else qos)
            found.append(Victims(name, tuple(dict.fromkeys(by)), preempt_mode(site, partition, qos), grace, exempt))
    return found


def pauses_in_place(site: Site) -> bool:
    """Whether jobs are to be suspended, but only for jobs in partitions of their own tier or of a lower one."""
    rules = site.preemption
    if rules.type == "none":
        return False
    pairs = [(partition, qos) for partition in site.partitions for qos in site.qos]
    paused = [each for each in pairs if preempt_mode(site, *each) == "suspend"]
    named = {name for qos in site.qos for name in qos.preempts}
    wanted = [each for each in paused if rules.type == "partition_prio" or (each[1] and each[1].name in named)]
    return bool(wanted) and not any(may_preempt(site, one, other) for one in pairs for other in wanted)


def preempts_under(policy: Any, site: Site | None) -> bool:
    """Whether a policy preempts jobs as a site lets it: only ``slurm`` does."""
    return site is not None and getattr(policy, "rule", None) == "slurm" and preempts(site)


def unheeded(policy: Any, site: Site) -> list[str]:
    """What a result says if its site preempts jobs and its policy does not."""
    if not preempts(site) or preempts_under(policy, site):
        return []
    return ["no job was preempted as the site says: its preemption is a part of the policy slurm"]


def may_preempt(site: Site, one: Class, other: Class) -> bool:
    """Whether jobs of one partition and QOS may preempt those of another."""
    (mine, quality), (its, victim), mode = one, other, preempt_mode(site, *other)
    if mode == "off" or (mode == "suspend" and not mine.tier > its.tier):
        return False
    if site.preemption.type == "partition_prio":
        return mine.tier > its.tier
    named = quality is not None and victim is not None and victim.name in quality.preempts
    return site.preemption.type == "qos" and named


def preempt_mode(site: Site, partition: Partition, qos: QOS | None) -> str:
    """How jobs are preempted: off, cancel, requeue or suspend."""
    own = partition.preempt_mode if site.preemption.type == "partition_prio" else qos and qos.preempt_mode
    return own or site.preemption.mode


def grace_of(site: Site, partition: Partition, qos: QOS | None) -> float:
    """How long preempted jobs may go on, s; those that are suspended stand still at once."""
    if site.preemption.type == "partition_prio":
        return partition.grace
    return 0.0 if qos is None else qos.grace


def exempt_time(site: Site, qos: QOS | None) -> float:
    """How long jobs run at least before they may be preempted, s."""
    return site.preemption.exempt_time if qos is None or qos.exempt is None else qos.exempt


def cheapness(site: Site, partition: Partition, qos: QOS | None) -> float:
    """What candidates are sorted by, smallest first, before their sizes."""
    if site.preemption.type == "partition_prio":
        return partition.tier
    return 0 if qos is None else qos.priority
