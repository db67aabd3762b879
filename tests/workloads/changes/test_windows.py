"""Windows: values, repetition, machines that grow and shrink, and what is refused."""

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.changes.window_checks import check_windows
from thinktime.workloads.changes.windows import Window, capacity, repeat

DAY = 86_400


def test_times_are_rounded_to_the_grid() -> None:
    """All times of a window are multiples of 2⁻¹⁰ s; its end may be infinite."""
    window = Window(0.1, math.inf, 4, announced=0.05)
    assert (window.start, window.end, window.announced) == (102 / 1024, math.inf, 51 / 1024)
    assert Window(10, 20, 4, announced=10.0001).announced == 10


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, "maintenance"),
        ({"users": ["ann"]}, "reservation"),
        ({"jobs": [7]}, "reservation"),
        ({"users": []}, "maintenance"),
    ],
)
def test_the_kind_follows_from_who_is_admitted(given: dict[str, Any], kind: str) -> None:
    """A window that admits users or jobs is a reservation, any other one is maintenance."""
    assert Window(0, 10, 4, **given).kind == kind


def test_users_and_jobs_are_admitted() -> None:
    """A window admits the jobs of its users and its jobs by number; 7 and "7" are one user."""
    window = Window(0, 10, 4, users=[7, "ann"], jobs=(3,))
    assert [window.admits(user) for user in (7, "7", "ann", "an", None)] == [True, True, True, False, False]
    assert [window.admits("eve", job) for job in (3, 4, None)] == [True, False, False]


def test_a_window_is_repeated_with_its_announcement() -> None:
    """Each repetition is announced as long before its start as the first one."""
    found = repeat(Window(DAY, DAY + 3600, 4, announced=0), "7d", 16 * DAY)
    assert [(each.start / DAY, each.announced) for each in found] == [(1, 0), (8, 7 * DAY), (15, 14 * DAY)]
    assert repeat(Window(100, 200, 4), 1000, until=100) == ()


