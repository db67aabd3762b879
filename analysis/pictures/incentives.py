"""What an incentive does to the work of a day, and who pays for it."""

from collections.abc import Mapping

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.pictures.power import signal_of
from thinktime.analysis.pictures.style import GREY, PALE, Axes, Figure, looks_of, plotting
from thinktime.analysis.pictures.utilization import named_results, under
from thinktime.models.results.bill import by_user, charge_fairness, midnight
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.units import HOUR

DAY_HOURS = 24
HOURS = np.arange(DAY_HOURS + 1)


def work_by_hour(results: Result | Mapping[str, Result], signal: str | None = None) -> Figure:
    """Processors in use by the hour of the log's day, in the mean from the first to the last submission.

    With a signal of the first result, by default carbon or the price, its mean by hour is a second panel.
    """
    named = named_results(results)
    first = next(iter(named.values()))
    shown = signal_of(first, signal)
    submits = np.concatenate([result["submit"] for result in named.values()])
    span = (float(submits.min()), float(submits.max())) if len(submits) else (0.0, 0.0)
    with plotting(7.2, 4.6 if shown else 3.0, 2 if shown else 1, 1, sharex=True, squeeze=False) as (picture, grid):
        panels = [row[0] for row in grid]
        for name, look in looks_of(named).items():
            result = named[name]
            used = by_hour(series.processors_in_use(result), midnight(result), *span)
            panels[0].stairs(used, HOURS, color=look.colour, linestyle=look.dashes, label=name, baseline=None)
        panels[0].set(ylim=(0, None), ylabel="processors in use")
        panels[0].set_title(f"Work by the hour of the day{under(named)}")
        if shown is not None:
            panels[1].stairs(_signal_by_hour(shown, midnight(first), *span), HOURS, color=GREY, baseline=None)
            panels[1].set_ylabel(f"{shown.name} ({shown.unit})" if shown.unit else shown.name)
        panels[-1].set(xlim=(0, DAY_HOURS), xticks=range(0, DAY_HOURS + 1, 3), xlabel="hour of the day")
        if len(named) > 1:
            picture.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(named), 5))
    return picture


def by_hour(steps: Steps, day: float, first: float, last: float) -> Floats:
    """The mean of a step function in each hour of the day between two times (s); ``day`` is a midnight.

    NaN for hours that are not between them.

    >>> by_hour(Steps(np.array([0.0, 7200.0]), np.array([6.0, 0.0])), 0.0, 0.0, 86_400.0 + 1800)[:3].round(3).tolist()
    [4.0, 6.0, 0.0]
    """
    edges, hour = _hours(day, first, last)
    return _means(np.diff(steps.integral(edges)), edges, hour)


def _signal_by_hour(signal: Signal, day: float, first: float, last: float) -> Floats:
    edges, hour = _hours(day, max(first, signal.start), min(last, signal.over))
    return _means(signal.integral(edges[:-1], edges[1:]), edges, hour)


def _hours(day: float, first: float, last: float) -> tuple[Floats, Whole]:
    """The times between two at which hours begin, with these two, and the hour of the day of each part."""
    begin, end = np.floor((first - day) / HOUR), np.ceil((last - day) / HOUR)
    edges = np.clip(day + HOUR * np.arange(begin, max(begin, end) + 1), first, max(first, last))
    return edges, np.arange(begin, begin + len(edges) - 1).astype(np.int64) % DAY_HOURS


def _means(integrals: Floats, edges: Floats, hour: Whole) -> Floats:
    sums, lengths = (np.bincount(hour, each, DAY_HOURS) for each in (integrals, np.diff(edges)))
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / lengths, np.float64)


ROUNDED = 1e-9
"""Who pays so little less than the mean pays the mean."""


def who_pays(results: Result | Mapping[str, Result]) -> Figure:
    """For each user the charge for a processor-hour, against the mean over all work, beside the share of all work.

    The legend has Jain's index of what users pay for an hour (1: all pay the same), and how many pay less than the
    mean. Users without work or without a charge are left out. Axes are logarithmic.
    """
    named = named_results(results)
    with plotting(6.4, 4.6) as (picture, axes):
        axes.axhline(1, color=PALE, linewidth=1, zorder=0)
        for name, look in looks_of(named).items():
            work, price = _prices(named[name])
            label = f"{name}: no charges"
            if len(work):
                less = 100 * (price < 1 - ROUNDED).mean()
                label = f"{name}: fairness {charge_fairness(named[name]):.2f}, {less:.0f} % pay less than the mean"
            axes.plot(
                100 * work, price, look.marker, color=look.colour, linestyle="none", markersize=4, alpha=0.7,
                label=label,
            )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="share of all work (%)", ylabel="charge per hour, times the mean")
        _show_factors(axes)
        axes.set_title(f"Who pays{under(named)}: a dot is a user")
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return picture


def _prices(result: Result) -> tuple[Floats, Floats]:
    """The shares of users in all work, and what they pay for it against the mean, of those who have and pay some."""
    work, paid = by_user(result)
    some = (work > 0) & (paid > 0)
    if not some.any():
        return np.empty(0), np.empty(0)
    share = work[some] / work.sum()
    return share, paid[some] / paid.sum() / share


def _show_factors(axes: Axes) -> None:
    """Put round factors beside the axis, at least from a half to two."""
    from matplotlib.ticker import NullFormatter

    low, high = axes.get_ylim()
    low, high = min(low, 0.45), max(high, 2.2)
    ticks = [each * 10.0**power for power in range(-6, 7) for each in (1, 2, 5)]
    axes.set_ylim(low, high)
    axes.set_yticks([each for each in ticks if low <= each <= high])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
