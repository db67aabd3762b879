"""The tables of the cplant study: its page, the object of ``--json``, and four files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.analysis.fairness.size_classes import LENGTHS, WIDTHS
from thinktime.analysis.json_values import or_none
from thinktime.analysis.named_table import NONE, Table
from thinktime.analysis.papers.cplant.findings import (
    RULE,
    STATEMENTS,
    by_variant,
    findings,
    held,
    single_runs,
    variants,
)
from thinktime.analysis.papers.cplant.printed import HOURS, JOBS
from thinktime.analysis.papers.cplant.runs import Outcome
from thinktime.analysis.papers.cplant.study import Evidence, spread
from thinktime.analysis.studies.finding import SHORT, verdicts
from thinktime.workloads.units import HOUR

if TYPE_CHECKING:
    import pandas as pd


def page(found: Evidence) -> Iterator[Table | str]:
    """The nine schedulers, what the numbers depend on, Tables I and II, and the verdicts."""
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
    """Percent unfair and average miss if usage decays otherwise, or another order is held for fair."""
    shown = Table("If usage decays otherwise, or another order is fair", "scheduler", whole=True)
    several = variants(found)
    for name in several:
        shown.numbers(_head(name))
    for scheduler in found.outcomes:
        cells = [[nine[scheduler].numbers for nine in nines] for nines in several.values()]
        shown.row(
            scheduler,
            *(
                f"{fmean(n.percent_unfair for n in each):.1f} / "
                f"{fmean(n.average_miss_time for n in each) / HOUR:.1f}"
                for each in cells
            ),
        )
    return shown


def by_decay(found: Evidence) -> Table:
    """Every finding under each variant with several runs."""
    several, judged = variants(found), by_variant(found)
    shown = Table("The findings then")
    for name in several:
        shown.texts(_head(name))
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
    for name in runs:
        shown.texts(name)
    for statement in STATEMENTS:
        shown.row(statement.says, *("holds" if statement.holds(nine) else "-" for nine in runs.values()))
    return shown


def _head(name: str) -> str:
    """A variant's name in two lines."""
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
    for name in found.outcomes:
        runs = [nine[name] for nine in found.shifts.values()]
        low_high = {key: spread(runs, key) for key in _FOUR}
        shown.row(name, *(_range(low_high[key], show) for key, show in _FOUR.items()))
    return shown


def definitions(found: Evidence) -> Table:
    """The other fair start times, and the hybrid one per job of the log: percent unfair and average miss."""
    shown = Table("Other definitions: percent unfair, average miss", "scheduler", whole=True)
    shown.numbers(
        "no later\narrivals", "CONS_P", "resource\nequality", "per job\nof the log", "turn-\naround"
    )
    for name, each in found.outcomes.items():
        own = each.per_original
        shown.row(
            name,
            _both(each.later_arrivals),
            _both(each.cons_p),
            NONE if each.equality != each.equality else f"{each.equality / HOUR:,.0f} proc.-h",
            f"{_percent(own.percent_unfair)} / {_hours(own.average_miss_time)}",
            _hours(own.average_response_time),
        )
    return shown


def sensitivity(found: Evidence) -> Table:
    """Other rules for jobs beyond their estimates, and other sizes of the machine."""
    shown = Table("If something else is assumed", "scheduler", whole=True)
    others = [(f"{key}", nine) for key, nine in list(found.overruns.items())[1:]]
    sizes = [(f"P = {size:,}", nine) for size, nine in found.sizes.items() if size != found.processors]
    for title, _ in others + sizes:
        shown.numbers(title)
    for name in found.outcomes:
        cells = [nine[name].numbers for _, nine in others + sizes]
        shown.row(name, *(f"{_percent(n.percent_unfair)} / {_hours(n.average_miss_time)}" for n in cells))
    refused = {size: next(iter(nine.values())).refused for size, nine in found.sizes.items()}
    shown.row(
        "jobs too wide",
        *([NONE] * len(others)),
        *(f"{refused[s]:,}" for s in refused if s != found.processors),
    )
    return shown


