"""Colours, durations and files of pictures."""

from pathlib import Path

import pytest

from thinktime.analysis.pictures import style
from thinktime.workloads.units import in_one_unit


def test_a_policy_keeps_its_colour() -> None:
    """A well-known policy has one colour, whatever else is in the picture."""
    alone, among = style.colour_of("easy"), style.colour_of("easy", ["mine", "fcfs", "easy"])
    assert alone == among == style.looks_of(["x", "Easy"])["Easy"].colour


def test_unknown_policies_take_free_colours_in_order() -> None:
    """Names without a colour of their own never share one with the known names beside them."""
    looks = style.looks_of(["mine", "easy", "yours"])
    assert len({look.colour for look in looks.values()}) == 3
    assert looks["mine"].colour == style.colour_of("mine", ["mine", "easy", "yours"])


def test_many_policies_all_look_different() -> None:
    """Past the end of the palette, dashes tell policies apart."""
    looks = style.looks_of([f"p{k}" for k in range(32)])
    assert len({(look.colour, look.dashes) for look in looks.values()}) == 32


@pytest.mark.parametrize("colour", style.PALETTE)
def test_every_colour_can_be_seen_on_white(colour: str) -> None:
    """The contrast of each colour with white paper (WCAG's ratio) is at least 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (luminance + 0.05) >= 2


@pytest.mark.parametrize(("seconds", "text"), [(0, "0 s"), (90, "1.5 min"), (7200, "2 h"), (86_400 * 2.5, "2.5 d")])
def test_durations_in_words(seconds: float, text: str) -> None:
    """A duration is written in the largest unit that it fills."""
    assert in_one_unit(seconds) == text


def test_ticks_are_round() -> None:
    """Ticks stand at multiples of one round step, or at round durations on a logarithmic axis."""
    assert style.linear_ticks(100, 20_000, 8) == [3600.0, 7200.0, 10_800.0, 14_400.0, 18_000.0]
    assert style.log_ticks(30, 7200) == [60.0, 600.0, 3600.0]


def test_the_users_settings_survive() -> None:
    """Styled pictures leave matplotlib's settings as they were."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with style.styled():
        assert mpl.rcParams["axes.spines.top"] is False
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_saving_twice_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    """A picture is written whole, under its own name only, and without the date."""
    for name in ("a", "b"):
        with style.styled():
            picture = style.figure()
            picture.subplots().plot([1, 2], label="x")
        style.save(picture, tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    """The error says which formats there are."""
    with pytest.raises(ValueError, match=r"pdf.*png.*svg.*not 'a.gif'"):
        style.save(style.figure(), tmp_path / "a.gif")
