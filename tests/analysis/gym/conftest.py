"""A small log, and agents that go through a whole run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.crowded import crowded

Choose = Callable[[Any, dict[str, Any]], int]


def log(jobs: int, seed: int = 4) -> tt.Trace:
    """Jobs of four users on 16 processors, which waited for one another's users not at all."""
    return crowded(jobs, seed, between=300)


def at_random(seed: int) -> Choose:
    """An agent that draws its actions."""
    rng = np.random.default_rng(seed)
    return lambda observation, info: int(rng.choice(np.flatnonzero(info["action_mask"])))


def played(env: Any, choose: Choose, seed: int | None = 1) -> list[tuple[Any, ...]]:
    """All that an environment says in one run."""
    observation, info = env.reset(seed=seed)
    told: list[tuple[Any, ...]] = [(observation, 0.0, False, False, info)]
    while not (told[-1][2] or told[-1][3]):
        told.append(env.step(choose(told[-1][0], told[-1][4])))
    return told


@pytest.fixture(scope="session")
def small() -> tt.Trace:
    """Forty jobs."""
    return log(40)
