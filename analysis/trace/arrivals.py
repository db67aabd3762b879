"""When jobs are submitted: by hour and weekday, interarrival times, and the work that they offer over time."""

import datetime
from typing import NamedTuple

import numpy as np

from thinktime.analysis.pictures.style import GREY, PALETTE, Axes, FigureBase, show_linear
from thinktime.analysis.pictures.waits import exceedance
from thinktime.analysis.trace.axes import durations_on_log, nothing, shares_on_log
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK, in_one_unit
from thinktime.workloads.user_models.rhythm import WEEK_HOURS, local_seconds

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
BINS = {HOUR: "hour", DAY: "day", WEEK: "week"}
"""The widths of the bins of the offered load (s)."""


class Rates(NamedTuple):
    """Mean jobs per hour; NaN for an hour or a weekday that the log does not cover."""

    by_hour: Floats
    by_weekday: Floats
    mean: float


def arrival_rates(trace: Trace) -> Rates:
    """Submissions per covered hour, by hour of day and by weekday, in the log's zone.

    A log covers every hour from its first to its last submission. Without a start time, days are counted from t = 0.
    """
    hours = local_hours(trace)
    first, last = int(hours.min()), int(hours.max())
    jobs = np.bincount(hours % WEEK_HOURS, minlength=WEEK_HOURS).reshape(7, 24)
    weeks, rest = divmod(last - first + 1, WEEK_HOURS)
    covered = np.full((7, 24), weeks)
    covered.flat[(first + np.arange(rest)) % WEEK_HOURS] += 1
    with np.errstate(invalid="ignore"):
        by_hour, by_weekday = (jobs.sum(axis=k) / covered.sum(axis=k) for k in (0, 1))
    return Rates(by_hour, by_weekday, len(trace) / (last - first + 1))


def local_hours(trace: Trace) -> Whole:
    """The hour of each submission in local time, counted from midnight before a Monday."""
    hours: Whole = np.floor(local_seconds(trace, trace.submit) / HOUR).astype(np.int64)
    return hours


def draw_arrivals(part: FigureBase, trace: Trace) -> None:
    """Bars by hour of day and by weekday, with one axis of jobs per hour, and the mean."""
    rates = arrival_rates(trace)
    by_hour, by_weekday = part.subplots(1, 2, sharey=True, width_ratios=(24, 11))
    by_hour.bar(np.arange(24) + 0.5, rates.by_hour, width=0.82, color=PALETTE[0])
    by_weekday.bar(range(7), rates.by_weekday, width=0.7, color=PALETTE[0])
    for axes in (by_hour, by_weekday):
        axes.axhline(rates.mean, color=PALETTE[1], linestyle="dashed")
        axes.grid(False, axis="x")
    mean = f"{rates.mean:,.0f}" if rates.mean >= 1000 else f"{rates.mean:.3g}"
    counted = ", hours counted from t = 0" if trace.unix_start is None else ""
    by_hour.set(title=f"Arrivals: mean {mean} jobs per hour (dashed){counted}", ylabel="jobs per hour")
    by_hour.set(xlim=(0, 24), xticks=range(0, 25, 3))
    by_hour.yaxis.set_major_formatter("{x:,g}")
    by_weekday.set_xlim(-0.6, 6.6)
    by_weekday.tick_params(axis="y", left=False)
    if trace.unix_start is None:
        by_hour.set_xlabel("hour of day, from t = 0, no start time (h)")
        by_weekday.set_xlabel("day, t mod 7 d")
        by_weekday.set_xticks(range(7), labels=[str(day) for day in range(1, 8)])
    else:
        by_hour.set_xlabel(f"hour of day, {zone_name(trace)} (h)")
        by_weekday.set_xlabel("weekday")
        by_weekday.set_xticks(range(7), labels=WEEKDAYS, fontsize="small")


