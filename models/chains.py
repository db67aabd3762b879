"""Batches of jobs that wait for each other: feedback, and the dependencies of a log.

A batch without predecessors is submitted at a known time. Any other is submitted when all batches that it waits for
are over, plus the think time of each:

    release(b') = max over b -> b' of  end(b) + think_time(b, b')

Users give a `Chain` to `Machine.chain`, and compiled code does the rest (`thinktime.models.kernels.chains`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels.machine_state import CHAINS, HELD, NUMBERED
from thinktime.workloads.compiler import Codes, Floats, Ints

KINDS = {Ints: np.int64, Floats: np.float64, Codes: np.int8}


@dataclass(frozen=True, eq=False)
class Chain:
    """Batches of loaded jobs; batch b has the jobs ``rows[bounds[b]]`` to ``rows[bounds[b + 1] - 1]``.

    ``release`` has the times (s) of batches that wait for nothing; the others are not read. ``after`` and
    ``think_time`` (s) have the edges, those out of batch b from ``links[b]`` to ``links[b + 1]``. ``offset`` (s) is
    how long after the batch each job is submitted, ascending from 0 in each batch; the rows of a batch with offsets
    are consecutive. With ``campaigns``, each batch is a campaign. ``later`` is called with a batch that is free and its
    release (s), and returns the time (s) at which it is submitted, no earlier than that.
    """

    rows: NDArray[np.int64]
    bounds: NDArray[np.int64]
    release: NDArray[np.float64]
    links: NDArray[np.int64]
    after: NDArray[np.int64]
    think_time: NDArray[np.float64]
    offset: NDArray[np.float64] | None = None
    campaigns: bool = False
    later: Callable[[int, float], float] | None = None

    def __len__(self) -> int:
        return len(self.release)

    def columns(self, now: float, total: int) -> dict[str, Any]:
        """The arrays that kernels take; ``total`` is the number of the watch that ends with the last batch."""
        n = len(self)
        missing = np.bincount(self.after, minlength=n)
        roots = np.flatnonzero(missing == 0)
        roots = roots[np.argsort(self.release[roots], kind="stable")]
        release, since, turn = np.full(n, -np.inf), np.full(n, -np.inf), np.zeros(n, np.int64)
        release[roots] = times = np.maximum(self.release[roots], now)
        # Between equal releases, a root comes as if its user had waited for it since the one before.
        place = np.searchsorted(times, times)
        since[roots], turn[roots] = np.where(place > 0, times[place - 1], -np.inf), np.arange(-len(roots), 0)
        return {
            "members": self.rows,
            "bounds": self.bounds,
            "offset": np.zeros(len(self.rows)) if self.offset is None else self.offset,
            "links": self.links,
            "after": self.after,
            "think": self.think_time,
            "missing": missing,
            "unfinished": np.diff(self.bounds),
            "release": release,
            "since": since,
            "turn": turn,
            "total": np.full(n, total),
            "manner": np.full(n, NUMBERED * self.campaigns + HELD * (self.later is not None)),
            "due": np.zeros(n),
            "free": np.zeros(n),
        }


class ChainedBatches:
    """The batches of all chains on one machine, as the arrays that kernels take."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {name: np.zeros(0, KINDS[kind]) for name, kind in CHAINS.items()}
        self.arrays |= {"bounds": np.zeros(1, np.int64), "links": np.zeros(1, np.int64)}
        self.staggered = 0
        """How many batches have offsets, each of which may need a timetable."""

    def __len__(self) -> int:
        return len(self.arrays["release"])

    def add(self, chain: Chain, now: float, total: int) -> None:
        """Add the batches of a chain."""
        old, before, columns = self.arrays, len(self), chain.columns(now, total)
        columns["bounds"] = columns["bounds"][1:] + old["bounds"][-1]
        columns["links"] = columns["links"][1:] + old["links"][-1]
        columns["after"] = columns["after"] + before
        for name, column in columns.items():
            old[name] = np.concatenate([old[name], column.astype(old[name].dtype)])
        if chain.offset is not None:
            self.staggered += len(chain)
