"""Pictures of a log: each function takes a `Trace` and returns a matplotlib `Figure`.

    save(trace_sheet(trace), "overview.png")

`trace_sheet` has all of them on one page. They show what was submitted; for schedules see
`thinktime.analysis.pictures`. The offered load can be drawn only if the header has the size of the machine, which
`trace.with_header(trace.header.set("MaxProcs", 128))` adds.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from thinktime.analysis.pictures.style import (
    PALETTE,
    STEPS,
    Axes,
    Figure,
    FigureBase,
    figure,
    save,
    show_linear,
    styled,
)
from thinktime.analysis.trace.axes import few_ticks
from thinktime.analysis.trace.panels import draw_arrivals, draw_gaps, draw_load, draw_runtimes, draw_sizes
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR, counted, in_one_unit

USERS = 30
"""The largest number of users in a picture."""

BINS = 120
"""The largest number of bins over time."""


class Activity(NamedTuple):
    """The users with the most jobs, their jobs and processor-hours, in total and per time bin."""

    users: Whole
    jobs: Whole
    hours: Floats
    edges: Floats
    counts: Whole
    everyone: int
    share: float
    """The share of all jobs that these users own."""


def activity(trace: Trace, at_most: int = USERS) -> Activity:
    """The activity of the busiest users; ties in the order of the users' numbers."""
    users, of_job, jobs = np.unique(trace.user, return_inverse=True, return_counts=True)
    work = np.nan_to_num(trace.runtime) * trace.processors / HOUR
    hours = np.asarray(np.bincount(of_job, weights=work), dtype=np.float64)
    order = np.argsort(-jobs, kind="stable")[:at_most]
    edges = _edges(float(trace.submit[0]), float(trace.submit[-1]))
    row = np.full(len(users), -1)
    row[order] = np.arange(len(order))
    rows = row[of_job]
    bins = np.clip(np.searchsorted(edges, trace.submit, side="right") - 1, 0, len(edges) - 2)
    shown = rows >= 0
    cells = np.bincount(rows[shown] * (len(edges) - 1) + bins[shown], minlength=len(order) * (len(edges) - 1))
    counts = cells.reshape(len(order), -1)
    share = float(jobs[order].sum() / len(trace))
    return Activity(users[order], jobs[order], hours[order], edges, counts, len(users), share)


def draw_users(part: FigureBase, trace: Trace) -> None:
    """Arrivals over time as a heat map with a row per user, beside the user's jobs and processor-hours."""
    seen = activity(trace)
    rows = np.arange(len(seen.users))
    strip, jobs, hours = panels = part.subplots(1, 3, sharey=True, width_ratios=(5, 1.1, 1.1))
    _draw_strip(part, list(panels), seen)
    for axes, values, title in ((jobs, seen.jobs, "jobs"), (hours, seen.hours, "processor-hours")):
        axes.barh(rows, values, height=0.72, color=PALETTE[0])
        axes.set_xlabel(title)
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", left=False)
        few_ticks(axes, float(values.max()))
    names = ["none" if user < 0 else str(user) for user in seen.users.tolist()]
    strip.set_yticks(rows, labels=names, fontsize="small")
    strip.set(ylim=(len(rows) - 0.5, -0.5), ylabel="user", title=_title(seen))


def rows_of(trace: Trace) -> int:
    """The number of rows in the picture."""
    return min(len(np.unique(trace.user)), USERS)


def _draw_strip(part: FigureBase, panels: list[Axes], seen: Activity) -> None:
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    strip = panels[0]
    heat = LinearSegmentedColormap.from_list("arrivals", ["#CFE3F1", PALETTE[0], "#001D33"])
    counts = np.ma.masked_equal(seen.counts, 0)
    top = max(int(seen.counts.max()), 10)
    rims = np.arange(len(seen.users) + 1) - 0.5
    mesh = strip.pcolormesh(seen.edges, rims, counts, cmap=heat, norm=LogNorm(1, top), rasterized=True)
    bar = part.colorbar(mesh, ax=panels, aspect=30, pad=0.01)
    bar.set_label(f"jobs in {in_one_unit(seen.edges[1] - seen.edges[0])}")
    bar.ax.yaxis.set_major_formatter("{x:,g}")
    bar.ax.minorticks_off()
    if top < 100:
        bar.set_ticks([tick for tick in (1, 2, 5, 10, 20, 50) if tick <= top])
    strip.grid(False)
    strip.set_xlim(seen.edges[0], seen.edges[-1])
    unit = show_linear(strip.xaxis, seen.edges[0], seen.edges[-1])
    strip.set_xlabel(f"time since the log's start ({unit})")


