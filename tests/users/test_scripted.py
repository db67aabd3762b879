"""Scripted users play their campaigns in a closed loop."""

from typing import Any

import pytest
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.users.scripted import scripted_user
from thinktime.workloads.job import Job


def play(*arguments: Any, **options: Any) -> Result:
    env = simpy.Environment()
    machine = Machine(env, 2, "fcfs")
    env.process(scripted_user(env, machine, "ada", *arguments, **options))
    env.run()
    return machine.result()


def test_the_next_campaign_comes_a_think_time_after_the_real_end() -> None:
    """On 2 processors three jobs of 10 s end at 20; the next campaign is submitted at 25."""
    result = play([[10, 10, 10], [1]], 5)
    assert result["submit"].tolist() == [0, 0, 0, 25]
    assert result["campaign"].tolist() == [0, 0, 0, 1]
    assert result["think_time"][3] == 5 and result["think_time"][0] != result["think_time"][0]


@pytest.mark.parametrize("thoughts", [[3, 7], [3, 7, 100]])
def test_a_think_time_for_each_campaign(thoughts: list[float]) -> None:
    """The think time of the last campaign may be given; no user waits for it."""
    result = play([[1], [1], [1]], thoughts)
    assert result["submit"].tolist() == [0, 4, 12]
    assert result.now == 13


def test_the_first_campaign_may_come_later() -> None:
    """`first` is when the user begins."""
    assert play([[1]], first=30)["submit"].tolist() == [30]


def test_jobs_keep_what_they_are() -> None:
    """A campaign may be made of jobs: they keep processors and estimate, and get the user's name."""
    result = play([[Job(runtime=5, processors=2, estimate=9, user="somebody")]])
    assert (result["processors"].tolist(), result["estimate"].tolist()) == ([2], [9])
    assert result.labels("user").tolist() == ["ada"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1], [1]], -1), "think_time must be a number of at least 0 s"),
        (([[1], [1], [1]], [1]), "3 campaigns need 2 think times"),
        (([[1]], 0, float("inf")), "first must be a number"),
    ],
)
def test_wrong_times_are_refused_at_once(arguments: tuple[Any, ...], message: str) -> None:
    """What is wrong is said when the process is made, not when it runs."""
    env = simpy.Environment()
    with pytest.raises(ValueError, match=message):
        scripted_user(env, Machine(env, 2), "ada", *arguments)


def test_a_user_without_campaigns_does_nothing() -> None:
    """A user without campaigns submits no jobs."""
    assert len(play([])) == 0
