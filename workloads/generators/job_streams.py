"""A stream of jobs (arrivals, sizes and run times of one kind of job), and a workload's random generators.

Every purpose (arrivals, sizes, run times, users, estimates, …) has its own generator, derived from the seed of the
workload (`thinktime.workloads.streams`). So changing the estimates leaves the jobs and their times unchanged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Protocol

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.generators.arrivals import Arrivals, Poisson
from thinktime.workloads.generators.quantities import Quantity, checked, checked_time, slot
from thinktime.workloads.generators.shapes import HyperGamma, Sizes, TwoStage, draw_runtimes, draw_sizes
from thinktime.workloads.names import quoted
from thinktime.workloads.streams import Seed, stream

Luck = Callable[[str], np.random.Generator]


def luck(seed: Seed) -> Luck:
    """A function that returns a fresh generator for each purpose."""
    return lambda purpose: stream(seed, "workload", purpose)


class Clock(Protocol):
    """A monotonic map of times, such as a cycle or working hours."""

    def warp(self, times: Floats) -> Floats:
        """Real times (s) of operational ones (s, at least 0)."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """Jobs as drawn, with times (s) not yet rounded. `more` has further columns of a trace."""

    operational: Floats
    """When each job is submitted before any clock, s."""
    runtime: Floats
    processors: Whole
    more: Mapping[str, AnyArray] = field(default_factory=dict)
    clocks: tuple[tuple[Clock, ...], ...] = ((),)
    """Sequences of clocks, each applied in order."""
    clock: Whole | None = None
    """The index of each job's sequence; None: all use the first."""
    later: Floats | None = None
    """The delay of each job after the beginning of its campaign, in s of real time."""

    def times(self, factor: float = 1.0) -> Floats:
        """When each job is submitted (s), with interarrival times before any clock multiplied by `factor`."""
        operational = self.operational
        if factor != 1 and len(operational):
            first = operational.min()
            operational = first + (operational - first) * factor
        times = np.empty_like(operational)
        for number, kind in enumerate(self.clocks):
            rows = slice(None) if self.clock is None else self.clock == number
            times[rows] = reduce(lambda found, clock: clock.warp(found), kind, operational[rows])
        return times if self.later is None else times + self.later

    def rows(self, rows: Whole) -> "Draft":
        """The jobs in these rows, in this order."""
        return Draft(
            self.operational[rows],
            self.runtime[rows],
            self.processors[rows],
            {name: values[rows] for name, values in self.more.items()},
            self.clocks,
            None if self.clock is None else self.clock[rows],
            None if self.later is None else self.later[rows],
        )

    def on(self, clock: Clock) -> "Draft":
        """The same jobs with one more clock on top."""
        return replace(self, clocks=tuple((*kind, clock) for kind in self.clocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One kind of job. Sizes and run times may be models or any quantity; run times may depend on sizes.

    The default is Poisson arrivals with all jobs of the Lublin–Feitelson model.
    """

    arrivals: Arrivals = field(default=Poisson(), metadata=slot("arrivals"))
    sizes: Sizes | Quantity = field(default=TwoStage(), metadata=slot("sizes"))
    runtimes: Quantity = field(default=HyperGamma(), metadata=slot("runtimes"))

    def __post_init__(self) -> None:
        if not isinstance(self.arrivals, Arrivals):
            raise ValueError(f"arrivals must be a process such as Poisson(), not {quoted(self.arrivals)}")
        if not isinstance(self.sizes, Sizes):
            checks.fields(self, checked, "sizes", least=1.0)
        checks.fields(self, checked_time, "runtimes")

    @property
    def bursty(self) -> bool:
        """Whether jobs arrive in bursts."""
        return self.arrivals.bursty

    def draft(self, jobs: int, processors: int, luck: Luck, name: str = "jobs", rate: float = 1.0) -> Draft:
        """Draw `jobs` jobs for a machine of `processors` processors, at `rate` times the rate.

        `name` distinguishes the streams of a workload.
        """
        submit = self.arrivals.operational(jobs, luck(f"{name}: arrivals"), rate)
        sizes = draw_sizes(self.sizes, jobs, processors, luck(f"{name}: sizes"))
        runtime = draw_runtimes(self.runtimes, sizes, luck(f"{name}: run times"))
        own = self.arrivals.own_cycle
        return Draft(submit, runtime, sizes, clocks=((own,) if own else (),))
