"""Partitions out of PartitionName lines, or of `scontrol -o show partition`.

``PartitionName=DEFAULT`` holds for the lines below it only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from thinktime.models.site.host_lists import expand
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

READ: dict[str, tuple[str, Callable[[str], Any]]] = {
    "default": ("default", yes),
    "state": ("state", str.upper),
    "prioritytier": ("tier", whole),
    "priorityjobfactor": ("job_factor", whole),
    "maxtime": ("max_time", minutes),
    "defaulttime": ("default_time", minutes),
    "overtimelimit": ("over_time_limit", minutes),
    "minnodes": ("min_nodes", whole),
    "maxnodes": ("max_nodes", limit),
    "maxcpuspernode": ("max_cpus_per_node", limit),
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

UNUSED = {
    "allowgroups": "groups of the operating system are not known",
    "alternate": "no job is sent to another partition",
    "defmempercpu": "requests in logs have it already",
    "defmempernode": "requests in logs have it already",
    "maxmempercpu": "a job with more memory is not given more processors",
    "maxmempernode": "it is no limit here",
    "maxcpuspersocket": "sockets are not told apart",
    "powerdownonidle": "nodes are not switched off to save power",
    "exclusivetopo": "networks are not modelled, so jobs may share a part of one",
    "topology": "networks are not modelled, so any nodes will do",
    "exclusiveuser": "jobs of several users may share nodes",
    "reqresv": "jobs do not need a reservation",
    "rootonly": "all users may submit",
    "selecttypeparameters": "all partitions give out the same resources",
    "lln": "nodes are chosen in their order",
    "jobdefaults": "requests in logs have them already",
}
"""Keys that mean something, but not here."""
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
        notes.add(where, f"PreemptMode={pairs['preemptmode']}: {ANY_PRIORITY}")
    for key, reason in UNUSED.items():
        if pairs.get(key, "all").lower() not in SILENT:
            notes.add(where, f"{key}={pairs[key]}: {reason}")
    fields["exclusive"] = _exclusive(where, pairs, whole_nodes, notes)
    fields["nodes"] = _nodes(where, pairs.get("nodes", ""), nodes, sets, notes)
    return at(where, "this partition", lambda name: Partition(name, **fields), pairs["partitionname"])


def _exclusive(where: str, pairs: dict[str, str], whole_nodes: bool, notes: Notes) -> bool:
    """Whether jobs get whole nodes: by Exclusive from Slurm 26.05 on, by OverSubscribe before."""
    exclusive = pairs.get("exclusive", "NO").upper()
    if exclusive in ("USER", "TOPO"):
        notes.add(where, f"Exclusive={exclusive}: {UNUSED[f'exclusive{exclusive.lower()}']}")
    if exclusive == "NODE":
        return True
    shared = pairs.get("oversubscribe", pairs.get("shared", "NO")).upper()
    if shared.startswith(("YES", "FORCE")):
        if not shared.endswith(":1"):
            notes.add(where, f"OverSubscribe={shared}: jobs do not share processors")
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
