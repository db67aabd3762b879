"""MMPP-2 against its closed forms."""

import math

import numpy as np
import pytest

from thinktime.workloads.generators import MMPP2

PROCESS = MMPP2(rates=(3, 1), switches=(1, 1))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_by_hand() -> None:
    """With rates 3 and 1 and switches 1 and 1, λ = 2 and CV² = 9/7."""
    assert PROCESS.mean_rate == pytest.approx(2)
    assert PROCESS.dispersion_limit == pytest.approx(1.5)
    assert PROCESS.gap_cv2 == pytest.approx(9 / 7)
    assert PROCESS.dispersion(5) == pytest.approx(1 + 0.5 * (1 - (1 - math.exp(-10)) / 10))


def test_equal_rates() -> None:
    """With equal rates it is a Poisson process: no dispersion beyond 1, CV² = 1."""
    poisson = MMPP2(rates=(0.2, 0.2), switches=(1, 3))
    assert (poisson.mean_rate, poisson.dispersion_limit) == pytest.approx((0.2, 1))
    assert poisson.gap_cv2 == pytest.approx(1)


def test_on_and_off() -> None:
    """A state without submissions: λ = λ₁ r₂ / s, and times between of two phases, CV² = 1 + 2 λ₁ r₁ / s²."""
    process = MMPP2(rates=(2, 0), switches=(1, 0.5))
    assert process.mean_rate == pytest.approx(2 * 0.5 / 1.5)
    assert process.gap_cv2 == pytest.approx(1 + 2 * 2 * 1 / 1.5**2)


def test_mean_rate_of_a_long_log() -> None:
    """The number of submissions is within four deviations of λ T."""
    window = 500_000.0
    times = PROCESS.times(1_100_000, rng())
    count = int((times < window).sum())
    assert count == pytest.approx(2 * window, abs=4 * math.sqrt(2 * window * 1.5))


def test_index_of_dispersion() -> None:
    """The dispersion of counts in long windows is IDC(t)."""
    window, windows = 50.0, 20_000
    times = PROCESS.times(2_100_000, rng())
    counts = np.bincount((times // window).astype(int))[:windows]
    expected = PROCESS.dispersion(window)
    assert counts.var(ddof=1) / counts.mean() == pytest.approx(expected, abs=4 * expected * math.sqrt(2 / windows))


def test_times_between() -> None:
    """`rvs` gives successive times between submissions, with the mean and CV² of the phase-type distribution."""
    gaps = PROCESS.rvs(size=400_000, random_state=rng()).reshape(400, 1_000)
    for power, moment in ((1, 0.5), (2, 0.25 * (1 + 9 / 7))):
        batches = (gaps**power).mean(axis=1)
        assert batches.mean() == pytest.approx(moment, abs=4 * batches.std(ddof=1) / math.sqrt(400))


def test_first_time_between() -> None:
    """A single draw has the distribution of the times between submissions."""
    random = rng()
    firsts = np.array([PROCESS.rvs(random_state=random) for _ in range(1_000)])
    assert firsts.mean() == pytest.approx(0.5, abs=4 * 0.5 * math.sqrt(9 / 7 / 1_000))


def test_longer_log_begins_alike() -> None:
    """A longer log of the same luck begins with the shorter one."""
    assert PROCESS.times(5_000, rng())[:100].tolist() == PROCESS.times(100, rng()).tolist()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rates": (1, 2, 3)}, "rates must be two rates of at least 0 per s, one of them above 0, not"),
        ({"rates": (0, 0)}, "rates must be two rates of at least 0 per s, one of them above 0, not"),
        ({"switches": (1, 0)}, r"switches must be two rates above 0 per s, not \(1, 0\)"),
        ({"switches": 1}, "switches must be two rates above 0 per s, not 1"),
    ],
)
def test_errors(given: dict[str, object], sentence: str) -> None:
    """Rates that make no process are refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        MMPP2(**given)  # type: ignore[arg-type]
