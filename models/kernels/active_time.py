"""Active time: it runs with the weight of the hour of the week, so that a week of it is as long as one of the clock."""

import numpy as np

from thinktime.workloads.compiler import Floats, kernel
from thinktime.workloads.units import HOUR, WEEK, WEEK_HOURS


@kernel
def after(borders: Floats, weights: Floats, shift: float, time: float, gap: float) -> float:
    """The time (s) at which ``gap`` s of active time have passed since ``time``.

    ``weights`` are those of the hours of the week, with a mean of 1, and ``borders`` the active time (s) from the
    week's beginning to that of each hour; ``shift`` (s) is the local clock at t = 0.
    """
    if gap == np.inf:
        return np.inf
    week, within = divmod(time + shift, WEEK)
    hour = min(int(within // HOUR), WEEK_HOURS - 1)  # just below 0, the remainder equals the divisor
    weeks, left = divmod(borders[hour] + (within - hour * HOUR) * weights[hour] + gap, WEEK)
    place, stop = 0, WEEK_HOURS
    while stop - place > 1:
        middle = (place + stop) // 2
        if borders[middle] <= left:
            place = middle
        else:
            stop = middle
    found = (week + weeks) * WEEK + (place * HOUR + (left - borders[place]) / weights[place]) - shift
    return float(max(time, found))
