"""The tables of the study of incentives: its page, and the object of ``--json``."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.incentives.assumptions import (
    ASSUMED,
    CONCLUSIONS,
    DEAR,
    ELASTICITIES,
    PATIENCES,
    carbon_per_work,
    energy_per_work,
    pays_less,
    shares,
    verdicts_of,
    words,
)
from thinktime.analysis.studies.incentives.findings import findings, percent
from thinktime.analysis.studies.incentives.runs import FROM, IDLE, LATE, MODES, SPREAD, TO, WATTS, Answer
from thinktime.analysis.studies.incentives.study import Evidence
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts


def report(found: Evidence) -> Report:
    """A table for each question, and what was looked for; all answers."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "source": found.source,
            "runs": [{"key": list(key)} | plain(answer) for key, answer in found.answers.items()],
            "bills": bills(found),
            "turns over": turned_over(found),
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
    yield assumptions_table()
    yield ""
    yield other_windows_table(found)
    yield ""
    yield other_costs_table(found)
    yield ""
    yield turned_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}. open: recorded submissions; users: they wait for their jobs. Up to the last submission of "
        f"the log. Windows: {FROM / tt.HOUR:g} to {TO / tt.HOUR:g} h on weekdays; after: as long after each. Work: "
        "processor-hours of jobs that finished; lost: wanted work that was renounced or degraded away, % of all; late: "
        f"% of the submitted work that came in the last {100 * LATE:g} % of a period; pay less: % of the users who "
        "computed, against hours with the same revenue."
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
        of = [(asked[way, share, mode], found.unasked(mode)) for mode in MODES]
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
        of = [(held[policy, mode], found.unasked(mode)) for mode in MODES]
        shown.row(
            policy.removeprefix("carbon:rule=").replace(",wait=", ", "),
            *(_change(carbon_per_work(each), carbon_per_work(usual)) for each, usual in of),
            *(_change(each.carbon, usual.carbon) for each, usual in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{each.wait / tt.HOUR:,.2f}" for each, _ in of),
        )
    return shown


def bills(found: Evidence) -> dict[str, dict[str, float]]:
    """For a charge in kWh and in kg: who pays less than for hours with the same revenue, and by what factors."""
    usual, told = found.unasked("open"), {}
    for place, name in ((1, "kWh"), (2, "kg")):
        low, high = np.quantile(shares(usual, place), (0.1, 0.9))
        told[name] = {"pay less": pays_less(usual, place), "10 %": float(low), "90 %": float(high)}
    return told


def bills_table(found: Evidence) -> Table:
    """Who gains if the same revenue is charged otherwise."""
    shown = Table("The same revenue in energy or carbon instead of hours, by user", "charged by", whole=True)
    shown.numbers("pay less (%)", "factor, 10 %", "90 %")
    for name, told in bills(found).items():
        shown.row(name, f"{100 * told['pay less']:.0f}", f"{told['10 %']:.2f}", f"{told['90 %']:.2f}")
    return shown


def budgets_table(found: Evidence) -> Table:
    """What budgets do to work and waits, by how much of their mean work users have."""
    shown = Table("Budgets, renewed each period", "budget, of the own mean work", whole=True)
    for heading in ("late (%)", "work (%)", "wait (h)", "delay (h)"):
        shown.numbers(f"{heading}\nopen", "\nusers")
    budgets = found.of("budget")
    for arm, part in dict.fromkeys(key[:2] for key in budgets):
        of = [(budgets[arm, part, mode], found.unasked(mode)) for mode in MODES]
        shown.row(
            f"{arm}, {100 * part:g} %" if part else arm,
            *(cell(100 * each.late, ".1f") for each, _ in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{each.wait / tt.HOUR:,.2f}" for each, _ in of),
            *(f"{each.delay / tt.HOUR:,.1f}" for each, _ in of),
        )
    return shown


def assumptions_table() -> Table:
    """What no log says of users."""
    shown = Table("What is assumed of users", "", whole=True)
    shown.texts("is", "is varied", whole=False)
    elasticities = ", ".join(f"{each:g}" for each in ELASTICITIES)
    patiences = ", ".join(f"{each / tt.HOUR:g}" for each in PATIENCES)
    shown.row("power of their jobs", f"{WATTS:g} W per processor above {IDLE:g} W idle; log-normal, {SPREAD:g}", "no")
    shown.row("when they come back", "after what they waited for, as in the log", "open loop, users")
    shown.row("who answers in windows", "always, all of them", "10, 50, 100 % of the users")
    shown.row("elasticity e", f"gives way with 1 - cost^-e; a window costs {DEAR:g} times as much", elasticities)
    shown.row("patience (h)", "until the end of the window", patiences)
    shown.row("who leaves", "nobody", f"once, whoever has waited {patiences} h")
    return shown


def _others(title: str, *headings: str) -> Table:
    shown = Table(title, "of users", whole=True)
    for heading in headings:
        shown.numbers(f"{heading}\nopen", "\nusers")
    return shown


def _of(found: Evidence, *questions: str) -> Iterator[tuple[str, list[tuple[Answer, Answer]]]]:
    """Assumptions in words, with an answer and the usual one in each mode."""
    for what in ASSUMED:
        if what[0] in questions:
            name = f"{what[0]}, {what[1]}" if what[0] != "windows" else what[1]
            yield (
                ", ".join([name, *words(what)]),
                [(found.assumed[what, mode], found.unasked(mode)) for mode in MODES],
            )


def other_windows_table(found: Evidence) -> Table:
    """Windows of demand response, with users who weigh the price, and put off for so long."""
    shown = _others("Windows at twice the price", "in windows (%)", "after (%)", "work (%)", "lost (%)", "delay (min)")
    for name, of in _of(found, "windows"):
        shown.row(
            name,
            *(_change(each.inside, usual.inside) for each, usual in of),
            *(_change(each.after, usual.after) for each, usual in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{100 * each.lost / usual.work:.1f}" for each, usual in of),
            *(f"{each.delay / tt.MINUTE:,.0f}" for each, _ in of),
        )
    return shown


def other_costs_table(found: Evidence) -> Table:
    """Carbon that is shown, jobs that are held back, and charges, with such users."""
    shown = _others(
        "Carbon shown, jobs held back, charges", "kWh per work (%)", "kg per work (%)", "work (%)", "lost (%)",
        "pay less (%)",
    )  # fmt: skip
    for name, of in _of(found, "carbon", "held", "kWh", "kg"):
        place = {"kWh": 1, "kg": 2}.get(name.partition(",")[0], 0)
        shown.row(
            name,
            *(_change(energy_per_work(each), energy_per_work(usual)) for each, usual in of),
            *(_change(carbon_per_work(each), carbon_per_work(usual)) for each, usual in of),
            *(_change(each.work, usual.work) for each, usual in of),
            *(f"{100 * each.lost / usual.work:.1f}" for each, usual in of),
            *(f"{100 * pays_less(each, place):.0f}" if place else NONE for each, _ in of),
        )
    return shown


def turned_table(found: Evidence) -> Table:
    """Which conclusions turn over with other users."""
    shown = Table("What turns over with other users", "", whole=True)
    shown.numbers("holds", "unclear", "not")
    shown.texts("not with", whole=False)
    unasked = {mode: found.unasked(mode) for mode in MODES}
    for each in CONCLUSIONS:
        told = verdicts_of(each, found.assumed, unasked)
        where = [" ".join([*([] if each.way else [what[1]]), *words(what), mode]) for what, mode in told.turned]
        shown.row(each.says, *(str(len(part)) for part in told), "; ".join(where))
    return shown


def turned_over(found: Evidence) -> list[dict[str, Any]]:
    """Of each conclusion the assumptions, and modes, with which it holds, cannot be told, and does not hold."""
    unasked = {mode: found.unasked(mode) for mode in MODES}
    return [{"says": each.says} | verdicts_of(each, found.assumed, unasked)._asdict() for each in CONCLUSIONS]


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as a table, with None for what is not there; bills are told apart."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in answer._asdict().items()
        if name != "bills"
    }