def zone_name(trace: Trace) -> str:
    """The log's zone as text, such as `time zone Europe/Paris`."""
    zone = trace.zone
    return str(zone) if isinstance(zone, datetime.timezone) else f"time zone {zone}"


def draw_gaps(part: FigureBase, trace: Trace) -> None:
    """The share of interarrival times longer than x, beside an exponential with the same mean."""
    axes = part.subplots()
    gaps = np.diff(trace.submit)
    label_gaps(axes)
    if not gaps.any():
        nothing(axes, "all jobs are submitted at one time")
        return
    mean, low, high = float(gaps.mean()), float(gaps[gaps > 0].min()), float(gaps.max())
    spread, at_once = (gaps.std() / mean) ** 2, (gaps == 0).mean()
    label = f"log: mean {in_one_unit(mean)}, CV² {spread:.3g},\n{100 * at_once:.2g}% at once"
    axes.step(*exceedance(gaps), where="post", color=PALETTE[0], label=label)
    x = np.geomspace(low / 2, max(high, mean * np.log(len(gaps) + 1)) * 2, 400)
    axes.plot(x, np.exp(-x / mean), color=PALETTE[1], linestyle="dashed", label="exponential, same mean")
    axes.set(xscale="log", yscale="log", xlim=(low * 0.8, high * 1.6), ylim=(0.6 / len(gaps), 1.3))
    shares_on_log(axes)
    durations_on_log(axes)
    axes.legend(loc="lower left", fontsize="small")


def label_gaps(axes: Axes) -> None:
    """The title and the names of the axes of a picture of interarrival times."""
    title = "Times between submissions"
    axes.set(title=title, xlabel="time between submissions x", ylabel="share longer than x")


def load_over_time(trace: Trace) -> tuple[Floats, Floats, int]:
    """Edges (s), the offered load between them as a fraction of the machine, and the width of a bin (s).

    Bins are days from the first to the last submission (weeks for more than 100 days, hours for less than 3 days). A
    remainder of less than half a bin is added to the last one, so the mean over time is the offered load of the log.
    """
    size = trace.machine_size
    if size is None:
        raise ValueError("the offered load needs the size of the machine, but the log's header has none")
    first, last = float(trace.submit[0]), float(trace.submit[-1])
    span = last - first
    width = WEEK if span > 100 * DAY else DAY if span >= 3 * DAY else HOUR
    edges = first + width * np.arange(max(round(span / width), 1) + 1.0)
    edges[-1] = last
    work = np.nan_to_num(trace.runtime) * trace.processors
    offered, _ = np.histogram(trace.submit, edges, weights=work)
    return edges, offered / np.maximum(np.diff(edges) * size, 1e-9), width


def draw_load(part: FigureBase, trace: Trace) -> None:
    """The load over time, its mean, and the line of a full machine."""
    axes = part.subplots()
    axes.set(title="Offered load", xlabel="time since the log's start", ylabel="share of the machine")
    if trace.submit[0] == trace.submit[-1]:
        nothing(axes, "all jobs are submitted at one time")
        return
    edges, load, width = load_over_time(trace)
    mean = float((load * np.diff(edges)).sum() / (edges[-1] - edges[0]))
    axes.stairs(load, edges, fill=True, color=PALETTE[0], alpha=0.3, linewidth=0)
    axes.stairs(load, edges, color=PALETTE[0], linewidth=0.9, baseline=None)
    axes.axhline(mean, color=PALETTE[1], linestyle="dashed")
    axes.axhline(1.0, color=GREY, linewidth=0.9)
    whole = f"{mean:.1%} of {trace.machine_size:,} processors"
    axes.set_title(f"Offered load by {BINS[width]}: {whole} on average (dashed)")
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0, max(float(load.max()), 1.0) * 1.05))
    axes.yaxis.set_major_formatter("{x:,.0%}")
    unit = show_linear(axes.xaxis, edges[0], edges[-1])
    axes.set_xlabel(f"time since the log's start ({unit})")
