"""Simulated worlds: what predictors must get exactly right where they are right, and common random numbers."""

from typing import Any

import numpy as np
import pytest

from thinktime.analysis.studies.prediction.cases import CASES, changes
from thinktime.analysis.studies.prediction.persons import person
from thinktime.analysis.studies.prediction.predictors import FEEDBACK, OPEN, Log, recorded
from thinktime.analysis.studies.prediction.world import World
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads.units import DAY, WEEK

EASY = MachineSpec(64, "easy")
WHERE = [name for name in changes(tuple(CASES)) if CASES[name].users == 1]


def times(result: Result) -> list[tuple[Any, ...]]:
    """User, size, submission, start and end of every job that is over, in an order of their own."""
    over = result["state"] >= State.FINISHED
    users = [int(name) for name in result.labels("user")[over]]
    columns = [result[name][over].tolist() for name in ("processors", "submit", "start", "end")]
    return sorted(zip(users, *columns, strict=True))


@pytest.fixture(scope="module")
def deadline() -> tuple[World, Log]:
    """Persons who look at no results, and their log, all of it."""
    world = World("deadline", 0, 12, 2026)
    truth = run(EASY, *world.sources(end=2 * WEEK))
    return world, Log(recorded(truth), world.seeds)


@pytest.mark.parametrize("name", WHERE)
def test_the_open_loop_is_exact_where_nobody_looks_at_results(name: str, deadline: tuple[World, Log]) -> None:
    """In a world with deadlines, open-loop replay is the truth to the second under every policy and machine."""
    world, log = deadline
    truth = run(CASES[name].spec, *world.sources(end=2 * WEEK))
    assert times(log.replayed(OPEN, CASES[name].spec)) == times(truth)
    assert len(truth) > 300


@pytest.fixture(scope="module")
def campaigns() -> tuple[dict[str | int, Any], Log]:
    """Persons who wait for eight campaigns each, and their log."""
    seed = (2026, 0, 0)
    users: dict[str | int, Any] = {number: person(seed, number).reacting("campaign") for number in range(1, 13)}
    return users, Log(recorded(run(EASY, sources.campaigns(users, seed, campaigns=8))), seed)


@pytest.mark.parametrize("name", WHERE)
def test_feedback_is_exact_where_users_wait_and_think(name: str, campaigns: tuple[dict[str | int, Any], Log]) -> None:
    """With a fixed number of campaigns, replay with feedback is the truth to the second, job by job."""
    users, log = campaigns
    truth = run(CASES[name].spec, sources.campaigns(users, (2026, 0, 0), campaigns=8))
    assert times(log.replayed(FEEDBACK, CASES[name].spec)) == times(truth)
    assert len(truth) > 200


@pytest.mark.parametrize("family", ["campaign", "linear", "session", "hours"])
def test_replays_of_the_recorded_policy_give_the_log_back(family: str) -> None:
    """A from A: open and with feedback, jobs wait as they did; to the second, where times are whole seconds."""
    users: dict[str | int, Any] = {number: person((1, 2), number).reacting(family) for number in range(1, 11)}
    truth = run(EASY, sources.campaigns(users, (1, 2), campaigns=5))
    log = Log(recorded(truth), (1, 2))
    for mode in (OPEN, FEEDBACK):
        said = log.replayed(mode, EASY)
        assert float((said["start"] - said["submit"]).mean()) == pytest.approx(float(log.trace.wait.mean()), rel=0.02)
        if family == "campaign":
            assert times(said) == times(truth)


@pytest.mark.parametrize(
    "family", ["linear", "session", "hours", "pipeline", "deadline", "mix", "half waiting", "cron"]
)
def test_persons_are_the_same_in_every_case(family: str) -> None:
    """A person's k-th job is the same in every case, but not with other dice; whoever it is."""
    world = World(family, 3, 4, 1)
    seen = []
    for name in ("FCFS", "-40 % processors", "+20 % users"):
        result = world.truth(CASES[name].spec, CASES[name].users, end=3 * DAY)
        jobs = np.flatnonzero(result.labels("user") == 2)
        seen.append(list(zip(result["processors"][jobs].tolist(), result["runtime"][jobs].tolist(), strict=True)))
    known = min(map(len, seen))
    assert all(each[:known] == seen[0][:known] for each in seen)
    here, other = (world.truth(EASY, dice=dice, end=3 * DAY)["runtime"].tolist() for dice in (0, 1))
    assert known >= 1 and here != other
