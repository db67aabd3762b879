"""Other machines for the expectations study: the same log on fewer nodes (or processors), so that its load is higher.

The paper does not print the load of its machine. How long queues are, and so what a scheduler can do for users,
depends on it more than on anything else that the paper leaves open.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from thinktime.analysis.expectations.evaluated_site import Site
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.nodes import Nodes

LOADS = (0.75, 0.85, 0.95)
"""Offered loads of the machines that the study tries, unless sizes are given (our decision)."""


def sites(base: Site, wanted: Sequence[str] | None = None) -> list[Site]:
    """The wanted sizes of a machine; by default, those with the `LOADS` that exceed its own load."""
    if wanted is None:
        parts = [base.load / load for load in LOADS if load > base.load]
        counts = [[max(1, ceil(part * count)) for count in base.counts] for part in parts]
    else:
        counts = [_parsed(text, base) for text in wanted]
    known = dict.fromkeys(map(tuple, counts))
    return [_smaller(base, each) for each in known if list(each) != base.counts]


def _parsed(text: str, base: Site) -> list[int]:
    """A size in words: numbers of nodes joined by +, one for each cluster, or a number of processors."""
    words = text.strip().split("+")
    needed = len(base.counts)
    if len(words) != needed or not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
        clusters = [] if base.nodes is None else [cluster.name for cluster in base.nodes.clusters]
        wanted = (
            f"numbers of nodes of {', '.join(clusters)}, joined by +, such as {base.size}"
            if clusters
            else f"a number of processors, such as {base.processors}"
        )
        raise ValueError(f"a size of the machine is {wanted}, not {text!r}")
    return [int(word) for word in words]


def _smaller(base: Site, counts: Sequence[int]) -> Site:
    """The same log on another number of nodes of each cluster."""
    if base.nodes is None or base.log is None:
        fits = base.trace.processors <= counts[0]
        site = Site(base.trace.select(fits), counts[0], dropped=int((~fits).sum()))
    else:
        clusters = zip(base.nodes.clusters, counts, strict=True)
        nodes = Nodes([replace(cluster, count=count) for cluster, count in clusters])
        log = read_requests((base.log.whole or base.log).trace, nodes, base.log.memory_unit)
        site = Site(log.trace, nodes.total(), nodes, log, dropped=len(log.left_out))
    if len(site.trace) < 2:
        raise ValueError(
            f"a machine of {site.size} holds {len(site.trace)} jobs of the log, too few for a study"
        )
    return site
