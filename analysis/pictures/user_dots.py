"""A dot plot of a measure for each user under each policy, with the share of jobs given up, if any."""

from collections.abc import Mapping

import numpy as np

from thinktime.analysis.compare import OF_CAMPAIGNS, user_comparison
from thinktime.analysis.experiments.metrics import unit
from thinktime.analysis.pictures.style import PALE, Axes, Figure, Look, figure, log_ticks, looks_of, show_log, styled
from thinktime.analysis.pictures.utilization import named_results
from thinktime.models.results.metric import SECONDS
from thinktime.models.results.outcome import Outcome
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import DataFrame, pd

MOST_APART = 0.15
"""The distance of two policies' dots, as a fraction of a row, so that equal ones are both visible."""

MARKER = 5
"""The size of a marker, in points."""


def user_comparison_chart(
    results: Result | Mapping[str, Result], measure: str | None = None, at_most: int = 30
) -> Figure:
    """One row per user with one dot per policy, on a logarithmic axis, in the order of the first policy.

    `measure` is one of `thinktime.analysis.compare.user_comparison`; by default the mean response time of served
    campaigns, or the mean bounded slowdown in results without campaigns. Values of 0 are left out.

    The legend has the number of campaigns (or jobs) served, from which the dots are computed. If a user gave up jobs,
    the dot is hollow, and a second panel has the share of jobs given up. A user who was never served has no dot in the
    first panel.
    """
    named = named_results(results)
    chosen = measure or _default_measure(named)
    given_up = user_comparison(named, "abandoned_share")
    table = _busiest(named, user_comparison(named, chosen), given_up, at_most)
    given_up = given_up.reindex(table.index)
    everyone = max(len(result.users) for result in named.values())
    with styled():
        picture = figure(7.2, 1.55 + 0.19 * max(len(table), 6))
        if (given_up > 0).to_numpy().any():
            axes, beside = picture.subplots(1, 2, sharey=True, width_ratios=[3, 1])
            _draw_given_up(beside, given_up)
        else:
            axes = picture.subplots()
        _draw(axes, table, given_up, {name: _counted(result, chosen) for name, result in named.items()})
        _label(axes, table, chosen)
        axes.set_title(_title(chosen, len(table), everyone, next(iter(named))))
        shown = axes.get_legend_handles_labels()
        picture.legend(*shown, loc="outside lower center", ncols=min(len(named), 4))
    return picture


def _default_measure(named: Mapping[str, Result]) -> str:
    campaigns = all(len(result.campaigns) for result in named.values())
    return "mean_campaign_response_time" if campaigns else "mean_bounded_slowdown_10"


def _busiest(named: Mapping[str, Result], table: DataFrame, given_up: DataFrame, at_most: int) -> DataFrame:
    """The rows of the users with the most jobs, by the first policy's value, descending, missing ones last."""
    jobs = pd.concat([result.users["jobs"] for result in named.values()]).groupby(level=0, sort=False).max()
    gone = given_up.index[(given_up > 0).any(axis=1)]
    never = [user for user in gone if user not in table.index]
    if never:  # not served under any policy
        table = table.reindex([*table.index, *never])
    chosen = jobs.reindex(table.index).sort_values(ascending=False, kind="stable").index[:at_most]
    shown = table.loc[table.index.isin(chosen) & (table.notna().any(axis=1) | table.index.isin(gone))]
    return shown.sort_values(shown.columns[0], ascending=False, kind="stable")


def _counted(result: Result, measure: str) -> str:
    """The number of observations behind the dots of a result."""
    if measure in OF_CAMPAIGNS:
        return f"n={(result.campaigns['outcome'] == Outcome.SERVED.label).sum():,}"
    return f"n={result.users['served'].sum():,}"


def _draw(axes: Axes, table: DataFrame, given_up: DataFrame, counted: Mapping[str, str]) -> None:
    values = table.to_numpy(dtype=float)
    values = np.where(values > 0, values, np.nan)
    hollow = given_up.to_numpy(dtype=float) > 0
    rows = np.arange(len(table))
    low, high = np.nanmin(values, axis=1, initial=np.inf), np.nanmax(values, axis=1, initial=-np.inf)
    drawn = np.isfinite(low) & np.isfinite(high)
    axes.hlines(rows[drawn], low[drawn], high[drawn], color=PALE, linewidth=1.5, zorder=1)
    for column, (name, look, shift) in enumerate(_columns(table)):
        for part, fill, label in (
            (~hollow[:, column], look.colour, f"{name} ({counted[name]})"),
            (hollow[:, column], "white", None),
        ):
            if label or part.any():
                axes.plot(
                    np.where(part, values[:, column], np.nan), rows + shift, look.marker, color=look.colour,
                    markerfacecolor=fill, markersize=MARKER, label=label,
                )  # fmt: skip


def _draw_given_up(axes: Axes, given_up: DataFrame) -> None:
    values = 100 * given_up.to_numpy(dtype=float)
    rows = np.arange(len(given_up))
    for column, (_, look, shift) in enumerate(_columns(given_up)):
        axes.plot(values[:, column], rows + shift, look.marker, color=look.colour, markersize=MARKER)
    axes.set(xlim=(-4, 104), xticks=[0, 50, 100], xlabel="jobs given up (%)\nhollow: some were")


def _columns(table: DataFrame) -> list[tuple[str, Look, float]]:
    """Each policy with its look and its offset from the middle of a row."""
    count = len(table.columns)
    step = min(MOST_APART, 0.6 / count)
    looks = looks_of(table.columns).items()
    return [(name, look, (at - (count - 1) / 2) * step) for at, (name, look) in enumerate(looks)]


def _label(axes: Axes, table: DataFrame, measure: str) -> None:
    axes.set_xscale("log")
    if unit(measure) == SECONDS:
        low, high = axes.get_xlim()
        show_log(axes.xaxis, log_ticks(low, high))
    else:
        axes.xaxis.set_major_formatter("{x:,g}")
    of = "campaigns" if measure in OF_CAMPAIGNS else "jobs"
    axes.set_yticks(range(len(table)), labels=[str(user) for user in table.index], fontsize="small")
    axes.set_ylim(max(len(table), 1) - 0.5, -0.5)
    axes.set(xlabel=f"{_words(measure)}, of n {of} served (log scale)", ylabel="user")


def _title(measure: str, shown: int, everyone: int, first: str) -> str:
    who = f"the {shown} of {everyone} users with the most jobs" if shown < everyone else f"all {shown} users"
    return f"{_words(measure)[:1].upper()}{_words(measure)[1:]}, {who},\nin the order of {first}, the largest first"


def _words(measure: str) -> str:
    """A measure in words; the number at the end of a bounded slowdown is its threshold."""
    if measure in OF_CAMPAIGNS:
        return measure.replace("_", " ")
    measure = measure.replace("km_median", "Kaplan-Meier median of")
    words, _, threshold = measure.rpartition("_")
    named = f"{words} (threshold {threshold} s)" if threshold.isdigit() else measure
    return named.replace("_", " ")
