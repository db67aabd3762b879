"""`thinktime demo`: twelve users on one machine for two weeks, under several policies with the same random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table

from thinktime.cli import replay_report
from thinktime.cli.console import stdout, tell
from thinktime.cli.layout import duration, number, titled
from thinktime.cli.options import Quiet, output
from thinktime.cli.output_folders import deliver, staging
from thinktime.cli.policy_runs import PolicyRun
from thinktime.cli.progress import StatusOutput

if TYPE_CHECKING:
    from thinktime.analysis.demo import Demo
    from thinktime.analysis.pictures.style import Figure
    from thinktime.analysis.report import Report
    from thinktime.models.results.result import Result

NEXT = (
    "Next: thinktime replay LOG, or thinktime feedback LOG, on a log of your own;",
    "thinktime new office.toml, then thinktime run office.toml, for an experiment;",
    "docs/tutorial.md for a model in Python. thinktime --help lists the rest.",
)
"""What to do after the demo."""


def demo(
    out: Annotated[Path, output("DIR", "Folder for the pictures.")] = Path("demo-output"), quiet: Quiet = False
) -> None:
    """Simulate twelve users in the loop under several policies, and explain the results."""
    from thinktime.analysis import demo as model

    status = StatusOutput(quiet)
    with staging(out) as aside:
        status.say(f"simulating {duration(model.HORIZON)} under {', '.join(model.POLICIES)} (some 20 s) …")
        shown = model.run_demo()
        found = report(shown)
        tell(found, as_json=False)
        status.say("drawing two pictures …")
        found.write(aside, None)
        paths = deliver(aside, out)
    console = stdout()
    console.print("Pictures: " + ", ".join(str(path) for path in paths), soft_wrap=True)
    for line in ("", shown.words, "", *NEXT):
        console.print(line)


def report(shown: Demo) -> Report:
    """The policies side by side, the users one by one, and two pictures."""
    from thinktime.analysis import pictures
    from thinktime.analysis.demo import PROCESSORS, USERS
    from thinktime.analysis.report import Report

    runs = [PolicyRun(policy, result) for policy, result in shown.results.items()]

    def page() -> Iterator[Table | str]:
        yield replay_report.comparison(runs, finished=True)
        yield f"{PROCESSORS} processors; overrun: {runs[0].result.overrun}; {replay_report.legend(runs)}."
        yield from replay_report.variants(runs)
        yield ""
        yield per_user(shown.results, USERS)
        yield made_of(shown.results)
        yield from replay_report.given_up(runs)
        yield ""

    def figures() -> dict[str, Figure]:
        return {
            "users": pictures.user_comparison_chart(shown.results),
            "utilization-and-queue": pictures.utilization_and_queue(shown.results),
        }

    return Report(page, values=dict, figures=figures)


def per_user(results: Mapping[str, Result], users: Iterable[Any]) -> Table:
    """One row per user: the mean response time of campaigns and the finished jobs under each policy."""
    from thinktime.analysis.compare import user_comparison

    times, jobs = (user_comparison(results, measure) for measure in ("mean_campaign_response_time", "finished"))
    first, *others = results
    under = f"\n{first}", *(f"\n{policy}" for policy in others)
    headings = [f"a campaign takes{under[0]}", *under[1:], f"jobs done{under[0]}", *under[1:]]
    table = titled("", "\nuser", *headings)
    for user in users:
        table.add_row(str(user), *_cells(times.loc[user], duration), *_cells(jobs.loc[user], number))
    return table


def made_of(results: Mapping[str, Result]) -> str:
    """How many campaigns were served, unfinished and given up, in words."""
    from thinktime.analysis.response_times import response_times

    found = {policy: response_times(result) for policy, result in results.items()}
    served = ", ".join(f"{number(each.served)} under {policy}" for policy, each in found.items())
    unfinished = ", ".join(number(each.unfinished) for each in found.values())
    abandoned = ", ".join(number(each.abandoned) for each in found.values())
    given_up = f"given up: {abandoned}" if any(each.abandoned for each in found.values()) else "none was given up"
    return (
        f"A campaign takes: mean over the campaigns that were served ({served}); unfinished at the end: "
        f"{unfinished}; {given_up}."
    )


def _cells(row: Any, show: Any) -> list[str]:
    """The values of one user; NaN, such as the time of a user without campaigns, is shown as none."""
    return [show(None if value != value else float(value)) for value in row]
