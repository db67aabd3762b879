"""The cplant paper's study: nine schedulers on one log, judged by fair start times.

A run replays the log under one scheduler with one origin of the decay of usage, one rule for jobs beyond
their estimates and one machine size. The study runs all nine schedulers. Unless it is quick, it runs them again
with shifted origins (usage decays once a day, and many starts depend on the time of day), with other decays
(`DECAYS`), with the other overrun rules and with other sizes. Each schedule of the origins is also judged by other
fair orders (`FAIR_ORDERS`), which needs no other run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.papers.cplant import printed
from thinktime.analysis.papers.cplant.printed import tables
from thinktime.analysis.papers.cplant.runs import FAIR_ORDERS, Outcome, Run, weeks
from thinktime.analysis.study import StudiedLog, Study, grouped, option, quoted, shortened, size_of

NAMES = tuple(tt.policies.SCHEDULERS)
BASELINE = NAMES[0]
ORIGINS = 9
"""How many origins a full study tries: 0, and eight shifts of a ninth of a day each."""
OVERRUNS = ("until_needed", "extend", "kill")
SIZES = (960, 1024, 1152, 1524)
HALF_LIVES = tuple(5.0 + k / 2 for k in range(ORIGINS))
"""Days: continuous decay has no origin, so its neighbours on both sides of a week stand in for shifts."""


def _shifted(factor: float) -> tuple[str, ...]:
    return tuple(f"factor={factor:g},decay_origin={k * tt.DAY / ORIGINS:g}" for k in range(ORIGINS))


DECAYS = {
    "factor 0.9": _shifted(0.9),
    "factor 0.95": _shifted(0.95),
    "half-life 7 d": tuple(f"half_life={days:g}d" for days in HALF_LIVES),
}
"""Other decays of usage, in the words of `fairshare`: as many runs of each as there are origins."""


@dataclass(frozen=True)
class Evidence:
    """All runs, and what is known of the log itself."""

    trace: tt.Trace
    processors: int
    window: str
    outcomes: dict[str, Outcome]
    shifts: dict[float, dict[str, Outcome]]
    """By origin of the decay, the study's own (0) first."""
    overruns: dict[str, dict[str, Outcome]]
    sizes: dict[int, dict[str, Outcome]]
    decays: dict[str, list[dict[str, Outcome]]] = field(default_factory=dict)
    """By name in `DECAYS`, one entry per run."""

    def fair_orders(self) -> dict[str, list[dict[str, Outcome]]]:
        """By name in `FAIR_ORDERS`, one entry per origin."""
        named = [name for name in FAIR_ORDERS if name in self.outcomes[BASELINE].by_order]
        return {
            name: [
                {scheduler: each.by_order[name] for scheduler, each in nine.items()} for nine in self.shifts.values()
            ]
            for name in named
        }

    @property
    def jobs(self) -> int:
        """How many jobs of the log ran."""
        return self.outcomes[BASELINE].per_original.jobs

    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Tables I and II."""
        return tables(self.trace)

    def offered(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Edges of weeks (s), and the work submitted in each as a share of the machine."""
        edges = weeks(self.trace)
        work, _ = np.histogram(self.trace.submit, edges, weights=self.trace.runtime * self.trace.processors)
        return edges, work / (tt.WEEK * self.processors)


