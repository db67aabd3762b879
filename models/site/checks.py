"""What looks wrong in a site: contradictions, settings that do nothing, and traps of Slurm's.

Names that do not exist are errors, found when a site is made. What is here could be meant, and is a warning.
"""

from collections.abc import Iterator
from typing import NamedTuple

from thinktime.models.site import account_checks, limit_checks
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preempting import pauses_in_place
from thinktime.models.site.priority import WEIGHTS
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import whole_minutes
from thinktime.workloads.names import quoted
from thinktime.workloads.units import MINUTE, as_text


class Remark(NamedTuple):
    """Where something looks wrong, and what."""

    where: str
    what: str


def remarks(site: Site) -> list[Remark]:
    """All that looks wrong in a site, in the order of its parts."""
    parts = (_not_modelled, _partitions, _nodes, _qos, _priority, _times, _backfill, _preemption)
    own = [remark for part in parts for remark in part(site)]
    others = [*account_checks.problems(site), *limit_checks.problems(site)]
    return [*map(Remark._make, own), *map(Remark._make, others)]


Found = Iterator[tuple[str, str]]


def _not_modelled(site: Site) -> Found:
    yield from (("not modelled", text) for text in site.not_modelled)
    plan = site.backfill
    if plan.max_job_assoc and not (site.accounting and site.accounts.users):
        yield "backfill", "max_job_assoc does nothing, since there are no associations of users"


def _partitions(site: Site) -> Found:
    for each in site.partitions:
        where = f"partition {each.name}"
        if each.nodes == ():
            yield where, "has no nodes, so its jobs never start"
        if each.state != "UP":
            yield where, f"is {each.state}, so its jobs do not start"
        size = len(site.nodes_of(each.name))
        if each.min_nodes > (size if each.max_nodes is None else min(size, each.max_nodes)):
            yield where, f"asks for at least {each.min_nodes} nodes, more than a job can have there"
        yield from _partition_times(each, where)
        if each.allow_accounts is not None and each.deny_accounts:
            yield where, "lists accounts allowed and denied; those denied are ignored"
        for account in (*(each.allow_accounts or ()), *each.deny_accounts):
            if account not in site.accounts.accounts:
                yield where, f"names the account {quoted(account)}, which does not exist"


def _partition_times(partition: Partition, where: str) -> Found:
    limit, default = partition.max_time, partition.default_time
    if limit is None and default is None:
        yield where, "has no time limit: behind jobs without one, nothing can be planned"
    if limit is not None and default is not None and default > limit:
        yield where, "has a default time above its time limit, so jobs that ask for none never start"
    for name, time in (("max_time", limit), ("default_time", default)):
        if time is not None:
            yield from _minutes(where, name, time)


def _nodes(site: Site) -> Found:
    if site.nodes == Site().nodes:
        yield "nodes", "there are none, so the machine has one processor: say which there are (nodes)"
    used = {name for each in site.partitions for name in site.nodes_of(each.name)}
    idle = [name for name in site.nodes.names if name not in used]
    if idle:
        yield "nodes", f"{len(idle)} are in no partition, such as {idle[0]}"
    if len(site.partitions) > 1 and not any(each.default for each in site.partitions):
        yield "partitions", "none is the default, so jobs that name none are refused"


def _qos(site: Site) -> Found:
    if "associations" in site.enforce and not len(site.accounts):
        yield "enforce", "a job needs an association, but there are no accounts"
    elif "qos" in site.enforce and not any(each.qos for each in site.accounts):
        yield "enforce", "a job needs a QOS, but no association may use one"
    for each in site.qos:
        if each.name in each.preempts:
            yield f"QOS {each.name}", "preempts its own jobs"


