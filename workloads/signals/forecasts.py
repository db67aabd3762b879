"""What is known of a signal ahead of time: a forecast, as policies and users see it.

* ``perfect``: all of it
* ``persistence``: what it was at this time yesterday; the step that is under way is known
* ``noisy``, with an ``error``: each step to come is multiplied by a lognormal number of mean 1, whose standard
  deviation is the error. The number of a step is the same whenever one looks ahead.

A value is foretold by the time of the day in s, so when clocks change yesterday is 24 hours ago.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.checks import number
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.streams import sequence
from thinktime.workloads.units import DAY

KINDS = ("perfect", "persistence", "noisy")


class Foretold(NamedTuple):
    """Steps to come: when each begins (s), its value, and what is foretold of it before."""

    times: Floats
    values: Floats
    foretold: Floats


@dataclass(frozen=True)
class Forecast:
    """A signal as it is foretold: ``perfect``, ``persistence``, or ``noisy`` with a relative ``error``.

    >>> price = Signal([0, 43_200, 86_400, 129_600], [1.0, 0.1, 1.0, 0.5], "price", "EUR/kWh")
    >>> Forecast(price, "persistence").seen(86_400, 172_800).at(129_600), price.at(129_600)
    (0.1, 0.5)
    """

    signal: Signal
    kind: str = "perfect"
    error: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"a forecast cannot be {quoted(self.kind)}; {key_of(str(self.kind), KINDS, 'the forecasts')}"
            )
        number("error", self.error, "a relative error of at least 0", least=0)
        if self.error and self.kind != "noisy":
            raise ValueError(f"only a noisy forecast has an error, not one of the kind {quoted(self.kind)}")

    def steps(self, first: float, last: float) -> Foretold:
        """What is foretold, up to ``last``, whoever looks from ``first`` on; the step that is under way is known.

        Of a forecast by ``persistence``, this is for those who look before that step ends.
        """
        if self.kind == "persistence":
            times, values, _ = self.seen(first, last).steps(first, last)
            return Foretold(times, values, values)
        times, values, _ = self.signal.steps(first, min(last, self.signal.over))
        if self.kind == "noisy" and self.error:
            return Foretold(times, values, values * self._luck(times))
        return Foretold(times, values, values)

    def seen(self, now: float, until: float) -> Signal:
        """What is foretold at ``now`` for the time up to ``until`` (s), as a signal that holds its last value."""
        until = min(until, self.signal.over)
        if self.kind == "persistence":
            times, values = self._yesterday(now, until)
        else:
            times, values, _ = self.signal.steps(now, until)
        if self.kind == "noisy" and self.error:
            values[1:] *= self._luck(times[1:])
        return Signal(times, values, self.signal.name, self.signal.unit, "hold", until)

    def _yesterday(self, now: float, until: float) -> tuple[Floats, Floats]:
        """The step that is under way, and from its end on the day before that, again and again."""
        here, known = self.signal.at(now), min(self.signal.next_step(now), until)
        begin = max(known - DAY, self.signal.start)
        day = self.signal.steps(begin, known)
        missing = begin > known - DAY
        starts = np.concatenate(([known - DAY], day.times)) if missing else day.times
        worth = np.concatenate(([here], day.values)) if missing else day.values
        days = DAY * np.arange(1.0, np.ceil((until - known) / DAY) + 1)[:, None]
        times, values = (starts + days).ravel(), np.tile(worth, len(days))
        kept = times < until
        return np.concatenate(([now], times[kept])), np.concatenate(([here], values[kept]))

    def _luck(self, times: Floats) -> Floats:
        """The factor of the step that begins at each time."""
        width = np.sqrt(np.log1p(self.error**2))
        draws = [_draw(self.seed, int(time * TICKS_PER_SECOND), self.signal.name) for time in times]
        found: Floats = np.exp(width * np.array(draws) - width * width / 2)
        return found


@lru_cache(1 << 17)
def _draw(seed: int, tick: int, name: str) -> float:
    """The number of one step of a signal of this name."""
    return float(np.random.default_rng(sequence(seed, tick, name)).standard_normal())


def forecasts_of(given: Any) -> dict[str, Forecast] | None:
    """Forecasts by name, from a mapping or a list of them, or of signals, which are foretold perfectly.

    None for none; ``TypeError`` for anything else.
    """
    if not given:
        return None
    listed = given.items() if isinstance(given, Mapping) else [(_name(each), each) for each in given]
    found = {name: Forecast(each) if isinstance(each, Signal) else each for name, each in listed}
    if not all(isinstance(name, str) and isinstance(each, Forecast) for name, each in found.items()):
        raise TypeError(f"signals must be such as {{'price': Signal([0], [0.2])}}, not {quoted(given)}")
    return found


def _name(one: Any) -> str:
    return one.signal.name if isinstance(one, Forecast) else getattr(one, "name", "")
