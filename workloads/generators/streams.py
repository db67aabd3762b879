"""A stream of jobs: arrivals, sizes and run times of one kind of job; and the luck that a workload draws from.

Every purpose (arrivals, sizes, run times, users, estimates, …) has a generator of its own, all from the seed
of the workload (`thinktime.workloads.streams`). So a workload with other estimates has the same jobs at the
same times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.generators import checks
from thinktime.workloads.generators.arrivals import Arrivals, Poisson
from thinktime.workloads.generators.quantities import Quantity, Real, Whole, checked, slot
from thinktime.workloads.generators.runtimes import HyperGamma, draw_runtimes
from thinktime.workloads.generators.sizes import Sizes, TwoStage, draw_sizes
from thinktime.workloads.streams import Seed, stream

Luck = Callable[[str], np.random.Generator]


def luck(seed: Seed) -> Luck:
    """Give the generator of each purpose, at its beginning."""
    return lambda purpose: stream(seed, "workload", purpose)


@dataclass(frozen=True, slots=True)
class Draft:
    """Jobs as they are drawn: in order of submission, times (s) not yet whole. `more` are columns of a trace."""

    submit: Real
    runtime: Real
    processors: Whole
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One kind of job. Sizes may be a model or any quantity; run times too, and may depend on the sizes.

    By default jobs arrive one by one (Poisson) and are like all jobs of the Lublin–Feitelson model.
    """

    arrivals: Arrivals = field(default=Poisson(), metadata=slot("arrivals"))
    sizes: Sizes | Quantity = field(default=TwoStage(), metadata=slot("sizes"))
    runtimes: Quantity = field(default=HyperGamma(), metadata=slot("runtimes"))

    def __post_init__(self) -> None:
        if not isinstance(self.arrivals, Arrivals):
            raise ValueError(f"arrivals must be a process such as Poisson(), not {self.arrivals!r}")
        if not isinstance(self.sizes, Sizes):
            checks.put(self, "sizes", checked(self.sizes, "sizes", least=1.0))
        checks.put(self, "runtimes", checked(self.runtimes, "runtimes"))

    def draft(self, jobs: int, processors: int, luck: Luck, name: str = "jobs") -> Draft:
        """Draw `jobs` jobs for a machine of so many processors; `name` tells streams of a workload apart."""
        submit = self.arrivals.times(jobs, luck(f"{name}: arrivals"))
        sizes = draw_sizes(self.sizes, jobs, processors, luck(f"{name}: sizes"))
        runtime = draw_runtimes(self.runtimes, sizes, luck(f"{name}: run times"))
        return Draft(submit, runtime, sizes)
