"""The results of a sweep: a table for each point, or one JSON object.

Means over seeds have the half width of their 95 % interval (t). If nothing is random, each policy has a single run;
means over jobs then have the half width of batch means, and other numbers have none. If some runs have no value, the
number of runs that do is shown. If users gave up, means of what was served are marked, and rows below show how much
of what was wanted that is.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from thinktime.analysis.experiments import Sweep
from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import (
    BOUND,
    BOUND_LEGEND,
    DOUBT,
    DOUBT_LEGEND,
    PARTIAL,
    PARTIAL_LEGEND,
    SHORT_OF_DATA,
    SHORT_OF_DATA_LEGEND,
    Cell,
    Comparisons,
    Whole,
)
from thinktime.analysis.experiments.metrics import things, unit
from thinktime.analysis.json_values import without_nan
from thinktime.analysis.report import Report
from thinktime.analysis.statistics import LEGEND, TOO_LITTLE
from thinktime.cli.layout import NONE, counted, duration, number, percentage, titled
from thinktime.models.results.metric import FRACTION, SECONDS

MOST_POINTS = 12
"""The maximum number of tables printed; the file has all."""

MOST_COLUMNS = 4
"""The maximum number of policies side by side."""


def report(found: Sweep, notes: Sequence[str] = ()) -> Report:
    """A table for each point of the sweep, and notes."""
    return Report(lambda: _page(found, notes), lambda: _values(found, notes))


def _values(found: Sweep, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Means and half widths by point and policy, None if undefined, and notes.

    `n` of `runs` have a value. `observations` counts the observations in all runs together; `comparison` tells whether
    the value differs from the first policy's.
    """
    comparisons = compared(found)
    rows, told = [], [*notes, *comparisons.warnings]
    for place, point, policy, seeds in groups(found, comparisons):
        metrics = {each.metric: _numbers(each.cells[place, policy]) for each in comparisons.measured}
        row = {"policy": policy, "parameters": point, "seeds": seeds, "metrics": without_nan(metrics)}
        rows.append(row | _whole(comparisons.whole.get((place, policy))))
    failures = [{"key": row["key"], "error": row["error"]} for row in found.failed.to_dict("records")]
    return {
        "scenario": found.scenario.name,
        **({"changes": changes} if (changes := found.scenario.machine.changes_text) else {}),
        "out": str(found.folder),
        "finished": len(found),
        "failed": failures,
        **({"notes": told} if told else {}),
        "results": rows,
    }


def _whole(whole: Whole | None) -> dict[str, Any]:
    """The outcome of all jobs and campaigns that users wanted, over all runs; empty if unknown."""
    if whole is None:
        return {}
    counts = {"jobs": whole.jobs._asdict(), "campaigns": whole.campaigns._asdict()}
    lost = {"abandoned_share": whole.share, "lost_processor_hours": whole.lost_processor_hours}
    return {"observations": counts | lost}


def _page(found: Sweep, notes: Sequence[str]) -> Iterator[Table | str]:
    comparisons = compared(found)
    points: dict[str, dict[str, dict[str, Cell]]] = {}
    runs: set[int] = set()
    for place, point, policy, seeds in groups(found, comparisons):
        title = ", ".join(f"{name} = {value}" for name, value in point.items())
        cells = {each.metric: each.cells[place, policy] for each in comparisons.measured}
        points.setdefault(title, {})[policy] = cells
        runs.add(len(seeds))
    for title, parts in list(points.items())[:MOST_POINTS]:
        yield _table(title, parts)
    left = len(points) - MOST_POINTS
    if left > 0:
        yield f"{counted(left, 'point')} more in {found.folder}/results.csv"
    if points:
        yield _legend(comparisons, min(runs), max(runs))
    yield from (f"{note}." for note in (*notes, *comparisons.warnings))


def groups(found: Sweep, comparisons: Comparisons) -> Iterator[tuple[int, dict[str, Any], str, list[int]]]:
    """The index and the values of each point, each policy and its seeds, in the order of the scenario."""
    for point in found.scenario.points():
        here = found.table
        for name, value in point.items():
            here = here.loc[here[name].map(lambda each, value=value: each == value).astype(bool)]
        place = next((at for at, each in enumerate(comparisons.points) if each.values == point), -1)
        for policy in found.policies:
            seeds = here["seed"][here["policy"] == policy].tolist()
            if seeds:
                yield place, point, policy, seeds


def shown(metric: str, value: float) -> str:
    """A value of a metric, formatted by its unit.

    >>> shown("mean_wait", 5000), shown("utilization", 0.7684), shown("mean_slowdown", 12.34)
    ('1h 23m', '76.8%', '12.3')
    """
    if math.isnan(value):
        return NONE
    own = unit(metric)
    if own == FRACTION:
        return percentage(value)
    if own == SECONDS:
        return duration(value)
    return number(value) if value.is_integer() and abs(value) < 1e12 else number(value, _digits(value))


