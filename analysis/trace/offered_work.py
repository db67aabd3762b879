"""The work that a log offers its machine, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thinktime.analysis.pictures.duration_axes import show_linear
from thinktime.analysis.pictures.style import GREY, PALETTE
from thinktime.analysis.trace.axes import nothing
from thinktime.workloads import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Floats = npt.NDArray[np.float64]

NAMES = {HOUR: "hour", DAY: "day", WEEK: "week"}


def load_over_time(trace: Trace) -> tuple[Floats, Floats, int]:
    """Edges (s), the offered load between them as a fraction of the machine, and the width of a bin (s).

    Bins are days from the first to the last submission (weeks for more than 100 days, hours for less than 3 days). A
    remainder of less than half a bin is added to the last one, so the mean over time is the offered load of the log.
    """
    size = trace.machine_size
    if size is None:
        raise ValueError("the offered load needs the size of the machine, but the log's header has none")
    first, last = float(trace.submit[0]), float(trace.submit[-1])
    span = last - first
    width = WEEK if span > 100 * DAY else DAY if span >= 3 * DAY else HOUR
    edges = first + width * np.arange(max(round(span / width), 1) + 1.0)
    edges[-1] = last
    work = np.nan_to_num(trace.runtime) * trace.processors
    offered, _ = np.histogram(trace.submit, edges, weights=work)
    return edges, offered / np.maximum(np.diff(edges) * size, 1e-9), width


def draw_load(part: FigureBase, trace: Trace) -> None:
    """The load over time, its mean, and the line of a full machine."""
    axes = part.subplots()
    axes.set_title("Offered load")
    axes.set_xlabel("time since the log's start")
    axes.set_ylabel("share of the machine")
    if trace.submit[0] == trace.submit[-1]:
        nothing(axes, "all jobs are submitted at one time")
        return
    edges, load, width = load_over_time(trace)
    mean = float((load * np.diff(edges)).sum() / (edges[-1] - edges[0]))
    axes.stairs(load, edges, fill=True, color=PALETTE[0], alpha=0.3, linewidth=0)
    axes.stairs(load, edges, color=PALETTE[0], linewidth=0.9, baseline=None)
    axes.axhline(mean, color=PALETTE[1], linestyle="dashed")
    axes.axhline(1.0, color=GREY, linewidth=0.9)
    whole = f"{mean:.1%} of {trace.machine_size:,} processors"
    axes.set_title(f"Offered load by {NAMES[width]}: {whole} on average (dashed)")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, max(float(load.max()), 1.0) * 1.05)
    axes.yaxis.set_major_formatter("{x:,.0%}")
    unit = show_linear(axes.xaxis, edges[0], edges[-1])
    axes.set_xlabel(f"time since the log's start ({unit})")
