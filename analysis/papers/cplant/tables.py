"""The tables of the cplant study: its page, the object of ``--json``, and four files."""

from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.fairness import Unfairness
from thinktime.analysis.papers.cplant.findings import (
    FOUR,
    RULE,
    STATEMENTS,
    by_variant,
    findings,
    held,
    single_runs,
    variants,
)
from thinktime.analysis.papers.cplant.printed import HOURS, JOBS, LENGTHS, WIDTHS
from thinktime.analysis.papers.cplant.runs import Outcome
from thinktime.analysis.papers.cplant.study import BASELINE, Evidence, spread
from thinktime.analysis.study import NONE, SHORT, Report, Table, attributes, cell, verdicts

Rows = list[dict[str, Any]]


def report(found: Evidence) -> Report:
    """The nine schedulers, what the numbers depend on, Tables I and II, and the verdicts.

    Times of the object in s, percent, and fractions of 1 for loss of capacity. It has the findings, under each variant,
    if the study has shifted origins. Files: every run, the classes of jobs, and the verdicts.
    """
    tables = {"runs": runs_of, "widths": widths_of, "classes": classes_of, "verdicts": verdicts_of}
    return Report(
        page=lambda: _page(found),
        values=lambda: _values(found),
        frames=lambda: {name: rows(found) for name, rows in tables.items()},
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    yield comparison(found)
    yield (
        f"{found.jobs:,} jobs ({found.window}) on {found.processors:,} processors; until_needed; hybrid "
        "fair start times; usage halved every 24 h of the log's clock; miss: over all jobs / over unfair jobs; "
        "Jain, s.d.: of response time.\n"
    )
    yield spreads(found)
    yield f"Over {len(found.shifts)} origins of the decay, 0 among them.\n"
    yield definitions(found)
    yield "A job of the log is unfair if a segment of it is; its miss time is the sum of its segments'.\n"
    if len(found.overruns) > 1:
        yield sensitivity(found)
        yield "Percent unfair / average miss; other sizes under until_needed.\n"
    for each in classes(found):
        yield each
        yield ""
    yield RULE
    yield verdicts(findings(found))
    if len(found.shifts) > 1:
        yield from _variants(found)


def _variants(found: Evidence) -> Iterator[Table | str]:
    """How numbers and findings change with the decay, the fair order, the overrun rule and the size."""
    yield ""
    yield decays(found)
    yield "Percent unfair / average miss (h): means over the runs of each column.\n"
    yield by_decay(found)
    yield "How many of a column's runs a finding holds for. NOT: not seen; ?: undecided.\n"
    if len(found.overruns) > 1:
        yield by_single_run(found)
        yield "One run each, so no verdicts: whether the finding holds in it."


def decays(found: Evidence) -> Table:
    """Percent unfair and average miss if usage decays otherwise, or another order is considered fair."""
    shown = Table("If usage decays otherwise, or another order is fair", "scheduler", whole=True)
    several = variants(found)
    shown.numbers(*map(_head, several))
    for scheduler in found.outcomes:
        cells = [[nine[scheduler].numbers for nine in nines] for nines in several.values()]
        shown.row(
            scheduler,
            *(
                f"{fmean(n.percent_unfair for n in each):.1f} / "
                f"{fmean(n.average_miss_time for n in each) / tt.HOUR:.1f}"
                for each in cells
            ),
        )
    return shown


def by_decay(found: Evidence) -> Table:
    """Every finding under each variant with several runs."""
    several, judged = variants(found), by_variant(found)
    shown = Table("The findings then")
    shown.texts(*map(_head, several))
    for i, statement in enumerate(STATEMENTS):
        shown.row(
            statement.says,
            *(
                f"{held(statement, nines)}/{len(nines)} {SHORT[judged[name][i].verdict]}"
                for name, nines in several.items()
            ),
        )
    return shown


def by_single_run(found: Evidence) -> Table:
    """Whether each statement holds in the runs with other overrun rules and sizes."""
    runs = single_runs(found)
    shown = Table("With other overrun rules and sizes")
    shown.texts(*runs)
    for statement in STATEMENTS:
        shown.row(statement.says, *("holds" if statement.holds(nine) else "-" for nine in runs.values()))
    return shown


def _head(name: str) -> str:
    return name.replace(" ", "\n", 1)


def comparison(found: Evidence) -> Table:
    """All schedulers, all measures."""
    shown = Table("Nine schedulers", "scheduler", whole=True)
    shown.numbers("unfair", "of\nload", "miss", "turn-\naround", "LOC", "in use", "Jain", "s.d.", "killed")
    for name, each in found.outcomes.items():
        shown.row(
            name,
            _percent(each.numbers.percent_unfair),
            _percent(each.unfair.percent_unfair_load),
            f"{_hours(each.numbers.average_miss_time)} / {_hours(each.unfair.average_miss_unfair)}",
            _hours(each.numbers.average_response_time),
            _share(each.numbers.loss_of_capacity),
            _share(each.utilization),
            f"{each.jain:.3f}",
            _hours(each.deviation),
            f"{each.killed:,}",
        )
    return shown


def spreads(found: Evidence) -> Table:
    """The least and the largest of the four numbers over the origins of the decay."""
    shown = Table("Spread over origins of the decay of usage", "scheduler", whole=True)
    shown.numbers("unfair", "miss", "response", "LOC")
    shows: dict[str, Callable[[float], str]] = dict(zip(FOUR, (_percent, _hours, _hours, _share), strict=True))
    for name in found.outcomes:
        runs = [nine[name] for nine in found.shifts.values()]
        ends = [map(show, spread(runs, number)) for number, show in shows.items()]
        shown.row(name, *(f" {NONE} ".join(dict.fromkeys(each)) for each in ends))
    return shown


def definitions(found: Evidence) -> Table:
    """The other fair start times, and the hybrid one per job of the log: percent unfair and average miss."""
    shown = Table("Other definitions: percent unfair, average miss", "scheduler", whole=True)
    shown.numbers("no later\narrivals", "CONS_P", "resource\nequality", "per job\nof the log", "turn-\naround")
    for name, each in found.outcomes.items():
        own = each.per_original
        shown.row(
            name,
            *(
                NONE if fst is None else _both(fst.percent_unfair, fst.average_miss)
                for fst in (each.later_arrivals, each.cons_p)
            ),
            cell(each.equality / tt.HOUR, ",.0f", " proc.-h"),
            _both(own.percent_unfair, own.average_miss_time),
            _hours(own.average_response_time),
        )
    return shown


def sensitivity(found: Evidence) -> Table:
    """Other rules for jobs beyond their estimates, and other sizes of the machine."""
    shown = Table("If something else is assumed", "scheduler", whole=True)
    runs = single_runs(found)
    shown.numbers(*runs)
    for name in found.outcomes:
        cells = [nine[name].numbers for nine in runs.values()]
        shown.row(name, *(_both(n.percent_unfair, n.average_miss_time) for n in cells))
    refused = [NONE if name in found.overruns else f"{nine[BASELINE].refused:,}" for name, nine in runs.items()]
    shown.row("jobs too wide", *refused)
    return shown


def classes(found: Evidence) -> list[Table]:
    """Tables I and II beside the printed ones."""
    jobs, hours = found.tables()
    tables = []
    for title, ours, printed, unit in (
        ("Table I: jobs, ours / printed", jobs, JOBS, 1),
        ("Table II: thousands of processor-hours, ours / printed", hours, HOURS, 1000),
    ):
        shown = Table(title, "processors", *LENGTHS, "all", whole=True)
        both = [np.vstack([table, table.sum(0)]) for table in (ours, printed)]
        both = [np.column_stack([table, table.sum(1)]) for table in both]
        for width, *rows in zip((*WIDTHS, "all"), *(table.tolist() for table in both), strict=True):
            pairs = zip(*rows, strict=True)
            shown.row(width, *(f"{_short(a, unit)}/{_short(b, unit)}" for a, b in pairs))
        tables.append(shown)
    return tables


def _short(value: float, unit: int) -> str:
    """A whole number; in larger units below a hundred with one decimal."""
    return f"{value / unit:.1f}" if unit > 1 and value < 100 * unit else f"{value / unit:,.0f}"


_percent = partial(cell, unit="%")
_share = partial(cell, form=".1%")


def _hours(seconds: float) -> str:
    return cell(seconds / tt.HOUR, unit="h")


def _both(percent: float, seconds: float) -> str:
    return f"{_percent(percent)} / {_hours(seconds)}"


def _values(found: Evidence) -> dict[str, Any]:
    base = {
        "jobs": found.jobs,
        "processors": found.processors,
        "policies": {
            name: attributes(each.numbers, *FOUR) | {"per_original": attributes(each.per_original, *FOUR)}
            for name, each in found.outcomes.items()
        },
    }
    return base | _judged(found) if len(found.shifts) > 1 else base


def _judged(found: Evidence) -> dict[str, Any]:
    """The rule, and every finding under each variant: for how many runs it holds, and the verdict."""
    by_variant: dict[str, list[Any]] = {}
    for row in verdicts_of(found):
        by_variant.setdefault(row.pop("variant"), []).append(row | {"verdict": row["verdict"] or None})
    return {"rule": RULE, "findings": by_variant}


def runs_of(found: Evidence) -> Rows:
    """One row per run and fair order: under what, and what was measured.

    Times in s, percent, and fractions of 1 for utilization and loss.
    """
    size, rule, fair = found.processors, "until_needed", "fair: own"
    nines: list[Any] = [(nine, size, rule, origin, fair) for origin, nine in found.shifts.items()]
    nines += [(nine, size, rule, 0.0, fair) for rule, nine in list(found.overruns.items())[1:]]
    nines += [(nine, size, rule, 0.0, fair) for size, nine in found.sizes.items() if size != found.processors]
    nines += [(nine, size, rule, np.nan, fair) for several in found.decays.values() for nine in several]
    for order, several in found.fair_orders().items():
        nines += [(nine, size, rule, origin, order) for origin, nine in zip(found.shifts, several, strict=True)]
    return [_row(name, each, *under) for nine, *under in nines for name, each in nine.items()]


def verdicts_of(found: Evidence) -> Rows:
    """One row per variant and finding: for how many runs it holds, and the verdict (none of a single run)."""
    judged = by_variant(found)
    runs = variants(found) | {name: [nine] for name, nine in single_runs(found).items()}
    return [
        {
            "variant": name, "finding": each.says, "seen_if": each.criterion, "runs": len(nines),
            "holds": held(each, nines), "verdict": judged[name][i].verdict if name in judged else "",
        }
        for name, nines in runs.items()
        for i, each in enumerate(STATEMENTS)
    ]  # fmt: skip


def widths_of(found: Evidence) -> Rows:
    """Mean miss time and mean response time (s) by class of widths and scheduler."""
    return [
        {
            "scheduler": name,
            "processors": width,
            "average_miss_time": outcome.miss_by_width.item(i),
            "average_response_time": outcome.response_time_by_width.item(i),
        }
        for name, outcome in found.outcomes.items()
        for i, width in enumerate(WIDTHS)
    ]


def classes_of(found: Evidence) -> Rows:
    """Tables I and II: ours and the paper's, by width and length."""
    jobs, hours = found.tables()
    return [
        {
            "processors": width,
            "length": length,
            "jobs": jobs[i, j],
            "jobs_printed": JOBS[i, j],
            "processor_hours": np.round(hours[i, j], 3),
            "processor_hours_printed": HOURS[i, j],
        }
        for i, width in enumerate(WIDTHS)
        for j, length in enumerate(LENGTHS)
    ]


def _other(order: str, fair: Unfairness | None) -> dict[str, float]:
    unfair, miss = (fair.percent_unfair, fair.average_miss) if fair else (np.nan, np.nan)
    return {f"{order}_percent_unfair": unfair, f"{order}_average_miss_time": miss}


def _row(name: str, each: Outcome, processors: int, overrun: str, origin: float, order: str) -> dict[str, Any]:
    numbers, under = each.numbers, {"processors": processors, "overrun": overrun}
    return {
        "scheduler": name,
        "policy": each.policy,
        **under,
        "decay_origin": origin,
        "fair_order": order.removeprefix("fair: "),
        "jobs": numbers.jobs,
        "originals": each.per_original.jobs,
        **attributes(each, "refused", "killed"),
        "percent_unfair": numbers.percent_unfair,
        "percent_unfair_load": each.unfair.percent_unfair_load,
        "total_miss_time": each.unfair.total_miss,
        "average_miss_time": numbers.average_miss_time,
        "average_miss_time_unfair": each.unfair.average_miss_unfair,
        **attributes(numbers, "average_response_time", "loss_of_capacity"),
        "utilization": each.utilization,
        "jain_response_time": each.jain,
        "deviation_response_time": each.deviation,
        **{f"originals_{name}": getattr(each.per_original, name) for name in FOUR[:3]},
        **_other("later_arrivals", each.later_arrivals),
        **_other("cons_p", each.cons_p),
        "resource_equality_mean": each.equality,
    }
