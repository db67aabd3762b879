"""How many persons of each family make a load: found once by bisection, and kept here.

The load is the utilization of 64 processors under EASY in the measured window, as a mean over four worlds that the
study itself does not use. `calibrated` finds a number again.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.prediction.scores import MEASURED
from thinktime.analysis.studies.prediction.world import PROCESSORS, World

Made = Callable[[str, int, int, int], World]
"""A world of a family, with its number, how many persons, and the seed."""
LOADS = (0.6, 0.75, 0.9)
SEED, WORLDS = 7, 4
MOST = 512
"""The most persons that a world may have."""
USERS: dict[str, tuple[int, int, int]] = {
    "campaign": (12, 17, 23),
    "linear": (9, 13, 20),
    "session": (88, 134, 224),
    "patience": (9, 12, 18),
    "hours": (44, 81, 193),
    "rhythm": (13, 16, 24),
    "pipeline": (6, 8, 10),
    "deadline": (37, 49, 55),
    "mix": (15, 20, 36),
    "clock 1/4": (17, 30, 45),
    "clock 1/2": (25, 46, 85),
    "half waiting": (15, 18, 23),
    "cron": (9, 14, 19),
}
"""By family, for each load. Where a load cannot be reached, the number with the highest."""


def calibrated(family: str, load: float, made: Made = World) -> int:
    """The number of persons whose utilization is closest to a load, in worlds that are ``made`` so."""
    low, high = 1, 2
    while high < MOST and reached(family, high, made) < load:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(family, middle, made) < load else (low, middle)
    return min((low, high), key=lambda users: abs(reached(family, users, made) - load))


@cache
def reached(family: str, users: int, made: Made = World) -> float:
    """The utilization with so many persons, as a mean over worlds."""
    spec = tt.MachineSpec(PROCESSORS, "easy")
    worlds = (made(family, number, users, SEED) for number in range(WORLDS))
    return float(np.mean([each.truth(spec, end=MEASURED[1]).during(*MEASURED).utilization() for each in worlds]))
