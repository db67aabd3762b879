"""The results of a sweep: a table for each point, or one JSON object.

Means over seeds have the half width of their 95 % interval (t). If nothing is random, each policy has a single run;
means over jobs then have the half width of batch means, and other numbers have none. If some runs have no value, the
number of runs that do is shown. If users gave up, means of what was served are marked, and rows below show how much
of what was wanted that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from thinktime.cli.readable import NONE, counted, duration, number, percentage

if TYPE_CHECKING:
    import pandas as pd

    from thinktime.analysis.experiments import Sweep
    from thinktime.analysis.experiments.comparisons import Cell, Comparisons

MOST_POINTS = 12
"""The maximum number of tables printed; the file has all."""

MOST_COLUMNS = 4
"""The maximum number of policies side by side."""

Cells = Callable[[str, str], "Cell | None"]
"""The cell of a metric and a policy, at one point."""


def as_json(found: Sweep) -> dict[str, Any]:
    """The object that `--json` prints: means and half widths by point and policy, None if undefined.

    `n` of `runs` have a value. `observations` counts the observations in all runs together; `comparison` tells whether
    the value differs from the first policy's.
    """
    rows = []
    comparisons = _compared(found)
    given = _cells_of(comparisons)
    for point, policy, part in groups(found):
        cells = given(point)
        metrics = {name: _numbers(part[name], cells(name, policy)) for name in found.metrics}
        row = {"policy": policy, "parameters": point, "seeds": part["seed"].tolist(), "metrics": metrics}
        rows.append(row | _whole(comparisons, point, policy))
    failed = found.failed
    failures = [{"key": row["key"], "error": row["error"]} for row in failed.to_dict("records")]
    return {
        "scenario": found.scenario.name,
        "out": str(found.folder),
        "finished": len(found),
        "failed": failures,
        "results": rows,
    }


def _whole(comparisons: Comparisons, point: dict[str, Any], policy: str) -> dict[str, Any]:
    """The outcome of all jobs and campaigns that users wanted, over all runs; empty if unknown."""
    place = next((at for at, each in enumerate(comparisons.points) if each.values == point), -1)
    whole = comparisons.whole.get((place, policy))
    if whole is None:
        return {}
    counts = {"jobs": whole.jobs._asdict(), "campaigns": whole.campaigns._asdict()}
    lost = {"abandoned_share": whole.share, "lost_processor_hours": whole.lost_processor_hours}
    return {"observations": counts | lost}


def print_tables(found: Sweep, console: Console) -> None:
    """Print one table per point of the sweep."""
    points: dict[str, dict[str, pd.DataFrame]] = {}
    cells: dict[str, Cells] = {}
    comparisons = _compared(found)
    given = _cells_of(comparisons)
    for point, policy, part in groups(found):
        title = ", ".join(f"{name} = {value}" for name, value in point.items())
        points.setdefault(title, {})[policy] = part
        cells[title] = given(point)
    for title, parts in list(points.items())[:MOST_POINTS]:
        table = _table(title, parts, found.metrics, cells[title])
        table.add_row()
        console.print(table)
    left = len(points) - MOST_POINTS
    if left > 0:
        console.print(f"{counted(left, 'point')} more in {found.folder}/results.csv")
    if points:
        console.print(_legend(found, comparisons))


def groups(found: Sweep) -> list[tuple[dict[str, Any], str, pd.DataFrame]]:
    """The rows of each point and policy, in the order of the scenario."""
    table, groups = found.table, []
    for point in found.scenario.points():
        here = table
        for name, value in point.items():
            here = here.loc[here[name].map(lambda each, value=value: each == value).astype(bool)]
        for policy in found.policies:
            part = here[here["policy"] == policy]
            if len(part):
                groups.append((point, policy, part))
    return groups


def interval(values: pd.Series[float]) -> tuple[float, float, int]:
    """The mean over seeds, the half width of its 95 % interval, and how many seeds have a value."""
    from thinktime.analysis.statistics import mean

    centre, half = mean(values.to_numpy())
    return centre, half, int(values.notna().sum())


def shown(metric: str, value: float) -> str:
    """A value of a metric, formatted by its kind.

    >>> shown("mean_wait", 5000), shown("utilization", 0.7684), shown("mean_slowdown", 12.34)
    ('1h 23m', '76.8%', '12.3')
    """
    if math.isnan(value):
        return NONE
    from thinktime.analysis.experiments.metric_units import kind

    if kind(metric) == "fraction":
        return percentage(value)
    if kind(metric) == "time":
        return duration(value)
    return number(value) if value.is_integer() and abs(value) < 1e12 else number(value, _digits(value))


def _digits(value: float) -> int:
    return 0 if abs(value) >= 1_000 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4


def _numbers(values: pd.Series[float], cell: Cell | None) -> dict[str, Any]:
    """One metric over seeds; for a single run with the number of batches and whether they can be trusted."""
    mean, half, count = interval(values)
    numbers: dict[str, Any] = {
        "mean": _plain(mean),
        "half_width": _plain(half),
        "n": count,
        "runs": len(values),
    }
    if cell is None:
        return numbers
    if cell.observed is not None:
        numbers["observations"] = cell.observed._asdict()
    if cell.difference is not None:
        numbers["comparison"] = cell.state
    if not cell.batches:
        return numbers
    half = cell.interval.half
    batches = {"batches": cell.batches, "trusted": not cell.doubtful and not math.isnan(half)}
    return numbers | {"half_width": _plain(half), **batches}


def _table(title: str, parts: dict[str, pd.DataFrame], metrics: list[str], known: Cells) -> Table:
    """A row per metric and a column per policy; the other way round if there are many policies."""
    cells = {name: _cells(name, parts, known) for name in metrics} | _served(parts, metrics, known)
    metrics = list(cells)
    if len(parts) <= MOST_COLUMNS:
        table = _empty(title)
        table.add_column("", no_wrap=True)
        for policy in parts:
            table.add_column(policy, justify="right")
        for name in metrics:
            table.add_row(name, *cells[name].values())
        return table
    table = _empty(title)
    table.add_column("")
    for name in metrics:
        table.add_column(name.replace("_", " "), justify="right")
    for policy in parts:
        table.add_row(policy, *(cells[name][policy] for name in metrics))
    return table


def _empty(title: str) -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", title=title or None, title_justify="left")


def _cells(name: str, parts: dict[str, pd.DataFrame], known: Cells) -> dict[str, str]:
    """One metric under each policy."""
    return {policy: _cell(name, part[name], known(name, policy)) for policy, part in parts.items()}


def _served(parts: dict[str, pd.DataFrame], metrics: list[str], known: Cells) -> dict[str, dict[str, str]]:
    """Rows with the number of observations and of those wanted, if some were given up."""
    from thinktime.analysis.experiments.metrics import things

    rows: dict[str, dict[str, str]] = {}
    for name in metrics:
        cells = {policy: known(name, policy) for policy in parts}
        whose = "".join(name.partition("@")[1:])
        title = f"n, {things(name)}{whose}"
        if title not in rows and any(
            cell and cell.observed and cell.observed.abandoned for cell in cells.values()
        ):
            rows[title] = {policy: _share_of(cell) for policy, cell in cells.items()}
    return rows


def _share_of(cell: Cell | None) -> str:
    """The observations with a value and all of them, as means over the runs."""
    if cell is None or cell.observed is None:
        return NONE
    served, wanted = (
        number(round(each / cell.finished, 1), 1) for each in (cell.observed.n, cell.observed.wanted)
    )
    return f"{served} of {wanted}"


def _cell(name: str, values: pd.Series[float], cell: Cell | None) -> str:
    from thinktime.analysis.experiments.comparisons import DOUBT, PARTIAL, SHORT_OF_DATA

    mean, half, _ = interval(values)
    if cell is not None and cell.batches:
        half = cell.interval.half
    parts = [shown(name, mean)]
    if not math.isnan(half) and half != 0:
        parts.append(f"± {shown(name, half)}")
    if cell is not None:
        parts += [DOUBT] * (cell.doubtful and len(parts) > 1)
        parts += [PARTIAL] * (cell.partial and not math.isnan(mean))
        parts += [f"(n={cell.runs})"] * (cell.incomplete and cell.runs > 0)
        parts += [cell.stars or SHORT_OF_DATA * cell.short_of_data]
    return " ".join(filter(None, parts))


def _compared(found: Sweep) -> Comparisons:
    from thinktime.analysis.experiments.against_baseline import compared

    return compared(found)


def _cells_of(comparisons: Comparisons) -> Callable[[dict[str, Any]], Cells]:
    """The cells at each point, compared with the first policy as in a report."""
    cells = {each.metric: each.cells for each in comparisons.measured}

    def of_point(point: dict[str, Any]) -> Cells:
        place = next((at for at, each in enumerate(comparisons.points) if each.values == point), -1)

        def cell(metric: str, policy: str) -> Cell | None:
            return cells[metric].get((place, policy))

        return cell

    return of_point


def _legend(found: Sweep, comparisons: Comparisons) -> str:
    if comparisons.batches:
        return _batched_legend(comparisons)
    counts = sorted({len(part) for _, _, part in groups(found)})
    seeds = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    if counts[-1] == 1:
        return "One run each."
    from thinktime.analysis.statistics import LEGEND

    means = f"Means over {seeds} seeds ± half width of the 95 % interval (t)"
    signs = "".join(f"; {each}" for each in _signs(comparisons))
    if len(found.policies) == 1:
        return f"{means}{signs}."
    return f"{means}; against {found.policies[0]}, seed by seed (paired t-tests, Holm): {LEGEND}{signs}."


def _signs(comparisons: Comparisons) -> list[str]:
    """The meanings of the signs in the tables."""
    from thinktime.analysis.experiments.comparisons import PARTIAL_LEGEND, SHORT_OF_DATA_LEGEND

    cells = [cell for each in comparisons.measured for cell in each.cells.values()]
    return [
        *(["n: runs with a value"] * any(cell.incomplete and cell.runs for cell in cells)),
        *([SHORT_OF_DATA_LEGEND] * any(cell.short_of_data for cell in cells)),
        *([f"{PARTIAL_LEGEND} (n: mean number per run with a value, of all)"] * comparisons.partial),
    ]


def _batched_legend(comparisons: Comparisons) -> str:
    from thinktime.analysis.experiments.comparisons import DOUBT_LEGEND
    from thinktime.analysis.statistics import LEGEND, TOO_LITTLE

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


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
