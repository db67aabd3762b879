"""A signal is the step function that its steps say, its integral is exact, and what cannot be one is refused."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.signals import Signal

GRID = st.integers(-(2**22), 2**22).map(lambda ticks: ticks / 1024)


@st.composite
def signals(draw: st.DrawFn, after: str) -> Signal:
    """Signals of a few steps with whole values; those that do not repeat begin before all times of `GRID`."""
    lengths = draw(st.lists(st.integers(2**10, 2**20), min_size=1, max_size=5))
    first = draw(GRID) if after == "repeat" else -5000.0
    borders = first + np.concatenate(([0], np.cumsum(lengths))) / 1024
    values = draw(st.lists(st.integers(-9, 9), min_size=len(lengths), max_size=len(lengths)))
    return Signal(borders[:-1], values, after=after, end=borders[-1].item())


def value(signal: Signal, t: Fraction) -> Fraction:
    """The value at a time, found by walking along the steps."""
    first, end = Fraction(signal.times[0].item()), Fraction(signal.end)
    if signal.after == "repeat":
        t = first + (t - first) % (end - first)
    return Fraction(
        [v for start, v in zip(signal.times.tolist(), signal.values.tolist(), strict=True) if start <= t][-1]
    )


@given(st.data(), st.sampled_from(["repeat", "hold"]), GRID, GRID)
def test_values_and_integrals_are_exact(data: st.DataObject, after: str, a: float, b: float) -> None:
    """Values, integrals and pieces are those of exact arithmetic, over many periods and from before the first."""
    signal = data.draw(signals(after))
    a, b = sorted((a, a + (b - a) / 64))
    a, b = math.floor(a * 1024) / 1024, math.floor(b * 1024) / 1024
    part = signal.steps(a, b)
    exact = sum(
        (
            value(signal, Fraction(start)) * Fraction(length)
            for start, length in zip(part.times.tolist(), part.lengths.tolist(), strict=True)
        ),
        Fraction(),
    )
    assert signal.at(a) == value(signal, Fraction(a))
    assert signal.integral(a, b) == exact
    assert signal.mean(a, b) == (float(exact) / (b - a) if b > a else signal.at(a))
    assert signal.at(part.times).tolist() == part.values.tolist()
    assert np.array_equal(signal.integral(part.times, np.append(part.times, b)[1:]), part.values * part.lengths)
    inner = part.times[1:].tolist()
    walked = [a]
    while (following := signal.next_step(walked[-1])) < b:
        walked.append(following)
    assert walked[1:] == inner


def test_a_step_is_at_its_time_and_the_next_from_its_own_on() -> None:
    """Steps have their beginnings and not their ends, and the end of a period is the beginning of the next."""
    signal = Signal([0, "1 h"], [1.0, 0.1])
    assert [signal.at(t) for t in (0.0, 3599.9990234375, 3600.0, 7199.0, 7200.0, -1.0)] == [1, 1, 0.1, 0.1, 1, 0.1]
    assert signal.period == 7200


def test_the_last_value_holds() -> None:
    """A signal that holds has its last value for ever."""
    signal = Signal([0, 10], [1, 2], after="hold")
    assert signal.at(1e6) == 2 and signal.integral(0, 1000) == 10 + 2 * 990


def test_a_single_step_is_constant_from_its_time_on() -> None:
    """One value without an end is a constant; before its time there is none."""
    constant = Signal([0], [3.0])
    assert (constant.at(1e9), constant.integral(5, 1e6), constant.next_step(0), constant.start) == (
        3, 3 * (1e6 - 5), math.inf, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("hours", "period"),
    [
        ([6, 22], 24), ([0, 8, 20], 24), ([0.25, 7], 24), ([5, 22, 29, 50], 48), ([0, 1], 2), ([0, 12], 24),
        ([0, 24], 48), (range(25), 25), (range(0, 72, 24), 72), ([0, 0.1, 7], 13.9), ([0, 1, 24], 48),
    ],
)  # fmt: skip
def test_a_day_of_tariffs_repeats_each_day(hours: list[float], period: float) -> None:
    """Unequal steps of the clock fill whole days; of others, the last one is as long as the one before."""
    times = [3600 * each for each in hours]
    signal = Signal(times, [1] * len(times))
    assert signal.period == pytest.approx(3600 * period)
    assert Signal(times, [1] * len(times), end="100 d").period == 100 * 86_400 - times[0]
    assert (", repeat every 1d 0h>" in repr(signal)) == (period == 24)


def test_quantiles_weigh_values_by_time() -> None:
    """The quantile is the least value that the signal is at or below for at least the share."""
    signal = Signal([0, 10, 40], [5.0, 1.0, 9.0], end=100)
    assert [signal.quantile(share, 0, 100) for share in (0, 0.3, 0.31, 0.4, 0.41, 1)] == [1, 1, 5, 5, 9, 9]


def test_moved_scaled_and_pickled() -> None:
    """A signal moved in time or scaled is the same elsewhere; a copy in another process is equal."""
    signal = Signal([0, 3600], [1.0, -0.5], "price", "EUR/kWh")
    assert signal.later("1 h").at(3600.0) == 1 and signal.scaled(2).at(3600.0) == -1
    assert pickle.loads(pickle.dumps(signal)) == signal and hash(signal) == hash(Signal(*signal.__reduce__()[1]))
    assert signal != signal.scaled(2)


@pytest.mark.parametrize(
    ("unit", "kind", "amount", "factor"),
    [
        ("EUR/kWh", "price", "EUR", 1), ("EUR/MWh", "price", "EUR", 0.001), ("g/kWh", "carbon", "kg", 0.001),
        ("gCO2eq/kWh", "carbon", "kg", 0.001), ("kg/MWh", "carbon", "kg", 0.001), ("kgCO2/kWh", "carbon", "kg", 1),
        ("points", "tariff", "points", 1), ("", "tariff", "", 1),
    ],
)  # fmt: skip
def test_units(unit: str, kind: str, amount: str, factor: float) -> None:
    """A unit says what a signal is, and what an integral of it over energy is in."""
    assert tuple(Signal([0], [1.0], unit=unit).in_unit) == (kind, amount, factor)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([], []), "two lists of equal length, with at least one step"),
        (([0, 1], [1]), "two lists of equal length"),
        (([0, 10, 5], [1, 2, 3]), "step 3 of a signal begins at 5 s, not after step 2 at 10 s"),
        (([0, 0], [1, 2]), "step 2 of a signal begins at 0 s, not after step 1"),
        (([math.nan], [1]), "step 1 of a signal begins at nan s"),
        (([0, 1], [1, math.inf]), "step 2 of a signal has the value inf"),
        (([0, 1], [1, 2], "x", "", "stop"), "cannot 'stop'; the ways are repeat, hold, end"),
        (([0, 5], [1, 2], "x", "", "hold", 5), "ends at 5 s, which must be after its last step"),
        (([0, 1], [9, -1], "carbon", "g/kWh"), "step 2 of a signal has -1 g/kWh; carbon cannot be negative"),
        (([0], [450_000], "carbon", "g/kWh"), "more than any electricity"),
    ],
)  # fmt: skip
def test_what_is_no_signal(arguments: tuple[object, ...], said: str) -> None:
    """One sentence says which step is wrong, and what would be right."""
    with pytest.raises(ValueError, match="signal") as error:
        Signal(*arguments)  # type: ignore[arg-type]
    assert said in str(error.value)


def test_times_without_a_value() -> None:
    """Before its first step and after its end a signal has no value, and the sentence says what would help."""
    with pytest.raises(ValueError, match="begins at 10 s, so it has no value at 5 s"):
        Signal([10], [1.0]).at(5.0)
    ending = Signal([0, 10], [1, 2], after="end")
    assert ending.integral(0, 20) == 30 and ending.over == 20
    with pytest.raises(ValueError, match="ends at 20 s, so it has no value at 21 s"):
        ending.integral(0, 21)
