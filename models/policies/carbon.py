"""Holding jobs back for a better time: a job waits up to ``wait`` for electricity with less carbon, or a lower price.

When a job is submitted, at t, the time from which it may start is found from the forecast of a signal, and it is held
until then, outside the queue, as if it had a ``begin``; the base rule decides everything else. So the rule is greedy in
each job alone: it does not know whether the machine is free then. With wait W and estimate E:

* ``threshold``: the first time in [t, t + W] at which the signal is at or below its quantile over [t, t + W]
* ``lowest-slot``: the beginning of the step with the least value, or t, among the starts in [t, t + W]
* ``lowest-window``: the start s in [t, t + W] with the least ∫ of the signal over [s, s + E], where s or s + E is the
  beginning of a step, or s is t or t + W

Of several that are as good, it is the first. Jobs of a queue or partition with the name ``urgent`` are not held.

Source: W. A. Hanafy et al., Going green for less green: optimizing the cost of reducing cloud carbon emissions (GAIA,
ASPLOS 2024), which has the two lowest; thresholds are from P. Wiesner et al., Let's wait awhile (Middleware 2021).
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from thinktime.models.policies.best_starts import Waits, below_quantile, least_windows, lowest_slots
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.checks import put, share
from thinktime.workloads.grid import TICK
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.signals.forecasts import Forecast, Foretold
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.units import as_text, seconds

NAME = "carbon"
RULES = ("lowest-window", "lowest-slot", "threshold")
ALIKE = 1e-12
"""Sums that differ by less than this share are as good as each other."""


@dataclass(frozen=True)
class Deferral:
    """How jobs are held back: by which ``rule``, for how long at most (s), and by which signal.

    ``signal`` is a name, by default that of the carbon, else of the price, else of the only one. ``quantile`` is that
    of ``threshold``. ``forecast`` says how the signal is foretold, by default as the machine says.

    >>> Deferral("lowest-window", wait="2h").start(600, 1800, Forecast(Signal([0, 3600], [1, 0.1])))
    3600.0
    """

    rule: str = "lowest-window"
    wait: float = 86_400.0
    signal: str = ""
    quantile: float = 0.3
    forecast: str = ""
    error: float = 0.0
    urgent: str = "urgent"

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule cannot be {quoted(self.rule)}; {key_of(str(self.rule), RULES, 'the rules')}")
        put(self, "wait", seconds(self.wait))
        put(self, "quantile", share("quantile", self.quantile))
        if self.forecast or self.error:  # refuse what is none before anything runs
            Forecast(Signal([0], [0]), self.forecast or "perfect", self.error)

    def around(self, base: str) -> str:
        """The text of a policy with this base."""
        usual = Deferral()
        told = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "rule"}
        told = {name: value for name, value in told.items() if value != getattr(usual, name)}
        shown = {"rule": self.rule, "wait": as_text(self.wait)} | {k: v for k, v in told.items() if k != "wait"}
        return f"{NAME}:{','.join(f'{key}={value}' for key, value in shown.items())},base={base}"

    def known(self, signals: dict[str, Forecast]) -> Forecast:
        """The forecast that it goes by, of those that a machine has; ``ValueError`` if there is none of the name."""
        name = self.signal or next((name for name in by_kind(signals)), "")
        if name not in signals:
            if not signals:
                such_as = "--signal carbon=carbon.csv,unit=g/kWh, in Python signals={'carbon': tt.Signal.read(…)}"
                raise ValueError(f"the policy {NAME} needs a signal, and the machine has none: give it one ({such_as})")
            known = key_of(name, signals, "its signals")
            raise ValueError(f"the policy {NAME} needs a signal {quoted(name)} of the machine; {known}")
        found = signals[name]
        return Forecast(found.signal, self.forecast, self.error, found.seed) if self.forecast else found

    def start(self, now: float, estimate: float, forecast: Forecast) -> float:
        """From when on a job may start (s) that is submitted now, and is expected to run for so long (s)."""
        return float(self.starts(np.array([now]), np.array([estimate]), forecast)[0])

    def starts(self, now: Floats, estimate: Floats, forecast: Forecast) -> Floats:
        """The same for many jobs. One that is expected to run for ever is not held."""
        found = np.array(now, np.float64)
        held = np.flatnonzero(np.isfinite(estimate) & (now + self.wait > now))
        order = held[np.argsort(now[held], kind="stable")]
        for rows in _alike(now[order], order, forecast):
            length = np.ascontiguousarray(estimate[rows], np.float64)
            seen = float(length.max()) if self.rule == "lowest-window" else TICK
            steps = forecast.steps(float(now[rows[0]]), float(now[rows[-1]]) + self.wait + seen)
            found[rows] = self._found(found[rows], length, steps)
        return found

    def _found(self, now: Floats, length: Floats, steps: Foretold) -> Floats:
        """The starts that the rule finds for jobs that are submitted at ascending times."""
        found, room = np.empty(len(now)), 2 * len(steps.times) + 2
        waits = Waits(
            **steps._asdict(), tried=np.empty(room), worth=np.empty(room), order=np.empty(room, np.int64),
            spare=np.empty(room, np.int64), wait=self.wait, share=self.quantile, alike=ALIKE,
        )  # fmt: skip
        if self.rule == "lowest-window":
            least_windows(waits, now, length, found)
        elif self.rule == "lowest-slot":
            lowest_slots(waits, now, found)
        else:
            below_quantile(waits, now, found)
        return found


def _alike(times: Floats, rows: Whole, forecast: Forecast) -> list[Whole]:
    """Rows in order of their times, in groups for each of which the same is foretold of steps to come."""
    if not len(rows):
        return []
    if forecast.kind != "persistence":
        return [rows]
    borders = forecast.signal.steps(float(times[0]), float(times[-1]) + TICK).times
    return np.split(rows, np.flatnonzero(np.diff(np.searchsorted(borders, times, "right"))) + 1)


def by_kind(signals: dict[str, Forecast]) -> list[str]:
    """Names of signals: carbon first, then prices, then others."""
    order = {"carbon": 0, "price": 1}
    return sorted(signals, key=lambda name: (order.get(signals[name].signal.kind, 2), name not in order))


def deferral_of(options: dict[str, Any]) -> Deferral:
    """The deferral with these options; ``ValueError`` for others."""
    known = [each.name for each in fields(Deferral)]
    for key in options:
        if key not in known:
            raise ValueError(f"there is no option {quoted(key)}; its options are: {', '.join([*known, 'base'])}")
    return Deferral(**options)


def deferral_options() -> str:
    """The options with their defaults, for the catalogue."""
    usual = Deferral()
    shown = {each.name: getattr(usual, each.name) for each in fields(usual)} | {"wait": as_text(usual.wait)}
    return ", ".join([*(f"{key}={value}" if value else key for key, value in shown.items()), "base=easy"])
