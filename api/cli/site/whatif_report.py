"""What is told of a comparison of configurations."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from thinktime.analysis.experiments import Sweep
from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import DOUBT_LEGEND, Cell, Comparisons
from thinktime.analysis.experiments.metrics import heading
from thinktime.analysis.experiments.scenario_sources import notes_of
from thinktime.analysis.json_values import attributes, without_nan
from thinktime.analysis.report import Report
from thinktime.analysis.statistics import LEGEND
from thinktime.cli.layout import NONE, number, titled
from thinktime.cli.sweep_table import shown
from thinktime.models.machine.configured import OWN
from thinktime.workloads.mode_names import TITLES

TODAY = "today"
MODE_TITLES = {"open": TITLES["open"], "dependencies": "Dependencies: jobs wait for those that the log names", **TITLES}
MINUS, PLUS_MINUS = "\N{MINUS SIGN}", "\N{PLUS-MINUS SIGN}"


def report(found: Sweep, site: str, trace: str, metrics: Sequence[str]) -> Report:
    """A table for each mode, another for the waits of users or accounts, who was left out, and a legend."""
    return Report(lambda: _page(found, metrics), lambda: _values(found, site, trace))


def _values(found: Sweep, site: str, trace: str) -> dict[str, Any]:
    """By mode, configuration and metric; times in s, None if undefined.

    `difference` is from today's configuration, with its 95 % interval.
    """
    comparisons = compared(found)
    modes = {
        mode: {
            called(policy): {each.metric: _numbers(each.cells[place, policy]) for each in comparisons.measured}
            for policy in comparisons.policies
        }
        for place, mode in modes_of(comparisons)
    }
    told = [*notes_of(found.scenario), *comparisons.warnings]
    notes = {"notes": told} if told else {}
    return {"site": site, "trace": trace, "replications": comparisons.seeds, **notes, "modes": modes}


def _page(found: Sweep, metrics: Sequence[str]) -> Iterator[Table | str]:
    comparisons = compared(found)
    everybodys = [name for name in metrics if not whose(name)]
    for place, mode in modes_of(comparisons):
        yield _table(comparisons, place, MODE_TITLES[mode], everybodys)
        if theirs := [name for name in metrics if whose(name)]:
            yield _table(comparisons, place, f"{MODE_TITLES[mode]}; mean wait", theirs)
    yield from left_out(comparisons)
    yield _legend(comparisons)
    yield from (f"{note}." for note in (*notes_of(found.scenario), *comparisons.warnings))


def left_out(comparisons: Comparisons) -> Iterator[str]:
    """Sentences on jobs that never started or were refused, which waits do not include."""
    cells = {each.metric: each.cells for each in comparisons.measured}
    for place, mode in modes_of(comparisons):
        for policy in comparisons.policies:
            waiting, refused = (cells[name][place, policy].interval.mean for name in ("waiting", "refused"))
            never = [f"{number(waiting)} {'job' if waiting == 1 else 'jobs'} never started"] if waiting > 0 else []
            told = never + ([f"{number(refused)} {'was' if refused == 1 else 'were'} refused"] if refused > 0 else [])
            if told:
                yield f"{mode}, {called(policy)}: {' and '.join(told)}; waits and slowdowns are of the others."


def modes_of(comparisons: Comparisons) -> Iterator[tuple[int, str]]:
    """The points of the comparison: their places and modes, as users that do not react come first."""
    places = {str(point.values["trace.mode"]): place for place, point in enumerate(comparisons.points)}
    return ((places[mode], mode) for mode in MODE_TITLES if mode in places)


def called(policy: str) -> str:
    """What a configuration is called."""
    return TODAY if policy == OWN else policy.removeprefix(f"{OWN}:")


def whose(metric: str) -> str:
    """Whose waits a metric tells; empty if those of all."""
    return metric.partition("@")[2].partition("=")[2]


def _table(comparisons: Comparisons, place: int, title: str, metrics: Sequence[str]) -> Table:
    measured = [each for each in comparisons.measured if each.metric in metrics]
    table = titled(title, "", *_headings([each.metric for each in measured]))
    for policy in comparisons.policies:
        cells = [(each.metric, each.cells[place, policy]) for each in measured]
        table.add_row(called(policy), *(_value(name, cell, policy == OWN) for name, cell in cells))
        if policy != OWN:
            table.add_row("  against today", *(_difference(name, cell) for name, cell in cells))
    table.add_row()
    return table


def _headings(metrics: Sequence[str]) -> Iterator[str]:
    """Headings of columns; one whose first line is empty stands only behind another of the same measure."""
    for name, before in zip(metrics, ["", *metrics], strict=False):
        own = heading(name)
        alone = own.startswith("\n") and before.partition("_")[2] != name.partition("_")[2]
        yield whose(name) or (own if own and not alone else name.replace("_", " "))


def _value(metric: str, cell: Cell, today: bool) -> str:
    mean, half = cell.interval
    text = shown(metric, mean)
    return f"{text} {PLUS_MINUS} {shown(metric, half)}{cell.signs}" if today and half > 0 else text


def _difference(metric: str, cell: Cell) -> str:
    if cell.difference is None or math.isnan(cell.difference.interval.mean):
        return NONE
    mean, half = cell.difference.interval
    sign = MINUS if mean < 0 else "+" if mean > 0 else ""
    text = f"{sign}{shown(metric, abs(mean))}"
    text += "" if math.isnan(half) or half == 0 else f" {PLUS_MINUS} {shown(metric, half)}"
    return f"{text} {cell.stars}" if cell.stars else text


def _numbers(cell: Cell) -> dict[str, Any]:
    numbers: dict[str, Any] = {"mean": cell.interval.mean, "half_width": cell.interval.half}
    if cell.difference is not None:
        interval = attributes(cell.difference.interval, "mean", "low", "high")
        numbers |= {"difference": without_nan(interval), "comparison": cell.state}
    known: dict[str, Any] = without_nan(numbers)
    return known


def _legend(comparisons: Comparisons) -> str:
    ways = " and ".join(comparisons.ways)
    how = f"{PLUS_MINUS}: half width of the {comparisons.level} interval {ways}" if ways else "One run each"
    tests = f"; differences: t-tests {comparisons.tests} (Holm): {LEGEND}" if comparisons.tests else ""
    return f"{how}{tests}{f'; {DOUBT_LEGEND}' if comparisons.doubts else ''}."
