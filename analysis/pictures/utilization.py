"""Utilization and queue over time."""

from collections.abc import Iterable, Mapping

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.pictures.changes import draw_shares
from thinktime.analysis.pictures.style import PALE, Axes, Figure, Look, looks_of, plotting, show_linear
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import in_one_unit


def utilization_and_queue(results: Result | Mapping[str, Result], at_most: int = 200) -> Figure:
    """Two panels over time: the share of the processors in use, and the processors that waiting jobs request.

    Both are means over at most `at_most` bins of equal width, which the title states. So a month and two years are
    equally readable, but short peaks are flattened. Several results share the bins. Windows and outages of a machine
    that changes are drawn from the top, those of the first such result.
    """
    named = named_results(results)
    # Bins over the time in which anything was submitted or ran.
    firsts = [float(result["submit"].min(initial=result.now)) for result in named.values()]
    lasts = [measures.window(result)[1] for result in named.values()]
    last = max(result.now if np.isnan(end) else end for result, end in zip(named.values(), lasts, strict=True))
    edges = series.bins(min(firsts), float(max(last, min(firsts))), at_most)
    with plotting(7.2, 4.6, 2, 1, sharex=True, height_ratios=(1, 1)) as (picture, (upper, lower)):
        for name, look in looks_of(named).items():
            _draw(upper, lower, named[name], edges, name, look, alone=len(named) == 1)
        changing = next((result for result in named.values() if result.history is not None), None)
        changes = [] if changing is None else draw_shares(upper, changing, edges)
        _label(upper, lower, edges, time_words(named.values()))
        upper.set_title(f"Utilization and queue{under(named)}, means of {in_one_unit(edges[1] - edges[0])}")
        handles = [*(upper.get_legend_handles_labels()[0] if len(named) > 1 else []), *changes]
        if handles:
            picture.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return picture


def named_results(results: Result | Mapping[str, Result]) -> dict[str, Result]:
    """Results by name; a single one gets the name of its policy."""
    named = {results.policy: results} if isinstance(results, Result) else dict(results)
    if not named:
        raise ValueError("a picture needs at least one result")
    return named


def under(named: Mapping[str, Result]) -> str:
    """The policy for a title without a legend: ` under easy`."""
    return f" under {next(iter(named))}" if len(named) == 1 else ""


def time_words(results: Iterable[Result]) -> str:
    """The label of a time axis: since the log's start, if all results come from logs with a date."""
    return "time" if any(result.unix_start is None for result in results) else "time since the log's start"


def _draw(upper: Axes, lower: Axes, result: Result, edges: Floats, name: str, look: Look, alone: bool) -> None:
    used = series.processors_in_use(result).mean(edges) / result.processors
    queued = series.processors_queued(result).mean(edges)
    for axes, values in ((upper, used), (lower, queued)):
        if alone:
            axes.stairs(values, edges, fill=True, color=look.colour, alpha=0.25, linewidth=0)
        axes.stairs(values, edges, color=look.colour, linestyle=look.dashes, label=name, baseline=None)


def _label(upper: Axes, lower: Axes, edges: Floats, time: str) -> None:
    from matplotlib.ticker import PercentFormatter

    upper.set(ylim=(0, 1.02), ylabel="processors in use (%)")
    upper.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    upper.axhline(1.0, color=PALE, linewidth=0.8, zorder=0)
    lower.set_ylim(bottom=0)
    lower.yaxis.set_major_formatter("{x:,.0f}")
    lower.set_xlim(edges[0], edges[-1])
    unit = show_linear(lower.xaxis, edges[0], edges[-1])
    lower.set(xlabel=f"{time} ({unit})", ylabel="processors queued")
