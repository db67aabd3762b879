"""Working hours on a log's own wall clock, with its summer time (`LocalHours`), and those of each user (`LogHours`).

A user's hours are read from the log. They last from the 5th to the 95th percentile of the local hours at which the
user's batches were submitted (whole hours, the last one included), on the weekdays that have at least 5 % of these
batches. So a few odd nights do not count, and an array of many jobs counts once. A user with fewer than 20 batches has
the hours of all users' batches together. The rule knows no night shifts: a user who works past midnight gets hours that
cover most of the day. The rule is ours.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.hours import WorkingHours as WorkingHours
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import Sessions
from thinktime.workloads.user_models.rhythm import LocalClock, hours_of_week


@dataclass(frozen=True, slots=True)
class LocalHours:
    """Working hours on a clock that may have daylight saving time.

    >>> LocalHours(WorkingHours(9, 17), LocalClock(start=4 * 86_400)).next(0.0) / 3600
    9.0
    """

    hours: WorkingHours
    clock: LocalClock

    @classmethod
    def of_log(cls, hours: WorkingHours, trace: Trace) -> "LocalHours":
        """Hours on a log's clock."""
        return cls(hours, LocalClock.of_log(trace))

    def next(self, time: float) -> float:
        """The first time at or after ``time`` inside the hours, s."""
        wall = self.clock.wall(time)
        found = self.hours.next(wall)
        return time if found == wall else self.clock.time(found, time)


def checked_hours(hours: Any) -> Any:
    """Working hours or None as they are; TypeError with an example for anything else."""
    if hours is None or (callable(getattr(hours, "next", None)) and not isinstance(hours, type)):
        return hours
    example = "9, 17"
    if isinstance(hours, tuple | list) and len(hours) == 2:
        example = ", ".join(map(quoted, hours))
    raise TypeError(f"hours must be WorkingHours, such as WorkingHours({example}), not {quoted(hours)}")


FEWEST = 20
"""How many batches a user's own hours need."""
PERCENTILES = (5, 95)
LEAST_SHARE = 0.05
"""The smallest share of a user's batches on a day that counts as a working day."""


class LogHours:
    """The hours of each owner (`Groups.owner`) of a log, on its clock; ``own`` is how many have their own."""

    def __init__(self, trace: Trace, sessions: Sessions) -> None:
        batches = sessions.batches
        known = batches.user >= 0
        hours = hours_of_week(trace, batches.submit)
        owners, first, count = np.unique(batches.owner[known], return_index=True, return_counts=True)
        hours = hours[known]
        enough = count >= FEWEST
        self.own = int(enough.sum())
        self.together = LocalHours.of_log(working_hours(hours), trace)
        self._of = {
            owner: LocalHours.of_log(working_hours(hours[begin : begin + size]), trace)
            for owner, begin, size in zip(
                owners[enough].tolist(), first[enough].tolist(), count[enough].tolist(), strict=True
            )
        }

    def of(self, owner: int) -> LocalHours:
        """The hours of one owner."""
        return self._of.get(owner, self.together)


def working_hours(hours_of_the_week: NDArray[np.int64]) -> WorkingHours:
    """The hours and days in which a user submits, from the hours of the week (0 to 167) of what was submitted."""
    if not len(hours_of_the_week):
        return WorkingHours(0, 24, tuple(range(7)))
    days, hours = np.divmod(hours_of_the_week, 24)
    first, last = np.percentile(hours, PERCENTILES, method="inverted_cdf").tolist()
    share = np.bincount(days, minlength=7) / len(days)
    return WorkingHours(first, last + 1, tuple(np.flatnonzero(share >= LEAST_SHARE).tolist()))
