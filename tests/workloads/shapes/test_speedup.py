"""Speed-ups: each form's values, what they have in common, and texts that are none."""

import numpy as np
import pytest

from thinktime.workloads.shapes.speedup import SpeedUp

SIZES = np.arange(1, 65)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("linear", {1: 1, 7: 7}),
        ("constant", {1: 1, 7: 1}),
        ("amdahl(0.2)", {1: 1, 2: 5 / 3, 4: 2.5, 8: 10 / 3}),
        ("amdahl(0)", {7: 7}),
        ("amdahl(1)", {7: 1}),
        ("power(0.5)", {1: 1, 4: 2, 9: 3}),
        ("table(4:3.4 1:1 2:1.9)", {1: 1, 2: 1.9, 4: 3.4}),
        # Downey (1997), low variance: A n / (A + sigma (n - 1) / 2) up to A, then A n / (sigma (A - 1/2) +
        # n (1 - sigma / 2)) up to 2 A - 1, then A.
        ("downey(8, 0.5)", {1: 1, 4: 32 / 8.75, 8: 64 / 9.75, 12: 96 / 12.75, 15: 8, 40: 8}),
        # High variance: n A (sigma + 1) / (sigma (n + A - 1) + A) up to A + A sigma - sigma, then A.
        ("downey(8, 2)", {1: 1, 4: 96 / 30, 10: 240 / 42, 22: 8, 40: 8}),
        ("downey(8, 0)", {4: 4, 8: 8, 9: 8}),
    ],
)
def test_values_by_hand(text: str, values: dict[int, float]) -> None:
    """Each form as it is written, in all of its branches."""
    assert SpeedUp(text).at(np.array(list(values))) == pytest.approx(list(values.values()), rel=1e-12)


@pytest.mark.parametrize(("parallelism", "variance"), [(8, 0.5), (8, 1), (8, 2), (5.5, 0.3), (20, 3.7), (1, 2)])
def test_downey_grows_without_jumps(parallelism: float, variance: float) -> None:
    """It is 1 on one processor, never falls, jumps nowhere (also where its branches join), and ends at A."""
    a, sigma = parallelism, variance
    form = SpeedUp(f"downey({a}, {sigma})")
    values = form.at(np.arange(100, 20_001) / 100.0)
    assert form.of(1) == pytest.approx(1.0)
    assert (np.diff(values) >= -1e-12).all()
    assert np.diff(values).max() <= 0.01 + 1e-12  # no steeper than linear, of which a step is 0.01
    assert values[-1] == a


def test_the_two_branches_of_downey_agree_at_variance_1() -> None:
    """There, both say 2 A n / (2 A + n - 1)."""
    just_above = SpeedUp("downey(8, 1.000000001)").at(SIZES)
    assert SpeedUp("downey(8, 1)").at(SIZES) == pytest.approx(just_above, rel=1e-8)


@pytest.mark.parametrize(
    "text", ["linear", "constant", "amdahl(0.07)", "power(0.3)", "downey(10, 0.4)", "downey(9, 3)"]
)
def test_every_form_is_between_constant_and_linear(text: str) -> None:
    """From 1 on, never falling, never above n; and its own text makes it again."""
    form = SpeedUp(text)
    values = form.at(SIZES)
    assert values[0] == pytest.approx(1.0)
    assert (np.diff(values) >= 0).all()
    assert (values <= SIZES * (1 + 1e-12)).all()
    assert SpeedUp(str(form)) == form


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a speed-up is a text such as amdahl(0.1) or linear, not ''"),
        (5, "a speed-up is a text such as amdahl(0.1) or linear, not 5"),
        ("amdahl 0.1", "a speed-up is a text such as amdahl(0.1) or linear, not 'amdahl 0.1'"),
        ("amdal(0.1)", "there is no speed-up 'amdal'; did you mean 'amdahl'?"),
        (
            "gustafson(0.1)",
            "there is no speed-up 'gustafson'; the speed-ups are linear, amdahl, downey, power, constant, table",
        ),
        ("amdahl", "the speed-up amdahl needs the serial share; write amdahl(0.1), not 'amdahl'"),
        ("amdahl(1.2)", "the serial share of amdahl must be a number from 0 to 1, not '1.2'"),
        ("amdahl(nan)", "the serial share of amdahl must be a number from 0 to 1, not 'nan'"),
        (
            "downey(10)",
            "the speed-up downey needs the average parallelism and the variance; write downey(16, 1), not 'downey(10)'",
        ),
        ("downey(10, -1)", "the variance of downey must be a number from 0 on, not '-1'"),
        ("linear(2)", "the speed-up linear has no parameter; write linear, not 'linear(2)'"),
        ("table(1:1 2)", "a table is such as table(1:1 2:1.9 4:3.4), not '1:1 2'"),
        ("table(1:nan)", "a table has sizes of at least 1, and speed-ups above 0, such as table(1:1 2:1.9)"),
        ("table(1:1 2:0.5)", "the speed-up falls to 0.5 for size 2; write table(any …) if that is meant"),
        ("table(2:2.5)", "the speed-up for size 2 is 2.5, more than 2; write table(any …) if that is meant"),
    ],
)
def test_texts_that_are_none_get_a_sentence(text: str, sentence: str) -> None:
    """What is wrong, and what would be right."""
    with pytest.raises(ValueError) as error:
        SpeedUp(text)
    assert str(error.value) == sentence


def test_tables_know_their_sizes_alone() -> None:
    """And with ``any`` they may fall, or be above n."""
    with pytest.raises(ValueError, match=r"table\(1:1 2:1\.9\) has no value for size 3, only for 1, 2"):
        SpeedUp("table(1:1 2:1.9)").of(3)
    assert SpeedUp("table(any 1:1 2:2.5 4:2)").at(np.array([4, 2])).tolist() == [2.0, 2.5]
