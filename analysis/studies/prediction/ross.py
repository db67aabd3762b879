"""A natural experiment: Sandia's Ross lost a third of its processors, and the log says what users did.

In week 38 of the log (about 22 August 2002) the processors in use fall from 1,430 to 990 (98th percentile). Every mode
predicts the mean wait after that from weeks 18 to 38 alone, under the site's kind of policy, and is held against the
log's own waits in the seven weeks that follow, and later. Jobs that no longer fit are left out throughout. A second
question needs no prediction: how users who were there before and after behave, and how they do so around week 18, where
nothing happened (the placebo). One event without a control group: a case, not a proof.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.studies.prediction.predictors import CALIBRATED, GENERATIVE, REPLAYS, Log
from thinktime.workloads.user_models import delimit

LOG = "Sandia-Ross-2001"
POLICY = "cplant24.nomax.all"
BEFORE, AFTER = 1_432, 990
"""The processors of the machine, before it was changed and after."""
SINCE, CUT = 18 * tt.WEEK, 38 * tt.WEEK
REALLY = "really"
NEXT, LATER = (38 * tt.WEEK, 45 * tt.WEEK), (48 * tt.WEEK, 66 * tt.WEEK)
"""The weeks that are compared with the predictions."""
MODES = (*REPLAYS, CALIBRATED, GENERATIVE)
PLACEBO = 18 * tt.WEEK
ASIDE = 18 * tt.WEEK
"""What of the log on either side of a moment says how users behave, s."""
FEWEST = 15
"""Batches of a user on either side."""
RESAMPLED = 2000


class Predicted(NamedTuple):
    """Mean waits (s) and finished jobs a day, on the whole machine and on what is left of it."""

    wait: tuple[float, float]
    jobs_a_day: tuple[float, float]

    @property
    def factor(self) -> float:
        """By how much the mean wait grows."""
        return self.wait[1] / self.wait[0]


class Changed(NamedTuple):
    """How something changes at a moment, over users: the mean with its 95 % interval."""

    mean: float
    low: float
    high: float


class Behaviour(NamedTuple):
    """How users who were there before and after a moment behave after it, compared with before."""

    users: int
    batches_a_day: Changed
    """Change of the batches on a day with any; ln of the ratio."""
    overlaps: Changed
    """Change of the share of batches that are submitted before the last one is over."""
    jobs_a_batch: Changed
    """Change of the jobs in a batch; ln of the ratio."""


class Answer(NamedTuple):
    """What one task says: a prediction, or what really happened."""

    predicted: Predicted | None = None
    waits: tuple[float, ...] = ()
    """Mean waits (s) of the log before, in the next weeks and later."""
    jobs_a_day: tuple[float, ...] = ()
    behaviour: Behaviour | None = None
    placebo: Behaviour | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A mode's prediction, or what really happened."""

    log: tt.Trace
    mode: str
    seed: int

    def perform(self) -> Answer:
        """Predict it, or look at the log."""
        log = self.log.select(self.log.processors <= AFTER)
        if self.mode == REALLY:
            return really(log, self.seed)
        return Answer(predicted(log.between(SINCE, CUT), self.mode, self.seed))


def is_ross(path: str) -> bool:
    """Whether a file is the log of Ross, by its name."""
    return Path(path).name.startswith(LOG)


def predicted(log: tt.Trace, mode: str, seed: int) -> Predicted:
    """What a mode says of the machine with all processors, and with what is left of them."""
    known, window = Log(log, (seed, 0)), (float(log.submit[0]), float(log.submit[-1]))
    found = []
    for processors in (BEFORE, AFTER):
        spec = tt.MachineSpec(processors, POLICY)
        runs = list(known.drawn(spec)) if mode == GENERATIVE else [known.replayed(mode, spec)]
        found.append(np.mean([_measured(each, window) for each in runs], axis=0).tolist())
    (wait, jobs), (wait_after, jobs_after) = found
    return Predicted((wait, wait_after), (jobs, jobs_after))


def _measured(result: tt.Result, window: tuple[float, float]) -> tuple[float, float]:
    """The mean wait (s) of what ran, and the finished jobs a day between the log's first and last submission."""
    ended = (result["state"] == tt.State.FINISHED) & (result["end"] <= window[1])
    wait = float(np.nanmean(tt.measures.wait(result)[tt.measures.ended(result)]))
    return wait, float(ended.sum()) / ((window[1] - window[0]) / tt.DAY)


def really(log: tt.Trace, seed: int) -> Answer:
    """What the log says."""
    parts = [log.between(*span) for span in ((SINCE, CUT), NEXT, LATER)]
    days = [(span[1] - span[0]) / tt.DAY for span in ((SINCE, CUT), NEXT, LATER)]
    return Answer(
        waits=tuple(float(np.nanmean(part.wait)) for part in parts),
        jobs_a_day=tuple(len(part) / each for part, each in zip(parts, days, strict=True)),
        behaviour=behaviour(log, CUT, seed),
        placebo=behaviour(log, PLACEBO, seed),
    )


def behaviour(log: tt.Trace, moment: float, seed: int) -> Behaviour:
    """How users who were there on both sides of a moment change."""
    sides = [_by_user(log.between(moment - ASIDE, moment)), _by_user(log.between(moment, moment + ASIDE))]
    both = [user for user in sides[0] if user in sides[1]]
    before, after = (np.array([side[user] for user in both]) for side in sides)
    luck = tt.stream(seed, f"{moment:g}", "bootstrap").integers(0, len(both), (RESAMPLED, len(both)))
    batches, jobs = (np.log(after[:, place] / before[:, place]) for place in (0, 2))
    kinds = (batches, after[:, 1] - before[:, 1], jobs)
    return Behaviour(len(both), *(_changed(each, luck) for each in kinds))


def _changed(values: NDArray[np.float64], luck: np.ndarray) -> Changed:
    low, high = np.quantile(values[luck].mean(axis=1), [0.025, 0.975]).tolist()
    return Changed(float(values.mean()), low, high)


def _by_user(part: tt.Trace) -> dict[int, tuple[float, float, float]]:
    """Batches on an active day, the share of overlapping ones, and jobs in a batch, of users with enough batches."""
    batches = delimit(part).batches
    found = {}
    for user in np.unique(batches.user[batches.user >= 0]).tolist():
        own = np.flatnonzero(batches.user == user)
        if len(own) >= FEWEST:
            submit, end = batches.submit[own], np.maximum.accumulate(batches.end[own])
            days = len(np.unique(submit // tt.DAY))
            found[user] = (len(own) / days, float((submit[1:] < end[:-1]).mean()), float(batches.jobs[own].mean()))
    return found
