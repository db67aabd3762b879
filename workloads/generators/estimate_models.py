"""Models of user estimates: requested times in whole seconds, never below the run times.

* `Exact`: the true run time, as in the ostrich paper.
* `Factor`: f times the run time, rounded up; f is any quantity of at least 1. With f uniform on [1, F + 1]
  this is the "f-model" of Mu'alem and Feitelson (IEEE TPDS 12(6), 2001).
* `Tsafrir`: a few round values that most jobs share; see `tsafrir`.
* `Histogram`: given values and the share of jobs with each, matched to the jobs as in `tsafrir`.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.generators import tsafrir
from thinktime.workloads.generators.owners import apportioned
from thinktime.workloads.generators.quantities import OneOf, Quantity, checked, sample, slot
from thinktime.workloads.names import quoted
from thinktime.workloads.units import HOUR, as_seconds


class Estimates(Protocol):
    """A model of user estimates."""

    def of(self, runtimes: Floats, rng: np.random.Generator) -> Floats:
        """The estimates (whole s) of jobs with these run times (whole s)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Users who know their run times."""

    def of(self, runtimes: Floats, rng: np.random.Generator) -> Floats:
        """The run times themselves."""
        return runtimes.copy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """Users who ask for `factor` times what they need."""

    factor: Quantity = field(default=2.0, metadata=slot("quantity"))

    def __post_init__(self) -> None:
        checks.fields(self, checked, "factor", least=1.0)

    def of(self, runtimes: Floats, rng: np.random.Generator) -> Floats:
        """The run times times the factor, rounded up."""
        factors = sample(self.factor, len(runtimes), rng, "factor")
        if len(factors) and factors.min() < 1:
            raise ValueError(f"factor must be at least 1, but {quoted(self.factor)} gave {factors.min():g}")
        return np.ceil(runtimes * factors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tsafrir:
    """Tsafrir's model. `largest` is the longest time that may be requested (s, at least an hour).

    Ours: by default it is the longest run time, rounded up to whole hours. `bins` is the number of distinct
    estimates (None: derived from the number of jobs).
    """

    largest: float | None = None
    bins: int | None = None

    def __post_init__(self) -> None:
        if self.largest is not None:
            wanted = "a time of at least an hour (3600 s)"
            checks.fields(self, as_seconds, "largest")
            checks.put(self, "largest", float(checks.whole("largest", self.largest, 1)))
            checks.number("largest", self.largest, wanted, least=HOUR)
        if self.bins is not None:
            checks.fields(self, checks.whole, "bins")

    def of(self, runtimes: Floats, rng: np.random.Generator) -> Floats:
        """Estimates of the model, matched at random to jobs that fit in them."""
        if not len(runtimes):
            return runtimes.copy()
        longest = float(runtimes.max())
        largest = self.largest or max(HOUR, HOUR * np.ceil(longest / HOUR).item())
        if longest > largest:
            raise ValueError(f"largest ({largest:.0f} s) must not be below the longest run time ({longest:.0f} s)")
        jobs = len(runtimes)
        histogram = tsafrir.histogram(jobs, largest, self.bins or tsafrir.bins(jobs), rng)
        return tsafrir.match(runtimes, histogram, rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Given `values` (s), shared by jobs in proportion to `weights`.

    As in Tsafrir's model, jobs in order of decreasing run time pick at random one of the remaining values that
    are long enough. A value too short for any remaining job is raised to the next one. A job longer than all
    values requests its run time.
    """

    values: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        found = OneOf(self.values, self.weights)
        order = sorted(range(len(found.values)), key=found.values.__getitem__)
        if len(set(found.values)) < len(order) or min(found.values) < 1:
            raise ValueError(f"values must be different times of at least 1 s, not {quoted(self.values)}")
        checks.put(self, "values", tuple(found.values[place] for place in order))
        checks.put(self, "weights", tuple(found.weights[place] for place in order))

    def of(self, runtimes: Floats, rng: np.random.Generator) -> Floats:
        """The values, matched at random to jobs that fit in them."""
        if not len(runtimes):
            return runtimes.copy()
        counts = apportioned(len(runtimes), self.weights)
        histogram = tsafrir.EstimateHistogram(np.array(self.values), np.array(counts, dtype=np.int64))
        longest = np.minimum(runtimes, self.values[-1])
        return np.maximum(tsafrir.match(longest, histogram, rng), runtimes)
