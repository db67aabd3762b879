"""Made-up signals: a daily and weekly cycle, and one of a grid with wind. They begin on Monday at midnight.

**daily.** In hour h of a day the value is m · (1 + a · cos(2π (h − p) / 24)) · w, with mean m, swing a, peak hour p and
w = 1 on working days.

**wind.** The share of wind, s, follows an AR(1) on its logit: logit s = logit(mean) + x, where x keeps the share φ of
itself in each hour, x' = φ x + √(1 − φ²) σ z, with z standard normal. With demand d of the daily cycle, wind serves
c = min(s / d, 1) of it, and the value is c · clean + (1 − c) · dirty.

Ours; numbers are chosen, not fitted to any grid.
"""

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.checks import number, positive, share, whole
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.units import HOUR, WEEK, WEEK_HOURS

DAY_HOURS = 24


@dataclass(frozen=True)
class Cycle:
    """A daily and weekly cycle with mean 1 on working days: a ``swing`` around the hour ``peak`` of the day.

    Saturdays and Sundays have the share ``weekend`` of it.
    """

    swing: float = 0.3
    peak: float = 19.0
    weekend: float = 0.9

    def __post_init__(self) -> None:
        share("swing", self.swing)
        number("peak", self.peak, "an hour of the day", least=0, most=DAY_HOURS)
        positive("weekend", self.weekend)

    def hours(self, count: int) -> Floats:
        """So many hours from Monday at midnight on."""
        hour = np.arange(count)
        working = np.where(hour // DAY_HOURS % 7 < 5, 1.0, self.weekend)
        return (1 + self.swing * np.cos(2 * np.pi * (hour - self.peak) / DAY_HOURS)) * working


def daily(
    mean: float = 0.2,
    cycle: Cycle | None = None,
    name: str = "price",
    unit: str = "EUR/kWh",
    calendar: Calendar | None = None,
) -> Signal:
    """A week of hours that repeats, with this mean on working days.

    With a ``calendar`` (`Trace.calendar`), hours are those of the log; otherwise it starts on a Monday at midnight.

    >>> daily(mean=100, cycle=Cycle(swing=0.5), unit="g/kWh").steps(0, 86_400).values.round().astype(int).tolist()[6:8]
    [52, 50]
    """
    return _hourly(number("mean", mean) * (cycle or Cycle()).hours(WEEK_HOURS), name, unit, calendar)


def wind(
    seed: Seed,
    mean: float = 0.4,
    persistence: float = 0.97,
    spread: float = 1.2,
    ends: tuple[float, float] = (30.0, 700.0),
    days: int = 364,
    cycle: Cycle | None = None,
    calendar: Calendar | None = None,
) -> Signal:
    """Carbon (g per kWh) of so many days of hours, which then repeat; 364 days are whole weeks.

    ``persistence`` is φ, ``spread`` is σ, and ``ends`` are clean and dirty electricity.

    >>> wind(seed=1, days=7)
    <Signal carbon: 168 steps from 0 s, 30 to 588.887 g/kWh, repeat every 7d 0h>
    """
    hours = whole("days", days) * DAY_HOURS
    kept = number("persistence", persistence, "a number from 0 to below 1", least=0, most=1 - 2**-50)
    odds = number("mean", mean, "a share between 0 and 1", least=2**-30, most=1 - 2**-30)
    noise = stream(seed, "carbon", "wind").standard_normal(hours) * positive("spread", spread)
    noise[1:] *= np.sqrt(1 - kept * kept)
    x = np.array(list(accumulate(noise.tolist(), lambda before, new: kept * before + new)))
    served = 1 / (1 + (1 - odds) / odds * np.exp(-x))
    part = np.minimum(served / (cycle or Cycle(swing=0.15)).hours(hours), 1)
    clean, dirty = (number("an end", end, "a number of at least 0", least=0) for end in ends)
    return _hourly(part * clean + (1 - part) * dirty, "carbon", "g/kWh", calendar)


def _hourly(values: Floats, name: str, unit: str, calendar: Calendar | None) -> Signal:
    start = 0.0 if calendar is None else calendar.window(0.0, WEEK)[0]
    return Signal(start + HOUR * np.arange(len(values)), values, name, unit, end=start + HOUR * len(values))
