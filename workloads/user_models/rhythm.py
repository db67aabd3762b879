"""The rhythm of the week: when people are active, in the log's time zone.

Hours of the week are counted from midnight before a Monday, in the log's zone; a log without a start time has
its t = 0 there. A `WeeklyRhythm` has a weight for each of the 168 hours. *Active time* runs with the weight of the
hour, so that a week of it is as long as a week of the clock:

    activity(t) = integral of w(hour of s) ds from 0 to t,   mean of w = 1

A given break in active time is short by day and long overnight, and tends to end in the morning. A process whose rate
follows the rhythm is homogeneous in active time.
"""

import datetime
from dataclasses import dataclass

import numpy as np

from thinktime.workloads.active_time import after
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK, WEEK_HOURS

THURSDAY = 3 * DAY
"""Unix time begins on a Thursday."""


def local_seconds(trace: Trace, times: Floats) -> Floats:
    """Times (s since the log's start) on the log's local clock: s since midnight before some Monday."""
    if trace.unix_start is None:
        return np.asarray(times, dtype=np.float64)
    moments = trace.unix_start + np.asarray(times, dtype=np.float64)
    # Clocks change at whole hours, so one look-up per hour is enough.
    hours, of_time = np.unique(np.floor(moments / HOUR), return_inverse=True)
    offsets = np.array([utc_offset(hour * HOUR, trace.zone) for hour in hours.tolist()])
    local: Floats = moments + (offsets[of_time] if len(hours) else 0.0) + THURSDAY
    return local


def hours_of_week(trace: Trace, times: Floats) -> Whole:
    """The hour of the week, 0 to 167, of times in s since the log's start."""
    hours: Whole = np.floor(local_seconds(trace, times) / HOUR).astype(np.int64) % WEEK_HOURS
    return hours


@dataclass(frozen=True, slots=True)
class LocalClock:
    """The clock on the wall where a log comes from; ``start`` is the Unix time of t = 0.

    It shows the seconds since midnight before some Monday. A log without a start time begins at such a midnight.
    """

    start: float
    zone: datetime.tzinfo = datetime.UTC

    @classmethod
    def of_log(cls, trace: Trace) -> "LocalClock":
        """The clock of a log."""
        return cls(-THURSDAY) if trace.unix_start is None else cls(trace.unix_start, trace.zone)

    def wall(self, time: float) -> float:
        """What it shows at a time (s since the log's start)."""
        moment = self.start + time
        return moment + (0.0 if self.zone is datetime.UTC else utc_offset(moment, self.zone)) + THURSDAY

    def time(self, wall: float, since: float) -> float:
        """When it shows this, s; ``since`` is an earlier time.

        Clocks may change in between: a time that is skipped comes as much later.
        """
        shown = self.wall(since)
        before = since + (wall - shown)  # if no clock change came before then
        after = before - (self.wall(before) - wall)
        return after if self.wall(after) == wall else before


class WeeklyRhythm:
    """Weights of the hours of the week; ``shift`` (s) is the local clock at t = 0, by which all weeks go.

    Weights are scaled to a mean of 1. None may be 0, or active time would stop.
    """

    def __init__(self, weights: Floats, shift: float = 0.0) -> None:
        if len(weights) != WEEK_HOURS or not (np.asarray(weights) > 0).all():
            raise ValueError("a rhythm needs a weight above 0 for each of the 168 hours of the week")
        self.weights = np.asarray(weights, dtype=np.float64) / np.mean(weights)
        self.shift = shift
        self.borders = np.concatenate([[0.0], np.cumsum(self.weights)]) * HOUR
        """The active time (s) from the week's beginning to that of each hour, and to its end."""
        self.borders[-1] = WEEK

    def activity(self, times: Floats) -> Floats:
        """Active time (s) at `times` (s); only differences of it have a meaning."""
        weeks, within = np.divmod(np.asarray(times, dtype=np.float64) + self.shift, WEEK)
        active: Floats = weeks * WEEK + np.interp(within, np.arange(WEEK_HOURS + 1) * HOUR, self.borders)
        return active

    def later(self, time: float, gap: float) -> float:
        """The time (s) at which ``gap`` s of active time have passed since ``time``."""
        return after(self.borders, self.weights, 0, self.shift, time, gap)


def rhythm_of(trace: Trace, times: Floats, prior: Floats | None = None, strength: float = 0.0) -> WeeklyRhythm:
    """The rhythm of some times of a log: how often each hour of the week occurs among them.

    ``strength`` further times are spread by the weights ``prior`` (default: evenly, one per hour of the week), since
    a few times say little about 168 hours.
    """
    even = np.ones(WEEK_HOURS)
    counts = np.bincount(hours_of_week(trace, times), minlength=WEEK_HOURS).astype(np.float64)
    added = even if prior is None else strength * prior / prior.sum()
    shift = float(local_seconds(trace, np.zeros(1))[0]) % WEEK
    return WeeklyRhythm(counts + added, shift)


def utc_offset(moment: float, zone: datetime.tzinfo) -> float:
    """The zone's offset from UTC (s); 0 for times beyond the calendar."""
    try:
        found = datetime.datetime.fromtimestamp(moment, zone).utcoffset()
    except (OverflowError, ValueError, OSError):
        return 0.0
    return found.total_seconds() if found else 0.0
