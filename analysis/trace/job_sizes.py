"""The run times, estimates and widths of jobs."""

import numpy as np

from thinktime.analysis.pictures.style import PALETTE, Axes, FigureBase
from thinktime.analysis.pictures.waits import width_class
from thinktime.analysis.trace.axes import PERCENT, durations_on_log, nothing, scientific
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import in_one_unit

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
