"""Blocks of sessions that generative users draw, with the jobs of their batches.

`from_samples` draws whole batches, think times and breaks of the user, so a batch keeps its jobs together.
`from_fits` draws think times, breaks, jobs per batch, the gaps between their submissions and run times from the
`UserMarginals`, each from a stream of its own and independently of the others; processors, memory and the estimate,
as a factor of the run time, are those of one of the user's jobs, drawn anew for each job, and batches per session are
drawn from the user's. An estimate is at most the largest of the user's, or the run time where that is longer and the
factor at least 1.
"""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.marginals import UserMarginals
from thinktime.workloads.user_models.population import Population, UserModel

BLOCKS = 64, 1024
"""About how many jobs are drawn at first, and at most; in between, each time twice as many."""


class Block(NamedTuple):
    """Some sessions of a user, drawn in advance; times in s."""

    sizes: list[int]
    """The number of batches in each session."""
    bounds: list[int]
    """Batch b has the jobs from ``bounds[b]`` to ``bounds[b + 1]``."""
    rows: Whole
    """For each job, the job of the log from which it takes processors and memory."""
    runtime: Floats
    estimate: Floats
    offset: Floats
    """From the batch's first submission."""
    thinks: list[float]
    """The think time after each batch, s."""
    breaks: list[float]
    """After each session, active time."""
    overlaps: list[bool]


class Remembered:
    """The blocks of a user, which are drawn once and given as often as they are asked for."""

    __slots__ = ("_drawn", "_known")

    def __init__(self, drawn: Iterator[Block]) -> None:
        self._drawn, self._known = drawn, list[Block]()

    def __iter__(self) -> Iterator[Block]:
        for place in count():
            if place == len(self._known):
                self._known.append(next(self._drawn))
            yield self._known[place]


def blocks(population: Population, place: int, seed: Seed, name: int | str) -> Iterator[Block]:
    """Sessions of a user, block after block: from the user's distributions, if the population has them."""
    model, trace = population.users[place], population.trace
    if population.marginals:
        return from_fits(model, population.marginals[place], trace, seed, name)
    return from_samples(model, trace, seed, name)


def from_samples(model: UserModel, trace: Trace, seed: Seed, name: int | str) -> Iterator[Block]:
    """Sessions resampled from what the user did, each quantity from its own stream."""
    sizes, batches, thinks, breaks = (
        stream(seed, name, purpose) for purpose in ("sizes", "batches", "think times", "breaks")
    )
    own, known = len(model.bounds) - 1, len(model.breaks)
    for sessions in _sessions(model):
        size = sizes.choice(model.batches_per_session, sessions)
        total = int(size.sum())
        drawn = breaks.integers(0, known, sessions) if known else np.zeros(sessions, int)
        parts = [
            slice(model.bounds.item(b), model.bounds.item(b + 1)) for b in batches.integers(0, own, total).tolist()
        ]
        rows = np.concatenate([model.rows[part] for part in parts])
        yield Block(
            size.tolist(),
            [0, *np.cumsum([part.stop - part.start for part in parts]).tolist()],
            rows,
            trace.runtime[rows],
            trace.estimate[rows],
            np.concatenate([model.offset[part] for part in parts]),
            (thinks.choice(model.think_times, total) if len(model.think_times) else np.zeros(total)).tolist(),
            (model.breaks[drawn] if known else np.full(sessions, np.inf)).tolist(),
            (model.overlaps[drawn] if known else np.zeros(sessions, bool)).tolist(),
        )


def from_fits(model: UserModel, fits: UserMarginals, trace: Trace, seed: Seed, name: int | str) -> Iterator[Block]:
    """Sessions drawn from the user's fitted distributions, each quantity from its own stream."""
    names = ("sizes", "more jobs", "jobs", "run times", "gaps", "think times", "breaks", "overlaps")
    luck = {purpose: stream(seed, name, f"fitted {purpose}") for purpose in names}
    most = float(trace.estimate[model.rows].max())
    for sessions in _sessions(model):
        size = luck["sizes"].choice(model.batches_per_session, sessions)
        total = int(size.sum())
        bounds = np.concatenate(
            [[0], np.cumsum(1 + fits.more_jobs.draw(luck["more jobs"].random(total)).astype(np.int64))]
        )
        jobs = int(bounds[-1])
        rows = luck["jobs"].choice(model.rows, jobs)
        runtime = to_grid(fits.runtimes.draw(luck["run times"].random(jobs)))
        factor = trace.estimate[rows] / np.maximum(trace.runtime[rows], 1.0)
        estimate = to_grid(np.clip(factor * np.maximum(runtime, 1.0), 1.0, most))
        since = np.cumsum(to_grid(fits.gaps.draw(luck["gaps"].random(jobs))))
        overlaps = luck["overlaps"].choice(model.overlaps, sessions) if len(model.overlaps) else [False] * sessions
        yield Block(
            size.tolist(),
            bounds.tolist(),
            rows,
            runtime,
            np.where(factor >= 1, np.maximum(estimate, runtime), estimate),
            since - np.repeat(since[bounds[:-1]], np.diff(bounds)),
            to_grid(fits.think_times.draw(luck["think times"].random(total))).tolist(),
            fits.breaks.draw(luck["breaks"].random(sessions)).tolist(),
            list(map(bool, overlaps)),
        )


def _sessions(model: UserModel) -> Iterator[int]:
    """How many sessions are drawn each time."""
    recorded, (jobs, most) = len(model.batches_per_session), BLOCKS
    while True:
        yield max(1, min(recorded, round(jobs * recorded / len(model.rows))))
        jobs = min(2 * jobs, most)