def _edges(first: float, last: float) -> Floats:
    """Even bins from the first submission, of a round width if possible."""
    span = last - first
    width = next((float(step) for step in STEPS if span / step < BINS), span / BINS)
    return first + width * np.arange(int(span // width) + 2.0)


def _title(seen: Activity) -> str:
    if seen.users.tolist() == [-1]:
        return "Arrivals over time (the log names no users)"
    if len(seen.users) < seen.everyone:
        return f"The {len(seen.users)} of {seen.everyone:,} users with the most jobs ({seen.share:.0%} of all)"
    return f"All {len(seen.users)} users, by jobs" if len(seen.users) > 1 else "The only user"


__all__ = [
    "arrivals_by_hour", "inter_arrival_times", "job_sizes", "offered_load", "panels", "run_times", "save",
    "trace_sheet", "user_activity",
]  # fmt: skip

Draw = Callable[["FigureBase", Trace], None]
"""A function that draws a panel into a figure or a part of the sheet."""

PAIRS: tuple[tuple[Draw, Draw], ...] = ((draw_arrivals, draw_gaps), (draw_runtimes, draw_sizes))
"""The rows of two panels on the sheet."""

ROW = 3.1
"""The height of these rows (inches)."""


def arrivals_by_hour(trace: Trace) -> Figure:
    """Jobs per hour by hour of day and by weekday, in the log's zone; the dashed line is the mean.

    Hours and weekdays that a short log does not cover have no bar. Without a start time, hours are counted from t = 0.
    """
    return _alone(draw_arrivals, trace)


def inter_arrival_times(trace: Trace) -> Figure:
    """The share of interarrival times above x, beside an exponential with the same mean.

    Both axes are logarithmic. Interarrival times of 0 are left of the axis, so the curve begins at the share of the
    others.
    """
    return _alone(draw_gaps, trace)


def run_times(trace: Trace) -> Figure:
    """The share of the run times up to x, and that of the requested times, on a logarithmic axis."""
    return _alone(draw_runtimes, trace)


def job_sizes(trace: Trace) -> Figure:
    """Jobs and processor-seconds by power-of-two class of width, each as a share of all."""
    return _alone(draw_sizes, trace)


def offered_load(trace: Trace) -> Figure:
    """The work submitted per day (short logs: hour, long logs: week) as a share of the machine."""
    return _alone(draw_load, trace)


def user_activity(trace: Trace) -> Figure:
    """The 30 users with the most jobs: their arrivals over time, their jobs and their processor-hours."""
    return _alone(draw_users, trace, _users_height(trace))


def panels(trace: Trace) -> dict[str, Callable[[Trace], Figure]]:
    """The pictures available for this trace, by name, in the order of the sheet."""
    load = {} if trace.machine_size is None else {"load": offered_load}
    return {
        "arrivals": arrivals_by_hour,
        "inter-arrival": inter_arrival_times,
        "run-times": run_times,
        "sizes": job_sizes,
        **load,
        "users": user_activity,
    }


def trace_sheet(trace: Trace) -> Figure:
    """All panels on one page, under a summary of the log."""
    _must_have_jobs(trace)
    wide: list[tuple[Draw, float]] = [(draw_users, _users_height(trace))]
    if trace.machine_size is not None:
        wide.insert(0, (draw_load, 2.6))
    heights = [ROW, ROW, *(height for _, height in wide)]
    with styled():
        picture = figure(11.0, sum(heights) + 0.4)
        picture.suptitle(_headline(trace), x=0.01, ha="left", fontweight="bold")
        rows = picture.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        for row, pair in zip(rows, PAIRS, strict=False):
            for part, draw in zip(row.subfigures(1, 2, wspace=0.04), pair, strict=True):
                draw(part, trace)
        for part, (draw, _) in zip(rows[2:], wide, strict=True):
            draw(part, trace)
    return picture


def _alone(draw: Draw, trace: Trace, height: float = 3.4) -> Figure:
    _must_have_jobs(trace)
    with styled():
        picture = figure(7.2, height)
        draw(picture, trace)
    return picture


def _must_have_jobs(trace: Trace) -> None:
    if not len(trace):
        raise ValueError("a picture of a trace needs at least one job, but this trace has none")


def _users_height(trace: Trace) -> float:
    return 1.2 + 0.17 * max(rows_of(trace), 6)


def _headline(trace: Trace) -> str:
    users = len(np.unique(trace.user[trace.user >= 0]))
    of = f" of {counted(users, 'user')}" if users else ""
    to = "" if trace.machine_size is None else f", to {trace.machine_size:,} processors"
    span = in_one_unit(float(trace.submit[-1] - trace.submit[0]))
    return f"{counted(len(trace), 'job')}{of}, submitted over {span}{to}"
