"""The results of a replay as one JSON object or one table."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rich.console import Console
from rich.table import Table

from thinktime.cli.inputs import reasons
from thinktime.cli.layout import counted, duration, number, percentage, titled
from thinktime.cli.policy_runs import PolicyRun
from thinktime.cli.workload import Workload
from thinktime.models.results.result import Result
from thinktime.models.results.service import OF_CHANGES, goodput, interruptions
from thinktime.models.results.windowed import Windowed

FROM_SUMMARY = (
    "mean_wait", "median_wait", "p95_wait", "p99_wait", "max_wait", "mean_response_time",
    "mean_bounded_slowdown_10", "mean_bounded_slowdown_60", "utilization", "loss_of_capacity", "makespan",
    "killed", "finished", "served", "abandoned_jobs", "abandoned_share", "lost_processor_hours",
)  # fmt: skip
"""The numbers of each policy's summary in the JSON object, under the same names; more if the machine changes."""


COLUMNS = (*("wait\nmean", "\nmedian", "\n95 %", "\nmax"), *("slow-\ndown", "utili-\nzation", "cap.\nlost", "killed"))
"""The columns of the table, after the policy."""

CHANGING = ("good-\nput", "inter-\nrupted")
"""Further columns, if the machine changes under some policy."""

LEGEND = "slowdown: mean of the bounded slowdown (10 s); cap. lost: loss of capacity"
LEGEND_OF_CHANGES = "goodput: share of the machine that did work of jobs that finished; interrupted: runs broken off"


def as_json(workload: Workload, runs: Sequence[PolicyRun]) -> dict[str, Any]:
    """The object that `--json` prints; times in s, None for missing values."""
    return {
        "trace": workload.path,
        "processors": workload.processors,
        "jobs": len(workload.trace),
        "dropped": dict(workload.report.dropped),
        **workload.site_named,
        **workload.changes_named,
        **measured_named(*runs[0].window),
        "policies": [_policy(run) for run in runs],
    }


def measured_named(first: float | None, last: float | None) -> dict[str, float | None]:
    """The window that is measured (s), as entries of JSON objects; empty if everything is."""
    sides = {"measure_from": first, "measure_to": last}
    bounds = {name: side if side is not None and isfinite(side) else None for name, side in sides.items()}
    return bounds if any(side is not None for side in bounds.values()) else {}


def measured_text(first: float | None, last: float | None) -> str:
    """The same as a condition before others."""
    bounds = measured_named(first, last).items()
    sides = [f"{word} {number(side)} s" for word, (_, side) in zip(("from", "to"), bounds, strict=False) if side]
    return f"measured {' '.join(sides)}; " if sides else ""


def _policy(run: PolicyRun) -> dict[str, Any]:
    summary = run.summary().to_dict()
    speed = {"simulation_seconds": run.result.simulation_seconds, "jobs_per_second": run.jobs_per_second}
    names = [name for name in (*FROM_SUMMARY, *OF_CHANGES) if name in summary]
    return {"policy": run.spec} | {name: summary[name] for name in names} | speed


def print_table(workload: Workload, runs: Sequence[PolicyRun], console: Console) -> None:
    """Print the policies side by side, followed by the conditions that hold for all of them."""
    console.print(comparison(runs))
    lines = [*variants(runs), *never_started(runs), *given_up(runs), *out_of_time(workload, runs)]
    for line in [_conditions(workload, runs), *lines]:
        console.print(line)


def comparison(runs: Sequence[PolicyRun], finished: bool = False) -> Table:
    """One row per policy; `finished` adds the finished jobs, for jobs that depend on the policy."""
    changing = _changing(runs)
    table = titled("", "policy", *COLUMNS, *(CHANGING if changing else ()), *(["finished"] if finished else []))
    for run in runs:
        summary = run.summary().to_dict()
        further = _of_changes(run.part) if changing else []
        table.add_row(run.spec, *_row(summary), *further, *([number(summary["finished"])] if finished else []))
    return table


def variants(runs: Sequence[PolicyRun]) -> list[str]:
    """The exact variant of each policy, and the notes of the runs."""
    exact = [f"{run.spec} is {run.result.policy}." for run in runs if run.spec != run.result.policy]
    notes = [note for run in runs for note in run.result.notes]
    return list(dict.fromkeys([*exact, *notes]))


def never_started(runs: Sequence[PolicyRun]) -> list[str]:
    """How many jobs never started, for each policy with such jobs; its notes have the reasons."""
    from thinktime.models.state import State

    lines: dict[str, None] = {}
    for run in runs:
        state = run.result["state"]
        if left := int((state == State.WAITING).sum()):
            running = "; others still ran when it ended" if (state == State.RUNNING).any() else ""
            lines[f"{counted(left, 'job')} never started under {run.spec}{running}."] = None
    return list(lines)


def given_up(runs: Sequence[PolicyRun]) -> list[str]:
    """What users gave up under each policy, and how many jobs were served; empty if nothing was given up."""
    lines = []
    for run in runs:
        summary = run.summary()
        if summary["abandoned_jobs"]:
            lines.append(
                f"Under {run.spec} users gave up {counted(int(summary['abandoned_jobs']), 'job')} "
                f"({percentage(summary['abandoned_share'])} of those they wanted, "
                f"{number(summary['lost_processor_hours'])} processor-hours); waits and slowdowns are of the "
                f"{number(summary['served'])} that were served."
            )
    return lines


def out_of_time(workload: Workload, runs: Sequence[PolicyRun]) -> list[str]:
    """A sentence if no window and no outage is in the time of any run, so that they had no effect."""
    if workload.changes is None:
        return []
    begins = [each.start for each in workload.changes.windows]
    begins += [] if workload.changes.outages is None else workload.changes.outages.start.tolist()
    ends = [run.result["end"] for run in runs]
    last = max((float(end[end == end].max(initial=0.0)) for end in ends), default=0.0)
    if not begins or min(begins) < last:
        return []
    return [f"All windows and outages begin after the last job has ended, {duration(last)} after the log's start."]


def _changing(runs: Sequence[PolicyRun]) -> bool:
    """Whether jobs may be interrupted under some policy."""
    return any(run.result.history is not None for run in runs)


def _of_changes(part: Windowed[Result]) -> list[str]:
    useful, broken = (measure(part.result, part.between) for measure in (goodput, interruptions))
    return [percentage(None if useful != useful else useful), number(broken)]


def _row(summary: Mapping[str, float | None]) -> list[str]:
    waits = [duration(summary[f"{each}_wait"]) for each in ("mean", "median", "p95", "max")]
    slowdown = number(summary["mean_bounded_slowdown_10"], 1)
    shares = [percentage(summary[name]) for name in ("utilization", "loss_of_capacity")]
    return [*waits, slowdown, *shares, number(summary["killed"])]


def _conditions(workload: Workload, runs: Sequence[PolicyRun]) -> str:
    dropped = workload.report.dropped
    legend = f"{LEGEND}; {LEGEND_OF_CHANGES}" if _changing(runs) else LEGEND
    log = " of the whole log" if workload.part else ""
    left_out = f"{number(sum(dropped.values()))} dropped{log} ({reasons(dropped)})" if dropped else "none dropped"
    return (
        f"{counted(workload.processors, 'processor')}; {counted(len(workload.trace), 'job')}, {left_out}; "
        f"overrun: {runs[0].result.overrun}; {measured_text(*runs[0].window)}{workload.changes_text}{legend}."
    )
