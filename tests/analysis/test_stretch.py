"""Campaigns in numbers: the paper's example by hand, V against the policy's own, and the bounds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.ostrich.package import Watched
from thinktime.analysis import stretch
from thinktime.analysis.papers.ostrich.figures import example
from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps
from thinktime.models.state import State
from thinktime.users.scripted import scripted_user

LOOPS = st.lists(
    st.tuples(
        st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=8), min_size=1, max_size=4),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=4,
)
"""Users: campaigns of run times, think time, first submission."""


def machine_after(users: list[tuple[list[list[int]], int, int]], policy: Any, processors: int = 4) -> Machine:
    env = simpy.Environment()
    machine = Machine(env, processors, policy)
    for name, (runtimes, think_time, first) in enumerate(users):
        env.process(scripted_user(env, machine, name, runtimes, think_time, first))
    env.run()
    return machine


def closed_loop(users: list[tuple[list[list[int]], int, int]], policy: str, processors: int = 4) -> Result:
    return machine_after(users, policy, processors).result()


def result_of(now: float | None = None, **columns: object) -> Result:
    return Result.from_columns(columns, 4, names={"user": ["ann", "bob"]}, now=now)


def test_the_stretches_of_the_papers_example() -> None:
    """In the appendix's example the stretches are 15/8, 5/3, 3/2 and 2."""
    columns = stretch.campaign_columns(example())
    assert columns.response_time.tolist() == [15, 5, 3, 4]
    assert columns.lower_bound.tolist() == [8, 3, 2, 2]
    assert columns.stretch.tolist() == [15 / 8, 5 / 3, 3 / 2, 2]


def test_the_virtual_schedule_of_the_papers_example() -> None:
    """V completes the campaigns at 14, 8, 7 and 10; the second of user 3 starts at 7; k goes 2, 3, 2, 1."""
    virtual = stretch.virtual_schedule(example())
    assert virtual.start.tolist() == [0, 0, 2, 7]
    assert virtual.end.tolist() == [14, 8, 7, 10]
    assert virtual.active.at([0, 2, 7, 8, 10, 14]).tolist() == [2, 3, 3, 2, 1, 0]


def test_the_bounds_of_the_papers_example() -> None:
    """For user 3's second campaign (t 5, W 8 after 10, k 3) the bounds are 5+5+4+2*3+2 and 3*(1+10/8)+3*6*3/8."""
    found = stretch.bounds(example())
    assert found.k.tolist() == [3, 3, 3, 3]
    assert found.preceding_work.tolist() == [0, 0, 0, 10]
    assert found.end[3] == pytest.approx(22)
    assert found.stretch[3] == pytest.approx(13.5)
    assert not found.late.any() and not found.stretched.any()


def test_the_virtual_schedule_does_not_hang_on_the_policy_of_open_submissions() -> None:
    """With the same submissions, V is the same under any policy."""
    users = [([[5, 5, 9]], 0, 0), ([[2, 2]], 0, 3), ([[30]], 0, 4)]
    first, second = (stretch.virtual_schedule(closed_loop(users, policy)) for policy in ("fcfs", "ostrich"))
    assert first.start.tolist() == second.start.tolist()
    assert first.end.tolist() == second.end.tolist()


@settings(max_examples=40, deadline=None)
@given(LOOPS)
def test_v_computed_again_is_the_policys_own(users: list[tuple[list[list[int]], int, int]]) -> None:
    """From the result of an OStrich run, V comes out as the policy kept it."""
    machine = machine_after(users, Watched())
    virtual = stretch.virtual_schedule(machine.result())
    for campaign in machine.policy.seen.values():
        if not np.isnan(campaign.virtual_end):  # the policy stops with the last real event
            assert virtual.start[campaign.number] == campaign.virtual_start
            assert virtual.end[campaign.number] == campaign.virtual_end


@settings(max_examples=60, deadline=None)
@given(LOOPS, st.sampled_from(["ostrich", *(f"ostrich:within={order}" for order in ("spt", "fcfs", "mlpt"))]))
def test_the_bounds_hold_under_ostrich(users: list[tuple[list[list[int]], int, int]], policy: str) -> None:
    """No campaign of sequential jobs in a closed loop breaks Lemma 2 or Theorem 1, whatever the order within."""
    found = stretch.bounds(closed_loop(users, policy))
    assert not found.late.any() and not found.stretched.any()


@settings(max_examples=40, deadline=None)
@given(LOOPS)
def test_virtual_work_is_conserved(users: list[tuple[list[list[int]], int, int]]) -> None:
    """V is busy on all processors while any user is active, and for exactly the work submitted."""
    result = closed_loop(users, "fcfs", processors=4)
    virtual = stretch.virtual_schedule(result)
    busy = Steps(virtual.active.times, np.minimum(virtual.active.values, 1.0))
    assert float(busy.integral(np.inf)) * 4 == pytest.approx(float(result["runtime"].sum()), abs=0.1)


