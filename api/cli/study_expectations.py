"""`thinktime study expectations`: the expectations paper's four schedulers on a site's log."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import number
from thinktime.cli.expectations import as_json, comparison, conditions, write
from thinktime.cli.expectations_input import Site, capacity_of, load_site
from thinktime.cli.inputs import MaxSize, whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts

if TYPE_CHECKING:
    from rich.table import Table

    from thinktime.analysis.papers.expectations.study import Study, Variant
    from thinktime.analysis.studies.finding import Finding

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
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Other sizes of the machine: nodes of each cluster, such as 15+34,14+30, or processors; or none.",
            show_default="those with a load of 75, 85 and 95 %",
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
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write Figures 5, 6a, 6b, 7 and tables.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """FIFO and backfilling, with and without fairshare, by the expectations of users."""
    from thinktime.analysis.parallel import cores

    rule = capacity_of(capacity, [], [], False)
    processes = cores() if workers is None else whole("--workers", workers)
    wanted = None if sizes is None else [] if sizes == "none" else sizes.split(",")
    teller = Teller(quiet)
    site = load_site(trace, machines, processors, memory_unit=memory_unit, max_size=max_size)
    if quick:
        site = site.first(QUICK_JOBS)
    run = partial(_run, site, rule, wanted, processes, teller)
    found = run_and_write(run, partial(_write, site), out, teller)
    if json:
        typer.echo(json_text(_object(found, site)))
    else:
        _print(found, site)


def _run(site: Site, rule: Any, sizes: list[str] | None, workers: int, teller: Teller) -> Study:
    from thinktime.analysis.papers.expectations.printed import POLICIES
    from thinktime.analysis.papers.expectations.study import run_study
    from thinktime.models.warm_up import prepare

    with teller.compiling():
        for _, policy in chosen(list(POLICIES)):
            prepare(site.machine(policy, "kill"))
    machine = (site.trace, site.processors, site.nodes, site.log)
    return timed(partial(run_study, *machine, rule, workers, sizes=sizes), "schedules", teller)


def _shown(found: Study) -> dict[str, Any]:
    return found.expectations | ({"recorded": found.recorded} if found.recorded else {})


def _write(site: Site, found: Study, aside: Path) -> None:
    from thinktime.analysis.papers.expectations import tables as files
    from thinktime.analysis.papers.expectations.figures import by_load
    from thinktime.analysis.pictures.style import save

    write(found.expectations, aside, site)
    files.sensitivity(found).to_csv(aside / "sensitivity.csv", index=False)
    files.verdicts(found).to_csv(aside / "verdicts.csv", index=False)
    (aside / "study.json").write_text(json_text(_object(found, site)) + "\n")
    if len(found.sizes) > 1:
        save(by_load(found), aside / "machine-size.png")


def _object(found: Study, site: Site) -> dict[str, Any]:
    """The object that `--json` prints: the schedules, the findings, and both under each variant."""
    from thinktime.analysis.papers.expectations.findings import RULE
    from thinktime.analysis.papers.expectations.tables import as_objects

    return as_json(_shown(found), site) | {"rule": RULE, "variants": as_objects(found)}


def _print(found: Study, site: Site) -> None:
    from thinktime.analysis.papers.expectations.findings import RULE, by_variant, findings

    console = stdout()
    console.print(comparison(_shown(found)))
    for line in conditions(_shown(found), site):
        console.print(line)
    console.print(f"\n{RULE}")
    console.print(verdicts(findings(found)))
    console.print(
        "Numbers by scheduler: FIFO, FIFO with fairshare, backfilling, backfilling with fairshare.\n"
    )
    console.print(sensitivity("If something else is expected", found.judgements))
    console.print(f"{_CELLS}\n")
    console.print(verdict_table("The findings then", by_variant(found.judgements), found.judgements))
    console.print(f"{_WORDS}\n")
    if len(found.sizes) > 1:
        console.print(sensitivity("On other sizes of the machine", found.sizes))
        console.print(f"{_CELLS}\n")
        console.print(verdict_table("The findings then", by_variant(found.sizes), found.sizes))
        console.print(_WORDS)


_CELLS = "Violated EETs in % of all jobs / upper quartile of VEET over users in %."
_WORDS = "NOT: not seen; ?: undecided; columns are the rows of the table before."


def sensitivity(title: str, variants: list[Variant]) -> Table:
    """Violated EETs and upper quartiles of VEET under other assumptions."""
    table = study_table(title, "changed")
    loads = len({variant.load for variant in variants}) > 1
    policies = list(variants[0].expectations)
    for head in (*(("load", "too\nlarge") if loads else ()), *(p.replace(":", ":\n") for p in policies)):
        table.add_column(head, justify="right", no_wrap=True)
    for each in variants:
        more = (f"{100 * each.load:.0f}%", number(each.dropped)) if loads else ()
        cells = (f"{each.violated(p):.1f} / {each.upper_quartile(p):.0f}" for p in policies)
        table.add_row(each.changed, *more, *cells)
    return table


def verdict_table(title: str, found: dict[str, list[Finding]], variants: list[Variant]) -> Table:
    """Every finding under each variant."""
    table = study_table(title)
    for each in variants:
        table.add_column(each.short, no_wrap=True)
    for same in zip(*(found[each.changed] for each in variants), strict=True):
        table.add_row(same[0].says, *(_SHORT[each.verdict] for each in same))
    return table


_SHORT = {"seen": "seen", "NOT seen": "NOT", "undecided": "?"}
