"""Durations on axes, in s, min, h or d.

Ticks are at round durations (5 min, 6 h, 2 d): in even steps on a linear scale, and about a factor of ten apart on a
logarithmic one.
"""

from thinktime.analysis.pictures.matplotlib_types import Axis
from thinktime.workloads.units import DAY, HOUR, MINUTE, fitting_unit, in_one_unit

STEPS = (
    *(n for n in (1, 2, 5, 10, 15, 30)),
    *(n * MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
"""Round distances between ticks (s)."""

DECADES = (1, 10, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, *(n * DAY for n in (1, 10, 100, 1000)))
"""Round ticks of a logarithmic axis (s)."""


def linear_ticks(low: float, high: float, at_most: int = 8) -> list[float]:
    """Multiples of a round step within [low, high]."""
    step = next((step for step in STEPS if (high - low) / step <= at_most), STEPS[-1])
    first = -(-low // step)
    return [float(n * step) for n in range(int(first), int(high // step) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round durations within [low, high]: a factor of ten apart, or closer if that gives fewer than three."""
    coarse, fine = ([float(tick) for tick in each if low <= tick <= high] for each in (DECADES, STEPS))
    return coarse if len(coarse) >= 3 else fine


def show_log(axis: Axis, ticks: list[float]) -> None:
    """Put only these ticks on an axis, each in its own unit."""
    axis.set_ticks([], minor=True)
    axis.set_ticks(ticks, labels=[in_one_unit(tick) if tick else "0" for tick in ticks])


def show_linear(axis: Axis, low: float, high: float, at_most: int = 8) -> str:
    """Put even ticks on a linear axis in one unit, and return that unit."""
    ticks = linear_ticks(low, high, at_most)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else max(high - low, 1.0)
    size, unit = fitting_unit(step)
    axis.set_ticks(ticks, labels=[f"{tick / size:,.10g}" for tick in ticks])
    return unit
