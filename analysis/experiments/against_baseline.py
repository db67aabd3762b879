"""Compare the policies of a sweep with a baseline: intervals of means, paired differences, Holm's correction.

`comparisons` has the results and shows them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thinktime.analysis.experiments.comparisons import Cell, ComparedMetric, Comparisons, Point, Whole, as_json
from thinktime.analysis.experiments.folder import SweepFolder
from thinktime.analysis.experiments.kept_batches import Kept, differing
from thinktime.analysis.experiments.metric_units import unit_of
from thinktime.analysis.experiments.metrics import is_lower_bound
from thinktime.analysis.experiments.observed import InRun
from thinktime.analysis.statistics import Difference, Interval, holm, mean, paired
from thinktime.workloads.arrays import DataFrame, Floats
from thinktime.workloads.names import quoted


def compared(sweep: SweepFolder, baseline: str | None = None, confidence: float = 0.95) -> Comparisons:
    """Compare the policies of a sweep with the baseline (default: the scenario's first policy)."""
    policies = sweep.policies
    chosen = policies[0] if baseline is None else baseline
    if chosen not in policies:
        raise ValueError(f"the baseline must be one of the policies {', '.join(policies)}, not {quoted(chosen)}")
    table, parameters = sweep.table, sweep.parameters
    values = table[parameters].to_dict("records") if parameters else [{}] * len(table)
    points = _points(values)
    names = [as_json(point) for point in values]
    table = table.assign(_point=[points[name] for name in names])
    batches = _of_single_runs(table, sweep.batches())
    measured = [_measured(table, name, policies, chosen, confidence, batches) for name in sweep.metrics]
    runs = _runs(table, sweep.observed())
    measured = [_counted(each, runs, chosen) for each in measured]
    seeds = int(table.groupby("_point")["seed"].nunique().max()) if len(table) else 0
    listed = [Point(json.loads(text)) for text in points]
    whole = {place: Whole.of(each) for place, each in runs.items() if all(each)}
    lacks = tuple(dict.fromkeys(name for each in runs.values() for run in each if run for name in run.lacks))
    return Comparisons(policies, chosen, parameters, listed, measured, seeds, confidence, whole, lacks)


def _points(values: list[dict[Any, Any]]) -> dict[str, int]:
    """The index of each point, by its JSON; points are sorted by value, and numbers numerically."""
    by_text = {as_json(point): point for point in values}
    ordered = sorted(by_text, key=lambda text: [_sortable(each) for each in by_text[text].values()])
    return {text: number for number, text in enumerate(ordered)}


def _sortable(value: Any) -> tuple[int, float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, float(value), ""
    return 1, 0.0, as_json(value)


def _measured(
    table: DataFrame,
    metric: str,
    policies: list[str],
    baseline: str,
    confidence: float,
    batches: Mapping[tuple[int, str], Mapping[str, Kept]],
) -> ComparedMetric:
    by_seed = table.pivot_table(
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
    unit = unit_of(metric, [cell.interval.mean for cell in cells.values()])
    adjusted = holm([cell.adjusted for cell in cells.values()]).tolist()
    corrected = (replace(cell, adjusted=q) for cell, q in zip(cells.values(), adjusted, strict=True))
    return ComparedMetric(metric, unit, dict(zip(cells, corrected, strict=True)))


def _cell(column: Floats, base: Floats, own: bool, confidence: float) -> Cell:
    interval, runs = mean(column, confidence), int((~np.isnan(column)).sum())
    if own:
        return Cell(interval, runs)
    difference = paired(column, base, confidence)
    both = ~(np.isnan(column) | np.isnan(base))
    reference = float(base[both].mean()) if both.any() else math.nan
    return Cell(interval, runs, difference, difference.p, _relative(difference, reference))


def _relative(difference: Difference, reference: float) -> float:
    return difference.interval.mean / abs(reference) if reference else math.nan


def _of_single_runs(
    table: DataFrame, batches: Mapping[str, Mapping[str, Kept]]
) -> dict[tuple[int, str], Mapping[str, Kept]]:
    """The batches by point and policy, for points with a single seed."""
    if not batches:
        return {}
    alone = table[table.groupby("_point")["seed"].transform("nunique") == 1]
    places = zip(alone["_point"].tolist(), alone["policy"].tolist(), alone["key"].tolist(), strict=True)
    return {(place, policy): batches[key] for place, policy, key in places if key in batches}


def _batched(cell: Cell, own: Kept, base: Kept | None, confidence: float) -> Cell:
    """A cell of a single run, with the interval and the difference of its batches."""
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
    relative = _relative(difference, mean(y).mean)
    doubt = not sure and bool(difference.interval.mean) and not math.isnan(difference.p)
    return replace(found, difference=difference, adjusted=difference.p, relative=relative, doubtful_difference=doubt)


def _runs(table: DataFrame, observed: Mapping[str, InRun]) -> dict[tuple[int, str], list[InRun | None]]:
    runs: dict[tuple[int, str], list[InRun | None]] = {}
    for place, policy, key in zip(table["_point"], table["policy"], table["key"], strict=True):
        runs.setdefault((place, policy), []).append(observed.get(key))
    return runs


def _counted(
    measured: ComparedMetric, runs: Mapping[tuple[int, str], Sequence[InRun | None]], baseline: str
) -> ComparedMetric:
    estimated = measured.metric.startswith("km_")
    cells = {}
    for at, cell in measured.cells.items():
        own = runs.get(at, [])
        counts = [run.metrics[measured.metric] for run in own if run and measured.metric in run.metrics]
        whole = sum(counts[1:], counts[0]) if counts else None
        partial = whole is not None and whole.abandoned + whole.partly > 0 and not estimated
        bound = whole is not None and whole.abandoned > 0 and is_lower_bound(measured.metric)
        cells[at] = replace(cell, finished=len(own), observed=whole, partial=partial, bound=bound)
    for (place, policy), cell in cells.items():
        base = cells.get((place, baseline))
        both = [cell] if base is None else [cell, base]
        if any(each.bound for each in both):  # a bound says nothing about who is better
            cell = replace(cell, difference=None, adjusted=math.nan, relative=math.nan)
        either = any(each.partial for each in both)
        cells[place, policy] = replace(cell, partial_difference=either and policy != baseline)
    return replace(measured, cells=cells)