def test_a_machine_grows_and_shrinks() -> None:
    """Steps of the size become windows of what the machine lacks, of its kind and for no job."""
    found = capacity([(0, 6), (60, 10), (100, 4)])
    assert [(w.start, w.end, w.processors, w.kind, w.users) for w in found] == [
        (0, 60, 4, "capacity", ()),
        (100, math.inf, 6, "capacity", ()),
    ]
    assert capacity([]) == ()
    assert [w.processors for w in capacity([(5, 8)], processors=10, rule="wait")] == [2]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_a_machine_has_what_the_steps_say(sizes: list[int]) -> None:
    """At the time of each step, the machine less its windows is as large as the step says."""
    steps = [(10.0 * k, size) for k, size in enumerate(sizes)]
    windows = capacity(steps, processors=9)
    check_windows(windows, 9)
    for at, size in steps:
        assert 9 - sum(w.processors for w in windows if w.start <= at < w.end) == size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": 100, "end": 100}, "end must be after start (100 s), not 100"),
        ({"start": 100, "end": 50}, "end must be after start (100 s), not 50"),
        ({"start": 100, "end": 100.0001}, "end must be after start (100 s), not 100"),
        ({"start": -1}, "start must be a time from 0 to 8,796,093,022,208 s, not -1"),
        ({"start": math.nan}, "start must be a time from 0 to 8,796,093,022,208 s, not nan"),
        ({"end": "noon"}, "end: a duration must be a number of seconds, or a string such as '7 d' or '1 h 30 min' "
            "(units: s, m, min, h, d, w), "
            "not 'noon'"),
        ({"announced": 11}, "announced must be at or before start (10 s), not 11"),
        ({"announced": -1}, "announced must be a time from 0 to 8,796,093,022,208 s, not -1"),
        ({"processors": 0}, "processors must be a whole number of at least 1, not 0"),
        ({"processors": 1.5}, "processors must be a whole number of at least 1, not 1.5"),
        ({"processors": "n1"}, "processors must be a whole number of at least 1, not 'n1'"),
        ({"processors": ()}, "processors must be a number, or the names of at least one node, not ()"),
        ({"processors": ["n1", "n2", "n1"]}, "processors names the node 'n1' twice"),
        ({"users": "ann"}, "users must be a list of names or numbers, not 'ann'"),
        ({"jobs": ["7"]}, "jobs must be a list of job numbers, not ['7']"),
        ({"jobs": 7}, "jobs must be a list of job numbers, not 7"),
        ({"rule": "requeu"}, "rule cannot be 'requeu'; did you mean 'requeue'?"),
        ({"rule": "x"}, "rule cannot be 'x'; the choices are requeue, kill, wait"),
        ({"kind": "x"}, "kind cannot be 'x'; the choices are maintenance, reservation, capacity, off, cap"),
        ({"kind": "capacity", "users": ["ann"]}, "a window of kind capacity admits nobody: leave out users and jobs"),
    ],
)  # fmt: skip
def test_an_impossible_window_is_refused(arguments: dict[str, Any], message: str) -> None:
    """A window alone is refused with what is wrong and what would be right."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Window(**{"start": 10, "end": 200, "processors": 4} | arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: repeat(Window(0, 20, 1), 10, 100), "a window of 20 s cannot be repeated every 10 s"),
        (lambda: repeat(Window(0, 20, 1), 0, 100), "every must be a duration above 0, not 0"),
        (lambda: repeat(Window(0, 20, 1), 30, math.inf), "until must be a time below 8,796,093,022,208 s, not inf"),
        (lambda: capacity([(0, 6), (0, 4)]), "the times of the steps must rise, but 0 follows 0"),
        (lambda: capacity([(0, 6)], 4), "a step to 6 processors exceeds the machine's 4"),
        (lambda: capacity([(0, -1)]), "a step's processors must be a whole number of at least 0, not -1"),
    ],
)
def test_impossible_series_are_refused(call: Any, message: str) -> None:
    """Repetitions that overlap or do not end, and steps out of order or too large, are refused."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize(
    ("windows", "machine", "message"),
    [
        ([Window(0, 9, 11)], 10, "window 1: it takes 11 processors, but the machine has 10"),
        ([Window(0, 9, 6), Window(5, 9, 5)], 10,
         "window 2: at 5 s the open windows take 11 processors, but the machine has 10"),
        ([Window(5, 9, 5), Window(0, 9, 6)], 10,
         "window 2: at 5 s the open windows take 11 processors, but the machine has 10"),
        ([Window(0, 9, 6, users=[7]), Window(5, 9, 4, users=["7"])], 10,
         "window 2: the user 7 is admitted in two windows that are open at 5 s; "
         "a window must end before the next begins"),
        ([Window(0, 9, 6, jobs=[3]), Window(5, 9, 4, jobs=[3, 4])], 10,
         "window 2: job 3 is admitted in two windows that are open at 5 s; a window must end before the next begins"),
        ([Window(0, 9, ["n1"])], 10,
         "window 1: it names the node 'n1', but the machine is a pool: give a number of processors"),
        ([Window(0, 9, 1)], {"n1": 0, "n2": 1},
         "window 1: it takes 1 processors, but the machine has nodes: give their names"),
        ([Window(0, 9, ["n3"])], {"n1": 0, "n2": 1}, "window 1: there is no node 'n3'; the nodes are n1, n2"),
        ([Window(0, 9, ["n1", "n2"]), Window(8, 10, ["n2"])], {"n1": 0, "n2": 1},
         "window 2: the node 'n2' is in two windows that are open at 8 s; a window must end before the next begins"),
    ],
)  # fmt: skip
def test_windows_that_do_not_go_together_are_refused(windows: list[Window], machine: Any, message: str) -> None:
    """Together, windows must not exceed the machine, nor admit one user or job or take one node at the same time."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_windows(windows, machine)


def test_windows_one_after_the_other_go_together() -> None:
    """A window may begin at the end of another one, with all processors, users and jobs of it."""
    windows = [Window(5, 9, 10, users=["ann"], jobs=[1]), Window(0, 5, 10, users=["ann"], jobs=[1])]
    check_windows(windows, 10)
    check_windows([Window(0, 5, ["n1"]), Window(5, 9, ["n1"]), Window(0, 9, ["n2"])], ["n1", "n2"])
