"""Two logs in one picture: run times, estimates, sizes, interarrival times, the week, and the users."""

from collections.abc import Mapping

import numpy as np

from thinktime.analysis.pictures.style import PALETTE, Axes, Figure, plotting
from thinktime.analysis.pictures.waits import exceedance
from thinktime.analysis.trace.axes import PERCENT, durations_on_log, nothing, shares_on_log
from thinktime.analysis.trace.likeness import samples, user_shares, week_shares
from thinktime.analysis.trace.panels import WEEKDAYS, distribution, label_gaps
from thinktime.workloads.arrays import Floats
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK_HOURS

DASHES = ("solid", (0, (4, 1.5)))


def comparison_sheet(logs: Mapping[str, Trace]) -> Figure:
    """Six panels, each with a line per log (by name)."""
    with plotting(11.0, 6.6, 2, 3) as (picture, panels):
        values = {name: samples(trace) for name, trace in logs.items()}
        titles = {"run time": "Run times", "estimate": "Estimates", "processors": "Sizes"}
        for axes, (of, title) in zip(panels[0], titles.items(), strict=True):
            _distributions(axes, {name: each[of] for name, each in values.items()}, title, of)
        _gaps(panels[1, 0], {name: each["time between submissions"] for name, each in values.items()})
        _week(panels[1, 1], logs)
        _users(panels[1, 2], logs)
        shown = max((each.get_legend_handles_labels() for each in panels.flat), key=lambda h: len(h[0]))
        picture.legend(*shown, loc="outside lower center", ncols=2)
    return picture


def _lines(axes: Axes, logs: Mapping[str, tuple[Floats, Floats]], steps: bool = True) -> bool:
    """Draw a line per log that has any points; returns whether there was one."""
    drawn = False
    for place, (name, (x, y)) in enumerate(logs.items()):
        if len(x):
            shape = "steps-post" if steps else "default"
            colour = PALETTE[place % len(PALETTE)]
            axes.plot(x, y, drawstyle=shape, color=colour, linestyle=DASHES[place % 2], label=name)
            drawn = True
    return drawn


def _distributions(axes: Axes, values: Mapping[str, Floats], title: str, of: str) -> None:
    axes.set(title=title, xlabel=f"{of} x", ylabel="share of the jobs up to x")
    if not _lines(axes, {name: distribution(np.maximum(each, 1.0)) for name, each in values.items()}):
        nothing(axes, f"neither log has any {of}")
        return
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PERCENT)
    if of == "processors":
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.set_xscale("log")
        durations_on_log(axes)


def _gaps(axes: Axes, values: Mapping[str, Floats]) -> None:
    label_gaps(axes)
    positive = {name: each[each > 0] for name, each in values.items()}
    curves = {name: exceedance(values[name]) if len(each) else (each, each) for name, each in positive.items()}
    if not _lines(axes, curves):
        nothing(axes, "all jobs are submitted at one time")
        return
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(min(float(each.min()) for each in positive.values() if len(each)) * 0.8, None)
    shares_on_log(axes)
    durations_on_log(axes)


def _week(axes: Axes, logs: Mapping[str, Trace]) -> None:
    undated = [name for name, trace in logs.items() if trace.unix_start is None]
    title = "The week" + (" (no start date: from t = 0)" if undated else "")
    axes.set(title=title, xlabel="hour of the week, on each log's clock", ylabel="share of the jobs, per hour")
    hours = np.arange(WEEK_HOURS + 1.0)
    shares = {name: week_shares(trace) for name, trace in logs.items()}
    _lines(axes, {name: (hours, np.append(each, each[-1])) for name, each in shares.items()})
    axes.set_xlim(0, WEEK_HOURS)
    axes.set_xticks(range(0, WEEK_HOURS, 24), labels=WEEKDAYS)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:.2%}")


def _users(axes: Axes, logs: Mapping[str, Trace]) -> None:
    axes.set(title="Users, the busiest first", xlabel="user, by rank", ylabel="share of the jobs up to this user")
    shares = {name: np.cumsum(user_shares(trace)) for name, trace in logs.items()}
    curves = {name: (np.arange(1.0, len(each) + 1), each) for name, each in shares.items()}
    if not _lines(axes, curves, steps=False):
        nothing(axes, "neither log names users")
        return
    axes.set(xscale="log", ylim=(0, 1.02))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter(PERCENT)
