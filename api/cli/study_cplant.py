"""`thinktime study cplant`: the nine schedulers of the cplant paper on a log, judged by fair start times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import NONE, number, percentage
from thinktime.cli.inputs import MaxSize, machine_size, read, whole
from thinktime.cli.progress import Teller
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts, write_files

if TYPE_CHECKING:
    from thinktime.analysis.papers.cplant.study import Study
    from thinktime.workloads import Trace

HOUR = 3600.0


def cplant(
    log: Annotated[str, typer.Argument(metavar="TRACE", help="A log in SWF; the paper's is Sandia Ross.")],
    window: Annotated[
        str | None,
        typer.Option(
            metavar="W",
            help="paper (2002-12-01 to 2003-07-14), all, or FROM/TO; a date as TO is a whole day.",
            show_default="paper for the paper's log, else all",
        ),
    ] = None,
    processors: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Size of the machine.", show_default="1024 for the paper's log, else the log's"
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Two shifts of the decay's origin in place of eight, and no sensitivity."
        ),
    ] = False,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    max_size: MaxSize = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write Figures 3 to 13 and tables.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """The cplant paper's nine schedulers on a log: unfairness, response time and loss of capacity."""
    from thinktime.analysis.parallel import cores

    size = None if processors is None else machine_size(processors)
    trace, size, shown = chosen_jobs(log, window, size, max_size)
    processes = cores() if workers is None else whole("--workers", workers)
    teller = Teller(quiet)

    def run() -> Study:
        from thinktime.analysis.papers.cplant.study import run_study

        alone = json and out is None  # the object of --json has the nine schedulers alone
        study = partial(run_study, trace, size, shown, quick, alone, processes)
        return timed(study, "runs", teller)

    found = run_and_write(run, write, out, teller)
    if json:
        typer.echo(json_text(as_json(found)))
    else:
        show(found)


def chosen_jobs(
    log: str, window: str | None, processors: int | None, max_size: str | None = None
) -> tuple[Trace, int, str]:
    """The jobs of the window, the size of the machine, and the window in words."""
    from thinktime.analysis.papers.cplant import printed as paper

    trace, _ = read(log, processors, max_size)
    papers = paper.is_papers(trace)
    size = processors or (paper.PROCESSORS if papers else trace.machine_size)
    if size is None:
        raise ValueError(f"the header of {log} gives no machine size; say --processors P")
    wanted = window or ("paper" if papers else "all")
    if wanted == "all":
        return trace, size, "all jobs"
    first, slash, last = (f"{paper.FIRST}/{paper.LAST}" if wanted == "paper" else wanted).partition("/")
    if not (slash and first and last):
        raise ValueError(
            f"--window must be paper, all or FROM/TO, such as 2002-12-01/2003-07-14, not {window!r}"
        )
    try:
        part = paper.window(trace, first, last)
    except ValueError as error:
        raise ValueError(f"--window {wanted}: {error}") from None
    if not len(part):
        raise ValueError(f"--window {wanted}: {log} has no jobs submitted then")
    return part, size, f"{first} to {last}"


# -- files --------------------------------------------------------------------------------------------------


def write(found: Study, aside: Path) -> None:
    """The figures, every run, the classes of jobs, and the object of --json."""
    from thinktime.analysis.papers.cplant import tables as files
    from thinktime.analysis.papers.cplant.figures import figures

    tables = {
        "runs": files.runs_of(found),
        "widths": files.widths_of(found),
        "classes": files.classes_of(found),
        "verdicts": files.verdicts_of(found),
    }
    write_files(aside, figures(found), tables, as_json(found))


