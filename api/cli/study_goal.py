"""`thinktime study goal`: backfilling, relative fairshare and search, month by month, on any log."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime.cli import errors
from thinktime.cli import study_goal_tables as shown
from thinktime.cli.console import json_text
from thinktime.cli.inputs import MaxSize, existing, machine_size, read, whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen, compile_for
from thinktime.cli.study_common import run_and_write, timed, write_files

if TYPE_CHECKING:
    from thinktime.analysis.papers.goal.study import Study
    from thinktime.workloads import Trace
    from thinktime.workloads.calendar import Month

QUICK = 2  # months


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
            metavar="exact|requested", help="Plan with the run times, as in the paper, or with requests."
        ),
    ] = "exact",
    entitled: Annotated[
        str,
        typer.Option(
            metavar="maxmin|proportional|equal",
            help="What users are entitled to of each day: max-min fair shares, shares in proportion to demand, "
            "or equal ones.",
        ),
    ] = "maxmin",
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
    from thinktime.analysis.deviation import SHARES
    from thinktime.analysis.months import whole_months
    from thinktime.analysis.papers.goal import study as model
    from thinktime.analysis.parallel import cores

    errors.choice("--estimates", estimates, model.ESTIMATES)
    if entitled not in SHARES:
        raise ValueError(f"--entitled must be one of {', '.join(SHARES)}, not {entitled!r}")
    nodes = whole("--limit", limit)
    log, _ = read(str(existing(trace)), None if processors is None else machine_size(processors), max_size)
    size = machine_size(processors) if processors else _size(log, trace)
    picked = chosen_months(log, trace, months, whole_months(log))
    picked = picked[:QUICK] if quick else picked
    processes = cores() if workers is None else whole("--workers", workers)
    teller = Teller(quiet)
    compile_for(chosen(model.POLICIES), "kill", teller)
    options = "" if nodes == 1000 else f"limit={nodes}"
    run = partial(_run, trace, picked, size, estimates, options, processes, entitled, max_size, teller)
    found = run_and_write(run, write, out, teller)
    if json:
        from thinktime.analysis.papers.goal.tables import as_json

        typer.echo(json_text(as_json(found)))
    else:
        shown.show(found)


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
    entitled: str,
    max_size: str | None,
    teller: Teller,
) -> Study:
    from thinktime.analysis.papers.goal.study import run_study

    return timed(
        partial(
            run_study, path, months, size, estimates, options, workers, entitled=entitled, max_size=max_size
        ),
        "months and policies",
        teller,
    )


# -- files --------------------------------------------------------------------------------------------------


def write(found: Study, aside: Path) -> None:
    """Figures 1 to 5, the tables of months, users and workload, and the object of --json."""
    from thinktime.analysis.papers.goal import tables
    from thinktime.analysis.papers.goal.figures import figures

    frames = {
        "months": tables.months_of(found),
        "users": tables.users_of(found),
        "workload": tables.workload_frame(found),
    }
    write_files(aside, figures(found), frames, tables.as_json(found))
