"""Where the warm-up ends: a run starts empty, which is not its steady state.

**By time.** Jobs submitted before a fixed time are dropped, and so are those submitted after a second one, since a run
ends before late jobs do. The window applies to *submissions*: whether a job counts must not depend on how long the
policy let it wait.

**MSER-5** finds the end of the warm-up from the data. With y_1, …, y_n the means of 5 successive values, drop the
first d for which

    MSER(d) = 1 / (n - d)^2 * sum_{i > d} (y_i - mean of those)^2

is least, that is, for which the mean of the rest seems most precise. Only d ≤ n / 2 is considered. A minimum at that
boundary means that the run is too short, or has no steady state (an overloaded machine has none).

Source: K. P. White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69
(1997); with batches of 5: Spratt (1998) and White, Cobb, Spratt, A comparison of five steady-state truncation
heuristics for simulation, Winter Simulation Conference 2000.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.analysis.statistics.intervals import complete
from thinktime.workloads.arrays import Floats

BATCH = 5


@dataclass(frozen=True, slots=True)
class Truncation:
    """How much of a series is warm-up."""

    drop: int
    """The number of values to drop at the beginning, a multiple of 5."""
    statistic: float
    """The minimum of MSER; NaN for fewer than ten values."""
    trusted: bool
    """Whether the minimum is before the boundary of n / 2."""


def within(
    times: npt.ArrayLike, values: npt.ArrayLike, start: float = -np.inf, end: float = np.inf
) -> Floats:
    """The values whose time (s; usually the submission) is in [start, end), in order."""
    t, x = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if t.shape != x.shape or t.ndim != 1:
        raise ValueError(f"each value needs one time, not shapes {x.shape} and {t.shape}")
    if not start <= end:
        raise ValueError(f"a window [start, end) must have start <= end, not [{start}, {end})")
    return x[(t >= start) & (t < end)]


def mser5(values: npt.ArrayLike) -> Truncation:
    """The warm-up of a series (in order of time, without missing values) by MSER-5.

    Values after the last whole batch of 5 are ignored. Of several minima, the first is used.
    """
    x = complete(values)
    n = len(x) // BATCH
    if n < 2:
        return Truncation(0, np.nan, trusted=False)
    y = x[: n * BATCH].reshape(n, BATCH).mean(axis=1)
    scores = _scores(y)[: n // 2 + 1]
    best = int(np.argmin(scores))
    return Truncation(best * BATCH, float(scores[best]), trusted=best < n // 2)


def _scores(y: Floats) -> Floats:
    """MSER(d) for d = 0, …, n - 1, from sums over tails of the centred values, to avoid cancellation."""
    centred = y - y.mean()
    left = np.arange(len(y), 0, -1)
    total = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum((centred**2)[::-1])[::-1]
    return np.maximum(squares - total**2 / left, 0.0) / left**2
