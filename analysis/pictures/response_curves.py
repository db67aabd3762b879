"""Response times with users who gave up: Kaplan-Meier curves."""

from collections.abc import Mapping, Sequence

import numpy as np

from thinktime.analysis.pictures.style import (
    GREY,
    Axes,
    Figure,
    Look,
    log_ticks,
    looks_of,
    plotting,
    show_log,
)
from thinktime.analysis.pictures.utilization import named_results, under
from thinktime.analysis.response_times import ResponseTimes, response_times
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import in_one_unit

MOST_TICKS = 40
"""The largest number of censored observations marked on a curve, evenly among all."""


def response_time_curves(results: Result | Mapping[str, Result], of: str = "campaigns") -> Figure:
    """The share of campaigns (or jobs) whose response time exceeds x, by Kaplan and Meier.

    A curve ends at the last observation. Small vertical marks are censored observations: given up, or unfinished at
    the horizon. A curve crosses the 50 % line at the median response time. The legend has the numbers of campaigns
    (or jobs) served, given up and unfinished.
    """
    named = named_results(results)
    found = {name: response_times(result, of) for name, result in named.items()}
    with plotting(7.2, 4.4) as (picture, axes):
        for name, look in looks_of(named).items():
            _draw(axes, found[name], look, _counted(name, found[name]))
        axes.set_title(f"{of.capitalize()} that wait longer than x for their answer{under(named)}")
        label_survival(axes, [each.elapsed for each in found.values()], of)
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return picture


def _draw(axes: Axes, found: ResponseTimes, look: Look, label: str) -> None:
    curve = found.kaplan_meier()
    times, share = np.concatenate([[0.0], curve.times]), np.concatenate([[1.0], curve.survival])
    axes.step(times, 100 * share, where="post", color=look.colour, linestyle=look.dashes, label=label)
    gone = np.unique(found.elapsed[~np.isin(found.elapsed, found.known)])
    shown = gone[np.unique(np.linspace(0, len(gone) - 1, min(len(gone), MOST_TICKS)).astype(int))]
    axes.plot(shown, 100 * curve.at(shown), "|", color=look.colour, markersize=7)


def _counted(name: str, found: ResponseTimes) -> str:
    others = ((found.abandoned, "given up"), (found.unfinished, "unfinished"))
    rest = "".join(f", {count:,} {what}" for count, what in others if count)
    median = found.kaplan_meier().median
    half = f"median {in_one_unit(median)}" if median == median else "median not reached"
    return f"{name}: {found.served:,} of {len(found):,} served{rest}; {half}"


def label_survival(axes: Axes, times: Sequence[Floats], of: str) -> None:
    """Label the axes of survival curves of these observations (s)."""
    everything = np.concatenate([*times, [1.0]])
    low = max(float(np.min(everything, where=everything > 0, initial=np.inf)), 1.0)
    high = max(float(everything.max()), 10 * low)
    axes.set(xscale="log", xlim=(low * 0.8, high * 1.2), ylim=(0, 103))
    show_log(axes.xaxis, log_ticks(low * 0.8, high * 1.2))
    axes.set(xlabel="time since the submission (log scale)", ylabel=f"{of} without an answer yet (%)")
    axes.axhline(50, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
