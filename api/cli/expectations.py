"""`thinktime expectations`: expected end times, and how schedules meet them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, folders
from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import counted, duration, number
from thinktime.cli.expectations_input import Options, Site, capacity_of, load_site
from thinktime.cli.inputs import MaxSize
from thinktime.cli.progress import Teller
from thinktime.cli.runs import Choice, chosen
from thinktime.cli.study_common import study_table

if TYPE_CHECKING:
    from rich.table import Table

    from thinktime.analysis.expectations.evaluate import Expectations

OVERRUNS = ("kill", "extend")
Evaluated = dict[str, "Expectations"]


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
    overrun: Annotated[
        str,
        typer.Option(metavar="|".join(OVERRUNS), help="What happens to a job that outlives its estimate."),
    ] = "kill",
    since: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="T", help="Only jobs submitted at T (s, or a date in the log's zone) or later."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="T", help="Only jobs submitted before T.")
    ] = None,
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write pictures, and tables of jobs and users.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
) -> None:
    """Compute expected end times of jobs, and how well the log's own schedule and policies meet them."""
    errors.choice("--overrun", overrun, OVERRUNS)
    teller = Teller(quiet)
    with redirect_stdout(sys.stderr) if json else nullcontext():
        rule = capacity_of(capacity, capacity_of_user or [], share or [], fairshare)
        choices = chosen(policy or [])
        site = load_site(trace, machines, processors, since, until, memory_unit, allocator, max_size)
        options = Options(recorded or not choices, overrun, tolerance, batches)
        wanted = {"users": user, "queues": queue, "without": without_user or ()}
        if out is None:
            found = evaluate_all(site, choices, rule, options, teller, wanted)
        else:
            with folders.staging(out) as aside:
                found = evaluate_all(site, choices, rule, options, teller, wanted)
                write(found, aside, site)
                folders.deliver(aside, out)
            teller.say(f"the files are in {out}")
    if json:
        typer.echo(json_text(as_json(found, site)))
    else:
        _print(found, site)


def evaluate_all(
    site: Site, choices: list[Choice], rule: Any, options: Options, teller: Teller, wanted: dict[str, Any]
) -> Evaluated:
    """Evaluate the log's own schedule, if wanted, and each policy with the same expected capacity."""
    from thinktime.analysis.expectations.batches import as_batches, batch_numbers
    from thinktime.analysis.expectations.evaluate import evaluate

    found: Evaluated = {}
    capacity = site.expected_from_log(rule)
    for name, result in site.results(choices, options, teller):
        jobs = evaluate(result, capacity or rule, tolerance=options.tolerance)
        capacity = jobs.chosen
        jobs = as_batches(jobs, batch_numbers(jobs)) if options.batches else jobs
        jobs = jobs.only(wanted["users"], wanted["queues"]).without(wanted["without"])
        if not len(jobs):
            raise ValueError(f"under {name}, no job of the selected users and queues ended")
        found[name] = jobs
    return found


def as_json(found: Evaluated, site: Site) -> dict[str, Any]:
    """The object that `--json` prints: amounts of resources (bytes of memory), ``veet`` in per cent, processor-seconds.

    It lists the jobs of the recorded schedule that fit on no described node.
    """
    chosen = next(iter(found.values())).chosen
    policies = {name: _policy(jobs) for name, jobs in found.items()}
    if "recorded" in policies and (beyond := site.held_by_no_node()):
        policies["recorded"]["held_by_no_node"] = [
            {"job": job, "request": str(request)} for job, request in beyond
        ]
    return {
        "expected_capacity": {"processors": chosen.processors, "memory": chosen.memory, **chosen.others},
        "policies": policies,
    }


def _policy(jobs: Expectations) -> dict[str, Any]:
    columns = ["jobs", "veet", "weighted_tardiness"]
    users = jobs.users()[columns].to_dict("index")
    return {
        "violated_jobs": int(jobs.violated.sum()),
        "users": {str(user): row for user, row in users.items()},
    }


def write(found: Evaluated, aside: Path, site: Site) -> None:
    """Write pictures of all schedules, and two tables for each."""
    from thinktime.analysis.expectations.tables import jobs_table
    from thinktime.analysis.papers.expectations import figures
    from thinktime.analysis.pictures.style import save

    for name, picture in figures.all_of(found).items():
        save(picture, aside / f"{name}.png")
    names = folders.names(list(found))
    for folder, jobs in zip(names, found.values(), strict=True):
        (aside / folder).mkdir()
        jobs.users().to_csv(aside / folder / "users.csv")
        jobs_table(jobs).to_csv(aside / folder / "jobs.csv", index=False)
        save(
            figures.heatmap_picture({next(k for k, v in found.items() if v is jobs): jobs}),
            aside / folder / "heatmap.png",
        )
    (aside / "expectations.json").write_text(json_text(as_json(found, site)) + "\n")


# -- tables -------------------------------------------------------------------------------------------------


def _print(found: Evaluated, site: Site) -> None:
    console = stdout()
    console.print(comparison(found))
    for line in conditions(found, site):
        console.print(line)


def comparison(found: Evaluated) -> Table:
    """One row per schedule."""
    table = study_table("Expected end times (EET)", "schedule")
    titles = (
        "violated\njobs",
        "\nof all",
        "VEET of users\nmedian",
        "\n75 %",
        "\nat 100 %",
        "WT of users\nmedian",
        "\nsum",
    )
    table.columns[0].no_wrap = True
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for name, jobs in found.items():
        users = jobs.users()
        veet, late = users["veet"], users["weighted_tardiness"]
        table.add_row(
            name,
            number(int(jobs.violated.sum())),
            f"{100 * float(jobs.violated.mean()):.1f}%",
            f"{float(veet.median()):.1f}%",
            f"{float(veet.quantile(0.75)):.1f}%",
            number(int((veet == 100.0).sum())),
            duration(float(late.median())),
            duration(float(late.sum())),
        )
    return table


def conditions(found: Evaluated, site: Site) -> list[str]:
    """The conditions under which the numbers hold."""
    from thinktime.analysis.expectations.recorded import held_by_no_node

    jobs = next(iter(found.values()))
    chosen = jobs.chosen
    lines = [
        "VEET: violated EETs of a user in %; WT: weighted tardiness of a user, processor-time.",
        f"A user expects {amounts_in_words(chosen.amounts)}: {chosen.said}.",
        f"{counted(len(jobs), 'job')} of {counted(len(jobs.users()), 'user')} on {site.described}.",
        *(f"{counted(count, 'job')} dropped: {why}." for why, count in site.report.dropped.items()),
        *(f"{note[0].upper()}{note[1:]}." for note in site.notes),
        *(f"{note}." for note in (held_by_no_node(site.log) if "recorded" in found else [])),
    ]
    if chosen.of_users:
        lines.append(f"The options give {counted(len(chosen.of_users), 'user')} another capacity.")
    return lines


def amounts_in_words(amounts: Mapping[str, int]) -> str:
    """The capacity that a user expects, in words.

    >>> amounts_in_words({"processors": 8, "memory": 2**30, "gpus": 1})
    '8 processors, 1.0 GiB of memory and 1 of gpus'
    """
    words = {
        "processors": lambda n: counted(n, "processor"),
        "memory": lambda n: f"{n / 2**30:,.1f} GiB of memory",
    }
    parts = [words[name](n) if name in words else f"{number(n)} of {name}" for name, n in amounts.items()]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
