"""What changes on a machine, in pictures over time: windows are hatched, and what is down is grey."""

from typing import Any

import numpy as np

from thinktime.analysis.pictures.style import BLACK, GREY, Axes
from thinktime.models.results.history import INTERRUPTIONS, size_of
from thinktime.models.results.placement import PlacedBlocks, known
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.changes.windows import Window

HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": GREY, "hatch": "////", "linewidth": 0.0}
DOWN: dict[str, Any] = {"facecolor": GREY, "edgecolor": GREY, "linewidth": 0.0}


def draw_on_processors(axes: Axes, result: Result, blocks: PlacedBlocks) -> list[Any]:
    """Draw outages where they are, windows from the top, and the ends of interrupted runs; entries of a legend.

    A window counts processors and has no particular ones. As jobs get the lowest ones that are idle, the picture shows
    those of windows at the top.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    if result.history is None or not known(result):
        return []
    down, runs = result.history.outages, result.history.runs
    left, right, low = down.start, np.minimum(down.end, result.now), down.index
    corners = np.stack([left, low, left, low + 1, right, low + 1, right, low], axis=1).reshape(-1, 4, 2)
    axes.add_collection(PolyCollection(list(corners), zorder=0.5, **DOWN))
    for window, top in _stacked(result.history.windows, result.processors):
        span = min(window.end, result.now) - window.start
        if span > 0:
            axes.bar(window.start, -size_of(window), span, top, align="edge", zorder=2.5, **HATCHED)
    first, last = axes.get_xlim()
    shown = np.flatnonzero((runs.start < last) & (runs.end > first))
    broken = runs.ended(*INTERRUPTIONS.values())[shown][blocks.row]
    low, high = blocks.low[broken], (blocks.low + blocks.height)[broken]
    axes.vlines(runs.end[shown][blocks.row[broken]], low, high, colors=BLACK, linewidth=1.8, zorder=3)
    ends = [Line2D([], [], color=BLACK, linewidth=1.8, label="interrupted")] if broken.any() else []
    return [*legend_entries(result), *ends]


def draw_shares(axes: Axes, result: Result, edges: Floats) -> list[Any]:
    """Draw the shares of the processors that are down, and of windows, from the top; entries of a legend."""
    if result.history is None:
        return []
    down = result.history.down(result.now).mean(edges) / result.processors
    aside = result.history.set_aside(result.now, for_all=True).mean(edges) / result.processors
    axes.stairs(np.ones(len(down)), edges, baseline=1 - down, fill=True, zorder=0.5, **DOWN)
    axes.stairs(1 - down, edges, baseline=np.maximum(1 - down - aside, 0), fill=True, zorder=0.6, **HATCHED)
    return legend_entries(result)


def legend_entries(result: Result) -> list[Any]:
    """The entries of a legend for windows and outages, where there were any."""
    from matplotlib.patches import Patch

    assert result.history is not None
    window = [Patch(**HATCHED, label="window")] if result.history.windows else []
    return [*window, *([Patch(**DOWN, label="down")] if len(result.history.outages) else [])]


def _stacked(windows: tuple[Window, ...], processors: int) -> list[tuple[Window, int]]:
    """Each window with the processor below which it is drawn: below those before it that are open at the same time."""
    found: list[tuple[Window, int]] = []
    for window in windows:
        beside = [pair for pair in found if pair[0].start < window.end and window.start < pair[0].end]
        found.append((window, min((top - size_of(each) for each, top in beside), default=processors)))
    return found
