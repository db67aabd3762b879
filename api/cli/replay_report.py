"""What is told of a replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from rich.table import Table

from thinktime.cli.inputs import reasons
from thinktime.cli.layout import counted, duration, number, percentage, titled
from thinktime.cli.policy_runs import PolicyRun
from thinktime.cli.workload import Workload
from thinktime.models.results.metric import FRACTION, METRICS, SECONDS, Metric

if TYPE_CHECKING:
    from thinktime.analysis.chaos import Chaos
    from thinktime.analysis.report import Report


def report(workload: Workload, runs: Sequence[PolicyRun], shaken: Chaos | None = None) -> Report:
    """The policies side by side, the conditions that hold for all of them, and what becomes of shaken logs."""
    from thinktime.analysis.report import Report
    from thinktime.cli import chaos_report

    def page() -> Iterator[Table | str]:
        yield comparison(runs)
        yield _conditions(workload, runs)
        yield from variants(runs)
        yield from never_started(runs)
        yield from given_up(runs)
        yield from out_of_time(workload, runs)
        if shaken is not None:
            yield from chaos_report.page(shaken)

    def values() -> dict[str, Any]:
        return _values(workload, runs) | ({} if shaken is None else {"shaken": chaos_report.values(shaken)})

    return Report(page, values)


def _values(workload: Workload, runs: Sequence[PolicyRun]) -> dict[str, Any]:
    """Times in s, None for missing values."""
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
    told = [each.name for each in METRICS.of_summary(_has([run])) if each.told]
    return {"policy": run.spec} | {name: summary[name] for name in told} | speed


def comparison(runs: Sequence[PolicyRun], finished: bool = False) -> Table:
    """One row per policy; `finished` adds the finished jobs, for jobs that depend on the policy."""
    shown = _columns(runs) + ([METRICS.metrics["finished"]] if finished else [])
    table = titled("", "policy", *(each.heading or each.term for each in shown))
    for run in runs:
        summary = run.summary()
        values = (summary[each.name] if each.name in summary else each.of(run.part) for each in shown)
        table.add_row(run.spec, *map(_cell, shown, values))
    return table


def _columns(runs: Sequence[PolicyRun]) -> list[Metric]:
    """What the table has of each policy; more if the machine changes under some policy."""
    return [each for each in METRICS.of_summary(_has(runs)) if each.heading]


def legend(runs: Sequence[PolicyRun]) -> str:
    """What columns of the table mean that do not say it all."""
    return "; ".join(each.legend for each in _columns(runs) if each.legend)


def _cell(metric: Metric, value: float) -> str:
    known = None if isnan(value) else value
    if metric.unit == SECONDS:
        return duration(known)
    return percentage(known) if metric.unit == FRACTION else number(known, 0 if isinstance(value, int) else 1)


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


def _has(runs: Sequence[PolicyRun]) -> set[str]:
    """What the results have that some metrics need, under some policy."""
    return {each for run in runs for each in run.result.has}


def _conditions(workload: Workload, runs: Sequence[PolicyRun]) -> str:
    dropped = workload.report.dropped
    log = " of the whole log" if workload.part else ""
    left_out = f"{number(sum(dropped.values()))} dropped{log} ({reasons(dropped)})" if dropped else "none dropped"
    return (
        f"{counted(workload.processors, 'processor')}; {counted(len(workload.trace), 'job')}, {left_out}; "
        f"overrun: {runs[0].result.overrun}; {measured_text(*runs[0].window)}{workload.changes_text}{legend(runs)}."
    )
