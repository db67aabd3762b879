"""The tables of the study of incentives: its page, and the object of ``--json``."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.incentives.findings import findings, percent
from thinktime.analysis.studies.incentives.runs import FROM, IDLE, LATE, MODES, SPREAD, TO, WATTS, Answer
from thinktime.analysis.studies.incentives.study import Evidence
from thinktime.analysis.study import Report, Table, cell, verdicts


def report(found: Evidence) -> Report:
    """A table for each question, and what was looked for; all answers."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "source": found.source,
            "runs": [{"key": list(key)} | plain(answer) for key, answer in found.answers.items()],
            "bills": bills(found),
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    yield asked_table(found)
    yield ""
    yield held_table(found)
    yield ""
    yield bills_table(found)
    yield ""
    yield budgets_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}. open: recorded submissions; users: they wait for their jobs. Up to the last submission of "
        f"the log. Windows: {FROM / tt.HOUR:g} to {TO / tt.HOUR:g} h on weekdays; after: as long after each. Work: "
        "processor-hours of jobs that finished; lost: wanted work that was renounced or degraded away, % of all; late: "
        f"% of the submitted work that came in the last {100 * LATE:g} % of a period. Assumed: jobs draw {WATTS:g} W "
        f"(median over users, log-normal with {SPREAD:g}) per processor above {IDLE:g} W idle; users who answer always "
        "do; the share of users who do is varied."
    )


def _change(value: float, of: float) -> str:
    change = percent(value, of) if of else math.nan
    return f"{change:+.1f}" if math.isfinite(change) else "–"


def asked_table(found: Evidence) -> Table:
    """What windows of demand response save, and what users give up."""
    shown = Table("Windows of demand response, against nobody who answers", "users answer", whole=True)
    for heading in ("in windows (%)", "after (%)", "work (%)", "lost (%)", "delay (min)"):
        shown.numbers(f"{heading}\nopen", "\nusers")
    asked = found.of("asked")
    for way, share in dict.fromkeys(key[:2] for key in asked):
        of = [(asked[way, share, mode], found.nobody(mode)) for mode in MODES]
        shown.row(
            f"{way}, {100 * share:g} %",
            *(_change(each.inside, usual.inside) for each, usual in of),
            *(_change(each.after, usual.after) for each, usual in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{100 * each.lost / usual.work:.1f}" for each, usual in of),
            *(f"{each.delay / tt.MINUTE:,.0f}" for each, _ in of),
        )
    return shown


def held_table(found: Evidence) -> Table:
    """What holding jobs back saves, and what it costs."""
    shown = Table("Jobs held back for less carbon, against EASY", "policy", whole=True)
    for heading in ("kg per work (%)", "kg (%)", "work (%)", "wait (h)"):
        shown.numbers(f"{heading}\nopen", "\nusers")
    held = found.of("held")
    for policy in dict.fromkeys(key[0] for key in held):
        of = [(held[policy, mode], found.nobody(mode)) for mode in MODES]
        shown.row(
            policy.removeprefix("carbon:rule=").replace(",wait=", ", "),
            *(_change(each.carbon / each.work, usual.carbon / usual.work) for each, usual in of),
            *(_change(each.carbon, usual.carbon) for each, usual in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{each.wait / tt.HOUR:,.2f}" for each, _ in of),
        )
    return shown


def bills(found: Evidence) -> dict[str, dict[str, float]]:
    """For a charge in kWh and in kg: who pays less than for hours with the same revenue, and by what factors."""
    hours, kwh, kg = found.nobody("open").bills
    here = hours > 0
    told = {}
    for name, amount in (("kWh", kwh), ("kg", kg)):
        factor = (amount[here] / amount.sum()) / (hours[here] / hours.sum())
        low, high = np.quantile(factor, (0.1, 0.9))
        told[name] = {"pay less": float((factor < 1).mean()), "10 %": float(low), "90 %": float(high)}
    return told


def bills_table(found: Evidence) -> Table:
    """Who gains if the same revenue is charged otherwise."""
    shown = Table("The same revenue in energy or carbon instead of hours, by user", "charged by", whole=True)
    shown.numbers("pay less (%)", "factor, 10 %", "90 %")
    for name, told in bills(found).items():
        shown.row(name, f"{100 * told['pay less']:.0f}", f"{told['10 %']:.2f}", f"{told['90 %']:.2f}")
    return shown


def budgets_table(found: Evidence) -> Table:
    """What budgets do."""
    shown = Table("Budgets, renewed each period", "budget, of the own mean work", whole=True)
    for heading in ("late (%)", "work (%)", "wait (h)", "delay (h)"):
        shown.numbers(f"{heading}\nopen", "\nusers")
    budgets = found.of("budget")
    for arm, part in dict.fromkeys(key[:2] for key in budgets):
        of = [(budgets[arm, part, mode], found.nobody(mode)) for mode in MODES]
        shown.row(
            f"{arm}, {100 * part:g} %" if part else arm,
            *(cell(100 * each.late, ".1f") for each, _ in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{each.wait / tt.HOUR:,.2f}" for each, _ in of),
            *(f"{each.delay / tt.HOUR:,.1f}" for each, _ in of),
        )
    return shown


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as a table, with None for what is not there; bills are told apart."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in answer._asdict().items()
        if name != "bills"
    }
