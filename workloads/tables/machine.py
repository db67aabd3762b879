"""How wide jobs are on the machine of their data set, and what they request of its nodes.

A processor is a core. A job that has its nodes for itself (``whole_nodes``, but for partitions that are ``shared``) has
all cores and GPUs of them. A job without a number of nodes is on as few as hold its cores and GPUs, and one without a
number of cores has a core for each GPU, else for each node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole, pd
from thinktime.workloads.nodes import MEMORY, Nodes
from thinktime.workloads.sacct.resources import Wants, request
from thinktime.workloads.tables.mapping import MachineRule, Mapping

LARGEST_REQUEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Widths:
    """What each job has, and what it asked for."""

    nodes: AnyArray
    allocated: Whole
    asked: Whole
    """Processors; where nothing else is known, those that it had."""
    gpus: AnyArray
    whole: Flags
    """Whether it has its nodes for itself."""
    kind: AnyArray
    """Which of the machine's kinds of nodes it is for."""

    def wider_than(self, kinds: Sequence[MachineRule]) -> Flags:
        """The jobs that the machine cannot hold."""
        if not kinds:
            return np.zeros(len(self.nodes), np.bool_)
        most = np.array([each.nodes for each in kinds])
        total = sum(each.nodes * each.cores for each in kinds)
        allowed = np.where(self.whole, most[self.kind], most.sum())
        found: Flags = (self.nodes > allowed) | (np.maximum(self.allocated, self.asked) > total)
        return found


def widths(
    columns: dict[str, AnyArray], how: Mapping, kinds: Sequence[MachineRule], names: dict[str, list[str]]
) -> Widths:
    """The widths of jobs, whose columns are by the roles of the mapping; what a job lacks is 0."""
    jobs = len(columns["submit"])
    given = {
        role: columns.get(role, np.full(jobs, -1, np.int64))
        for role in ("nodes", "nodes_asked", "cores", "cores_asked", "gpus")
    }
    gpus = np.maximum(given["gpus"], 0)
    kind = _kinds(columns, gpus, kinds, names.get("kind", []))
    of_cores = np.array([each.cores for each in kinds] or [LARGEST_REQUEST])[kind]
    of_gpus = np.array([_gpus(each) or LARGEST_REQUEST for each in kinds] or [LARGEST_REQUEST])[kind]
    had = _or(given["cores"], given["cores_asked"])
    nodes = _or(given["nodes"], given["nodes_asked"])
    some = (had > 0) | (gpus > 0)
    fewest = np.maximum(-(-np.maximum(had, 1) // of_cores), -(-gpus // of_gpus))
    nodes = np.where(nodes > 0, nodes, np.where(some, fewest, 0))
    whole = np.full(jobs, how.whole_nodes and bool(kinds))
    if how.shared and "partition" in columns:
        sharing = [code for code, name in enumerate(names["partition"]) if name in how.shared]
        whole &= ~np.isin(columns["partition"], sharing)
    alone = np.where(had > 0, np.maximum(had, nodes), np.maximum(nodes, gpus))
    allocated = np.where(whole, nodes * of_cores, alone)
    wanted = _or(given["cores_asked"], had)
    wanted_nodes = _or(given["nodes_asked"], nodes)
    asked = np.where(whole, wanted_nodes * of_cores, np.where(wanted > 0, np.maximum(wanted, nodes), alone))
    gpus = np.where(whole & (of_gpus < LARGEST_REQUEST), nodes * of_gpus, gpus)
    none = nodes <= 0
    small = (nodes.astype(np.int32), np.where(none, 0, allocated), np.where(none, 0, asked), gpus.astype(np.int32))
    return Widths(*small, whole, kind.astype(np.int8))  # small types, since there may be tens of millions of jobs


def requests(
    wide: Widths, memory: Floats | None, kinds: Sequence[MachineRule], queues: AnyArray, queue_names: Sequence[str]
) -> list[str]:
    """The words after field 18 of every job; ``memory`` is in bytes per job, where it is to be requested."""
    columns: list[AnyArray] = [queues, wide.nodes, wide.asked, wide.gpus, wide.whole.astype(np.int64), wide.kind]
    if memory is not None:
        columns.append(np.nan_to_num(memory))
    codes, first = _distinct(columns)
    texts = [_words(row, wide, memory, kinds, queues, queue_names) for row in first.tolist()]
    return np.array(texts, object)[codes].tolist()  # type: ignore[no-any-return]


def asks_memory(nodes: Nodes | None) -> bool:
    """Whether requests for nodes have memory: where the machine says how much there is."""
    return nodes is not None and MEMORY in nodes.resources


def most_at_once(start: Floats, end: Floats, size: Whole) -> int:
    """The largest total size of jobs running at once, ends before starts."""
    moments, sizes = np.concatenate([end, start]), np.concatenate([-size, size])
    order = np.argsort(moments, kind="stable")
    return max(int(np.cumsum(sizes[order]).max(initial=0)), int(size.max(initial=0)))


def _words(
    row: int, wide: Widths, memory: Floats | None, kinds: Sequence[MachineRule], queues: AnyArray, names: Sequence[str]
) -> str:
    code = int(queues[row])
    queue = "_".join(names[code].split()) if code >= 0 else "-"
    rule = kinds[int(wide.kind[row])]
    gpus, processors = int(wide.gpus[row]), int(wide.asked[row])
    resource = "gpus" if rule.gpus or not rule.resources else next(iter(rule.resources))
    named = (rule.name,) if len(kinds) > 1 and wide.whole[row] else ()
    bytes_of_job = 0.0 if memory is None or not np.isfinite(memory[row]) else float(memory[row])
    wanted = Wants({resource: gpus} if gpus else {}, named)
    each = request(
        int(wide.nodes[row]), processors, bytes_of_job / 1024 / processors, wanted, exclusive=bool(wide.whole[row])
    )
    return f"- {queue or '-'} {each}"


def _kinds(columns: dict[str, AnyArray], gpus: Whole, kinds: Sequence[MachineRule], names: Sequence[str]) -> Whole:
    """The kind of nodes of each job: the one that it names, else one with GPUs if it has GPUs, else the first."""
    found = np.zeros(len(gpus), np.int64)
    having = [place for place, each in enumerate(kinds) if _gpus(each)]
    if having and not _gpus(kinds[0]):
        found[gpus > 0] = having[0]
    if "kind" in columns:
        known = {each.name: place for place, each in enumerate(kinds)}
        table = np.array([*(known.get(name, -1) for name in names), -1])
        named = table[columns["kind"]]
        found = np.where(named >= 0, named, found)
    return found


def _gpus(rule: MachineRule) -> int:
    return rule.gpus or next(iter(rule.resources.values()), 0)


def _or(first: Whole, second: Whole) -> Whole:
    return np.where(first > 0, first, second)


def _distinct(columns: Sequence[AnyArray]) -> tuple[Whole, Whole]:
    """A code for each combination of values, and the first row of each code."""
    factorize: Any = pd.factorize
    codes, _ = factorize(columns[0])
    for column in columns[1:]:
        more, values = factorize(column)
        codes, _ = factorize(codes.astype(np.int64) * (len(values) + 1) + more)
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return codes, first


def processors_of(kinds: Sequence[MachineRule]) -> int:
    """All processors of the machine; 0 if it is not known."""
    return sum(each.nodes * each.cores for each in kinds)
