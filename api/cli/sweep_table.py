"""What a sweep found, in numbers: a table for each point of the sweep, or one JSON object.

Means over seeds with the half width of their 95 % interval (t); one seed has a mean alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from thinktime.cli.durations import NONE, counted, duration, number, percentage

if TYPE_CHECKING:
    import pandas as pd

    from thinktime.analysis.experiments import Sweep

MOST_POINTS = 12
"""So many tables are printed; the file has all."""

MOST_COLUMNS = 4
"""So many policies stand side by side."""

MOST_METRICS = 5
"""So many metrics stand side by side, where policies are rows."""

WIDEST = 32
"""A longer name of a policy is folded."""

Marks = Callable[[str, str], str]
"""The stars of a metric under a policy, at one point."""

FRACTIONS = ("utilization", "loss_of_capacity")
DURATIONS = (
    "wait",
    "turnaround",
    "runtime",
    "flow_time",
    "area_weighted_response_time",
    "makespan",
    "warm_up",
)


def as_json(found: Sweep) -> dict[str, Any]:
    """The object that `--json` prints: means and half widths by point and policy; None for what is not defined."""
    rows = []
    for point, policy, part in groups(found):
        means = {name: interval(part[name]) for name in found.metrics}
        metrics = {
            name: {"mean": _plain(mean), "half_width": _plain(half), "n": count}
            for name, (mean, half, count) in means.items()
        }
        rows.append(
            {"policy": policy, "parameters": point, "seeds": part["seed"].tolist(), "metrics": metrics}
        )
    failed = found.failed
    failures = [{"key": row["key"], "error": row["error"]} for row in failed.to_dict("records")]
    return {
        "scenario": found.scenario.name,
        "out": str(found.folder),
        "finished": len(found),
        "failed": failures,
        "results": rows,
    }


def print_tables(found: Sweep, console: Console) -> None:
    """One table per point of the sweep: a row per metric, a column per policy."""
    points: dict[str, dict[str, pd.DataFrame]] = {}
    marks: dict[str, Marks] = {}
    given = _marks(found)
    for point, policy, part in groups(found):
        title = ", ".join(f"{name} = {value}" for name, value in point.items())
        points.setdefault(title, {})[policy] = part
        marks[title] = given(point)
    for title, parts in list(points.items())[:MOST_POINTS]:
        for table in _tables(title, parts, found.metrics, marks[title]):
            table.add_row()
            console.print(table)
    left = len(points) - MOST_POINTS
    if left > 0:
        console.print(f"{counted(left, 'point')} more in {found.folder}/results.csv")
    if points:
        console.print(_legend(found))


def groups(found: Sweep) -> list[tuple[dict[str, Any], str, pd.DataFrame]]:
    """The rows of each point and policy, in the order of the scenario."""
    from thinktime.analysis.experiments.plan import points

    table, groups = found.table, []
    for point in points(found.scenario):
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
    """A number of a metric as people read it.

    >>> shown("mean_wait", 5000), shown("utilization", 0.7684), shown("mean_slowdown", 12.34)
    ('1h 23m', '76.8%', '12.3')
    """
    if math.isnan(value):
        return NONE
    stem = metric.partition("@")[0]
    if stem in FRACTIONS or stem.startswith("share_"):
        return percentage(value)
    if stem.endswith(DURATIONS):
        return duration(value)
    return number(value) if value.is_integer() and abs(value) < 1e12 else number(value, _digits(value))


def _digits(value: float) -> int:
    return 0 if abs(value) >= 1_000 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4


def _tables(title: str, parts: dict[str, pd.DataFrame], metrics: list[str], marks: Marks) -> Iterator[Table]:
    """A row per metric and a column per policy; the other way round, in pieces, where there are many policies."""
    cells = {name: _cells(name, parts, marks) for name in metrics}
    if len(parts) <= MOST_COLUMNS:
        table = _empty(title)
        table.add_column("", no_wrap=True)
        for policy in parts:
            table.add_column(policy, justify="right", overflow="fold")
        for name in metrics:
            table.add_row(name, *cells[name].values())
        yield table
        return
    for piece in range(0, len(metrics), MOST_METRICS):
        table = _empty(title)
        table.add_column("", overflow="fold", min_width=min(max(map(len, parts)), WIDEST))
        for name in metrics[piece : piece + MOST_METRICS]:
            table.add_column(name.replace("_", " "), justify="right", vertical="bottom")
        for policy in parts:
            table.add_row(policy, *(cells[name][policy] for name in metrics[piece : piece + MOST_METRICS]))
        yield table


def _empty(title: str) -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", title=title or None, title_justify="left")


def _cells(name: str, parts: dict[str, pd.DataFrame], marks: Marks) -> dict[str, str]:
    """One metric under each policy."""
    shown = {policy: f"{_cell(name, part[name])} {marks(name, policy)}" for policy, part in parts.items()}
    return {policy: text.rstrip() for policy, text in shown.items()}


def _cell(name: str, values: pd.Series[float]) -> str:
    mean, half, _ = interval(values)
    if math.isnan(half) or half == 0:
        return shown(name, mean)
    return f"{shown(name, mean)} ± {shown(name, half)}"


def _marks(found: Sweep) -> Callable[[dict[str, Any]], Marks]:
    """Stars for the policies that differ from the first one, seed by seed: the same as in a report."""
    from thinktime.analysis.reports.comparisons import compared

    comparisons = compared(found)
    cells = {each.metric: each.cells for each in comparisons.measured}

    def of_point(point: dict[str, Any]) -> Marks:
        place = next((at for at, each in enumerate(comparisons.points) if each.values == point), -1)

        def mark(metric: str, policy: str) -> str:
            cell = cells[metric].get((place, policy))
            return cell.mark if cell is not None else ""

        return mark

    return of_point


def _legend(found: Sweep) -> str:
    counts = sorted({len(part) for _, _, part in groups(found)})
    seeds = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    if counts[-1] == 1:
        return "One run each."
    from thinktime.analysis.statistics import LEGEND

    means = f"Means over {seeds} seeds ± half width of the 95 % interval (t)"
    if len(found.policies) == 1:
        return f"{means}."
    return f"{means}; against {found.policies[0]}, seed by seed (paired t-tests, Holm): {LEGEND}."


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
