"""Random failures: their distributions, and that they do not depend on who asks, or when."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.grid import TICK
from thinktime.workloads.streams import stream

EXAMPLE = Failures(mtbf=1000, mttr=50, seed=5)


class Always:
    """A constant, as a distribution with a `ppf`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def ppf(self, shares: Any) -> Any:
        return np.full(shares.shape, self.value)


def joined(pieces: list[Outages]) -> Outages:
    columns = zip(*((each.start, each.end, each.index) for each in pieces), strict=True)
    return Outages(*(np.concatenate(column) for column in columns))


def alternating(failures: Failures, i: int, until: float) -> list[tuple[float, float]]:
    """The outages of processor i, one number at a time as the definition says."""
    up = stats.weibull_min(failures.shape, scale=failures.mtbf / math.gamma(1 + 1 / failures.shape))
    down = stats.expon(scale=failures.mttr)
    ups, downs = stream(failures.seed, i, "failures"), stream(failures.seed, i, "repairs")
    t, found = 0.0, []
    while True:
        start = t + max(1, math.ceil(up.ppf(ups.random()) * 1024)) / 1024
        t = start + max(1, math.ceil(down.ppf(downs.random()) * 1024)) / 1024
        if start > until:
            return found
        found.append((start, t))


@pytest.mark.parametrize("shape", [0.7, 2.0])
def test_processors_alternate(shape: float) -> None:
    """Each processor's times come from its two streams by inverse transform, rounded up to the grid."""
    failures = Failures(mtbf=300, mttr=40, shape=shape, seed=9)
    found = failures.outages(3, 5000)
    for i in range(3):
        own = found.index == i
        pairs = list(zip(found.start[own].tolist(), found.end[own].tolist(), strict=True))
        assert np.abs(np.array(pairs) - np.array(alternating(failures, i, 5000))).max() <= TICK


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 60_000), min_size=1, max_size=6))
def test_steps_make_no_difference(steps: list[float]) -> None:
    """Outages that are drawn step by step are those that are drawn at once."""
    drawing, steps = EXAMPLE.drawing(7), sorted(steps)
    pieces = []
    for t in steps:
        upcoming = drawing.upcoming
        pieces.append(drawing.until(t))
        assert not len(pieces[-1]) or pieces[-1].start[0] == upcoming
        assert drawing.upcoming > t
    assert joined(pieces) == EXAMPLE.outages(7, steps[-1])


def test_the_number_of_processors_makes_no_difference() -> None:
    """A processor of a small machine fails when it fails on a large one; another seed gives other failures."""
    large = EXAMPLE.outages(20, 20_000)
    few = large.index < 5
    assert EXAMPLE.outages(5, 20_000) == Outages(large.start[few], large.end[few], large.index[few])
    assert EXAMPLE.with_seed(6).outages(20, 20_000) != large


def test_availability_is_that_of_the_closed_form() -> None:
    """Over [0, H] from all up, the share of time up is A + (1 − A)(1 − e^(−qH))/(qH) with q = 1/mtbf + 1/mttr."""
    processors, horizon = 1500, 10_000.0
    found = EXAMPLE.outages(processors, horizon)
    down = np.zeros(processors)
    np.add.at(down, found.index, np.minimum(found.end, horizon) - found.start)
    up = 1 - down / horizon
    q, a = 1 / 1000 + 1 / 50, 1000 / 1050
    expected = a + (1 - a) * -math.expm1(-q * horizon) / (q * horizon)
    assert (EXAMPLE.availability, expected) == pytest.approx((0.952381, 0.952608), abs=1e-6)
    assert abs(up.mean() - expected) < 4 * up.std() / math.sqrt(processors)


def test_frozen_distributions_of_scipy_are_drawn() -> None:
    """An exponential distribution of SciPy gives the failures that its mean gives."""
    own = Failures(up=stats.expon(scale=1000), down=stats.expon(scale=50), seed=5)
    assert own.outages(5, 9000) == EXAMPLE.outages(5, 9000)
    assert (own.availability, str(own)) == (EXAMPLE.availability, "mtbf of expon,mttr of expon,seed=5")


