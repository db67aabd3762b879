"""Other machines for the expectations study: the same log on fewer nodes (or processors), so that its load is higher.

The paper does not print the load of its machine. How long queues are, and so what a scheduler can do for users,
hangs on it more than on anything else that the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from thinktime.workloads.node_log import NodeLog, read_requests
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.trace import Trace

LOADS = (0.75, 0.85, 0.95)
"""Offered loads of the machines that the study tries, where nothing else is asked for (our decision)."""


@dataclass(frozen=True)
class Site:
    """A machine, and the jobs of the log that it can run."""

    trace: Trace
    processors: int
    nodes: Nodes | None = None
    log: NodeLog | None = None
    size: str = ""
    """The machine in short: ``15+34`` nodes of its clusters, or its processors."""
    dropped: int = 0
    """Jobs of the log that the machine cannot hold."""

    @property
    def load(self) -> float:
        """Work over what the machine could do from the first to the last submission."""
        return offered_load(self.trace, self.processors)


def site_of(trace: Trace, processors: int, nodes: Nodes | None = None, log: NodeLog | None = None) -> Site:
    """The machine as it is described."""
    counts = [processors] if nodes is None else [cluster.count for cluster in nodes.clusters]
    dropped = 0 if log is None else len(log.left_out)
    return Site(trace, processors, nodes, log, _name(counts), dropped)


def sites(base: Site, wanted: Sequence[str] | None = None) -> list[Site]:
    """The wanted sizes of a machine, or those under which the load is one of `LOADS` (none that is below its own)."""
    if wanted is None:
        parts = [base.load / load for load in LOADS if load > base.load]
        counts = [[max(1, ceil(part * count)) for count in _counts(base)] for part in parts]
    else:
        counts = [_parsed(text, base) for text in wanted]
    known = dict.fromkeys(map(tuple, counts))
    return [_smaller(base, each) for each in known if list(each) != _counts(base)]


def _counts(base: Site) -> list[int]:
    return [base.processors] if base.nodes is None else [cluster.count for cluster in base.nodes.clusters]


def _parsed(text: str, base: Site) -> list[int]:
    """A size in words: numbers of nodes joined by +, one for each cluster, or a number of processors."""
    words = text.strip().split("+")
    needed = len(_counts(base))
    if len(words) != needed or not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
        clusters = [] if base.nodes is None else [cluster.name for cluster in base.nodes.clusters]
        wanted = (
            f"numbers of nodes of {', '.join(clusters)}, joined by +, such as {_name(_counts(base))}"
            if clusters
            else f"a number of processors, such as {base.processors}"
        )
        raise ValueError(f"a size of the machine is {wanted}, not {text!r}")
    return [int(word) for word in words]


def _smaller(base: Site, counts: Sequence[int]) -> Site:
    """The same log on another number of nodes of each cluster."""
    if base.nodes is None or base.log is None:
        fits = base.trace.processors <= counts[0]
        trace, dropped = base.trace.select(fits), int((~fits).sum())
        site = Site(trace, counts[0], size=_name(counts), dropped=dropped)
    else:
        clusters = zip(base.nodes.clusters, counts, strict=True)
        nodes = Nodes([replace(cluster, count=count) for cluster, count in clusters])
        log = read_requests((base.log.whole or base.log).trace, nodes, base.log.memory_unit)
        site = Site(log.trace, nodes.total(), nodes, log, _name(counts), len(log.left_out))
    if len(site.trace) < 2:
        raise ValueError(
            f"a machine of {site.size} holds {len(site.trace)} jobs of the log, too few for a study"
        )
    return site


def _name(counts: Sequence[int]) -> str:
    return "+".join(map(str, counts))
