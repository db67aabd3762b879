"""Power over time, and what follows from it: energy, carbon and cost, of jobs and of the whole machine.

The power at the meter is a step function,

    P(t) = pue · (idle power of what there is at t + Σ over jobs running at t of n · w),

with n the processors of a job and w the watts that each draws above idle (column ``power``). Each processor of a pool,
or each node of a machine of nodes, draws ``idle``, whether jobs run on it or not, and also while it is down; while it
is switched off (a window of kind ``off``) it draws ``off``, and what the machine lacks (kind ``capacity``) draws
nothing. Suspended jobs draw nothing; checkpoints, restarts and work that is lost draw as work.

Energy is the integral of P, and carbon and cost that of P times a signal (`thinktime.workloads.signals`), all as sums
over boxes of constant power: exact as far as doubles are, since times and watts are multiples of 2⁻¹⁰. Measures of a
run are over the machine's window, or ``between`` two times (s). Energy is in kWh, 3.6 MJ; power in W.
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.metric import FRACTION, METRICS
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.service import Between, span_of, useful_work
from thinktime.models.results.steps import Steps, sum_of_boxes
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.changes.windows import CAP
from thinktime.workloads.names import explain_missing
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.signals.units import CARBON, KWH, PRICE
from thinktime.workloads.units import HOUR

NEAR = 0.95
"""From this share of the cap on, the machine counts as at its cap."""
HIGH = 0.95
"""The quantile of power over time that is shown."""


class Boxes(NamedTuple):
    """Constant power (W at the meter) from and to a time (s), each of the job in a row, or of none (-1)."""

    row: Whole
    begin: Floats
    end: Floats
    watts: Floats

    def within(self, first: float, last: float) -> "Boxes":
        """The part of each between two times."""
        begin, end = np.clip(self.begin, first, last), np.clip(self.end, first, last)
        return Boxes(self.row, begin, end, self.watts)

    @property
    def joules(self) -> Floats:
        """The energy of each."""
        return self.watts * (self.end - self.begin)

    def times(self, signal: Signal) -> Floats:
        """What each costs: a price in its currency, carbon in kg."""
        found: Floats = np.zeros(len(self.row))
        some = (self.end > self.begin) & (self.watts != 0)
        weighed = signal.integral(self.begin[some], self.end[some])
        found[some] = self.watts[some] * weighed * (signal.in_unit.per_kwh / KWH)
        return found


def of_jobs(result: Schedule) -> Boxes:
    """What each run of each job draws above idle, up to the horizon; nothing on a machine without power."""
    row, begin, end = measures.used(result)
    power = result.machine_power
    if power is None:
        return Boxes(row, begin, end, np.zeros(len(row)))
    each = np.nan_to_num(result["power"], nan=power.job)
    return Boxes(row, begin, end, measures.sizes_of(result) * each[row] * power.pue)


def of_idle(result: Schedule, first: float, last: float) -> Boxes:
    """What the machine draws between two times whatever runs; what it lacks or has switched off is taken off it."""
    power = result.machine_power
    if power is None or not last > first:
        return Boxes(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0))
    units = result.processors if result.nodes is None else len(result.nodes.names)
    begin, end, watts = [first], [last], [power.idle * units]
    off = power.idle if power.off is None else power.off
    for window in () if result.history is None else result.history.windows:
        if window.kind in ("capacity", "off"):
            size = window.processors if isinstance(window.processors, int) else len(window.processors)
            begin.append(window.start)
            end.append(window.end)
            watts.append(-size * (power.idle - (off if window.kind == "off" else 0.0)))
    found = Boxes(np.full(len(begin), -1), np.array(begin), np.array(end), np.array(watts) * power.pue)
    return found.within(first, last)


def power_steps(result: Schedule, between: Between = None) -> Steps:
    """Power at the meter (W) over time, from the first start to the last end, or between two times (s)."""
    first, last = span_of(result, between)
    jobs, idle = of_jobs(result).within(first, last), of_idle(result, first, last)
    pairs = zip(jobs[1:], idle[1:], strict=True)
    begin, end, watts = (np.concatenate(pair) for pair in pairs)
    some = end > begin
    return sum_of_boxes(begin[some], end[some], watts[some])


def cap_steps(result: Schedule, between: Between = None) -> Steps:
    """The cap on power at the meter (W) over the same time, infinite where there is none."""
    first, last = span_of(result, between)
    power = result.machine_power
    usual = np.inf if power is None or power.cap is None else power.cap
    windows = () if result.history is None or power is None else result.history.windows
    lower = [each for each in windows if each.kind == CAP and each.end > first and each.start < last]
    borders = [time for each in lower for time in (each.start, each.end) if first < time < last]
    times = np.unique([first, *borders, last])
    caps = [min([usual, *(each.watts for each in lower if each.start <= t < each.end)]) for t in times[:-1]]
    return Steps(times, np.array([*caps, 0.0]))


@METRICS.of_jobs("kWh", source="ours", needs="power", told=())
def energy(result: Schedule) -> Floats:
    """Processors × W of each above idle × length of all runs × pue (kWh), up to the horizon."""
    jobs = of_jobs(result)
    return np.bincount(jobs.row, jobs.joules, len(result)).astype(np.float64) / KWH


@METRICS.of_jobs("kg", source="ours", needs="carbon", told=())
def carbon(result: Schedule) -> Floats:
    """∫ W of the job above idle × pue × carbon per kWh dt (kg), over all of its runs."""
    return _weighed_by_job(result, CARBON)


@METRICS.of_jobs("currency", source="ours", needs="price", told=())
def energy_cost(result: Schedule) -> Floats:
    """∫ W of the job above idle × pue × price per kWh dt, over all of its runs, in the currency of the price."""
    return _weighed_by_job(result, PRICE)


@METRICS.of_run("kWh", over="time", source="ours", group="power", heading="energy\nkWh")
def total_energy(result: Schedule, between: Between = None) -> float:
    """∫ P dt (kWh) of the power at the meter: jobs and the idle machine."""
    return jobs_energy(result, between) + idle_energy(result, between)


@METRICS.of_run("kWh", over="time", source="ours", term="energy of jobs", group="power")
def jobs_energy(result: Schedule, between: Between = None) -> float:
    """What jobs drew above idle, times pue (kWh)."""
    first, last = span_of(result, between)
    return float(of_jobs(result).within(first, last).joules.sum()) / KWH


@METRICS.of_run("kWh", over="time", source="ours", term="energy of the idle machine", group="power")
def idle_energy(result: Schedule, between: Between = None) -> float:
    """What the machine draws whatever runs, times pue (kWh)."""
    first, last = span_of(result, between)
    return _or_nan(float(of_idle(result, first, last).joules.sum()) / KWH, first, last)


@METRICS.of_run("kWh per processor-hour", over="time", source="ours", term="energy per work", group="power")
def energy_per_work(result: Schedule, between: Between = None) -> float:
    """Energy in all / useful work: kWh per processor-hour of progress of jobs that finished."""
    return _per_work(result, total_energy(result, between), between)


@METRICS.of_run("W", over="time", source="ours", group="power", heading="peak\nkW")
def peak_power(result: Schedule, between: Between = None) -> float:
    """The largest power at the meter (W)."""
    _, values = power_steps(result, between)
    return float(values.max()) if len(values) else np.nan


@METRICS.of_run("W", over="time", source="ours", group="power", term="95 % power")
def p95_power(result: Schedule, between: Between = None) -> float:
    """The power at the meter (W) that is not exceeded in 95 % of the time."""
    times, values = power_steps(result, between)
    if len(times) < 2:
        return np.nan
    lengths, values = np.diff(times), values[:-1]
    order = np.argsort(values, kind="stable")
    place = np.searchsorted(np.cumsum(lengths[order]), HIGH * lengths.sum())
    return float(values[order][min(place, len(order) - 1)])


@METRICS.of_run(FRACTION, over="time", source="ours", term="time at the cap", group="power")
def time_at_cap(result: Schedule, between: Between = None) -> float:
    """Share of the time in which the power at the meter is at least 95 % of the cap; 0 without a cap."""
    drawn, capped = power_steps(result, between), cap_steps(result, between)
    times = np.union1d(drawn.times, capped.times)
    if len(times) < 2:
        return np.nan
    at = drawn.at(times[:-1]) >= NEAR * capped.at(times[:-1])
    return float(np.diff(times)[at].sum() / (times[-1] - times[0]))


@METRICS.of_run("kg", over="time", source="ours", group="power", needs="carbon", heading="carbon\nkg")
def total_carbon(result: Schedule, between: Between = None) -> float:
    """∫ P × carbon per kWh dt (kg) of the power at the meter."""
    return _weighed(result, CARBON, between)


@METRICS.of_run(
    "kg per processor-hour", over="time", source="ours", term="carbon per work", group="power", needs="carbon"
)
def carbon_per_work(result: Schedule, between: Between = None) -> float:
    """Carbon in all / useful work: kg per processor-hour of progress of jobs that finished."""
    return _per_work(result, total_carbon(result, between), between)


@METRICS.of_run("currency", over="time", source="ours", group="power", needs="price", heading="cost\n")
def total_cost(result: Schedule, between: Between = None) -> float:
    """∫ P × price per kWh dt of the power at the meter, in the currency of the price."""
    return _weighed(result, PRICE, between)


class Around(NamedTuple):
    """Energy (kWh) before, inside and after a window, for as long each before and after."""

    before: float
    inside: float
    after: float

    def rebound(self, baseline: "Around") -> float:
        """The share of what the window saved against another run of the same that came back after it.

        NaN if it saved nothing.
        """
        saved = baseline.inside - self.inside
        return (self.after - baseline.after) / saved if saved > 0 else np.nan


def around(result: Schedule, start: float, end: float, length: float | None = None) -> Around:
    """The energy in a window [start, end), and over ``length`` s before and after it (default: as long as it is)."""
    length = end - start if length is None else length
    sides = ((start - length, start), (start, end), (end, end + length))
    return Around(*(total_energy(result, side) for side in sides))


def _or_nan(value: float, first: float, last: float) -> float:
    return value if last >= first else np.nan


def _per_work(result: Schedule, amount: float, between: Between) -> float:
    hours = useful_work(result, between) / HOUR
    return amount / hours if hours > 0 else np.nan


def _weighed_by_job(result: Schedule, kind: str) -> Floats:
    signal, jobs = result.signal(kind), of_jobs(result)
    if signal is None:
        return np.full(len(result), np.nan)
    return np.bincount(jobs.row, jobs.times(signal), len(result)).astype(np.float64)


def _weighed(result: Schedule, kind: str, between: Between) -> float:
    signal, (first, last) = result.signal(kind), span_of(result, between)
    if signal is None or not last >= first:
        return np.nan
    parts = of_jobs(result).within(first, last), of_idle(result, first, last)
    return float(sum(part.times(signal).sum() for part in parts))


explain_missing(__name__)
