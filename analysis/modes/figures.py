"""Pictures of policies in several modes side by side."""

import numpy as np

from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.rankings import SCORE
from thinktime.analysis.pictures.style import Axes, Figure, Look, looks_of, plotting
from thinktime.analysis.statistics import mean

THROUGHPUT = "throughput_per_day"
STEP = 0.07
"""The distance of two policies of one mode; that of two modes is 1."""


def slowdown_by_mode(found: ModeComparison, log: str = "") -> Figure:
    """The mean bounded slowdown and the throughput of each policy in each mode.

    Lines that cross are policies that change places. Bars are 95 % intervals over replications or, for the slowdown of
    a single run, by batch means; the throughput of a single run has none. ``log`` is the log's name for the title.
    """
    modes = list(found.measures)
    policies = list(found.measures[modes[0]])
    with plotting(6.2 + 1.2 * len(modes), 4.2, 1, 2) as (picture, (left, right)):
        step = min(STEP, 0.6 / len(policies))
        shifts = step * (np.arange(len(policies)) - (len(policies) - 1) / 2)
        for (policy, look), shift in zip(looks_of(policies).items(), shifts, strict=True):
            for axes, name in ((left, SCORE), (right, THROUGHPUT)):
                _line(axes, found, policy, name, look, float(shift))
        left.set_yscale("log")
        left.yaxis.set_major_formatter("{x:,g}")
        left.set_title("Mean bounded slowdown (10 s)")
        right.set(title="Finished jobs a day", ylim=(0, 1.05 * right.get_ylim()[1]))
        for axes in (left, right):
            axes.set_xticks(range(len(modes)), labels=modes)
            axes.set_xlim(-0.5, len(modes) - 0.5)
            axes.grid(False, axis="x")
        picture.suptitle("\n".join(_titles(found, log)), x=0.01, ha="left")
        picture.legend(*left.get_legend_handles_labels(), loc="outside right upper")
    return picture


def _line(axes: Axes, found: ModeComparison, policy: str, name: str, look: Look, shift: float) -> None:
    modes = list(found.measures)
    means = [found.mean(mode, policy, name) for mode in modes]
    halves = [_half(found, mode, policy, name) for mode in modes]
    axes.errorbar(
        np.arange(len(modes)) + shift, means, yerr=halves, color=look.colour, linestyle=look.dashes,
        marker=look.marker, markersize=4, capsize=2, elinewidth=0.9, label=policy,
    )  # fmt: skip


def _half(found: ModeComparison, mode: str, policy: str, name: str) -> float:
    """The half width of a mean's interval; NaN (no bar) if there is none."""
    if found.runs(mode) > 1:
        return mean(found.values(mode, policy, name)).half
    low, high, _ = found.measures[mode][policy][0].slowdown_interval
    return (high - low) / 2 if name == SCORE else np.nan


def _titles(found: ModeComparison, log: str) -> list[str]:
    """Title lines: what was run, and what the bars are."""
    runs = {found.runs(mode) for mode in found.measures}
    if len(runs) == 1 and max(runs) > 1:
        bars = f"bars: 95 % t-intervals over {max(runs)} draws of users"
    elif max(runs) > 1:
        bars = "bars: 95 % intervals over draws of users, or by batch means (slowdown only)"
    else:
        bars = "bars: 95 % intervals by batch means (slowdown only)"
    source, drawn = found.source, ""
    if source is not None and source.load is not None:
        drawn = f", offered load {source.load:g}"
    elif source is not None and source.population is not None:
        drawn = f", {source.population:g} users per user"
    what = f"{found.jobs:,} jobs on {found.processors:,} processors{drawn}"
    return [f"{log}: {what}" if log else what, bars]
