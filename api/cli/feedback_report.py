"""What is told of a comparison of modes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from thinktime.analysis.diagnosis.trust import Trust
from thinktime.analysis.experiments.comparisons import DOUBT, DOUBT_LEGEND
from thinktime.analysis.json_values import or_none
from thinktime.analysis.modes.mode_comparison import (
    ModeComparison,
    made_of,
    mode_ranges,
    rankings,
    slowdown_interval,
    values_of,
)
from thinktime.analysis.modes.rankings import ComparedLog
from thinktime.analysis.modes.user_measures import NUMBERS
from thinktime.analysis.report import Report
from thinktime.cli.inputs import reasons
from thinktime.cli.layout import NONE, counted, duration, number, percentage, titled
from thinktime.cli.replay_report import measured_named, measured_text
from thinktime.cli.workload import Workload
from thinktime.workloads.mode_names import TITLES

if TYPE_CHECKING:
    from thinktime.analysis.pictures.style import Figure

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
COLUMNS = (
    *("wait\nmean", "\n95 %", "slowdown\nmean", "jobs\na day", "in\nuse"),
    *("response\nusers", "\nsessions", "lost\n(cpu-h)", "delayed\n(cpu-h)"),
)
"""The columns of the table, after the policy."""


def report(
    found: ModeComparison, workload: Workload, advice: Trust, estimates: str, more: Sequence[str] = ()
) -> Report:
    """Which mode to trust, a table for each mode, how the rankings compare, and ``more`` lines."""

    def page() -> Iterator[Table | str]:
        yield f"{advice.sentence}\n"
        for mode in found.measures:
            yield table(found, mode)
            yield from made_of(found, mode)
            yield from floors(found, mode)
            yield ""
        yield from rankings(found)
        yield from mode_ranges(found)
        yield ""
        yield conditions(workload, found, estimates)
        yield from more

    return Report(page, lambda: _values(found, workload, advice), figures=lambda: _figures(found, workload))


def _figures(found: ModeComparison, workload: Workload) -> dict[str, Figure]:
    from thinktime.analysis.modes import figures

    return {"slowdown-by-mode": figures.slowdown_by_mode(found, Path(workload.path).name)}


def _values(found: ModeComparison, workload: Workload, advice: Trust) -> dict[str, Any]:
    """`thinktime.analysis.modes.mode_comparison`, the log, and which mode to trust."""
    return {
        "trace": workload.path,
        "diagnosis": advice.as_object(),
        "dropped": dict(workload.report.dropped),
        **workload.site_named,
        **workload.changes_named,
        **measured_named(*_window(found)),
        **values_of(found),
    }


def table(found: ModeComparison, mode: str) -> Table:
    """The table of one mode: a row per policy, in the given order."""
    title = TITLES[mode]
    if mode == "generative" and found.draw == "fitted":
        title += ", as fitted distributions"
    shown = titled(title, "policy", *COLUMNS)
    for policy in found.measures[mode]:
        of = {name: or_none(found.mean(mode, policy, name)) for name in NUMBERS}
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


def floors(found: ModeComparison, mode: str) -> list[str]:
    """How far the slowdown of each policy moves if the log is shaken; empty if it was not."""
    if found.source is None or found.source.shake is None:
        return []
    each = (f"{policy} {number(or_none(found.floor(mode, policy)), 1)}" for policy in found.measures[mode])
    return [
        f"{mode}: means of {found.replications} logs with times moved by up to {100 * found.source.shake:g} %; chaos "
        f"floor (standard deviation) of the slowdown: {', '.join(each)}."
    ]


def _slowdown(found: ModeComparison, mode: str, policy: str, mean: float | None) -> str:
    low, high, trusted = slowdown_interval(found, mode, policy)
    half = (high - low) / 2
    digits = 1 if mean is None or mean < 1000 else 0
    doubt = "" if trusted else f" {DOUBT}"
    return number(mean, digits) + ("" if half != half else f" {PLUS_MINUS} {number(half, digits)}{doubt}")


def _doubtful(found: ModeComparison) -> bool:
    """Whether some interval is marked."""
    pairs = ((mode, policy) for mode in found.measures for policy in found.measures[mode])
    return any(not slowdown_interval(found, *each).trusted for each in pairs)


def conditions(workload: Workload, found: ModeComparison, estimates: str) -> str:
    """The conditions under which the numbers hold."""
    runs = {found.runs(mode) for mode in found.measures}
    logs = "runs" if found.source is None or found.source.shake is None else "shaken logs"
    drawn = found.replications == 1 and max(runs) > 1
    logs = "draws of users (Monte-Carlo error alone)" if drawn else logs
    how = " or ".join("batch means within the run" if each == 1 else f"t over {each} {logs}" for each in sorted(runs))
    return (
        f"{counted(found.processors, 'processor')}; {_jobs(workload, found)}; estimates: "
        f"{estimates}; {measured_text(*_window(found))}{workload.changes_text}slowdown: mean bounded slowdown (10 s) "
        f"{PLUS_MINUS} 95 % by {how}, "
        f"differences in the rankings by pairs of {_pairs(found)}; response: from submission to end, mean of "
        f"users' means and of sessions; lost: work that did not finish; delayed: work submitted after the log's "
        f"last submission; {NONE}: nothing to measure{f'; {DOUBT_LEGEND}' if _doubtful(found) else ''}."
    )


def _window(found: ModeComparison) -> tuple[float | None, ...]:
    return (None, None) if found.source is None else found.source.measured


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
    return words if source is None or source.load is source.population is None else f"{words}; {_load(source)}"


def _load(source: ComparedLog) -> str:
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


def _wanted(source: ComparedLog) -> str:
    if source.load is not None:
        return f"scaled to an offered load of {percentage(source.load)}"
    return f"{source.population:g} users per user"


def _pairs(found: ModeComparison) -> str:
    if found.replications > 1:
        return "replications" if found.source is None or found.source.shake is None else "shaken logs"
    if all(found.runs(mode) > 1 for mode in found.measures):
        return "draws"
    part = any(measured_named(*_window(found)))
    single = [mode for mode in found.measures if found.runs(mode) == 1]
    unpaired = [mode for mode in single if mode == "generative" or (part and mode != "open")]
    return "batches of the same jobs" + (f" ({', '.join(unpaired)}: Welch's)" if unpaired else "")
