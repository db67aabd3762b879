"""The product-limit estimate of a distribution of times, some of which are censored (Kaplan and Meier 1958).

With t_1 < t_2 < … the times of events, d_i the number of events at t_i, and r_i the number of observations of at least
t_i, the share of times longer than t is estimated by

    S(t) = product over t_i <= t of (1 - d_i / r_i)
"""

import numpy as np

from thinktime.workloads.arrays import Flags, Floats


def product_limit(times: Floats, seen: Flags) -> tuple[Floats, Floats]:
    """The distinct observations, ascending, and S at each of them; ``seen``: the event was seen, else it is censored.

    >>> [each.tolist() for each in product_limit(np.array([20.0, 10.0, 20.0]), np.array([True, False, True]))]
    [[10.0, 20.0], [1.0, 0.0]]
    """
    found, place = np.unique(times, return_inverse=True)
    events = np.bincount(place, seen, len(found))
    at_risk = len(times) - np.searchsorted(np.sort(times), found)
    survival = np.cumprod(1.0 - events / at_risk)
    return found, np.asarray(survival, np.float64)
