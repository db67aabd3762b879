"""The pictures of the prediction study."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.pictures.style import GREY, MARKERS, PALE, PALETTE, plotting
from thinktime.analysis.studies.prediction import log_figures, ross
from thinktime.analysis.studies.prediction.cases import changes
from thinktime.analysis.studies.prediction.errors import by_size, quality
from thinktime.analysis.studies.prediction.predictors import (
    CLOCK,
    CORRECTED,
    FEEDBACK,
    GENERATIVE,
    HOURS,
    OPEN,
    PARTLY_OPEN,
    REACTING,
)
from thinktime.analysis.studies.prediction.runs import TRUTH
from thinktime.analysis.studies.prediction.study import Evidence
from thinktime.analysis.studies.prediction.tables import SIZES

MARKED = (OPEN, FEEDBACK, CLOCK, CORRECTED)
"""The modes that have a mark where there is room for few."""
HEATED = (OPEN, FEEDBACK, HOURS, CLOCK, REACTING, PARTLY_OPEN, GENERATIVE, CORRECTED)
COLOURS = dict(zip(HEATED, PALETTE, strict=False))
SIGNS = dict(zip(HEATED, MARKERS, strict=False))


def figures(found: Evidence) -> dict[str, Figure]:
    """The pictures, by name; none of a study that was kept, or of few modes."""
    if not found.worlds or not all(set(HEATED) <= set(found.summary["families"][each]) for each in found.families):
        return {}
    shown = {"predicted-and-true": scatter(found), "typical-factors": heatmap(found), "by-size": sizes(found)}
    if any("FCFS" in each.found for each in found.of("session")):
        shown["morning"] = morning(found)
    if found.ross:
        shown["ross"] = of_ross(found)
    if found.logs:
        shown |= {"logs-jump": log_figures.jumps(found.logs), "logs-wait": log_figures.waits(found.logs)}
    return shown


def _look(mode: str, named: bool) -> dict[str, Any]:
    return {"marker": SIGNS[mode], "color": COLOURS[mode], "label": mode if named else None, "linestyle": "none"}


Draw = Callable[[Any, str, bool], None]
"""Draws the panel of a family; true if it is the first one, whose marks are named."""


def _panels(found: Evidence, below: str, beside: str, draw: Draw) -> Figure:
    """A panel for each family, whose axes have names at the border."""
    count = len(found.families)
    columns = min(count, 4)
    rows = -(-count // columns)
    grid = {"sharex": True, "sharey": True, "squeeze": False}
    with plotting(max(2.3 * columns + 0.6, 6.0), 2.4 * rows + 0.7, rows, columns, **grid) as (picture, axes):
        for place, axis in enumerate(axes.ravel()):
            if place >= count:
                axis.set_visible(False)
                continue
            axis.set_title(found.families[place])
            draw(axis, found.families[place], not place)
            if place + columns >= count:
                axis.set_xlabel(below)
                axis.tick_params(labelbottom=True)
            if place % columns == 0:
                axis.set_ylabel(beside)
        picture.legend(loc="outside lower center", ncols=len(MARKED))
    return picture


def scatter(found: Evidence) -> Figure:
    """Predicted against true mean wait, a panel for each family; the diagonal is the truth."""

    def draw(axis: Any, family: str, first: bool) -> None:
        axis.axline((1, 1), (10, 10), color=GREY, linewidth=0.8, zorder=0)
        for mode in MARKED:
            pairs = [
                (each.found[case][TRUTH][0] / tt.MINUTE, each.found[case][mode][0] / tt.MINUTE)
                for each in found.of(family)
                for case in changes(tuple(each.found))
            ]
            true, predicted = np.array(pairs).T
            axis.plot(true, predicted, markersize=3, alpha=0.6, **_look(mode, first))
        axis.set(xscale="log", yscale="log")

    return _panels(found, "true mean wait (min)", "predicted (min)", draw)


def heatmap(found: Evidence) -> Figure:
    """The typical factor of each mode in each family."""
    worlds = [found.of(family) for family in found.families]
    values = np.array([[quality(each, mode).typical.factor for mode in HEATED] for each in worlds])
    with plotting(1.5 + 0.85 * len(HEATED), 1.6 + 0.36 * len(found.families), 1, 1) as (picture, axes):
        colours = axes.imshow(np.log(values), aspect="auto", cmap="cividis_r", vmin=0.0, vmax=np.log(4.0))
        for (row, column), value in np.ndenumerate(values):
            dark = value > 2.0
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="white" if dark else "black")
        axes.set_xticks(range(len(HEATED)), [mode.replace(", ", ",\n") for mode in HEATED])
        axes.set_yticks(range(len(found.families)), found.families)
        axes.grid(visible=False)
        axes.set_title("Typical factor by which the mean wait is missed")
        bar = picture.colorbar(colours, ax=axes, ticks=np.log([1, 1.5, 2, 3, 4]))
        bar.ax.set_yticklabels(["1", "1.5", "2", "3", "4 and more"])
    return picture


def sizes(found: Evidence) -> Figure:
    """The typical factor by how much the wait really changes."""

    def draw(axis: Any, family: str, first: bool) -> None:
        for shift, mode in enumerate(MARKED):
            each = by_size(found.of(family), mode)
            middle = np.array([one.factor for one in each])
            ends = np.array([[one.factor - max(one.low, 1.0), one.high - one.factor] for one in each]).T
            at = np.arange(len(each)) + 0.12 * (shift - 1.5)
            axis.errorbar(at, middle, np.nan_to_num(ends), markersize=4, **_look(mode, first))
        axis.axhline(1.0, color=GREY, linewidth=0.8)
        axis.set(yscale="log", ylim=(0.9, None))
        axis.set_yticks((1, 2, 4, 8), ("1", "2", "4", "8"))
        axis.minorticks_off()
        axis.set_xticks(range(len(SIZES)), [size.replace(" ", "\n", 1) for size in SIZES])

    return _panels(found, "change of the true wait", "typical factor", draw)


def morning(found: Evidence) -> Figure:
    """Submissions per hour of the day in the family session under FCFS: the truth, and what replays make of it."""
    worlds = [each for each in found.of("session") if each.hours]
    with plotting(6.4, 3.6, 1, 1) as (picture, axes):
        for mode in (TRUTH, OPEN, FEEDBACK, CLOCK):
            colour, width = COLOURS.get(mode, GREY), 3.0 if mode == TRUTH else 1.4
            counted = np.sum([each.hours[mode] for each in worlds], axis=0)
            share = 100 * counted / counted.sum()
            axes.step(range(25), [*share, share[-1]], where="post", color=colour, linewidth=width, label=mode)
        axes.set(xlabel="hour of the day", ylabel="% of submissions", xlim=(0, 24), ylim=0)
        axes.set_xticks(range(0, 25, 4))
        axes.set_title("When the users of family session submit under FCFS")
        picture.legend(loc="outside lower center", ncols=4)
    return picture


def of_ross(found: Evidence) -> Figure:
    """Ross: by how much the mean wait grows, as predicted and really."""
    modes: Sequence[str] = ross.MODES
    predicted = [found.ross[mode].predicted for mode in modes]
    values = [each.factor for each in predicted if each is not None]
    waits = found.ross[ross.REALLY].waits
    with plotting(6.4, 3.4, 1, 1) as (picture, axes):
        axes.barh(range(len(modes)), values, color=[COLOURS[mode] for mode in modes], height=0.6)
        for place, value in enumerate(values):
            axes.text(value * 1.05, place, f"{value:.1f}", va="center")
        low, high = sorted((waits[2] / waits[0], waits[1] / waits[0]))
        axes.axvspan(low, high, color=PALE, zorder=0, label=f"really: {low:.1f} (later) to {high:.1f}")
        axes.set(xscale="log", xlabel="mean wait after over before", xlim=(1, 2 * max(values)))
        axes.set_yticks(range(len(modes)), modes)
        axes.invert_yaxis()
        axes.set_title(f"Ross: {ross.BEFORE:,} to {ross.AFTER:,} processors")
        picture.legend(loc="outside lower center")
    return picture