@dataclass(frozen=True, kw_only=True)
class CPlantStudy(Study[Outcome, Evidence]):
    """The cplant paper's nine schedulers on a log: unfairness, response time and loss of capacity."""

    name = "cplant"
    line = "The CPlant paper's nine schedulers: unfairness, response time."
    unit = "runs"
    files = "Write Figures 3 to 13 and tables."
    compared = NAMES

    log: StudiedLog = option(..., "A log; the paper's is Sandia Ross.", "TRACE", "log")
    window: str | None = option(
        None,
        "paper (2002-12-01 to 2003-07-14), all, or FROM/TO; a date as TO is a whole day.",
        "W",
        shown="paper for the paper's log, else all",
    )
    processors: int | None = option(
        None, "Size of the machine.", "N", "processors", shown="1024 for the paper's log, else the log's"
    )
    quick: bool = option(False, "Run two shifts of the decay's origin instead of eight, and no variants.", kind="flag")

    def __post_init__(self) -> None:
        self.size()
        self.jobs  # noqa: B018

    def size(self) -> int:
        """The size of the machine."""
        if self.processors is None and printed.is_papers(self.log.trace):
            return printed.PROCESSORS
        return size_of(self.log, self.processors)

    @cached_property
    def jobs(self) -> tuple[tt.Trace, str]:
        """The jobs of the window, and the window in words."""
        trace = self.log.trace
        wanted = self.window or ("paper" if printed.is_papers(trace) else "all")
        if wanted == "all":
            return trace, "all jobs"
        papers = f"{printed.FIRST}/{printed.LAST}"
        first, slash, last = (papers if wanted == "paper" else wanted).partition("/")
        if not (slash and first and last):
            raise ValueError(
                f"--window must be paper, all or FROM/TO, such as 2002-12-01/2003-07-14, not {quoted(self.window)}"
            )
        try:
            part = printed.window(trace, first, last)
        except ValueError as error:
            raise ValueError(f"--window {shortened(wanted, 40)}: {error}") from None
        if not len(part):
            raise ValueError(f"--window {shortened(wanted, 40)}: {self.log.path} has no jobs submitted then")
        return part, f"{first} to {last}"

    def variations(self) -> dict[tuple[str, int | float | str], dict[str, Any]]:
        """What differs from run to run: the arguments of `Run`, by kind and value. The study's own come first."""
        own: dict[tuple[str, int | float | str], dict[str, Any]] = {
            ("origin", 0.0): {"orders": not self.object_only, "everything": self._full}
        }
        shifts = 0 if self.object_only else 2 if self.quick else ORIGINS - 1
        for shift in range(1, shifts + 1):
            origin = shift * tt.DAY / ORIGINS
            own["origin", origin] = {"origin": origin, "orders": True}
        if self._full:
            own |= {("overrun", rule): {"overrun": rule} for rule in OVERRUNS[1:]}
            own |= {("size", size): {"processors": size} for size in SIZES if size != self.size()}
            own |= {("decay", usage): {"usage": usage} for usages in DECAYS.values() for usage in usages}
        return own

    @property
    def _full(self) -> bool:
        return not (self.quick or self.object_only)

    def tasks(self) -> dict[Any, Run]:
        """By kind and value of what differs, and by scheduler."""
        usual: dict[str, Any] = {"trace": self.jobs[0], "processors": self.size()}
        return {
            (what, name): Run(name, **(usual | differs))
            for what, differs in self.variations().items()
            for name in NAMES
        }

    def gather(self, answers: Mapping[Any, Outcome]) -> Evidence:
        """The outcomes of nine schedulers under everything that differs."""
        nines = grouped(answers)
        (trace, window), own = self.jobs, nines["origin", 0.0]

        def of(kind: str) -> dict[Any, dict[str, Outcome]]:
            return {value: nine for (each, value), nine in nines.items() if each == kind}

        decays = of("decay")
        return Evidence(
            trace,
            self.size(),
            window,
            own,
            shifts=of("origin"),
            overruns={"until_needed": own} | of("overrun"),
            sizes=dict(sorted(({self.size(): own} | of("size")).items())),
            decays={kind: [decays[usage] for usage in usages] for kind, usages in DECAYS.items() if decays},
        )


def spread(outcomes: Sequence[Outcome], number: str) -> tuple[float, float]:
    """The minimum and the maximum of one of the four numbers."""
    values = [getattr(each.numbers, number) for each in outcomes]
    return min(values), max(values)
