"""One log in three ways: policies compared open-loop, with feedback, and with generative users.

* ``open``: jobs come at their recorded times (`thinktime.users.replay`);
* ``feedback``: users wait for what they waited for, and think (`replay_with_feedback`);
* ``generative``: users drawn from what was fitted to the log (`generative_users`).

All policies meet the same users (common random numbers). One replication is the log itself, and for generative
users the seed; several are logs resampled by users (`thinktime.workloads.behaviour.resample`), one and the
same in the modes open and feedback, and a draw of users for each in mode generative. Policies are ranked in
each mode by mean bounded slowdown (10 s), the best first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.feedback_measures import Measures, measure
from thinktime.analysis.statistics import Difference, paired
from thinktime.models.result import Result
from thinktime.users import replay, replay_with_feedback
from thinktime.users.feedback import Hours
from thinktime.users.generative import drawable, generate
from thinktime.workloads.behaviour import Population, Sessions, delimit, resample
from thinktime.workloads.trace import Trace

MODES = ("open", "feedback", "generative")
DEFAULT_MODES = ("open", "feedback")
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours in a ranking, and how much larger the second one's mean bounded slowdown is."""

    first: str
    second: str
    difference: Difference | None
    """Second minus first, over replications; None for one run."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two policies of which one is better in one mode, and the other in another."""

    better: str
    worse: str
    mode: str
    """Where `better` is better; in `other_mode` it is worse."""
    other_mode: str
    certain: bool | None
    """Whether the paired intervals of both modes leave out 0; None for one run."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies in modes: the measures of every replication."""

    processors: int
    jobs: int
    """Jobs of the log."""
    replications: int
    measures: Mapping[str, Mapping[str, tuple[Measures, ...]]]
    """By mode and policy."""
    draw: str = "samples"
    """What generative users were drawn from."""

    def values(
        self, mode: str, policy: str, name: str = "mean_bounded_slowdown_10"
    ) -> npt.NDArray[np.float64]:
        """One measure of each replication."""
        return np.array([getattr(each, name) for each in self.measures[mode][policy]], dtype=np.float64)

    def mean(self, mode: str, policy: str, name: str) -> float:
        """One measure, its mean over replications."""
        return float(self.values(mode, policy, name).mean())

    def ranking(self, mode: str) -> list[str]:
        """The policies by mean bounded slowdown, ascending; equals in the order given, NaN last."""
        scores = [self.mean(mode, policy, "mean_bounded_slowdown_10") for policy in self.measures[mode]]
        names = list(self.measures[mode])
        return [names[place] for place in np.argsort(scores, kind="stable").tolist()]

    def pairs(self, mode: str) -> list[Pair]:
        """The neighbours in the ranking of a mode."""
        return [Pair(a, b, self.difference(mode, b, a)) for a, b in pairwise(self.ranking(mode))]

    def difference(self, mode: str, first: str, second: str) -> Difference | None:
        """First minus second, replication by replication; None for one run."""
        if self.replications < 2:
            return None
        return paired(self.values(mode, first), self.values(mode, second))

    def reversals(self) -> Iterator[Reversal]:
        """Which policies change places between the first mode and each of the others."""
        first, *others = self.measures
        for other in others:
            place = {policy: at for at, policy in enumerate(self.ranking(other))}
            for a, b in combinations(self.ranking(first), 2):
                if place[a] > place[b]:
                    yield Reversal(a, b, first, other, self._certain(a, b, (first, other)))

    def _certain(self, a: str, b: str, modes: Sequence[str]) -> bool | None:
        found = [self.difference(mode, a, b) for mode in modes]
        if any(each is None for each in found):
            return None
        return all(each is not None and not each.interval.contains(0.0) for each in found)


Progress = Callable[[str, int, int], None]
"""Called before each run with what it is, the number of runs done and the number of runs."""


def compare_modes(
    trace: Trace,
    policies: Mapping[str, Any],
    modes: Sequence[str] = DEFAULT_MODES,
    processors: int | None = None,
    *,
    seed: int = 0,
    replications: int = 1,
    load: float = 1.0,
    overrun: str = "kill",
    delimitation: str = "arrival",
    threshold: float | None = None,
    hours: Hours | str | None = None,
    draw: str = "samples",
    options: Mapping[str, Any] | None = None,
    keep: Callable[[str, str, int, Result], None] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run policies (by name) in modes on one log, with common random numbers.

    With one replication and a ``load`` of 1 the log is taken as it is; else users are resampled. ``keep`` is
    called with the mode, the policy, the replication and each result. ``hours`` are those of the mode feedback ("log":
    each user's own, of the log that is replayed); ``draw`` is what generative users are drawn from
    (`generative_users`); ``options`` go to all replays.
    """
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        raise ValueError(f"modes are {', '.join(MODES)}, not {', '.join(map(repr, unknown)) or 'none'}")
    if replications < 1:
        raise ValueError(f"replications must be at least 1, not {replications!r}")
    found: dict[str, dict[str, list[Measures]]] = {mode: {p: [] for p in policies} for mode in modes}
    total, done = len(modes) * len(policies) * replications, 0
    size = processors
    users = drawable(trace, draw, delimitation, threshold) if "generative" in modes else None
    for number in range(replications):
        log = trace if replications == 1 and load == 1 else resample(trace, (seed, number), load)
        seen = delimit(log, delimitation, threshold)
        for mode in modes:
            for name, policy in policies.items():
                if progress:
                    progress(f"{mode}: {name}", done, total)
                one = Run(
                    source=trace,
                    log=log,
                    users=users,
                    sessions=seen,
                    policy=policy,
                    processors=processors,
                    overrun=overrun,
                    seed=(seed, number),
                    load=load,
                    hours=hours,
                    options=dict(options or {}),
                )
                result, session = one.run(mode)
                size = result.processors
                found[mode][name].append(measure(result, session, log if mode != "generative" else trace))
                if keep:
                    keep(mode, name, number, result)
                done += 1
    assert size is not None
    measures = {mode: {p: tuple(each) for p, each in rows.items()} for mode, rows in found.items()}
    return Comparison(size, len(trace), replications, measures, draw)


@dataclass(frozen=True, slots=True)
class Run:
    """One policy on one log: what all modes need to know."""

    source: Trace
    """The log that users are drawn from."""
    log: Trace
    """The log to replay."""
    users: Population | None
    """Of the source, for the mode generative."""
    sessions: Sessions
    policy: Any
    processors: int | None
    overrun: str
    seed: tuple[int, int]
    load: float
    hours: Hours | str | None
    options: dict[str, Any]

    def run(self, mode: str) -> tuple[Result, Whole]:
        """The result in one mode, and the session of each of its jobs."""
        common: tuple[Any, ...] = (self.policy, self.processors, self.overrun)
        if mode == "generative":
            again = self.seed[1] > 0 or self.load != 1
            drawn = generate(
                self.source, *common, seed=self.seed, load=self.load, replace_users=again,
                population=self.users, **self.options,
            )  # fmt: skip
            return drawn.result, drawn.session
        if mode == "open":
            result = replay(self.log, *common, **self.options)
        else:
            result = replay_with_feedback(
                self.log, *common, sessions=self.sessions, hours=self.hours, **self.options
            )
        return result, self.sessions.sessions.of_job[np.isin(self.log.id, result["id"])]
