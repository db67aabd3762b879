"""Means with intervals, and differences from a baseline, of all metrics of a sweep.

A *point* is one combination of the swept parameters. Replications of a point are its seeds; policies share
them, so differences are paired by seed. The comparisons of one metric, over all points and policies, are one
family for Holm's correction.

A point at which nothing is random has one run of each policy. Means over jobs have batch means then: the half
width beside the run's own mean is that of the batches, and differences are between batches of the same jobs
(paired), or, where policies did not get the same jobs at the same times, between the two rows of batches (Welch).

A mean over response times is over what was served. Where users gave up some of it, the mean is marked: of what was
served alone. A metric that some runs do not have says how many have it, and where fewer than two pairs are left, there
is too little data to compare, which is not the absence of a difference.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.experiments.metric_units import COUNTS, NONE, Unit, words
from thinktime.analysis.experiments.metrics import things
from thinktime.analysis.experiments.observed import InRun, Observed
from thinktime.analysis.statistics import LEGEND, TOO_LITTLE, Difference, Interval, mark, state
from thinktime.workloads.html import paragraph, table

Floats = npt.NDArray[np.float64]
DOUBT = "?"
"""Behind what is not to be trusted."""
DOUBT_LEGEND = (
    f"{DOUBT}: not to be trusted, since batches depend on each other (lag-1 autocorrelation of 0.1 or more) "
    "or hold fewer than ten jobs; lengthen the run"
)


PARTIAL = "\N{DAGGER}"
"""Behind a mean of what was served, where some was given up."""
PARTIAL_LEGEND = f"{PARTIAL}: of what was served alone; users gave up the rest"
SHORT_OF_DATA = "\N{DOUBLE DAGGER}"
"""In the place of stars, where there is too little data to compare."""
SHORT_OF_DATA_LEGEND = f"{SHORT_OF_DATA}: {TOO_LITTLE} to compare"


MOST_ROWS = 60
"""The rows that a notebook shows of a table."""


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
    """What one policy made of one metric at one point."""

    interval: Interval
    runs: int
    """Finished runs with a value."""
    difference: Difference | None = None
    """From the baseline; None for the baseline itself."""
    adjusted: float = math.nan
    """Holm's p within the metric."""
    relative: float = math.nan
    """The difference as a part of the baseline's mean, over the same pairs of runs."""
    batches: int = 0
    """The batches of the one run that the interval is from; 0 where it is from replications."""
    doubtful: bool = False
    """Whether the interval is from batches that are not to be trusted."""
    doubtful_difference: bool = False
    """The same for the difference."""
    finished: int = 0
    """Finished runs, with a value or without."""
    observed: Observed | None = None
    """What the metric was made of in all runs together; None where it is a number of the run as a whole."""
    partial: bool = False
    """Whether it is of what was served alone, and something was given up."""
    partial_difference: bool = False
    """Whether that holds here or under the baseline."""

    @property
    def stars(self) -> str:
        """The mark, with a question mark where the difference is not to be trusted."""
        return f"{self.mark}{DOUBT}" if self.mark and self.doubtful_difference else self.mark

    @property
    def mark(self) -> str:
        """Stars by the adjusted p."""
        return mark(self.adjusted)

    @property
    def state(self) -> str:
        """Whether it differs from the baseline: significant, not, or too little data; nothing for the baseline."""
        return "" if self.difference is None else state(self.adjusted)

    @property
    def incomplete(self) -> bool:
        """Whether some finished runs have no value."""
        return self.runs < self.finished

    @property
    def verdict(self) -> str:
        """`lower` or `higher` than the baseline where that is significant, else nothing."""
        if self.difference is None or not self.mark:
            return ""
        return "lower" if self.difference.interval.mean < 0 else "higher"


