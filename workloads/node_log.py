"""Node requests in a log, after the eighteen standard fields, and requested memory.

Logs of the sites that Alea simulates have up to three words after field 18: the job's nodes, as ``{1241,1241,1129}``,
with one number per processor; its queue by name; and its request, ``2:ppn=12:mem=4gb:…`` (`node_requests`). ``-``
means that the nodes or the queue are unknown. Without a request, the processors may be anywhere.

Field 10, requested memory, is KB per processor in the standard. Logs with requests mean memory per chunk (per
node), and some use bytes. `MEMORY_UNITS` are the choices. ``auto`` means chunks if there are requests and
processors otherwise, and KB unless more jobs fit the nodes when the numbers are bytes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import MEMORY, PROCESSORS, Nodes
from thinktime.workloads.trace import Trace

MEMORY_UNITS = ("auto", "kb-per-processor", "kb-per-chunk", "bytes-per-processor", "bytes-per-chunk")


@dataclass(frozen=True, slots=True, eq=False)
class NodeLog:
    """The jobs of a log that a machine of nodes can run, and their requests."""

    trace: Trace
    requests: list[NodeRequest]
    """One for each job of the trace."""
    queues: AnyArray | None
    """The name of each job's queue (None: unknown), if the log has any."""
    nodes: list[list[int]] | None
    """The nodes of each job in the log, in the log's numbering, if the log has them."""
    memory_unit: str
    dropped: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    machine: Mapping[str, int] = field(default_factory=dict)
    """The total amount of each resource."""
    whole: "NodeLog | None" = None
    """All jobs of the log, if some were left out: those did run on the original machine."""
    left_out: Whole = field(default_factory=lambda: np.empty(0, np.int64))
    """The rows of `whole` that even an idle machine could not run."""

    @property
    def of_one_kind(self) -> Flags:
        """Which jobs ask for pieces of one kind."""
        return np.array([len(each.chunks) == 1 for each in self.requests], np.bool_)

    def first(self, jobs: int) -> "NodeLog":
        """The first `jobs` jobs."""
        few = replace(
            self,
            trace=self.trace.select(np.arange(len(self.trace)) < jobs),
            requests=self.requests[:jobs],
            queues=None if self.queues is None else self.queues[:jobs],
            nodes=None if self.nodes is None else self.nodes[:jobs],
        )
        if self.whole is None:
            return few
        kept = np.delete(np.arange(len(self.whole.trace)), self.left_out)
        reach = int(kept[jobs]) if jobs < len(kept) else len(self.whole.trace)
        return replace(few, whole=self.whole.first(reach), left_out=self.left_out[self.left_out < reach])

    def held_by_no_node(self) -> list[tuple[int, NodeRequest]]:
        """The numbers and requests of the jobs that were left out."""
        if self.whole is None:
            return []
        return [(self.whole.trace.id.item(row), self.whole.requests[row]) for row in self.left_out.tolist()]


def read_requests(trace: Trace, nodes: Nodes, memory_unit: str = "auto") -> NodeLog:
    """Read the requests of a trace's jobs to these nodes.

    Jobs that even an idle machine could not run are counted and left out, except in ``whole`` of the result. Memory is
    left out of the requests of a data set that does not say how much its nodes have.
    """
    if memory_unit not in MEMORY_UNITS:
        raise ValueError(f"the memory unit is {quoted(memory_unit)}, but must be one of {', '.join(MEMORY_UNITS)}")
    words = [each.split() if each else [] for each in trace.extra or [None] * len(trace)]
    asked, odd = _requests(words, trace.processors.tolist())
    unit = memory_unit
    if memory_unit == "auto":
        per = "chunk" if sum(each is not None for each in asked) * 2 > len(asked) else "processor"
        unit = f"{_scale(trace, asked, nodes, per)}-per-{per}"
    unsaid = trace.report.data_set is not None and MEMORY not in nodes.resources
    memory = np.where((trace.requested_memory > 0) & (not unsaid), trace.requested_memory, 0.0)
    memory = np.rint(memory * (1024 if unit.startswith("kb") else 1)).astype(np.int64)
    made: dict[tuple[int, int, int], NodeRequest] = {}
    requests = []
    for each, n, amount in zip(asked, trace.processors.tolist(), memory.tolist(), strict=True):
        if (key := (id(each), n, amount)) not in made:
            made[key] = _with_memory(each, n, amount, unit.endswith("chunk"))
        requests.append(made[key])
    known = {id(request): could_run(request, nodes) for request in made.values()}
    kept = np.array([known[id(request)] for request in requests], np.bool_)
    dropped = {} if kept.all() else {"no node has what it asks for": int((~kept).sum())}
    silent = [each is None or not all(c.memory for c in each.chunks) for each in asked]
    told = memory.any() and not (np.array(silent) & (memory > 0)).any()
    source = "taken from the requests (mem=)" if told else f"(field 10) read as {unit.replace('-', ' ')}"
    of_memory = [f"requested memory {source}"] if memory.any() or memory_unit != "auto" else []
    notes = [*of_memory, *odd, *_granted(requests, nodes), *_never_asked_for(made.values(), nodes)]
    whole = NodeLog(trace, requests, _queues(words), _nodes_of(words), unit, notes=notes, machine=nodes.totals)
    if kept.all():
        return whole
    rows = np.flatnonzero(kept).tolist()
    return NodeLog(
        trace.select(kept),
        [requests[i] for i in rows],
        _queues([words[i] for i in rows]),
        _nodes_of([words[i] for i in rows]),
        unit,
        dropped,
        notes,
        nodes.totals,
        whole,
        np.flatnonzero(~kept),
    )


