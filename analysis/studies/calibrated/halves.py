"""Half of a log is known, and the waits of its other half are foretold, week by week, in all modes.

A log is cut in the middle of its time. **Known** are its first half, with all waits; the jobs that are in the machine
at the cut; and of the other half, which batches of jobs each user will submit, in order, with sizes, requests and run
times, and when the user's first one comes. **Unknown** are all other submissions, and all waits. So a site would ask
what its machine will be like under the work that its users announce.

===========  ===========================================================================================
no change    the mean wait of the first half
open, …      users draw pauses from the first half (`thinktime.analysis.studies.calibrated.pauses`)
calibrated   users are fitted to the first half, and have new luck; whom it does not have is as its usual users
generative   users are drawn from the first half, and so are their jobs: nothing of the other half is known
told         no forecast: jobs come at their recorded times, which nobody knows beforehand
===========  ===========================================================================================

The machine has EASY, and no job is killed, for no log says exactly what its scheduler did. So every
forecast is also *corrected*: multiplied with the mean wait of the first half over what the mode says of that, if the
first half is foretold in the same way.

The error of a week is the logarithm of foretold over recorded mean wait of the jobs that are submitted in it. Mean
waits below `SHORTEST` count as that.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.studies.calibrated.pauses import (
    BY_PAUSES,
    PausingUsers,
    Recorded,
    Rule,
    recorded_pauses,
    rule_of,
)
from thinktime.analysis.studies.prediction.predictors import CALIBRATED, GENERATIVE, NO_CHANGE
from thinktime.users.source import Source

MOST, QUICK_MOST = 20_000, 3_000
"""Jobs of a log; later ones are left out."""
TOLD = "told"
FORETOLD = (NO_CHANGE, *BY_PAUSES, CALIBRATED, GENERATIVE)
"""The modes that know no submissions of the other half."""
WAYS = (*FORETOLD, TOLD)
DRAWS, QUICK_DRAWS = 9, 2
"""Nine is the least of which an interval of 80 % is between the first and the last."""
SHORTEST = tt.MINUTE
FEWEST = 30
"""Jobs of a week that is foretold."""
BEFORE = 0.25
"""So long before a half (s) jobs are submitted that run when it begins: before those that wait."""
LATER = tt.WEEK
"""For so long a run goes on after the half that is measured, so that jobs that still wait may start."""


class Answer(NamedTuple):
    """What a mode says of a log. Waits are in s."""

    jobs: int
    before: float
    """The mean wait of the first half, as recorded."""
    said_before: float
    """The same, as the mode has it."""
    recorded: tuple[float, ...]
    """The mean wait of each week of the other half."""
    draws: tuple[tuple[float, ...], ...]
    """The same as the mode has it, by draw."""


class Half(NamedTuple):
    """The jobs that are submitted from one time to another (s)."""

    jobs: tt.Trace
    there: tt.Trace
    """What is in the machine when it begins, as jobs that are submitted then, with what is left of them."""
    begin: float
    end: float

    @property
    def weeks(self) -> list[tuple[float, float]]:
        """The whole weeks that have jobs enough."""
        begins = self.begin + tt.WEEK * np.arange((self.end - self.begin) // tt.WEEK)
        all_of_them = [(begin, begin + tt.WEEK) for begin in begins.tolist()]
        return [week for week in all_of_them if len(self.jobs.between(*week)) >= FEWEST]


def halves(log: tt.Trace) -> tuple[Half, Half]:
    """The halves of a log by time; the machine is empty when the first one begins."""
    begin, end = float(log.submit[0]), float(log.submit[-1]) + 1.0
    cut = np.floor((begin + end) / 2) + 0.5  # when no user submits
    first, other = log.between(None, cut), log.between(cut, None)
    start = first.submit + np.maximum(first.wait, 0.0)
    over, ran = start + first.runtime, np.maximum(cut - start, 0.0)
    there = first.with_columns(
        submit=np.where(ran > 0, cut - BEFORE, cut),
        runtime=first.runtime - ran,
        requested_time=np.maximum(first.estimate - ran, first.runtime - ran),
    ).select(over > cut)
    return Half(first, first.select(np.zeros(len(first), bool)), begin, cut), Half(other, there, cut, end)


@dataclass(frozen=True)
class Run:
    """A mode that foretells the other half of a log."""

    log: tt.Trace
    processors: int
    way: str
    seed: int
    draws: int = DRAWS

    def perform(self) -> Answer:
        """Play both halves in this way, and keep the mean wait of each week."""
        first, other = halves(self.log)
        before = float(_recorded(first, [(first.begin, first.end)])[0])
        recorded = tuple(_recorded(other, other.weeks).tolist())
        if self.way == NO_CHANGE:
            return Answer(len(self.log), before, before, recorded, ((before,) * len(recorded),))
        said, draws = [], []
        for draw in range(1 if self.way == TOLD else self.draws):
            said.append(self._played(first, draw, [(first.begin, first.end)])[0])
            draws.append(tuple(self._played(other, draw, other.weeks).tolist()))
        return Answer(len(self.log), before, float(np.mean(said)), recorded, tuple(draws))

    def _played(self, half: Half, draw: int, spans: list[tuple[float, float]]) -> NDArray[np.float64]:
        """The mean waits of the jobs that are submitted in spans of a half."""
        back = half.begin - self._known.begin if self.way == GENERATIVE else 0.0
        there = [tt.sources.log(half.there)] if len(half.there) and not back else []
        spec, until = tt.MachineSpec(self.processors, "easy", overrun="extend"), half.end - back + LATER
        result = tt.run(spec, *there, self._source(half, draw), until=until)
        submit, start = result["submit"], result["start"]
        wait = np.where(np.isfinite(start), start, until) - submit
        own = submit > half.begin - back if there else submit == submit
        return _means(submit[own], wait[own], [(begin - back, end - back) for begin, end in spans])

    def _source(self, half: Half, draw: int) -> Source | PausingUsers:
        """What the mode takes for the users of a half."""
        seed = (self.seed, int(half.begin != self._known.begin), draw)
        if self.way == TOLD:
            return tt.sources.log(half.jobs)
        if self.way == GENERATIVE:
            return tt.sources.drawn(self._known.jobs, seed, again=True)
        unseen = half.jobs.with_columns(wait=np.zeros(len(half.jobs)))
        if self.way == CALIBRATED:
            return tt.sources.calibrated(unseen, self._users, "new", seed, posterior=seed)
        return PausingUsers(unseen, self._pauses, self.way, self._rule, seed)

    @cached_property
    def _known(self) -> Half:
        return halves(self.log)[0]

    @cached_property
    def _users(self) -> tt.Users:
        """Those of the first half; no user keeps equal intervals, whose luck would be that of the other half."""
        users = tt.calibrate(self._known.jobs, score=False)
        return replace(users, clockwork=np.zeros_like(users.clockwork))

    @cached_property
    def _pauses(self) -> dict[int, list[Recorded]]:
        return recorded_pauses(self._known.jobs)

    @cached_property
    def _rule(self) -> Rule:
        return rule_of(self.way, self._known.jobs)


def _recorded(half: Half, spans: list[tuple[float, float]]) -> NDArray[np.float64]:
    return _means(half.jobs.submit, np.maximum(half.jobs.wait, 0.0), spans)


def _means(
    submit: NDArray[np.float64], wait: NDArray[np.float64], spans: list[tuple[float, float]]
) -> NDArray[np.float64]:
    """Mean waits in spans of time; 0 where nothing is submitted."""
    inside = [wait[(submit >= begin) & (submit < end)] for begin, end in spans]
    return np.array([each.mean() if len(each) else 0.0 for each in inside])
