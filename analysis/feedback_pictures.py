"""Modes side by side: what open-loop replay says of policies, and what users in the loop make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.analysis.feedback import Comparison
from thinktime.analysis.style import figure, looks_of, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def slowdown_by_mode(found: Comparison) -> Figure:
    """The mean bounded slowdown of each policy in each mode; lines that cross are policies that change places."""
    modes = list(found.measures)
    policies = list(found.measures[modes[0]])
    with styled():
        picture = figure(5.4 + 0.6 * len(modes), 4.0)
        axes = picture.subplots()
        for policy, look in looks_of(policies).items():
            means = [found.mean(mode, policy, "mean_bounded_slowdown_10") for mode in modes]
            halves = [_half(found, mode, policy) for mode in modes]
            axes.errorbar(
                range(len(modes)), means, yerr=halves, color=look.colour, linestyle=look.dashes,
                marker=look.marker, capsize=3, label=policy,
            )  # fmt: skip
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.set_xticks(range(len(modes)), labels=modes)
        axes.set_xlim(-0.4, len(modes) - 0.6)
        axes.grid(False, axis="x")
        axes.set_ylabel("mean bounded slowdown (10 s)")
        axes.set_title("The same policies, judged in several ways")
        picture.legend(loc="outside right upper")
    return picture


def _half(found: Comparison, mode: str, policy: str) -> float:
    if found.replications < 2:
        return 0.0
    from thinktime.analysis.statistics import mean

    half = mean(found.values(mode, policy)).half
    return 0.0 if np.isnan(half) else half
