"""`thinktime study goal`: backfilling, relative fairshare and search, month by month, on any log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import NONE, number, percentage
from thinktime.cli.inputs import MaxSize, existing, machine_size, read, whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen, compile_for
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts, write_files

if TYPE_CHECKING:
    from thinktime.analysis.studies.goal import Study
    from thinktime.analysis.studies.goal_users import Case
    from thinktime.analysis.workload_table import Spread
    from thinktime.workloads import Trace
    from thinktime.workloads.calendar import Month

QUICK = 2  # months
HOUR = 3600.0


def goal(
    trace: Annotated[
        str, typer.Argument(metavar="TRACE", help="A log, such as SDSC-SP2's (.swf or .swf.gz).")
    ],
    months: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Months such as 1999-03,1999-05..1999-07, or a number: so many from the first on.",
            show_default="all whole months of the log",
        ),
    ] = None,
    max_size: MaxSize = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write Figures 1 to 5 and tables.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help=f"The first {QUICK} of these months only.")] = False,
    estimates: Annotated[
        str,
        typer.Option(
            metavar="runtimes|user", help="Plan with the run times, as in the paper, or with requests."
        ),
    ] = "runtimes",
    limit: Annotated[str, typer.Option(metavar="N", help="Nodes of each search.")] = "1000",
    processors: Annotated[
        str | None, typer.Option(metavar="N", help="Size of the machine.", show_default="the log's")
    ] = None,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """FCFS-, LXF-backfill, RelShare, Tradeoff, Tradeoff-fs on a log: performance and fair shares by month."""
    from thinktime.analysis.months import whole_months
    from thinktime.analysis.studies import goal as model
    from thinktime.analysis.studies.parallel import cores

    if estimates not in model.ESTIMATES:
        raise ValueError(f"--estimates must be one of {', '.join(model.ESTIMATES)}, not {estimates!r}")
    nodes = whole("--limit", limit)
    log, _ = read(str(existing(trace)), None if processors is None else machine_size(processors), max_size)
    size = machine_size(processors) if processors else _size(log, trace)
    picked = chosen_months(log, trace, months, whole_months(log))
    picked = picked[:QUICK] if quick else picked
    processes = cores() if workers is None else whole("--workers", workers)
    teller = Teller(quiet)
    compile_for(chosen(model.POLICIES), "kill", teller)
    options = "" if nodes == 1000 else f"limit={nodes}"
    run = partial(_run, trace, picked, size, estimates, options, processes, teller, max_size)
    found = run_and_write(run, write, out, teller)
    if json:
        from thinktime.analysis.studies.goal_tables import as_json

        typer.echo(json_text(as_json(found)))
    else:
        _print(found)


def chosen_months(log: Trace, path: str, text: str | None, known: list[Month]) -> list[Month]:
    """The months that `--months` names, or all whole ones; each must have jobs."""
    span = log.calendar.months(log.submit.item(0), log.submit.item(-1))
    if text is None or (text.strip().isdigit() and len(text.strip()) < 4):
        if not known:
            raise ValueError(f"{path} holds no whole month; name one with --months, such as {span[0].name}")
        return known if text is None else known[: whole("--months", text)]
    names = [month.name for month in span]
    picked: list[str] = []
    for part in text.replace("+", ",").split(","):
        first, dots, last = part.strip().partition("..")
        for name in (first, last) if dots else (first,):
            if name not in names:
                raise ValueError(
                    f"--months: {path} has no month {name!r}; its months are {names[0]} to {names[-1]}, "
                    "written as 1999-03,1999-05..1999-07"
                )
        wanted = names[names.index(first) : names.index(last) + 1] if dots else [first]
        if not wanted:
            raise ValueError(f"--months: {part.strip()} goes backwards; write {last}..{first}")
        picked += wanted
    months = [month for month in span if month.name in picked]
    for month in months:
        if not ((log.submit >= month.start) & (log.submit < month.end)).any():
            raise ValueError(f"--months: {path} has no jobs submitted in {month.name}")
    return months


def _size(log: Trace, path: str) -> int:
    if log.machine_size is None:
        raise ValueError(f"the header of {path} says neither MaxProcs nor MaxNodes; give --processors N")
    return log.machine_size


def _run(
    path: str,
    months: list[Month],
    size: int,
    estimates: str,
    options: str,
    workers: int,
    teller: Teller,
    max_size: str | None,
) -> Study:
    from thinktime.analysis.studies.goal import run_study

    return timed(
        partial(run_study, path, months, size, estimates, options, workers, max_size=max_size),
        "months and policies",
        teller,
    )


# -- files --------------------------------------------------------------------------------------------------


def write(found: Study, aside: Path) -> None:
    """Figures 1 to 5, the tables of months, users and workload, and the object of --json."""
    from thinktime.analysis.studies import goal_tables as tables
    from thinktime.analysis.studies.goal_pictures import figures

    frames = {
        "months": tables.months_of(found),
        "users": tables.users_of(found),
        "workload": tables.workload_frame(found),
    }
    write_files(aside, figures(found), frames, tables.as_json(found))


# -- tables -------------------------------------------------------------------------------------------------


def _print(found: Study) -> None:
    from thinktime.analysis.studies.goal_findings import findings
    from thinktime.analysis.studies.goal_users import gaining, suffering

    console = stdout()
    for table in workload(found):
        console.print(table)
    console.print("mean / median / maximum\n")
    console.print(comparison(found))
    source = "run times" if found.estimates == "runtimes" else "the users' requests"
    console.print(
        f"Means over {len(found.months)} months on {number(found.processors)} processors; estimates are {source};\n"
        "jobs submitted in the month, a week of warm-up; dev in processor-hours.\n"
    )
    for title, cases in (
        ("Users who suffer most under RelShare (Table II)", suffering(found)),
        ("Users who gain most under RelShare (Table III)", gaining(found)),
    ):
        if cases:
            console.print(users(found, title, cases))
            console.print()
    console.print(verdicts(findings(found)))


def workload(found: Study) -> list[Table]:
    """Table I, in two parts."""
    first, second = study_table("Workload (Table I)", "month"), study_table("", "month")
    for title in ("demand", "users", "jobs", "jobs per user", "processor-hours per user"):
        first.add_column(title, justify="right", no_wrap=True)
    for title in ("processor-hours of a job", "processors of a job", "hours of a job"):
        second.add_column(title, justify="right", no_wrap=True)

    def spread(values: Spread, digits: int = 0) -> str:
        return " / ".join(f"{each:,.{digits}f}" for each in (values.mean, values.median, values.maximum))

    for line in found.workloads:
        first.add_row(
            line.month, percentage(line.demand), number(line.users), number(line.jobs),
            spread(line.jobs_per_user, 1), spread(line.demand_per_user, 1),
        )  # fmt: skip
        second.add_row(line.month, spread(line.size, 1), spread(line.processors, 1), spread(line.runtime, 2))
    return [first, second]


def comparison(found: Study) -> Table:
    """Every measure of every policy: the mean over months."""
    from thinktime.analysis.studies.goal import POLICIES, TITLES

    table = study_table("Five policies", "policy")
    rows: list[tuple[str, str, Callable[[float], str]]] = [
        ("slowdown", "mean_bounded_slowdown", lambda x: f"{x:.2f}"),
        ("mean wait", "mean_wait", _hours),
        ("max. wait", "max_wait", _hours),
        ("99 % wait", "p99_wait", _hours),
        ("mean |dev|", "mean_abs_deviation", lambda x: f"{x:,.0f}"),
        ("sum |dev|", "sum_abs_deviation", lambda x: f"{x:,.0f}"),
        ("equal shares", "mean_abs_deviation_equal", lambda x: f"{x:,.0f}"),
    ]
    for title, _, _ in rows:
        table.add_column(title, justify="right", no_wrap=True)
    for policy in POLICIES:
        means = [show(float(found.series(policy, measure).mean())) for _, measure, show in rows]
        table.add_row(TITLES[policy], *means)
    return table


def users(found: Study, title: str, cases: list[Case]) -> Table:
    """Tables II and III: some users under the four policies of the paper's tables, measure by measure."""
    from thinktime.analysis.studies.goal import TITLES

    shown = ("easy", "easy:order=lxf", "relshare", "tradeoff-fs")
    table = study_table(title, "")
    table.add_column("user")
    table.add_column("month")
    for policy in shown:
        table.add_column(TITLES[policy], justify="right", no_wrap=True)
    measures: list[tuple[str, str, Callable[[float], str]]] = [
        ("dev (processor-hours)", "dev", lambda x: f"{x:,.1f}"),
        ("maximum wait", "max_wait", _hours),
        ("mean wait", "mean_wait", _hours),
        ("mean bounded slowdown", "slowdown", lambda x: f"{x:,.1f}"),
    ]
    for label, column, show in measures:
        for at, case in enumerate(cases):
            values = [case.under(found.outcomes[case.month][policy], column) for policy in shown]
            cells = [NONE if value != value else show(value) for value in values]
            table.add_row("" if at else label, str(case.user), case.month, *cells)
    return table


def _hours(seconds: float) -> str:
    return f"{seconds / HOUR:.2f} h"
