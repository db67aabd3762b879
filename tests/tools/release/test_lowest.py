"""The lowest versions are read out of setup.cfg."""

import pytest

from tools.release.lowest import SETUP, constraints

TEXT = """[options]
install_requires =
    numpy>=1.26
[options.extras_require]
dev =
    stubs
    dask>={}
all =
    dask>=2
"""


def test_each_lower_bound_is_a_constraint() -> None:
    """Every bound is a line, once and sorted; what has none is left out."""
    assert constraints(TEXT.format("2")) == ["dask==2", "numpy==1.26"]


def test_two_bounds_of_one_name_are_refused() -> None:
    """Extras that disagree about a library are an error, and so setup.cfg has none."""
    with pytest.raises(ValueError, match="dask has two lower bounds, 3 and 2"):
        constraints(TEXT.format("3"))
    assert "simpy==4.1" in constraints(SETUP.read_text(encoding="utf-8"))
