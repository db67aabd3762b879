"""The Lublin–Feitelson model of rigid parallel jobs: sizes, run times and arrivals of batch and interactive jobs.

Each type of job is a stream with two-stage uniform sizes and hyper-gamma run times that depend on the size
(`shapes`), and log-gamma interarrival times under a daily cycle (`cycles`). An interarrival time is e^g s, with
g from gamma(aarr · arar, barr) (shape, scale), redrawn above 13. It passes in operational time, in which a half
hour of weight w counts w-fold.

Variants: `all` jobs as one stream, `batch` jobs only, `interactive` jobs only, and `both`, which merges the last two
(ties: the interactive job first). In SWF, queue 0 is interactive by convention; batch is queue 1 here.

Source: Lublin and Feitelson, JPDC 63(11), 2003, and their program m_lublin99.c. Ours: each quantity has its own
random stream, the log starts at midnight, and times are rounded down to whole seconds.
"""

from dataclasses import dataclass, field

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.arrivals import Arrivals, paced
from thinktime.workloads.generators.cycles import Cycle, half_hours
from thinktime.workloads.generators.job_streams import Draft, Luck, Stream
from thinktime.workloads.generators.quantities import slot
from thinktime.workloads.generators.shapes import HyperGamma, TwoStage, below
from thinktime.workloads.names import quoted

VARIANTS = {"all": ("all",), "batch": ("batch",), "interactive": ("interactive",), "both": ("interactive", "batch")}
"""The types of jobs in each variant, in the order used for ties."""

QUEUES = {"all": -1, "interactive": 0, "batch": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class LublinArrivals(Arrivals):
    """The model's arrivals; the defaults are those of all jobs."""

    aarr: float = 10.2303
    barr: float = 0.4871
    arar: float = 1.0225
    anum: float = 8.1737
    bnum: float = 3.9631
    largest: float = 13.0

    def __post_init__(self) -> None:
        checks.fields(self, checks.positive, *self.__dataclass_fields__)

    @property
    def own_cycle(self) -> Cycle:
        """The daily cycle of the model, in half hours."""
        return Cycle(day=tuple(half_hours(self.anum, self.bnum).tolist()))

    def operational(self, count: int, rng: np.random.Generator, rate: float = 1.0) -> Floats:
        """The first `count` submissions (s) before the daily cycle, at `rate` times the rate."""
        logs = below(self.largest, self._logs, np.empty(count, dtype=np.int64), rng)
        return paced(np.cumsum(np.exp(logs)), rate)

    def times(self, count: int, rng: np.random.Generator) -> Floats:
        """The first `count` submissions after midnight (s), in order."""
        return self.own_cycle.warp(self.operational(count, rng))

    def _logs(self, rows: Whole, rng: np.random.Generator) -> Floats:
        return rng.gamma(self.aarr * self.arar, self.barr, len(rows))


ALL = Stream(arrivals=LublinArrivals(), sizes=TwoStage(), runtimes=HyperGamma())

BATCH = Stream(
    arrivals=LublinArrivals(aarr=6.0415, barr=0.8531, arar=1.0519, anum=6.1271, bnum=5.2740),
    sizes=TwoStage(serial=0.2927, power_of_two=0.6686, low=1.2, medium_gap=2.0, high_gap=0.0, probability=0.875),
    runtimes=HyperGamma(a1=6.57, b1=0.823, a2=639.1, b2=0.0156, pa=-0.003, pb=0.6986),
)

INTERACTIVE = Stream(
    arrivals=LublinArrivals(aarr=6.5510, barr=0.6621, arar=0.9797, anum=8.9186, bnum=3.6680),
    sizes=TwoStage(serial=0.1541, power_of_two=0.625, low=1.0, medium_gap=2.5, high_gap=1.5, probability=0.705),
    runtimes=HyperGamma(a1=3.8351, b1=0.6605, a2=7.073, b2=0.6856, pa=-0.0118, pb=0.9156),
)

TYPES = {"all": ALL, "batch": BATCH, "interactive": INTERACTIVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lublin:
    """The model in one of its variants; `all`, `batch` and `interactive` replace the default streams."""

    variant: str = "all"
    all: Stream | None = field(default=None, metadata=slot("stream", ALL))
    batch: Stream | None = field(default=None, metadata=slot("stream", BATCH))
    interactive: Stream | None = field(default=None, metadata=slot("stream", INTERACTIVE))

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, not {quoted(self.variant)}")
        used = VARIANTS[self.variant]
        for name, stream in TYPES.items():
            if name in used:
                checks.put(self, name, getattr(self, name) or stream)
            elif getattr(self, name) is not None:
                raise ValueError(f"the variant {quoted(self.variant)} has no {quoted(name)} jobs")

    @property
    def bursty(self) -> bool:
        """Whether any of its streams is bursty."""
        return any(getattr(self, name).bursty for name in VARIANTS[self.variant])

    def draft(self, jobs: int, processors: int, luck: Luck, rate: float = 1.0) -> Draft:
        """Draw the first `jobs` jobs for a machine of `processors` processors."""
        used = VARIANTS[self.variant]
        drafts = [getattr(self, name).draft(jobs, processors, luck, name, rate) for name in used]
        kind = np.repeat(np.arange(len(used)), jobs)
        both = Draft(
            np.concatenate([draft.operational for draft in drafts]),
            np.concatenate([draft.runtime for draft in drafts]),
            np.concatenate([draft.processors for draft in drafts]),
            {"queue": np.array([QUEUES[name] for name in used], dtype=np.int64)[kind]},
            clocks=tuple(clock for draft in drafts for clock in draft.clocks),
            clock=kind,
        )
        return both.rows(np.argsort(both.times(), kind="stable")[:jobs])
