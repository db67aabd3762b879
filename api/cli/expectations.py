"""`thinktime expectations`: expected end times, and how schedules meet them."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, output_folders
from thinktime.cli.console import json_text, stdout
from thinktime.cli.expectations_input import Options, capacity_of, results
from thinktime.cli.inputs import MaxSize
from thinktime.cli.layout import rich_table
from thinktime.cli.options import OVERRUNS, Json, Machines, Overrun, Quiet, Since, Until
from thinktime.cli.policy_runs import Choice, chosen
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import load_site

if TYPE_CHECKING:
    from thinktime.analysis.expectations.evaluate import Expectations
    from thinktime.analysis.expectations.evaluated_site import Site

Evaluated = dict[str, "Expectations"]


def expectations(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A log in SWF: .swf or .swf.gz.")],
    machines: Machines = None,
    processors: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Size of the machine.", show_default="--machines, or the log's header"
        ),
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Evaluate the log's own schedule, without simulation.")
    ] = False,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC", help="A policy to simulate; repeat it to compare.", show_default="--recorded"
        ),
    ] = None,
    capacity: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="What a user expects: active, users, shares, or N[,MEMORY][,NAME=K], such as 8,64gb,gpus=1.",
        ),
    ] = "active",
    capacity_of_user: Annotated[
        list[str] | None,
        typer.Option(
            "--capacity-of", metavar="USER=N[,MEMORY][,NAME=K]", help="What this user expects; repeat it."
        ),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(metavar="USER=W", help="A user's share, with --capacity shares; repeat it."),
    ] = None,
    fairshare: Annotated[
        bool, typer.Option("--fairshare", help="Users with much recent usage expect less.")
    ] = False,
    batches: Annotated[
        bool, typer.Option("--batches", help="Use one EET for all jobs that a user submits together.")
    ] = False,
    tolerance: Annotated[
        float, typer.Option(metavar="S", min=0, help="Tolerated delay after the EET (s).")
    ] = 0,
    user: Annotated[list[str] | None, typer.Option(metavar="USER", help="Only this user; repeat it.")] = None,
    queue: Annotated[
        list[str] | None, typer.Option(metavar="QUEUE", help="Only this queue; repeat it.")
    ] = None,
    without_user: Annotated[
        list[str] | None, typer.Option(metavar="USER", help="All users but this one; repeat it.")
    ] = None,
    allocator: Annotated[
        str, typer.Option(metavar="NAME", help="first-fit, best-fit or worst-fit, with --machines.")
    ] = "first-fit",
    memory_unit: Annotated[
        str, typer.Option(metavar="UNIT", help="Unit of field 10: auto, or kb|bytes-per-processor|chunk.")
    ] = "auto",
    overrun: Overrun = "kill",
    since: Since = None,
    until: Until = None,
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write pictures, and tables of jobs and users.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute expected end times of jobs, and how well the log's own schedule and policies meet them."""
    errors.choice("--overrun", overrun, OVERRUNS)
    status = StatusOutput(quiet)
    with redirect_stdout(sys.stderr) if json else nullcontext():
        rule = capacity_of(capacity, capacity_of_user or [], share or [], fairshare)
        choices = chosen(policy or [])
        site = load_site(trace, machines, processors, since, until, memory_unit, allocator, max_size)
        options = Options(recorded or not choices, overrun, tolerance, batches)
        wanted = {"users": user, "queues": queue, "without": without_user or ()}
        if out is None:
            found = evaluate_all(site, choices, rule, options, status, wanted)
        else:
            with output_folders.staging(out) as aside:
                found = evaluate_all(site, choices, rule, options, status, wanted)
                write(found, aside, site)
                output_folders.deliver(aside, out)
            status.say(f"the files are in {out}")
    from thinktime.analysis.expectations import tables

    if json:
        typer.echo(json_text(tables.as_object(found, site)))
        return
    stdout().print(rich_table(tables.comparison(found)))
    for line in tables.conditions(found, site):
        stdout().print(line)


def evaluate_all(
    site: Site,
    choices: list[Choice],
    rule: Any,
    options: Options,
    status: StatusOutput,
    wanted: dict[str, Any],
) -> Evaluated:
    """Evaluate the log's own schedule, if wanted, and each policy with the same expected capacity."""
    from thinktime.analysis.expectations.evaluate import evaluate
    from thinktime.analysis.expectations.job_batches import as_batches, batch_numbers

    found: Evaluated = {}
    capacity = site.expected_from_log(rule)
    for name, result in results(site, choices, options, status):
        jobs = evaluate(result, capacity or rule, tolerance=options.tolerance)
        capacity = jobs.chosen
        jobs = as_batches(jobs, batch_numbers(jobs)) if options.batches else jobs
        jobs = jobs.only(wanted["users"], wanted["queues"]).without(wanted["without"])
        if not len(jobs):
            raise ValueError(f"under {name}, no job of the selected users and queues ended")
        found[name] = jobs
    return found


def write(found: Evaluated, aside: Path, site: Site) -> None:
    """Write pictures of all schedules, two tables for each, and the object of --json."""
    from thinktime.analysis.expectations import tables
    from thinktime.analysis.papers.expectations.figures import pictures
    from thinktime.analysis.studies.study import write_files

    output_folders.names(list(found))
    objects = {"expectations": tables.as_object(found, site)}
    write_files(aside, pictures(found), tables.frames(found), objects, ["png"])
