"""The study of forecasts: whether 80 % intervals hold 80 % of the starts, and the CRPS is below that of baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.now import ARRIVALS, ERRORS, HORIZONS, OURS, SHARES
from thinktime.analysis.statistics import Interval, mean_of
from thinktime.analysis.studies.now.logs import LogRun, held, moments
from thinktime.analysis.studies.now.runs import METHODS, Answer, Run
from thinktime.analysis.study import StudiedLog, Study, option

FAMILIES = {"campaign": 26, "linear": 26, "session": 120, "rhythm": 40}
"""Families of worlds, and how many persons are in one."""
SNAPSHOTS, QUICK_SNAPSHOTS = 10, 3
DRAWS = 39
"""Of so many draws, an interval of 80 % is between the fourth and the fourth last."""

AT_ONCE, QUICK_FITTED = 8, 2
"""Moments of a log that are forecast in one task, and in a quick study at all."""

Key = tuple[str, int]
"""Family and number of a world, or a log and the number of a part of its moments."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All answers, by world."""

    answers: Mapping[Key, Answer]
    seed: int
    held: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of each log, if these are logs, at how many moments jobs wait, and at how many something else holds them."""
    arrivals: str = ARRIVALS[0]
    """Who came in the draws."""

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

    def one_each(self, share: float, family: str | None = None) -> tuple[int, int]:
        """Of one job of each forecast, drawn at random: how many are in the interval, and how many there are."""
        clusters, covered = self.clusters(family), self.joined("covered", family)[SHARES.index(share)]
        order = tt.stream(self.seed, "one of each").permutation(len(clusters))
        _, first = np.unique(clusters[order], return_index=True)
        return int(covered[order[first]].sum()), len(first)

    def methods(self, family: str | None = None) -> tuple[str, ...]:
        """The ways to foretell that were scored, of one family of worlds or all."""
        return next((each.methods for _, each in self._of(family) if each.methods), METHODS)

    def count(self, name: str, family: str | None = None) -> int:
        """How many ``forecasts`` or ``moments`` there are."""
        return sum(getattr(each, name) for _, each in self._of(family))

    def rule(self, family: str) -> str:
        """That of the machine."""
        return self._of(family)[0][1].rule

    def crps(self, method: str, family: str | None = None) -> Interval:
        """The mean CRPS of a method, s."""
        return self._mean(self.joined("crps", family)[self.methods(family).index(method)], family)

    def above(self, method: str, family: str | None = None) -> Interval:
        """By how much the CRPS of a method is above ours, s."""
        crps, place = self.joined("crps", family), self.methods(family).index
        return self._mean(crps[place(method)] - crps[place(OURS)], family)

    def error(self, method: str, family: str | None = None) -> float:
        """The median absolute error of a method, s."""
        return float(np.median(self.joined("error", family)[self.methods(family).index(method)]))

    def near(self, method: str, family: str | None = None) -> list[float]:
        """The share of starts that a method misses by at most each of `ERRORS`."""
        errors = self.joined("error", family)[self.methods(family).index(method)]
        return [float((errors <= most).mean()) for most in ERRORS.values()]

    def by_horizon(self, family: str | None = None) -> dict[str, tuple[int, float, dict[str, float]]]:
        """By how long after the forecast jobs started: how many, the share in 80 % intervals, and median errors (s)."""
        ahead, errors = self.joined("ahead", family), self.joined("error", family)
        covered, low, found = self.joined("covered", family)[SHARES.index(0.8)], -np.inf, {}
        for name, high in HORIZONS.items():
            mine = (ahead > low) & (ahead <= high)
            if mine.any():
                median = dict(zip(self.methods(family), np.median(errors[:, mine], axis=1).tolist(), strict=True))
                found[name] = int(mine.sum()), float(covered[mine].mean()), median
            low = high
        return found

    def _mean(self, values: NDArray[np.float64], family: str | None) -> Interval:
        """The mean over all jobs, with an interval by forecasts, which do not depend on each other."""
        clusters = self.clusters(family)
        return mean_of([values[clusters == each] for each in np.unique(clusters)])

    def distance(self, family: str | None = None) -> tuple[float, float]:
        """Kolmogorov's distance of the PIT values from uniform ones, and what 5 % of uniform ones exceed, by forecasts.

        Each forecast counts once, with all of its jobs. The bound is that of as many independent values as there are
        forecasts: jobs of one forecast depend on each other.
        """
        pit, clusters = self.joined("pit", family), self.clusters(family)
        order, weight = np.argsort(pit), 1.0 / np.bincount(clusters)[clusters]
        above = np.cumsum(weight[order]) / max(1.0, weight.sum())
        apart = np.maximum(np.abs(above - pit[order]), np.abs(np.append(0.0, above[:-1]) - pit[order]))
        return float(apart.max(initial=0.0)), 1.36 / max(1, len(np.unique(clusters))) ** 0.5

    @property
    def of_logs(self) -> bool:
        """Whether these are forecasts of logs."""
        return bool(self.held)

    @property
    def families(self) -> list[str]:
        """Those that were run."""
        return list(dict.fromkeys(family for family, _ in self.answers))


@dataclass(frozen=True, kw_only=True)
class NowStudy(Study[Answer, Evidence]):
    """Forecasts in worlds whose users and run times are known, or on logs."""

    name = "now"
    line = "Forecasts from the present: coverage and CRPS."
    unit = "worlds, or parts of logs"
    files = "Write the picture and the numbers."
    formats = ("png",)

    logs: Sequence[StudiedLog] = option((), "Forecast this log, not worlds; repeat it for several.", "LOG", "logs")
    moments: int = option(40, "How many moments of the second half of each log.", "N", "count")
    quick: bool = option(False, "One world of each family with three forecasts, or two of a log.", kind="flag")
    worlds: int = option(5, "Worlds of each family.", "N", "count")
    regression: bool = option(False, "Also compare with quantile regression (needs scikit-learn).", kind="flag")
    arrivals: str = option(ARRIVALS[0], "Who comes in forecasts.", choices=ARRIVALS)
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def tasks(self) -> dict[Key, Run | LogRun]:
        """Every world, or every part of a log; ``ValueError`` for a log that cannot be forecast."""
        if self.logs:
            return self._of_logs()
        worlds, snapshots = (1, QUICK_SNAPSHOTS) if self.quick else (self.worlds, SNAPSHOTS)
        return {
            (family, number): Run(family, number, users, snapshots, DRAWS, self.seed, self.regression, self.arrivals)
            for family, users in FAMILIES.items()
            for number in range(1, worlds + 1)
        }

    def _of_logs(self) -> dict[Key, Run | LogRun]:
        count, found = QUICK_FITTED if self.quick else self.moments, dict[Key, Run | LogRun]()
        for log in self.logs:
            name = name_of(log.path)
            if any(family == name for family, _ in found):
                raise ValueError(f"two logs are called {name}; each needs a name of its own")
            try:
                times = moments(log.trace, count)
            except ValueError as error:
                raise ValueError(f"{log.path}: {error}") from None
            parts = -(-len(times) // AT_ONCE)
            for number in range(parts):
                some = tuple(times[number::parts])  # each part is of the whole half
                found[name, number] = LogRun(log.trace, some, DRAWS, self.seed, self.regression, self.arrivals)
        return found

    def gather(self, answers: Mapping[Key, Answer]) -> Evidence:
        """All of them; ``ValueError`` if no job ever waited."""
        if not sum(len(each.pit) for each in answers.values()):
            raise ValueError("no job waited at any of these forecasts; make more of them")
        of_logs = {name_of(log.path): held(log.trace) for log in self.logs}
        return Evidence(answers, self.seed, of_logs, self.arrivals)


def name_of(path: str) -> str:
    """What a log is called.

    >>> name_of("logs/KTH-SP2-1996-2.1-cln.swf.gz")
    'KTH-SP2-1996-2.1'
    """
    return Path(path).name.partition(".swf")[0].removesuffix("-cln")
