"""The units and digits in which metrics are shown.

Durations are shown in the unit that fits most of them, fractions in %,
and a mean with as many digits as its interval justifies: two of the half width.
"""

import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from thinktime.analysis.experiments.metrics import unit
from thinktime.analysis.statistics import Interval
from thinktime.models.results.metric import COUNTS, FRACTION, PLAIN, SECONDS
from thinktime.workloads.units import fitting_unit

NONE = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its name (empty if there is none, or it goes without saying), and its size in the metric's own unit."""

    name: str
    size: float

    def show(self, value: float, half: float = math.nan) -> str:
        """A number in this unit, with the digits that its half width justifies."""
        return plain(value / self.size, half / self.size)

    def show_interval(self, interval: Interval) -> str:
        """A mean with its half width, such as `12.3 ± 0.4`."""
        mean = self.show(interval.mean, interval.half)
        if math.isnan(interval.half) or mean == NONE:
            return mean
        return f"{mean} \N{PLUS-MINUS SIGN} {self.show(interval.half, interval.half)}"


def unit_of(metric: str, values: Iterable[float]) -> Unit:
    """The unit for the values of a metric; for durations the one that fits their median."""
    own = unit(metric)
    if own == FRACTION:
        return Unit("%", 0.01)
    if own != SECONDS:
        return Unit("" if own in (PLAIN, *COUNTS) or own in words(metric) else own, 1.0)
    sizes = [abs(value) for value in values if math.isfinite(value)]
    typical = statistics.median(sizes) if sizes else 1.0
    size, name = fitting_unit(typical)
    return Unit(name, float(size))


def words(metric: str) -> str:
    """A metric in words.

    >>> words("p95_bounded_slowdown_10"), words("mean_wait@short"), words("mean_user_max_stretch")
    ('95th percentile of bounded slowdown (10 s)', 'mean wait, short users', 'mean over users of max stretch')
    >>> words("mean_wait@group=physics")
    'mean wait, group physics'
    >>> words("km_median_campaign_response_time"), words("lost_processor_hours")
    ('Kaplan-Meier median of campaign response time', 'lost processor-hours')
    """
    stem, _, users = metric.partition("@")
    if ".py:" in stem:
        return metric
    stem = re.sub(r"^([a-z0-9.]+)_user_", r"\1 over users of ", stem)
    stem = re.sub(r"(bounded_slowdown|floored_slowdown)_([\d.]+)", r"\1 (\2 s)", stem)
    stem = re.sub(r"\bp(\d[\d.]*)(?=[_ ])", _percentile, stem)
    stem = re.sub(r"^km_median_", "Kaplan-Meier median of ", stem)
    stem = re.sub(r"^km[_ ]", "Kaplan-Meier ", stem).replace("processor_hours", "processor-hours")
    stem = stem.replace("_", " ")
    column, equals, name = users.partition("=")
    whose = f"{column} {name}" if equals else f"{users} users"
    return f"{stem}, {whose}" if users else stem


def _percentile(found: re.Match[str]) -> str:
    number = found[1]
    teen = number[-2:] in ("11", "12", "13")
    ending = "th" if "." in number or teen else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    return f"{number}{ending} percentile of"


def plain(value: float, half: float = math.nan) -> str:
    """A number to two digits of its half width, or to about four of its own.

    >>> plain(12.3456, 0.41), plain(-1234.5, 60), plain(0.00123), plain(float("nan"))
    ('12.35', '−1,234', '0.001230', '–')
    """
    if math.isnan(value):
        return NONE
    if math.isfinite(half) and half > 0:
        digits = max(0, 1 - math.floor(math.log10(half)))
    elif value == round(value) and abs(value) < 1e15:
        digits = 0
    else:
        digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 8)}f}".replace("-", MINUS)


def percentage(fraction: float) -> str:
    """A relative difference, such as `−35 %`.

    >>> percentage(-0.354), percentage(0.0004), percentage(12)
    ('−35 %', '+0.04 %', '+1,200 %')
    """
    if math.isnan(fraction):
        return NONE
    percent = 100 * fraction
    digits = 0 if abs(percent) >= 10 or percent == 0 else 1 if abs(percent) >= 1 else 2
    return f"{percent:+,.{digits}f} %".replace("-", MINUS)