def classes(found: Evidence) -> list[Table]:
    """Tables I and II beside the printed ones."""
    jobs, hours = found.tables()
    tables = []
    for title, ours, printed, unit in (
        ("Table I: jobs, ours / printed", jobs, JOBS, 1),
        ("Table II: thousands of processor-hours, ours / printed", hours, HOURS, 1000),
    ):
        shown = Table(title, "processors", whole=True)
        for length in (*LENGTHS, "all"):
            shown.numbers(length)
        for i, width in enumerate((*WIDTHS, "all")):
            own = ours.sum(0) if width == "all" else ours[i]
            theirs = printed.sum(0) if width == "all" else printed[i]
            pairs = [*zip(own.tolist(), theirs.tolist(), strict=True), (own.sum(), theirs.sum())]
            shown.row(width, *(f"{_short(a, unit)}/{_short(b, unit)}" for a, b in pairs))
        tables.append(shown)
    return tables


def _short(value: float, unit: int) -> str:
    """A whole number; in larger units below a hundred with one decimal."""
    return f"{value / unit:.1f}" if unit > 1 and value < 100 * unit else f"{value / unit:,.0f}"


def _percent(value: float) -> str:
    return NONE if value != value else f"{value:.1f}%"


def _share(fraction: float) -> str:
    return _percent(100 * fraction)


def _hours(seconds: float) -> str:
    return NONE if seconds != seconds else f"{seconds / HOUR:.1f}h"


_FOUR: dict[str, Callable[[float], str]] = {
    "percent_unfair": _percent,
    "average_miss_time": _hours,
    "average_response_time": _hours,
    "loss_of_capacity": _share,
}


def _range(values: tuple[float, float], show: Callable[[float], str]) -> str:
    low, high = map(show, values)
    return low if low == high else f"{low} \N{EN DASH} {high}"


def _both(unfair: Any) -> str:
    return NONE if unfair is None else f"{_percent(unfair.percent_unfair)} / {_hours(unfair.average_miss)}"


# -- the object of --json, and files ----------------------------------------------------------------------


def as_object(found: Evidence) -> dict[str, Any]:
    """Times in s, percent, and fractions of 1 for loss of capacity; None for none.

    A study with shifted origins also has its findings, under each variant.
    """
    base = {
        "jobs": found.jobs,
        "processors": found.processors,
        "policies": {
            name: _four(each.numbers) | {"per_original": _four(each.per_original)}
            for name, each in found.outcomes.items()
        },
    }
    return base | _judged(found) if len(found.shifts) > 1 else base


def _judged(found: Evidence) -> dict[str, Any]:
    """The rule, and every finding under each variant: for how many runs it holds, and the verdict."""
    by_variant: dict[str, list[Any]] = {}
    for row in verdicts_of(found).to_dict("records"):
        by_variant.setdefault(str(row.pop("variant")), []).append(row | {"verdict": row["verdict"] or None})
    return {"rule": RULE, "findings": by_variant}


def _four(numbers: Any) -> dict[str, float | None]:
    values = asdict(numbers)
    del values["jobs"]
    return {name: or_none(value) for name, value in values.items()}


def frames(found: Evidence) -> dict[str, pd.DataFrame]:
    """Every run, the classes of jobs, and the verdicts."""
    return {
        "runs": runs_of(found),
        "widths": widths_of(found),
        "classes": classes_of(found),
        "verdicts": verdicts_of(found),
    }


def runs_of(found: Evidence) -> pd.DataFrame:
    """One row per run and fair order: under what, and what was measured.

    Times in s, percent, and fractions of 1 for utilization and loss.
    """
    import pandas as pd

    rows = []
    for origin, nine in found.shifts.items():
        rows += [_row(name, each, found.processors, "until_needed", origin) for name, each in nine.items()]
    for overrun, nine in list(found.overruns.items())[1:]:
        rows += [_row(name, each, found.processors, overrun, 0.0) for name, each in nine.items()]
    for size, nine in found.sizes.items():
        if size != found.processors:
            rows += [_row(name, each, size, "until_needed", 0.0) for name, each in nine.items()]
    for nines in found.decays.values():
        for nine in nines:
            rows += [
                _row(name, each, found.processors, "until_needed", np.nan) for name, each in nine.items()
            ]
    for order, nines in found.fair_orders().items():
        for origin, nine in zip(found.shifts, nines, strict=True):
            rows += [
                _row(name, each, found.processors, "until_needed", origin, order)
                for name, each in nine.items()
            ]
    return pd.DataFrame(rows)


