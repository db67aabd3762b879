"""Partitions out of PartitionName lines, or of `scontrol -o show partition`.

``PartitionName=DEFAULT`` holds for the lines below it only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from thinktime.models.site import effects
from thinktime.models.site.partitions import Partition
from thinktime.models.site.slurm.conf_lines import Line
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import (
    ANY_PRIORITY,
    absent,
    allowed,
    at,
    limit,
    minutes,
    names,
    plain_seconds,
    preempt_mode,
    weights,
    whole,
    yes,
)
from thinktime.workloads.host_lists import expand

READ: dict[str, tuple[str, Callable[[str], Any]]] = {
    "default": ("default", yes),
    "state": ("state", str.upper),
    "prioritytier": ("tier", whole),
    "priorityjobfactor": ("job_factor", whole),
    "maxtime": ("max_time", minutes),
    "defaulttime": ("default_time", minutes),
    "minnodes": ("min_nodes", whole),
    "maxnodes": ("max_nodes", limit),
    "allowaccounts": ("allow_accounts", allowed),
    "denyaccounts": ("deny_accounts", names),
    "allowqos": ("allow_qos", allowed),
    "denyqos": ("deny_qos", names),
    "qos": ("qos", lambda text: None if absent(text) else text.lower()),
    "tresbillingweights": ("billing_weights", weights),
    "preemptmode": ("preempt_mode", preempt_mode),
    "gracetime": ("grace", plain_seconds),
}
"""The field for each key, and how its value is read."""

OTHERS = "partitionname", "nodes", "priority", "oversubscribe", "shared", "exclusive"
"""Keys that concern several fields, or are read together."""
SILENT = {"all", "no", "none", "unlimited", "(null)", "n/a", "0"}


def of_lines(
    lines: Iterable[Line], nodes: tuple[str, ...], sets: Mapping[str, tuple[str, ...]], whole_nodes: bool, notes: Notes
) -> tuple[Partition, ...]:
    """The partitions; with ``whole_nodes`` (select/linear) jobs get whole nodes unless a partition shares them."""
    defaults: dict[str, str] = {}
    found: dict[str, Partition] = {}
    for line in lines:
        if line.first != "partitionname":
            continue
        if line.pairs["partitionname"].upper() == "DEFAULT":
            defaults |= line.pairs
            continue
        pairs = defaults | line.pairs
        if pairs["partitionname"] in found:
            notes.add(line.where, f"partition {pairs['partitionname']} comes twice: the first counts")
            continue
        found[pairs["partitionname"]] = _partition(line.where, pairs, nodes, sets, whole_nodes, notes)
    return _with_one_default(found, notes)


def _with_one_default(found: dict[str, Partition], notes: Notes) -> tuple[Partition, ...]:
    """The partitions; of several that are the default, Slurm takes the last."""
    defaults = [name for name, each in found.items() if each.default]
    for name in defaults[:-1]:
        notes.add(f"partition {name}", f"it is not the default partition, since {defaults[-1]} is")
        found[name] = replace(found[name], default=False)
    return tuple(found.values())


def _partition(
    where: str,
    pairs: dict[str, str],
    nodes: tuple[str, ...],
    sets: Mapping[str, tuple[str, ...]],
    whole_nodes: bool,
    notes: Notes,
) -> Partition:
    fields = {field: at(where, key, read, pairs[key]) for key, (field, read) in READ.items() if key in pairs}
    if "priority" in pairs:  # the former name of both
        fields |= {"tier": at(where, "Priority", whole, pairs["priority"])}
        fields |= {"job_factor": fields["tier"]}
    if "priority" in names(pairs.get("preemptmode", "")):
        notes.refuse(where, f"PreemptMode={pairs['preemptmode']}", ANY_PRIORITY)
    for key, reason in effects.PARTITIONS.items():
        if (value := pairs.get(key.lower(), "all")).lower() not in SILENT:
            notes.refuse(where, f"{key}={value}", reason)
    fields["exclusive"] = _exclusive(where, pairs, whole_nodes, notes)
    fields["nodes"] = _nodes(where, pairs.get("nodes", ""), nodes, sets, notes)
    return at(where, "this partition", lambda name: Partition(name, **fields), pairs["partitionname"])


def _exclusive(where: str, pairs: dict[str, str], whole_nodes: bool, notes: Notes) -> bool:
    """Whether jobs get whole nodes: by Exclusive from Slurm 26.05 on, by OverSubscribe before."""
    exclusive = pairs.get("exclusive", "NO").upper()
    if exclusive in ("USER", "TOPO"):
        notes.refuse(where, f"Exclusive={exclusive}", effects.reason("PartitionName", f"exclusive{exclusive}"))
    if exclusive == "NODE":
        return True
    shared = pairs.get("oversubscribe", pairs.get("shared", "NO")).upper()
    if shared.startswith(("YES", "FORCE")):
        if not shared.endswith(":1"):
            notes.refuse(where, f"OverSubscribe={shared}", "jobs do not share processors")
        return False
    return shared == "EXCLUSIVE" or whole_nodes


def _nodes(
    where: str, text: str, nodes: tuple[str, ...], sets: Mapping[str, tuple[str, ...]], notes: Notes
) -> tuple[str, ...] | None:
    if text.upper() == "ALL":
        return None
    if absent(text):
        return ()
    listed = at(where, "Nodes", expand, text)
    known, own = set(nodes), [name for each in listed for name in sets.get(each, (each,))]
    for name in own:
        if name not in known:
            notes.add(where, f"node {name} is not among the nodes, so it is left out")
    inside = {name for name in own if name in known}
    return tuple(name for name in nodes if name in inside)
