"""The pool that a machine needs: of processors or of nodes, which may change.

Few machines have nodes or change, so their pools are imported only then.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.workloads.names import quoted

if TYPE_CHECKING:
    from thinktime.models.machine.changing.ranks import Ranks
    from thinktime.models.machine.changing.rules import Changes
    from thinktime.models.machine.power import Power

Fields = dict[str, Any]
"""The fields of a `MachineSpec`."""
MOST_PROCESSORS = 2**53
"""Processors are fewer than this, so that their sums are exact as doubles."""


def pool_of(
    fields: Fields, labels: Labels, changes: Changes | None, ranks: Ranks | None = None, as_recorded: bool = False
) -> Pool:
    """The pool of a machine with these fields; ``ranks`` say who may preempt whom, for which ``changes`` are made.

    On nodes, jobs are confined to the partitions of the site. Below a cap, all of them have a draw.
    """
    caps = [each.watts for each in getattr(changes, "windows", ()) if each.watts < math.inf]
    power: Power | None = fields["power"]
    if caps and power is None:
        from thinktime.models.machine.power import Power

        power = Power()
    if power is None:
        return _pool_of(fields, labels, changes, ranks, as_recorded)
    units = len(fields["nodes"].names) if fields["nodes"] is not None else _checked(fields["processors"])
    power.check(units, "processors" if fields["nodes"] is None else "nodes", caps)
    pool = _pool_of(fields, labels, changes, ranks, as_recorded)
    pool.stay_below(power, units, bool(caps))
    return pool


def _pool_of(fields: Fields, labels: Labels, changes: Changes | None, ranks: Ranks | None, as_recorded: bool) -> Pool:
    nodes, overrun, allocator, site = (fields[name] for name in ("nodes", "overrun", "allocator", "site"))
    if nodes is not None:
        from thinktime.models.machine.nodes.pool import NodePool, check_nodes

        check_nodes(nodes, fields["processors"])
        if changes is None:
            of_nodes = NodePool(nodes, overrun, allocator)
        else:
            from thinktime.models.machine.changing.nodes import ChangingNodes

            of_nodes = ChangingNodes(nodes, overrun, allocator, changes, labels, ranks)
        if site is not None:
            from thinktime.models.machine.nodes.partitions import PartitionNodes

            of_nodes.confine(PartitionNodes(site, nodes), labels.names)
        return of_nodes
    size = _checked(fields["processors"])
    if changes is None:
        return Pool(size, overrun, as_recorded)
    from thinktime.models.machine.changing.pool import ChangingPool
    from thinktime.models.machine.changing.rules import Changes

    if not isinstance(changes, Changes):
        raise TypeError(f"changes must be such as Changes(failures=Failures('30d', '4h')), not {quoted(changes)}")
    return ChangingPool(size, overrun, changes, labels, ranks)


def _checked(processors: Any) -> int:
    if isinstance(processors, bool) or not isinstance(processors, int | np.integer) or processors < 1:
        raise ValueError(f"processors must be a whole number of at least 1, not {quoted(processors)}")
    if processors >= MOST_PROCESSORS:
        raise ValueError(f"processors must be below {MOST_PROCESSORS:,}, not {quoted(processors)}")
    return int(processors)