def _priority(site: Site) -> Found:
    rules = site.priority
    weighing = [name for name in (*WEIGHTS, "tres") if getattr(rules, name)]
    if rules.type == "basic":
        if weighing:
            yield "priority", f"type is basic, first come, first served: no weight counts ({', '.join(weighing)})"
        return
    if not weighing:
        yield "priority", "all weights are 0, so jobs are taken by their time of submission"
    if not site.accounting and (lost := [name for name in ("age", "fairshare") if name in weighing]):
        yield "priority", f"without accounting (slurmdbd) {' and '.join(lost)} weigh nothing"
    if not rules.half_life and rules.usage_reset == "NONE":
        yield "priority", "usage neither decays nor is reset: Slurm does not start like this"
    if rules.dampening != 1 and rules.fair_tree:
        yield "priority", "dampening counts under the flag NO_FAIR_TREE only"
    if rules.fairshare and len(site.accounts) == 0:
        yield "priority", "fairshare has a weight, but there are no accounts"
    yield from _constant_factors(site)


def _constant_factors(site: Site) -> Found:
    """Factors that are the same for every job."""
    rules, partitions = site.priority, site.partitions
    if rules.qos and len({each.priority for each in site.qos}) == 1:
        yield "priority", "qos has a weight, but all QOS have the same priority"
    if rules.partition and len(partitions) > 1 and len({each.job_factor for each in partitions}) == 1:
        yield "priority", "partition has a weight, but all partitions have the same job_factor"
    if rules.association and not any(each.priority for each in site.accounts):
        yield "priority", "association has a weight, but no association has a priority"


def _times(site: Site) -> Found:
    for name in ("max_age", "half_life", "calc_period"):
        yield from _minutes("priority", name, getattr(site.priority, name))
    yield from _minutes("time_limits", "over_time_limit", site.time_limits.over_time_limit)


def _minutes(where: str, name: str, time: float) -> Found:
    if time % MINUTE:
        read = as_text(whole_minutes(time))
        yield where, f"{name} is {as_text(time)}; Slurm reads whole minutes, and makes {read} of it"


def _backfill(site: Site) -> Found:
    plan = site.backfill
    longest = max((each.max_time or each.default_time or 0 for each in site.partitions), default=0)
    if plan.enabled and plan.window < longest:
        yield (
            "backfill",
            (
                f"window is {as_text(plan.window)}, but jobs may be as long as {as_text(longest)}: "
                "what would start later than the window has no reservation"
            ),
        )
    for name in ("max_job_user", "max_job_part", "max_job_assoc", "max_job_user_part"):
        if getattr(plan, name) > plan.max_job_test:
            yield "backfill", f"{name} is above max_job_test, so it does nothing"


def _preemption(site: Site) -> Found:
    rules = site.preemption
    lists = [each.name for each in site.qos if each.preempts]
    if rules.type == "qos" and not lists:
        yield "preemption", "type is qos, but no QOS preempts another"
    if rules.type != "qos" and lists:
        yield "preemption", f"QOS {lists[0]} preempts others, but type is {rules.type}"
    if rules.type == "partition_prio" and len({each.tier for each in site.partitions}) == 1:
        yield "preemption", "type is partition_prio, but all partitions are of the same tier"
    if (rules.type == "none") != (rules.mode == "off"):
        yield "preemption", f"type is {rules.type} and mode {rules.mode}: Slurm does not start like this"
    if "suspend" in (rules.mode, *(each.preempt_mode for each in site.qos)) and not rules.gang:
        yield "preemption", "mode suspend needs gang"
    if pauses_in_place(site):
        yield "preemption", "jobs are suspended only for those in a partition of a higher tier, and there is none"
    for each in site.qos:
        if rules.type == "partition_prio" and (each.preempt_mode or each.grace):
            yield (f"QOS {each.name}", "its mode and grace have no effect: with partition_prio, the partition's count")
    for part in site.partitions:
        if rules.type == "qos" and (part.preempt_mode or part.grace):
            yield (f"partition {part.name}", "its mode and grace have no effect: with qos, those of the QOS count")
