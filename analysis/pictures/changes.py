"""What changes on a machine, in pictures over time: windows hatched, reservations dotted, and what is down in grey."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from thinktime.analysis.pictures.style import BLACK, GREY, Axes
from thinktime.models.results.history import INTERRUPTIONS, History
from thinktime.models.results.placement import PlacedBlocks
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.changes.windows import Window

CLOSED: dict[str, Any] = {"facecolor": "none", "edgecolor": GREY, "hatch": "////", "linewidth": 0.0}
RESERVED: dict[str, Any] = CLOSED | {"hatch": "...."}
DOWN: dict[str, Any] = {"facecolor": GREY, "edgecolor": GREY, "linewidth": 0.0}
BROKEN: dict[str, Any] = {"linewidth": 1.8}
RESIZED: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (2, 1.5))}


def draw_on_processors(axes: Axes, result: Result, blocks: PlacedBlocks) -> list[Any]:
    """Draw outages where they are, windows from the top, and interruptions and resizes of runs; entries of a legend.

    On a pool, a window counts processors and has no particular ones, as the legend says. As jobs get the lowest ones
    that are idle, the picture shows those of windows at the top.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    history = result.history
    if history is None:
        return []
    down, runs = history.outages, history.runs
    (base, size), left, right = history.extent(down.index), down.start, np.minimum(down.end, result.now)
    corners = np.stack([left, base, left, base + size, right, base + size, right, base], axis=1).reshape(-1, 4, 2)
    axes.add_collection(PolyCollection(list(corners), zorder=0.5, **DOWN))
    first, last = axes.get_xlim()
    drawn = []
    for window, lowest, height in placed_windows(history, result.processors):
        span = min(window.end, result.now) - window.start
        if span > 0 and window.start < last and window.start + span > first:
            axes.bar(window.start, height, span, lowest, align="edge", zorder=2.5, **_style(window))
            drawn.append(window)
    shown = np.flatnonzero((runs.start < last) & (runs.end > first))
    ends = []
    for what, how, style in (("interrupted", INTERRUPTIONS.values(), BROKEN), ("resized", ("resized",), RESIZED)):
        over = runs.ended(*how)[shown][blocks.row]
        low, high = blocks.low[over], (blocks.low + blocks.height)[over]
        axes.vlines(runs.end[shown][blocks.row[over]], low, high, colors=BLACK, zorder=3, **style)
        ends += [Line2D([], [], color=BLACK, label=what, **style)] if over.any() else []
    added = " of any\nprocessors" if history.sizes is None else ""
    return [*legend_entries(drawn, bool(((left < last) & (right > first)).any()), added), *ends]


def draw_shares(axes: Axes, result: Result, edges: Floats) -> list[Any]:
    """Draw the shares of the processors that are down, and of windows, from the top; entries of a legend."""
    history = result.history
    if history is None:
        return []
    down = history.down(result.now).mean(edges) / result.processors
    closed = history.set_aside(result.now).mean(edges) / result.processors
    both = history.set_aside(result.now, for_all=True).mean(edges) / result.processors
    axes.stairs(np.ones(len(down)), edges, baseline=1 - down, fill=True, zorder=0.5, **DOWN)
    for begin, share, style in ((1 - down, closed, CLOSED), (1 - down - closed, both - closed, RESERVED)):
        axes.stairs(begin, edges, baseline=np.maximum(begin - share, 0), fill=True, zorder=0.6, **style)
    return legend_entries(history.windows, len(history.outages) > 0)


def legend_entries(windows: Iterable[Window], down: bool, added: str = "") -> list[Any]:
    """The entries of a legend for windows, with something ``added`` to their names, and for what is down."""
    from matplotlib.patches import Patch

    names = {_style(each)["hatch"]: ("reservation" if each.users or each.jobs else "window") for each in windows}
    styles = ((style, names.get(style["hatch"])) for style in (CLOSED, RESERVED))
    found = [Patch(**style, label=f"{name}{added}") for style, name in styles if name]
    return [*found, *([Patch(**DOWN, label="down")] if down else [])]


def _style(window: Window) -> dict[str, Any]:
    """How a window is drawn: it is closed, or reserved for some users or jobs."""
    return RESERVED if window.users or window.jobs else CLOSED


def placed_windows(history: History, processors: int) -> Iterator[tuple[Window, int, int]]:
    """Each window with the lowest processor and the number of processors of its parts.

    On nodes these are theirs, and neighbours are one part. Else it is drawn below the windows before it that are open
    at the same time.
    """
    found: list[tuple[Window, int]] = []
    names = {name: number for number, name in enumerate(history.sizes or ())}
    for window in history.windows:
        if isinstance(window.processors, tuple):
            low, height = history.extent(np.sort([names[name] for name in window.processors]))
            begins = np.flatnonzero(np.diff(low, prepend=-1) != np.append(-1, height[:-1]))
            yield from (
                (window, *part)
                for part in zip(low[begins].tolist(), np.add.reduceat(height, begins).tolist(), strict=True)
            )
            continue
        beside = [pair for pair in found if pair[0].start < window.end and window.start < pair[0].end]
        top = min((low for _, low in beside), default=processors)
        found.append((window, top - window.processors))
        yield window, top - window.processors, window.processors
