"""Power over time, below its cap, and the price or carbon that it has then."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.pictures.style import GREY, Axes, Figure, looks_of, plotting, show_linear
from thinktime.analysis.pictures.utilization import named_results, time_words, under
from thinktime.models.results import energy, measures
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps
from thinktime.workloads.arrays import Floats
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.signals.units import CARBON, PRICE
from thinktime.workloads.units import Duration, as_seconds, in_one_unit

KILO = 1000.0


def power_over_time(
    results: Result | Mapping[str, Result],
    signal: str | None = None,
    at_most: int = 200,
    start: Duration | None = None,
    end: Duration | None = None,
) -> Figure:
    """Two panels over time: the power at the meter with the cap, and a signal, by default carbon or the price.

    Both are means over at most `at_most` bins of equal width, which the title states, so short peaks are flattened. The
    cap and the signal are those of the first result; without a signal there is one panel. ``start`` and ``end`` (s)
    show a part of the run.
    """
    named = named_results(results)
    first = next(iter(named.values()))
    shown = signal_of(first, signal)
    spans = np.array([measures.window(result) for result in named.values()])
    known = spans[np.isfinite(spans).all(axis=1)]
    low, high = (float(known[:, 0].min()), float(known[:, 1].max())) if len(known) else (0.0, 0.0)
    begin, stop = as_seconds("start", start), as_seconds("end", end)
    low, high = low if begin is None else begin, high if stop is None else stop
    edges = series.bins(low, high, at_most)
    with plotting(7.2, 4.6 if shown else 3.0, 2 if shown else 1, 1, sharex=True, squeeze=False) as (picture, grid):
        panels = [row[0] for row in grid]
        for name, look in looks_of(named).items():
            steps = energy.power_steps(named[name], (float(edges[0]), float(edges[-1])))
            panels[0].stairs(
                _means(steps, edges), edges, color=look.colour, linestyle=look.dashes, label=name, baseline=None
            )
        _draw_cap(panels[0], first, edges)
        panels[0].set(ylim=(0, None), ylabel="power (kW)")
        panels[0].set_title(f"Power{under(named)}, means of {in_one_unit(edges[1] - edges[0])}")
        if shown is not None:
            worth = [shown.mean(a, b) for a, b in pairwise(edges.tolist())]
            panels[1].stairs(worth, edges, color=GREY, baseline=None)
            panels[1].set_ylabel(f"{shown.name} ({shown.unit})" if shown.unit else shown.name)
        panels[-1].set_xlim(edges[0], edges[-1])
        unit = show_linear(panels[-1].xaxis, edges[0], edges[-1])
        panels[-1].set_xlabel(f"{time_words(named.values())} ({unit})")
        handles = panels[0].get_legend_handles_labels()[0]
        if len(handles) > 1:
            picture.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return picture


def signal_of(result: Result, name: str | None) -> Signal | None:
    """The signal of a result that has this name; without one its carbon or price, if it has some."""
    if name is not None:
        return result.signals[name]
    return result.signal(CARBON) or result.signal(PRICE)


def _means(steps: Steps, edges: Floats) -> Floats:
    return np.asarray(steps.mean(edges) / KILO)


def _draw_cap(axes: Axes, result: Result, edges: Floats) -> None:
    times, caps = energy.cap_steps(result, (float(edges[0]), float(edges[-1])))
    caps = np.where(np.isfinite(caps), caps, np.nan)[:-1]
    if np.isfinite(caps).any():
        axes.stairs(caps / KILO, times, color=GREY, linestyle="--", label="cap", baseline=None)