def _never_asked_for(requests: Iterable[NodeRequest], nodes: Nodes) -> list[str]:
    """A sentence if the nodes have GPUs or the like, and no job of the log asks for any."""
    others = {name for name in nodes.resources if name not in (PROCESSORS, MEMORY) and nodes.total(name)}
    asked = {name for each in requests for chunk in each.chunks for name, _ in chunk.resources}
    if not others or others & asked:
        return []
    return [f"no job of the log asks for {', '.join(sorted(others))}, which the nodes have"]


def could_run(request: NodeRequest, nodes: Nodes) -> bool:
    """Whether the nodes, if idle, have room for each kind of chunk."""
    column = {name: i for i, name in enumerate(nodes.resources)}
    for chunk in request.chunks:
        if any(name not in column for name, _ in chunk.resources):
            return False
        pieces = np.full(nodes.count, chunk.count, np.int64)
        for name, amount in chunk.resources:
            if amount:
                pieces = np.minimum(pieces, nodes.capacity[:, column[name]] // amount)
        if request.apart or request.exclusive:
            pieces = np.minimum(pieces, 1)
        if int(pieces[nodes.having(chunk.properties)].sum()) < chunk.count:
            return False
    return True


def _requests(words: list[list[str]], processors: list[int]) -> tuple[list[NodeRequest | None], list[str]]:
    """The requests after field 18 (None: no request), and notes about them."""
    read: dict[tuple[str, int], NodeRequest | None] = {}
    found: list[NodeRequest | None] = []
    unread = other = 0
    for line, n in zip(words, processors, strict=True):
        if len(line) < 3:
            found.append(None)
            continue
        key = (line[2], n)
        if key not in read:
            read[key] = _request(*key)
        request = read[key]
        unread += request is None
        other += request is not None and request.processors != n
        found.append(request)
    notes = [f"{unread} requests could not be parsed: their processors may be anywhere"] if unread else []
    notes += [f"{other} requests differ from the log's field 8 in the number of processors"] if other else []
    return found, notes


def _request(text: str, processors: int) -> NodeRequest | None:
    """Parse one request; a single chunk without ppn gets an equal share of the log's processors per node."""
    try:
        request = NodeRequest.parse(text)
        silent = "ppn=" not in text and len(request.chunks) == 1
        share = processors // request.chunks[0].count
        return NodeRequest.parse(text, ppn=share) if silent and share >= 1 else request
    except ValueError:
        return None


def _with_memory(request: NodeRequest | None, processors: int, memory: int, per_chunk: bool) -> NodeRequest:
    if request is None:
        return NodeRequest.packed(processors, memory // processors if per_chunk else memory)
    return request.with_memory(per_chunk=memory) if per_chunk else request.with_memory(per_processor=memory)


def _scale(trace: Trace, asked: list[NodeRequest | None], nodes: Nodes, per: str) -> str:
    """``kb``, unless more than twice as many jobs with requested memory fit a node when it is in bytes."""
    if MEMORY not in nodes.resources:
        return "kb"
    most = int(nodes.capacity[:, nodes.resources.index(MEMORY)].max())
    memory = trace.requested_memory
    pieces = np.array(
        [1 if each is None else max(chunk.processors for chunk in each.chunks) for each in asked], np.float64
    )
    each = memory if per == "chunk" else memory * pieces
    asks = memory > 0
    in_kb, in_bytes = int((each[asks] * 1024 <= most).sum()), int((each[asks] <= most).sum())
    return "kb" if 2 * in_kb >= in_bytes else "bytes"


def _queues(words: list[list[str]]) -> AnyArray | None:
    names = [line[1] if len(line) >= 3 and line[1] != "-" else None for line in words]
    return np.array(names, object) if any(names) else None


def _nodes_of(words: list[list[str]]) -> list[list[int]] | None:
    found = [
        sorted({int(v) for v in line[0][1:-1].split(",")})
        if line and re.fullmatch(r"\{\d+(,\d+)*\}", line[0], re.ASCII)
        else []
        for line in words
    ]
    return found if any(found) else None


def _granted(requests: list[NodeRequest], nodes: Nodes) -> list[str]:
    """A note on requested properties that are not in the machine's description."""
    if nodes.described:
        return []
    known = frozenset().union(*nodes.properties)
    count: Counter[str] = Counter()
    for request in requests:
        words = {word.removeprefix("^") for chunk in request.chunks for word in chunk.properties}
        count.update(
            word for word in words if word not in known and word.removeprefix("host=").partition(".")[0] not in known
        )
    if not count:
        return []
    listed = ", ".join(f"{word} ({times:,})" for word, times in count.most_common(6))
    return [f"properties that the machine's description does not list, taken for granted: {listed}"]
