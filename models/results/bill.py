"""The bill: what each job is charged, run by run (`thinktime.models.site.charge`), and who pays.

A term charges rate · n · ∫ w dt per processor-hour, where w is 1 in its hours of the day, or what its tariff is then;
per kWh it is rate · ∫ P w dt with the power P of the job above idle at the meter, and per kg or currency times the
signal as well. So charges add up: those of runs to that of a job, those of users to the bill.
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.results.metric import FRACTION, METRICS
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.service import all_runs
from thinktime.models.site.budget import OWNERS
from thinktime.models.site.charge import Charge, Term
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar, zone_of
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.signals.units import CARBON, KWH, PRICE
from thinktime.workloads.units import HOUR

GB = 2.0**30


def charged(result: Schedule, terms: Charge | None = None) -> Floats:
    """What each job is charged, up to the horizon, by the result's own charge or another; NaN without any.

    ``ValueError`` if it charges for power or a signal that the result does not have.
    """
    by = result.charge if terms is None else terms
    if by is None:
        return np.full(len(result), np.nan)
    runs, amounts = all_runs(result), charged_by_run(result, by)
    found = np.zeros(len(result))
    for amount in amounts:
        found += np.bincount(runs.row, amount, len(result))
    return found


def charged_by_run(result: Schedule, charge: Charge) -> list[Floats]:
    """What each term charges each run (`all_runs`)."""
    runs = all_runs(result)
    paid, begun = ~runs.ended(*charge.free)[runs.of_whole()[1]], ~runs.ended("resized")
    part = runs.processors / result["processors"][runs.row]
    return [
        each.amount(runs.row, runs.start, runs.end) * (begun if each.clock is None else part) * paid
        for each in rates(result, charge)
    ]


def charge_of_runs(result: Schedule) -> Floats:
    """What each run (`all_runs`) is charged: these add up to the charges of jobs."""
    found: Floats = sum(charged_by_run(result, result.charge), np.zeros(len(all_runs(result))))
    return found


class Rate(NamedTuple):
    """What one term charges jobs: for each, so many units of its quantity per second or run, and credits per unit."""

    units: Floats
    credits: Floats
    clock: list[Signal] | None
    """Signals by whose product a second counts; None for a term per run."""

    def amount(self, rows: Whole, begin: Floats, end: Floats) -> Floats:
        """What runs of the jobs in these rows are charged that begin and end then (s)."""
        time = np.ones(len(rows)) if self.clock is None else integral(self.clock, begin, end)
        found: Floats = self.units[rows] * time * self.credits[rows]
        return found


def rates(result: Schedule, charge: Charge) -> list[Rate]:
    """What each term charges each job."""
    return [_rate(result, each) for each in charge.terms]


@METRICS.of_jobs("credits", source="ours", needs="charge", told=())
def charge(result: Schedule) -> Floats:
    """Σ rate × what each run of the job has used, by the terms of the charge."""
    return charged(result)


@METRICS.of_run("credits", source="ours", group="charge", heading="charge\n")
def total_charge(result: Schedule) -> float:
    """Σ charge over jobs."""
    return float(charged(result).sum())


@METRICS.of_run(FRACTION, source="Jain, Chiu, Hawe 1984", group="charge", term="fairness of charges")
def charge_fairness(result: Schedule) -> float:
    """(Σ x)² / (N Σ x²) over users, with x a user's charge per processor-hour: 1 if all pay the same.

    Jain's index. Users who used nothing do not count; NaN if no user did, or none paid.
    """
    hours, paid = by_user(result)
    each = paid[hours > 0] / hours[hours > 0]
    squares = float((each * each).sum())
    return float(each.sum()) ** 2 / (len(each) * squares) if squares > 0 else np.nan


def by_user(result: Schedule) -> tuple[Floats, Floats]:
    """Processor-hours of all runs, and the charge, of each user; of jobs without a user first."""
    user, runs = result["user"] + 1, all_runs(result)
    users = len(result.names["user"]) + 1
    hours = np.bincount(user[runs.row], runs.processors * runs.length / HOUR, users)
    return hours.astype(np.float64), np.bincount(user, charged(result), users).astype(np.float64)


@METRICS.of_run(FRACTION, source="ours", group="charge", needs="budget")
def budget_left(result: Schedule) -> float:
    """Σ what is left / Σ amounts, over owners and periods in which a run of theirs began."""
    left, amounts = _budgets(result)
    return float(np.maximum(left, 0).sum() / amounts.sum()) if amounts.sum() > 0 else np.nan


@METRICS.of_run("credits", source="ours", group="charge", needs="budget")
def overdrawn(result: Schedule) -> float:
    """Σ of what was charged beyond the budgets of owners in periods."""
    return float(np.maximum(-_budgets(result)[0], 0).sum())


def _budgets(result: Schedule) -> tuple[Floats, Floats]:
    """What is left to each owner in each period in which a run of theirs began, and what there was."""
    budget, runs = result.budget, all_runs(result)
    column = OWNERS[budget.of]
    pairs = np.stack([result[column][runs.row], budget.period_of(runs.start[runs.of_whole()[0]])])
    each, place = np.unique(pairs, axis=1, return_inverse=True)
    labels = [*result.names[column], None]
    amounts = np.array([budget.of_name(labels[code]) for code in each[0]], np.float64)
    return amounts - np.bincount(place.reshape(-1), charge_of_runs(result), len(amounts)), amounts


def _concerned(result: Schedule, term: Term) -> Flags:
    """The jobs for which a term counts."""
    found = np.ones(len(result), np.bool_)
    for wanted, column in ((term.partition, "partition"), (term.qos, "queue")):
        if wanted is not None:
            codes = [code for code, label in enumerate(result.names[column]) if str(label) == wanted]
            codes += [-1] if column == "partition" and term.unnamed else []
            found &= np.isin(result[column], codes)
    return found


def _rate(result: Schedule, term: Term) -> Rate:
    size = result["processors"]
    credits: Floats = np.where(_concerned(result, term), term.rate, 0.0)
    if term.per == "job":
        return Rate(np.ones(len(result)), credits, None)
    if term.per == "processor-hour":
        units: Floats = size / HOUR
    elif term.per == "billing-hour":
        units = _billing(result, term) / HOUR
    else:
        units = _watts(result, term) / KWH
    clock = (
        [_signal(result, term, PRICE if term.per == "currency" else CARBON)] if term.per in ("kg", "currency") else []
    )
    if term.tariff is not None:
        if term.tariff not in result.signals:
            raise ValueError(f"the charge goes by a tariff {term.tariff!r}, but the run has no such signal")
        clock.append(result.signals[term.tariff])
    if (hours := term.at_hours(midnight(result))) is not None:
        clock.append(hours)
    return Rate(units, credits, clock)


def integral(clock: list[Signal], begin: Floats, end: Floats) -> Floats:
    """The integral of a product of signals over each of some times."""
    if not clock or not len(begin):
        return end - begin
    if len(clock) == 1:
        return clock[0].integral(begin, end)
    first, last = float(begin.min()), float(end.max())
    product = clock[0]
    for other in clock[1:]:
        product = product.times_other(other, first, last) if last > first else product
    return product.integral(begin, end)


def _signal(result: Schedule, term: Term, kind: str) -> Signal:
    found = result.signal(kind)
    if found is None:
        raise ValueError(f"the charge is per {term.per}, but the run has no signal of the kind {kind}")
    return found.scaled(found.in_unit.per_kwh)


def _watts(result: Schedule, term: Term) -> Floats:
    """What each job draws above idle at the meter, W."""
    power = result.machine_power
    if power is None:
        raise ValueError(f"the charge is per {term.per}, but the power of the machine is not known")
    found: Floats = result["processors"] * np.nan_to_num(result["power"], nan=power.job) * power.pue
    return found


def _billing(result: Schedule, term: Term) -> Floats:
    """What Slurm bills for each job per second."""
    size = result["processors"].astype(np.float64)
    weights = term.weights or {"cpu": 1.0}
    asked = {} if result.nodes is None else result.nodes.asked
    amounts = {"cpu": size, "mem": np.nan_to_num(result["memory"]) * size / GB, "gres/gpu": asked.get("gpus")}
    if result.nodes is not None:
        amounts["node"] = np.diff(result.nodes.offset).astype(np.float64)
        amounts["mem"] = asked["memory"] / GB if "memory" in asked else amounts["mem"]
    found = np.zeros(len(result))
    for name, weight in weights.items():
        each = amounts.get(name, asked.get(name.removeprefix("gres/")))
        found = found if each is None else found + weight * each
    return found


def midnight(result: Schedule) -> float:
    """A midnight of the log (s)."""
    zone = zone_of(result.zone, None) if isinstance(result.zone, str | None) else result.zone
    return Calendar(result.unix_start, zone).window(0.0)[0]
