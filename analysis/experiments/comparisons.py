"""Means with intervals, and differences from a baseline, of all metrics of a sweep.

A *point* is one combination of the swept parameters. Replications of a point are its seeds; policies share
them, so differences are paired by seed. The comparisons of one metric, over all points and policies, are one
family for Holm's correction.

A point at which nothing is random has one run of each policy. Batch means then give the half width of a mean over
jobs, and differences are between batches of the same jobs (paired). If the policies did not get the same jobs at the
same times, Welch's test compares their batches.

A mean of response times is over what was served, and is marked if users gave up the rest. If some runs have no value,
the number of runs that do is shown. If fewer than two pairs remain, there is too little data to compare, which does
not mean that there is no difference.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thinktime.analysis.experiments.metric_units import NONE, Unit, words
from thinktime.analysis.experiments.metrics import describes, things
from thinktime.analysis.experiments.observed import InRun, Observed
from thinktime.analysis.statistics import LEGEND, TOO_LITTLE, Difference, Interval, mark, state
from thinktime.workloads.calibration.beyond import sentence
from thinktime.workloads.html import paragraph, table

DOUBT = "?"
"""Marks a doubtful interval or difference."""
DOUBT_LEGEND = (
    f"{DOUBT}: not to be trusted, since batches depend on each other (lag-1 autocorrelation of 0.1 or more) "
    "or hold fewer than ten jobs; lengthen the run"
)


PARTIAL = "\N{DAGGER}"
"""Marks a mean of what was served if users gave up the rest."""
PARTIAL_LEGEND = f"{PARTIAL}: only of what was served; users gave up the rest"
BOUND = "\N{GREATER-THAN OR EQUAL TO}"
"""Stands before a lower bound."""
BOUND_LEGEND = f"{BOUND}: only a lower bound, since users gave up; not compared"
SHORT_OF_DATA = "\N{DOUBLE DAGGER}"
"""Replaces the stars if there is too little data to compare."""
SHORT_OF_DATA_LEGEND = f"{SHORT_OF_DATA}: {TOO_LITTLE} to compare"


MOST_ROWS = 60
"""The maximum number of rows that a notebook shows."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of parameters."""

    values: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The parameters with their values; `all` if nothing varies."""
        return ", ".join(f"{name} = {shown(value)}" for name, value in self.values.items()) or "all"


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric of one policy at one point."""

    interval: Interval
    runs: int
    """Finished runs with a value."""
    difference: Difference | None = None
    """From the baseline; None for the baseline itself."""
    adjusted: float = math.nan
    """The p-value by Holm's correction within the metric."""
    relative: float = math.nan
    """The difference as a fraction of the baseline's mean, over the same pairs of runs."""
    batches: int = 0
    """The number of batches behind the interval; 0 if it is from replications."""
    doubtful: bool = False
    """Whether the batches behind the interval are not to be trusted."""
    doubtful_difference: bool = False
    """The same for the difference."""
    finished: int = 0
    """Finished runs, with or without a value."""
    observed: Observed | None = None
    """The observations in all runs together; None for a number of the whole run."""
    partial: bool = False
    """Whether it is only of what was served and users gave up the rest."""
    partial_difference: bool = False
    """Whether that holds here or for the baseline."""
    bound: bool = False
    """Whether it is only a lower bound, since users gave up."""

    @property
    def stars(self) -> str:
        """The mark, with a question mark if the difference is not to be trusted."""
        return f"{self.mark}{DOUBT}" if self.mark and self.doubtful_difference else self.mark

    @property
    def signs(self) -> str:
        """The marks of a doubtful interval, and of a mean of only what was served."""
        return f"{f' {DOUBT}' if self.doubtful else ''}{f' {PARTIAL}' if self.partial and self.runs else ''}"

    @property
    def mark(self) -> str:
        """Stars for the adjusted p-value."""
        return mark(self.adjusted)

    @property
    def state(self) -> str:
        """The significance of the difference, or too little data; empty for the baseline."""
        return "" if self.difference is None else state(self.adjusted)

    @property
    def short_of_data(self) -> bool:
        """Whether there are several runs, but too few that can be compared."""
        return self.finished > 1 and self.state == TOO_LITTLE

    @property
    def incomplete(self) -> bool:
        """Whether some finished runs have no value."""
        return self.runs < self.finished

    @property
    def verdict(self) -> str:
        """`lower` or `higher` than the baseline if that is significant, else empty."""
        if self.difference is None or not self.mark:
            return ""
        return "lower" if self.difference.interval.mean < 0 else "higher"


