"""A comparison of modes: one JSON object for programs, a table per mode and the rankings for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from thinktime.cli.durations import NONE, counted, duration, number, percentage
from thinktime.cli.inputs import Workload

if TYPE_CHECKING:
    from thinktime.analysis.feedback import Comparison, Pair, Reversal

MEASURES = (
    "jobs",
    "mean_wait",
    "mean_bounded_slowdown_10",
    "throughput_per_day",
    "median_wait",
    "p95_wait",
    "utilization",
    "mean_backlog",
    "mean_user_response",
    "mean_session_response",
    "work_lost",
    "work_delayed",
)
"""What the JSON object has of each policy in each mode: means over replications."""

MODE_TITLES = {
    "open": "Open loop: jobs come when they came in the log",
    "feedback": "With feedback: users wait for what they waited for in the log",
    "generative": "Generative: users drawn from those of the log",
}
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def as_json(found: Comparison) -> dict[str, Any]:
    """The object that `--json` prints: times in s, work in processor-hours, None where there is nothing to measure.

    `intervals` has each pair of neighbours in a ranking with the 95 % interval of second minus first, over
    replications; its `difference` is None for one run.
    """
    modes = list(found.measures)
    return {
        "processors": found.processors,
        "replications": found.replications,
        "draw": found.draw,
        "modes": {
            mode: {policy: _policy(found, mode, policy) for policy in found.measures[mode]} for mode in modes
        },
        "ranking": {mode: found.ranking(mode) for mode in modes},
        "intervals": {mode: [_pair(each) for each in found.pairs(mode)] for mode in modes},
        "ranking_changes": {mode: found.ranking(mode) != found.ranking(modes[0]) for mode in modes[1:]},
        "reversals": [
            {
                "better": r.better,
                "worse": r.worse,
                "mode": r.mode,
                "other_mode": r.other_mode,
                "certain": r.certain,
            }
            for r in found.reversals()
        ],
    }


def _policy(found: Comparison, mode: str, policy: str) -> dict[str, Any]:
    means = {name: _known(found.mean(mode, policy, name)) for name in MEASURES}
    if found.replications == 1:
        means["jobs"] = found.measures[mode][policy][0].jobs
    low, high = _slowdown_interval(found, mode, policy)
    return means | {
        "mean_bounded_slowdown_10_interval": None if low != low else {"low": low, "high": high},
    }


def _slowdown_interval(found: Comparison, mode: str, policy: str) -> tuple[float, float]:
    """Over replications; within the one run, by batch means."""
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
    return {"first": pair.first, "second": pair.second, "difference": difference}


def _known(value: float) -> float | None:
    return None if value != value else value


# -- tables -------------------------------------------------------------------------------------------------


def print_tables(
    workload: Workload, found: Comparison, modes: Sequence[str], estimates: str, console: Console
) -> None:
    """A table for each mode, and what becomes of the ranking."""
    for mode in modes:
        console.print(table(found, mode))
        console.print()
    for line in [*rankings(found), "", conditions(workload, found, estimates)]:
        console.print(line)


def table(found: Comparison, mode: str) -> Table:
    """One mode: a row per policy, in the order given."""
    title = MODE_TITLES[mode]
    if mode == "generative" and found.draw == "fitted":
        title += ", as fitted distributions"
    shown = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    shown.add_column("policy", overflow="fold")
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
            *(duration(of[name]) for name in ("mean_user_response", "mean_session_response")),
            *(number(of[name]) for name in ("work_lost", "work_delayed")),
        )
    return shown


def _slowdown(found: Comparison, mode: str, policy: str, mean: float | None) -> str:
    low, high = _slowdown_interval(found, mode, policy)
    half = (high - low) / 2
    return number(mean, 1) + ("" if half != half else f" {PLUS_MINUS} {number(half, 1)}")


def rankings(found: Comparison) -> Iterator[str]:
    """Each mode's ranking, with the paired intervals, and which policies change places."""
    for mode in found.measures:
        parts = [found.ranking(mode)[0], *(_step(pair) for pair in found.pairs(mode))]
        yield f"{mode}: {' < '.join(parts)}"
    reversals = list(found.reversals())
    if len(found.measures) > 1:
        yield "The ranking changes:" if reversals else "The ranking is the same in all modes."
    for each in reversals:
        yield _reversal(each)


def _step(pair: Pair) -> str:
    if pair.difference is None:
        return pair.second
    interval = pair.difference.interval
    sign = "" if interval.contains(0.0) or interval.half != interval.half else "*"
    return f"{pair.second} (+{number(interval.mean, 1)} {PLUS_MINUS} {number(interval.half, 1)}{sign})"


def _reversal(each: Reversal) -> str:
    sure = {True: "; both differences are beyond chance", False: "; chance may explain one of them", None: ""}
    where = f"in {each.mode}, worse in {each.other_mode}"
    return f"  {each.better} is better than {each.worse} {where}{sure[each.certain]}."


def conditions(workload: Workload, found: Comparison, estimates: str) -> str:
    """What the numbers hold for."""
    one = found.replications == 1
    from_where = "batch means within the run" if one else f"t over {found.replications} replications"
    stars = "" if one else ", * marks paired differences beyond chance"
    return (
        f"{counted(found.processors, 'processor')}; {counted(len(workload.trace), 'job')} in the log; estimates: "
        f"{estimates}; slowdown: mean bounded slowdown (10 s) {PLUS_MINUS} 95 % by {from_where}{stars}; response: "
        f"from submission to end, mean of users' means and of sessions; lost: work that did not finish; "
        f"delayed: work submitted after the log's last submission; {NONE}: nothing to measure."
    )
