"""The page: one self-contained HTML file made from a sweep's folder.

The template engine escapes all texts except our own drawings. The same folder and version give the same bytes.
"""

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import (
    BOUND,
    BOUND_LEGEND,
    DOUBT,
    DOUBT_LEGEND,
    PARTIAL,
    PARTIAL_LEGEND,
    Cell,
    ComparedMetric,
    Comparisons,
    shown,
)
from thinktime.analysis.experiments.metric_units import NONE, Unit, percentage, unit_of
from thinktime.analysis.experiments.store import SCENARIO
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.named_table import breakable
from thinktime.analysis.pages.page import rendered
from thinktime.analysis.pictures.style import save
from thinktime.analysis.reports.checklist import judged
from thinktime.analysis.reports.drawing import inline_svg
from thinktime.analysis.reports.facts import Facts
from thinktime.analysis.reports.pictures import pictures
from thinktime.analysis.statistics import LEGEND, TOO_LITTLE
from thinktime.analysis.view.page import NAME as EXPLORER
from thinktime.models.orders.scripts import without_scripts
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.names import quoted
from thinktime.workloads.units import counted, in_one_unit

NAME = "report.html"
KINDS = ("pdf", "svg", "png")
FOLDED = 3
"""How many tables are open; the others are folded."""
MOST_FAILURES = 50


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its keys, and a cell for each policy."""

    keys: list[str]
    cells: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of the page; the first `keys` columns are row headers."""

    caption: str
    head: list[str]
    keys: int
    rows: list[TableRow]
    folded: bool


def report(
    sweep: Sweep | str | Path, out: str | Path | None = None, *, baseline: str | None = None, confidence: float = 0.95
) -> Path:
    """Write the report of a sweep (or of its folder) to `out` (default: report.html there); returns the path."""
    found = _opened(sweep)
    target = Path(out) if out is not None else found.folder / NAME
    explorer = EXPLORER if (target.parent / EXPLORER).is_file() else None
    text = html(found, baseline, confidence, explorer)
    with whole_or_nothing(target) as aside:
        aside.write_text(text, encoding="utf-8")
    return target


def write_pictures(
    sweep: Sweep | str | Path, folder: str | Path, kinds: Iterable[str] = KINDS[:1], *, baseline: str | None = None
) -> list[Path]:
    """Write the pictures of a report as files (pdf, svg, png) into a folder; returns their paths."""
    found, target = _opened(sweep), Path(folder)
    wanted = list(dict.fromkeys(kinds))
    if unknown := [kind for kind in wanted if kind not in KINDS]:
        raise ValueError(f"pictures are written as {', '.join(KINDS)}, not as {quoted(unknown[0])}")
    target.mkdir(parents=True, exist_ok=True)
    with without_scripts("a report is made of what is stored"):
        drawn = pictures(found, compared(found, baseline))
    return [save(each.figure, target / f"{each.name}.{kind}") for each in drawn for kind in wanted]


def html(sweep: Sweep, baseline: str | None = None, confidence: float = 0.95, explorer: str | None = None) -> str:
    """The page as text, with a link to the page of ``thinktime view``, if there is one. No script is imported."""
    with without_scripts("a report is made of what is stored"):
        return _html(sweep, baseline, confidence, explorer)


def _html(sweep: Sweep, baseline: str | None, confidence: float, explorer: str | None) -> str:
    comparisons = compared(sweep, baseline, confidence)
    facts = Facts.of(sweep, comparisons)
    scenario = sweep.scenario
    drawn = [
        (each.title, each.caption, Markup(inline_svg(each.figure, each.name, each.title, each.caption)))
        for each in pictures(sweep, comparisons)
    ]
    failed = sweep.failed
    return rendered(
        "thinktime.analysis.reports",
        {"breakable": breakable_html},
        title=scenario.name,
        description=scenario.description,
        explorer=explorer,
        sentence=_sentence(comparisons, facts, len(sweep), len(failed)),
        version=sweep.version,
        runs=f"{len(sweep):,}",
        baseline=comparisons.baseline,
        others=comparisons.others,
        differences_sentence=_differences(comparisons),
        given_up=_given_up(comparisons),
        directions=list(_directions(comparisons)),
        method=_method(comparisons),
        pictures=drawn,
        legend=_legend(comparisons),
        tables=list(_tables(comparisons)),
        checklist=judged(facts),
        about=list(_about(sweep, facts)),
        scenario=_scenario_text(sweep),
        failures=failed.head(MOST_FAILURES)[["key", "error", "traceback"]].to_dict("records"),
        failures_sentence=_failures(len(failed)),
    )


