"""The QOS flag Relative: limits on resources are percentages, from Slurm 23.11 on.

They are those of the whole cluster, or of the partition that the QOS is the partition QOS of; more than 100 % is 100 %,
and what comes out is rounded down. Memory has no unit, but is printed as if it were in MB. Source: Slurm's page on QOS.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import MB
from thinktime.models.site.tres import Tres, resource_of
from thinktime.workloads.nodes import MEMORY, Nodes
from thinktime.workloads.units import MINUTE


def absolute(qos: QOS, nodes: Nodes, partitions: Sequence[Partition], notes: Notes) -> QOS:
    """The QOS with amounts instead of percentages; what there is none of has no limit, which is noted."""
    own = next((each for each in partitions if each.qos == qos.name), None)
    total = _total(nodes, nodes.names if own is None or own.nodes is None else own.nodes)
    limits: dict[str, Any] = {}
    for name, value in qos.limits.given():
        if isinstance(value, Tres):
            for resource in value:
                if not total[resource_of(resource)]:
                    notes.add(f"QOS {qos.name}", f"{resource} is a percentage of what the nodes do not have: no limit")
            unit = MINUTE if name.endswith("_seconds") else 1
            known = {resource: amount for resource, amount in value.items() if total[resource_of(resource)]}
            limits[name] = Tres({resource: _part(resource, amount, unit, total) for resource, amount in known.items()})
    return replace(qos, limits=replace(qos.limits, **limits))


def _part(resource: str, amount: int, unit: int, total: Counter[str]) -> int:
    """So many percent of all there is; amounts of memory are counted in MB."""
    size = MB if resource_of(resource) == MEMORY else 1
    percent = min(Fraction(amount, unit * size), Fraction(100))
    return int(percent * (total[resource_of(resource)] // size) / 100) * size * unit


def _total(nodes: Nodes, names: Iterable[str]) -> Counter[str]:
    """All resources of some nodes, the nodes themselves included."""
    wanted, total = set(names), Counter[str]()
    for cluster in nodes.clusters:
        count = len(wanted.intersection(cluster.node_names))
        total.update({"node": count} | {name: count * amount for name, amount in cluster.resources.items()})
    return total
