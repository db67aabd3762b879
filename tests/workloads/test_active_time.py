"""Active time, for users whose weeks lie one after another in two arrays."""

import numpy as np

from thinktime.workloads.active_time import after
from thinktime.workloads.units import DAY, HOUR, WEEK


def _week(weights):
    scaled = weights / np.mean(weights)
    return np.concatenate([[0.0], np.cumsum(scaled)])[:-1] * HOUR, scaled


def test_a_week_begins_at_its_place():
    """Each of three users gets the times that the same week has by itself."""
    draw = np.random.default_rng(3)
    weeks = [_week(draw.gamma(0.5, size=168) + 1e-3) for _ in range(3)]
    borders, weights = (np.concatenate(part) for part in zip(*weeks, strict=True))
    for user, (own_borders, own_weights) in enumerate(weeks):
        for time, gap in zip(draw.uniform(-1e6, 1e8, 100), draw.exponential(DAY, 100), strict=True):
            alone = after(own_borders, own_weights, 0, 5.0, time, gap)
            assert after(borders, weights, 168 * user, 5.0, time, gap) == alone


def test_just_below_a_week_is_the_last_hour():
    """A time so little before t = 0 that the remainder is the divisor: the last hour has ended, and so has the week."""
    borders, weights = _week(np.where(np.arange(168) % 2 == 0, 0.5, 1.5))
    assert after(borders, weights, 0, 0.0, -1e-12, 0.5 * HOUR) == HOUR
    assert after(borders, weights, 0, 0.0, WEEK - 1.0, 0.5 * HOUR + 1.5) == WEEK + HOUR
