"""`thinktime expectations`: expected end times, and how schedules meet them."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, options, output_folders
from thinktime.cli.changing import Given, changing
from thinktime.cli.console import json_text, stdout
from thinktime.cli.expectations_input import Schedules, capacity_of, results
from thinktime.cli.layout import rich_table
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import chosen, configured, load_site

if TYPE_CHECKING:
    from thinktime.analysis.expectations.evaluate import Expectations
    from thinktime.analysis.expectations.evaluated_site import Site

Evaluated = dict[str, "Expectations"]


@changing
def expectations(
    trace: Annotated[str, options.argument("TRACE", "A log in SWF: .swf or .swf.gz.")],
    machines: options.Machines = None,
    site_file: Annotated[
        str | None, options.option("FILE", "A site's configuration (site.toml): nodes, accounts, priorities.", "--site")
    ] = None,
    names: options.Names = None,
    processors: Annotated[
        str | None, options.option("N", "Size of the machine.", shown="that of the nodes, or the log's header")
    ] = None,
    recorded: Annotated[
        bool, options.flag("--recorded", "Evaluate the log's own schedule, without simulation.")
    ] = False,
    policy: Annotated[
        list[str] | None, options.option("SPEC", "A policy to simulate; repeat it to compare.", shown="--recorded")
    ] = None,
    capacity: Annotated[
        str,
        options.option(
            "RULE", "What a user expects: active, users, shares, or N[,MEMORY][,NAME=K], such as 8,64gb,gpus=1."
        ),
    ] = "active",
    capacity_of_user: Annotated[
        list[str] | None,
        options.option("USER=N[,MEMORY][,NAME=K]", "What this user expects; repeat it.", "--capacity-of"),
    ] = None,
    share: Annotated[
        list[str] | None, options.option("USER=W", "A user's share, with --capacity shares; repeat it.")
    ] = None,
    fairshare: Annotated[bool, options.flag("--fairshare", "Users with much recent usage expect less.")] = False,
    batches: Annotated[
        bool, options.flag("--batches", "Use one EET for all jobs that a user submits together.")
    ] = False,
    tolerance: Annotated[float, options.option("S", "Tolerated delay after the EET (s).", min=0)] = 0,
    user: Annotated[list[str] | None, options.option("USER", "Only this user; repeat it.")] = None,
    queue: Annotated[list[str] | None, options.option("QUEUE", "Only this queue; repeat it.")] = None,
    without_user: Annotated[list[str] | None, options.option("USER", "All users but this one; repeat it.")] = None,
    allocator: Annotated[
        str | None,
        options.option(
            "NAME",
            "On nodes: first-fit, best-fit, worst-fit or consecutive.",
            shown="first-fit; with --site, consecutive",
        ),
    ] = None,
    memory_unit: Annotated[
        str, options.option("UNIT", "Unit of field 10: auto, or kb|bytes-per-processor|chunk.")
    ] = "auto",
    overrun: options.Overrun = "kill",
    changes: Given | None = None,
    since: options.Since = None,
    until: options.Until = None,
    max_size: options.MaxSize = None,
    out: Annotated[Path | None, options.option("DIR", "Write pictures, and tables of jobs and users.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compute expected end times of jobs, and how well the log's own schedule and policies meet them."""
    errors.choice("--overrun", overrun, options.OVERRUNS)
    if changes and not policy:
        option = f"--{next(iter(changes)).replace('_', '-')}"
        raise ValueError(f"{option} is for simulated schedules, and the log's own is evaluated as it is; give --policy")
    status = StatusOutput(quiet)
    with redirect_stdout(sys.stderr) if json else nullcontext():
        rule = capacity_of(capacity, capacity_of_user or [], share or [], fairshare)
        at = configured(site_file)
        choices = chosen(policy or [], at)
        part = trace, machines, processors, since, until, memory_unit, allocator, max_size, changes
        site = load_site(*part, at, names)
        wanted = {"users": user, "queues": queue, "without": without_user or ()}
        with output_folders.filled(out, status.say) as aside:
            schedules = results(site, choices, recorded or not choices, overrun, status)
            found = evaluate_all(site, schedules, rule, tolerance, batches, wanted)
            if aside:
                write(found, aside, site)
    from thinktime.analysis.expectations import tables

    if json:
        typer.echo(json_text(tables.as_object(found, site)))
        return
    stdout().print(rich_table(tables.comparison(found)))
    for line in tables.conditions(found, site):
        stdout().print(line)


def evaluate_all(
    site: Site, schedules: Schedules, rule: Any, tolerance: float, batches: bool, wanted: dict[str, Any]
) -> Evaluated:
    """Evaluate schedules of the jobs, by name, with the same expected capacity."""
    from thinktime.analysis.expectations.evaluate import evaluate
    from thinktime.analysis.expectations.job_batches import as_batches, batch_numbers

    found: Evaluated = {}
    capacity = site.expected_from_log(rule)
    for name, result in schedules:
        jobs = evaluate(result, capacity or rule, tolerance=tolerance)
        capacity = jobs.chosen
        jobs = as_batches(jobs, batch_numbers(jobs)) if batches else jobs
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
