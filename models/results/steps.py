"""Step functions of time.

A step function has `values[i]` from `times[i]` until `times[i + 1]`. It is 0 before the first time and from the last
one on, since everything is taken to stop at the horizon. Times are in s.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thinktime.workloads.arrays import Floats


class Steps(NamedTuple):
    """A step function of time, which unpacks into times and values."""

    times: Floats
    values: Floats

    def at(self, t: npt.ArrayLike) -> Floats:
        """The value at one or several times."""
        padded = np.concatenate([[0.0], self.values])
        return np.asarray(padded[np.searchsorted(self.times, t, side="right")])

    def integral(self, t: npt.ArrayLike) -> Floats:
        """The integral from the beginning up to one or several times."""
        if not len(self.times):
            return np.zeros_like(np.asarray(t, dtype=np.float64))
        summed = np.concatenate([[0.0], np.cumsum(self.values[:-1] * np.diff(self.times))])
        return np.asarray(np.interp(np.asarray(t, dtype=np.float64), self.times, summed))

    def mean(self, edges: npt.ArrayLike) -> Floats:
        """The time-weighted mean within each of the bins between the given edges."""
        bounds = np.asarray(edges, dtype=np.float64)
        return np.asarray(np.diff(self.integral(bounds)) / np.diff(bounds))


def sum_of_boxes(begin: Floats, end: Floats, height: npt.NDArray[np.generic]) -> Steps:
    """The sum of boxes of these heights over [begin, end)."""
    heights = height.astype(np.float64)
    changes = np.concatenate([heights, -heights])
    times, at = np.unique(np.concatenate([begin, end]), return_inverse=True)
    return Steps(times, np.cumsum(np.bincount(at, weights=changes, minlength=len(times))))