@dataclass(frozen=True, slots=True)
class Whole:
    """What became of all that users wanted in the runs of one policy at one point, together."""

    jobs: Observed
    campaigns: Observed
    lost_processor_hours: float

    @classmethod
    def of(cls, runs: Sequence[InRun | None]) -> Whole:
        """The sums over runs."""
        known = [run for run in runs if run is not None]
        jobs, campaigns = known[0].jobs, known[0].campaigns
        for run in known[1:]:
            jobs, campaigns = jobs + run.jobs, campaigns + run.campaigns
        return cls(jobs, campaigns, math.fsum(run.lost_processor_hours for run in known))

    @property
    def share(self) -> float:
        """The share of the jobs that were wanted and given up; 0 where none was wanted."""
        return self.jobs.abandoned / self.jobs.wanted if self.jobs.wanted else 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric: a cell for each point and policy, both in their order."""

    metric: str
    unit: Unit
    cells: dict[tuple[int, str], Cell]
    """By the number of the point, and policy."""

    @property
    def words(self) -> str:
        """The metric as people say it."""
        return words(self.metric)

    @property
    def things(self) -> str:
        """What it is a number of: jobs, campaigns, users; nothing for a number of the run as a whole."""
        return things(self.metric)

    @property
    def title(self) -> str:
        """The same with the unit."""
        return f"{self.words} ({self.unit.name})" if self.unit.name else self.words


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All metrics of a sweep."""

    policies: list[str]
    baseline: str
    parameters: list[str]
    points: list[Point]
    measured: list[Measured]
    seeds: int
    """The most seeds that any point has."""
    confidence: float
    whole: Mapping[tuple[int, str], Whole] = field(default_factory=dict)
    """What became of jobs and campaigns, by the number of the point, and policy; where that is known."""

    @property
    def given_up(self) -> bool | None:
        """Whether users gave up anything in any run; None where that is not known."""
        if any(each.jobs.abandoned for each in self.whole.values()):
            return True
        cells = {place for each in self.measured for place, cell in each.cells.items() if cell.finished}
        return False if cells <= set(self.whole) else None

    @property
    def batches(self) -> int:
        """The most batches that an interval is from; 0 where all are from replications."""
        cells = (cell for each in self.measured for cell in each.cells.values())
        return max((cell.batches for cell in cells), default=0)

    @property
    def doubts(self) -> bool:
        """Whether anything is marked as not to be trusted."""
        cells = (cell for each in self.measured for cell in each.cells.values())
        return any(cell.doubtful or cell.doubtful_difference for cell in cells)

    @property
    def partial(self) -> bool:
        """Whether any mean is of what was served alone, and something was given up."""
        return any(cell.partial for each in self.measured for cell in each.cells.values())

    @property
    def ways(self) -> list[str]:
        """Where intervals are from, in words."""
        over = [f"over {self.seeds} replications"] if self.seeds > 1 else []
        return [*over, *(["by batch means within the one run"] if self.batches else [])]

    @property
    def tests(self) -> str:
        """How differences are tested, in words."""
        tests = ["paired by seed"] if self.seeds > 1 else []
        if self.batches:
            found = [cell for each in self.measured for cell in each.cells.values() if cell.batches]
            kinds = {cell.difference.paired for cell in found if cell.difference is not None}
            words = {True: "paired by batch of the same jobs", False: "Welch's where jobs are not the same"}
            tests += [words[kind] for kind in (True, False) if kind in kinds]
        return ", ".join(tests)

    @property
    def judging_first(self) -> list[Measured]:
        """The metrics in their order, those that only count things behind the others."""
        return sorted(self.measured, key=lambda each: each.metric in COUNTS)

    @property
    def level(self) -> str:
        """The confidence, such as `95 %`."""
        return f"{100 * self.confidence:.4g} %"

    @property
    def significant(self) -> Iterator[tuple[Measured, Point, str, Cell]]:
        """Every difference from the baseline that is significant, by metric, point and policy."""
        for each in self.measured:
            for (place, policy), cell in each.cells.items():
                if cell.mark:
                    yield each, self.points[place], policy, cell

    def _repr_html_(self) -> str:
        """Means with intervals, and marks where they differ from the baseline, for notebooks."""
        if not self.parameters:
            body = table(["metric", *self.policies], self._by_metric())
        else:
            head = [*self.parameters, "policy", *(each.title for each in self.judging_first)]
            body = table(head, self._by_point()[:MOST_ROWS], keys=len(self.parameters) + 1)
            body += more_rows(len(self.points) * len(self.policies))
        return body + self._legend() if self.ways else body

    def _by_metric(self) -> list[list[str]]:
        """A row for each metric, a column for each policy: where nothing varies."""
        return [
            [each.title, *(_shown(each, each.cells.get((0, policy))) for policy in self.policies)]
            for each in self.judging_first
        ]

    def _by_point(self) -> list[list[str]]:
        """A row for each point and policy, a column for each metric."""
        return [
            [
                *(shown(point.values.get(name)) for name in self.parameters),
                policy,
                *(_shown(each, each.cells.get((place, policy))) for each in self.judging_first),
            ]
            for place, point in enumerate(self.points[:MOST_ROWS])
            for policy in self.policies
        ]

    def _legend(self) -> str:
        what = f"Mean \N{PLUS-MINUS SIGN} half width of the {self.level} interval {', '.join(self.ways)}"
        cells = [cell for each in self.measured for cell in each.cells.values()]
        notes = [DOUBT_LEGEND] if self.doubts else []
        notes += [SHORT_OF_DATA_LEGEND] if any(map(_short, cells)) else []
        notes += [PARTIAL_LEGEND] if self.partial else []
        notes += ["n: runs that have a number"] if any(cell.incomplete for cell in cells) else []
        return paragraph("; ".join([f"{what}; compared with {self.baseline}: {LEGEND}", *notes]) + ".")

    @property
    def tested(self) -> int:
        """How many comparisons there were."""
        return sum(not math.isnan(cell.adjusted) for each in self.measured for cell in each.cells.values())


def shown(value: Any) -> str:
    """A parameter's value as people write it."""
    return f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """A parameter's value as JSON, in the order in which it was written."""
    return json.dumps(value, sort_keys=False, default=lambda other: getattr(other, "item", str)())


def _shown(measured: Measured, cell: Cell | None) -> str:
    if cell is None:
        return NONE
    signs = f"{f' {DOUBT}' if cell.doubtful else ''}{f' {PARTIAL}' if cell.partial and cell.runs else ''}"
    runs = f" (n={cell.runs})" if cell.incomplete else ""
    stars = cell.stars or (SHORT_OF_DATA if _short(cell) else "")
    return f"{measured.unit.show_interval(cell.interval)}{signs}{runs} {stars}".strip()


def _short(cell: Cell) -> bool:
    """Whether several runs were made, and too few of them can be compared."""
    return cell.finished > 1 and cell.state == TOO_LITTLE


def more_rows(rows: int) -> str:
    """How many rows a table leaves out, as a paragraph; nothing if it has all."""
    return paragraph(f"{rows - MOST_ROWS:,} more rows.") if rows > MOST_ROWS else ""
