"""Who gains and who loses under a policy, and how users flow between gain and loss from one mode to another.

A user gains under a policy where the mean response time is at most 0.9 times that under EASY in the same mode, and
loses from 1.1 times on (our criterion). Response times of single users are chaotic: shaking the log by 1 % already
moves some users from gain to loss *within* a mode. So every flow from one mode to another stands beside the flow
between two shaken copies of the log in one mode; only what exceeds that is due to the mode.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.studies.feedback.runs import BASE, Responses

GAIN, LOSS = 0.9, 1.1
VERDICTS = ("gain", "same", "lose")

ByPolicy = Mapping[str, Responses]


class Gains(NamedTuple):
    """Shares of users, in one mode, against EASY in the same mode."""

    gain: float
    lose: float
    heavy_gain: float
    heavy_lose: float


def verdicts(of: ByPolicy, policy: str) -> dict[object, int]:
    """The place in `VERDICTS` of each user who has jobs under both the policy and EASY."""
    here, base = of[policy], of[BASE]
    return {user: _verdict(here[user] / base[user]) for user in here if base.get(user, 0.0) > 0}


def _verdict(ratio: float) -> int:
    return 0 if ratio <= GAIN else 2 if ratio >= LOSS else 1


def gains(of: Sequence[ByPolicy], policy: str, heavy: Sequence[Collection[object]]) -> Gains:
    """The shares of users who gain and lose, of all and of the heavy ones of each draw: means over draws."""
    found = []
    for draw, some in zip(of, heavy, strict=True):
        known = verdicts(draw, policy)
        found.append((*_shares(known.values()), *_shares(known[user] for user in known if user in some)))
    return Gains(*np.mean(found, axis=0).tolist())


def _shares(known: Iterable[int]) -> tuple[float, float]:
    counted = np.bincount(list(known), minlength=3)
    users = int(counted.sum())
    return (counted[0] / users, counted[2] / users) if users else (np.nan, np.nan)


def paths(through: Sequence[Sequence[ByPolicy]], policy: str) -> NDArray[np.float64]:
    """Shares of users by their verdicts in several modes: an array with an axis of three for each, mean over draws.

    ``through`` has, for each mode, the responses of every draw. Users count who have jobs in all of them.
    """
    found = []
    for draw in zip(*through, strict=True):
        known = [verdicts(each, policy) for each in draw]
        users = [user for user in known[0] if all(user in other for other in known[1:])]
        counted = np.zeros((3,) * len(known))
        for user in users:
            counted[tuple(each[user] for each in known)] += 1
        found.append(counted / max(1, len(users)))
    return np.asarray(np.mean(found, axis=0))


def again(of: Sequence[ByPolicy]) -> list[ByPolicy]:
    """The same draws, each in the place of the one before it."""
    return [*of[1:], of[0]]


def swapped(flow: NDArray[np.float64]) -> float:
    """The share of users who gain on one side and lose on the other.

    >>> swapped(np.array([[0.5, 0.1, 0.05], [0, 0.2, 0], [0.01, 0, 0.14]])).__round__(2)
    0.06
    """
    return float(flow[0, 2] + flow[2, 0])