def breakable_html(text: str) -> Markup:
    """A text that browsers may break after the colons and commas of a policy's name.

    >>> breakable_html("easy:order=lxf <2>")
    Markup('easy:<wbr />order=lxf &lt;2&gt;')
    """
    words = (
        [each for part in breakable(word) for each in re.split(r"(?<=[+])(?=\D)", part)] for word in text.split(" ")
    )
    return Markup(" ").join(Markup("<wbr />").join(parts) for parts in words)


def _opened(sweep: Sweep | str | Path) -> Sweep:
    return sweep if isinstance(sweep, Sweep) else Sweep(sweep)


def _sentence(comparisons: Comparisons, facts: Facts, finished: int, failed: int) -> str:
    points = f" at {len(comparisons.points)} points" if len(comparisons.points) > 1 else ""
    count = len(comparisons.policies)
    what = f"{count} {'policy' if count == 1 else 'policies'}{points}, "
    runs = f"{counted(comparisons.seeds, 'replication')} each: {counted(finished, 'finished run')}"
    lost = f", {failed:,} failed" if failed else ""
    warned = "".join(f" {each.capitalize()}." for each in comparisons.warnings)
    return f"{what}{runs}{lost}. Jobs come from {facts.source}.{warned}"


def _differences(comparisons: Comparisons) -> str:
    if not comparisons.others:
        return "Only one policy was run, so there is nothing to compare."
    if not comparisons.ways:
        return "There is only one run of each policy, so significance cannot be assessed."
    if not comparisons.points:
        return "No run has finished, so there is nothing to compare."
    found = sum(1 for _ in comparisons.significant)
    of = f"{comparisons.tested} comparisons with {comparisons.baseline}"
    doubted = sum(1 for *_, cell in comparisons.significant if cell.doubtful_difference)
    doubt = f", {doubted} of them by batches that cannot be trusted" if doubted else ""
    short = sum(cell.state == TOO_LITTLE for cell in comparisons.cells)
    beside = f" For {short} more there is {TOO_LITTLE}." if short else ""
    return f"{found} of {of} are significant at the 5 % level{doubt}.{beside}"


def _given_up(comparisons: Comparisons) -> str:
    """How much users gave up under each policy; empty if nothing, or if unknown."""
    if not comparisons.given_up:
        return ""
    parts = []
    for policy in comparisons.policies:
        found = [each for (_, name), each in sorted(comparisons.whole.items()) if name == policy]
        shares = [100 * each.share for each in found]
        if found:
            ends = " to ".join(dict.fromkeys((f"{min(shares):.3g}", f"{max(shares):.3g}")))
            hours = sum(each.lost_processor_hours for each in found)
            parts.append(f"{ends} % under {policy} ({hours:,.0f} processor-hours in all runs)")
    return (
        f"Users gave up {', '.join(parts)} of the jobs they wanted. Response times are only of what was served, so "
        "first compare what was given up."
    )


def _directions(comparisons: Comparisons) -> Iterator[dict[str, Any]]:
    """For each metric and policy, the number of points at which it is significantly lower or higher."""
    others = comparisons.others
    if not others or not comparisons.ways:
        return
    for measured in comparisons.judging_first:
        cells = [[cell for (_, name), cell in measured.cells.items() if name == policy] for policy in others]
        yield {"words": measured.words, "cells": [_direction(each) for each in cells]}


def _direction(cells: Sequence[Cell]) -> str:
    if len(cells) == 1:
        (cell,) = cells
        if cell.mark:
            partial = PARTIAL if cell.partial_difference else ""
            return f"{cell.verdict} by {percentage(abs(cell.relative)).lstrip('+')} {cell.stars}{partial}"
        return TOO_LITTLE if cell.state == TOO_LITTLE else NONE
    parts = []
    for word in ("lower", "higher"):
        found = sorted(cell.relative for cell in cells if cell.verdict == word)
        if found:
            ends = " to ".join(dict.fromkeys((percentage(found[0]), percentage(found[-1]))))
            marked = [cell for cell in cells if cell.verdict == word]
            doubt = DOUBT if any(cell.doubtful_difference for cell in marked) else ""
            partial = PARTIAL if any(cell.partial_difference for cell in marked) else ""
            parts.append(f"{word} at {len(found)} of {len(cells)} ({ends}){doubt}{partial}")
    short = sum(cell.state == TOO_LITTLE for cell in cells)
    if short:
        parts.append(f"{TOO_LITTLE} at {short} of {len(cells)}" if short < len(cells) else TOO_LITTLE)
    return ", ".join(parts) or NONE


