"""The second hazard: that a job that waits is taken back by its user.

It depends on how long the job has waited, and on the user's own level: a penalised regression as for submissions
(`thinktime.workloads.calibration.poisson`). It does not depend on anything else that happens, so how long each job may
wait is known when it is submitted. A job that was taken back keeps its wait. One that started had more patience than
it waited for; how much more is drawn, since the log does not say.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration import poisson
from thinktime.workloads.calibration.penalty_matrices import chained
from thinktime.workloads.calibration.poisson import Data, Factor, Penalties
from thinktime.workloads.calibration.tables import AGES
from thinktime.workloads.grid import to_grid
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import owners

FEWEST = 10
"""With fewer jobs that were taken back, nobody takes back others."""


@dataclass(frozen=True, eq=False)
class Withdrawals:
    """The hazard (1/s) that a waiting job is taken back."""

    waited: Floats
    """Its logarithm by the time waited, in the bins `AGES`; -inf: never."""
    level: Floats
    """Of each user, added to it."""
    withdrawn: int
    """How many jobs of the log were taken back."""

    def patience(self, trace: Trace, owner: Whole, seed: Seed = 0, kept: bool = True) -> Floats:
        """How long each job of a log may wait (s); ``kept``: those taken back as long as in the log.

        ``owner`` has the users' codes.
        """
        luck = stream(seed, "patience").exponential(size=len(trace))
        wait = np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
        found = self.beyond(owner, wait if kept else np.zeros(len(trace)), luck)
        if kept:
            found = np.where(trace.withdrawn, wait, np.maximum(found, wait + 1.0))
        return found

    def beyond(self, owner: Whole, waited: Floats, luck: Floats) -> Floats:
        """How long jobs may wait in all (s) that have waited for some time; ``luck`` is exponential with mean 1."""
        found = self._reached(owner, luck + self._integral(owner, waited))
        return to_grid(np.where(np.isfinite(found), found, 0.0)) + np.where(np.isfinite(found), 0.0, np.inf)

    def _rates(self, owner: Whole) -> Floats:
        return np.exp(self.level[owner][:, None] + self.waited)

    def _integral(self, owner: Whole, wait: Floats) -> Floats:
        spent = np.clip(wait[:, None] - AGES, 0.0, np.append(np.diff(AGES), np.inf))
        found: Floats = (spent * self._rates(owner)).sum(axis=1)
        return found

    def _reached(self, owner: Whole, integral: Floats) -> Floats:
        """After what time (s) the integral of the hazard is so large."""
        rates = self._rates(owner)
        upto = np.cumsum(rates[:, :-1] * np.diff(AGES), axis=1)
        place = (upto < integral[:, None]).sum(axis=1)
        before = np.where(place > 0, np.take_along_axis(upto, np.maximum(place - 1, 0)[:, None], 1)[:, 0], 0.0)
        rate = np.take_along_axis(rates, place[:, None], 1)[:, 0]
        with np.errstate(divide="ignore"):
            found: Floats = AGES[place] + (integral - before) / rate
        return found


def fit_withdrawals(trace: Trace, users: int) -> Withdrawals | None:
    """The hazard of a log's withdrawals; None if there are hardly any."""
    gone = trace.withdrawn
    if gone.sum() < FEWEST:
        return None
    owner = owners(trace)
    wait = np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
    spent = np.clip(wait[:, None] - AGES, 0.0, np.append(np.diff(AGES), np.inf))
    at = np.maximum(np.searchsorted(AGES, wait, "right") - 1, 0)
    shape = users, len(AGES)
    exposure, events = np.zeros(shape), np.zeros(shape)
    np.add.at(exposure, owner, spent)
    np.add.at(events, (owner[gone], at[gone]), 1.0)
    some = (exposure > 0) | (events > 0)
    who, bins = np.nonzero(some)
    data = Data(
        exposure=np.maximum(exposure[some], 1e-3),
        events=events[some],
        group=who,
        kind=np.zeros(users, np.int64),
        factors={"waited": Factor(bins, len(AGES), chained(len(AGES)))},
    )
    model = poisson.fit(data, Penalties({"waited": 1.0}, np.ones(1)), rounds=poisson.ROUNDS)
    return Withdrawals(model.values[0] + model.values[1:], model.groups, int(gone.sum()))
