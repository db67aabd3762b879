"""Means with intervals, and differences from a baseline, of all metrics of a sweep.

A *point* is one combination of the swept parameters. Replications of a point are its seeds; policies share
them, so differences are paired by seed. The comparisons of one metric, over all points and policies, are one
family for Holm's correction.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.reports.units import COUNTS, Unit, unit_of, words
from thinktime.analysis.statistics import Difference, Interval, holm, mark, mean, paired

if TYPE_CHECKING:
    import pandas as pd

    from thinktime.analysis.experiments.folder import Sweep

Floats = npt.NDArray[np.float64]


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

    @property
    def mark(self) -> str:
        """Stars by the adjusted p."""
        return mark(self.adjusted)

    @property
    def verdict(self) -> str:
        """`lower` or `higher` than the baseline where that is significant, else nothing."""
        if self.difference is None or not self.mark:
            return ""
        return "lower" if self.difference.interval.mean < 0 else "higher"


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
    measured = [_measured(frame, name, policies, chosen, confidence) for name in sweep.metrics]
    seeds = int(frame.groupby("_point")["seed"].nunique().max()) if len(frame) else 0
    listed = [Point(json.loads(text)) for text in points]
    return Comparisons(policies, chosen, parameters, listed, measured, seeds, confidence)


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
    frame: pd.DataFrame, metric: str, policies: list[str], baseline: str, confidence: float
) -> Measured:
    by_seed = frame.pivot_table(
        index=["_point", "seed"], columns="policy", values=metric, dropna=False, observed=False
    ).reindex(columns=policies)
    cells: dict[tuple[int, str], Cell] = {}
    values, places = by_seed.to_numpy(dtype=np.float64), by_seed.index.get_level_values("_point").to_numpy()
    for place in np.unique(places).tolist():
        columns = dict(zip(policies, values[places == place].T, strict=True))
        for name, column in columns.items():
            cells[place, name] = _cell(column, columns[baseline], name == baseline, confidence)
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


def _corrected(cells: dict[tuple[int, str], Cell]) -> dict[tuple[int, str], Cell]:
    adjusted = holm([cell.adjusted for cell in cells.values()])
    return {
        place: Cell(cell.interval, cell.runs, cell.difference, float(q), cell.relative)
        for (place, cell), q in zip(cells.items(), adjusted, strict=True)
    }
