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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.reports.units import COUNTS, Unit, unit_of, words
from thinktime.analysis.statistics import (
    TOO_LITTLE,
    Difference,
    Interval,
    holm,
    mark,
    mean,
    paired,
    state,
)

if TYPE_CHECKING:
    import pandas as pd

    from thinktime.analysis.experiments.batches import Kept
    from thinktime.analysis.experiments.folder import Sweep
    from thinktime.analysis.experiments.observed import InRun, Observed

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
        from thinktime.analysis.experiments.metrics import things

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
        from thinktime.analysis.reports.notebook import comparisons_html

        return comparisons_html(self)

    @property
    def tested(self) -> int:
        """How many comparisons there were."""
        return sum(not math.isnan(cell.adjusted) for each in self.measured for cell in each.cells.values())


def compared(sweep: Sweep, baseline: str | None = None, confidence: float = 0.95) -> Comparisons:
    """Compare the policies of a sweep with the baseline (default: the scenario's first policy)."""
    policies = sweep.policies
    chosen = policies[0] if baseline is None else baseline
    if chosen not in policies:
        raise ValueError(f"the baseline must be one of the policies {', '.join(policies)}, not {chosen!r}")
    frame, parameters = sweep.table, sweep.parameters
    values = frame[parameters].to_dict("records") if parameters else [{}] * len(frame)
    points = _points(values)
    names = [_text(point) for point in values]
    frame = frame.assign(_point=[points[name] for name in names])
    batches = _of_single_runs(frame, sweep.batches())
    measured = [_measured(frame, name, policies, chosen, confidence, batches) for name in sweep.metrics]
    runs = _runs(frame, sweep.observed())
    measured = [_counted(each, runs, chosen) for each in measured]
    seeds = int(frame.groupby("_point")["seed"].nunique().max()) if len(frame) else 0
    listed = [Point(json.loads(text)) for text in points]
    whole = {place: Whole.of(each) for place, each in runs.items() if all(each)}
    return Comparisons(policies, chosen, parameters, listed, measured, seeds, confidence, whole)


def shown(value: Any) -> str:
    """A parameter's value as people write it."""
    return f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else _text(value)


def _points(values: list[dict[Any, Any]]) -> dict[str, int]:
    """The points by their text, numbered in the order of their values (numbers as numbers)."""
    by_text = {_text(point): point for point in values}
    ordered = sorted(by_text, key=lambda text: [_sortable(each) for each in by_text[text].values()])
    return {text: number for number, text in enumerate(ordered)}


def _sortable(value: Any) -> tuple[int, float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, float(value), ""
    return 1, 0.0, _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=False, default=lambda other: getattr(other, "item", str)())


def _measured(
    frame: pd.DataFrame,
    metric: str,
    policies: list[str],
    baseline: str,
    confidence: float,
    batches: Mapping[tuple[int, str], Mapping[str, Kept]],
) -> Measured:
    by_seed = frame.pivot_table(
        index=["_point", "seed"], columns="policy", values=metric, dropna=False, observed=False
    ).reindex(columns=policies)
    cells: dict[tuple[int, str], Cell] = {}
    values, places = by_seed.to_numpy(dtype=np.float64), by_seed.index.get_level_values("_point").to_numpy()
    for place in np.unique(places).tolist():
        columns = dict(zip(policies, values[places == place].T, strict=True))
        for name, column in columns.items():
            cell = _cell(column, columns[baseline], name == baseline, confidence)
            own = batches.get((place, name), {}).get(metric)
            base = batches.get((place, baseline), {}).get(metric)
            cells[place, name] = _batched(cell, own, base, confidence) if own else cell
    corrected = _corrected(cells)
    return Measured(metric, unit_of(metric, [cell.interval.mean for cell in cells.values()]), corrected)


def _cell(column: Floats, base: Floats, own: bool, confidence: float) -> Cell:
    interval, runs = mean(column, confidence), int((~np.isnan(column)).sum())
    if own:
        return Cell(interval, runs)
    difference = paired(column, base, confidence)
    both = ~(np.isnan(column) | np.isnan(base))
    reference = float(base[both].mean()) if both.any() else math.nan
    relative = difference.interval.mean / abs(reference) if reference else math.nan
    return Cell(interval, runs, difference, difference.p, relative)


def _of_single_runs(
    frame: pd.DataFrame, batches: Mapping[str, Mapping[str, Kept]]
) -> dict[tuple[int, str], Mapping[str, Kept]]:
    """The batches by point and policy, of the points that have one seed."""
    if not batches:
        return {}
    alone = frame[frame.groupby("_point")["seed"].transform("nunique") == 1]
    places = zip(alone["_point"].tolist(), alone["policy"].tolist(), alone["key"].tolist(), strict=True)
    return {(place, policy): batches[key] for place, policy, key in places if key in batches}


def _batched(cell: Cell, own: Kept, base: Kept | None, confidence: float) -> Cell:
    """A cell of one run, with what its batches say."""
    from thinktime.analysis.experiments.batches import differing

    half = own.cut.interval(confidence).half
    found = replace(
        cell,
        interval=Interval(cell.interval.mean, half),
        batches=len(own.cut.means),
        doubtful=not math.isnan(half) and not own.cut.trusted,
    )
    if cell.difference is None or base is None:
        return found
    difference, sure = differing(own, base, confidence)
    y = np.array(base.cut.means)
    if difference.paired:
        y = y[~np.isnan(np.array(own.cut.means) - y)]
    reference = float(mean(y).mean)
    relative = difference.interval.mean / abs(reference) if reference else math.nan
    doubt = not sure and bool(difference.interval.mean) and not math.isnan(difference.p)
    return replace(
        found, difference=difference, adjusted=difference.p, relative=relative, doubtful_difference=doubt
    )


def _runs(frame: pd.DataFrame, observed: Mapping[str, InRun]) -> dict[tuple[int, str], list[InRun | None]]:
    """What is known of the finished runs of each point and policy."""
    runs: dict[tuple[int, str], list[InRun | None]] = {}
    for place, policy, key in zip(frame["_point"], frame["policy"], frame["key"], strict=True):
        runs.setdefault((place, policy), []).append(observed.get(key))
    return runs


def _counted(
    measured: Measured, runs: Mapping[tuple[int, str], Sequence[InRun | None]], baseline: str
) -> Measured:
    """The same with what the cells are made of."""
    estimated = measured.metric.startswith("km_")
    cells = {}
    for at, cell in measured.cells.items():
        own = runs.get(at, [])
        counts = [run.metrics[measured.metric] for run in own if run and measured.metric in run.metrics]
        whole = sum(counts[1:], counts[0]) if counts else None
        partial = whole is not None and whole.abandoned + whole.partly > 0 and not estimated
        cells[at] = replace(cell, finished=len(own), observed=whole, partial=partial)
    for (place, policy), cell in cells.items():
        base = cells.get((place, baseline))
        either = cell.partial or (base is not None and base.partial)
        cells[place, policy] = replace(cell, partial_difference=either and policy != baseline)
    return replace(measured, cells=cells)


def _corrected(cells: dict[tuple[int, str], Cell]) -> dict[tuple[int, str], Cell]:
    adjusted = holm([cell.adjusted for cell in cells.values()])
    return {
        place: replace(cell, adjusted=float(q))
        for (place, cell), q in zip(cells.items(), adjusted, strict=True)
    }
