"""The figures of a report: each metric, the differences from the baseline, and the curves (`curves`).

A metric is drawn over a numerical parameter of the sweep, with one panel for each combination of the others, or
without such a parameter as one row of dots per point. Bars and bands are confidence intervals of means over
replications. A point without an interval is hollow. A policy has the same look in every picture.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from thinktime.analysis.experiments.comparisons import ComparedMetric, Comparisons, Point
from thinktime.analysis.experiments.metrics import describes
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.named_table import fold
from thinktime.analysis.pictures.style import GREY, Axes, Figure, Line2D, Look, figure, looks_of, styled
from thinktime.analysis.reports.curves import curve_pictures
from thinktime.analysis.reports.drawing import LEGEND_WIDTH, WIDTH, ReportPicture, blank, legend, legend_columns, note
from thinktime.analysis.statistics import TOO_LITTLE

LABEL_LINE = 0.15
"""The height of a line of a label, inches."""
MOST_METRICS, MOST_PANELS, MOST_ROWS, MOST_TICKS = 12, 6, 40, 8
LOG_FROM = 30
"""The ratio of means from which the axis is logarithmic."""

Group = tuple[Mapping[str, Any], list[int]]


def pictures(sweep: Sweep, comparisons: Comparisons) -> Iterator[ReportPicture]:
    """All figures of a sweep."""
    chosen = [each for each in comparisons.measured if not describes(each.metric) and each.means]
    for number, each in enumerate(chosen[:MOST_METRICS]):
        yield metric_picture(comparisons, each, f"metric-{number + 1}")
    if len(comparisons.policies) > 1 and len(comparisons.points) == 1 and chosen:
        yield difference_picture(comparisons, chosen[:MOST_METRICS])
    yield from curve_pictures(sweep, comparisons)


def metric_picture(comparisons: Comparisons, measured: ComparedMetric, name: str) -> ReportPicture:
    """One metric under all policies."""
    axis = number_axis(comparisons)
    bars = _bars(comparisons, measured)
    drawn = _lines(comparisons, measured, axis) if axis else _dots(comparisons, measured)
    caption = f"Means {f'over {axis}' if axis else 'by policy'}{f'; bars are {bars}' if bars else ''}."
    more = len(_groups(comparisons, axis)) - MOST_PANELS if axis else len(comparisons.points) - MOST_ROWS
    if more > 0:
        caption += f" {more} more combinations are in the tables."
    caption += _hollow(measured) + _made_of(comparisons, measured)
    return ReportPicture(name, measured.words[:1].upper() + measured.words[1:], caption, drawn)


def _hollow(measured: ComparedMetric) -> str:
    """A note that hollow points have no interval, if there are any."""
    drawn = [cell.interval for cell in measured.cells.values() if not math.isnan(cell.interval.mean)]
    return " Hollow: no interval." if any(math.isnan(each.half) for each in drawn) else ""


def _made_of(comparisons: Comparisons, measured: ComparedMetric) -> str:
    """The number of observations behind the means of each policy, and of those wanted."""
    parts = []
    for policy in comparisons.policies:
        cells = [cell for (_, name), cell in measured.cells.items() if name == policy]
        counts = [cell.observed for cell in cells if cell.observed is not None]
        if not counts:
            continue
        n, wanted = sum(each.n for each in counts), sum(each.wanted for each in counts)
        runs, finished = sum(cell.runs for cell in cells), sum(cell.finished for cell in cells)
        of = f" of {wanted:,}" if n < wanted else ""
        some = f" in {runs} of {finished} runs" if runs < finished else ""
        parts.append(f"{n:,}{of}{some} under {policy}")
    return f" n, {measured.things}: {', '.join(parts)}." if parts else ""


def _bars(comparisons: Comparisons, measured: ComparedMetric) -> str:
    """What the bars are; empty if there are none."""
    if not any(cell.interval.half >= 0 for cell in measured.cells.values()):
        return ""
    if any(cell.batches for cell in measured.cells.values()):
        return f"{comparisons.level} intervals {', '.join(comparisons.ways)}"
    return f"{comparisons.level} intervals of {comparisons.seeds} replications"


def number_axis(comparisons: Comparisons) -> str | None:
    """The parameter with the most values, all of them numbers; None if there is none with two."""
    best, most = None, 1
    for name in comparisons.parameters:
        values = [point.values.get(name) for point in comparisons.points]
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        if numbers and len(set(values)) > most:
            best, most = name, len(set(values))
    return best


def _groups(comparisons: Comparisons, axis: str) -> list[Group]:
    """The points that differ only in the axis, for each combination of the other parameters."""
    groups: dict[str, Group] = {}
    for place, point in enumerate(comparisons.points):
        others = {name: value for name, value in point.values.items() if name != axis}
        groups.setdefault(Point(others).label, (others, []))[1].append(place)
    return list(groups.values())


def _lines(comparisons: Comparisons, measured: ComparedMetric, axis: str) -> Figure:
    groups = _groups(comparisons, axis)[:MOST_PANELS]
    with styled():
        picture = blank(comparisons, 0.9 + 2.3 * len(groups))
        panels = picture.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (others, places) in zip(panels, groups, strict=True):
            _curves(panel, comparisons, measured, axis, places)
            # Scale from 0, or logarithmically if means differ by more than a factor of `LOG_FROM`.
            means = measured.means
            if means and min(means) > 0 and max(means) > LOG_FROM * min(means):
                panel.set_yscale("log", nonpositive="clip")
                panel.set_ylim(bottom=0.3 * min(means) / measured.unit.size)
                panel.yaxis.set_major_formatter("{x:,g}")
                panel.set_ylabel(fold(f"{measured.title}, log scale", 30))
            else:
                panel.set_ylabel(fold(measured.title, 30))
                panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
            if others:
                panel.set_title(fold(Point(others).label, 56))
        values = sorted({float(point.values[axis]) for point in comparisons.points})
        if len(values) <= MOST_TICKS:
            panels[-1].set_xticks(values, labels=[f"{value:g}" for value in values])
        panels[-1].set_xlabel(fold(axis, 56))
        legend(picture, panels[0], comparisons)
    return picture


def _curves(panel: Axes, comparisons: Comparisons, measured: ComparedMetric, axis: str, places: list[int]) -> None:
    numbers = [float(comparisons.points[place].values[axis]) for place in places]
    spread = (max(numbers) - min(numbers) or 1.0) * 0.008
    for at, (policy, look) in enumerate(looks_of(comparisons.policies).items()):
        cells = [measured.cells.get((place, policy)) for place in places]
        intervals = [(math.nan, math.nan) if each is None else each.interval for each in cells]
        mean, half = np.array(intervals).T / measured.unit.size
        x = np.array(numbers) + (at - (len(comparisons.policies) - 1) / 2) * spread
        panel.errorbar(
            x, mean, yerr=half, color=look.colour, linestyle=look.dashes, marker=look.marker,
            markersize=4.5, capsize=2.5, elinewidth=1, label=policy,
        )  # fmt: skip
        bare = np.isnan(half)
        panel.plot(
            x[bare], mean[bare], look.marker, color=look.colour, markerfacecolor="white",
            markersize=4.5, zorder=4,
        )  # fmt: skip


def _dots(comparisons: Comparisons, measured: ComparedMetric) -> Figure:
    places = range(min(len(comparisons.points), MOST_ROWS))
    policies = looks_of(comparisons.policies)
    with styled():
        one = len(comparisons.points) == 1
        labels = [
            fold(policy if one else f"{comparisons.points[place].label}: {policy}", 34)
            for place in places
            for policy in policies
        ]
        each = max(0.24, LABEL_LINE * max(label.count("\n") + 1.5 for label in labels))
        picture = figure(WIDTH, 1.0 + each * len(labels) + 0.1 * len(places))
        axes = picture.subplots()
        rows, row = [], 0.0
        for place in places:
            for policy, look in policies.items():
                cell = measured.cells.get((place, policy))
                if cell is not None and not math.isnan(cell.interval.mean):
                    mean, half = (value / measured.unit.size for value in cell.interval)
                    axes.errorbar(
                        mean, row, xerr=half, color=look.colour, marker=look.marker,
                        linestyle="none", capsize=2.5, elinewidth=1.2, markersize=6,
                        markerfacecolor="white" if math.isnan(half) else look.colour,
                    )  # fmt: skip
                else:
                    note(axes, 0.01, row, "no value")
                rows.append(row)
                row += 1
            row += 0.5
        axes.set_yticks(rows, labels=labels)
        axes.set_ylim(row - 0.9, -0.6)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
        axes.grid(False, axis="y")
        axes.set_xlabel(fold(measured.title, 44))
    return picture


def difference_picture(comparisons: Comparisons, chosen: list[ComparedMetric]) -> ReportPicture:
    """The relative differences of all metrics from the baseline, with their intervals."""
    others = comparisons.others
    looks = looks_of(comparisons.policies)
    with styled():
        labels = [fold(each.words, 26) for each in chosen]
        lines = max((label.count("\n") + 1 for label in labels), default=1)
        height = 1.2 + max(0.24 * len(others), 0.17 * lines) * len(chosen)
        picture = blank(comparisons, height)
        axes = picture.subplots()
        axes.axvline(0, color=GREY, linewidth=1)
        for row, measured in enumerate(chosen):
            for at, policy in enumerate(others):
                cell = measured.cells.get((0, policy))
                y = row + (at - (len(others) - 1) / 2) * 0.7 / len(others)
                if cell is not None and math.isnan(cell.relative) and cell.state == TOO_LITTLE:
                    words = TOO_LITTLE if len(others) == 1 else fold(f"{policy}: {TOO_LITTLE}", 44)
                    note(axes, 0.02, y, words, "small")
                if cell is None or cell.difference is None or math.isnan(cell.relative):
                    continue
                change = cell.difference.interval
                scale = 100 * cell.relative / change.mean if change.mean else 0.0
                short = cell.state == TOO_LITTLE
                axes.errorbar(
                    100 * cell.relative, y, xerr=abs(scale) * change.half,
                    color=looks[policy].colour, marker="|" if short else looks[policy].marker, linestyle="none",
                    capsize=2.5, elinewidth=1.2, markersize=9 if short else 5,
                    fillstyle="full" if cell.mark else "none",
                )  # fmt: skip
        axes.set_yticks(range(len(chosen)), labels=labels)
        axes.set_ylim(len(chosen) - 0.4, -0.6)
        axes.grid(False, axis="y")
        axes.set_xlabel(fold(f"difference from {comparisons.baseline} (%)", 44))
        if len(others) > 1 or len(chosen) > 1:
            handles = [_sample(looks[policy], fold(policy, LEGEND_WIDTH)) for policy in others]
            columns = min(legend_columns(comparisons), 3)
            picture.legend(handles=handles, loc="outside lower center", ncols=columns)
    cells = [cell for each in chosen for cell in each.cells.values()]
    caption = (
        f"Differences from {comparisons.baseline}, relative to its mean, with {comparisons.level} intervals of "
        f"{'batches' if comparisons.batches else 'pairs'}. Filled: significant; hollow: not."
    )
    if any(cell.state == TOO_LITTLE for cell in cells):
        caption += f" A vertical stroke has no interval: {TOO_LITTLE}."
    if any(cell.partial_difference for cell in cells):
        caption += " Response times are only of what was served; some was given up."
    return ReportPicture("differences", f"Differences from {comparisons.baseline}", caption, picture)


def _sample(look: Look, name: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=look.colour, marker=look.marker, linestyle="none", label=name)