def _method(comparisons: Comparisons) -> str:
    if not comparisons.ways or not comparisons.others:
        return "Intervals need several replications (seeds) of a random workload, or several logs."
    family = len(comparisons.points) * len(comparisons.others)
    holm = f", with Holm's correction over the {family} comparisons of each metric" if family > 1 else ""
    tests = (
        f"t-tests, {comparisons.tests}"
        if comparisons.batches
        else "paired t-tests: replications of all policies share their seeds (common random numbers)"
    )
    doubt = f" {DOUBT_LEGEND}." if comparisons.doubts else ""
    doubt += f" {PARTIAL_LEGEND}." if comparisons.partial else ""
    doubt += f" {BOUND_LEGEND}." if comparisons.bounds else ""
    if any(cell.state == TOO_LITTLE for cell in comparisons.cells):
        doubt += f" {TOO_LITTLE.capitalize()}: fewer than two pairs of runs or batches have a value."
    return (
        f"{NONE} no significant difference. Two-sided {tests}{holm}. {LEGEND}.{doubt} "
        "A significant difference need not be large: see the interval."
    )


def _legend(comparisons: Comparisons) -> str:
    if not comparisons.ways:
        below = f" Below: the difference from {comparisons.baseline}." if comparisons.others else ""
        return f"Numbers of single runs.{below}"
    below = f"Below: the difference from {comparisons.baseline} with its interval, and relative to its mean."
    change = f"{below} {LEGEND}." if comparisons.others else ""
    change += f" {PARTIAL_LEGEND}." if comparisons.partial else ""
    change += " n: the number of jobs, campaigns or users behind a number, over all runs."
    if not comparisons.batches:
        return f"Mean \N{PLUS-MINUS SIGN} half width of the {comparisons.level} interval over replications. {change}"
    doubt = f" {DOUBT_LEGEND}." if comparisons.doubts else ""
    return (
        f"Mean \N{PLUS-MINUS SIGN} half width of the {comparisons.level} interval "
        f"{', '.join(comparisons.ways)}: up to {comparisons.batches} batches of jobs in order of submission; intervals "
        "and differences leave out the first. Metrics other than means over more than 20 jobs have no interval. "
        f"{change}{doubt}"
    )


def _tables(comparisons: Comparisons) -> Iterator[PageTable]:
    """One table of all metrics, or, if parameters vary, one for each metric with a row for each point."""
    if not comparisons.points:
        return
    head = [*comparisons.policies]
    if not comparisons.parameters:
        rows = [_row([each.title], comparisons, each, 0) for each in comparisons.judging_first]
        yield PageTable("All metrics by policy", ["metric", *head], 1, rows, folded=False)
        return
    names = comparisons.parameters
    for number, each in enumerate(comparisons.judging_first):
        rows = [
            _row([shown(point.values.get(name)) for name in names], comparisons, each, place)
            for place, point in enumerate(comparisons.points)
        ]
        caption = each.title[:1].upper() + each.title[1:]
        yield PageTable(caption, [*names, *head], len(names), rows, folded=number >= FOLDED)


def _row(keys: list[str], comparisons: Comparisons, measured: ComparedMetric, place: int) -> TableRow:
    unit = measured.unit
    if not comparisons.parameters:
        own = [cell.interval.mean for (at, _), cell in measured.cells.items() if at == place]
        unit = unit_of(measured.metric, own)
    found = [measured.cells.get((place, policy)) for policy in comparisons.policies]
    return TableRow(keys, [_cell(cell, unit, measured.things) for cell in found])


