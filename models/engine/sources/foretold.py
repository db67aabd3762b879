"""When users who submit with hazards come next, as far as it has to be known.

Most of what is foretold never happens: another of the user's jobs is over before, and all is foretold anew. So an
integral is followed only until the user cannot be the next to submit any more (`thinktime.models.engine.hazards.walk`).
A release in ``due`` that is not known yet (`is_open`) is not after the true one; that of the batch on top is known.
"""

from __future__ import annotations

from thinktime.models.engine import arithmetic, hazards
from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.truth import Truth
from thinktime.workloads.calibration.tables import HALF

TICK = 1.0 / 1024.0
"""Releases are whole multiples of it, s."""


def is_open(truth: Truth, batch: int) -> bool:
    """Whether a batch may be released later than it says."""
    return truth.person[batch] > 0 and truth.hazards.paused[truth.person[batch] - 1] != codes.NOT_PAUSED


def has_to_look(truth: Truth, user: int, release: float) -> float:
    """How far an integral has to be followed to see that a user's next batch is released after some time."""
    return release + HALF + TICK - truth.hazards.extra[truth.hazards.following[user]]


def release_of(truth: Truth, user: int, earliest: float) -> float:
    """When a user's next batch is released, or before when it is not; not before some time."""
    own, reach = truth.hazards.following[user], truth.hazards.reach[user]
    if truth.hazards.paused[user] != codes.NOT_PAUSED:
        reach = truth.hazards.ahead[user]
    release = arithmetic.rint((reach - HALF + truth.hazards.extra[own]) * 1024.0) / 1024.0
    return max(release, earliest, truth.hazards.submitted[user] + truth.hazards.least[own])


def look_further(truth: Truth, batch: int, until: float) -> None:
    """Follow an integral until the release of a batch is known, or until some time."""
    user = truth.person[batch] - 1
    hazards.go_further(truth.hazards, user, until)
    truth.release[batch] = release_of(truth, user, truth.release[batch])
