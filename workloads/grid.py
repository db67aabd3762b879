"""The time grid: every time is a multiple of one tick, 2⁻¹⁰ s.

Two events are simultaneous only if their times are equal, but with arbitrary floats `now + (t - now) == t` can fail.
Between multiples of a power of two, sums and differences of times below `LIMIT` are exact, so ties are real ties.
Every input time (a log's field, a job's run time, an estimate) is rounded once, at the boundary, by `to_grid`.
"""

import math
from typing import overload

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.arrays import Floats

TICK = 2**-10
"""The distance between grid points, in s (about a millisecond)."""

TICKS_PER_SECOND = 1024.0

LIMIT = 2.0**43
"""From this time on (280,000 years, in s) doubles are no finer than the grid, so a run time added to it could vanish.
Logs, jobs and machines refuse such times."""


@overload
def to_grid(x: float) -> float: ...
@overload
def to_grid(x: NDArray[np.floating] | NDArray[np.integer]) -> Floats: ...


def to_grid(x: float | NDArray[np.floating] | NDArray[np.integer]) -> float | Floats:
    """Round a time in s, or an array of times, to the nearest grid point (halves to even).

    NaN and infinity are returned unchanged.

    >>> to_grid(0.1)
    0.099609375
    """
    if isinstance(x, np.ndarray):
        values = np.asarray(x, dtype=np.float64)
        result = np.empty_like(values)
        with np.errstate(over="ignore"):
            np.multiply(values, TICKS_PER_SECOND, out=result)
        np.rint(result, out=result)
        result /= TICKS_PER_SECOND
        result += 0.0  # turns -0.0 into 0.0, as rounding to an integer does for scalars
        np.copyto(result, values, where=np.abs(values) >= LIMIT)
        return result
    # Comparisons with NaN are false, so NaN and infinity take the second branch.
    return round(x * TICKS_PER_SECOND) / TICKS_PER_SECOND if -LIMIT < x < LIMIT else float(x)


def ceil_to_grid(t: float) -> float:
    """Return the next grid point at or after `t` (s); NaN and infinity are returned unchanged.

    >>> ceil_to_grid(0.1)
    0.1005859375
    """
    return math.ceil(t * TICKS_PER_SECOND) / TICKS_PER_SECOND if -LIMIT < t < LIMIT else float(t)
