"""Windows that name users or jobs which the log does not have."""

from __future__ import annotations

from typing import Any

import pytest

import thinktime as tt

COLUMNS: dict[str, Any] = {"submit": [0, 1], "runtime": [10, 20], "allocated": [2, 1], "user": [3, 4]}
NUMBERED = tt.Trace(COLUMNS)
NAMED = NUMBERED.with_names({"user": {3: "ann", 4: "bob"}})


def replayed(log: tt.Trace, strangers: str = "refuse", **admits: Any) -> Any:
    """A replay with a window for somebody."""
    changes = tt.Changes(windows=[tt.Window(50, 60, 1, **admits)], strangers=strangers)
    return tt.replay(log, "easy", 4, changes=changes)


@pytest.mark.parametrize(
    ("log", "admits", "complaint"),
    [
        (NUMBERED, {"users": [7]}, "admits user 7, whom the log does not have"),
        (NUMBERED, {"users": [3, "ann"]}, "admits user 'ann', whom"),
        (NUMBERED, {"jobs": [1, 5]}, "admits job 5, which the log does not have"),
        (NAMED, {"users": ["anne"]}, "'anne', whom the log does not have; did you mean 'ann'"),
        (NAMED, {"users": [3]}, "its users have names, and number 3 is 'ann'"),
    ],
)
def test_strangers_are_refused(log: tt.Trace, admits: dict[str, Any], complaint: str) -> None:
    """One sentence says who it is, and who may be meant; if that is asked for, it is a note."""
    with pytest.raises(ValueError, match=complaint):
        replayed(log, **admits)
    assert any(complaint in note for note in replayed(log, "note", **admits).notes)


def test_who_is_in_the_log_is_admitted() -> None:
    """By name, by number, and by a number as text."""
    for log, admits in ((NUMBERED, {"users": [3, "4"], "jobs": [2]}), (NAMED, {"users": ["ann"]})):
        assert replayed(log, **admits).notes == []


def test_a_job_number_of_300_digits() -> None:
    """It is one sentence, with at most 40 characters of the number."""
    with pytest.raises(ValueError, match="jobs must be job numbers below") as caught:
        tt.Window(0, 9, 1, jobs=[10**300])
    assert len(str(caught.value)) < 100
