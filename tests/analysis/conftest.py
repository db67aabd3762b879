"""Random schedules under a tiny first-come, first-served loop, and a sweep of known numbers."""

import heapq
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.analysis.experiments.known_numbers import known_numbers
from thinktime.analysis.experiments import Sweep
from thinktime.models.results.result import Result

Make = Callable[..., Result]


def starts_in_order(submit: list[float], run: list[float], width: list[int], processors: int) -> list[float]:
    """When strict first-come first-served starts each job."""
    running: list[tuple[float, int]] = []
    free, now, starts = processors, 0.0, []
    for arrival, length, n in zip(submit, run, width, strict=True):
        now = max(now, arrival)
        while running and (free < n or running[0][0] <= now):
            end, back = heapq.heappop(running)
            now, free = max(now, end), free + back
        starts.append(now)
        heapq.heappush(running, (now + length, n))
        free -= n
    return starts


def random_schedule(
    seed: int = 1, jobs: int = 400, processors: int = 64, load: float = 0.8, speed: float = 1.0
) -> Result:
    """Jobs of ten users in campaigns of five, on a machine that is `speed` times as fast."""
    rng = np.random.default_rng(seed)
    width = 2 ** rng.integers(0, 6, jobs) - rng.integers(0, 2, jobs) * (rng.random(jobs) < 0.3)
    width = np.maximum(width, 1)
    run = np.ceil(rng.lognormal(7.0, 1.5, jobs)) / speed
    gap = rng.exponential((run * width).mean() * speed / (processors * load), jobs) * (rng.random(jobs) < 0.5) * 2
    submit = np.ceil(np.cumsum(gap))
    start = np.array(starts_in_order(submit.tolist(), run.tolist(), width.tolist(), processors))
    user = rng.integers(0, 10, -(-jobs // 5)).repeat(5)[:jobs]
    columns = {
        "submit": submit, "start": start, "end": start + run, "processors": width, "user": user,
        "campaign": np.arange(jobs) // 5,
    }  # fmt: skip
    return Result.from_columns(columns, processors, names={"user": [f"user{k}" for k in range(10)]}, policy="fcfs")


@pytest.fixture
def schedule() -> Make:
    """The maker of random schedules."""
    return random_schedule


@pytest.fixture
def worked() -> Result:
    """Three jobs on 4 processors: A waits for nothing, B and C for A."""
    columns = {"submit": [0, 1, 2], "start": [0, 10, 10], "end": [10, 12, 13], "processors": [3, 2, 2]}
    return Result.from_columns(columns | {"user": [0, 1, 0]}, 4, names={"user": ["ann", "bob"]}, policy="fcfs")


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A sweep of known numbers, in which one run fails."""
    return known_numbers(tmp_path_factory.mktemp("known"))


@pytest.fixture
def swept(tmp_path: Path) -> Callable[[str], Sweep]:
    """Give a function that runs the known numbers with other settings."""
    return partial(known_numbers, tmp_path)