def verdicts_of(found: Evidence) -> pd.DataFrame:
    """One row per variant and finding: for how many runs it holds, and the verdict (none of a single run)."""
    import pandas as pd

    several = [
        {
            "variant": name, "finding": each.says, "seen_if": statement.criterion, "runs": len(nines),
            "holds": held(statement, nines), "verdict": each.verdict,
        }
        for name, nines in variants(found).items()
        for statement, each in zip(STATEMENTS, by_variant(found)[name], strict=True)
    ]  # fmt: skip
    single = [
        {
            "variant": name, "finding": each.says, "seen_if": each.criterion, "runs": 1,
            "holds": int(each.holds(nine)), "verdict": "",
        }
        for name, nine in single_runs(found).items()
        for each in STATEMENTS
    ]  # fmt: skip
    return pd.DataFrame(several + single)


def widths_of(found: Evidence) -> pd.DataFrame:
    """Mean miss time and mean response time (s) by class of widths and scheduler."""
    import pandas as pd

    return pd.DataFrame(
        {
            "scheduler": name,
            "processors": width,
            "average_miss_time": outcome.miss_by_width.item(i),
            "average_response_time": outcome.response_time_by_width.item(i),
        }
        for name, outcome in found.outcomes.items()
        for i, width in enumerate(WIDTHS)
    )


def classes_of(found: Evidence) -> pd.DataFrame:
    """Tables I and II: ours and the paper's, by width and length."""
    import pandas as pd

    jobs, hours = found.tables()
    at = [(i, j) for i in range(len(WIDTHS)) for j in range(len(LENGTHS))]
    return pd.DataFrame(
        {
            "processors": [WIDTHS[i] for i, _ in at],
            "length": [LENGTHS[j] for _, j in at],
            "jobs": jobs.reshape(-1),
            "jobs_printed": JOBS.reshape(-1),
            "processor_hours": np.round(hours.reshape(-1), 3),
            "processor_hours_printed": HOURS.reshape(-1),
        }
    )


def _row(
    name: str, each: Outcome, processors: int, overrun: str, origin: float, order: str = "fair: own"
) -> dict[str, object]:
    numbers, original = each.numbers, each.per_original
    later, cons_p = each.later_arrivals, each.cons_p
    return {
        "scheduler": name,
        "policy": each.policy,
        "processors": processors,
        "overrun": overrun,
        "decay_origin": origin,
        "fair_order": order.removeprefix("fair: "),
        "jobs": numbers.jobs,
        "originals": original.jobs,
        "refused": each.refused,
        "killed": each.killed,
        "percent_unfair": numbers.percent_unfair,
        "percent_unfair_load": each.unfair.percent_unfair_load,
        "total_miss_time": each.unfair.total_miss,
        "average_miss_time": numbers.average_miss_time,
        "average_miss_time_unfair": each.unfair.average_miss_unfair,
        "average_response_time": numbers.average_response_time,
        "loss_of_capacity": numbers.loss_of_capacity,
        "utilization": each.utilization,
        "jain_response_time": each.jain,
        "deviation_response_time": each.deviation,
        "originals_percent_unfair": original.percent_unfair,
        "originals_average_miss_time": original.average_miss_time,
        "originals_average_response_time": original.average_response_time,
        "later_arrivals_percent_unfair": later.percent_unfair if later else np.nan,
        "later_arrivals_average_miss_time": later.average_miss if later else np.nan,
        "cons_p_percent_unfair": cons_p.percent_unfair if cons_p else np.nan,
        "cons_p_average_miss_time": cons_p.average_miss if cons_p else np.nan,
        "resource_equality_mean": each.equality,
    }
