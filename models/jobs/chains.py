"""Batches of jobs that wait for each other: feedback, and the dependencies of a log.

A batch without predecessors is submitted at a known time. Any other is submitted when all batches that it waits for
are over, plus the think time of each:

    release(b') = max over b -> b' of  end(b) + think_time(b, b')

unless it *overlaps* the one that it waits for, which is not over some time after its last submission;
or, of users who submit with a hazard, when they have been idle for long enough (`thinktime.models.jobs.hazards`).

Users give a `Chain` to `Machine.chain`, and compiled code does the rest (`thinktime.models.engine.sources.chains`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import fields
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.hazards import Hazards
from thinktime.models.jobs.columns import JobColumns
from thinktime.models.jobs.hazards import HazardUsers
from thinktime.workloads.arrays import Codes, Flags, Floats, Ints

KINDS = {Ints: np.int64, Floats: np.float64, Codes: np.int8}


@dataclass(frozen=True, eq=False)
class Chain:
    """Batches of loaded jobs; batch b has the jobs ``rows[bounds[b]]`` to ``rows[bounds[b + 1] - 1]``.

    ``release`` has the times (s) of batches that wait for nothing; most others are not read. ``after`` and
    ``think_time`` (s) have the edges, those out of batch b from ``links[b]`` to ``links[b + 1]``, and ``gap`` (s) how
    long after the last submission of b the other one comes if b is not over by then; it waits if that is infinite. One
    with a finite gap waits for b alone. The jobs of batches that are ``present`` are in the machine; one after such a
    batch comes at its release, if that is finite and the other not over by then. ``offset`` (s) is how long after
    its batch each job is submitted, ascending from 0 in each, and so are its rows, if it has offsets. With
    ``campaigns``, each batch is a campaign. ``later`` is called with a batch that is free, the time (s) at which that
    is so, its release (s) and the batch that it waited for last. It returns the time (s) at which the batch is
    submitted, and must not look at SimPy's clock (`thinktime.models.machine.questions`).
    """

    rows: NDArray[np.int64]
    bounds: NDArray[np.int64]
    release: NDArray[np.float64]
    links: NDArray[np.int64]
    after: NDArray[np.int64]
    think_time: NDArray[np.float64]
    offset: NDArray[np.float64] | None = None
    gap: NDArray[np.float64] | None = None
    present: Flags | None = None
    campaigns: bool = False
    later: Callable[[int, float, float, int], float] | None = None
    respond: Callable[[int, float], float] | None = None
    """Called with a batch that is due, and the time (s), if its user responds: it may change the jobs, and returns when
    the batch is submitted: now, or later, when it is called again. It may look at SimPy's clock."""
    hazards: HazardUsers | None = None
    """The users of the batches, if these come with hazards: then ``release`` is read of the first of each alone."""

    def __len__(self) -> int:
        return len(self.release)

    def columns(self, now: float, total: int) -> dict[str, Any]:
        """The columns of its batches; ``total`` is the number of the watch that ends with the last batch."""
        n = len(self)
        missing = np.bincount(self.after, minlength=n)
        if self.hazards is not None:
            missing[self.hazards.later] = 1
        roots = self._roots(missing)
        roots = roots[np.argsort(self.release[roots], kind="stable")]
        release, since, turn = np.full(n, -np.inf), np.full(n, -np.inf), np.zeros(n, np.int64)
        release[roots] = times = np.maximum(self.release[roots], now)
        # Between equal releases, a root comes as if its user had waited for it since the one before.
        place = np.searchsorted(times, times)
        begun = np.where(place > 0, times[place - 1], -np.inf) if self.present is None else now
        since[roots], turn[roots] = begun, np.arange(-len(roots), 0)
        return {
            "missing": missing,
            "unfinished": np.diff(self.bounds),
            "release": release,
            "since": since,
            "turn": turn,
            "total": total,
            "responds": at.WILL_RESPOND * (self.respond is not None),
            "manner": at.NUMBERED * self.campaigns + at.HELD * (self.later is not None),
        }

    def _roots(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """The batches whose release is known, each of which waits for so many others."""
        present = self.present if self.hazards is None else self.hazards.present
        known = missing == 0
        if present is not None:
            known &= ~present
        if self.present is not None:
            after = self.after[np.repeat(self.present, np.diff(self.links))]
            known[after[np.isfinite(self.release[after])]] = True
        return np.flatnonzero(known)


class ChainTable(JobColumns):
    """Columns of chains; what is not given is 0. On most machines they stay empty."""

    at_first = 0

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = {name: (KINDS[kind], 0) for name, kind in schema.items()}  # type: ignore[misc]
        super().__init__()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]: ...

    def add(self, count: int, **columns: Any) -> int:
        """Add rows; returns the number of the first."""
        first: int = self.append(count, **columns).start
        return first


class ChainedBatches:
    """The batches of all chains on one machine, and the users who follow plans, as the arrays that the engine takes."""

    def __init__(self) -> None:
        tables = fields.BATCHES, fields.MEMBERS, fields.LINKS, fields.CAMPAIGNS_AHEAD, fields.JOBS_AHEAD, fields.RHYTHMS
        self._tables = list(map(ChainTable, tables))
        self.batches, self.members, self.links, self.campaigns, self.jobs, self.rhythms = self._tables
        self.hazards = Hazards()
        """Those of all users who submit with hazards."""
        self.staggered = 0
        """How many jobs come later than their batches, each of which may need a timetable."""

    def __len__(self) -> int:
        return self.batches.size

    @property
    def room(self) -> list[int]:
        """What grows when arrays are replaced."""
        return [table.capacity for table in self._tables]

    def arrays(self) -> dict[str, Any]:
        """All arrays of the chains, by name (`thinktime.models.engine.codes.fields.CHAINS`)."""
        return {name: getattr(table, name) for table in self._tables for name in table.schema}

    def add(self, chain: Chain, now: float, total: int) -> None:
        """Add the batches of a chain."""
        offset = np.zeros(len(chain.rows)) if chain.offset is None else chain.offset
        job = self.members.add(len(chain.rows), members=chain.rows, offset=offset)
        gap = np.inf if chain.gap is None else chain.gap
        link = self.links.add(len(chain.after), after=len(self) + chain.after, think=chain.think_time, gap=gap)
        ends = {"job": job + chain.bounds, "link": link + chain.links}
        first = {name: bounds[:-1] for name, bounds in ends.items()}
        stop = {f"stop_{name}": bounds[1:] for name, bounds in ends.items()}
        person: int | NDArray[np.int64] = 0
        if chain.hazards is not None:
            person = 1 + len(self.hazards.table) + chain.hazards.user
            chain.hazards.add_to(self.hazards, len(self))
        self.batches.add(len(chain), **first, **stop, **chain.columns(now, total), person=person)
        if chain.offset is not None:
            self.staggered += int(np.count_nonzero(chain.offset))
