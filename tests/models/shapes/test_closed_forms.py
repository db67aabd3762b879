"""Jobs that share a pool equally stay as long, on average, as queueing theory says."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.shapes.queueing import chain, one_server, several_servers, speeds_of_equal_shares
from thinktime.workloads.shapes.shape import Shape

PROCESSORS = 8
SECONDS = 10_000.0
"""The mean work on one processor, long against the grid of 2^-10 s."""

AMDAHL = 0.25


def amdahl(size: int) -> float:
    """The speed-up with a quarter that is serial."""
    return 1 / (AMDAHL + (1 - AMDAHL) / size)


CASES = {
    "one server": ("1-8", "linear", 5.0, one_server(5.0, 8.0)),
    "four servers": ("1-2", "linear", 5.0, several_servers(5.0, 2.0, 4)),
    "a chain": ("1-8", f"amdahl({AMDAHL})", 4.0, chain(4.0, speeds_of_equal_shares(PROCESSORS, amdahl))),
}
"""The sizes, the speed-up, jobs in the mean work on one processor, and their mean time in the system, in the same."""


def times_in_system(sizes: str, speedup: str, arrivals: float, jobs: int) -> np.ndarray:
    """How long each of the jobs is in the system, in units of the mean work on one processor."""
    rng = np.random.default_rng(20260)
    times = np.cumsum(rng.exponential(SECONDS / arrivals, jobs))
    work = rng.exponential(SECONDS, jobs)
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, "shapes:share=equal")
    shape = Shape(sizes, preferred=1, speedup=speedup)

    def submit() -> Iterator[Any]:
        for time, seconds in zip(times.tolist(), work.tolist(), strict=True):
            yield env.timeout(time - env.now)
            machine.submit(tt.Job(runtime=seconds, estimate=100 * SECONDS, shape=shape))

    env.process(submit())
    env.run()
    result = machine.result()
    return (result["end"] - result["submit"]) / SECONDS


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("jobs", [1100, pytest.param(44_000, marks=pytest.mark.thorough)])
def test_mean_time(name: str, jobs: int) -> None:
    """Within four standard errors of ten parts of a run, after a first one that is left out."""
    sizes, speedup, arrivals, expected = CASES[name]
    parts = times_in_system(sizes, speedup, arrivals, jobs).reshape(11, -1).mean(axis=1)[1:]
    error = parts.std(ddof=1) / sqrt(len(parts))
    assert error < expected / 4
    assert abs(parts.mean() - expected) < 4 * error