@pytest.mark.parametrize("shape", [0.7, 1.0, 3.0])
def test_the_mean_is_mtbf_with_any_shape(shape: float) -> None:
    """The first failure of a processor comes after mtbf on average, and so does a repair after mttr."""
    failures = Failures(mtbf=1000, mttr=50, shape=shape, repair_shape=shape, seed=11)
    found = failures.outages(800, 40_000)
    first = np.unique(found.index, return_index=True)[1]
    assert len(first) == 800
    for values, mean in ((found.start[first], 1000), ((found.end - found.start)[first], 50)):
        assert abs(values.mean() - mean) < 4 * values.std() / math.sqrt(800)


def test_any_distribution_may_be_given() -> None:
    """A distribution with a `ppf` takes the place of mtbf or mttr; times are at least one step of the grid."""
    found = Failures(up=Always(10), down=Always(0)).outages(1, 35)
    assert found.start.tolist() == [10, 20 + TICK, 30 + 2 * TICK]
    assert (found.end - found.start).tolist() == [TICK] * 3


def test_what_never_fails_is_never_down() -> None:
    """A processor whose next failure lies beyond all times does not fail, and the drawing ends."""
    drawing = Failures(up=Always(1e300), mttr=5).drawing(3)
    assert (len(drawing.until(1e12)), drawing.upcoming) == (0, math.inf)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from([1.0, 0.7, 2.5]))
def test_the_text_is_read_back(mtbf: int, mttr: int, shape: float) -> None:
    """Failures are read back from their own text, with their seed."""
    failures = Failures(mtbf, mttr, shape, seed=3)
    assert Failures.parse(str(failures)) == failures


def test_durations_have_units() -> None:
    """A text has durations with units, in s where there is none."""
    found = Failures.parse("mtbf=30d, mttr=14400, repair_shape=0.5")
    assert found == Failures(30 * 86_400, 4 * 3600, repair_shape=0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "failures are such as mtbf=30d,mttr=4h,shape=0.7, so '' is not understood"),
        ("mtbf=30d,4h", "failures are such as mtbf=30d,mttr=4h,shape=0.7, so '4h' is not understood"),
        ("mtbf=30d", "failures need mttr, such as mtbf=30d,mttr=4h, or a distribution of their own for down"),
        ("mtb=30d,mttr=4h", "failures have no 'mtb'; did you mean 'mtbf'?"),
        ("mtbf=3d,mtbf=4d,mttr=1h", "failures have 'mtbf' twice in 'mtbf=3d,mtbf=4d,mttr=1h'"),
        ("mtbf=soon,mttr=4h", "mtbf must be a duration above 0, such as 30d or 4h, not 'soon'"),
        ("mtbf=0,mttr=4h", "mtbf must be a duration above 0, such as 30d or 4h, not '0'"),
        ("mtbf=1d,mttr=4h,shape=x", "shape must be a number, such as 0.7, not 'x'"),
        ("mtbf=1d,mttr=4h,shape=0", "shape must be a number of at least 0.01, not 0.0"),
    ],
)
def test_wrong_texts_are_refused(text: str, message: str) -> None:
    """A wrong text is refused with what would be right."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Failures.parse(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"up": stats.expon(), "mtbf": 5, "mttr": 5}, "up is a distribution of its own, so leave out mtbf and shape"),
        ({"up": stats.expon(), "shape": 2, "mttr": 5}, "up is a distribution of its own, so leave out mtbf and shape"),
        ({"mtbf": 5, "down": 3}, "down must be a frozen distribution of scipy.stats, not 3"),
        ({"mtbf": 5, "mttr": 5, "seed": -1}, "seed must be a whole number of at least 0, not -1"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    """Arguments that contradict each other are refused."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Failures(**arguments)


@pytest.mark.parametrize(
    ("processors", "until", "message"),
    [
        (0, 10, "processors must be a whole number of at least 1, not 0"),
        (2**24, 10, "failures are drawn for fewer than 16,777,216 processors, not 16,777,216"),
        (2, math.inf, "outages can be drawn up to a time below 8,796,093,022,208 s, not inf"),
    ],
)
def test_drawings_without_end_are_refused(processors: int, until: float, message: str) -> None:
    """The number of processors and the time must be ones that a machine can have."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        EXAMPLE.outages(processors, until)


def test_a_distribution_without_numbers_is_refused() -> None:
    """A distribution that gives no number is an error in its name, not an endless up time."""
    with pytest.raises(ValueError, match="the distribution up gave a time that is not a number"):
        Failures(up=stats.expon(scale=-1), mttr=5).drawing(1)
