"""A small log in which much happens."""

import numpy as np

import thinktime as tt

PROCESSORS = 8


def workload(jobs=60, seed=7):
    """A crowded log with ties, early ends, zero run times, overruns, and one job that is too wide."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([1, 2, 5, 10, 20, 40], jobs)
    width = rng.integers(1, PROCESSORS + 1, jobs)
    width[jobs // 2] = PROCESSORS + 1
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 4 * jobs, jobs)),
            "wait": rng.integers(0, 20, jobs),
            "runtime": np.minimum(rng.integers(0, 50, jobs), 2 * estimate),
            "requested_processors": width,
            "requested_time": estimate,
            "user": rng.integers(1, 5, jobs),
        }
    )
