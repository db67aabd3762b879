"""Environments side by side: ours, and those of Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import thinktime as tt
from thinktime.analysis.gym.environment import NAME

from .conftest import log

OPTIONS: dict[str, Any] = {"machine": tt.MachineSpec(16), "jobs": 4, "running": 3}


def from_seed(seed: int) -> Any:
    """Users drawn from a small log."""
    return tt.sources.drawn(log(12), seed=seed)


def steps(envs: Any, count: int) -> list[Any]:
    """What a random agent is told."""
    rng = np.random.default_rng(1)
    told = [envs.reset(seed=5)]
    for _ in range(count):
        mask = told[-1][-1]["action_mask"]
        told.append(envs.step((mask * rng.random(mask.shape)).argmax(axis=1)))
    envs.close()
    return told


@pytest.mark.parametrize("options", [{}, {"per": "step"}, {"until": 3000.0, "backfilling": "easy"}], ids=str)
def test_ours_are_those_of_gymnasium(options: dict[str, Any]) -> None:
    """To the byte, across the ends of runs, with seeds as there."""
    sources = {"machine": OPTIONS["machine"], "sources": from_seed, "jobs": 4, "running": 3, **options}
    ours = gymnasium.make_vec(NAME, 3, **sources)
    theirs = gymnasium.make_vec(NAME, 3, vectorization_mode="sync", **sources)
    assert isinstance(ours, tt.gym.VectorEnvironment)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    found, expected = steps(ours, 40), steps(theirs, 40)
    assert sum((each[2] | each[3]).sum() for each in found[1:]) > 2
    for one, other in zip(found, expected, strict=True):
        assert data_equivalence(one, other, exact=True)


def test_processes_of_gymnasium_give_the_same() -> None:
    """`AsyncVectorEnv` runs each environment in a process of its own."""
    given = {"machine": OPTIONS["machine"], "sources": tt.sources.feedback(log(12)), "jobs": 4, "running": 3}
    ours = gymnasium.make_vec(NAME, 2, **given)
    theirs = gymnasium.make_vec(NAME, 2, vectorization_mode="async", **given)
    for one, other in zip(steps(ours, 15), steps(theirs, 15), strict=True):
        assert data_equivalence(one, other, exact=True)


def test_several_seeds_may_be_given() -> None:
    """One for each environment; the number of environments is checked."""
    envs = tt.gym.VectorEnvironment(sources=tt.gym.windows(log(40), "1h"), num_envs=2, **OPTIONS)
    seen, _ = envs.reset(seed=[3, 3])
    assert (seen["waiting"][0] == seen["waiting"][1]).all()
    seen, _ = envs.reset(seed=[3, 4])
    assert (seen["waiting"][0] != seen["waiting"][1]).any()
    with pytest.raises(ValueError, match="num_envs must be a whole number of at least 1, not 0"):
        tt.gym.VectorEnvironment(sources=from_seed, num_envs=0, **OPTIONS)
    with pytest.raises(ValueError, match="there are 2 environments, but 3 seeds"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="autoreset_mode is 'SameStep', but must be one of NextStep, Disabled"):
        tt.gym.VectorEnvironment(sources=from_seed, num_envs=2, autoreset_mode="SameStep", **OPTIONS)


def test_runs_that_are_over_may_stay_so() -> None:
    """Until a reset, which may begin some of them."""
    one = tt.sources.log(log(6))
    envs = tt.gym.VectorEnvironment(sources=one, num_envs=2, autoreset_mode="Disabled", **OPTIONS)
    told = steps(envs, 30)
    ends = np.array([each[2] for each in told[1:]])
    rewards = np.array([each[1] for each in told[1:]])
    assert (np.diff(ends.astype(int), axis=0) >= 0).all()
    assert ends[-1].all()
    assert (np.count_nonzero(rewards, axis=0) == 1).all()
    envs.reset(seed=[1, 2])
    while not envs.step([0, 4])[2].all():
        pass
    seen, _ = envs.reset(seed=[1, 2], options={"reset_mask": np.array([False, True])})
    assert (seen["waiting"][:, :, 2].sum(axis=1) > 0).tolist() == [False, True]
    assert envs.step([0, 0])[2].tolist() == [True, False]
