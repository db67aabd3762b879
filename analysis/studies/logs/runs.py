"""What one log, or one calendar year of it, says of its users: the numbers of `thinktime.analysis.diagnosis`.

Beside them stand what they would be if nobody reacted (`Row.null`, `Row.wait_null`). A log without waits, without users
or with too few jobs has a row without numbers that says so.
"""

import datetime
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from thinktime.analysis.diagnosis.diagnose import DRAWS, QUICK_DRAWS, QUICK_GAPS, diagnose
from thinktime.analysis.diagnosis.measured import MOST_GAPS
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads.arrays import Whole
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.tables.machine import most_at_once
from thinktime.workloads.trace import Trace

LEAST_JOBS = 1000
"""With fewer jobs, nothing is measured."""
LEAST_OF_YEAR = 3000
"""Calendar years with fewer jobs have no row of their own."""
MOST_JOBS = 400_000
"""Of longer logs, or years, the first so many jobs are measured."""
NUMBERS = ("jump", "over_placebo", "clock_gain", "wait_gain", "self_test", "withdrawn_share")
"""What has an interval."""
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
    """As recorded, s."""
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
        found = asdict(replace(self, **dict.fromkeys((*NUMBERS, "wait_gain_null"), None)))  # type: ignore[arg-type]
        numbers: dict[str, Estimate] = {name: getattr(self, name) for name in (*NUMBERS, "wait_gain_null")}
        found |= {name: each.value for name, each in numbers.items()}
        found["intervals"] = {name: [each.low, each.high] for name, each in numbers.items() if each.low == each.low}
        return found

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Row":
        """The row of an object as `as_object` gives it, in which None is NaN."""
        known: dict[str, Any] = {name: np.nan if value is None else value for name, value in values.items()}
        ends = known.pop("intervals")
        for name in (*NUMBERS, "wait_gain_null"):
            known[name] = Estimate(known[name], *ends.get(name, (np.nan, np.nan)))
        return cls(**known | {name: tuple(known[name]) for name in ("years", "trust", "notes")})


@dataclass(frozen=True, slots=True)
class Run:
    """A log to measure, or a calendar year of it."""

    log: Trace
    seed: int
    quick: bool = False

    def perform(self) -> Row:
        """Measure it."""
        log, notes = self.log, []
        if len(log) > MOST_JOBS:
            notes.append(f"the first {MOST_JOBS:,} of {len(log):,} jobs")
            log = log.select(np.arange(len(log)) < MOST_JOBS)
        years = years_of(log)
        known = np.unique(log.user[log.user >= 0])
        size = log.machine_size or in_use(log)
        row = Row((int(years[0]), int(years[-1])) if len(years) else (0, 0), len(log), len(known), size)
        if why := lacks(log, len(known)):
            return replace(row, notes=(*notes, why))
        if log.machine_size is None:
            notes.append(f"the machine is taken as the {size:,} processors in use at once")
        draws, gaps = (QUICK_DRAWS, QUICK_GAPS) if self.quick else (DRAWS, MOST_GAPS)
        found = diagnose(log, size, seed=self.seed, draws=draws, most_gaps=gaps)
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


def _plain(estimate: Estimate) -> Estimate:
    return Estimate(*map(float, estimate))


def in_use(log: Trace) -> int:
    """The most processors in use at once, as recorded."""
    start = log.submit + np.nan_to_num(log.wait)
    return most_at_once(start, start + log.runtime, log.processors) if len(log) else 0


def lacks(log: Trace, users: int) -> str:
    """Why nothing can be measured; empty if it can."""
    if len(log) < LEAST_JOBS:
        return f"{len(log):,} jobs are too few"
    if users < 2:
        return "users are not known"
    return "" if np.isfinite(log.wait).any() else "waits are not known"


def years_of(log: Trace) -> Whole:
    """The calendar year of each submission, where the machine was; none if the log does not say when it was."""
    if not len(log) or (log.unix_start is None and log.submit[0] < ABSOLUTE):
        return np.empty(0, np.int64)
    calendar = log.calendar if log.unix_start is not None else Calendar(0, datetime.UTC)
    first, last = (calendar.date(float(log.submit[place])).year for place in (0, -1))
    turns = [calendar.midnight(datetime.date(year, 1, 1)) for year in range(first + 1, last + 1)]
    return first + np.searchsorted(turns, log.submit, side="right").astype(np.int64)


def parts(log: Trace) -> dict[int, Trace]:
    """The log's calendar years, where it has several with `LEAST_OF_YEAR` jobs."""
    years = years_of(log)
    found = {int(year): years == year for year in np.unique(years)}
    large = {year: rows for year, rows in found.items() if rows.sum() >= LEAST_OF_YEAR}
    return {year: log.select(rows) for year, rows in large.items()} if len(large) > 1 else {}
