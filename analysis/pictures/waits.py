"""Waits by width of the job, the distribution of slowdowns, and how long jobs wait for their start (Kaplan and Meier).

The first two are over the jobs served. If users gave up jobs, the legend has the numbers.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from thinktime.analysis.pictures.style import GREY, Axes, Figure, Look, log_ticks, looks_of, plotting, show_log
from thinktime.analysis.pictures.utilization import named_results, under
from thinktime.analysis.response_times import Waits, waits
from thinktime.models.results import measures
from thinktime.models.results.outcome import abandonment, served
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.units import MINUTE, Duration, as_seconds, in_one_unit


def width_class(processors: npt.ArrayLike) -> Whole:
    """The power-of-two class of a width: 0 for 1 processor, 1 for 2, 2 for 3 and 4, 3 for 5 to 8."""
    classes: Whole = np.ceil(np.log2(np.asarray(processors))).astype(np.int64)
    return classes


def class_label(k: int, most: int | None = None) -> str:
    """The widths of a class, such as `5-8`, with an en dash; none is above `most`, the machine's size."""
    first = 2 ** (k - 1) + 1 if k else 1
    last = 2**k if most is None else max(min(2**k, most), first)
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def wait_by_width(results: Result | Mapping[str, Result]) -> Figure:
    """The waits of each class of widths: median (marker), middle half (thick line), mean (dash).

    The axis is linear up to one minute and logarithmic above, because many jobs do not wait at all. The number of jobs
    is below each class, if all results have the same.
    """
    named = named_results(results)
    waits = {name: _waits(result) for name, result in named.items()}
    classes = sorted(set().union(*(each.keys() for each in waits.values())))
    with plotting(7.2, 4.2) as (picture, axes):
        step = 0.7 / len(named)
        for at, (name, look) in enumerate(looks_of(named).items()):
            shift = (at - (len(named) - 1) / 2) * step
            _draw_waits(axes, waits[name], classes, shift, _counted(name, named[name]), look)
        most = max(result.processors for result in named.values())
        _label_waits(axes, waits, classes, most)
        axes.set_title(f"Wait by width of the job{under(named)}: median, middle half, mean (dash)")
        _legend(picture, axes, named)
    return picture


def slowdown_distribution(results: Result | Mapping[str, Result], threshold: Duration = 10.0) -> Figure:
    """The share of the jobs whose bounded slowdown exceeds x, with logarithmic axes to show the tail."""
    threshold = as_seconds("threshold", threshold)
    named = named_results(results)
    with plotting(7.2, 4.2) as (picture, axes):
        for name, look in looks_of(named).items():
            values, share = exceedance(measures.bounded_slowdown(named[name], threshold))
            label = _counted(name, named[name])
            axes.step(values, share, where="post", color=look.colour, linestyle=look.dashes, label=label)
        axes.set_title(f"Jobs slowed down more than x times{under(named)}, bounded at {threshold:g} s")
        _label_slowdowns(axes, threshold, max(len(result) for result in named.values()))
        _legend(picture, axes, named)
    return picture


def exceedance(values: Floats, points: int = 800) -> tuple[Floats, Floats]:
    """Sorted values, and the share of all values above each, thinned out evenly in its logarithm.

    NaN values are ignored. The largest value gets the share of a single value instead of 0, so that it is visible on a
    logarithmic axis.
    """
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return np.empty(0), np.empty(0)
    above = np.unique(np.geomspace(1, len(known), points).round().astype(np.int64))[::-1]
    positions = len(known) - above
    share = (len(known) - np.searchsorted(known, known[positions], side="right")) / len(known)
    shown = np.concatenate([known[:1], known[positions]])
    return shown, np.concatenate([[1.0], np.maximum(share, 1 / len(known))])


def _waits(result: Result) -> dict[int, Floats]:
    over = served(result)
    classes, waits = width_class(result["processors"][over]), measures.wait(result)[over]
    return {k: waits[classes == k] for k in np.unique(classes).tolist()}


def _draw_waits(
    axes: Axes, waits: Mapping[int, Floats], classes: list[int], shift: float, name: str, look: Look
) -> None:
    shown = [k for k in classes if k in waits]
    x = np.array([classes.index(k) + shift for k in shown])
    low, median, high = np.array([np.percentile(waits[k], [25, 50, 75]) for k in shown]).reshape(-1, 3).T
    mean = [waits[k].mean() for k in shown]
    axes.vlines(x, low, high, color=look.colour, linewidth=4, alpha=0.35)
    axes.plot(x, median, look.marker, color=look.colour, markersize=5, label=name, clip_on=False)
    axes.plot(x, mean, "_", color=look.colour, markersize=9, markeredgewidth=1.6, clip_on=False)


