"""Arrivals against the closed forms of their processes. A mean may be off by four standard errors, no more."""

import math
from itertools import islice

import numpy as np
import pytest
from scipy import stats

from thinktime.users.sampling import draws
from thinktime.workloads.generators import Arrivals, Poisson, Renewal, Weibull

N = 200_000


def rng() -> np.random.Generator:
    return np.random.default_rng(42)


def test_poisson_mean() -> None:
    """Times between Poisson arrivals are exponential with the wanted mean, so CV² is 1."""
    gaps = Poisson(mean=50).draw(N, rng())
    assert gaps.mean() == pytest.approx(50, abs=4 * 50 / math.sqrt(N))
    assert (gaps**2).mean() == pytest.approx(2 * 50**2, abs=4 * 50**2 * math.sqrt((24 - 4) / N))


@pytest.mark.parametrize("shape", [0.5, 0.7, 2.0])
def test_weibull_moments(shape: float) -> None:
    """Weibull arrivals have the mean asked for, and the second moment (so the CV²) of their closed form."""
    process = Weibull(shape=shape, mean=10)
    gaps = process.draw(N, rng())
    second, fourth = (process.scale**k * math.gamma(1 + k / shape) for k in (2, 4))
    assert gaps.mean() == pytest.approx(10, abs=4 * 10 * math.sqrt(process.gap_cv2 / N))
    assert (gaps**2).mean() == pytest.approx(second, abs=4 * math.sqrt((fourth - second**2) / N))
    assert process.gap_cv2 == pytest.approx(second / 100 - 1)


def test_weibull_by_hand() -> None:
    """Shape ½: Γ(3) = 2 and Γ(5) = 24, so λ is half the mean and CV² = 24 / 4 − 1 = 5; shape 1 is Poisson."""
    assert Weibull(shape=0.5, mean=10).scale == pytest.approx(5)
    assert Weibull(shape=0.5).gap_cv2 == pytest.approx(5)
    assert Weibull(shape=1).gap_cv2 == pytest.approx(1)


def test_renewal() -> None:
    """The time between arrivals may be a number, a distribution or a function."""
    assert Renewal(gap=5).times(3, rng()).tolist() == [5, 10, 15]
    assert Renewal(gap=lambda each: 2.0).times(3, rng()).tolist() == [2, 4, 6]
    expected = np.cumsum(stats.gamma(2, scale=3).rvs(size=4, random_state=rng()))
    assert Renewal(gap=stats.gamma(2, scale=3)).times(4, rng()).tolist() == expected.tolist()


@pytest.mark.parametrize("process", [Poisson(), Weibull()])
def test_times_are_sums(process: Arrivals) -> None:
    """Times are the sums of the times between, in order, the first after time 0."""
    assert process.times(100, rng()).tolist() == np.cumsum(process.draw(100, rng())).tolist()


def test_quantity_for_users() -> None:
    """Arrivals have the `rvs` of a frozen distribution, so a user in the loop can think in bursts."""
    process = Weibull(shape=0.6, mean=100)
    one = process.rvs(random_state=rng())
    assert isinstance(one, float)
    assert process.rvs(size=(2, 3), random_state=rng()).shape == (2, 3)
    assert process.rvs(size=3, random_state=7).tolist() == process.rvs(3, np.random.default_rng(7)).tolist()
    assert next(islice(draws(process, rng()), 1)) == one


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Poisson(mean=0), "mean must be a number above 0, not 0"),
        (lambda: Weibull(shape=0.01), "shape must be a number of at least 0.05, not 0.01"),
        (lambda: Weibull(mean="x"), "mean: a duration must be a number of seconds, or a string such as '7 d'"),
        (lambda: Renewal(gap=-1), "gap must be a number of at least 0, not -1"),
        (lambda: Renewal(gap=stats.norm()).draw(100, rng()), "gap must be at least 0, but .* gave -"),
        (lambda: Renewal(gap="x"), "gap: a duration must be a number of seconds, or a string such as '7 d'"),
    ],
)
def test_errors(make: object, sentence: str) -> None:
    """What cannot be is refused in one sentence with the name and the value."""
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]
