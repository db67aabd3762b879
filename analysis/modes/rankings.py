"""Rankings of policies by mode, their differences and changes, and whether these are beyond chance.

Policies are ranked in each mode by their mean bounded slowdown (10 s). The difference of two policies has a 95 %
t-interval:

* over several replications or draws of users, from the pairs of runs with the same users;
* in one run, from the pairs of batches of the same jobs (`thinktime.analysis.experiments.kept_batches`). In
  mode open the jobs come at the same times under both policies. In mode feedback they are the same jobs of the log,
  in the log's order, whenever they were submitted. Generative users submit as much as the policy lets them, so their
  jobs differ, and the two series of batches are compared by Welch's test.

Draws of calibrated users are no replications: they are what these users may do. With at least `FEWEST` of them, a
difference is beyond chance only if the interval of 80 % for one more draw (`foretold`) excludes 0 as well. Otherwise
the log does not say which policy is better, however many draws there are.

Each interval is at 95 % by itself, uncorrected for the number of pairs. The `VERDICTS` are: equal means (to
1e-12); a difference beyond chance (the interval excludes 0, on the side of the means); within chance; in doubt (0 is
excluded, but batches are correlated or have fewer than ten jobs); and too little data for an interval. These rules, and
pairing by jobs rather than by times, are our choice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import isclose, isnan
from typing import Literal, get_args

import numpy as np

from thinktime.analysis.experiments.kept_batches import differing
from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.modes.user_measures import Measures
from thinktime.analysis.statistics import Difference, deciles, paired
from thinktime.workloads.arrays import Floats
from thinktime.workloads.mode_names import CALIBRATED

SCORE = "mean_bounded_slowdown_10"
"""The measure by which policies are ranked, ascending."""
FEWEST = 9
"""Fewer draws have no decile below which one more would be in 10 %."""

Verdict = Literal["equal", "beyond chance", "within chance", "in doubt", "too little data"]
"""The possible verdicts on two policies in one mode."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours in a ranking, and the difference between their mean bounded slowdowns."""

    first: str
    second: str
    difference: Difference | None
    """Second minus first, over replications or batches; None if there is too little data."""
    verdict: Verdict

    @property
    def certain(self) -> bool:
        """Whether the second one's slowdown is larger beyond chance."""
        return self.verdict == "beyond chance"


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two policies that change places between two modes."""

    better: str
    worse: str
    mode: str
    """The mode in which `better` is better; in `other_mode` it is worse."""
    other_mode: str
    verdicts: tuple[Verdict, Verdict]
    """The verdict on the difference in each mode."""

    @property
    def certain(self) -> bool:
        """Whether both differences are beyond chance."""
        return set(self.verdicts) == {"beyond chance"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """The users, jobs and offered load of a log that was run."""

    users: int
    jobs: int
    offered_load: float
    """A fraction of the machine, from the first submission to the last; NaN if all jobs came at once."""


@dataclass(frozen=True, slots=True)
class ComparedLog:
    """The part of a log that was run."""

    whole: int
    """The number of jobs in the whole log."""
    start: float | None
    """Jobs submitted before this time (s) were left out; None: no bound."""
    end: float | None
    """Jobs submitted at this time (s) or later were left out; None: no bound."""
    log: Drawn
    """The part between `start` and `end`."""
    load: float | None
    """The requested offered load, a fraction of the machine; None if unchanged."""
    population: float | None
    """The requested users per user of that part; None if not requested."""
    nobodys: int
    """The number of jobs of that part without a user, which drawn logs do not have."""
    drawn: tuple[Drawn, ...]
    """The log of each replication, in modes open and feedback."""
    shake: float | None = None
    """The share by which the times of this one log were moved, anew in each replication; None: they were not."""
    measured: tuple[float | None, ...] = (None, None)
    """From and to (s) of the window that is measured; None: no bound."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """Policies in modes: the measures of every replication."""

    processors: int
    jobs: int
    """Jobs of the log."""
    replications: int
    measures: Mapping[str, Mapping[str, tuple[Measures, ...]]]
    """By mode and policy."""
    draw: str = "samples"
    """What generative users were drawn from."""
    source: ComparedLog | None = None
    """What was run; None for a comparison combined from several."""
    correction: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By mode and measure, what the measures have been multiplied with (`thinktime.analysis.modes.correction`)."""
    lacks: tuple[str, ...] = ()
    """What calibrated users do that their model does not explain (`thinktime.workloads.calibration.beyond`)."""

    def runs(self, mode: str) -> int:
        """How often each policy was run in a mode: once for each replication and draw of users."""
        return len(next(iter(self.measures[mode].values())))

    def numbers(self, mode: str, policy: str) -> tuple[str, ...]:
        """The names of the measures; there are more of machines that change."""
        return tuple(self.measures[mode][policy][0].numbers)

    def values(self, mode: str, policy: str, name: str = SCORE) -> Floats:
        """One measure of each replication."""
        return np.array([each[name] for each in self.measures[mode][policy]], dtype=np.float64)

    def mean(self, mode: str, policy: str, name: str = SCORE) -> float:
        """The mean of one measure over replications."""
        return float(self.values(mode, policy, name).mean())

    def floor(self, mode: str, policy: str, name: str = SCORE) -> float:
        """The standard deviation of one measure over replications; NaN for a single one."""
        values = self.values(mode, policy, name)
        return float(values.std(ddof=1)) if len(values) > 1 else np.nan

    def observed(self, mode: str, policy: str) -> dict[str, Observed]:
        """The numbers of jobs, users and sessions behind the means, over all replications."""
        runs = self.measures[mode][policy]
        parts = {"jobs": "served", "users": "users", "sessions": "sessions"}
        return {of: sum((getattr(each, name) for each in runs), Observed(0)) for of, name in parts.items()}

    def ranking(self, mode: str) -> list[str]:
        """The policies by mean bounded slowdown, ascending; ties in the order given, NaN last."""
        names = list(self.measures[mode])
        scores = [self.mean(mode, policy) for policy in names]
        return [names[place] for place in np.argsort(scores, kind="stable").tolist()]

    def pairs(self, mode: str) -> list[Pair]:
        """The neighbours in the ranking of a mode."""
        return [
            Pair(a, b, self.difference(mode, b, a), self.verdict(mode, b, a)) for a, b in pairwise(self.ranking(mode))
        ]

    def difference(self, mode: str, first: str, second: str) -> Difference | None:
        """First minus second, by replications or, in one run, by batches of jobs; None without an interval."""
        return self._difference(mode, first, second)[0]

    def verdict(self, mode: str, first: str, second: str) -> Verdict:
        """The verdict on the difference of two policies."""
        means = self.mean(mode, first), self.mean(mode, second)
        if isclose(*means, rel_tol=1e-12):
            return "equal"
        difference, trusted = self._difference(mode, first, second)
        if difference is None:
            return "too little data"
        interval = difference.interval
        if interval.contains(0.0) or (interval.mean > 0) != (means[0] > means[1]):
            return "within chance"
        if (draws := self.foretold(mode, first, second)) is not None and draws[0] <= 0 <= draws[1]:
            return "within chance"
        return "beyond chance" if trusted else "in doubt"

    def foretold(self, mode: str, first: str, second: str, name: str = SCORE) -> tuple[float, float] | None:
        """Between what a measure of the first is less that of the second in 80 % of what calibrated users may do."""
        if mode != CALIBRATED or self.runs(mode) < FEWEST:
            return None
        return deciles(self.values(mode, first, name) - self.values(mode, second, name))

    def reversals(self) -> Iterator[Reversal]:
        """The policies that change places between the first mode and each of the others; equal ones do not."""
        first, *others = self.measures
        for other in others:
            for a, b in combinations(self.ranking(first), 2):
                verdicts = self.verdict(first, a, b), self.verdict(other, a, b)
                here, there = (self.mean(mode, a) - self.mean(mode, b) for mode in (first, other))
                if here < 0 < there and "equal" not in verdicts:
                    yield Reversal(a, b, first, other, verdicts)

    def _difference(self, mode: str, first: str, second: str) -> tuple[Difference | None, bool]:
        """First minus second, and whether its interval is to be trusted."""
        if self.runs(mode) > 1:
            found, trusted = paired(self.values(mode, first), self.values(mode, second)), True
        else:
            batches = [self.measures[mode][policy][0].slowdown_batches for policy in (first, second)]
            if batches[0] is None or batches[1] is None:
                return None, False
            found, trusted = differing(batches[0], batches[1])
        return (None, False) if isnan(found.interval.half) else (found, trusted)
