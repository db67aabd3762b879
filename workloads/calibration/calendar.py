"""Which cell of a hazard's clock each hour of a log has: its hour of the day, on a working day or a free one.

Hours are those of the log's local clock, and 24 more on free days. These are Saturdays, Sundays, and days on which less
than `FEW` of the median of the log's days of the same weekday was submitted, as far as that median is at least `ENOUGH`
jobs. The log's first and last days, which may be parts of days, are left out. After the log, the weekday alone counts.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK_HOURS
from thinktime.workloads.user_models.rhythm import local_seconds

FEW = 0.3
"""Of the jobs of the median day of the same weekday: fewer on a day, and it is free."""
ENOUGH = 10
"""A smaller median, in jobs, says nothing of free days."""
BEYOND = 366 * DAY
"""How much longer than the log a calendar is, s."""
WEEKEND = (5, 6)


@dataclass(frozen=True, eq=False)
class Calendar:
    """Which cell of the clock each hour of a log has."""

    cells: Whole
    """Of the hours from ``first`` on; later ones are as the last 168 again and again, earlier ones as the first."""
    first: float
    """When the first hour begins, s since the log's start."""

    def of(self, times: Floats) -> Whole:
        """The cells of times, s."""
        hours, period = len(self.cells), min(len(self.cells), WEEK_HOURS)
        hour = np.maximum(np.floor((times - self.first) / HOUR).astype(np.int64), 0)
        found: Whole = self.cells[np.where(hour < hours, hour, hours - period + (hour - hours) % period)]
        return found

    @classmethod
    def of_log(cls, trace: Trace) -> "Calendar":
        """The calendar of a log, and of a year after it.

        Where clocks change by half an hour, or a zone does in its history, each hour is as it is at its beginning.
        """
        if not len(trace):
            return cls(np.zeros(1, np.int64), 0.0)
        begin, end = float(trace.submit[0]), float(trace.submit[-1])
        first = begin - float(local_seconds(trace, np.array([begin]))[0]) % HOUR
        hours = first + HOUR * np.arange(int(np.ceil((end + BEYOND - first) / HOUR))).astype(np.float64)
        local = local_seconds(trace, hours)
        day, hour = np.floor(local / DAY).astype(np.int64), np.floor(local % DAY / HOUR).astype(np.int64)
        submitted = np.floor(local_seconds(trace, trace.submit) / DAY).astype(np.int64)
        free = _free_days(submitted, int(day[0]), int(day[-1]))
        return cls(hour + 24 * free[day - day[0]], first)


def _free_days(submitted: Whole, first: int, last: int) -> Flags:
    """Which days from the first to the last are free, after the days of submissions; day 0 is a Monday."""
    count = np.bincount(submitted - first, minlength=last - first + 1)
    days = np.arange(first, last + 1)
    weekday, known = days % 7, (days > submitted.min()) & (days < submitted.max())
    free = np.isin(weekday, WEEKEND)
    for each in range(7):
        own = known & (weekday == each)
        if own.any() and (median := np.median(count[own])) >= ENOUGH:
            free |= own & (count < FEW * median)
    return free
