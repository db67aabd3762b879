"""A machine's nodes: clusters of equal nodes with several resources and properties.

Every node has a whole amount of each resource: ``processors``, ``memory`` (bytes) and any others (``gpus``, …).
Nodes of one kind form a cluster. Jobs may request a node by its properties: those of its cluster and, as in the
batch systems of the PBS family, its cluster's name (``zewura`` and ``cl_zewura``), its own name (``zewura3``,
counted from 1, unless the cluster lists its names) and ``nodecpus80`` (its processors).

`Nodes.read` reads Alea's ``.machines`` files: a line per cluster with id, name, nodes, processors per node, speed,
memory per node (KB) and optionally properties (separated by commas or colons; ``-`` for none) and GPUs per node.
Speeds are not used.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from thinktime.workloads.arrays import Flags, Whole
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.reading.table import Codec, OfTable, Rows, Table, form_of
from thinktime.workloads.reading.values import HostNames, NameSet, memory_of, memory_text
from thinktime.workloads.text_files import text_of

PROCESSORS, MEMORY = "processors", "memory"
COLUMNS = (
    "id", "name", "nodes", "processors per node", "speed", "memory per node in KB", "properties", "GPUs",
)  # fmt: skip
WHOLE = {0, 2, 3, 5, 7}  # the columns that hold whole numbers


MOST_NODES = 1_000_000
"""The largest number of nodes of a cluster, and of a machine; more are a mistake."""


def _amounts(given: Any) -> dict[str, Any]:
    try:
        return {name: memory_of(each) if name == MEMORY else each for name, each in given.items()}
    except ValueError as error:
        raise OfTable(str(error)) from None


def _texts(amounts: Mapping[str, int]) -> dict[str, Any]:
    return {name: memory_text(int(each)) if name == MEMORY else int(each) for name, each in amounts.items()}


@dataclass(frozen=True, slots=True)
class Cluster(Table):
    """``count`` equal nodes.

    ``resources`` maps names to amounts per node; ``memory`` is in bytes. Jobs may request nodes by ``properties``.
    ``names`` are those of the nodes; without any, they are the cluster's name and a number from 1.

    ``ValueError`` for no nodes, no processors, and amounts that are no whole numbers.

    >>> Cluster("thin", 4, {"processors": 16, "memory": 64 * 10**9}).count
    4
    """

    name: str
    count: int
    resources: Annotated[Mapping[str, int], Codec(_amounts, _texts)]
    properties: NameSet = field(default_factory=frozenset)
    names: HostNames = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", frozenset(self.properties))
        object.__setattr__(self, "names", tuple(self.names))
        if not isinstance(self.name, str):
            raise ValueError(f"the name of a cluster must be a text, not {quoted(self.name)}")
        if self.count < 1:
            raise ValueError(f"cluster {quoted(self.name)} must have at least 1 node, not {quoted(self.count)}")
        if self.count > MOST_NODES:
            raise ValueError(f"cluster {quoted(self.name)} has {quoted(self.count)} nodes, more than {MOST_NODES:,}")
        if self.names and len(self.names) != self.count:
            raise ValueError(f"cluster {quoted(self.name)} has {self.count} nodes, but {len(self.names)} names of them")
        for resource, amount in self.resources.items():
            if isinstance(amount, bool) or not isinstance(amount, int | np.integer) or not 0 <= amount < 2**62:
                raise ValueError(
                    f"cluster {quoted(self.name)}: {shortened(resource)} must be a whole number of at least 0, "
                    f"not {quoted(amount)}"
                )
        if self.resources.get(PROCESSORS, 0) < 1:
            raise ValueError(f"a node of cluster {quoted(self.name)} must have at least 1 of 'processors'")

    @classmethod
    def completed(cls, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """Without a count, there are as many nodes as names."""
        if "name" not in table or not isinstance(table.get("resources"), Mapping):
            raise ValueError("needs a name and resources such as { processors = 8, memory = '16G' }")
        count = {} if "count" in table else {"count": len(form_of(cls).value("names", table.get("names", ())))}
        return {**table, **count}

    def __hash__(self) -> int:
        return hash((self.name, self.count, frozenset(self.resources.items()), self.properties, self.names))

    @property
    def node_names(self) -> tuple[str, ...]:
        """The names of its nodes."""
        return self.names or tuple(f"{self.name}{k + 1}" for k in range(self.count))


@dataclass(frozen=True)
class Nodes:
    """All nodes of a machine, numbered from 0 in the order of their clusters.

    ``ValueError`` for no clusters, and for names that repeat.

    >>> thin, fat = Cluster("thin", 4, {"processors": 16}), Cluster("fat", 1, {"processors": 64, "gpus": 4})
    >>> Nodes([thin, fat]).total()
    128
    """

    clusters: tuple[Cluster, ...]

    def __init__(self, clusters: Sequence[Cluster]) -> None:
        object.__setattr__(self, "clusters", tuple(clusters))
        if not self.clusters:
            raise ValueError("a machine of nodes needs at least one cluster")
        _check_unique("clusters", [cluster.name for cluster in self.clusters])
        if (total := sum(cluster.count for cluster in self.clusters)) > MOST_NODES:
            raise ValueError(f"there are {total:,} nodes, more than {MOST_NODES:,}")
        if any(cluster.names for cluster in self.clusters):
            _check_unique("nodes", self.names)

    @classmethod
    def uniform(cls, count: int, processors: int, memory: int = 0, **resources: int) -> "Nodes":
        """``count`` equal nodes: ``Nodes.uniform(16, processors=64, memory=256 * 2**30, gpus=4)``."""
        amounts = {PROCESSORS: processors} | ({MEMORY: memory} if memory else {}) | resources
        return cls([Cluster("node", count, amounts)])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Nodes":
        """Read Alea's ``.machines`` file; raises ``ValueError`` with the number of a wrong line."""
        file = Path(path)
        if not file.exists():
            raise FileNotFoundError(f"there is no machines file {path}")
        text = text_of(file)
        clusters = []
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if words and words[0][0] not in ";#":
                clusters.append(_cluster(words, f"{path}, line {number}"))
        if not clusters:
            raise ValueError(f"{path} describes no machines: it has no cluster lines")
        return cls(clusters)

    @property
    def count(self) -> int:
        """The number of nodes."""
        return len(self.names)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The names of all resources: processors first, then memory if any node has some."""
        seen = dict.fromkeys(name for cluster in self.clusters for name in cluster.resources)
        first = [name for name in (PROCESSORS, MEMORY) if name in seen]
        return (*first, *sorted(seen.keys() - set(first)))

    @cached_property
    def capacity(self) -> Whole:
        """The amount of each resource on each node: nodes × resources."""
        rows = [
            [int(cluster.resources.get(name, 0)) for name in self.resources]
            for cluster in self.clusters
            for _ in range(cluster.count)
        ]
        table = np.array(rows, np.int64)
        table.setflags(write=False)
        return table

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all nodes, cluster by cluster."""
        return tuple(name for cluster in self.clusters for name in cluster.node_names)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each node, by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def properties(self) -> tuple[frozenset[str], ...]:
        """The properties of each node."""
        of_nodes = []
        for cluster in self.clusters:
            common = cluster.properties | {
                cluster.name, f"cl_{cluster.name}", f"nodecpus{cluster.resources[PROCESSORS]}",
            }  # fmt: skip
            of_nodes += [common | {name} for name in cluster.node_names]
        return tuple(of_nodes)

    @cached_property
    def described(self) -> bool:
        """Whether any cluster lists properties; otherwise unknown properties are assumed on all nodes."""
        return any(cluster.properties for cluster in self.clusters)

    def total(self, resource: str = PROCESSORS) -> int:
        """The total amount of a resource; 0 if there is no such resource."""
        return sum(int(cluster.resources.get(resource, 0)) * cluster.count for cluster in self.clusters)

    @cached_property
    def totals(self) -> dict[str, int]:
        """The total amount of each resource."""
        return {name: self.total(name) for name in self.resources}

    def having(self, wanted: Sequence[str]) -> Flags:
        """Which nodes have all wanted properties; ``^x`` means without x, ``host=NAME`` the node NAME.

        A host's domain is ignored (``zewura3.cerit-sc.cz`` is ``zewura3``). If the clusters list no properties,
        unknown ones are assumed on all nodes.
        """
        mask = np.ones(self.count, np.bool_)
        known = frozenset().union(*self.properties)
        for word in wanted:
            without = word.startswith("^")
            name = word.removeprefix("^").removeprefix("host=")
            if name not in known and name.partition(".")[0] in self.names:
                name = name.partition(".")[0]
            if name not in known and not (self.described or word.startswith("host=")):
                continue
            has = np.array([name in properties for properties in self.properties])
            mask &= ~has if without else has
        return mask

    def __repr__(self) -> str:
        parts = [
            f"{cluster.count} × {cluster.name} ("
            + ", ".join(f"{amount:,} {name}" for name, amount in cluster.resources.items())
            + ")"
            for cluster in self.clusters
        ]
        return f"<Nodes: {'; '.join(parts)}>"


def _check_unique(kind: str, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"the name {quoted(name)} is used for two {kind}")


def _cluster(words: list[str], where: str) -> Cluster:
    if len(words) < 5:
        raise ValueError(f"{where}: found {len(words)} columns, but at least 5 are needed ({', '.join(COLUMNS[:6])})")
    for place, (name, word) in enumerate(zip(COLUMNS, words, strict=False)):
        if place in WHOLE and not re.fullmatch(r"\d+", word, re.ASCII):
            raise ValueError(f"{where}, column {place + 1} ({name}): {quoted(word)} is not a whole number")
    amounts = {PROCESSORS: int(words[3])}
    if len(words) > 5:
        amounts[MEMORY] = int(words[5]) * 1024
    if len(words) > 7:
        amounts["gpus"] = int(words[7])
    listed = words[6] if len(words) > 6 else "-"
    properties = frozenset(re.split(r"[,:;]", listed)) - {"", "-", "none", "null"}
    try:
        return Cluster(words[1], int(words[2]), amounts, properties)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


NODES = Rows(Cluster, Nodes, "cluster", attrgetter("clusters"))
"""How nodes are read and written: a table for each cluster."""
