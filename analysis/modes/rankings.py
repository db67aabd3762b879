"""Policies in modes: rankings, differences, who changes places, and whether that is beyond chance.

Policies are ranked in each mode by their mean bounded slowdown (10 s). The difference of two policies has a 95 %
t-interval:

* over several replications, from the pairs of runs that met the same users;
* in one run, from the pairs of batches of the same jobs (`thinktime.analysis.experiments.batches`). In mode open
  the jobs came at the same times under both policies. In mode feedback they are the same jobs of the log, in the
  log's order, whenever their users came to submit them. Generative users get as far as the policy lets them, so
  their jobs are not the same; the two rows of batches are compared by Welch's test.

Each interval is at 95 % for itself; nothing is corrected for the number of pairs. What is kept apart (`VERDICTS`):
equal means (to 1e-12), differences beyond chance (the interval leaves out 0, on the side of the means), within
chance, those that leave out 0 by batches which depend on each other (or hold fewer than ten jobs), and those
without an interval. The rules, and that pairs are made by jobs and not by times, are our decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import isclose, isnan
from typing import Literal

import numpy as np
import numpy.typing as npt

from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.modes.user_measures import Measures
from thinktime.analysis.statistics import Difference, paired

SCORE = "mean_bounded_slowdown_10"
"""What policies are ranked by, the smallest first."""

Verdict = Literal["equal", "beyond chance", "within chance", "in doubt", "too little data"]
VERDICTS: tuple[Verdict, ...] = ("equal", "beyond chance", "within chance", "in doubt", "too little data")
"""What can be said of two policies in one mode. In doubt: beyond chance, if batches that depend on each other
were to be trusted."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours in a ranking, and how much larger the second one's mean bounded slowdown is."""

    first: str
    second: str
    difference: Difference | None
    """Second minus first, over replications or over batches; None where there is too little data."""
    verdict: Verdict

    @property
    def certain(self) -> bool:
        """Whether the second one's is larger beyond chance."""
        return self.verdict == "beyond chance"


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two policies of which one is better in one mode, and the other in another."""

    better: str
    worse: str
    mode: str
    """Where `better` is better; in `other_mode` it is worse."""
    other_mode: str
    verdicts: tuple[Verdict, Verdict]
    """Of the difference in either mode."""

    @property
    def certain(self) -> bool:
        """Whether both differences are beyond chance."""
        return set(self.verdicts) == {"beyond chance"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """One log that was run: what it offered."""

    users: int
    jobs: int
    offered_load: float
    """Of the machine, from the first submission to the last; NaN if all came at once."""


@dataclass(frozen=True, slots=True)
class Source:
    """Which jobs of a log were run."""

    whole: int
    """Jobs of the whole log."""
    start: float | None
    """Jobs submitted from this time of the log on (s) were run; None: from its first one."""
    end: float | None
    """Jobs submitted before this time were; None: up to its last one."""
    log: Drawn
    """The part of it that was asked for."""
    load: float | None
    """The offered load that was asked for, a fraction of the machine; None for that of the jobs as they are."""
    population: float | None
    """Users per user of that part, as asked for; None where they were not drawn for that."""
    nobodys: int
    """Jobs of that part that name no user: drawn logs do not have them."""
    drawn: tuple[Drawn, ...]
    """The log of each replication, in modes open and feedback."""


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
    source: Source | None = None
    """What was run; None for a comparison put together from several."""

    def values(self, mode: str, policy: str, name: str = SCORE) -> npt.NDArray[np.float64]:
        """One measure of each replication."""
        return np.array([getattr(each, name) for each in self.measures[mode][policy]], dtype=np.float64)

    def mean(self, mode: str, policy: str, name: str = SCORE) -> float:
        """One measure, its mean over replications."""
        return float(self.values(mode, policy, name).mean())

    def observed(self, mode: str, policy: str) -> dict[str, Observed]:
        """Of how many jobs, users and sessions the means are, in all replications together."""
        runs = self.measures[mode][policy]
        parts = {"jobs": "served", "users": "users", "sessions": "sessions"}
        return {of: sum((getattr(each, name) for each in runs), Observed(0)) for of, name in parts.items()}

    def ranking(self, mode: str) -> list[str]:
        """The policies by mean bounded slowdown, ascending; equals in the order given, NaN last."""
        names = list(self.measures[mode])
        scores = [self.mean(mode, policy) for policy in names]
        return [names[place] for place in np.argsort(scores, kind="stable").tolist()]

    def pairs(self, mode: str) -> list[Pair]:
        """The neighbours in the ranking of a mode."""
        return [
            Pair(a, b, self.difference(mode, b, a), self.verdict(mode, b, a))
            for a, b in pairwise(self.ranking(mode))
        ]

    def difference(self, mode: str, first: str, second: str) -> Difference | None:
        """First minus second, by replications or, in one run, by batches of jobs; None without an interval."""
        found, _ = self._difference(mode, first, second)
        return found

    def verdict(self, mode: str, first: str, second: str) -> Verdict:
        """What can be said of the difference of two policies."""
        means = self.mean(mode, first), self.mean(mode, second)
        if isclose(*means, rel_tol=1e-12):
            return "equal"
        difference, trusted = self._difference(mode, first, second)
        if difference is None:
            return "too little data"
        interval = difference.interval
        if interval.contains(0.0) or (interval.mean > 0) != (means[0] > means[1]):
            return "within chance"
        return "beyond chance" if trusted else "in doubt"

    def reversals(self) -> Iterator[Reversal]:
        """Which policies change places between the first mode and each of the others; equal ones do not."""
        first, *others = self.measures
        for other in others:
            for a, b in combinations(self.ranking(first), 2):
                verdicts = self.verdict(first, a, b), self.verdict(other, a, b)
                swapped = self.mean(first, a) < self.mean(first, b) and self.mean(other, a) > self.mean(
                    other, b
                )
                if swapped and "equal" not in verdicts:
                    yield Reversal(a, b, first, other, verdicts)

    def _difference(self, mode: str, first: str, second: str) -> tuple[Difference | None, bool]:
        """First minus second, and whether its interval is to be trusted."""
        if self.replications > 1:
            found, trusted = paired(self.values(mode, first), self.values(mode, second)), True
        else:
            batches = [self.measures[mode][policy][0].slowdown_batches for policy in (first, second)]
            if batches[0] is None or batches[1] is None:
                return None, False
            from thinktime.analysis.experiments.batches import differing

            found, trusted = differing(batches[0], batches[1])
        return (None, False) if isnan(found.interval.half) else (found, trusted)
