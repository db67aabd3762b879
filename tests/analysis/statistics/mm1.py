"""The waits of an M/M/1 queue, whose mean is known."""

import numpy as np
import numpy.typing as npt


def waits(rng: np.random.Generator, customers: int, load: float) -> npt.NDArray[np.float64]:
    """Waits in order of arrival, from an empty queue, with a mean service of 1 (Lindley's recursion)."""
    steps = rng.exponential(1, customers - 1) - rng.exponential(1 / load, customers - 1)
    walk = np.concatenate([[0.0], np.cumsum(steps)])
    return walk - np.minimum.accumulate(walk)


def mean_wait(load: float) -> float:
    """The mean wait in steady state, load / (1 - load)."""
    return load / (1 - load)
