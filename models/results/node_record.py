"""The nodes on which the jobs of a result ran, and the resources that they requested."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thinktime.workloads.arrays import Whole
from thinktime.workloads.interval_sets import interval_set
from thinktime.workloads.node_requests import NodeRequest

MOST = 2**62
"""Larger amounts are clipped to this; no node has as much."""


@dataclass(frozen=True, eq=False)
class NodeRecord:
    """For job i the nodes ``node[offset[i]:offset[i + 1]]``, ascending; none for a job that never ran."""

    names: tuple[str, ...]
    """Names of the nodes, by number."""
    offset: Whole
    node: Whole
    asked: Mapping[str, Whole] = field(default_factory=dict)
    """The amount of each resource that each job requests, summed over its chunks (memory in bytes)."""
    machine: Mapping[str, int] = field(default_factory=dict)
    """The total of each resource over all nodes."""

    def of(self, i: int) -> list[int]:
        """The nodes of the job in row i of the result."""
        nodes: list[int] = self.node[self.offset[i] : self.offset[i + 1]].tolist()
        return nodes

    def select(self, rows: Sequence[int]) -> "NodeRecord":
        """The record of the jobs in some rows."""
        kept = np.asarray(rows, np.int64)
        asked = {name: amounts[kept] for name, amounts in self.asked.items()}
        return record_of(self.names, [self.of(i) for i in rows], asked, self.machine)

    def interval_sets(self) -> list[str]:
        """The nodes of every job in Batsim's notation: ascending intervals and single numbers."""
        return [interval_set(self.of(i)) for i in range(len(self.offset) - 1)]


def record_of(
    names: tuple[str, ...],
    nodes: list[list[int]],
    asked: Mapping[str, Whole] | None = None,
    machine: Mapping[str, int] | None = None,
) -> NodeRecord:
    """A record made from one list of nodes per job."""
    ascending = [sorted(set(each)) for each in nodes]
    offset = np.concatenate([[0], np.cumsum([len(each) for each in ascending], dtype=np.int64)])
    flat = np.array([v for each in ascending for v in each], np.int64)
    return NodeRecord(names, offset.astype(np.int64), flat, asked or {}, machine or {})


def amounts_of(requests: Iterable[NodeRequest], resources: Sequence[str]) -> dict[str, Whole]:
    """The amount of each resource that each request asks for, summed over its chunks."""
    table = [[min(request.amount(name), MOST) for name in resources] for request in requests]
    columns = np.array(table, np.int64).reshape(len(table), len(resources)).T
    return dict(zip(resources, columns, strict=True))