def test_the_largest_value_over_an_interval() -> None:
    """`most` looks at [begin, end), and at `begin` alone where that is empty."""
    steps = Steps(np.array([0.0, 2.0, 5.0, 6.0]), np.array([1.0, 4.0, 2.0, 0.0]))
    begin, end = (np.array([0.0, 0.0, 2.0, 5.0, 1.0, -3.0, 6.0, 5.5]), np.array([2.0, 2.5, 5, 9, 1, -1, 8, 5.5]))
    assert stretch.most(steps, begin, end).tolist() == [1, 4, 4, 2, 1, 0, 0, 2]
    assert stretch.most(Steps(np.empty(0), np.empty(0)), begin, end).tolist() == [0] * 8


def test_shares_make_a_user_faster_in_v() -> None:
    """With shares 2 and 1, ann's 12 of work end in V at 4.5 and bob's at 6."""
    result = result_of(submit=[0, 0], start=[0, 0], end=[12, 12], processors=[1, 1], user=[0, 1], campaign=[0, 1])
    virtual = stretch.virtual_schedule(result, {"ann": 2})
    assert virtual.end.tolist() == [4.5, 6]
    assert stretch.bounds(result, {"ann": 2}).k.tolist() == [1.5, 3]


def test_a_late_campaign_is_found() -> None:
    """A campaign that ends after its bound is found."""
    columns = {"submit": [0], "processors": [1], "runtime": [4], "estimate": [4], "user": [0], "campaign": [0]}
    for start, broken in ((9, False), (10, True)):
        found = stretch.bounds(result_of(start=[start], end=[start + 4], **columns))
        assert (found.end.tolist(), found.late.tolist()) == ([13], [broken])
    found = stretch.bounds(result_of(start=[np.nan], end=[np.nan], now=20.0, **columns))
    assert found.late.tolist() == [True], "not over, although the time has passed"


def test_jobs_without_a_campaign_are_grouped_by_user_and_instant() -> None:
    """What a user submits at one instant is a campaign; declared ones keep their numbers."""
    result = result_of(
        submit=[0, 0, 0, 5, 5], start=[0] * 3 + [5] * 2, end=[2, 3, 2, 6, 6], processors=[1] * 5,
        user=[0, 0, 1, 0, 0], campaign=[-1, -1, -1, 7, 7],
    )  # fmt: skip
    assert stretch.campaign_numbers(result).tolist() == [8, 8, 9, 7, 7]
    table = stretch.campaign_table(result)
    assert table.index.tolist() == [7, 8, 9]
    assert table["user"].tolist() == ["ann", "ann", "bob"]
    assert table["jobs"].tolist() == [2, 2, 1]


def test_parallel_jobs_count_with_their_processors() -> None:
    """W is the sum of processors times run time, so one wide job can make W / m the lower bound."""
    result = result_of(submit=[0, 0], start=[0, 6], end=[6, 8], processors=[4, 2], user=[0, 0], campaign=[0, 0])
    columns = stretch.campaign_columns(result)
    assert (columns.work.tolist(), columns.lower_bound.tolist()) == ([28], [7])
    assert columns.stretch.tolist() == [8 / 7]


def test_what_is_not_over_has_no_stretch() -> None:
    """A campaign with a running job has no end; one that was withdrawn has no stretch; refused jobs do not count."""
    states = [State.FINISHED, State.RUNNING, State.WITHDRAWN, State.REFUSED]
    result = result_of(
        submit=[0, 0, 1, 1], start=[0, 0, np.nan, np.nan], end=[2, np.nan, 3, 1], processors=[1] * 4,
        user=[0, 0, 1, 1], campaign=[0, 0, 1, 2], runtime=[2, 9, 9, 9], estimate=[9] * 4, state=states, now=4.0,
    )  # fmt: skip
    columns = stretch.campaign_columns(result)
    assert columns.number.tolist() == [0, 1]
    assert np.isnan(columns.stretch).all()
    assert stretch.user_table(result)["campaigns"].tolist() == [0, 0]


def test_the_table_of_users() -> None:
    """The table has each user's number of stretches, mean, median, 95th percentile and largest."""
    result = result_of(
        submit=[0, 10, 20], start=[0, 12, 20], end=[2, 14, 22], processors=[1] * 3, user=[0, 0, 1], campaign=[0, 1, 2]
    )
    table = stretch.user_table(result)
    assert table.index.tolist() == ["ann", "bob"]
    assert table.loc["ann"].tolist() == [2, 1.5, 1.5, 1.95, 2, 0, 0]
    assert stretch.stretches_by_user(result)["ann"].tolist() == [1, 2]


@pytest.mark.parametrize("table", [stretch.campaign_table, stretch.user_table, stretch.bound_table])
def test_tables_of_nothing_are_empty(table: Callable[[Result], object]) -> None:
    """A result without jobs has no campaigns."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    assert len(table(empty)) == 0  # type: ignore[arg-type]


def test_the_table_of_bounds() -> None:
    """The table has a line per campaign with its place in V, its bounds and what it had."""
    table = stretch.bound_table(example())
    assert table.index.tolist() == [0, 1, 2, 3]
    assert (table["end"] <= table["end_bound"]).all() and not table["violated"].any()
