"""What each user got under each policy: a dot plot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from thinktime.analysis.compare import user_comparison
from thinktime.analysis.durations import log_ticks, show_log
from thinktime.analysis.load_pictures import named_results
from thinktime.analysis.style import PALE, figure, looks_of, styled
from thinktime.models.result import Result

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IN_SECONDS = ("mean_flow_time", "mean_wait", "median_wait", "max_wait", "mean_turnaround")
"""Measures of users that are durations."""

MOST_APART = 0.15
"""By so much of a row the dots of two policies are apart, so that equal ones can both be seen."""


def user_comparison_chart(
    results: Result | Mapping[str, Result], measure: str | None = None, at_most: int = 30
) -> Figure:
    """One row per user with one dot per policy, on a logarithmic axis, in the order of the first policy.

    `measure` is one of `thinktime.analysis.compare.user_comparison`; by default the mean flow time of
    campaigns, or, in results without campaigns, the mean bounded slowdown. A value of 0 has no place on the
    axis and is left out.
    """
    named = named_results(results)
    chosen = measure or _default_measure(named)
    table = _busiest(named, user_comparison(named, chosen), at_most)
    everyone = max(len(result.users) for result in named.values())
    with styled():
        picture = figure(7.2, 1.55 + 0.19 * max(len(table), 6))
        axes = picture.subplots()
        _draw(axes, table)
        _label(axes, table, chosen)
        axes.set_title(_title(chosen, len(table), everyone, next(iter(named))))
        picture.legend(
            *axes.get_legend_handles_labels(), loc="outside lower center", ncols=min(len(named), 5)
        )
    return picture


def _default_measure(named: Mapping[str, Result]) -> str:
    campaigns = all(len(result.campaigns) for result in named.values())
    return "mean_flow_time" if campaigns else "mean_bounded_slowdown_10"


def _busiest(named: Mapping[str, Result], table: pd.DataFrame, at_most: int) -> pd.DataFrame:
    """The rows of the users with the most jobs, the largest value of the first policy first."""
    import pandas as pd

    jobs = pd.concat([result.users["jobs"] for result in named.values()]).groupby(level=0, sort=False).max()
    chosen = jobs.reindex(table.index).sort_values(ascending=False, kind="stable").index[:at_most]
    shown = table.loc[table.index.isin(chosen)].dropna(how="all")
    return shown.sort_values(shown.columns[0], ascending=False, kind="stable")


def _draw(axes: Axes, table: pd.DataFrame) -> None:
    values = table.to_numpy(dtype=float)
    values = np.where(values > 0, values, np.nan)
    rows = np.arange(len(table))
    low, high = np.nanmin(values, axis=1, initial=np.inf), np.nanmax(values, axis=1, initial=-np.inf)
    axes.hlines(rows, low, high, color=PALE, linewidth=1.5, zorder=1)
    step = min(MOST_APART, 0.6 / len(table.columns))
    for column, (name, look) in enumerate(looks_of(table.columns).items()):
        shift = (column - (len(table.columns) - 1) / 2) * step
        axes.plot(values[:, column], rows + shift, look.marker, color=look.colour, markersize=5, label=name)


def _label(axes: Axes, table: pd.DataFrame, measure: str) -> None:
    axes.set_xscale("log")
    if measure in IN_SECONDS:
        low, high = axes.get_xlim()
        show_log(axes.xaxis, log_ticks(low, high))
    else:
        axes.xaxis.set_major_formatter("{x:,g}")
    axes.set_xlabel(f"{_words(measure)} (log scale)")
    axes.set_yticks(range(len(table)), labels=[str(user) for user in table.index], fontsize="small")
    axes.set_ylim(max(len(table), 1) - 0.5, -0.5)
    axes.set_ylabel("user")


def _title(measure: str, shown: int, everyone: int, first: str) -> str:
    who = f"the {shown} of {everyone} users with the most jobs" if shown < everyone else f"all {shown} users"
    return f"{_words(measure).capitalize()}, {who},\nin the order of {first}, the largest first"


def _words(measure: str) -> str:
    """A measure as people say it; the number that a bounded slowdown ends with is its threshold."""
    words, _, threshold = measure.rpartition("_")
    named = f"{words} (threshold {threshold} s)" if threshold.isdigit() else measure
    return named.replace("_", " ")
