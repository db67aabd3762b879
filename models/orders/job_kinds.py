"""What the jobs of a site count for: whose they are, under which QOS in which partition, and what they ask for.

A job names its partition, and its ``queue`` names its QOS (or a partition, if there is no such QOS). What it does not
name is the default: the site's partition, and the QOS of the user's association (else ``normal``). A *kind* of jobs is
a partition with a QOS.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from thinktime.models.engine.codes import multifactor as of
from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.labels import distinct
from thinktime.models.jobs.pool import Pool
from thinktime.models.orders.account_nodes import AccountNodes
from thinktime.models.site.accounts import Association
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import resource_of, typed
from thinktime.workloads.arrays import Floats, Ints
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import PROCESSORS, Nodes

COUNTED = ("cpu", "node")
"""Resources that the engine counts itself; all others are summed up beforehand."""
UNITS = {"mem": 2.0**30}
"""How much of a resource a billing weight is for, where it is not one."""


class JobKinds:
    """The partitions and QOS of a site on a machine, and the weights of resources.

    ``factors`` are the weights of the factors by name. With ``tiers``, jobs of higher tiers come first.
    """

    def __init__(self, site: Site | None, pool: Pool, factors: Mapping[str, float], tiers: bool) -> None:
        self._site = site
        self._tree = None if site is None or not site.accounts.users else site.accounts
        self._partitions = [Partition("main")] if site is None else list(site.partitions)
        self._qos: list[QOS | None] = [None] if site is None else [None, *site.qos]
        self._default = 0 if site is None else self._partitions.index(site.partition())
        self._of_partition = {} if site is None else {each.name: k for k, each in enumerate(site.partitions)}
        self._of_qos = {} if site is None else {each.name: k + 1 for k, each in enumerate(site.qos)}
        self._flags = frozenset[str]() if site is None else site.priority.flags
        self._others = {name: weight for name, weight in factors.items() if "/" in name or name == "mem"}
        own = getattr(pool, "site", None)
        self._nodes: Nodes | None = None if own is None else own.nodes
        self._widest = int(self._cpus(self._nodes).max()) if self._nodes else 1
        self.totals = float(pool.processors), float(self._nodes.count if self._nodes else 0)
        """Processors and nodes of the machine; no nodes where it has only processors."""
        self._of_site = None if site is None else site.nodes
        self._table = self._rows(tiers)

    def table(self) -> Floats:
        """The numbers of all kinds, one after the other (`thinktime.models.orders.priorities`)."""
        return self._table.ravel()

    def usual(self, association: Association) -> int:
        """The kind of an association's jobs that name no queue."""
        return self._kind(self._default, 0, association)

    def home(self, nodes: AccountNodes, user: Any) -> int:
        """The node of a user's jobs that name no account; 0 if there is none."""
        return self._node(nodes, user, None, self._partitions[self._default].name)

    def of(
        self, nodes: AccountNodes, home: Ints, usual: Ints, names: dict[str, list[Any]], jobs: Requests, rows: Ints
    ) -> tuple[Ints, Ints]:
        """The node and the kind of each of some jobs."""
        kinds, place = distinct(jobs, names, rows)
        found = np.empty((len(kinds), 2), np.int64)
        for k, (codes, (user, account, queue, named)) in enumerate(kinds):
            partition, qos = self._placed(named, queue)
            if self._tree is None or (account is None and partition == self._default):
                node = int(home[1 + codes[0]])
            else:
                node = self._node(nodes, user, account, self._partitions[partition].name)
            silent = queue is None and named is None
            found[k] = node, usual[node] if silent else self._kind(partition, qos, nodes.associations[node])
        return found[place, 0], found[place, 1]

    def partitions(self, kinds: Ints) -> Ints:
        """The places of the partitions of some kinds in the site."""
        return kinds // len(self._qos)

    def placed(self, kind: int) -> tuple[Partition, QOS | None]:
        """The partition and the QOS of a kind."""
        partition, qos = divmod(kind, len(self._qos))
        return self._partitions[partition], self._qos[qos]

    def amounts(
        self, pool: Pool, rows: Ints, kinds: Ints, names: Iterable[str], asks: tuple[Ints, Ints] | None = None
    ) -> dict[str, Floats]:
        """What each of some jobs asks for of some resources; whole nodes count with all their processors.

        ``asks`` are processors, and kinds of requests to nodes, that they would ask for instead of their own.
        """
        out, partitions = np.zeros((len(rows), of.OF_ROW)), self.partitions(kinds)
        found = self._amounts(pool, rows, partitions, {*names} - {*COUNTED}, out, asks)
        processors = pool.requests.processors[rows] if asks is None else asks[0]
        found["cpu"] = np.where(out[:, of.C] > 0, out[:, of.C], processors)
        found["node"] = out[:, of.N]
        if "billing" in found:
            for k in np.unique(partitions).tolist():
                its = partitions == k
                weights = self._partitions[k].billing_weights or {"cpu": 1.0}
                parts = ((weight / UNITS.get(name, 1.0), found.get(name)) for name, weight in weights.items())
                found["billing"][its] = sum(weight * each[its] for weight, each in parts if each is not None)
        return found

    def asked(self, pool: Pool, rows: Ints, kinds: Ints) -> Floats:
        """What each of some jobs asks for besides processors, and its nice value: `OF_ROW` numbers each."""
        out = np.zeros((len(rows), of.OF_ROW))
        out[:, of.OWN_NICE] = pool.requests.nice[rows]
        partitions = self.partitions(kinds)
        named = {*self._others, *(name for each in self._partitions for name in each.billing_weights)} - {*COUNTED}
        amounts = self._amounts(pool, rows, partitions, named, out)
        for k, partition in enumerate(self._partitions):
            its = partitions == k
            if not its.any():
                continue
            for name, weight in self._others.items():
                total = self._total(partition, name)
                if total > 0:
                    out[its, of.POINTS] += weight * (amounts[name][its] / total)
            for name, weight in partition.billing_weights.items():
                if name in COUNTED or name not in amounts:
                    continue
                billed = weight * amounts[name][its] / UNITS.get(name, 1.0)
                most = "MAX_TRES" in self._flags
                out[its, of.BILLED] = np.maximum(out[its, of.BILLED], billed) if most else out[its, of.BILLED] + billed
        return out

    def _amounts(
        self, pool: Pool, rows: Ints, partitions: Ints, named: Iterable[str], out: Floats,
        asks: tuple[Ints, Ints] | None = None,
    ) -> dict[str, Floats]:  # fmt: skip
        """What jobs ask of other resources; nodes, and the processors of whole nodes, are written to ``out``."""
        amounts = {name: np.zeros(len(rows)) for name in named}
        if self._nodes is None:
            if "mem" in amounts:
                processors = pool.requests.processors[rows] if asks is None else asks[0]
                amounts["mem"][:] = np.nan_to_num(pool.requests.memory[rows]) * processors
            return amounts
        site: Any = pool
        shapes, place = np.unique(site.site.shape[rows] if asks is None else asks[1], return_inverse=True)
        requests = [site.site.kinds[shape] for shape in shapes.tolist()]
        for name, column in amounts.items():
            column[:] = np.array([_asked(each, name) for each in requests])[place]
        out[:, of.N] = np.array([self._nodes_of(each) for each in requests])[place]
        out[:, of.NAMED] = np.where(np.array([each.apart for each in requests])[place], out[:, of.N], 1.0)
        exclusive = np.array([each.exclusive for each in self._partitions])[partitions]
        exclusive |= np.array([each.exclusive for each in requests])[place]
        whole = np.array([self._whole(each) for each in requests])[place]
        out[exclusive, of.C] = whole[exclusive]
        return amounts

    def _nodes_of(self, request: NodeRequest) -> float:
        """How many nodes a job asks for: the fewest it could do with, if it does not say."""
        if request.apart:
            return float(sum(chunk.count for chunk in request.chunks))
        return float(-(-request.processors // self._widest))

    def _whole(self, request: NodeRequest) -> float:
        """The processors of whole nodes for a job: of nodes of several sizes, the smallest that would do."""
        assert self._nodes is not None
        cpus, total = self._cpus(self._nodes), 0.0
        for chunk in request.chunks:
            will_do = self._nodes.having(chunk.properties) & (cpus >= chunk.processors)
            count = chunk.count if request.apart else self._nodes_of(request)
            total += count * float(cpus[will_do].min(initial=self._widest))
        return total

    def _rows(self, tiers: bool) -> Floats:
        """The table of all kinds."""
        table = np.zeros((len(self._partitions) * len(self._qos), of.OF_KIND))
        most = 1 if self._raw("PART") else max(max(each.job_factor for each in self._partitions), 1)
        levels = sorted({each.tier for each in self._partitions})
        highest = 1 if self._raw("QOS") else max(max(each.priority if each else 0 for each in self._qos), 1)
        kinds = ((partition, qos) for partition in self._partitions for qos in self._qos)
        for k, (partition, qos) in enumerate(kinds):
            weights = partition.billing_weights or {"cpu": 1.0}
            table[k, of.OF_PARTITION] = partition.job_factor / most if self._of_partition else 0.0
            table[k, of.OF_QOS] = qos.priority / highest if qos else 0.0
            table[k, of.USAGE_FACTOR] = qos.usage_factor if qos else 1.0
            table[k, of.CPUS], table[k, of.NODES] = self._total(partition, "cpu"), self._total(partition, "node")
            table[k, of.PER_CPU], table[k, of.PER_NODE] = weights.get("cpu", 0.0), weights.get("node", 0.0)
            table[k, of.TIER] = levels.index(partition.tier) if tiers else 0
        return table

    def _raw(self, what: str) -> bool:
        return bool({f"NO_NORMAL_{what}", "NO_NORMAL_ALL"} & self._flags)

    def _total(self, partition: Partition, name: str) -> float:
        """What a partition has of a resource."""
        if self._raw("TRES"):
            return 1.0
        nodes = self._nodes or self._of_site if partition.nodes is None else self._of_site
        if nodes is None or (self._nodes is None and partition.nodes is None and name == "cpu"):
            return self.totals[0] if name == "cpu" else 0.0
        chosen = range(nodes.count) if partition.nodes is None else [nodes.numbers[each] for each in partition.nodes]
        plain, type_ = typed(name)
        resource = resource_of(plain)
        if type_:
            having = nodes.having((type_,))
            chosen = [each for each in chosen if having[each]]
        if name == "node":
            return float(len(chosen))
        if resource not in nodes.resources:
            return 0.0
        return float(nodes.capacity[list(chosen), nodes.resources.index(resource)].sum())

    def _cpus(self, nodes: Nodes) -> Ints:
        cpus: Ints = nodes.capacity[:, nodes.resources.index(PROCESSORS)]
        return cpus

    def _placed(self, partition: Any, queue: Any) -> tuple[int, int]:
        """The partition and the QOS that a job names; QOS 0 is the association's."""
        if self._site is None:
            return self._default, 0
        qos = self._site.qos_of(queue)
        named = self._site.partition_of(partition, queue).name
        return self._of_partition[named], 0 if qos is None else self._of_qos[qos.name]

    def _kind(self, partition: int, qos: int, association: Association) -> int:
        if qos == 0 and self._tree is not None:
            named = self._tree.inherited(association, "default_qos")
            qos = self._of_qos.get(named or "normal", 0)
        elif qos == 0:
            qos = self._of_qos.get("normal", 0)
        return partition * len(self._qos) + qos

    def _node(self, nodes: AccountNodes, user: Any, account: Any, partition: str) -> int:
        found = None if self._site is None else self._site.association_of(user, account, partition)
        return 0 if found is None else nodes.number[found.key]


def _asked(request: NodeRequest, name: str) -> float:
    """What a request asks for of a trackable resource; of one with a type, only chunks that name the type do."""
    plain, type_ = typed(name)
    if not type_:
        return float(request.amount(resource_of(plain)))
    chunks = (each for each in request.chunks if type_ in each.properties)
    return float(sum(each.count * dict(each.resources).get(resource_of(plain), 0) for each in chunks))
