"""`thinktime study slack`: conservative against slack-based backfilling, month by month, as in the slack paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import NONE, number
from thinktime.cli.inputs import MaxSize, machine_size, read, whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen, compile_for
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts, write_files

if TYPE_CHECKING:
    from thinktime.analysis.papers.slack.study import Study, Waits
    from thinktime.workloads import Trace

QUICK_MONTHS = 3


def slack(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A log in SWF: .swf or .swf.gz.")],
    processors: Annotated[
        str, typer.Option(metavar="N", help="Size of the machine; 128 is the paper's.")
    ] = "128",
    other: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="A second machine beside it.", show_default="what the log's header says"
        ),
    ] = None,
    awt: Annotated[
        str,
        typer.Option(
            metavar="S|auto", help="Average wait time that slack is measured in; the paper's by default."
        ),
    ] = "2401",
    quick: Annotated[bool, typer.Option("--quick", help=f"The first {QUICK_MONTHS} months only.")] = False,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    max_size: MaxSize = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write pictures and tables.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Slack-based backfilling against conservative backfilling: months, heuristics, priorities."""
    from thinktime.analysis.parallel import cores

    size, second = machine_size(processors), None if other is None else whole("--other", other)
    (_, policy) = chosen([f"slack:awt={awt}"])[0]  # says what is wrong with --awt before anything is read
    processes = cores() if workers is None else whole("--workers", workers)
    log, _ = read(trace, max(size, second or 0), max_size)
    if second is None and log.machine_size not in (None, size):
        second = log.machine_size
    teller = Teller(quiet)
    compile_for([*chosen(["conservative:compress=scheduled", "easy"]), ("slack", policy)], "kill", teller)
    part = _first_months(log) if quick else log
    run = partial(_run, part, size, second, awt, not json or out is not None, processes, teller)
    found = run_and_write(run, write, out, teller)
    if json:
        typer.echo(json_text(as_json(found)))
    else:
        _print(found)


def _first_months(log: Trace) -> Trace:
    from thinktime.analysis.papers.slack.study import months_of

    months = list(months_of(log).values())[:QUICK_MONTHS]
    return log.select(log.submit <= months[-1].submit[-1])


def _run(
    log: Trace, size: int, second: int | None, awt: str, all_of_it: bool, workers: int, teller: Teller
) -> Study:
    from thinktime.analysis.papers.slack.study import run_study

    study = partial(run_study, log, size, second, awt, all_of_it, workers)
    found = timed(study, "runs", teller)
    if all_of_it and not all(found.mean(case) for case in ("conservative", "ast", "ast preferred")):
        raise ValueError(
            f"nobody waits on {size} processors, so there is nothing to compare; give fewer with --processors"
        )
    return found


def write(found: Study, aside: Path) -> None:
    """The three pictures, a table of the months and one of all cases, and the object of --json."""
    from thinktime.analysis.papers.slack import tables as files
    from thinktime.analysis.papers.slack.figures import figures

    tables = {"months": files.months_table(found), "cases": files.cases_table(found)}
    write_files(aside, figures(found), tables, as_json(found))


def as_json(found: Study) -> dict[str, Any]:
    """The object that `--json` prints: mean waits in s; None where there is no such job."""
    from thinktime.analysis.papers.slack.printed import HEURISTICS

    months = zip(found.months, found.waits["conservative"], found.waits["ast"], strict=True)
    preferred = found.total("ast preferred")
    return {
        "processors": found.processors,
        "months": [
            {
                "month": month,
                "jobs": int(base.jobs.sum()),
                "conservative": _or_none(base.mean),
                "slack": _or_none(slack.mean),
            }
            for month, base, slack in months
        ],
        "average": {
            "conservative": _or_none(found.mean("conservative")),
            "slack": _or_none(found.mean("ast")),
        },
        "heuristics": {
            name: _or_none(found.mean(name))
            for name in ("ast", "aat", "du", "dc", "dp")
            if name in HEURISTICS
        },
        "priority": {
            "high": _or_none(preferred.high),
            "low": _or_none(preferred.low),
            "all": _or_none(preferred.mean),
        },
    }


# -- tables -------------------------------------------------------------------------------------------------


def _print(found: Study) -> None:
    from thinktime.analysis.papers.slack.findings import RULE, findings

    console = stdout()
    console.print(months_table(found))
    console.print(
        f"Mean waits in s on {found.processors} processors, each month a run of its own; AST, slack factor 3, "
        f"awt={found.awt}; jobs are killed at their estimates.\n"
    )
    for table in (
        preferred_table(found),
        heuristics_table(found),
        machines_table(found),
        variations_table(found),
        gap_table(found),
    ):
        console.print(table)
        console.print()
    console.print(readings_table(found))
    console.print("Every fifth job has UP = PP = 1, the others 0.\n")
    console.print(f"Verdicts: {RULE}\n")
    console.print(verdicts(findings(found)))


