"""A pool whose processors stand in nodes: jobs get concrete nodes, and with them memory and whatever else there is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.kinds import make_state_on_nodes
from thinktime.models.engine.rooms.nodes import find
from thinktime.models.jobs.node_states import NodeSite, Score
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.nodes.partitions import PartitionNodes
from thinktime.models.results.node_record import NodeRecord, amounts_of
from thinktime.workloads.arrays import Rows
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes

LABELS = "partition", "queue"
"""The columns that say where jobs may be, if nodes are in partitions."""


def check_nodes(nodes: Nodes, processors: int | None) -> None:
    """``ValueError`` if the nodes do not have as many processors as the caller says."""
    if not isinstance(nodes, Nodes):
        raise TypeError(f"nodes must be Nodes, such as Nodes.read('x.machines'), not {quoted(nodes)}")
    if processors is not None and processors != nodes.total():
        raise ValueError(f"the nodes have {nodes.total()} processors, not {quoted(processors)}; leave processors out")


class NodePool(Pool):
    """Nodes, the queue in front of them and the jobs on them.

    Where nodes have one processor each and any of them serve every job so far, a number of them is all that policies
    plan with, as on a machine of processors. The allocator then says at the start of a job which nodes they are.
    """

    def __init__(
        self, nodes: Nodes, overrun: str = "kill", allocator: str | Score = "first-fit", named: bool = False
    ) -> None:
        """With ``named``, nodes change one by one."""
        counted = overrun != "until_needed" and not named  # else it matters who is in the way
        self.site = NodeSite(nodes, self.state, allocator, counted, named)
        super().__init__(nodes.total(), overrun)

    partitions: PartitionNodes | None = None
    names: Mapping[str, list[Any]]
    """The labels behind codes, such as the queues'."""

    def confine(self, partitions: PartitionNodes, names: Mapping[str, list[Any]]) -> None:
        """From now on, jobs are on the nodes of their partitions."""
        self.partitions, self.names, self.site.partitions = partitions, names, partitions.masks

    def _make_room(self) -> None:
        self.site.room_for(self.requests.capacity)
        super()._make_room()

    make = staticmethod(make_state_on_nodes)

    def _bound_room(self) -> dict[str, Any]:
        return self.site.arrays()

    def append(self, count: int, runtime: Any, *, asked: Sequence[NodeRequest | None] = (), **columns: Any) -> slice:
        """Add jobs; what is ``asked`` of the nodes is, where nothing is said, the processors wherever they are."""
        with self.all_or_none():
            rows = super().append(count, runtime, **columns)
            self._describe(rows, *self._requests_of(rows, asked), bool(asked))
        return rows

    def append_like(self, rows: Rows, runtime: Any, **columns: Any) -> slice:
        """Add jobs that ask of the nodes what others ask."""
        return super().append_like(rows, runtime, asked=[self.site.request_of(row) for row in rows.tolist()], **columns)

    def _requests_of(self, rows: slice, asked: Sequence[NodeRequest | None]) -> tuple[list[NodeRequest], Rows]:
        """What some jobs ask for, with what they do not say: the kinds of requests, and which of them each job has."""
        jobs = self.requests
        wanted = zip(jobs.processors[rows].tolist(), jobs.memory[rows].tolist(), strict=True)
        given = asked or [None] * (rows.stop - rows.start)
        own = [
            (max(n, 1), 0 if memory != memory else round(memory)) if each is None else id(each)
            for each, (n, memory) in zip(given, wanted, strict=True)
        ]
        labels = [getattr(jobs, name)[rows].tolist() for name in (() if self.partitions is None else LABELS)]
        numbers: dict[tuple[Any, ...], int] = {}
        kind = np.array([numbers.setdefault(key, len(numbers)) for key in zip(own, *labels, strict=True)], np.int64)
        kinds = []
        for key, place in zip(numbers, np.unique(kind, return_index=True)[1].tolist(), strict=True):
            request = given[place] or NodeRequest.packed(*key[0])
            if self.partitions is not None:
                named = zip(LABELS, key[1:], strict=True)
                request = self.partitions.confined(
                    request, *(None if code < 0 else self.names[name][code] for name, code in named)
                )
            kinds.append(request)
        return kinds, kind

    def _describe(self, rows: slice, kinds: Sequence[NodeRequest], kind: Rows, asked: bool) -> None:
        jobs, site = self.requests, self.site
        site.shape[rows] = np.array(self._codes(kinds), np.int64)[kind]
        if asked:
            jobs.processors[rows] = np.array([each.processors for each in kinds], np.int64)[kind]
            memory = [each.memory / each.processors if each.memory else np.nan for each in kinds]
            jobs.memory[rows] = np.array(memory, np.float64)[kind]
        jobs.equivalents[rows] = self.processors * site.share[site.shape[rows]].max(axis=1, initial=0.0)

    def _codes(self, kinds: Sequence[NodeRequest]) -> list[int]:
        """The numbers of kinds of requests, of which it is known then whether they are possible."""
        site, known = self.site, len(self.site.kinds)
        if site.alike and any(map(site.tells_apart, kinds)):
            self.tell_apart()
        codes = site.codes(kinds)
        if len(site.kinds) > known:
            self.bind()
            self.state.passed_over = 0
            for code in range(known, len(site.kinds)):
                site.possible[code] = find(self.state, code, 0, site.capacity.copy())
                site.raise_fault()
        return codes

    def tell_apart(self) -> None:
        """From now on it matters on which nodes jobs are planned; rules put those on nodes that have reservations."""
        site = self.site
        site.alike = False
        self.state.alike = False
        self.state.anywhere = site.counted and self.state.plain
        self.state.passed_over = 0

    def raise_fault(self) -> None:
        """Raise what a user's allocator has raised."""
        self.site.raise_fault()

    def refuse(self, rows: Rows, fault: int, now: float) -> None:
        """The same, and these rows have no places any more."""
        self.site.planned[rows[(rows >= 0) & (rows < self.requests.size)]] = 0
        super().refuse(rows, fault, now)

    def _no_room(self, rows: Rows, place: int, now: float) -> str:
        asked = self.site.request_of(int(rows[place]))
        return f"({asked}) at {now:g} s, but there is no room for it on the nodes then"

    def check(self, job: Job) -> None:
        """``ValueError`` if the job could never run here."""
        codes = self._codes(self._requests_of_job(job))
        if not self.site.possible[codes].any():
            name = "a job" if job.id is None else f"job {job.id}"
            asked = self._requests_of_job(job)[0]
            raise ValueError(f"{name} asks for {asked}, which the nodes could not give even if they were idle")

    def placement(self, rows: Rows) -> NodeRecord:
        """On which nodes the jobs in some rows run or have run, and what they ask."""
        ran = np.isfinite(self.requests.start[rows])
        count = np.zeros(len(rows), np.int64)
        count[ran], nodes = self.site.nodes_of(rows[ran])
        of_kinds = amounts_of(self.site.kinds, self.site.nodes.resources)
        asked = {name: amounts[self.site.shape[rows]] for name, amounts in of_kinds.items()}
        names, totals = self.site.nodes.names, self.site.nodes.totals
        return NodeRecord(names, np.concatenate([[0], np.cumsum(count)]), nodes, asked, totals)

    def _instead(self, size: int) -> dict[int, Any]:
        """No kinds of requests can be added to a snapshot, so it shares them."""
        shared = [self.partitions, getattr(self, "names", None), *self.site.unchanging()]
        return super()._instead(size) | {id(each): each for each in shared}

    def could_hold(self, rows: Rows) -> NDArray[np.bool_]:
        """Whether each of some jobs could run if the nodes were idle."""
        could: NDArray[np.bool_] = self.site.possible[self.site.shape[rows]] > 0
        return could

    def options_of(self, jobs: Sequence[Job]) -> dict[str, Any]:
        """What jobs ask of the nodes."""
        return {"asked": [job.request for job in jobs]}

    def consider(self, row: int, job: Job) -> None:
        """Let a row that is not submitted ask what a job asks."""
        self._describe(slice(row, row + 1), self._requests_of_job(job)[:1], np.zeros(1, np.int64), asked=True)

    def _requests_of_job(self, job: Job) -> list[NodeRequest]:
        """What a job asks for that is no row yet, in each of its partitions."""
        request = job.request or NodeRequest.packed(job.processors, round(job.memory or 0))
        return [request] if self.partitions is None else self.partitions.each(request, job.partition, job.queue)
