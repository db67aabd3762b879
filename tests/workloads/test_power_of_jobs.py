"""The power of the jobs of a log, from a table by user, executable or partition."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.power import power_of, with_power


def log() -> tt.Trace:
    """Three jobs, of which the log knows the energy of the last one: 900 J in 9 s on two processors."""
    columns = {
        "submit": [0, 1, 2],
        "runtime": [9, 9, 9],
        "allocated": [1, 2, 2],
        "user": [1, 2, 1],
        "executable": [7, 7, 8],
    }
    names = {"user": {1: "ann", 2: "bob"}}
    return tt.Trace(columns, names=names, further={"energy": np.array([np.nan, np.nan, 900.0])})


def test_a_table_by_user_or_executable() -> None:
    """A job in the table has its watts per processor, and others what the log says."""
    assert power_of(with_power(log(), {"bob": "0.1 kW"})).tolist() == pytest.approx([np.nan, 100, 50], nan_ok=True)
    assert power_of(with_power(log(), {"ann": 60})).tolist() == pytest.approx([60, np.nan, 60], nan_ok=True)
    assert power_of(with_power(log(), {7: 30}, by="executable")).tolist() == [30, 30, 50]


def test_a_run_with_it() -> None:
    """Two processors of bob for 9 s at 100 W are 1,800 J."""
    result = tt.replay(with_power(log(), {"ann": 60, "bob": 100}), "easy", 4, power=tt.Power())
    assert (result["energy"] * 3.6e6).tolist() == pytest.approx([540, 1800, 1080])


@pytest.mark.parametrize(
    ("table", "by", "said"),
    [
        ({"bop": 5}, "user", "the log has no user 'bop', of whom there is a power; did you mean 'bob'"),
        ({7: 5}, "program", "power cannot be by 'program'"),
        ({7: "200 kW"}, "executable", "the power of executable 7 is 200,000 W for a single processor"),
    ],
)
def test_wrong_tables(table: dict[str | int, float | str], by: str, said: str) -> None:
    """One sentence says what is wrong."""
    with pytest.raises(ValueError, match=said):
        with_power(log(), table, by)
