"""The estimates that policies plan with, where they are not the requests.

A user's request is the time after which a job is killed (the column ``requested`` of a view). What a policy takes for
a job's run time (the column ``estimate``) may be something else:

* ``requested``: the request;
* ``exact``: the run time that the job will have, min(run time, request);
* ``factor=F``: F times that (the f-model of D. Feitelson and A. Weil, IPPS 1998; there is no cap);
* ``last-two``: the mean run time of the user's last two jobs that are over, at most the request;
* ``user-average``: that of all the user's jobs that are over, at most the request;
* an estimator of one's own (`thinktime.models.jobs.estimator`): an object of it, a function ``estimate(job, now)``, or
  ``FILE.py:NAME[:key=value,…]``.

``last-two`` and ``user-average`` learn from what happens on this machine, under this policy. Before a user's first job
is over, and for jobs without a user, they are the request. With one job over, last-two is its run time (our decision).

The limit stays the request: under ``kill`` a job is killed at its request, whatever was planned. A job that
outlives its estimate is expected to take another 1 min, then 5, 15 and 30 min, then 1, 2, 5, 10, 20, 50 and 100 h,
but never beyond its limit. The time of such a revision is an instant of its own while a job waits, even if the job
has ended before. Estimates are at least 1 s. In results the column ``estimate`` is the request.

The rules are in `thinktime.models.engine.estimates`.

Source of last-two and of the revisions: D. Tsafrir, Y. Etsion and D. Feitelson, Backfilling using
system-generated predictions rather than user runtime estimates (IEEE TPDS 2007).
"""

import functools
from dataclasses import dataclass
from math import inf
from typing import Any

from thinktime.models.engine.codes import estimates as codes
from thinktime.models.engine.estimates import AsRequested, Predicted
from thinktime.models.jobs.checks import name_of
from thinktime.models.jobs.estimator import as_estimator
from thinktime.models.jobs.own_estimates import OwnEstimates
from thinktime.models.jobs.pool import GRACE, Pool
from thinktime.workloads.names import key_of, quoted, shortened

CHOICES = ("requested", "exact", "factor=F", "last-two", "user-average")
CODES = {"exact": codes.FACTOR, "last-two": codes.LAST_TWO, "user-average": codes.USER_AVERAGE}


OWN = "FILE.py:NAME"
"""How texts name an estimator in a script."""


@dataclass(frozen=True, slots=True)
class Guess:
    """How run times are guessed: a code of the engine, and the factor of run times."""

    code: int
    factor: float = 1.0

    @property
    def short(self) -> bool:
        """Whether a guess may be less than the run time."""
        return self.code != codes.FACTOR or self.factor < 1


def guess_from(given: Any) -> Any:
    """What ``estimates`` say: a `Guess`, an estimator of the user's own, or None for the requests themselves.

    ``ValueError`` for a text that says nothing, ``TypeError`` for what is no estimator.
    """
    if not isinstance(given, str):
        return as_estimator(given)
    kind, equals, value = given.partition("=")
    if kind == "factor" and equals:
        try:
            factor = float(value)
        except ValueError:
            factor = inf
        if not 0 < factor < inf:
            raise ValueError(f"factor={shortened(value, 40)}: the factor of estimates must be a finite number above 0")
        return Guess(codes.FACTOR, factor)
    if given == "requested":
        return None
    if given not in CODES:
        raise ValueError(f"estimates cannot be {quoted(given)}; {key_of(given, CHOICES, 'they')}, or {OWN}")
    return Guess(CODES[given])


@functools.cache
def as_requested() -> AsRequested:
    """What the engine knows where policies plan with the requests."""
    return AsRequested()


class Estimates:
    """The estimates of one machine's jobs, whose users are in ``names``, as `guess_from` gave them."""

    def __init__(self, given: Any, guess: Any, pool: Pool, names: dict[str, list[Any]]) -> None:
        self._pool, self._names = pool, names
        self._predicted: Predicted
        if isinstance(guess, Guess):
            kills, short, self.text = pool.overrun == "kill", guess.short, str(given)
            self._predicted = Predicted(code=guess.code, factor=guess.factor, kills=kills, revises=short)
        else:
            self._predicted, short, self.text = OwnEstimates.by(guess, pool, names), True, name_of(guess)
        if short:
            pool.grace = GRACE

    def as_structure(self) -> Predicted:
        """What the engine remembers of users and of running jobs, with room for all."""
        predicted, users, rows = self._predicted, len(self._names["user"]), self._pool.requests.capacity
        if len(predicted.jobs) < users:
            predicted.lengthen(max(2 * users, 64), "jobs", "total", "last", "before")
        predicted.lengthen(rows, "heap", "steps")
        return predicted
