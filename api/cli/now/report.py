"""What is told of a forecast."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from thinktime.analysis.now import told
from thinktime.analysis.now.outlook import ARRIVING, SHARES, TODAY, Outlook, quantile, share_by
from thinktime.analysis.report import Report
from thinktime.cli.layout import NONE, titled
from thinktime.workloads.units import HOUR, counted, in_two_units

MOST = 30
"""So many jobs are in the table on the terminal; all are in the JSON."""


def report(outlook: Outlook, user: str | None = None) -> Report:
    """Tables, sentences on what is not known, and the numbers."""
    return Report(lambda: _page(outlook, user), lambda: told.values(outlook, user))


def _page(outlook: Outlook, user: str | None) -> Iterator[Any]:
    rows = told.chosen(outlook, user)
    if not rows:
        yield f"No job{'' if user is None else f' of {user}'} waits; now it is {told.present(outlook)}."
    else:
        yield _jobs(outlook, rows[:MOST], user is not None)
        if len(rows) > MOST:
            yield f"{counted(len(rows) - MOST, 'more job')}: see --json, --for USER or --out DIR."
    if outlook.asked:
        yield ""
        yield _asked(outlook)
    for name in outlook.drawings:
        if name != TODAY:
            yield ""
            yield from _change(outlook, name)
    yield ""
    yield (
        f"{outlook.draws:,} draws up to {told.clock(outlook, outlook.until)}. 80 %: so many of them start in between; "
        "1 h: the chance to start within it; by limits: if all jobs ran to their limits and nobody came; >: later. Who "
        f"comes: {ARRIVING[outlook.arrivals]}."
    )
    if run_times := told.run_times(outlook):
        yield run_times
    for note in outlook.notes:
        yield f"Not known: {note}."


def _jobs(outlook: Outlook, rows: list[int], whole: bool) -> Table:
    """One line for each job; ``whole``: with all intervals and where its run time is known from."""
    site = bool(np.isfinite(outlook.promised).any()) if len(outlook.promised) else False
    table = titled(f"When waiting jobs start; now it is {told.present(outlook)}", "job")
    for heading in ("user", "why it waits"):
        table.add_column(heading, no_wrap=True)
    shares = SHARES if whole else (0.8,)
    headings = ["proc.", "median", *(f"{share:.0%}".replace("%", " %") for share in shares), "1 h", "24 h", "by limits"]
    for heading in (*headings, *(["site says"] if site else []), *(["run time from"] if whole else [])):
        table.add_column(heading, justify="right", no_wrap=True)
    median, w = outlook.median(), outlook.waiting
    ends = [outlook.interval(share) for share in shares]
    hour, day = outlook.share_by(HOUR), outlook.share_by(24 * HOUR)
    for k in rows:
        ahead, why = w.ahead.item(k), w.reason[k] if whole else w.reason[k].partition(":")[0]
        known = site and bool(np.isfinite(outlook.promised[k]))
        promised = [told.clock(outlook, outlook.promised.item(k)) if known else NONE] if site else []
        table.add_row(
            outlook.label(k), str(w.user[k] if w.user[k] is not None else NONE),
            f"{why}, {ahead:,} ahead" if ahead else why,
            f"{w.processors.item(k):,}", told.clock(outlook, median.item(k)),
            *(_between(outlook, low.item(k), high.item(k)) for low, high in ends),
            _share(hour.item(k)), _share(day.item(k)), told.by_limits(outlook, k) or NONE, *promised,
            *([told.known_from(outlook, k)] if whole else []),
        )  # fmt: skip
    return table


def _between(outlook: Outlook, low: float, high: float) -> str:
    return told.between(outlook, low, high) or NONE


def _share(value: float) -> str:
    return NONE if np.isnan(value) else f"{value:.0%}"


def _asked(outlook: Outlook) -> Table:
    table = titled("Jobs that are not submitted yet", "job", "median", "50 %", "80 %", "95 %", "1 h", "24 h")
    for name, starts in outlook.asked.items():
        column = starts[:, None]
        ends = [[quantile(column, q).item() for q in ((1 - s) / 2, (1 + s) / 2)] for s in (0.5, 0.8, 0.95)]
        shares = [share_by(column, outlook.time + time).item() for time in (HOUR, 24 * HOUR)]
        middle = outlook.never.get(name) or told.clock(outlook, quantile(column, 0.5).item())
        table.add_row(name, middle, *(_between(outlook, *each) for each in ends), *map(_share, shares))
    return table


def _change(outlook: Outlook, name: str) -> Iterator[Any]:
    now, later = outlook.everybody(name)
    gain, lose = told.gainers_and_losers(outlook, name)
    yield (
        f"With {name}, {counted(gain, 'waiting job')} {'gains' if gain == 1 else 'gain'} and {lose:,} "
        f"{'loses' if lose == 1 else 'lose'}; starts of those who wait now are "
        f"{_later(now.mean, now.half)}, the waits of those who come {_later(later.mean, later.half)}."
    )
    most = list(told.moved_most(outlook, name))
    if most:
        table = titled(f"The jobs that {name} moves most", "job", "user", "later by", "95 % interval")
        for k, mean, low, high in most:
            who = outlook.waiting.user[k]
            row = outlook.label(k), NONE if who is None else str(who)
            table.add_row(*row, signed(mean), f"{signed(low)} to {signed(high)}")
        yield table


def _later(mean: float, half: float) -> str:
    if np.isnan(mean):
        return "unknown"
    spread = "" if np.isnan(half) else f" \N{PLUS-MINUS SIGN} {in_two_units(half)}"
    return f"{signed(mean)}{spread}"


def signed(time: float) -> str:
    """A difference of times in two units, with its sign."""
    if np.isnan(time):
        return NONE
    return ("\N{MINUS SIGN}" if time < 0 else "+") + in_two_units(abs(time))