@dataclass(frozen=True, slots=True)
class Whole:
    """The outcome of all jobs and campaigns that users wanted, over the runs of one policy at one point."""

    jobs: Observed
    campaigns: Observed
    lost_processor_hours: float

    @classmethod
    def of(cls, runs: Sequence[InRun | None]) -> "Whole":
        """The sum over runs."""
        known = [run for run in runs if run is not None]
        jobs, campaigns = (sum((getattr(run, of) for run in known), Observed(0)) for of in ("jobs", "campaigns"))
        return cls(jobs, campaigns, math.fsum(run.lost_processor_hours for run in known))

    @property
    def share(self) -> float:
        """The share of the wanted jobs that was given up; 0 if none was wanted."""
        return self.jobs.abandoned / self.jobs.wanted if self.jobs.wanted else 0.0


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """One metric: a cell for each point and policy, both in their order."""

    metric: str
    unit: Unit
    cells: dict[tuple[int, str], Cell]
    """By the index of the point and the policy."""

    @property
    def words(self) -> str:
        """The metric in words."""
        return words(self.metric)

    @property
    def things(self) -> str:
        """Its observations: jobs, campaigns or users; empty for a number of the whole run."""
        return things(self.metric)

    @property
    def means(self) -> list[float]:
        """The means of the cells that have one."""
        return [cell.interval.mean for cell in self.cells.values() if not math.isnan(cell.interval.mean)]

    @property
    def title(self) -> str:
        """The metric in words, with its unit."""
        return f"{self.words} ({self.unit.name})" if self.unit.name else self.words


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All metrics of a sweep."""

    policies: list[str]
    baseline: str
    parameters: list[str]
    points: list[Point]
    measured: list[ComparedMetric]
    seeds: int
    """The largest number of seeds of any point."""
    confidence: float
    whole: Mapping[tuple[int, str], Whole] = field(default_factory=dict)
    """The outcome of jobs and campaigns by the index of the point and the policy, if known."""
    lacks: tuple[str, ...] = ()
    """What users who were fitted to a log do beyond their model (`thinktime.workloads.calibration.beyond`)."""

    @property
    def warnings(self) -> list[str]:
        """Sentences on what the runs do not say."""
        return [sentence(self.lacks)] if self.lacks else []

    @property
    def others(self) -> list[str]:
        """The policies that are compared with the baseline."""
        return [policy for policy in self.policies if policy != self.baseline]

    @property
    def cells(self) -> Iterator[Cell]:
        """All cells of all metrics."""
        return (cell for each in self.measured for cell in each.cells.values())

    @property
    def given_up(self) -> bool | None:
        """Whether users gave up anything in any run; None if that is unknown."""
        if any(each.jobs.abandoned for each in self.whole.values()):
            return True
        cells = {place for each in self.measured for place, cell in each.cells.items() if cell.finished}
        return False if cells <= set(self.whole) else None

    @property
    def batches(self) -> int:
        """The largest number of batches behind an interval; 0 if all are from replications."""
        return max((cell.batches for cell in self.cells), default=0)

    @property
    def doubts(self) -> bool:
        """Whether anything is marked as not to be trusted."""
        return any(cell.doubtful or cell.doubtful_difference for cell in self.cells)

    @property
    def partial(self) -> bool:
        """Whether any mean is only of what was served, because users gave up the rest."""
        return any(cell.partial for cell in self.cells)

    @property
    def bounds(self) -> bool:
        """Whether any number is only a lower bound."""
        return any(cell.bound for cell in self.cells)

    @property
    def ways(self) -> list[str]:
        """How intervals are computed, in words."""
        over = [f"over {self.seeds} replications"] if self.seeds > 1 else []
        return [*over, *(["by batch means within the one run"] if self.batches else [])]

    @property
    def tests(self) -> str:
        """How differences are tested, in words."""
        tests = ["paired by seed"] if self.seeds > 1 else []
        if self.batches:
            kinds = {cell.difference.paired for cell in self.cells if cell.batches and cell.difference is not None}
            words = {True: "paired by batch of the same jobs", False: "Welch's where jobs are not the same"}
            tests += [words[kind] for kind in (True, False) if kind in kinds]
        return ", ".join(tests)

    @property
    def judging_first(self) -> list[ComparedMetric]:
        """The metrics in order, with those that only count things last."""
        return sorted(self.measured, key=lambda each: describes(each.metric))

    @property
    def level(self) -> str:
        """The confidence, such as `95 %`."""
        return f"{100 * self.confidence:.4g} %"

    @property
    def significant(self) -> Iterator[tuple[ComparedMetric, Point, str, Cell]]:
        """The significant differences from the baseline, by metric, point and policy."""
        for each in self.measured:
            for (place, policy), cell in each.cells.items():
                if cell.mark:
                    yield each, self.points[place], policy, cell

    def _repr_html_(self) -> str:
        titles = [each.title for each in self.judging_first]
        if not self.parameters:  # a row for each metric and a column for each policy
            columns = [self._column(0, policy) for policy in self.policies]
            body = table(["metric", *self.policies], zip(titles, *columns, strict=True))
        else:  # a row for each point and policy and a column for each metric
            given = [[shown(point.values.get(name)) for name in self.parameters] for point in self.points]
            asked = [(place, policy) for place, _ in enumerate(given) for policy in self.policies][:MOST_ROWS]
            rows = [[*given[place], policy, *self._column(place, policy)] for place, policy in asked]
            body = table([*self.parameters, "policy", *titles], rows, keys=len(self.parameters) + 1)
            body += more_rows(len(self.points) * len(self.policies))
        return body + self._legend() if self.ways else body

    def _column(self, place: int, policy: str) -> list[str]:
        return [_shown(each, each.cells.get((place, policy))) for each in self.judging_first]

    def _legend(self) -> str:
        what = f"Mean \N{PLUS-MINUS SIGN} half width of the {self.level} interval {', '.join(self.ways)}"
        notes = [DOUBT_LEGEND] if self.doubts else []
        notes += [SHORT_OF_DATA_LEGEND] if any(cell.short_of_data for cell in self.cells) else []
        notes += [PARTIAL_LEGEND] if self.partial else []
        notes += [BOUND_LEGEND] if self.bounds else []
        notes += ["n: runs with a value"] if any(cell.incomplete for cell in self.cells) else []
        return paragraph("; ".join([f"{what}; compared with {self.baseline}: {LEGEND}", *notes]) + ".")

    @property
    def tested(self) -> int:
        """The number of comparisons made."""
        return sum(not math.isnan(cell.adjusted) for cell in self.cells)


def shown(value: Any) -> str:
    """A parameter's value as it is printed."""
    return f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """A parameter's value as JSON, with its keys in their given order."""
    return json.dumps(value, sort_keys=False, default=lambda other: getattr(other, "item", str)())


def _shown(measured: ComparedMetric, cell: Cell | None) -> str:
    if cell is None:
        return NONE
    runs = f" (n={cell.runs})" if cell.incomplete else ""
    stars = cell.stars or (SHORT_OF_DATA if cell.short_of_data else "")
    bound = f"{BOUND} " if cell.bound and cell.runs else ""
    return f"{bound}{measured.unit.show_interval(cell.interval)}{cell.signs}{runs} {stars}".strip()


def more_rows(rows: int) -> str:
    """The number of rows left out of a table, as a paragraph; empty if there are none."""
    return paragraph(f"{rows - MOST_ROWS:,} more rows.") if rows > MOST_ROWS else ""
