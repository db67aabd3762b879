"""The configuration of a site as Slurm's commands print it."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from thinktime.models.site.backfill import TIMES, Backfill
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import WEIGHTS
from thinktime.models.site.site import Site
from thinktime.models.site.slurm.limits import OF_ASSOCIATIONS, OF_QOS
from thinktime.models.site.slurm.scheduler_parameters import BACKFILL, SERIAL_AT_END
from thinktime.models.site.slurm.settings import PRIORITY
from thinktime.models.site.slurm.values import MB
from thinktime.models.site.tres import Tres
from thinktime.workloads.host_lists import compress
from thinktime.workloads.nodes import MEMORY, PROCESSORS
from thinktime.workloads.units import MINUTE, plain

NO = "(null)"
LIMITS = {
    "of associations": {field: key for key, (field, _) in reversed(OF_ASSOCIATIONS.items())},
    "of QOS": {field: key for key, (field, _) in reversed(OF_QOS.items())},
}
"""The column of each limit."""


def clock(seconds: float | None, never: str = "UNLIMITED") -> str:
    """A duration as ``[D-]HH:MM:SS``.

    >>> clock(90), clock(90_000), clock(None)
    ('00:01:30', '1-01:00:00', 'UNLIMITED')
    """
    if seconds is None:
        return never
    days, rest = divmod(int(seconds), 86_400)
    hours = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{hours}" if days else hours


def amounts(given: Mapping[str, float], factor: float = 1.0) -> str:
    """Amounts of resources, divided by a factor; memory in kilobytes or more."""
    return ",".join(f"{name}={_amount(name, amount / factor)}" for name, amount in given.items())


def _amount(name: str, amount: float) -> str:
    if name != "mem":
        return plain(amount)
    return f"{amount / MB:.0f}M" if amount % MB == 0 else f"{amount / 1024:.0f}K"


def config(site: Site, now: float, boot: float) -> str:
    """What `scontrol show config` prints of what a site knows."""
    values = {
        "AccountingStorageEnforce": ",".join(sorted(site.enforce)) or "none",
        "AccountingStorageType": f"accounting_storage/{'slurmdbd' if site.accounting else 'none'}",
        "BOOT_TIME": f"{boot:.0f}",
        "ClusterName": site.name,
        "DependencyParameters": "kill_invalid_depend" if site.kill_invalid_dependencies else NO,
        "EnforcePartLimits": site.enforce_partition_limits,
        "JobRequeue": str(int(site.preemption.requeue)),
        "KillWait": f"{site.time_limits.kill_wait:g} sec",
        "MaxArraySize": str(site.max_array_size),
        "OverTimeLimit": f"{site.time_limits.over_time_limit / MINUTE:g} min",
        "PreemptExemptTime": clock(site.preemption.exempt_time),
        "PreemptMode": site.preemption.mode.upper() + (",GANG" if site.preemption.gang else ""),
        "PreemptType": f"preempt/{site.preemption.type}",
        **dict(_priority(site)),
        "SchedulerParameters": ",".join(_scheduler(site)) or NO,
        "SchedulerType": f"sched/{'backfill' if site.backfill.enabled else 'builtin'}",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": f"CR_CORE{'_MEMORY' if site.memory else ''}{',CR_LLN' if site.least_loaded else ''}",
    }
    lines = [f"Configuration data as of {now:.0f}", *(f"{name:<24}= {value}" for name, value in values.items())]
    return "".join(f"{line}\n" for line in lines)


def _priority(site: Site) -> Iterator[tuple[str, str]]:
    rules = site.priority
    names = {"age": "Age", "association": "Assoc", "fairshare": "FairShare", "job_size": "JobSize"}
    assert {name for name, _ in PRIORITY.values()} >= set(WEIGHTS)
    yield "PriorityType", f"priority/{rules.type}"
    for name in WEIGHTS:
        own = names.get(name, "QOS" if name == "qos" else name.capitalize())
        yield f"PriorityWeight{own}", str(getattr(rules, name))
    yield "PriorityWeightTRES", ",".join(f"{name}={plain(weight)}" for name, weight in rules.tres.items()) or NO
    yield "PriorityMaxAge", clock(rules.max_age)
    yield "PriorityDecayHalfLife", clock(rules.half_life)
    yield "PriorityCalcPeriod", clock(rules.calc_period)
    yield "PriorityUsageResetPeriod", rules.usage_reset
    yield "PriorityFavorSmall", "Yes" if rules.favor_small else "No"
    yield "FairShareDampeningFactor", str(rules.dampening)
    yield "PriorityFlags", ",".join(sorted(rules.flags))


def _scheduler(site: Site) -> Iterator[str]:
    usual = Backfill()
    for option, (name, _) in BACKFILL.items():
        value = getattr(site.backfill, name)
        if value != getattr(usual, name):
            yield f"{option}={plain(value / MINUTE if name == 'window' else value) if name in TIMES else value}"
    rules = site.preemption
    yield from (["preempt_youngest_first"] if rules.youngest_first else [])
    yield from ([f"preempt_reorder_count={rules.reorder_count}"] if rules.reorder_count != 1 else [])
    yield from (["preempt_strict_order"] if rules.strict_order else [])
    yield from ([f"requeue_delay={rules.requeue_delay - 1:g}"] if rules.requeue_delay != 121.0 else [])
    yield from ([SERIAL_AT_END] if site.serial_at_end else [])


def nodes(site: Site, away: Iterable[str], used: Mapping[str, int]) -> str:
    """What `scontrol -o show node` prints; some are drained, and some are ``used``."""
    lines, drained = [], set(away)
    for cluster in site.nodes.clusters:
        gres = [
            f"{'gpu' if name == 'gpus' else name}:{amount}"
            for name, amount in cluster.resources.items()
            if name not in (PROCESSORS, MEMORY)
        ]
        memory = cluster.resources.get(MEMORY, 0) // MB
        for name in cluster.node_names:
            taken, has = used.get(name, 0), cluster.resources[PROCESSORS]
            state = "IDLE" if not taken else "ALLOCATED" if taken >= has else "MIXED"
            lines.append(
                f"NodeName={name} CPUAlloc={taken} CPUTot={has} "
                f"AvailableFeatures={','.join(sorted(cluster.properties)) or NO} Gres={','.join(gres) or NO} "
                f"RealMemory={memory} State={state}{'+DRAIN' if name in drained else ''} ThreadsPerCore=1 Weight=1"
            )
    return "".join(f"{line}\n" for line in lines)


def partitions(site: Site) -> str:
    """What `scontrol -o show partition` prints."""
    return "".join(f"{_partition(each)}\n" for each in site.partitions)


def _partition(each: Partition) -> str:
    values = {
        "PartitionName": each.name,
        "AllowAccounts": "ALL" if each.allow_accounts is None else ",".join(each.allow_accounts),
        "AllowQos": "ALL" if each.allow_qos is None else ",".join(each.allow_qos),
        "Default": "YES" if each.default else "NO",
        "QoS": each.qos or "N/A",
        "DefaultTime": clock(each.default_time, "NONE"),
        "GraceTime": f"{each.grace:g}",
        "MaxNodes": "UNLIMITED" if each.max_nodes is None else str(each.max_nodes),
        "MaxTime": clock(each.max_time),
        "MinNodes": str(each.min_nodes),
        "Nodes": "ALL" if each.nodes is None else compress(each.nodes) or NO,
        "PriorityJobFactor": str(each.job_factor),
        "PriorityTier": str(each.tier),
        "OverSubscribe": "EXCLUSIVE" if each.exclusive else "NO",
        "State": each.state,
    }
    others = {
        "DenyAccounts": ",".join(each.deny_accounts), "DenyQos": ",".join(each.deny_qos),
        "TRESBillingWeights": _weights(each.billing_weights), "PreemptMode": (each.preempt_mode or "").upper(),
    }  # fmt: skip
    return " ".join(f"{name}={value}" for name, value in (values | others).items() if value)


def _weights(given: Tres[float]) -> str:
    return ",".join(f"{name}={weight!r}{'G' if name == 'mem' else ''}" for name, weight in given.items())


def associations(site: Site) -> str:
    """What `sacctmgr -P show assoc tree` prints, with the parent of each account in a column."""
    columns = dict.fromkeys(LIMITS["of associations"].values())
    head = ["Cluster", "Account", "User", "Partition", "Share", "Priority", "QOS", "Def QOS", "Par Name", "IsDef"]
    lines = ["|".join([*head, *columns])]
    for each in site.accounts:
        qos, above = site.accounts.inherited(each, "qos") or (), "" if each.user else each.above or ""
        cells = [
            site.name, each.account, each.user or "", each.partition or "", str(each.shares), str(each.priority),
            ",".join(qos), each.default_qos or "", above, "Yes" if each.default else "No",
        ]  # fmt: skip
        lines.append("|".join([*cells, *_limits(each.limits, "of associations", columns)]))
    return "".join(f"{line}\n" for line in lines)


def qualities(site: Site) -> str:
    """What `sacctmgr -P show qos` prints."""
    columns = dict.fromkeys(LIMITS["of QOS"].values())
    head = ["Name", "Priority", "GraceTime", "Preempt", "PreemptExemptTime", "PreemptMode", "Flags", "UsageFactor"]
    lines = ["|".join([*head, *columns])]
    for each in site.qos:
        cells = [
            each.name, str(each.priority), clock(each.grace), ",".join(each.preempts),
            "" if each.exempt is None else clock(each.exempt), each.preempt_mode or "cluster",
            ",".join(sorted(each.flags)), repr(each.usage_factor),
        ]  # fmt: skip
        lines.append("|".join([*cells, *_limits(each.limits, "of QOS", columns)]))
    return "".join(f"{line}\n" for line in lines)


def _limits(limits: Limits, kind: str, columns: Iterable[str]) -> Iterator[str]:
    texts = {LIMITS[kind][name]: _limit(name, value) for name, value in limits.given() if name in LIMITS[kind]}
    return (texts.get(column, "") for column in columns)


def _limit(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return amounts(value, MINUTE if name.endswith("_seconds") else 1.0)
    return clock(value) if name.endswith("_wall") else str(value)


def local(time: float, offset: float) -> str:
    """A Unix time as sdiag prints it, so many seconds later than in UTC."""
    return (datetime.fromtimestamp(time, UTC) + timedelta(seconds=offset)).strftime("%a %b %d %H:%M:%S %Y")