def months_table(found: Study) -> Table:
    """The paper's monthly table, with our numbers on its machine and on the other one beside it."""
    from thinktime.analysis.papers.slack.printed import CONSERVATIVE, MONTHS, SLACK

    other = "" if found.other is None else f"{found.other} pr."
    table = study_table(
        f"Mean wait by month, s: paper, {found.processors} processors, {other or 'none other'}", "month"
    )
    table.add_column("jobs", justify="right", no_wrap=True)
    for first in ("conserv.", "slack", "better by"):
        for title in (f"{first}\npaper", "\nours", *([f"\n{other}"] if other else [])):
            table.add_column(title, justify="right", no_wrap=True)
    for place, month in enumerate([*found.months, None]):
        printed = MONTHS.get(month) if month else _printed_means(found, (CONSERVATIVE, SLACK))
        means = [_at(found, case, place).mean for case in ("conservative", "ast")]
        pairs = [printed or (nan, nan), (means[0], means[1])]
        if other:
            far = [_at(found, case, place).mean for case in ("other conservative", "other ast")]
            pairs.append((far[0], far[1]))
        table.add_row(
            month or "all",
            number(int(_at(found, "conservative", place).jobs.sum())),
            *(_plain(base) for base, _ in pairs),
            *(_plain(slack) for _, slack in pairs),
            *(_percent(1 - slack / base if base else 0.0) for base, slack in pairs),
        )
    return table


def preferred_table(found: Study) -> Table:
    """The paper's monthly table of unequal priorities, with ours beside it."""
    from thinktime.analysis.papers.slack.printed import HEURISTICS, PREFERRED

    table = study_table("Mean wait if every fifth job is preferred, s", "month")
    for first in ("all", "preferred", "others"):
        for title in (f"{first}\npaper", "\nours"):
            table.add_column(title, justify="right", no_wrap=True)
    best = HEURISTICS["ast"]
    for place, month in enumerate([*found.months, None]):
        printed = (
            PREFERRED.get(month) if month else _printed_means(found, (best.unequal, best.high, best.low))
        )
        ours = _at(found, "ast preferred", place)
        pairs = zip(printed or (nan,) * 3, (ours.mean, ours.high, ours.low), strict=True)
        table.add_row(month or "all", *(_plain(value) for pair in pairs for value in pair))
    return table


def _at(found: Study, case: str, place: int) -> Waits:
    """A case in one month; all months together behind the last one."""
    return found.waits[case][place] if place < len(found.months) else found.total(case)


def _printed_means(found: Study, printed: tuple[float, ...]) -> tuple[float, ...] | None:
    """The paper's means of the year, where these are its months."""
    from thinktime.analysis.papers.slack.printed import MONTHS

    return printed if set(found.months) == set(MONTHS) else None


def heuristics_table(found: Study) -> Table:
    """All rows of the paper's last table; paper / ours."""
    from thinktime.analysis.papers.slack.printed import HEURISTICS

    table = study_table("The heuristics: paper / ours", "mean wait, s")
    for name in HEURISTICS:
        table.add_column(name.upper(), justify="right", no_wrap=True)
    ours = {name: (found.total(name), found.total(f"{name} preferred")) for name in HEURISTICS}
    best = ours["ast"][0].mean

    def row(
        title: str, printed: Callable[[Any], float], of: Callable[[Any, Any], float], share: bool = False
    ) -> None:
        show = _percent if share else _plain
        table.add_row(
            title, *(f"{show(printed(HEURISTICS[name]))} / {show(of(*ours[name]))}" for name in HEURISTICS)
        )

    base = found.mean("conservative")
    row("all, equal", lambda p: p.equal, lambda equal, _: equal.mean)
    row("  less by", lambda p: p.better, lambda equal, _: 1 - equal.mean / base, True)
    afresh = (f"{_percent(found.better(f'{name} removed'))}" for name in HEURISTICS)
    table.add_row("  inserted afresh", *(f"{NONE} / {share}" for share in afresh))
    row("all, unequal", lambda p: p.unequal, lambda _, unequal: unequal.mean)
    row("  loss", lambda p: p.loss, lambda _, unequal: unequal.mean / best - 1, True)
    row("preferred", lambda p: p.high, lambda _, unequal: unequal.high)
    row("the others", lambda p: p.low, lambda _, unequal: unequal.low)
    row("gap", lambda p: p.gap, lambda _, unequal: unequal.gap)
    return table