def as_json(found: Study) -> dict[str, Any]:
    """The object that `--json` prints: s, percent, and fractions of 1 for loss of capacity; None for none.

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


def _judged(found: Study) -> dict[str, Any]:
    """The rule, and every finding under each variant: for how many runs it holds, and the verdict."""
    from thinktime.analysis.papers.cplant.findings import RULE
    from thinktime.analysis.papers.cplant.tables import verdicts_of

    by_variant: dict[str, list[Any]] = {}
    for row in verdicts_of(found).to_dict("records"):
        by_variant.setdefault(str(row.pop("variant")), []).append(row | {"verdict": row["verdict"] or None})
    return {"rule": RULE, "findings": by_variant}


def _four(numbers: Any) -> dict[str, float | None]:
    values = asdict(numbers)
    del values["jobs"]
    return {name: None if value != value else value for name, value in values.items()}


# -- tables -------------------------------------------------------------------------------------------------


def show(found: Study) -> None:
    """Everything, as tables."""
    from thinktime.analysis.papers.cplant.findings import RULE, findings

    console = stdout()
    console.print(comparison(found))
    console.print(
        f"{number(found.jobs)} jobs ({found.window}) on {number(found.processors)} processors; until_needed; hybrid "
        "fair start times; usage halved every 24 h of the log's clock; miss: over all jobs / over unfair jobs; "
        "Jain, s.d.: of response time.\n"
    )
    console.print(spreads(found))
    console.print(f"Over {len(found.shifts)} origins of the decay, 0 among them.\n")
    console.print(definitions(found))
    console.print(
        "A job of the log is unfair if a segment of it is; its miss time is the sum of its segments'.\n"
    )
    if len(found.overruns) > 1:
        console.print(sensitivity(found))
        console.print("Percent unfair / average miss; other sizes under until_needed.\n")
    for table in classes(found):
        console.print(table)
        console.print()
    console.print(RULE)
    console.print(verdicts(findings(found)))
    if len(found.shifts) > 1:
        show_variants(found)


def show_variants(found: Study) -> None:
    """How numbers and findings change with the decay, the fair order, the overrun rule and the size."""
    console = stdout()
    console.print()
    console.print(decays(found))
    console.print("Percent unfair / average miss (h): means over the runs of each column.\n")
    console.print(by_decay(found))
    console.print("How many of a column's runs a finding holds for. NOT: not seen; ?: undecided.\n")
    if len(found.overruns) > 1:
        console.print(by_single_run(found))
        console.print("One run each, so no verdicts: whether the finding holds in it.")


def decays(found: Study) -> Table:
    """Percent unfair and average miss if usage decays otherwise, or another order is held for fair."""
    from thinktime.analysis.papers.cplant.findings import variants

    table = _table("If usage decays otherwise, or another order is fair", "scheduler")
    several = variants(found)
    for name in several:
        table.add_column(_head(name), justify="right", no_wrap=True)
    for scheduler in found.outcomes:
        cells = [[nine[scheduler].numbers for nine in nines] for nines in several.values()]
        table.add_row(
            scheduler,
            *(
                f"{fmean(n.percent_unfair for n in each):.1f} / "
                f"{fmean(n.average_miss_time for n in each) / HOUR:.1f}"
                for each in cells
            ),
        )
    return table


def by_decay(found: Study) -> Table:
    """Every finding under each variant with several runs."""
    from thinktime.analysis.papers.cplant.findings import STATEMENTS, by_variant, held, variants

    several, judged = variants(found), by_variant(found)
    table = study_table("The findings then")
    for name in several:
        table.add_column(_head(name), no_wrap=True)
    for i, statement in enumerate(STATEMENTS):
        table.add_row(
            statement.says,
            *(
                f"{held(statement, nines)}/{len(nines)} {_SHORT[judged[name][i].verdict]}"
                for name, nines in several.items()
            ),
        )
    return table


def by_single_run(found: Study) -> Table:
    """Whether each statement holds in the runs with other overrun rules and sizes."""
    from thinktime.analysis.papers.cplant.findings import STATEMENTS, single_runs

    runs = single_runs(found)
    table = study_table("With other overrun rules and sizes")
    for name in runs:
        table.add_column(name, no_wrap=True)
    for statement in STATEMENTS:
        table.add_row(statement.says, *("holds" if statement.holds(nine) else "-" for nine in runs.values()))
    return table


_SHORT = {"seen": "seen", "NOT seen": "NOT", "undecided": "?"}


def _head(name: str) -> str:
    """A variant's name in two lines."""
    return name.replace(" ", "\n", 1)


