"""The nodes on which jobs may be, where a site has partitions.

A job is in the partition that it names, or that its ``queue`` names (`Site.partition_of`). One that names several has
an entry in the queue for each of them (`thinktime.models.machine.limits.entries`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.site.partitions import Partition
from thinktime.models.site.site import Site
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes


class PartitionNodes:
    """The partitions of a site on a machine of nodes, which have the names that they have at the site."""

    def __init__(self, site: Site, nodes: Nodes) -> None:
        self._site = site
        self._known: dict[tuple[Any, Any], tuple[Partition, ...]] = {}
        self.masks: Mapping[str, NDArray[np.bool_]] = {each.name: _mask(each, nodes) for each in site.partitions}
        """For each partition, which nodes are in it."""
        self.of_entries = False
        """Whether jobs in several partitions have an entry for each."""
        self._everywhere = {name for name, mask in self.masks.items() if mask.all()}

    def confined(self, request: NodeRequest, partition: Any, queue: Any) -> NodeRequest:
        """What a job asks for in the partition that it names; what one in several asks of each, its entries say."""
        each = self._named(partition, queue)
        return request if len(each) > 1 and self.of_entries else self._in(each[0], request)

    def each(self, request: NodeRequest, partition: Any, queue: Any) -> list[NodeRequest]:
        """What a job asks for in each of the partitions that it may be in."""
        named = self._named(partition, queue)
        return [self._in(each, request) for each in named[: None if self.of_entries else 1]]

    def _named(self, partition: Any, queue: Any) -> tuple[Partition, ...]:
        if (each := self._known.get((partition, queue))) is None:
            each = self._known[partition, queue] = self._site.partitions_of(partition, queue)
        return each

    def _in(self, partition: Partition, request: NodeRequest) -> NodeRequest:
        if partition.name in self._everywhere and not partition.exclusive:
            return request
        return replace(request, partition=partition.name, exclusive=request.exclusive or partition.exclusive)


def _mask(partition: Partition, nodes: Nodes) -> NDArray[np.bool_]:
    """Which nodes are in a partition; ``ValueError`` for one that the machine does not have."""
    if partition.nodes is None:
        return np.ones(nodes.count, np.bool_)
    mask = np.zeros(nodes.count, np.bool_)
    for name in partition.nodes:
        if name not in nodes.numbers:
            raise ValueError(
                f"partition {partition.name} of the site is on {name}, which the machine does not have; its nodes must "
                "have the names of the site's, as those of MachineSpec.of_site(site) have"
            )
        mask[nodes.numbers[name]] = True
    return mask
