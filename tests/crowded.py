"""A log of a small machine that is crowded."""

import numpy as np

import thinktime as tt


def crowded(jobs: int, seed: int, between: float) -> tt.Trace:
    """Jobs of four users on 16 processors, for which no user waited, with estimates up to three times too long.

    ``between`` is the mean time between submissions, s.
    """
    rng = np.random.default_rng(seed)
    runtime = rng.integers(30, 4000, jobs)
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, int(between * jobs), jobs)), "runtime": runtime,
            "requested_time": runtime * rng.integers(1, 4, jobs), "requested_processors": rng.integers(1, 17, jobs),
            "user": rng.integers(1, 5, jobs), "wait": np.zeros(jobs),
        }
    )  # fmt: skip
