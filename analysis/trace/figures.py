"""Pictures of a log: each function takes a `Trace` and returns a matplotlib `Figure`.

    save(trace_sheet(trace), "overview.png")

`trace_sheet` has all of them on one page. They show what was submitted; for schedules see
`thinktime.analysis.pictures`. The offered load can be drawn only if the header has the size of the machine, which
`trace.with_header(trace.header.set("MaxProcs", 128))` adds.
"""

from collections.abc import Callable

import numpy as np

from thinktime.analysis.pictures.style import Figure, FigureBase, figure, save, styled
from thinktime.analysis.trace.arrivals import draw_arrivals, draw_gaps, draw_load
from thinktime.analysis.trace.job_sizes import draw_runtimes, draw_sizes
from thinktime.analysis.trace.submitters import draw_users, rows_of
from thinktime.workloads import Trace
from thinktime.workloads.units import counted, in_one_unit

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
