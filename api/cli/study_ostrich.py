"""`thinktime study ostrich`: OStrich against FCFS on the ostrich paper's synthetic campaigns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import NONE, duration, number, percentage
from thinktime.cli.inputs import whole
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen, compile_for
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts, write_files

if TYPE_CHECKING:
    from thinktime.analysis.papers.ostrich.study import Numbers, Study
    from thinktime.analysis.statistics import Interval


def ostrich(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer instances: done within a minute.")] = False,
    jobs: Annotated[str, typer.Option(metavar="N", help="Jobs of an instance.")] = "10000",
    instances: Annotated[
        str | None, typer.Option(metavar="N", help="Instances.", show_default="40, with --quick 8")
    ] = None,
    users: Annotated[str, typer.Option(metavar="U", help="Users; the paper does not say.")] = "26",
    share_short: Annotated[
        float,
        typer.Option(metavar="X", min=0, max=1, help="Part of the users that is short.", show_default="2/3"),
    ] = 2 / 3,
    think_time: Annotated[
        float, typer.Option(metavar="S", min=0, help="Seconds from a campaign's end to the next.")
    ] = 18_000,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Another seed is another sample.")] = 1,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write Figures 3a, 3b, 4 and tables.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """OStrich against FCFS on the ostrich paper's synthetic campaigns, and how much the set-up matters."""
    from thinktime.analysis.papers.ostrich import study as model
    from thinktime.analysis.papers.ostrich.instances import SetUp
    from thinktime.analysis.parallel import cores

    setup = SetUp(
        jobs=whole("--jobs", jobs),
        users=whole("--users", users),
        share_short=share_short,
        think_time=think_time,
    )
    usual = model.QUICK if quick else model.FULL
    effort = model.Effort(
        instances=usual.instances if instances is None else whole("--instances", instances),
        # The object of --json has no sensitivity table.
        sensitivity=0 if json and out is None else usual.sensitivity,
    )
    processes = cores() if workers is None else whole("--workers", workers)
    teller = Teller(quiet)
    compile_for(chosen(model.POLICIES), "kill", teller)
    run = partial(_run, setup, effort, seed, processes, teller)
    found = run_and_write(run, write, out, teller)
    if json:
        typer.echo(json_text(as_json(found)))
    else:
        _print(found)


def _run(setup: Any, effort: Any, seed: int, workers: int, teller: Teller) -> Study:
    from thinktime.analysis.papers.ostrich.study import run_study

    return timed(partial(run_study, setup, effort, seed, workers), "instances", teller)


# -- files --------------------------------------------------------------------------------------------------


def write(found: Study, aside: Path) -> None:
    """The three figures, every campaign's stretch, the sensitivity table, and the object of --json."""
    from thinktime.analysis.papers.ostrich import tables as files
    from thinktime.analysis.papers.ostrich.figures import figures

    tables = {"campaigns": files.campaigns_of(found), "sensitivity": files.sensitivity_of(found)}
    write_files(aside, figures(found), tables, as_json(found))


def as_json(found: Study) -> dict[str, Any]:
    """The object that `--json` prints: shares as fractions of 1, None where there is no such user.

    `excess_of_bound` has, for each instance, the largest excess of idle area as a part of Lemma 1's bound.
    """
    return {
        "policies": {policy: _as_json(each) for policy, each in found.numbers.items()},
        "bound_violations": found.numbers["ostrich"].late,
        "lemma_1_violations": found.numbers["ostrich"].behind,
    }


def _as_json(numbers: Numbers) -> dict[str, Any]:
    worst = {"short": _or_none(numbers.short.mean), "long": _or_none(numbers.long.mean)}
    return {
        "campaigns": numbers.campaigns,
        "share_above_20": numbers.above_20.mean,
        "share_below_2": numbers.below_2.mean,
        "mean_max_stretch": worst,
        "lemma_1": {
            "violations": numbers.behind,
            "excess_of_bound": [_or_none(share) for share in numbers.idle_shares],
        },
    }


