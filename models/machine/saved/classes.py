"""The classes whose objects a state may have in a file: there is no way to name another one in it."""

import hashlib
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

from thinktime.models.engine.structure import Structure

MODULES = {
    "models.engine.changes.preempting": "Preempting",
    "models.engine.estimates": "Predicted",
    "models.engine.hazards": "Hazards",
    "models.engine.passes": "Greedy",
    "models.engine.profile": "Profile",
    "models.engine.queue_orders": "AsKept SortedOrder",
    "models.engine.sources.eligibility": "Conditional",
    "models.engine.usage": "Usage",
    "models.jobs.chains": "ChainTable ChainedBatches",
    "models.jobs.columns": "Requests Outcomes",
    "models.jobs.conditions": "Array Conditions",
    "models.jobs.eligibility": "Eligibility",
    "models.jobs.estimates": "Estimates",
    "models.jobs.forms": "Forms Sizes",
    "models.jobs.labels": "Labels",
    "models.jobs.node_states": "NodeSite",
    "models.jobs.pool": "Pool",
    "models.jobs.split_jobs": "SplitJobs",
    "models.machine.changing.nodes": "ChangingNodes",
    "models.machine.changing.pool": "ChangingPool",
    "models.machine.changing.ranks": "QueueRanks SiteClasses",
    "models.machine.changing.rules": "Changes",
    "models.machine.changing.timeline": "Timeline",
    "models.machine.configured": "Site",
    "models.machine.intake": "Intake",
    "models.machine.limits.clocks": "Clocks",
    "models.machine.limits.entries": "Entries",
    "models.machine.limits.limiter": "Limiter Partitions",
    "models.machine.nodes.partitions": "PartitionNodes",
    "models.machine.nodes.pool": "NodePool",
    "models.machine.parts": "Parts",
    "models.machine.power": "Power",
    "models.machine.limits.spending": "Spending",
    "models.orders.account_nodes": "AccountNodes",
    "models.orders.accounts": "AccountOrder",
    "models.orders.fairshare": "DecayingUsage DominantUsage",
    "models.orders.job_kinds": "JobKinds",
    "models.orders.multifactor": "MultifactorOrder",
    "models.orders.order": "Aged Order",
    "models.orders.priorities": "Multifactor",
    "models.orders.relshare": "RelShareOrder WindowUsage",
    "models.orders.tree_accounts": "Accrual TreeAccounts",
    "models.orders.windows": "Windowed",
    "models.policies.backfilling": "Easy NoGuarantee Strict",
    "models.policies.carbon": "Deferral",
    "models.policies.conservative": "Conservative ConservativeDynamic",
    "models.policies.cplant.policy": "CPlant",
    "models.policies.cplant.starvation": "Starving",
    "models.policies.creasy": "Creasy",
    "models.policies.ostrich.campaign_ledger": "CampaignLedger",
    "models.policies.ostrich.campaigns": "CampaignsRule",
    "models.policies.ostrich.faircamp": "FairCamp",
    "models.policies.ostrich.ostrich": "OStrich OStrichSlurm",
    "models.policies.ostrich.virtual": "VirtualSchedule",
    "models.policies.preemption": "Preemption",
    "models.policies.rebuilt_rule": "Rebuilt",
    "models.policies.recorded": "Recorded",
    "models.policies.recorded_rule": "Recorded",
    "models.policies.reservations": "Kept",
    "models.policies.search.goals": "Goal",
    "models.policies.search.search": "Searching",
    "models.policies.search.tradeoff": "Search Tradeoff TradeoffFs",
    "models.policies.shapes.policy": "Shapes",
    "models.policies.shapes.rule": "Shaped",
    "models.policies.shapes.sharing": "Sharing",
    "models.policies.slack.awt": "AverageWait",
    "models.policies.slack.passes": "SlackRule",
    "models.policies.slack.policy": "Slack",
    "models.policies.slack.priorities": "EveryKth PriorityTable",
    "models.policies.slack.quotas": "Quotas",
    "models.policies.slurm.policy": "Slurm",
    "models.policies.slurm.rule": "Slurm",
    "models.results.demand": "LostDemand",
    "models.results.responses": "Responses",
    "models.site.accounts": "AccountTree Association",
    "models.site.backfill": "Backfill",
    "models.site.budget": "Budget",
    "models.site.charge": "Charge Term",
    "models.site.limits": "Limits",
    "models.site.partitions": "Partition",
    "models.site.preemption": "Preemption",
    "models.site.priority": "PriorityRules",
    "models.site.qos": "QOS",
    "models.site.site": "Site",
    "models.site.time_limits": "TimeLimits",
    "models.site.tres": "Tres",
    "models.site.usage": "Usage",
    "workloads.calendar": "Calendar",
    "workloads.changes.drawing": "Drawing",
    "workloads.changes.failures": "Failures",
    "workloads.changes.outages": "Outages",
    "workloads.changes.windows": "Window",
    "workloads.node_requests": "Chunk NodeRequest",
    "workloads.nodes": "Cluster Nodes",
    "workloads.signals.forecasts": "Forecast",
    "workloads.shapes.shape": "Shape",
    "workloads.signals.signal": "Signal",
}
"""The names of the classes in each module."""
NAMES = {f"thinktime.{module}.{name}" for module, names in MODULES.items() for name in names.split()}


def name_of(kind: type) -> str | None:
    """The name of a class in a file; None if it has none."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name.removeprefix("thinktime.") if name in NAMES else None


@cache
def class_of(name: str) -> type:
    """The class of a name in a file; ``KeyError`` if there is none."""
    if f"thinktime.{name}" not in NAMES:
        raise KeyError(name)
    module, _, short = f"thinktime.{name}".rpartition(".")
    found: type = getattr(import_module(module), short)
    return found


@cache
def layout(name: str) -> str:
    """Eight digits that depend on what is known of a class: its arrays, numbers, parts, columns and fields."""
    kind: Any = class_of(name)
    known: list[Any] = []
    if issubclass(kind, Structure):
        known = [[(each, repr(what)) for each, what in kind.FIELDS.items()], dict(kind.NUMBERS), kind.PARTS]
    elif is_dataclass(kind):
        known = [each.name for each in fields(kind)]
    elif hasattr(kind, "schema"):
        known = [(each, str(what)) for each, what in kind.schema.items()]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:8]
