"""Where the jobs of two results differ, by load and slowdown (`thinktime.analysis.load_heatmap`)."""

from collections.abc import Mapping
from textwrap import fill

import numpy as np

from thinktime.analysis.load_heatmap import LOADS, SLOWDOWNS, LoadHeatmap
from thinktime.analysis.pictures import style
from thinktime.models.results.result import Result

LEAST = 0.05
"""Differences below this (percentage points) are drawn in proportion, larger ones by their logarithm."""


def difference_heatmap(results: Mapping[str, Result | LoadHeatmap]) -> style.Figure:
    """A panel for each result but the first: where it has more of its jobs than the first one, and where fewer.

    Shares of the jobs that were served are in percentage points; a cell has the colour of the policy that has more
    jobs there. ``ValueError`` for fewer than two results.
    """
    if len(results) < 2:
        raise ValueError("a difference is between two results, by name")
    first, *others = results
    maps = {name: each if isinstance(each, LoadHeatmap) else LoadHeatmap.of(each) for name, each in results.items()}
    gaps = {name: 100 * (maps[name] - maps[first]) for name in others}
    most = max(max(float(abs(gap).max()) for gap in gaps.values()), 2 * LEAST)
    used = sum(each.shares.sum(axis=1) for each in maps.values()) > 0
    top = int(np.flatnonzero(used).max(initial=0)) + 1
    width = 1.6 + 3.2 * len(others)
    with style.plotting(width, 4.2, 1, len(others), sharey=True, squeeze=False) as (picture, panels):
        looks = style.looks_of(results)
        for axes, name in zip(panels[0], others, strict=True):
            colours = looks[first].colour, looks[name].colour
            _draw(picture, axes, gaps[name][:top], most, colours)
            axes.set_title(fill(f"{name} less {first}", 40))
            axes.set_xlabel("load at the submission (%)")
        panels[0][0].set_ylabel("bounded slowdown (10 s)")
    return picture


def _draw(picture: style.Figure, axes: style.Axes, gap: np.ndarray, most: float, colours: tuple[str, str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap, SymLogNorm

    before, after = colours
    shades = LinearSegmentedColormap.from_list("difference", [before, "#FFFFFF", after])
    scale = SymLogNorm(linthresh=LEAST, vmin=-most, vmax=most)
    axes.grid(False)
    drawn = axes.pcolormesh(100 * LOADS, SLOWDOWNS[: len(gap) + 1], gap, cmap=shades, norm=scale)
    axes.set_yscale("log")
    bar = picture.colorbar(drawn, ax=axes, label="difference (percentage points of the jobs)")
    ticks = [step for step in (LEAST, 0.5, 5.0, 50.0) if step <= most]
    bar.minorticks_off()
    bar.set_ticks([*(-step for step in reversed(ticks)), 0.0, *ticks])
    bar.set_ticklabels([f"{tick:+g}" if tick else "0" for tick in bar.get_ticks()])
