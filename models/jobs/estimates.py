"""The estimates that policies plan with, where they are not the requests.

A user's request is the time after which a job is killed (the column ``requested`` of a view). What a policy takes for
a job's run time (the column ``estimate``) may be something else:

* ``requested``: the request;
* ``exact``: the run time that the job will have, min(run time, request);
* ``factor=F``: F times that (the f-model of D. Feitelson and A. Weil, IPPS 1998; there is no cap);
* ``last-two``: the mean run time of the user's last two jobs that are over, at most the request;
* ``user-average``: that of all the user's jobs that are over, at most the request.

The last two learn from what happens on this machine, under this policy. Before a user's first job is over,
and for jobs without a user, they are the request. With one job over, last-two is its run time (our decision).

The limit stays the request: under ``kill`` a job is killed at its request, whatever was planned. A job that
outlives its estimate is expected to take another 1 min, then 5, 15 and 30 min, then 1, 2, 5, 10, 20, 50 and 100 h,
but never beyond its limit. The time of such a revision is an instant of its own while somebody waits, even if the job
has ended before. Estimates are at least 1 s. In results the column ``estimate`` is the request.

The rules are in `thinktime.models.engine.estimates`.

Source of last-two and of the revisions: D. Tsafrir, Y. Etsion and D. Feitelson, Backfilling using
system-generated predictions rather than user runtime estimates (IEEE TPDS 2007).
"""

import functools
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import estimates as codes
from thinktime.models.engine.estimates import AsRequested, Predicted
from thinktime.models.engine.estimates import Estimator as EngineEstimator
from thinktime.models.jobs.pool import GRACE, Pool
from thinktime.workloads.names import key_of, quoted, shortened

Rows = NDArray[np.int64]

CHOICES = ("requested", "exact", "factor=F", "last-two", "user-average")
CODES = {"exact": codes.FACTOR, "last-two": codes.LAST_TWO, "user-average": codes.USER_AVERAGE}


@dataclass(frozen=True, slots=True)
class Guess:
    """How run times are guessed: a code of the engine, and the factor of run times."""

    code: int
    factor: float = 1.0

    @property
    def short(self) -> bool:
        """Whether a guess may be less than the run time."""
        return self.code != codes.FACTOR or self.factor < 1


def guess_from(text: str) -> Guess | None:
    """What the text of ``--estimates`` says; None for the requests themselves."""
    kind, equals, value = text.partition("=")
    if kind == "factor" and equals:
        try:
            factor = float(value)
        except ValueError:
            factor = inf
        if not 0 < factor < inf:
            raise ValueError(f"factor={shortened(value, 40)}: the factor of estimates must be a finite number above 0")
        return Guess(codes.FACTOR, factor)
    if text == "requested":
        return None
    if text not in CODES:
        raise ValueError(f"estimates cannot be {quoted(text)}; {key_of(text, CHOICES, 'they')}")
    return Guess(CODES[text])


@functools.cache
def as_requested() -> AsRequested:
    """What the engine knows where policies plan with the requests."""
    return AsRequested()


class Estimator:
    """The estimates of one machine's jobs, whose users are in ``names``."""

    def __init__(self, text: str, guess: Guess, pool: Pool, names: dict[str, list[Any]]) -> None:
        self.text = text
        self._pool = pool
        self._names = names
        kills = pool.overrun == "kill"
        self._structure = Predicted(code=guess.code, factor=guess.factor, kills=kills, revises=guess.short)
        if guess.short:
            pool.grace = GRACE

    def as_structure(self) -> EngineEstimator:
        """What the engine remembers of users and of running jobs, with room for all."""
        predicted, users, rows = self._structure, len(self._names["user"]), self._pool.requests.capacity
        if len(predicted.jobs) < users:
            predicted.lengthen(max(2 * users, 64), "jobs", "total", "last", "before")
        predicted.lengthen(rows, "heap", "steps")
        return predicted
