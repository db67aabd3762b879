"""Active time: it runs with the weight of the hour of the week, so that a week of it is as long as one of the clock."""

from math import inf

from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import HOUR, WEEK, WEEK_HOURS


def after(borders: Floats, weights: Floats, first: int, shift: float, time: float, gap: float) -> float:
    """The time (s) at which ``gap`` s of active time have passed since ``time``.

    ``weights`` are, from place ``first`` on, those of the hours of the week, with a mean of 1, and ``borders`` the
    active time (s) from the week's beginning to that of each hour; ``shift`` (s) is the local clock at t = 0.
    """
    if gap == inf:
        return inf
    week, within = divmod(time + shift, WEEK)
    hours, within = divmod(within, HOUR)
    hour = int(hours)
    if hour == WEEK_HOURS:  # just below 0, the remainder equals the divisor
        hour, within = hour - 1, HOUR
    weeks, left = divmod(borders[first + hour] + within * weights[first + hour] + gap, WEEK)
    place, stop = 0, WEEK_HOURS
    while stop - place > 1:
        middle = (place + stop) // 2
        if borders[first + middle] <= left:
            place = middle
        else:
            stop = middle
    rest = (left - borders[first + place]) / weights[first + place]
    found: float = (week + weeks) * WEEK + (place * HOUR + rest) - shift
    return max(time, found)
