"""Sizes, run times and owners: what the jobs are like."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.workloads.generators import (
    LONG,
    SHORT,
    Everybody,
    HyperGamma,
    PowersOfTwo,
    TwoStage,
    Uniform,
    Zipf,
    sample,
)
from thinktime.workloads.generators.shapes import draw_sizes

N = 100_000


def rng() -> np.random.Generator:
    return np.random.default_rng(8)


def near(share: float) -> object:
    """Four deviations of a share among N."""
    return pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / N))


def test_two_stage_mean() -> None:
    """The mean of log₂ n of parallel jobs on 128 processors is 3.084."""
    model = TwoStage()
    low, medium, high = model.bounds(128)
    assert (low, medium, high) == (0.8, 4.5, 7.0)
    mean = model.probability * (low + medium) / 2 + (1 - model.probability) * (medium + high) / 2
    assert round(mean, 3) == 3.084


def test_serial_share() -> None:
    """The share of serial jobs is the model's, and rounding adds none."""
    sizes = TwoStage().sizes(N, 128, rng())
    assert (sizes == 1).mean() == near(0.244)
    assert sizes.min() == 1 and sizes.max() <= 128


def test_powers_have_the_shares_of_both_stages() -> None:
    """With nothing but powers of two, exponent k has the probability of [k − ½, k + ½] in the two stages."""
    model = TwoStage(serial=0, power_of_two=1)
    exponents = np.log2(model.sizes(N, 128, rng()))
    for k in range(1, 8):
        first = max(0.0, min(k + 0.5, 4.5) - max(k - 0.5, 0.8)) / 3.7
        second = max(0.0, min(k + 0.5, 7.0) - max(k - 0.5, 4.5)) / 2.5
        assert (exponents == k).mean() == near(0.86 * first + 0.14 * second)


@pytest.mark.parametrize("processors", [1, 2, 3, 100])
def test_small_and_odd_machines(processors: int) -> None:
    """Sizes fit every machine, also one on which the model's bounds would cross."""
    sizes = TwoStage(low=2.0).sizes(1_000, processors, rng())
    assert sizes.min() >= 1 and sizes.max() <= processors


def test_powers_of_two() -> None:
    """Powers of two up to the machine or a bound are equally likely."""
    sizes = PowersOfTwo().sizes(N, 100, rng())
    assert sorted(set(sizes.tolist())) == [1, 2, 4, 8, 16, 32, 64]
    assert (sizes == 64).mean() == near(1 / 7)
    assert set(PowersOfTwo(largest=3).sizes(100, 64, rng()).tolist()) == {1, 2}


def test_any_distribution_of_sizes() -> None:
    """Any quantity may be the size, rounded and cut to the machine."""
    assert draw_sizes(stats.norm(0, 100), 1_000, 64, rng()).min() == 1
    assert draw_sizes(stats.norm(0, 100), 1_000, 64, rng()).max() == 64
    assert draw_sizes(3.6, 2, 64, rng()).tolist() == [4, 4]


def test_pieces_for_users() -> None:
    """Models of sizes and run times give quantities for users in the loop: `on` a machine, of a size."""
    assert TwoStage().on(16).rvs(size=1_000, random_state=1).max() <= 16
    assert isinstance(HyperGamma().on(16).rvs(random_state=1), float)
    assert HyperGamma().rvs(size=9, random_state=2).tolist() == HyperGamma().on(1).rvs(9, 2).tolist()


@pytest.mark.parametrize(("size", "mean"), [(1, 0.7746 * 3.948 + 0.2254 * 9.36), (128, 0.0888 * 3.948 + 0.9112 * 9.36)])
def test_hyper_gamma_mean(size: int, mean: float) -> None:
    """The mean log run time is p a₁ b₁ + (1 − p) a₂ b₂, with p falling with the size."""
    model = HyperGamma(largest=1e6)
    logs = model.logs(np.full(N, size), rng())
    p = float(model.p(size))
    assert p * model.a1 * model.b1 + (1 - p) * model.a2 * model.b2 == pytest.approx(mean, abs=1e-12)
    assert logs.mean() == pytest.approx(mean, abs=4 * logs.std() / math.sqrt(N))


def test_hyper_gamma_bound() -> None:
    """Logarithms above 12 are drawn again, and run times are whole seconds of at least 1."""
    runtimes = HyperGamma().runtimes(np.full(N, 64), rng())
    assert runtimes.min() >= 1 and runtimes.max() <= math.exp(12)
    assert (runtimes == np.floor(runtimes)).all()


@pytest.mark.parametrize(("profile", "low", "high"), [(SHORT, 1, 3_600), (LONG, 3_600, 36_000)])
def test_profiles(profile: Uniform, low: float, high: float) -> None:
    """The paper's profiles are uniform on [1, 3600] and [3600, 36000]."""
    drawn = profile.rvs(size=N, random_state=rng())
    assert low <= drawn.min() and drawn.max() <= high
    assert drawn.mean() == pytest.approx((low + high) / 2, abs=4 * (high - low) / math.sqrt(12 * N))


def test_everybody() -> None:
    """By default all users are equally likely."""
    owner = Everybody().draw(N, 5, rng())
    assert all((owner == user).mean() == near(0.2) for user in range(1, 6))


def test_zipf() -> None:
    """Zipf with exponent 1 gives three users 6/11, 3/11 and 2/11."""
    owner = Zipf(exponent=1).draw(N, 3, rng())
    assert all((owner == user).mean() == near(6 / 11 / user) for user in (1, 2, 3))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TwoStage(serial=1.5), "serial must be a number from 0 to 1, not 1.5"),
        (lambda: TwoStage(low=-1), "low must be at least 0, not -1"),
        (lambda: PowersOfTwo(largest=0), "largest must be a whole number of at least 1, not 0"),
        (lambda: TwoStage().on(0), "processors must be a whole number of at least 1, not 0"),
        (lambda: HyperGamma(a1=0), "a1 must be a number above 0, not 0"),
        (lambda: HyperGamma(largest=1e-9).rvs(), "largest must leave some numbers to draw, which 1e-09 does not"),
        (lambda: Uniform(5, 3), r"high must be a number of at least low \(5\), not 3"),
        (lambda: Zipf(exponent=-1), "exponent must be a number of at least 0, not -1"),
        (lambda: sample(lambda rng: math.nan, 1, rng(), "x"), "x must be finite, but .* gave nan"),
    ],
)
def test_errors(make: object, sentence: str) -> None:
    """What cannot be is refused in one sentence with the name and the value."""
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]
