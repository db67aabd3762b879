"""How evenly a quantity is distributed over jobs: Jain's index and the standard deviation.

The cplant paper (section IV) mentions both for response times, and why they mislead: under bursty loads response times
should differ.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def jain(values: npt.ArrayLike) -> float:
    """Jain's fairness index, (sum x)^2 / (N sum x^2): 1 if all are equal, 1/N if one has all; NaN if empty.

    Source: R. Jain, D. Chiu, W. Hawe, A quantitative measure of fairness (DEC-TR-301, 1984). NaN values are ignored.
    """
    x = _known(values)
    squares = float(x @ x)
    if not len(x):
        return np.nan
    return float(x.sum()) ** 2 / (len(x) * squares) if squares > 0 else 1.0


def standard_deviation(values: npt.ArrayLike) -> float:
    """The standard deviation of all values (divided by N, not N - 1); NaN if empty. NaN values are ignored."""
    x = _known(values)
    return float(x.std()) if len(x) else np.nan


def _known(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    x = np.asarray(values, np.float64)
    return x[~np.isnan(x)]
