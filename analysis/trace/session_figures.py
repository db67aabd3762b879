"""Sessions of a log in pictures: think times and response times, lengths, batches, the day and the week."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.analysis.diagnosis.diagnose import Diagnosis
from thinktime.analysis.diagnosis.figures import draw_around_end, draw_gains
from thinktime.analysis.pictures.style import PALETTE, Axes, Figure, FigureBase, figure, log_ticks, show_log, styled
from thinktime.analysis.trace.axes import PERCENT, durations_on_log, nothing
from thinktime.analysis.trace.panels import distribution, draw_arrivals
from thinktime.analysis.trace.session_report import SessionReport
from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import in_one_unit

Draw = Callable[["FigureBase", SessionReport], None]


def session_sheet(found: SessionReport, diagnosis: Diagnosis | None = None) -> Figure:
    """All panels on one page; those of a diagnosis come last."""
    rows: list[tuple[Draw, ...]] = [
        (draw_think_times, draw_think_over_response),
        (draw_lengths, draw_continuation),
        (draw_counts, lambda part, found: draw_arrivals(part, found.trace)),
    ]
    if diagnosis is not None:
        rows.append((lambda part, _: draw_around_end(part, diagnosis), lambda part, _: draw_gains(part, diagnosis)))
    sessions = found.sessions
    title = (
        f"{len(sessions.sessions):,} sessions and {len(sessions.batches):,} batches of {found.users:,} users "
        f"(delimitation: {sessions.delimitation}, {in_one_unit(sessions.threshold)})"
    )
    with styled():
        picture = figure(11.0, 3.2 * len(rows))
        picture.suptitle(title, x=0.01, ha="left", fontweight="bold")
        parts = picture.subfigures(len(rows), 1, squeeze=False)[:, 0]
        for part, row in zip(parts, rows, strict=True):
            for side, draw in zip(part.subfigures(1, 2, wspace=0.04), row, strict=True):
                draw(side, found)
    return picture


def draw_think_times(part: FigureBase, found: SessionReport) -> None:
    """The share of think times up to x, all and within sessions, with the best fits."""
    axes = part.subplots()
    axes.set_title(f"Think times between batches ({found.overlaps:.0%} are negative: overlaps)")
    samples = {
        "all": ("think_time", found.think_times()),
        "within sessions": ("think_time_within_sessions", found.think_times(within=True)),
    }
    _distributions(axes, found, samples, "think time x", "share of the positive ones up to x")


def draw_lengths(part: FigureBase, found: SessionReport) -> None:
    """The share of session lengths up to x, with the best fit."""
    axes = part.subplots()
    axes.set_title("Session lengths (first submission to last end)")
    samples = {"sessions": ("session_length", found.session_lengths)}
    _distributions(axes, found, samples, "length x", "share up to x")


def draw_think_over_response(part: FigureBase, found: SessionReport) -> None:
    """Think time over the response time of the previous batch: pairs, class means and medians, and the fit."""
    axes = part.subplots()
    line = found.line
    if line is None:
        nothing(axes, "too few pairs of think and response times")
        return
    response, think = found.sessions.response_before, found.sessions.think_time
    chosen = (think > 0) & (think <= line.most) & (response > 0) & (response <= line.most)
    axes.hexbin(
        response[chosen], think[chosen], gridsize=38, xscale="log", yscale="log", mincnt=1, bins="log",
        cmap="Greys", linewidths=0,
    )  # fmt: skip
    known = np.isfinite(line.medians)
    for values, name, marker, colour in ((line.medians, "median", "o-", 0), (line.means, "mean", "s-", 2)):
        style: dict[str, Any] = {"color": PALETTE[colour], "markersize": 4, "label": f"{name} of class"}
        axes.plot(line.centres[known], values[known], marker, **style)
    x = np.geomspace(max(response[chosen].min(), 1.0), line.most, 100)
    label = f"{line.slope:.3f} R + {line.intercept:,.0f} s (R² {line.r_squared:.2f})"
    axes.plot(x, line.slope * x + line.intercept, color=PALETTE[1], linestyle="dashed", label=label)
    axes.set_ylim(bottom=max(think[chosen].min(), 1.0))
    durations_on_log(axes)
    show_log(axes.yaxis, log_ticks(*axes.get_ylim()))
    axes.set_title(f"Think time over response time (both up to {in_one_unit(line.most)})")
    axes.set(xlabel="response time of the batch before, R", ylabel="think time")
    axes.legend(loc="lower left", fontsize="small")


def draw_continuation(part: FigureBase, found: SessionReport) -> None:
    """How often a user continues after a response time, with the fitted curve."""
    axes = part.subplots()
    goes_on = found.goes_on
    axes.plot(goes_on.centres, goes_on.shares, "o", color=PALETTE[0], label="log")
    if goes_on.level == goes_on.level:
        r = np.geomspace(goes_on.centres[0], goes_on.centres[-1], 200)
        label = f"{goes_on.level:.2f} / ({goes_on.decay:.3f} R + 1), R in min"
        curve = goes_on.level / (goes_on.decay * r / 60 + 1)
        axes.plot(r, curve, color=PALETTE[1], linestyle="dashed", label=label)
    axes.set(xscale="log", ylim=(0, 1))
    axes.yaxis.set_major_formatter(PERCENT)
    durations_on_log(axes)
    axes.set_title("Users who go on: next batch within 20 min of the end")
    axes.set(xlabel="response time of the batch, R", ylabel="share")
    axes.legend(loc="best", fontsize="small")


def draw_counts(part: FigureBase, found: SessionReport) -> None:
    """Jobs per batch and batches per session: the share with x or more."""
    axes = part.subplots()
    named = {"jobs per batch": found.sessions.batches.jobs, "batches per session": found.sessions.batches_per_session}
    for (name, counts), colour in zip(named.items(), PALETTE, strict=False):
        if not len(counts):
            continue
        at = np.unique(counts)
        above = 1 - np.searchsorted(np.sort(counts), at, side="left") / len(counts)
        axes.step(at, above, where="post", color=colour, label=f"{name}: mean {counts.mean():.2f}")
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.6g}%")
    axes.set(title="Sizes of batches and sessions", xlabel="number x", ylabel="share with x or more")
    axes.legend(loc="best", fontsize="small")


def _distributions(
    axes: Axes, found: SessionReport, samples: dict[str, tuple[str, Floats]], xlabel: str, ylabel: str
) -> None:
    positive = [values[values > 0] for _, values in samples.values()]
    everything = np.concatenate(positive)
    if not len(everything):
        nothing(axes, "none is above 0")
        return
    low, high = max(float(everything.min()), 0.5), float(everything.max()) * 1.2
    x = np.geomspace(low, max(high, 2 * low), 300)
    for (name, (key, _)), values, colour in zip(samples.items(), positive, PALETTE, strict=False):
        if not len(values):
            continue
        label = f"{name}: median {in_one_unit(float(np.median(values)))}"
        axes.step(*distribution(values), where="post", color=colour, label=label)
        for best in found.fits[key][:1]:
            fitted: dict[str, Any] = {"linestyle": "dashed", "label": f"  {best.name}, D = {best.ks:.3f}"}
            axes.plot(x, best.distribution.cdf(x), color=colour, linewidth=1.0, **fitted)
    axes.set(xscale="log", xlim=(low, max(high, 2 * low)), ylim=(0, 1.02), xlabel=xlabel, ylabel=ylabel)
    axes.yaxis.set_major_formatter(PERCENT)
    durations_on_log(axes)
    axes.legend(loc="best", fontsize="small")
