"""`thinktime study expectations`: the expectations paper's four schedulers on a site's log."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli.console import json_text, stdout
from thinktime.cli.expectations import as_json, comparison, conditions, write
from thinktime.cli.expectations_input import Site, capacity_of, load_site
from thinktime.cli.inputs import whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts

if TYPE_CHECKING:
    from rich.table import Table

    from thinktime.analysis.studies.expectations import Study

QUICK_JOBS = 3_000


def expectations(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A log in SWF: .swf or .swf.gz.")],
    machines: Annotated[
        str | None, typer.Option(metavar="FILE", help="The nodes, in Alea's .machines format.")
    ] = None,
    processors: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Size of the machine.", show_default="--machines, or the log's header"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help=f"The first {QUICK_JOBS:,} jobs only.")] = False,
    capacity: Annotated[
        str, typer.Option(metavar="RULE", help="active, users, or N[,MEMORY]: what a user expects to have.")
    ] = "active",
    memory_unit: Annotated[
        str, typer.Option(metavar="UNIT", help="What field 10 is: auto, or kb|bytes-per-processor|chunk.")
    ] = "auto",
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write Figures 5, 6a, 6b, 7 and tables.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """FIFO and backfilling, with and without fairshare, by the expectations of users."""
    from thinktime.analysis.studies.parallel import cores

    rule = capacity_of(capacity, [], [], False)
    processes = cores() if workers is None else whole("--workers", workers)
    teller = Teller(quiet)
    site = load_site(trace, machines, processors, memory_unit=memory_unit)
    if quick:
        site = site.first(QUICK_JOBS)
    found = run_and_write(partial(_run, site, rule, processes, teller), _write, out, teller)
    if json:
        shown = found.expectations | ({"recorded": found.recorded} if found.recorded else {})
        typer.echo(json_text(as_json(shown)))
    else:
        _print(found, site)


def _run(site: Site, rule: Any, workers: int, teller: Teller) -> Study:
    from thinktime.analysis.studies.expectations import POLICIES, run_study
    from thinktime.models.warm_up import prepare

    with teller.compiling():
        for _, policy in chosen(list(POLICIES)):
            prepare(policy, "kill", nodes=site.nodes is not None)
    study = partial(run_study, site.trace, site.processors, site.nodes, site.log, rule, workers)
    return timed(study, "schedules", teller)


def _write(found: Study, aside: Path) -> None:
    write(found.expectations, aside)
    sensitivity_frame(found).to_csv(aside / "sensitivity.csv", index=False)


def _print(found: Study, site: Site) -> None:
    from thinktime.analysis.studies.expectations_findings import findings

    console = stdout()
    shown = found.expectations | ({"recorded": found.recorded} if found.recorded else {})
    console.print(comparison(shown))
    for line in conditions(shown, site):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(verdicts(findings(found)))
    console.print(
        "Numbers by scheduler: FIFO, FIFO with fairshare, backfilling, backfilling with fairshare.\n"
    )
    console.print(sensitivity(found))


def sensitivity(found: Study) -> Table:
    """Violated EETs and upper quartiles of VEET under other expectations."""
    table = study_table("Violated EETs in % of all jobs / upper quartile of VEET over users", "changed")
    for policy in found.expectations:
        table.add_column(policy.replace(":", ":\n"), justify="right", no_wrap=True)
    for row in found.sensitivity:
        table.add_row(
            row.changed, *(f"{row.violated[p]:.1f} / {row.upper_quartile[p]:.0f}" for p in found.expectations)
        )
    return table


def sensitivity_frame(found: Study) -> Any:
    """The same as a pandas table: one row per change and policy."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "changed": row.changed,
                "policy": policy,
                "violated_percent": row.violated[policy],
                "veet_upper_quartile": row.upper_quartile[policy],
            }
            for row in found.sensitivity
            for policy in row.violated
        ]
    )
