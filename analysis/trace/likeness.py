"""Compare two logs: the properties of each, and the distances between them.

Distances between distributions F and G are Kolmogorov and Smirnov's D = max |F − G| and Wasserstein's
W = ∫ |F − G| dx, in the unit of the values. Between weeks and between users the distance is the total variation
½ Σ |p − q|, over the shares of the jobs in the 168 hours of the week, and over the shares of the users, the busiest
first. What a log does not have is None.

As a yardstick, `halves` gives the distance of a log from itself. Two likenesses with different seeds show the effect
of chance alone.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.generators.arrivals import hourly_dispersion
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK_HOURS
from thinktime.workloads.user_models.rhythm import hours_of_week

SAMPLES = ("run time", "processors", "estimate", "time between submissions")
"""The quantities whose distributions are compared, in s (or processors)."""


def samples(trace: Trace) -> dict[str, Floats]:
    """The known values of each quantity that is compared."""
    return {
        "run time": trace.runtime[trace.runtime >= 0],
        "processors": trace.processors[trace.processors > 0].astype(np.float64),
        "estimate": trace.requested_time[trace.requested_time > 0],
        "time between submissions": np.diff(trace.submit),
    }


def week_shares(trace: Trace) -> Floats:
    """The share of the jobs submitted in each hour of the week, in the log's zone."""
    counts = np.bincount(hours_of_week(trace, trace.submit), minlength=WEEK_HOURS)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def user_shares(trace: Trace) -> Floats:
    """The share of the jobs of each user, the busiest first, without jobs that name no user."""
    known = trace.user[trace.user >= 0]
    counts = np.sort(np.unique(known, return_counts=True)[1])[::-1]
    return np.asarray(counts / max(len(known), 1), dtype=np.float64)


def gini(shares: Floats) -> float | None:
    """The Gini coefficient of shares: 0 if all are equal, near 1 if one has all.

    >>> gini(np.array([0.25, 0.25, 0.25, 0.25])), gini(np.array([1.0, 0.0, 0.0, 0.0]))
    (0.0, 0.75)
    """
    n = len(shares)
    if not n:
        return None
    ascending = np.sort(shares)
    return float((2 * np.arange(1, n + 1) - n - 1) @ ascending / (n * ascending.sum()))


def described(trace: Trace, processors: int | None = None) -> dict[str, float | None]:
    """One log in numbers: times in s, the load as a fraction of ``processors`` (default: the header's)."""
    since = trace.submit - trace.submit[0]
    shares, size = user_shares(trace), processors or trace.machine_size
    medians = {f"median {name}": _median(values) for name, values in samples(trace).items()}
    return {
        "jobs": float(len(trace)),
        "users": float(len(shares)) if len(shares) else None,
        "time span": float(since[-1]),
        "offered load": None if size is None else _known(offered_load(trace, size)),
        **medians,
        "dispersion of hourly counts": _known(hourly_dispersion(since)),
        "dispersion of daily counts": _known(hourly_dispersion(since / 24)),
        "Gini coefficient of jobs per user": gini(shares),
        "share of the busiest user": float(shares[0]) if len(shares) else None,
        "share of the ten busiest users": float(shares[:10].sum()) if len(shares) else None,
    }


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance of two logs in one respect; None if one of them has no values."""

    of: str
    measure: str
    """`Kolmogorov-Smirnov`, `Wasserstein` or `total variation`."""
    value: float | None


def distances(a: Trace, b: Trace) -> list[Distance]:
    """All distances between two logs."""
    from scipy import stats

    found = []
    first, second = samples(a), samples(b)
    for name in SAMPLES:
        x, y = first[name], second[name]
        both = len(x) and len(y)
        found.append(Distance(name, "Kolmogorov-Smirnov", _ks(x, y) if both else None))
        found.append(Distance(name, "Wasserstein", float(stats.wasserstein_distance(x, y)) if both else None))
    found.append(Distance("hours of the week", "total variation", _variation(week_shares(a), week_shares(b))))
    shares = user_shares(a), user_shares(b)
    known = all(len(each) for each in shares)
    found.append(Distance("users by rank", "total variation", _variation(*shares) if known else None))
    return found


def halves(trace: Trace) -> tuple[Trace, Trace]:
    """The jobs submitted in the first and in the second half of a log's time span."""
    middle = float(trace.submit[0] + trace.submit[-1]) / 2
    early = trace.submit < middle
    return trace.select(early), trace.select(~early)


def as_object(a: Trace, b: Trace, names: tuple[str, str], processors: int | None = None) -> dict[str, Any]:
    """The comparison as plain values; the yardstick is that of the first log, None if a half is empty."""
    first, second = halves(a)
    yardstick = distances(first, second) if len(first) and len(second) else None
    return {
        "a": {"log": names[0], **described(a, processors)},
        "b": {"log": names[1], **described(b, processors)},
        "distances": [
            {
                "of": each.of,
                "measure": each.measure,
                "a_to_b": each.value,
                "halves_of_a": None if yardstick is None else yardstick[place].value,
            }
            for place, each in enumerate(distances(a, b))
        ],
    }


def _ks(x: Floats, y: Floats) -> float:
    """The largest distance between two distribution functions."""
    x, y = np.sort(x), np.sort(y)
    at = np.concatenate([x, y])
    f, g = (np.searchsorted(each, at, side="right") / len(each) for each in (x, y))
    return float(np.abs(f - g).max())


def _variation(p: Floats, q: Floats) -> float:
    length = max(len(p), len(q))
    p, q = (np.pad(each, (0, length - len(each))) for each in (p, q))
    return float(np.abs(p - q).sum() / 2)


def _median(values: Floats) -> float | None:
    return float(np.median(values)) if len(values) else None


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
