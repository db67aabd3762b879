"""The study of forecasts: whether 80 % intervals hold 80 % of the starts, and the CRPS is below that of baselines."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.now import OURS, SHARES
from thinktime.analysis.statistics import Interval, mean_of
from thinktime.analysis.studies.now.runs import METHODS, Answer, Run
from thinktime.analysis.study import Study, option

FAMILIES = {"campaign": 26, "linear": 26, "session": 120, "rhythm": 40}
"""Families of worlds, and how many persons are in one."""
SNAPSHOTS, QUICK_SNAPSHOTS = 10, 3
DRAWS = 39
"""Of so many draws, an interval of 80 % is between the fourth and the fourth last."""

Key = tuple[str, int]
"""Family and number of a world."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All answers, by world."""

    answers: Mapping[Key, Answer]
    seed: int

    @property
    def forecasts(self) -> int:
        """How many forecasts there were in which jobs waited."""
        return sum(each.forecasts for each in self.answers.values())

    def joined(self, name: str, family: str | None = None) -> NDArray[np.float64]:
        """A column of all answers, or of those of a family; jobs are along the last axis."""
        return np.concatenate([getattr(each, name) for key, each in self._of(family)], axis=-1)

    def clusters(self, family: str | None = None) -> NDArray[np.int64]:
        """The forecast that each job is of, numbered over all worlds."""
        found, first = [], 0
        for _, each in self._of(family):
            found.append(first + each.which.astype(np.int64))
            first += each.forecasts
        return np.concatenate(found)

    def _of(self, family: str | None) -> list[tuple[Key, Answer]]:
        return [(key, each) for key, each in self.answers.items() if family in (None, key[0])]

    def coverage(self, share: float, family: str | None = None) -> Interval:
        """The share of starts in the interval, with an interval by forecasts."""
        return self._mean(self.joined("covered", family)[SHARES.index(share)], family)

    def one_each(self, share: float) -> tuple[int, int]:
        """Of one job of each forecast, drawn at random: how many are in the interval, and how many there are."""
        clusters, covered = self.clusters(), self.joined("covered")[SHARES.index(share)]
        order = tt.stream(self.seed, "one of each").permutation(len(clusters))
        _, first = np.unique(clusters[order], return_index=True)
        return int(covered[order[first]].sum()), len(first)

    def crps(self, method: str, family: str | None = None) -> Interval:
        """The mean CRPS of a method, s."""
        return self._mean(self.joined("crps", family)[METHODS.index(method)], family)

    def above(self, method: str, family: str | None = None) -> Interval:
        """By how much the CRPS of a method is above ours, s."""
        crps = self.joined("crps", family)
        return self._mean(crps[METHODS.index(method)] - crps[METHODS.index(OURS)], family)

    def _mean(self, values: NDArray[np.float64], family: str | None) -> Interval:
        """The mean over all jobs, with an interval by forecasts, which do not depend on each other."""
        clusters = self.clusters(family)
        return mean_of([values[clusters == each] for each in np.unique(clusters)])

    def distance(self) -> tuple[float, float]:
        """Kolmogorov's distance of the PIT values from uniform ones, and what 5 % of uniform ones exceed, by forecasts.

        The bound is that of as many independent values as there are forecasts.
        """
        pit = np.sort(self.joined("pit"))
        steps = (np.arange(len(pit)) + 0.5) / max(1, len(pit))
        return float(np.abs(pit - steps).max(initial=0.0)), 1.36 / max(1, self.forecasts) ** 0.5

    @property
    def families(self) -> list[str]:
        """Those that were run."""
        return list(dict.fromkeys(family for family, _ in self.answers))


@dataclass(frozen=True, kw_only=True)
class NowStudy(Study[Answer, Evidence]):
    """Forecasts in worlds whose users and run times are known."""

    name = "now"
    line = "Forecasts from the present: coverage and CRPS."
    unit = "worlds"
    files = "Write the picture and the numbers."
    formats = ("png",)

    quick: bool = option(False, "One world of each family, with three forecasts.", kind="flag")
    worlds: int = option(5, "Worlds of each family.", "N", "count")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def tasks(self) -> dict[Key, Run]:
        """Every world."""
        worlds, snapshots = (1, QUICK_SNAPSHOTS) if self.quick else (self.worlds, SNAPSHOTS)
        return {
            (family, number): Run(family, number, users, snapshots, DRAWS, self.seed)
            for family, users in FAMILIES.items()
            for number in range(1, worlds + 1)
        }

    def gather(self, answers: Mapping[Key, Answer]) -> Evidence:
        """All of them; ``ValueError`` if no job ever waited."""
        if not sum(len(each.pit) for each in answers.values()):
            raise ValueError("no job waited in these worlds at any forecast; run more of them")
        return Evidence(answers, self.seed)
