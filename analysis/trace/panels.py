"""The panels of a trace sheet: arrivals, the offered load, run times, estimates and widths."""

import datetime
from typing import NamedTuple

import numpy as np

from thinktime.analysis.pictures.style import GREY, PALETTE, Axes, FigureBase, show_linear
from thinktime.analysis.pictures.waits import exceedance, width_class
from thinktime.analysis.trace.axes import PERCENT, durations_on_log, nothing, scientific, shares_on_log
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK, WEEK_HOURS, in_one_unit
from thinktime.workloads.user_models.rhythm import local_seconds

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


MANY_CLASSES = 10
"""With more classes than this, their names are vertical."""


def distribution(values: Floats, points: int = 800) -> tuple[Floats, Floats]:
    """Sorted values and the share of all values up to each, thinned out evenly; NaN is ignored."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return np.empty(0), np.empty(0)
    at = np.unique(np.linspace(0, len(known) - 1, points).round().astype(np.int64))
    return known[at], np.searchsorted(known, known[at], side="right") / len(known)


def draw_runtimes(part: FigureBase, trace: Trace) -> None:
    """The share of run times up to x, and of requested times if the log has any."""
    axes = part.subplots()
    asked = trace.requested_time[trace.requested_time > 0]
    named = {"run times": (trace.runtime[trace.runtime >= 0], "solid")}
    if len(asked):
        part_of = f" of {len(asked) / len(trace):.0%} of the jobs" if len(asked) < len(trace) else ""
        named[f"estimates{part_of}"] = (asked, "dashed")
    axes.set_title(f"Run times{' and estimates' if len(asked) else ' (the log has no estimates)'}")
    xlabel = "run time or estimate x" if len(asked) else "run time x"
    axes.set(xlabel=xlabel, ylabel="share of the jobs up to x", ylim=(0, 1.02))
    positive = np.concatenate([values[values > 0] for values, _ in named.values()])
    if not len(positive):
        nothing(axes, "no job has a run time above 0")
        return
    high = float(positive.max()) * 1.4
    low = min(float(positive.min()) * 0.7, high / 10)
    for (name, (values, dashes)), colour in zip(named.items(), PALETTE, strict=False):
        _draw_distribution(axes, values, low, high, name, dashes, colour)
    axes.set(xscale="log", xlim=(low, high))
    axes.yaxis.set_major_formatter(PERCENT)
    durations_on_log(axes)
    axes.legend(loc="best", fontsize="small")


def width_classes(trace: Trace) -> tuple[Whole, Floats, Floats, Floats]:
    """Power-of-two classes, each with its jobs, those of exactly that power, and its work (processor-seconds)."""
    shown = trace.processors > 0
    widths, runs = trace.processors[shown], np.nan_to_num(trace.runtime[shown])
    classes = width_class(widths)
    exact = 2**classes == widths
    count = int(classes.max(initial=0)) + 1

    def summed(weights: Floats) -> Floats:
        return np.asarray(np.bincount(classes, weights=weights, minlength=count), dtype=np.float64)

    jobs = summed(np.ones(len(widths)))
    return np.arange(count, dtype=np.int64), jobs, summed(exact.astype(np.float64)), summed(widths * runs)


def draw_sizes(part: FigureBase, trace: Trace) -> None:
    """Shares of the jobs and of the processor-seconds by class, with exact powers of two in a strong colour."""
    classes, jobs, exact, work = width_classes(trace)
    axes = part.subplots()
    total, seconds = max(jobs.sum(), 1), work.sum()
    width = 0.4
    axes.bar(classes - width / 2, jobs / total, width, color="#9CC7E2", label="other jobs")
    axes.bar(classes - width / 2, exact / total, width, color=PALETTE[0], label="jobs 2ᵏ wide")
    label = f"processor-seconds (of {scientific(seconds)})"
    axes.bar(classes + width / 2, work / max(seconds, 1e-9), width, color=PALETTE[1], label=label)
    axes.set(title="Sizes: jobs and work by width", ylabel="share of all")
    top = 1.28 * max(axes.get_ylim()[1] / 1.05, 0.05)  # leaves room for the legend
    axes.set_ylim(0, top)
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= min(top, 1)])
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("processors: 1, 2, 3\N{EN DASH}4, 5\N{EN DASH}8, … by the largest of each class")
    axes.set_xticks(classes, labels=[f"{2**k:,}" for k in classes.tolist()])
    if len(classes) > MANY_CLASSES:
        axes.tick_params(axis="x", labelrotation=90, labelsize="small")
    axes.grid(False, axis="x")
    axes.legend(loc="upper right", fontsize="small", ncols=3, columnspacing=1.0, handlelength=1.2)


def _draw_distribution(
    axes: Axes, values: Floats, low: float, high: float, name: str, dashes: str, colour: str
) -> None:
    x, share = distribution(values)
    x, share = np.concatenate([[low / 2], x, [high * 2]]), np.concatenate([[0.0], share, [1.0]])
    # Run times of 0 are left of the axis, so the curve begins at their share.
    share[0] = (values <= 0).mean()
    label = f"{name}, median {in_one_unit(float(np.median(values)))}"
    axes.step(np.maximum(x, low / 2), share, where="post", color=colour, linestyle=dashes, label=label)
