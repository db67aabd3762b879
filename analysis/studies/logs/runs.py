"""What one log, or one calendar year of it, says of its users.

These are the numbers of `thinktime.analysis.diagnosis`, and how users who are fitted to the log react
(`thinktime.analysis.calibration.reactions`). Beside the first stands what they would be if nobody reacted (`Row.null`,
`Row.wait_gain_null`). A log without waits, without several users or with too few jobs has a row without numbers that
says so.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime import calibrate
from thinktime.analysis.calibration.reactions import DRAWS as OF_HAZARDS
from thinktime.analysis.calibration.reactions import Reactions, reactions
from thinktime.analysis.diagnosis import QUICK, diagnose
from thinktime.analysis.statistics import UNKNOWN, Estimate
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.tables.machine import most_at_once

LEAST_JOBS = 1000
"""With fewer jobs, nothing is measured."""
LEAST_OF_YEAR = 3000
"""Calendar years with fewer jobs have no row of their own."""
MOST_JOBS = 400_000
"""Of longer logs, or years, the first so many jobs are measured."""
QUICK_JOBS = 10_000
"""The same for users who are fitted, in a quick study."""
QUICK_HAZARDS = 40
"""Draws of hazards, in a quick study."""
ABSOLUTE = 3e8
"""Submissions from here on, in s, are since 1970, though the header does not say so."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one log, or a year of it, says of its users; NaN and `UNKNOWN` for what cannot be said."""

    years: tuple[int, int]
    """The calendar years of the first and of the last submission; 0 if they are not known."""
    jobs: int
    users: int
    processors: int
    """Of the machine; where the log does not say, those in use at once."""
    mean_wait: float = np.nan
    """The mean wait that the log has recorded, s."""
    jump: Estimate = UNKNOWN
    null: float = np.nan
    """The jump in worlds in which nobody reacts."""
    over_placebo: Estimate = UNKNOWN
    clock_gain: Estimate = UNKNOWN
    wait_gain: Estimate = UNKNOWN
    wait_gain_null: Estimate = UNKNOWN
    """The wait's gain in worlds in which nobody reacts."""
    self_test: Estimate = UNKNOWN
    withdrawn_share: Estimate = UNKNOWN
    trust: tuple[str, ...] = ()
    """The modes to trust, the best first."""
    notes: tuple[str, ...] = ()
    reactions: Reactions = field(default_factory=Reactions)

    @property
    def middle(self) -> float:
        """The year in the middle of the log; NaN if it is not known."""
        return float(np.mean(self.years)) if self.years[0] else np.nan

    @property
    def measured(self) -> bool:
        """Whether users react can be asked."""
        return self.jump.value == self.jump.value

    def as_object(self) -> dict[str, Any]:
        """The numbers by name, and their intervals."""
        return _flat(self) | {"reactions": _flat(self.reactions)}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Row":
        """The row of an object as `as_object` gives it, in which None is NaN."""
        known = _unflat(cls, values)
        known["reactions"] = Reactions(**_unflat(Reactions, values["reactions"]))
        return cls(**known | {name: tuple(known[name]) for name in ("years", "trust", "notes")})


def _flat(values: Row | Reactions) -> dict[str, Any]:
    """The fields by name, with the intervals of estimates beside them."""
    found: dict[str, Any] = {each.name: getattr(values, each.name) for each in fields(values)}
    estimates = {name: each for name, each in found.items() if isinstance(each, Estimate)}
    found |= {name: each.value for name, each in estimates.items()}
    return found | {"intervals": {name: [*each[1:]] for name, each in estimates.items() if each.low == each.low}}


