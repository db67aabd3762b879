"""A comparison of modes as one JSON object, or as a table per mode and the rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from thinktime.cli.durations import NONE, counted, duration, number, percentage
from thinktime.cli.inputs import Workload, reasons

if TYPE_CHECKING:
    from thinktime.analysis.modes.comparison import ModeComparison
    from thinktime.analysis.modes.rankings import Drawn, Pair, Reversal, Source

MEASURES = (
    "jobs",
    "mean_wait",
    "mean_bounded_slowdown_10",
    "throughput_per_day",
    "median_wait",
    "p95_wait",
    "utilization",
    "mean_backlog",
    "mean_user_response_time",
    "mean_session_response_time",
    "work_lost",
    "work_delayed",
    "abandoned_share",
    "lost_processor_hours",
)
"""The measures of each policy in each mode in the JSON object: means over replications."""

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
MODE_TITLES = {
    "open": "Open loop: jobs arrive at their recorded times",
    "feedback": "With feedback: users wait for what they waited for in the log",
    "generative": "Generative: users drawn from those of the log",
}


def as_json(found: ModeComparison, workload: Workload | None = None) -> dict[str, Any]:
    """The object that `--json` prints: times in s, work in processor-hours, None if there is nothing to measure.

    `observations` counts the jobs, users and sessions behind the means, over all replications, and those without a
    value. `intervals` has, for each pair of neighbours in a ranking, the 95 % interval of second minus first, over
    replications or, for a single run, over batches of jobs. Its `difference` is None if there is too little data; its
    `verdict` is one of `VERDICTS`. `ranking_changes` is true if some pair significantly changes places.
    """
    modes = list(found.measures)
    changes = list(found.reversals())
    return {
        **({} if workload is None else {"trace": workload.path, "dropped": dict(workload.report.dropped)}),
        **({} if found.source is None else {"log": _source(found.source)}),
        "processors": found.processors,
        "replications": found.replications,
        "draw": found.draw,
        "modes": {
            mode: {policy: _policy(found, mode, policy) for policy in found.measures[mode]} for mode in modes
        },
        "ranking": {mode: found.ranking(mode) for mode in modes},
        "intervals": {mode: [_pair(each) for each in found.pairs(mode)] for mode in modes},
        "ranking_changes": {
            mode: any(each.certain for each in changes if each.other_mode == mode) for mode in modes[1:]
        },
        "reversals": [_reversal(each) for each in changes],
    }


def _source(source: Source) -> dict[str, Any]:
    """The part of the log that was used and the users drawn from it: jobs, users, offered loads."""
    return {
        "jobs": source.whole,
        "from": source.start,
        "to": source.end,
        "outside": source.whole - source.log.jobs,
        "part": _drawn(source.log),
        "load": source.load,
        "population": source.population,
        "without_user": source.nobodys,
        "drawn": [_drawn(each) for each in source.drawn],
    }


def _drawn(each: Drawn) -> dict[str, Any]:
    return {"users": each.users, "jobs": each.jobs, "offered_load": _known(each.offered_load)}


def _reversal(each: Reversal) -> dict[str, Any]:
    names = ("better", "worse", "mode", "other_mode", "certain")
    verdicts = dict(zip((each.mode, each.other_mode), each.verdicts, strict=True))
    return {name: getattr(each, name) for name in names} | {"verdicts": verdicts}


def _policy(found: ModeComparison, mode: str, policy: str) -> dict[str, Any]:
    means = {name: _known(found.mean(mode, policy, name)) for name in MEASURES}
    if found.replications == 1:
        means["jobs"] = found.measures[mode][policy][0].jobs
    low, high = _slowdown_interval(found, mode, policy)
    return means | {
        "observations": {of: counts._asdict() for of, counts in found.observed(mode, policy).items()},
        "mean_bounded_slowdown_10_interval": None if low != low else {"low": low, "high": high},
    }


def _slowdown_interval(found: ModeComparison, mode: str, policy: str) -> tuple[float, float]:
    """The interval over replications; for a single run, by batch means."""
    if found.replications == 1:
        return found.measures[mode][policy][0].slowdown_interval
    from thinktime.analysis.statistics import mean

    interval = mean(found.values(mode, policy))
    return interval.low, interval.high


def _pair(pair: Pair) -> dict[str, Any]:
    difference = None
    if pair.difference is not None:
        interval = pair.difference.interval
        difference = {name: _known(getattr(interval, name)) for name in ("mean", "low", "high")}
    names = ("first", "second", "verdict", "certain")
    return {name: getattr(pair, name) for name in names} | {"difference": difference}


def _known(value: float) -> float | None:
    return None if value != value else value


# -- tables -------------------------------------------------------------------------------------------------


def print_tables(
    workload: Workload, found: ModeComparison, modes: Sequence[str], estimates: str, console: Console
) -> None:
    """Print a table for each mode, and how the rankings compare."""
    from thinktime.analysis.modes.in_words import made_of, rankings

    for mode in modes:
        console.print(table(found, mode))
        for line in made_of(found, mode):
            console.print(line)
        console.print()
    for line in [*rankings(found), "", conditions(workload, found, estimates)]:
        console.print(line)


def table(found: ModeComparison, mode: str) -> Table:
    """The table of one mode: a row per policy, in the given order."""
    title = MODE_TITLES[mode]
    if mode == "generative" and found.draw == "fitted":
        title += ", as fitted distributions"
    shown = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    shown.add_column("policy")
    for title in (
        "wait\nmean",
        "\n95 %",
        "slowdown\nmean",
        "jobs\na day",
        "in\nuse",
        "response\nusers",
        "\nsessions",
    ):
        shown.add_column(title, justify="right", no_wrap=True)
    for title in ("lost\n(cpu-h)", "delayed\n(cpu-h)"):
        shown.add_column(title, justify="right", no_wrap=True)
    for policy in found.measures[mode]:
        of = {name: _known(found.mean(mode, policy, name)) for name in MEASURES}
        shown.add_row(
            policy,
            *(duration(of[name]) for name in ("mean_wait", "p95_wait")),
            _slowdown(found, mode, policy, of["mean_bounded_slowdown_10"]),
            number(of["throughput_per_day"], 1),
            percentage(of["utilization"]),
            *(duration(of[name]) for name in ("mean_user_response_time", "mean_session_response_time")),
            *(number(of[name]) for name in ("work_lost", "work_delayed")),
        )
    return shown


def _slowdown(found: ModeComparison, mode: str, policy: str, mean: float | None) -> str:
    low, high = _slowdown_interval(found, mode, policy)
    half = (high - low) / 2
    digits = 1 if mean is None or mean < 1000 else 0
    return number(mean, digits) + ("" if half != half else f" {PLUS_MINUS} {number(half, digits)}")


def conditions(workload: Workload, found: ModeComparison, estimates: str) -> str:
    """The conditions under which the numbers hold."""
    one = found.replications == 1
    how = "batch means within the run" if one else f"t over {found.replications} replications"
    return (
        f"{counted(found.processors, 'processor')}; {_jobs(workload, found)}; estimates: "
        f"{estimates}; slowdown: mean bounded slowdown (10 s) {PLUS_MINUS} 95 % by {how}, "
        f"differences in the rankings by pairs of {_pairs(found)}; response: from submission to end, mean of "
        f"users' means and of sessions; lost: work that did not finish; delayed: work submitted after the log's "
        f"last submission; {NONE}: nothing to measure."
    )


def _jobs(workload: Workload, found: ModeComparison) -> str:
    """How many jobs of the log were run and dropped, and what was drawn to reach a load."""
    dropped = workload.report.dropped
    words = f"{counted(found.jobs, 'job')} in the log"
    source = found.source
    if source is not None and workload.part:
        words = f"{counted(found.jobs, 'job')} of {number(source.whole)} in the log"
    if dropped:
        log = " of the whole log" if workload.part else ""
        words += f", {number(sum(dropped.values()))} dropped{log} ({reasons(dropped)})"
    return (
        words if source is None or source.load is source.population is None else f"{words}; {_load(source)}"
    )


def _load(source: Source) -> str:
    drawn = source.drawn
    users, jobs, offered = (
        sum(getattr(each, name) for each in drawn) / len(drawn) for name in ("users", "jobs", "offered_load")
    )
    mean = "" if len(drawn) == 1 else ", on average"
    nobody = f", {counted(source.nobodys, 'job')} without a user left out" if source.nobodys else ""
    return (
        f"{_wanted(source)}: {number(users)} instead of {number(source.log.users)} users and "
        f"{number(jobs)} jobs that offer {percentage(offered)} instead of {percentage(source.log.offered_load)} "
        f"of the machine{mean}{nobody}"
    )


def _wanted(source: Source) -> str:
    if source.load is not None:
        return f"scaled to an offered load of {percentage(source.load)}"
    return f"{source.population:g} users per user"


def _pairs(found: ModeComparison) -> str:
    if found.replications > 1:
        return "replications"
    return "batches of the same jobs" + (" (generative: Welch's)" if "generative" in found.measures else "")
