"""A forecast as plain values: the object of ``--json``, and the rows of tables and pages."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any, Protocol

import numpy as np

from thinktime.analysis.json_values import without_nan
from thinktime.analysis.now.outlook import HOW_KNOWN, SHARES, TODAY, Outlook, quantile, share_by
from thinktime.analysis.statistics.intervals import Interval
from thinktime.workloads.run_times import NOTHING
from thinktime.workloads.units import DAY, HOUR, counted, in_two_units

MOST = 10
"""So many jobs that a change moves most are told."""
WITHIN = {"1h": HOUR, "24h": 24 * HOUR}


class Clocked(Protocol):
    """What times are told of: from when to when (s), and when second 0 was."""

    @property
    def time(self) -> float:
        """The time from which something is told, s."""

    @property
    def until(self) -> float:
        """The time up to which something is told, s."""

    @property
    def unix_start(self) -> float | None:
        """The Unix time of second 0; None if it is not known."""

    @property
    def zone(self) -> tzinfo:
        """The time zone in which dates are told."""


def clock(outlook: Clocked, time: float) -> str:
    """A time on the local clock, or as so long from now if no clock is known; such as ``> Fri 14:05`` after the end."""
    if np.isnan(time):
        return "taken back"
    late, shown = ("> ", outlook.until) if time > outlook.until else ("", time)
    if outlook.unix_start is None:
        return f"{late}+{in_two_units(max(0.0, shown - outlook.time))}"
    day = "%a" if outlook.until - outlook.time < 6 * DAY else "%d %b"
    return f"{late}{datetime.datetime.fromtimestamp(outlook.unix_start + shown, outlook.zone):{day} %H:%M}"


def present(outlook: Clocked) -> str:
    """The time of the forecast, in full, with what its clock is behind or ahead of UTC; a second if no clock is known.

    >>> present(Outlook(9.0, 99.0, 0, 4, *[None] * 3, {}, None, [], unix_start=1_700_000_000))
    'Tue 2023-11-14 22:13 UTC'
    """
    if outlook.unix_start is None:
        return f"second {outlook.time:,.0f}"
    moment = datetime.datetime.fromtimestamp(outlook.unix_start + outlook.time, outlook.zone)
    return f"{moment:%a %Y-%m-%d %H:%M} {moment.tzname() or ''}".rstrip()


def by_limits(outlook: Outlook, place: int) -> str:
    """When a waiting job would start if all jobs ran to their limits and nobody came; empty if that says nothing."""
    late = outlook.waiting.by_limits.item(place)
    return "" if np.isinf(late) else clock(outlook, late)


def between(outlook: Clocked, low: float, high: float) -> str:
    """An interval; empty if nothing is known."""
    if np.isnan(low):
        return ""
    first, last = clock(outlook, low), clock(outlook, high)
    if first == last and low > outlook.until:
        return first
    day = first.rpartition(" ")[0]
    return f"{first}\N{EN DASH}{last.removeprefix(f'{day} ') if day else last}"


def run_times(outlook: Outlook) -> str:
    """How good the laws of run times were on the end of the history; empty if that is not known."""
    if outlook.foretold is None or not len(outlook.foretold.new):
        return ""
    new, running = (sum(tenths[1:-1]) for tenths in outlook.foretold.tenths())
    return (
        f"Run times: of the last {counted(len(outlook.foretold.new), 'job')} of the history, 80 % intervals of what "
        f"jobs alike ran for hold {new:.0%}, and {running:.0%} once they ran."
    )


def known_from(outlook: Outlook, place: int) -> str:
    """From which jobs it is known how long a waiting job runs."""
    level = outlook.waiting.level.item(place)
    if level == NOTHING:
        return "unknown: its limit"
    return f"{outlook.waiting.alike.item(place):,} by {HOW_KNOWN[level]}"


def chosen(outlook: Outlook, user: str | None) -> list[int]:
    """The places of the waiting jobs of a user, or of all, by median start."""
    median = outlook.median()
    order = np.lexsort((outlook.waiting.id, np.nan_to_num(median, nan=np.inf))).tolist()
    return [place for place in order if user is None or str(outlook.waiting.user[place]) == user]


def values(outlook: Outlook, user: str | None = None) -> dict[str, Any]:
    """Times in s by the clock of the machine; None for after the horizon, and for unknown."""
    w, rows = outlook.waiting, chosen(outlook, user)
    found: dict[str, Any] = {
        "time": outlook.time, "until": outlook.until, "unix_start": outlook.unix_start, "zone": str(outlook.zone),
        "draws": outlook.draws,
        "seed": outlook.seed if isinstance(outlook.seed, int) else None, "processors": outlook.processors,
        "run_times_of_running_jobs_from": outlook.running, "notes": outlook.notes,
        "run_times_told": run_times(outlook), "arrivals": outlook.arrivals,
    }  # fmt: skip
    if outlook.foretold is not None:
        new, running = outlook.foretold.tenths()
        found["run_times_foretold"] = {"jobs": len(outlook.foretold.new), "new": new, "running": running}
    bounds = {share: outlook.interval(share) for share in SHARES}
    within = {name: outlook.share_by(seconds) for name, seconds in WITHIN.items()}
    median, leaves = outlook.median(), outlook.leaves()
    promised = outlook.promised if len(outlook.promised) else np.full(len(w), np.nan)
    found["jobs"] = [
        {
            "id": outlook.label(k), "user": None if w.user[k] is None else str(w.user[k]),
            "processors": w.processors.item(k), "limit": _number(w.limit.item(k)), "submit": w.submit.item(k),
            "why": w.reason[k], "ahead": w.ahead.item(k), "users_ahead": w.whom_for.item(k),
            "run_time_from": known_from(outlook, k), "median": _number(median.item(k)),
            "intervals": {f"{share:.0%}": [_number(each.item(k)) for each in ends] for share, ends in bounds.items()},
            "starts_within": {name: _number(each.item(k)) for name, each in within.items()},
            "taken_back": leaves.item(k), "by_limits": _number(w.by_limits.item(k)),
            "promised": _number(promised.item(k)),
        }
        for k in rows
    ]  # fmt: skip
    found["asked"] = {
        name: _asked(outlook, starts) | {"never": outlook.never.get(name)} for name, starts in outlook.asked.items()
    }
    found["changes"] = {name: _change(outlook, name, set(rows)) for name in outlook.drawings if name != TODAY}
    today = outlook.drawings[TODAY]
    use = [np.quantile(today.use, share, axis=0).tolist() for share in (0.1, 0.5, 0.9)]
    found["use"] = {"times": outlook.moments.tolist(), "low": use[0], "median": use[1], "high": use[2]}
    return found


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _asked(outlook: Outlook, starts: Any) -> dict[str, Any]:
    column = starts[:, None]
    ends = {f"{s:.0%}": [_number(quantile(column, q).item()) for q in ((1 - s) / 2, (1 + s) / 2)] for s in SHARES}
    within = {name: _number(share_by(column, outlook.time + time).item()) for name, time in WITHIN.items()}
    return {"median": _number(quantile(column, 0.5).item()), "intervals": ends, "starts_within": within}


def _change(outlook: Outlook, name: str, rows: set[int]) -> dict[str, Any]:
    now, later = outlook.everybody(name)
    gain, lose = gainers_and_losers(outlook, name)
    most = [
        {"id": outlook.label(k), "later": mean, "low": low, "high": high}
        for k, mean, low, high in moved_most(outlook, name)
    ]
    moved = {outlook.label(k): mean for k, mean in enumerate(outlook.by_job(name)[0].tolist()) if k in rows}
    return {
        "longer_wait_of_those_who_wait_now": _interval(now), "longer_wait_of_those_who_come": _interval(later),
        "gain": gain, "lose": lose, "moved_most": without_nan(most), "later_start": without_nan(moved),
    }  # fmt: skip


def _interval(found: Interval) -> Any:
    return without_nan({"mean": found.mean, "low": found.low, "high": found.high})


def gainers_and_losers(outlook: Outlook, name: str) -> tuple[int, int]:
    """How many waiting jobs start earlier, and later, with the whole 95 % interval of the paired difference."""
    mean, low, high = outlook.by_job(name)
    return int(((high < 0) | ((mean < 0) & (low == high))).sum()), int(((low > 0) | ((mean > 0) & (low == high))).sum())


def moved_most(outlook: Outlook, name: str) -> Iterator[tuple[int, float, float, float]]:
    """The waiting jobs that a change moves most: place, mean difference of the start and its interval, s."""
    mean, low, high = outlook.by_job(name)
    order = np.argsort(-np.abs(np.nan_to_num(mean)), kind="stable")[:MOST]
    yield from ((k, mean.item(k), low.item(k), high.item(k)) for k in order.tolist() if mean.item(k))