def _unflat(kind: type[Row] | type[Reactions], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a kind, of an object as `_flat` gives it."""
    known: dict[str, Any] = {name: np.nan if value is None else value for name, value in values.items()}
    ends = known.pop("intervals")
    for each in fields(kind):
        if each.type in (Estimate, "Estimate"):
            known[each.name] = Estimate(known[each.name], *ends.get(each.name, (np.nan, np.nan)))
    return known


@dataclass(frozen=True, slots=True)
class Run:
    """A log to measure, or a calendar year of it."""

    log: tt.Trace
    seed: int
    quick: bool = False

    def perform(self) -> Row:
        """Measure the first jobs of the log."""
        log, notes = first_jobs(self.log, MOST_JOBS)
        years = years_of(log)
        known = np.unique(log.user[log.user >= 0])
        size = log.machine_size or in_use(log)
        row = Row((int(years[0]), int(years[-1])) if len(years) else (0, 0), len(log), len(known), size)
        if why := lacks(log, len(known)):
            return replace(row, notes=(*notes, why))
        if log.machine_size is None:
            notes.append(f"the machine is taken as the {size:,} processors in use at once")
        found = diagnose(log, size, seed=self.seed, **(QUICK if self.quick else {}))
        signs = found.signs
        return replace(
            row,
            mean_wait=found.log.mean_wait,
            jump=_plain(signs.jump),
            null=float(signs.null),
            over_placebo=_plain(signs.excess),
            clock_gain=_plain(signs.clock),
            wait_gain=_plain(found.value("wait_gain")),
            wait_gain_null=_plain(found.null("wait_gain")),
            self_test=_plain(signs.self_test),
            withdrawn_share=_plain(signs.withdrawn),
            trust=found.trust.modes,
            notes=(*notes, *found.notes),
        )


class Fitted(NamedTuple):
    """How users who were fitted to a log react, and what must be said of it."""

    reactions: Reactions
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """A log to fit users to, or a calendar year of it."""

    log: tt.Trace
    seed: int
    quick: bool = False

    def perform(self) -> Fitted:
        """Fit them, and ask how they react."""
        log, notes = first_jobs(self.log, QUICK_JOBS if self.quick else MOST_JOBS)
        if why := lacks(log, len(np.unique(log.user[log.user >= 0]))):
            return Fitted(Reactions(), (why,))
        try:
            users = calibrate(log, score=False)
        except ValueError as error:
            return Fitted(Reactions(), (f"no users can be fitted: {error}",))
        draws = QUICK_HAZARDS if self.quick else OF_HAZARDS
        notes = [f"users are fitted to {each}" for each in notes]
        return Fitted(reactions(log, users, self.seed, draws), tuple(notes))


def first_jobs(log: tt.Trace, most: int) -> tuple[tt.Trace, list[str]]:
    """At most so many jobs of a log, and a note if it has more."""
    if len(log) <= most:
        return log, []
    return log.select(np.arange(len(log)) < most), [f"the first {most:,} of {len(log):,} jobs"]


def _plain(estimate: Estimate) -> Estimate:
    return Estimate(*map(float, estimate))


def in_use(log: tt.Trace) -> int:
    """The most processors in use at once, as recorded."""
    start = log.submit + np.nan_to_num(log.wait)
    return most_at_once(start, start + log.runtime, log.processors) if len(log) else 0


def lacks(log: tt.Trace, users: int) -> str:
    """Why nothing can be measured; empty if it can."""
    if len(log) < LEAST_JOBS:
        return f"{len(log):,} jobs are too few"
    if users < 2:
        return "one user is too few" if users else "users are not known"
    return "" if np.isfinite(log.wait).any() else "waits are not known"


def years_of(log: tt.Trace) -> NDArray[np.int64]:
    """The calendar year of each submission, where the machine was; none if the log does not say when it was."""
    if not len(log) or (log.unix_start is None and log.submit[0] < ABSOLUTE):
        return np.empty(0, np.int64)
    calendar = log.calendar if log.unix_start is not None else Calendar(0, datetime.UTC)
    first, last = (calendar.date(float(log.submit[place])).year for place in (0, -1))
    turns = [calendar.midnight(datetime.date(year, 1, 1)) for year in range(first + 1, last + 1)]
    return first + np.searchsorted(turns, log.submit, side="right").astype(np.int64)


def parts(log: tt.Trace) -> dict[int, tt.Trace]:
    """The log's calendar years, where it has several with `LEAST_OF_YEAR` jobs."""
    years = years_of(log)
    found = {int(year): years == year for year in np.unique(years)}
    large = {year: rows for year, rows in found.items() if rows.sum() >= LEAST_OF_YEAR}
    return {year: log.select(rows) for year, rows in large.items()} if len(large) > 1 else {}
