"""When jobs are submitted: by hour and weekday, and interarrival times."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from thinktime.analysis.pictures.style import PALETTE
from thinktime.analysis.pictures.waits import exceedance
from thinktime.analysis.trace.axes import durations_on_log, nothing, shares_on_log
from thinktime.workloads import Trace
from thinktime.workloads.units import HOUR, in_one_unit
from thinktime.workloads.user_models.rhythm import WEEK_HOURS, local_seconds

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")


class Rates(NamedTuple):
    """Mean jobs per hour; NaN for an hour or a weekday that the log does not cover."""

    by_hour: Floats
    by_weekday: Floats
    mean: float


def arrival_rates(trace: Trace) -> Rates:
    """Submissions per covered hour, by hour of day and by weekday, in the log's zone.

    A log covers every hour from its first to its last submission. Without a start time, days are counted from t = 0.
    """
    hours = local_hours(trace)
    first, last = int(hours.min()), int(hours.max())
    jobs = np.bincount(hours % WEEK_HOURS, minlength=WEEK_HOURS).reshape(7, 24)
    weeks, rest = divmod(last - first + 1, WEEK_HOURS)
    covered = np.full((7, 24), weeks)
    covered.flat[(first + np.arange(rest)) % WEEK_HOURS] += 1
    with np.errstate(invalid="ignore"):
        by_hour, by_weekday = (jobs.sum(axis=k) / covered.sum(axis=k) for k in (0, 1))
    return Rates(by_hour, by_weekday, len(trace) / (last - first + 1))


def local_hours(trace: Trace) -> Whole:
    """The hour of each submission in local time, counted from midnight before a Monday."""
    hours: Whole = np.floor(local_seconds(trace, trace.submit) / HOUR).astype(np.int64)
    return hours


def draw_arrivals(part: FigureBase, trace: Trace) -> None:
    """Bars by hour of day and by weekday, with one axis of jobs per hour, and the mean."""
    rates = arrival_rates(trace)
    by_hour, by_weekday = part.subplots(1, 2, sharey=True, width_ratios=(24, 11))
    by_hour.bar(np.arange(24) + 0.5, rates.by_hour, width=0.82, color=PALETTE[0])
    by_weekday.bar(range(7), rates.by_weekday, width=0.7, color=PALETTE[0])
    for axes in (by_hour, by_weekday):
        axes.axhline(rates.mean, color=PALETTE[1], linestyle="dashed")
        axes.grid(False, axis="x")
    mean = f"{rates.mean:,.0f}" if rates.mean >= 1000 else f"{rates.mean:.3g}"
    counted = ", hours counted from t = 0" if trace.unix_start is None else ""
    by_hour.set_title(f"Arrivals: mean {mean} jobs per hour (dashed){counted}")
    by_hour.set_ylabel("jobs per hour")
    by_hour.set_xlim(0, 24)
    by_hour.set_xticks(range(0, 25, 3))
    by_hour.yaxis.set_major_formatter("{x:,g}")
    by_weekday.set_xlim(-0.6, 6.6)
    by_weekday.tick_params(axis="y", left=False)
    if trace.unix_start is None:
        by_hour.set_xlabel("hour of day, from t = 0, no start time (h)")
        by_weekday.set_xlabel("day, t mod 7 d")
        by_weekday.set_xticks(range(7), labels=[str(day) for day in range(1, 8)])
    else:
        by_hour.set_xlabel(f"hour of day, {zone_name(trace)} (h)")
        by_weekday.set_xlabel("weekday")
        by_weekday.set_xticks(range(7), labels=WEEKDAYS, fontsize="small")


def zone_name(trace: Trace) -> str:
    """The log's zone as text, such as `time zone Europe/Paris`."""
    zone = trace.zone
    return str(zone) if isinstance(zone, datetime.timezone) else f"time zone {zone}"


def draw_gaps(part: FigureBase, trace: Trace) -> None:
    """The share of interarrival times longer than x, beside an exponential with the same mean."""
    axes = part.subplots()
    gaps = np.diff(trace.submit)
    axes.set_title("Times between submissions")
    axes.set_xlabel("time between submissions x")
    axes.set_ylabel("share longer than x")
    if not gaps.any():
        nothing(axes, "all jobs are submitted at one time")
        return
    mean, low = float(gaps.mean()), float(gaps[gaps > 0].min())
    high = float(gaps.max())
    spread, at_once = (gaps.std() / mean) ** 2, (gaps == 0).mean()
    label = f"log: mean {in_one_unit(mean)}, CV² {spread:.3g},\n{100 * at_once:.2g}% at once"
    axes.step(*exceedance(gaps), where="post", color=PALETTE[0], label=label)
    x = np.geomspace(low / 2, max(high, mean * np.log(len(gaps) + 1)) * 2, 400)
    axes.plot(x, np.exp(-x / mean), color=PALETTE[1], linestyle="dashed", label="exponential, same mean")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low * 0.8, high * 1.6)
    axes.set_ylim(0.6 / len(gaps), 1.3)
    shares_on_log(axes)
    durations_on_log(axes)
    axes.legend(loc="lower left", fontsize="small")
