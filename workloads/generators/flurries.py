"""Flurries: one user floods the machine with many similar jobs within a short time.

Real logs have them, and a few can decide the outcome of a comparison (Tsafrir and Feitelson, Instability in
parallel job scheduling simulation: the role of workload flurries, IPDPS 2006). Here a flurry is added to any
arrivals: `size` jobs by one user, the first at `start`, then one every `gap`. Ours: by default the user is drawn
from those of the log, and jobs take one processor for one minute.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.quantities import Quantity, checked, sample, slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Flurry:
    """`size` jobs of `processors` and `runtime` (s) by one `user`, from `start` (s), one every `gap` (s)."""

    start: float
    size: int
    gap: Quantity = field(default=10.0, metadata=slot("quantity"))
    user: int | None = None
    processors: int = 1
    runtime: Quantity = field(default=60.0, metadata=slot("quantity"))

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "start", wanted="a time of at least 0 s", least=0.0)
        checks.fields(self, checks.whole, "size", "processors", *(("user",) if self.user is not None else ()))
        checks.fields(self, checked, "gap", "runtime")

    def times(self, rng: np.random.Generator) -> Floats:
        """When the jobs are submitted (s)."""
        gaps = np.maximum(sample(self.gap, self.size, rng, "gap"), 0.0)
        gaps[0] = 0.0
        return self.start + np.cumsum(gaps)


@dataclass(frozen=True, slots=True)
class Flood:
    """The jobs of some flurries, as columns."""

    submit: Floats
    runtime: Floats
    processors: Whole
    user: Whole


def flood(flurries: Sequence[Flurry], users: int, processors: int, rng: np.random.Generator) -> Flood:
    """Draw the jobs of `flurries` for a log with `users` users and a machine of `processors` processors."""
    lucks = rng.spawn(len(flurries))
    parts = [_one(flurry, users, processors, each) for flurry, each in zip(flurries, lucks, strict=True)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Flood(*columns)


def _one(
    flurry: Flurry, users: int, processors: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Whole, Whole]:
    user = flurry.user if flurry.user is not None else int(rng.integers(1, users + 1))
    if user > users:
        raise ValueError(f"the flurry's user must be one of the {users} users, not {user}")
    if flurry.processors > processors:
        raise ValueError(f"the flurry's processors must be at most {processors}, not {flurry.processors}")
    runtime = sample(flurry.runtime, flurry.size, rng, "the flurry's runtime")
    whole = np.full(flurry.size, flurry.processors, dtype=np.int64)
    return flurry.times(rng), runtime, whole, np.full(flurry.size, user, dtype=np.int64)
