"""The curves of a report: quantiles, how many still wait for their answer, and the run over time.

They are of the last point of the sweep, and there only if the scenario asked for them (`outputs.series`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from thinktime.analysis.experiments.comparisons import Comparisons, Point
from thinktime.analysis.experiments.measured_run import ELAPSED, LEVELS
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.pictures.style import Figure, log_ticks, looks_of, show_linear, show_log, styled
from thinktime.analysis.pictures.waits import label_survival
from thinktime.analysis.reports.drawing import ReportPicture, blank, legend
from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import MINUTE

Series = dict[str, list[float | None]]
"""The curves kept of one run (`Sweep.series`)."""
QUANTILES = (
    ("wait", "Waits, from the shortest to the longest", "wait (linear up to 1 min)"),
    ("bounded_slowdown_10", "Bounded slowdowns, from the smallest to the largest", "bounded slowdown (threshold 10 s)"),
)
"""The quantiles drawn: name, title, label of the axis."""


def curve_pictures(sweep: Sweep, comparisons: Comparisons) -> Iterator[ReportPicture]:
    """Quantiles and time series at the last point, if the sweep kept them."""
    keys = _keys(sweep, comparisons)
    if not keys:
        return
    place = max(number for number, _ in keys)
    where = f" at {comparisons.points[place].label}" if comparisons.parameters else ""
    policies = comparisons.policies
    series = {each: [sweep.series(key) for key in keys.get((place, each), [])] for each in policies}
    for name, title, label in QUANTILES:
        found = {policy: _averaged(each, name) for policy, each in series.items()}
        if any(len(values) for values in found.values()):
            drawn = _quantiles(comparisons, found, label, time=name == "wait")
            caption = f"Share of the jobs below, averaged over the replications{where}."
            yield ReportPicture(f"quantiles-{name.replace('_', '-')}", title, caption, drawn)
    yield from survival_picture(comparisons, series, place, where)
    first = {policy: each[0] for policy, each in series.items() if each and each[0].get("time")}
    if first:
        caption = f"Means over equal stretches of the first replication{where}; the machine starts empty."
        drawn = _over_time(comparisons, first)
        yield ReportPicture("over-time", "Utilization and queue over time", caption, drawn)


def survival_picture(
    comparisons: Comparisons, series: Mapping[str, list[Series]], place: int, where: str
) -> Iterator[ReportPicture]:
    """Kaplan-Meier curves of waits, if not all jobs were served."""
    found = {policy: _averaged(each, "waiting_jobs") for policy, each in series.items()}
    counts = {policy: comparisons.whole.get((place, policy)) for policy in found}
    told = {policy: each.jobs for policy, each in counts.items() if each is not None}
    nothing = not any(len(each) for each in found.values())
    if nothing or all(each.n == each.wanted for each in told.values()):
        return
    parts = [
        ", ".join([f"{policy} {each.n:,} of {each.wanted:,} served", *each.without_value])
        for policy, each in told.items()
    ]
    caption = (
        f"Share of the jobs that wait longer than x for their start: the Kaplan-Meier estimate, averaged over the "
        f"replications{where}. A curve ends where the estimate becomes unknown. In all runs: {'; '.join(parts)}."
    )
    yield ReportPicture("waiting-jobs", "Jobs that have not started", caption, _survival(comparisons, found))


def _averaged(runs: list[Series], name: str) -> Floats:
    """The mean of a curve over the runs that have it; NaN where one of them has no value."""
    having = [run[name] for run in runs if run.get(name)]
    return np.array(having, dtype=np.float64).mean(axis=0) if having else np.empty(0)


def _survival(comparisons: Comparisons, found: Mapping[str, Any]) -> Figure:
    times = np.array(ELAPSED)
    with styled():
        picture = blank(comparisons, 3.4)
        axes = picture.subplots()
        ends = []
        for policy, look in looks_of(comparisons.policies).items():
            curve = found[policy]
            if not len(curve):
                continue
            shown = ~np.isnan(curve)
            axes.plot(times[shown], 100 * curve[shown], color=look.colour, linestyle=look.dashes, label=policy)
            ends.append(times[shown & ((curve > 0) | (np.cumsum(curve == 0) == 1))])
        label_survival(axes, ends)
        legend(picture, axes, comparisons)
    return picture


def _keys(sweep: Sweep, comparisons: Comparisons) -> dict[tuple[int, str], list[str]]:
    """The keys of the finished runs of each point and policy, by seed."""
    labels = {point.label: place for place, point in enumerate(comparisons.points)}
    keys: dict[tuple[int, str], list[str]] = {}
    table = sweep.table[["key", "policy", *comparisons.parameters]]
    for key, policy, *values in table.itertuples(index=False):
        point = Point(dict(zip(comparisons.parameters, values, strict=True)))
        keys.setdefault((labels[point.label], policy), []).append(key)
    return keys


def _quantiles(comparisons: Comparisons, found: Mapping[str, Floats], label: str, time: bool) -> Figure:
    with styled():
        picture = blank(comparisons, 3.4)
        axes = picture.subplots()
        for policy, look in looks_of(comparisons.policies).items():
            axes.plot(
                100 * np.array(LEVELS if len(found[policy]) else ()), found[policy], color=look.colour,
                linestyle=look.dashes, marker=look.marker, markersize=3, label=policy,
            )  # fmt: skip
        axes.set(xlabel="share of the jobs below (%)", xlim=(0, 100))
        if time:
            axes.set_yscale("symlog", linthresh=MINUTE, linscale=0.4)
            top = max(axes.get_ylim()[1], 2 * MINUTE)
            show_log(axes.yaxis, [0.0, *log_ticks(MINUTE, top)])
            axes.set_ylim(0, top)
        else:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.set_ylim(bottom=1)
        axes.set_ylabel(label)
        legend(picture, axes, comparisons)
    return picture


def _over_time(comparisons: Comparisons, runs: Mapping[str, Mapping[str, list[Any]]]) -> Figure:
    with styled():
        picture = blank(comparisons, 4.6)
        panels = picture.subplots(2, 1, sharex=True)
        last = 0.0
        for policy, look in looks_of(comparisons.policies).items():
            if policy not in runs:
                continue
            run = runs[policy]
            for panel, name, scale in ((panels[0], "utilization", 100), (panels[1], "queued_processors", 1)):
                values = np.array(run[name], dtype=np.float64) * scale
                panel.stairs(values, run["time"], color=look.colour, linestyle=look.dashes, label=policy, baseline=None)
            last = max(last, float(run["time"][-1]))
        panels[0].set(ylabel="utilization (%)", ylim=(0, 103))
        panels[1].set_ylabel("queued processors")
        panels[1].set_ylim(bottom=0)
        panels[1].set_xlabel(f"time ({show_linear(panels[1].xaxis, 0.0, last)})")
        legend(picture, panels[0], comparisons)
    return picture