def _cell(cell: Cell | None, unit: Unit, things: str) -> dict[str, str]:
    if cell is None:
        return {"mean": "no run", "stars": "", "change": "", "made_of": ""}
    change = ""
    if cell.difference is not None and cell.difference.interval.mean == cell.difference.interval.mean:
        interval = cell.difference.interval
        sign = "+" if interval.mean > 0 else ""
        relative = f" ({percentage(cell.relative)})" if cell.relative == cell.relative else ""
        doubt = f" {DOUBT}" if cell.doubtful_difference else ""
        change = f"{sign}{unit.show_interval(interval)}{relative}{doubt}" if interval.mean else "the same"
    if cell.finished > 1 and cell.state == TOO_LITTLE:
        change = f"{change}: {TOO_LITTLE}".lstrip(": ")
    bound = f"{BOUND} " if cell.bound and cell.runs else ""
    mean = f"{bound}{unit.show_interval(cell.interval)}{cell.signs}"
    return {"mean": mean, "stars": cell.stars, "change": change, "made_of": made_of(cell, things)}


def made_of(cell: Cell, things: str) -> str:
    """The number of observations behind a number, and of runs that have any, as text."""
    parts = []
    if cell.observed is not None:
        n, wanted, rest = cell.observed.n, cell.observed.wanted, ", ".join(cell.observed.without_value)
        of = f" of {wanted:,}" if n < wanted else ""
        parts.append(f"n = {n:,}{of} {things}{f' ({rest})' if rest else ''}")
    if cell.incomplete:
        parts.append(f"{cell.runs} of {cell.finished} runs")
    return "; ".join(parts)


def _about(sweep: Sweep, facts: Facts) -> Iterator[tuple[str, str]]:
    scenario, sessions, manifest = sweep.scenario, sweep.sessions, sweep.manifest
    yield "policies", ", ".join(facts.comparisons.policies)
    yield "jobs", facts.source
    yield "machine", facts.size or "set by the model"
    if changes := scenario.machine.changes_text:
        yield "changes", f"{changes} (what changes on the machine, and what becomes of interrupted jobs)"
    yield "overruns", f"{facts.overrun} (what happens to jobs that overrun their estimates)"
    yield "measured", _window(facts)
    varied = []
    for name in facts.comparisons.parameters:
        values = dict.fromkeys(shown(point.values.get(name)) for point in facts.comparisons.points)
        varied.append(f"{name} ({', '.join(values)})")
    if varied:
        yield "varied", "; ".join(varied)
    seeds = scenario.all_seeds
    many = f"{seeds[0]} to {seeds[-1]} ({len(seeds)})"
    yield "seeds", many if len(seeds) > 12 else ", ".join(map(str, seeds))
    yield "runs", f"{len(sweep):,} finished, {len(sweep.failed):,} failed"
    if len(manifest):
        whole, each = (in_one_unit(float(manifest["seconds"].agg(how))) for how in ("sum", "mean"))
        yield "time taken", f"{whole} of computing, {each} per run"
        yield "computers", ", ".join(sorted(set(manifest["host"].dropna())))
    for session in sessions.itertuples(index=False):
        workers = counted(int(str(session.workers)), "worker")
        started = datetime.datetime.fromisoformat(str(session.started))
        end = "" if session.ended else "; stopped before its end"
        yield "started", f"{started:%Y-%m-%d %H:%M} UTC on {session.host}, {session.executor}, {workers}{end}"
    if len(sessions):
        versions = sessions["versions"].iloc[-1]
        yield "versions", ", ".join(f"{name} {number}" for name, number in sorted(versions.items()))


def _window(facts: Facts) -> str:
    scenario = facts.scenario
    horizon = scenario.horizon
    ends = "until all jobs have ended" if horizon is None else f"up to a horizon of {in_one_unit(horizon)}"
    parts = [f"runs {ends}"]
    if facts.window:
        parts.append(f"measured {facts.window}")
    if facts.warm_up:
        parts.append(f"jobs submitted in the first {facts.warm_up} left out")
    if facts.scenario.cool_down:
        parts.append(f"jobs submitted in the last {in_one_unit(scenario.cool_down)} left out")
    return "; ".join(parts)


def _scenario_text(sweep: Sweep) -> str:
    path = sweep.folder / SCENARIO
    return path.read_text(encoding="utf-8") if path.is_file() else sweep.scenario.text


def _failures(count: int) -> str:
    more = f" The first {MOST_FAILURES} are shown." if count > MOST_FAILURES else ""
    be = "is" if count == 1 else "are"
    return f"{counted(count, 'run')} failed and {be} not included in any number here.{more}"