def comparison(found: Study) -> Table:
    """All schedulers, all measures."""
    table = _table("Nine schedulers", "scheduler")
    for title in ("unfair", "of\nload", "miss", "turn-\naround", "LOC", "in use", "Jain", "s.d.", "killed"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, each in found.outcomes.items():
        table.add_row(
            name,
            _percent(each.numbers.percent_unfair),
            _percent(each.unfair.percent_unfair_load),
            f"{_hours(each.numbers.average_miss_time)} / {_hours(each.unfair.average_miss_unfair)}",
            _hours(each.numbers.average_response_time),
            percentage(each.numbers.loss_of_capacity),
            percentage(each.utilization),
            f"{each.jain:.3f}",
            _hours(each.deviation),
            number(each.killed),
        )
    return table


def spreads(found: Study) -> Table:
    """The least and the largest of the four numbers over the origins of the decay."""
    from thinktime.analysis.papers.cplant.study import spread

    table = _table("Spread over origins of the decay of usage", "scheduler")
    for title in ("unfair", "miss", "response", "LOC"):
        table.add_column(title, justify="right", no_wrap=True)
    for name in found.outcomes:
        runs = [nine[name] for nine in found.shifts.values()]
        low_high = {key: spread(runs, key) for key in _FOUR}
        table.add_row(name, *(_range(low_high[key], show) for key, show in _FOUR.items()))
    return table


def definitions(found: Study) -> Table:
    """The other fair start times, and the hybrid one per job of the log: percent unfair and average miss."""
    table = _table("Other definitions: percent unfair, average miss", "scheduler")
    for title in (
        "no later\narrivals",
        "CONS_P",
        "resource\nequality",
        "per job\nof the log",
        "turn-\naround",
    ):
        table.add_column(title, justify="right", no_wrap=True)
    for name, each in found.outcomes.items():
        own = each.per_original
        table.add_row(
            name,
            _both(each.later_arrivals),
            _both(each.cons_p),
            NONE if each.equality != each.equality else f"{each.equality / HOUR:,.0f} proc.-h",
            f"{_percent(own.percent_unfair)} / {_hours(own.average_miss_time)}",
            _hours(own.average_response_time),
        )
    return table


def sensitivity(found: Study) -> Table:
    """Other rules for jobs beyond their estimates, and other sizes of the machine."""
    table = _table("If something else is assumed", "scheduler")
    others = [(f"{key}", nine) for key, nine in list(found.overruns.items())[1:]]
    sizes = [(f"P = {size:,}", nine) for size, nine in found.sizes.items() if size != found.processors]
    for title, _ in others + sizes:
        table.add_column(title, justify="right", no_wrap=True)
    for name in found.outcomes:
        cells = [nine[name].numbers for _, nine in others + sizes]
        table.add_row(name, *(f"{_percent(n.percent_unfair)} / {_hours(n.average_miss_time)}" for n in cells))
    refused = {size: next(iter(nine.values())).refused for size, nine in found.sizes.items()}
    table.add_row(
        "jobs too wide",
        *([NONE] * len(others)),
        *(number(refused[s]) for s in refused if s != found.processors),
    )
    return table


def classes(found: Study) -> list[Table]:
    """Tables I and II beside the printed ones."""
    from thinktime.analysis.fairness.classes import LENGTHS, WIDTHS
    from thinktime.analysis.papers.cplant.printed import HOURS, JOBS

    jobs, hours = found.tables()
    tables = []
    for title, ours, printed, unit in (
        ("Table I: jobs, ours / printed", jobs, JOBS, 1),
        ("Table II: thousands of processor-hours, ours / printed", hours, HOURS, 1000),
    ):
        table = _table(title, "processors")
        for length in (*LENGTHS, "all"):
            table.add_column(length, justify="right", no_wrap=True)
        for i, width in enumerate((*WIDTHS, "all")):
            own = ours.sum(0) if width == "all" else ours[i]
            theirs = printed.sum(0) if width == "all" else printed[i]
            pairs = [*zip(own.tolist(), theirs.tolist(), strict=True), (own.sum(), theirs.sum())]
            table.add_row(width, *(f"{_short(a, unit)}/{_short(b, unit)}" for a, b in pairs))
        tables.append(table)
    return tables


def _short(value: float, unit: int) -> str:
    """A whole number; in larger units below a hundred with one decimal."""
    return f"{value / unit:.1f}" if unit > 1 and value < 100 * unit else f"{value / unit:,.0f}"


def _table(title: str, first: str) -> Table:
    """A table whose first column is never cut."""
    table = study_table(title, first)
    table.columns[0].no_wrap = True
    return table


def _percent(value: float) -> str:
    return NONE if value != value else f"{value:.1f}%"


def _hours(seconds: float) -> str:
    return NONE if seconds != seconds else f"{seconds / HOUR:.1f}h"


_FOUR: dict[str, Callable[[float], str]] = {
    "percent_unfair": _percent,
    "average_miss_time": _hours,
    "average_response_time": _hours,
    "loss_of_capacity": percentage,
}


def _range(values: tuple[float, float], show: Callable[[float], str]) -> str:
    low, high = map(show, values)
    return low if low == high else f"{low} \N{EN DASH} {high}"


def _both(unfair: Any) -> str:
    return NONE if unfair is None else f"{_percent(unfair.percent_unfair)} / {_hours(unfair.average_miss)}"