def _or_none(value: float) -> float | None:
    return None if value != value else value


# -- tables -------------------------------------------------------------------------------------------------


def _print(found: Study) -> None:
    from thinktime.analysis.papers.ostrich.findings import findings

    setup, console = found.setup, stdout()
    console.print(comparison(found))
    console.print(
        f"{number(found.instances)} instances of {number(setup.jobs)} jobs on {setup.processors} processors; "
        f"{setup.users} users, {percentage(setup.share_short)} short, "
        f"think time {duration(setup.think_time)} (ours: the paper does not say); "
        "\N{PLUS-MINUS SIGN}: 95 % t-interval over instances.\n"
    )
    console.print(verdicts(findings(found.numbers)))
    if found.sensitivity:
        console.print()
        console.print(sensitivity(found))
        console.print(
            f"{found.sensitivity_instances} instances each; one thing changed at a time; "
            "short, long: mean maximum stretch; FCFS / OStrich."
        )


def comparison(found: Study) -> Table:
    """The paper's numbers and ours, by policy."""
    table = study_table("Campaigns under FCFS and OStrich")
    for title in ("FCFS\npaper", "\nours", "OStrich\npaper", "\nours"):
        table.add_column(title, justify="right", no_wrap=True)
    fcfs, own = found.numbers["fcfs"], found.numbers["ostrich"]

    def row(title: str, printed: tuple[str, str], show: Callable[[Numbers], str]) -> None:
        table.add_row(title, printed[0], show(fcfs), printed[1], show(own))

    row("campaigns", (NONE, NONE), lambda n: number(n.campaigns))
    row("stretch above 20", ("42.3 %", "1.3 %"), lambda n: _share(n.above_20))
    row("stretch below 2", (NONE, "> 2 × FCFS"), lambda n: _share(n.below_2))
    row("mean maximum stretch, short users", ("> 50", "12.8"), lambda n: _mean(n.short))
    row("  its median over users", (NONE, NONE), lambda n: _plain(n.short_median))
    row("mean maximum stretch, long users", ("6.3", "6.8"), lambda n: _mean(n.long))
    row("  its median over users", (NONE, NONE), lambda n: _plain(n.long_median))
    row("instances beyond Lemma 1's bound", (NONE, "0"), lambda n: number(n.behind))
    row("  largest excess of idle area", (NONE, NONE), lambda n: percentage(max(n.idle_shares)) + " of it")
    row("campaigns later than Lemma 2's bound", (NONE, "0"), lambda n: number(n.late))
    row("campaigns above Theorem 1's bound", (NONE, "0"), lambda n: number(n.stretched))
    row("processors in use", (NONE, NONE), lambda n: percentage(n.utilization))
    return table


def sensitivity(found: Study) -> Table:
    """The same numbers for other set-ups; a dash where a policy was not run."""
    table = study_table("If something else is assumed", "changed")
    for title in ("above 20", "below 2", "short", "long", "in use"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in found.sensitivity:
        both = [row.numbers.get("fcfs"), next(n for name, n in row.numbers.items() if name != "fcfs")]

        def pair(show: Callable[[Numbers], str], both: list[Numbers | None] = both) -> str:
            return " / ".join(NONE if each is None else show(each) for each in both)

        table.add_row(
            row.variation.differs,
            pair(lambda n: percentage(n.above_20.mean)),
            pair(lambda n: percentage(n.below_2.mean)),
            pair(lambda n: _plain(n.short.mean)),
            pair(lambda n: _plain(n.long.mean)),
            pair(lambda n: percentage(n.utilization)),
        )
    return table


def _share(interval: Interval) -> str:
    return f"{100 * interval.mean:.1f}{_half(100 * interval.half)} %"


def _mean(interval: Interval) -> str:
    return _plain(interval.mean) + _half(interval.half)


def _half(half: float) -> str:
    return "" if half != half else f" \N{PLUS-MINUS SIGN} {half:.1f}"


def _plain(value: float) -> str:
    return NONE if value != value else f"{value:.1f}"
