"""Gantt charts.

Most results do not say which processors a job had, so they are reconstructed from the jobs within the window (see
`thinktime.models.results.placement`). A job may be drawn as several rectangles. Results of machines that change say it,
and the chart also has their windows, outages and interrupted runs, and the stages of jobs that are resized.
"""

from typing import Any

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.pictures.changes import draw_on_processors
from thinktime.analysis.pictures.style import PALE, PALETTE, STEPS, Axes, Figure, plotting, show_linear
from thinktime.analysis.pictures.utilization import time_words
from thinktime.analysis.pictures.waits import class_label, width_class
from thinktime.models.results import measures, placement
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.units import LARGEST_FIRST, Duration, as_seconds, in_one_unit

Numbers = AnyArray

JOBS_SHOWN = 300
"""About how many jobs the default window shows."""

RIMMED = 200
"""Rectangles wider than the picture divided by this have an outline."""

LONGEST_TITLE = 80
"""Letters of a title that fit beside the legend; a longer one has two lines."""

USERS_SHOWN = 7
"""The number of users with their own colour; the others share one."""


def gantt(result: Result, start: Duration | None = None, end: Duration | None = None, colour: str = "user") -> Figure:
    """Jobs as rectangles over time (x) and processors (y), coloured by `user` or by `width`.

    Without `start` and `end` (s), the window is the busiest one of a length that shows a few hundred jobs. The users
    with the most processor-seconds in the window have their own colours.
    """
    start, end = as_seconds("start", start), as_seconds("end", end)
    if colour not in ("user", "width"):
        raise ValueError(f"colour must be 'user' or 'width', not {quoted(colour)}")
    first, last = _window(result, start, end)
    (rows, left, right), blocks = placement.placed(result, first, last)
    held = placement.sizes_within(result, first, last) * (np.minimum(right, last) - np.maximum(left, first))
    group, labels = _groups(result, rows, held, colour)
    with plotting(7.2, 4.6) as (picture, axes):
        axes.set_xlim(first, last)
        shades = [_shade(k, len(labels), colour) for k in group[blocks.row].tolist()]
        top = blocks.low + blocks.height
        draw_boxes(axes, left[blocks.row], right[blocks.row], blocks.low, top, shades, rim=0.3)
        changes = draw_on_processors(axes, result, blocks)
        _label(axes, result, first, last)
        picture.legend(handles=[*_handles(labels, colour), *changes], loc="outside right upper", title=colour)
    return picture


def busy_window(result: Result) -> tuple[float, float]:
    """The busiest interval, by processors in use and queued, of a length that shows a few hundred jobs."""
    first, last = measures.window(result)
    if not last > first:
        raise ValueError(f"a Gantt chart needs a job that ran for some time, but the window is [{first}, {last}]")
    length = (last - first) * min(1.0, JOBS_SHOWN / len(result))
    length = next((step for step in reversed(STEPS) if step <= length), length)
    if length > (last - first) / 2:
        return first, last
    begins = np.arange(first, last - length / 2, length / 2)
    used, queued = series.processors_in_use(result), series.processors_queued(result)
    busy = used.integral(begins + length) - used.integral(begins)
    busy += queued.integral(begins + length) - queued.integral(begins)
    best = float(begins[np.argmax(busy)])
    return best, min(best + length, last)


def _window(result: Result, start: float | None, end: float | None) -> tuple[float, float]:
    if start is None and end is None:
        return busy_window(result)
    first, last = measures.window(result)
    window = first if start is None else start, last if end is None else end
    if not window[1] > window[0]:
        raise ValueError(f"the window of a Gantt chart must end after it starts, not {quoted(window)}")
    return window


def _groups(result: Result, rows: Whole, held: Floats, colour: str) -> tuple[Whole, list[str]]:
    """The group of each job, counted from 0, and the labels of the groups; ``held`` are their processor-seconds."""
    if colour == "width":
        classes, group = np.unique(width_class(result["processors"][rows]), return_inverse=True)
        return group, [class_label(k, result.processors) for k in classes.tolist()]
    users, group = np.unique(result["user"][rows], return_inverse=True)
    weight = np.bincount(group, weights=held, minlength=len(users))
    rank = np.empty(len(users), dtype=np.int64)
    rank[np.argsort(-weight, kind="stable")] = np.arange(len(users))
    names = [*result.names["user"], None]
    labels = [str(names[users[k]]) for k in np.argsort(rank)[:USERS_SHOWN]]
    others = len(users) - USERS_SHOWN
    return np.minimum(rank[group], USERS_SHOWN), [*labels, *([f"{others} others"] if others > 0 else [])]


def _shade(k: int, groups: int, colour: str) -> Any:
    """The colour of a group: a hue per user, or from pale to dark by width."""
    if colour == "user":
        return PALETTE[k] if k < USERS_SHOWN else PALE
    from matplotlib import colormaps

    return colormaps["viridis_r"](0.1 + 0.9 * k / max(groups - 1, 1))


def draw_boxes(axes: Axes, x0: Numbers, x1: Numbers, y0: Numbers, y1: Numbers, shades: list[Any], rim: float) -> None:
    """Draw rectangles with outlines of ``rim`` points, as one collection: much faster than one by one."""
    from matplotlib.collections import PolyCollection

    corners = np.stack([np.column_stack(c) for c in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], axis=1)
    # A white outline would hide a narrow rectangle.
    wide = (x1 - x0) * RIMMED > np.ptp(axes.get_xlim())
    rims = ["white" if seen else shade for seen, shade in zip(wide.tolist(), shades, strict=True)]
    axes.add_collection(PolyCollection(list(corners), facecolors=shades, edgecolors=rims, linewidths=rim))


def _label(axes: Axes, result: Result, first: float, last: float) -> None:
    axes.grid(False)
    unit = show_linear(axes.xaxis, first, last)
    size = next(size for size, name in LARGEST_FIRST if name == unit)
    begin, until = (f"{round(time / size, 2):,.10g}" for time in (first, last))
    what, who, when = (
        f"Jobs of {in_one_unit(last - first)}",
        f"under {result.policy}",
        f"from {begin} to {until} {unit}",
    )
    title = f"{what} {who}, {when}"
    title = title if len(title) <= LONGEST_TITLE else f"{what}, {when}\n{who}"
    axes.set(title=title, xlabel=f"{time_words([result])} ({unit})", ylabel=_processors(result))
    axes.set_ylim(0, result.processors)


def _processors(result: Result) -> str:
    """How the processors are numbered."""
    if result.history is None:
        return "processors (reconstructed)"
    return "processors" if result.history.sizes is None else "processors, node by node"


def _handles(labels: list[str], colour: str) -> list[Any]:
    from matplotlib.patches import Patch

    return [Patch(color=_shade(k, len(labels), colour), label=label) for k, label in enumerate(labels)]
