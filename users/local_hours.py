"""Working hours on a log's own wall clock, with its summer time (`LocalHours`), and plain ones (`WorkingHours`)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from thinktime.workloads.hours import WorkingHours as WorkingHours
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.rhythm import THURSDAY, utc_offset


@dataclass(frozen=True, slots=True)
class LocalHours:
    """Working hours on the clock of a zone that may have summer time; ``start`` is the Unix time of t = 0.

    >>> LocalHours(WorkingHours(9, 17), start=4 * 86_400).next(0.0) / 3600
    9.0
    """

    hours: WorkingHours
    start: float
    zone: datetime.tzinfo = datetime.UTC

    @classmethod
    def of_log(cls, hours: WorkingHours, trace: Trace) -> LocalHours:
        """Hours on a log's clock; a log without a start time begins at midnight before a Monday."""
        return cls(hours, -THURSDAY) if trace.unix_start is None else cls(hours, trace.unix_start, trace.zone)

    def next(self, time: float) -> float:
        """The first time at or after ``time`` inside the hours, s."""
        moment = self.start + time
        wall = self._wall(moment)
        found = self.hours.next(wall)
        if found == wall:
            return time
        before = moment + (found - wall)  # were no clock changed until then
        after = found - (self._wall(before) - before)
        return (after if self._wall(after) == found else before) - self.start

    def _wall(self, moment: float) -> float:
        """A Unix time on the clock: s since midnight before some Monday."""
        return moment + utc_offset(moment, self.zone) + THURSDAY


def checked_hours(hours: Any) -> Any:
    """Working hours, or None; TypeError with what to write for anything else."""
    if hours is None or (callable(getattr(hours, "next", None)) and not isinstance(hours, type)):
        return hours
    example = "9, 17"
    if isinstance(hours, tuple | list) and len(hours) == 2:
        example = ", ".join(repr(each) for each in hours)
    raise TypeError(f"hours must be WorkingHours, such as WorkingHours({example}), not {hours!r}")