def _label_waits(axes: Axes, waits: Mapping[str, Mapping[int, Floats]], classes: list[int], most: int) -> None:
    axes.set_yscale("symlog", linthresh=MINUTE, linscale=0.4)
    top = max(axes.get_ylim()[1], 2 * MINUTE)
    show_log(axes.yaxis, [0.0, *log_ticks(MINUTE, top)])
    axes.set_xticks(range(len(classes)), labels=[_counted_label(k, waits, most) for k in classes])
    axes.set(xlim=(-0.5, max(len(classes), 1) - 0.5), ylim=(0, top))
    axes.grid(False, axis="x")
    axes.set(xlabel="processors of the job", ylabel="wait (linear up to 1 min)")


def _counted_label(k: int, waits: Mapping[str, Mapping[int, Floats]], most: int) -> str:
    counts = {len(each.get(k, ())) for each in waits.values()}
    label = class_label(k, most)
    return f"{label}\nn={counts.pop():,}" if len(counts) == 1 else label


def _label_slowdowns(axes: Axes, threshold: float, jobs: int) -> None:
    axes.set(xscale="log", yscale="log", xlim=(1, None), ylim=(0.8 / max(jobs, 1), 1.1))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.6g}%")
    axes.set(xlabel=f"bounded slowdown, threshold {threshold:g} s", ylabel="share of the served jobs above")


def _counted(name: str, result: Result) -> str:
    """A result's name, with the number of jobs served if users gave up any."""
    found = abandonment(result)
    if not found.abandoned:
        return name
    return f"{name} ({int(served(result).sum()):,} of {found.wanted:,} jobs served, {found.abandoned:,} given up)"


def _legend(picture: Figure, axes: Axes, named: Mapping[str, Result]) -> None:
    handles, labels = axes.get_legend_handles_labels()
    counted = labels != list(named)
    if len(named) > 1 or counted:
        columns = 1 if counted else min(len(named), 5)
        picture.legend(handles, labels, loc="outside lower center", ncols=columns)


MOST_TICKS = 40
"""The largest number of censored observations marked on a curve, evenly among all."""


def wait_curves(results: Result | Mapping[str, Result]) -> Figure:
    """The share of jobs that wait longer than x for their start, by Kaplan and Meier.

    A curve ends at the last observation, with a fixed patience at the patience. Small vertical marks are censored
    observations: given up, or still waiting at the horizon. A curve crosses the 50 % line at the median wait. The
    legend has the numbers of jobs that started, were given up and still wait.
    """
    named = named_results(results)
    found = {name: waits(result) for name, result in named.items()}
    with plotting(7.2, 4.4) as (picture, axes):
        for name, look in looks_of(named).items():
            _draw(axes, found[name], look, _counts(name, found[name]))
        axes.set_title(f"Jobs that wait longer than x for their start{under(named)}")
        label_survival(axes, [each.elapsed for each in found.values()])
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return picture


def _draw(axes: Axes, found: Waits, look: Look, label: str) -> None:
    curve = found.kaplan_meier()
    times, share = np.concatenate([[0.0], curve.times]), np.concatenate([[1.0], curve.survival])
    axes.step(times, 100 * share, where="post", color=look.colour, linestyle=look.dashes, label=label)
    gone = np.unique(found.elapsed[~np.isin(found.elapsed, found.known)])
    shown = gone[np.unique(np.linspace(0, len(gone) - 1, min(len(gone), MOST_TICKS)).astype(int))]
    axes.plot(shown, 100 * curve.at(shown), "|", color=look.colour, markersize=7)


def _counts(name: str, found: Waits) -> str:
    others = ((found.abandoned, "given up"), (found.unfinished, "still waiting"))
    rest = "".join(f", {count:,} {what}" for count, what in others if count)
    median = found.kaplan_meier().median
    half = f"median {in_one_unit(median)}" if median == median else "median not reached"
    return f"{name}: {found.served:,} of {len(found):,} started{rest}; {half}"


def label_survival(axes: Axes, times: Sequence[Floats]) -> None:
    """Label the axes of survival curves of these observations (s)."""
    everything = np.concatenate([*times, [1.0]])
    low = max(float(np.min(everything, where=everything > 0, initial=np.inf)), 1.0)
    high = max(float(everything.max()), 10 * low)
    axes.set(xscale="log", xlim=(low * 0.8, high * 1.2), ylim=(0, 103))
    show_log(axes.xaxis, log_ticks(low * 0.8, high * 1.2))
    axes.set(xlabel="time since the submission (log scale)", ylabel="jobs that have not started (%)")
    axes.axhline(50, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
