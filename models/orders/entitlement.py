"""How much of a scarce capacity each user is entitled to: max-min fair shares, or shares in proportion to demand.

In both, no user gets more than they ask for, and what is left over goes to those who want more. Under max-min
shares, no user's share per weight can be raised without lowering one that is smaller or equal (water-filling), so
a user who asks for more than the others is not entitled to more. In proportion, all get the same part of what they
ask for (per weight), so a user who asks for twice as much is entitled to twice as much.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def max_min(capacity: float, demand: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The shares of ``capacity`` among demands of any common unit (at least 0); weights above 0, default 1.

    If the demands fit, all users get what they ask for, and the rest is not shared out.

    >>> max_min(100, [10, 30, 80, 90]).tolist()
    [10.0, 30.0, 30.0, 30.0]
    >>> max_min(100, [90, 90], weights=[3, 1]).tolist()
    [75.0, 25.0]
    """
    wanted = np.asarray(demand, np.float64)
    if not np.all((wanted >= 0) & np.isfinite(wanted)):
        raise ValueError("demands must be finite numbers of at least 0")
    weight = np.ones_like(wanted) if weights is None else np.asarray(weights, np.float64)
    if weight.shape != wanted.shape or not np.all((weight > 0) & np.isfinite(weight)):
        raise ValueError("weights must be numbers above 0, one for each demand")
    if wanted.sum() <= capacity:
        return wanted.copy()
    order = np.argsort(wanted / weight, kind="stable")
    asked, heavy = wanted[order], weight[order]
    # Level after serving the i least demanding in full: what is left, per weight of the others.
    left = max(capacity, 0.0) - np.concatenate([[0.0], np.cumsum(asked)[:-1]])
    behind = np.cumsum(heavy[::-1])[::-1]
    levels = left / behind
    first = int(np.argmax(asked / heavy > levels))
    shares = np.where(np.arange(len(asked)) < first, asked, levels[first] * heavy)
    out = np.empty_like(shares)
    out[order] = shares
    return out


def proportional(capacity: float, demand: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The shares of ``capacity`` in proportion to demand times weight, none beyond its demand.

    >>> proportional(100, [10, 30, 80, 80]).tolist()
    [5.0, 15.0, 40.0, 40.0]
    >>> proportional(100, [50, 100], weights=[3, 1]).tolist()
    [50.0, 50.0]
    """
    wanted = np.asarray(demand, np.float64)
    weight = np.ones_like(wanted) if weights is None else np.asarray(weights, np.float64)
    if weight.shape != wanted.shape or not np.all((weight > 0) & np.isfinite(weight)):
        raise ValueError("weights must be numbers above 0, one for each demand")
    shares, asked = np.zeros_like(wanted), wanted != 0
    shares[asked] = max_min(capacity, wanted[asked], wanted[asked] * weight[asked])
    return shares