def machines_table(found: Study) -> Table:
    """Months against the whole log as one run, and the second machine."""
    table = study_table("As one run, and on another machine")
    for title in ("conservative", "slack", "better by"):
        table.add_column(title, justify="right", no_wrap=True)
    lines = [(f"{found.processors} processors, by months", "conservative", "ast")]
    lines += [(f"{found.processors} processors, one run", "whole conservative", "whole ast")]
    if found.other is not None:
        lines += [(f"{found.other} processors, by months", "other conservative", "other ast")]
    for title, base, slack in lines:
        table.add_row(
            title, _plain(found.mean(base)), _plain(found.mean(slack)), _percent(found.better(slack, base))
        )
    return table


def variations_table(found: Study) -> Table:
    """Other parameters, with equal priorities, and the gap where every fifth job is preferred."""
    table = study_table("If something else is set (AST; gap: every fifth job is preferred)", "changed")
    for title in ("mean wait", "better by", "paper", "gap"):
        table.add_column(title, justify="right", no_wrap=True)
    for title, case, printed in (
        ("nothing", "ast", "16.5 %"),
        ("slack factor 0", "factor 0", "0 %"),
        ("slack factor 1", "factor 1", NONE),
        ("slack factor 9", "factor 9", "19.25 %"),
        ("slack factor 30", "factor 30", NONE),
        ("AWT 24 s", "awt 24", "0 %"),
        ("utilization weight 0.01", "alpha_u 0.01", "0 %"),
        ("time weight 0.01", "alpha_t 0.01", "0 %"),
        ("AWT of each month", "awt by month", "some more"),
        ("UP + PP = 1 for all", "all 1", "less"),
        ("UP + PP = 2 for all", "all 2", "less"),
        ("priority weight 1, others 0.2", "weights", NONE),
        ("all orders of up to 5 delayed jobs", "permutations 5", NONE),
        ("EASY instead", "easy", "about 0 %"),
    ):
        preferred = f"{case} preferred"
        gap = _plain(found.total(preferred).gap) if preferred in found.waits else NONE
        table.add_row(title, _plain(found.mean(case)), _percent(found.better(case)), printed, gap)
    return table


def gap_table(found: Study) -> Table:
    """The priority gap from 0 to 2."""
    from thinktime.analysis.papers.slack.figures import gap_cases

    table = study_table("The priority gap (AST)", "UP + PP of every fifth job")
    cases = gap_cases()
    for gap in cases:
        table.add_column(f"{gap:g}", justify="right", no_wrap=True)
    waits = [found.total(case) for case in cases.values()]
    table.add_row("all", *(_plain(each.mean) for each in waits))
    table.add_row("preferred jobs", *(_plain(each.high) for each in waits))
    table.add_row("the others", *(_plain(each.low) for each in waits))
    return table


def readings_table(found: Study) -> Table:
    """Where the gap between preferred and other jobs comes from."""
    table = study_table("Readings of the text", "reading")
    for title in ("all", "preferred", "others", "gap", "gap / others"):
        table.add_column(title, justify="right", no_wrap=True)
    literal = found.total("ast preferred")
    low = (literal.seconds.sum() - literal.seconds[0]) / (literal.jobs.sum() - literal.jobs[0])
    lines = [
        ("the paper's table", 2226.17, 1955.28, 2294.0),
        ("as printed", *_three(found, "ast preferred")),
        ("the same run, measured on the wrong fifth", literal.mean, literal.of_place(0), float(low)),
        ("jobs tagged, no priorities", *_three(found, "ast")),
        ("SP stays 1/2", *_three(found, "sp-kept preferred")),
        ("SP from the first fit, before pricing", *_three(found, "sp-first preferred")),
        ("the newcomer's priority does not count", *_three(found, "absolute preferred")),
        ("it counts in its own price as well", *_three(found, "own-price preferred")),
        ("weights 0.2 but for priority", *_three(found, "weights preferred")),
        ("slack factor 9", *_three(found, "factor 9 preferred")),
        ("slack factor 30", *_three(found, "factor 30 preferred")),
    ]
    for title, mean, high, others in lines:
        table.add_row(
            title,
            _plain(mean),
            _plain(high),
            _plain(others),
            _plain(others - high),
            _percent((others - high) / others),
        )
    return table


def _three(found: Study, case: str) -> tuple[float, float, float]:
    total = found.total(case)
    return total.mean, total.high, total.low


def _plain(value: float) -> str:
    return NONE if value != value else f"{value:.0f}"


def _percent(value: float) -> str:
    return NONE if value != value else f"{100 * value:.1f} %"


def _or_none(value: float) -> float | None:
    return None if value != value else value
