"""The b-model: conservation at every level, and the entropy that its bias stands for."""

import math

import numpy as np
import pytest

from thinktime.workloads.generators import BModel


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("bias", [0.5, 0.7, 0.9])
def test_conservation(bias: float) -> None:
    """At every level, the two halves of a part hold what the part holds: coarser counts are sums of finer ones."""
    model = BModel(bias=bias)
    finest = model.counts(12_345, 12, rng())
    for level in range(13):
        assert finest.reshape(2**level, -1).sum(axis=1).tolist() == model.counts(12_345, level, rng()).tolist()


@pytest.mark.parametrize("bias", [0.6, 0.75, 0.9])
def test_entropy_slope(bias: float) -> None:
    """The entropy of the shares grows by H(b) bits per level; rounding 10¹² submissions blurs no six digits."""
    model = BModel(bias=bias)
    for level in (1, 4, 8):
        counts = model.counts(10**12, level, rng())
        shares = counts[counts > 0] / 10**12
        assert -(shares * np.log2(shares)).sum() == pytest.approx(level * model.entropy_slope, abs=1e-6)


def test_closed_forms() -> None:
    """Entropy and Hurst parameter are those of their closed forms."""
    assert BModel(bias=0.75).entropy_slope == pytest.approx(2 - 0.75 * math.log2(3))
    assert round(BModel(bias=0.7).hurst, 3) == 0.893
    assert round(BModel(bias=0.9).hurst, 3) == 0.643


def test_rounding_is_fair() -> None:
    """Of 3 submissions the larger half gets 2.25 on average at b = 0.75: 2 or 3, with chances ¾ and ¼."""
    random, trials = rng(), 4_000
    larger = [int(BModel(bias=0.75).counts(3, 1, random).max()) for _ in range(trials)]
    assert set(larger) == {2, 3}
    assert np.mean(larger) == pytest.approx(2.25, abs=4 * math.sqrt(0.75 * 0.25 / trials))


def test_even_bias() -> None:
    """An even bias puts 2ˡ submissions one into each of 2ˡ parts, in their middles: there is no luck."""
    model = BModel(bias=0.5, mean=8, resolution=8)
    assert model.levels(64) == 6
    assert model.times(64, rng()).tolist() == [8 * i + 4 for i in range(64)]


def test_resolution() -> None:
    """Halving stops at the first level whose parts are no longer than the resolution."""
    assert BModel(mean=100, resolution=1).levels(1_000) == math.ceil(math.log2(100_000))
    assert BModel(mean=1, resolution=10).levels(5) == 0
    assert BModel(mean=1, resolution=10).times(5, rng()).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_times() -> None:
    """There are as many submissions as asked for, in order, within count times mean."""
    times = BModel(bias=0.8, mean=60).times(10_000, rng())
    assert len(times) == 10_000
    assert (np.diff(times) >= 0).all() and times[0] >= 0 and times[-1] < 600_000


@pytest.mark.parametrize("bias", [0.49, 1.0, "much"])
def test_errors(bias: object) -> None:
    """A bias below ½ or of 1 and more is refused in one sentence."""
    with pytest.raises(ValueError, match=f"bias must be a number from 0.5 to below 1, not {bias!r}"):
        BModel(bias=bias)  # type: ignore[arg-type]
