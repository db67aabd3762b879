"""A pool whose processors stand in nodes: jobs get concrete nodes, and with them memory and whatever else there is.

It does what a `Pool` does, in the same columns, and keeps a `NodeSite` in step: nothing runs that has no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from thinktime.models.nodes.site import NodeSite, Score
from thinktime.models.pool import PolicyError, Pool, Rows
from thinktime.models.results.node_record import NodeRecord, amounts_of, record_of
from thinktime.models.state import State
from thinktime.workloads.job import Job
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes


class NodePool(Pool):
    """Nodes, the queue in front of them and the jobs on them."""

    def __init__(self, nodes: Nodes, overrun: str = "kill", allocator: str | Score = "first-fit") -> None:
        self.site = NodeSite(nodes, allocator)
        super().__init__(nodes.total(), overrun)

    def _make_room(self) -> None:
        super()._make_room()
        self.site.room_for(self.requests.capacity)

    def append(
        self, count: int, runtime: Any, *, asked: Sequence[NodeRequest | None] = (), **columns: Any
    ) -> slice:
        """Add jobs; what is ``asked`` of the nodes is, where nothing is said, the processors wherever they are."""
        with self.all_or_none():
            rows = super().append(count, runtime, **columns)
            self._describe(rows, asked)
        return rows

    def append_like(self, rows: Rows, runtime: Any, **columns: Any) -> slice:
        """Add jobs that ask of the nodes what others ask."""
        return super().append_like(
            rows, runtime, asked=[self.site.request_of(row) for row in rows.tolist()], **columns
        )

    def _describe(self, rows: slice, asked: Sequence[NodeRequest | None]) -> None:
        jobs, site = self.requests, self.site
        wanted = zip(jobs.processors[rows].tolist(), jobs.memory[rows].tolist(), strict=True)
        given = asked or [None] * (rows.stop - rows.start)
        kinds = [
            NodeRequest.packed(max(n, 1), 0 if memory != memory else round(memory)) if each is None else each
            for each, (n, memory) in zip(given, wanted, strict=True)
        ]
        site.describe(rows, np.array(site.codes(kinds), np.int64))
        if asked:
            jobs.processors[rows] = [each.processors for each in kinds]
            jobs.memory[rows] = [each.memory / each.processors if each.memory else np.nan for each in kinds]
        jobs.equivalents[rows] = self.processors * site.share[site.shape[rows]].max(axis=1, initial=0.0)

    def enqueue(self, now: float) -> Rows:
        """Queue the newcomers by id; those that no idle machine could run are refused."""
        future = self.newcomers[self.requests.state[self.newcomers] == State.FUTURE]
        hopeless = future[~self.site.possible[self.site.shape[future]]]
        self.requests.state[hopeless] = State.REFUSED
        return super().enqueue(now)

    def finish_due(self, now: float) -> Rows:
        """End the jobs whose time has come; returns their rows (a view that the next call overwrites)."""
        rows = super().finish_due(now)
        if len(rows):
            self.site.give_back(rows)
        return rows

    def end_now(self, row: int, now: float, state: State) -> None:
        """End one running job before its time."""
        super().end_now(row, now, state)
        self.site.give_back(np.array([row], np.int64))

    def start(self, rows: Rows, now: float) -> Rows:
        """Start the proposed rows where there is room for them, or raise ``PolicyError`` and start none."""
        state = self.requests.state
        proper = ((rows >= 0) & (rows < self.requests.size)).all() and len(np.unique(rows)) == len(rows)
        if not proper or (state[rows] != State.WAITING).any():
            return super().start(rows, now)  # says what is wrong
        fault = self.site.take(rows)
        if fault >= 0:
            row = int(rows[fault])
            raise PolicyError(
                f"proposed to start job {self.requests.id[row]} ({self.site.request_of(row)}) at {now:g} s, "
                "but there is no room for it on the nodes then"
            )
        return super().start(rows, now)

    def check(self, job: Job) -> None:
        """``ValueError`` if the job could never run here."""
        request = job.request or NodeRequest.packed(job.processors, round(job.memory or 0))
        code = self.site.code(request)
        if not self.site.possible[code]:
            name = "a job" if job.id is None else f"job {job.id}"
            raise ValueError(
                f"{name} asks for {request}, which the nodes could not give even if they were idle"
            )

    def record(self, rows: Rows) -> NodeRecord:
        """On which nodes the jobs in some rows run or have run, and what they ask."""
        ran = np.isfinite(self.requests.start[rows])
        nodes = [
            self.site.nodes_of(row) if here else [] for row, here in zip(rows.tolist(), ran, strict=True)
        ]
        of_kinds = amounts_of(self.site.kinds, self.site.nodes.resources)
        asked = {name: amounts[self.site.shape[rows]] for name, amounts in of_kinds.items()}
        return record_of(self.site.nodes.names, nodes, asked, self.site.nodes.totals)

    def snapshot(self, size: int) -> NodePool:
        """An independent pool in the same state, with a site of its own."""
        twin = cast(NodePool, super().snapshot(size))
        twin.site = self.site.snapshot()
        return twin

    def consider(self, row: int, job: Job) -> None:
        """Let a row that is not submitted ask what a job asks."""
        asked = job.request or NodeRequest.packed(job.processors, round(job.memory or 0))
        self._describe(slice(row, row + 1), [asked])
