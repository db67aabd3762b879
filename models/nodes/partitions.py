"""The nodes on which jobs may be, where a site has partitions.

A job is in the partition that it names, or that its ``queue`` names (`Site.partition_of`).
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
        self._known: dict[tuple[Any, Any], Partition] = {}
        self.masks: Mapping[str, NDArray[np.bool_]] = {each.name: _mask(each, nodes) for each in site.partitions}
        """For each partition, which nodes are in it."""
        self._everywhere = {name for name, mask in self.masks.items() if mask.all()}

    def confined(self, request: NodeRequest, partition: Any, queue: Any) -> NodeRequest:
        """What a job asks for in the partition that it names."""
        if (found := self._known.get((partition, queue))) is None:
            found = self._known[partition, queue] = self._site.partition_of(partition, queue)
        if found.name in self._everywhere and not found.exclusive:
            return request
        return replace(request, partition=found.name, exclusive=request.exclusive or found.exclusive)


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