def _digits(value: float) -> int:
    return 0 if abs(value) >= 1_000 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4


def _numbers(cell: Cell) -> dict[str, Any]:
    """One metric over seeds; for a single run with the number of batches and whether they can be trusted."""
    mean, half = cell.interval
    numbers: dict[str, Any] = {"mean": mean, "half_width": half, "n": cell.runs, "runs": cell.finished}
    if cell.observed is not None:
        numbers["observations"] = cell.observed._asdict()
    if cell.difference is not None:
        numbers["comparison"] = cell.state
    if cell.batches:
        numbers |= {"batches": cell.batches, "trusted": not cell.doubtful and not math.isnan(half)}
    return numbers


def _table(title: str, parts: dict[str, dict[str, Cell]]) -> Table:
    """A row per metric and a column per policy; the other way round if there are many policies."""
    metrics = next(iter(parts.values()))
    rows = {name: {policy: _cell(name, each[name]) for policy, each in parts.items()} for name in metrics}
    rows |= _served(parts)
    if len(parts) <= MOST_COLUMNS:
        table = titled(title, "", *parts)
        table.columns[0].no_wrap = True
        for name, cells in rows.items():
            table.add_row(name, *cells.values())
    else:
        table = titled(title, "", *(name.replace("_", " ") for name in rows))
        for policy in parts:
            table.add_row(policy, *(cells[policy] for cells in rows.values()))
    table.add_row()
    return table


def _served(parts: dict[str, dict[str, Cell]]) -> dict[str, dict[str, str]]:
    """Rows with the number of observations and of those wanted, if some were given up."""
    rows: dict[str, dict[str, str]] = {}
    for name in next(iter(parts.values())):
        cells = {policy: each[name] for policy, each in parts.items()}
        whose = "".join(name.partition("@")[1:])
        title = f"n, {things(name)}{whose}"
        if title not in rows and any(each.observed and each.observed.abandoned for each in cells.values()):
            rows[title] = {policy: _share_of(cell) for policy, cell in cells.items()}
    return rows


def _share_of(cell: Cell) -> str:
    """The observations with a value and all of them, as means over the runs."""
    if cell.observed is None:
        return NONE
    served, wanted = (number(round(each / cell.finished, 1), 1) for each in (cell.observed.n, cell.observed.wanted))
    return f"{served} of {wanted}"


def _cell(name: str, cell: Cell) -> str:
    mean, half = cell.interval
    parts = [f"{BOUND} " * (cell.bound and not math.isnan(mean)) + shown(name, mean)]
    if not math.isnan(half) and half != 0:
        parts.append(f"± {shown(name, half)}")
    parts += [DOUBT] * (cell.doubtful and len(parts) > 1)
    parts += [PARTIAL] * (cell.partial and not math.isnan(mean))
    parts += [f"(n={cell.runs})"] * (cell.incomplete and cell.runs > 0)
    parts += [cell.stars or SHORT_OF_DATA * cell.short_of_data]
    return " ".join(filter(None, parts))


def _legend(comparisons: Comparisons, fewest: int, most: int) -> str:
    """What the numbers are; at each point a policy has from ``fewest`` to ``most`` runs."""
    if comparisons.batches:
        return _batched_legend(comparisons)
    if most == 1:
        return "One run each."
    seeds = " to ".join(map(str, dict.fromkeys((fewest, most))))
    means = f"Means over {seeds} seeds ± half width of the 95 % interval (t)"
    signs = "".join(f"; {each}" for each in _signs(comparisons))
    if len(comparisons.policies) == 1:
        return f"{means}{signs}."
    return f"{means}; against {comparisons.baseline}, seed by seed (paired t-tests, Holm): {LEGEND}{signs}."


def _signs(comparisons: Comparisons) -> list[str]:
    """The meanings of the signs in the tables."""
    cells = [cell for each in comparisons.measured for cell in each.cells.values()]
    return [
        *(["n: runs with a value"] * any(cell.incomplete and cell.runs for cell in cells)),
        *([SHORT_OF_DATA_LEGEND] * any(cell.short_of_data for cell in cells)),
        *([BOUND_LEGEND] * comparisons.bounds),
        *([f"{PARTIAL_LEGEND} (n: mean number per run with a value, of all)"] * comparisons.partial),
    ]


def _batched_legend(comparisons: Comparisons) -> str:
    parts = [
        f"Means ± half width of the {comparisons.level} interval (t) {', '.join(comparisons.ways)} "
        f"(up to {comparisons.batches} batches of jobs in order of submission, without the first one)"
    ]
    if comparisons.tests:
        parts.append(f"against {comparisons.baseline}, t-tests {comparisons.tests} (Holm): {LEGEND}")
        parts.append(f"without ±: {TOO_LITTLE} to compare")
    if comparisons.doubts:
        parts.append(DOUBT_LEGEND)
    parts += _signs(comparisons)
    return f"{'; '.join(parts)}."
