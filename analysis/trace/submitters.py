"""The activity of users: one row per user, the busiest first."""

from typing import NamedTuple

import numpy as np

from thinktime.analysis.pictures.style import PALETTE, STEPS, Axes, FigureBase, show_linear
from thinktime.analysis.trace.axes import few_ticks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR, in_one_unit

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
        return (
            f"The {len(seen.users)} of {seen.everyone:,} users with the most jobs ({seen.share:.0%} of all)"
        )
    return f"All {len(seen.users)} users, by jobs" if len(seen.users) > 1 else "The only user"
