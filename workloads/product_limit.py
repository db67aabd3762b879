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
    order = np.argsort(times)
    ordered = times[order]
    new = np.empty(len(times), bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    first = np.flatnonzero(new)
    events = np.add.reduceat(seen[order], first, dtype=np.float64) if len(first) else np.empty(0)
    survival = np.cumprod(1.0 - events / (len(times) - first))
    return ordered[first], np.asarray(survival, np.float64)
