"""One world: its truth in every case, its log, and what every predictor makes of that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.prediction.cases import CASES, LUCKY, SAME, Case
from thinktime.analysis.studies.prediction.predictors import (
    CALIBRATED,
    CORRECTED,
    DRAWS,
    FEEDBACK,
    GENERATIVE,
    LUCK,
    MODES,
    NO_CHANGE,
    OPEN,
    REPLAYS,
    Log,
    recorded,
)
from thinktime.analysis.studies.prediction.scores import TO_THE_END, Scores, hours_of_day, mean_of, scores
from thinktime.analysis.studies.prediction.world import World

TRUTH = "truth"
SHOWN = "FCFS"
"""The case of which the hours of submissions are kept."""


class Answer(NamedTuple):
    """What one world says. Numbers are those named `NAMES`."""

    jobs: int
    """How many jobs the log has."""
    utilization: float
    """Of the log's machine, in the measured window."""
    found: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By case and mode, the truth among these."""
    users: Mapping[str, Mapping[str, float]]
    """By case and mode, the median over persons of |ln| of predicted over true mean response time.

    Not for other numbers of users, in which the persons are others.
    """
    to_the_end: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By case and mode, measured to the end of the log."""
    hours: Mapping[str, tuple[int, ...]]
    """Jobs submitted in each hour of the day under `SHOWN`, by mode."""


@dataclass(frozen=True, slots=True)
class Run:
    """A world, and what is asked of it."""

    world: World
    cases: tuple[str, ...]
    draws: int = DRAWS
    modes: tuple[str, ...] = MODES

    def perform(self) -> Answer:
        """Simulate it and predict it."""
        return _Study(self).answer()


class _Study:
    """All runs of one world. Truths are simulated once."""

    def __init__(self, asked: Run) -> None:
        self._world, self._names, self._draws, self._modes = asked.world, asked.cases, asked.draws, asked.modes
        self._truths: dict[Case, tt.Result] = {}
        self._logs: dict[str, Log] = {}
        self._found: dict[str, dict[str, Scores]] = {}
        self._to_the_end: dict[str, dict[str, tuple[float, ...]]] = {}
        self._hours: dict[str, tuple[int, ...]] = {}

    def answer(self) -> Answer:
        """Everything that is asked."""
        for name in self._names:
            self._answer(name, CASES[name])
        if CORRECTED in self._modes:
            for name in self._names:
                self._correct(name, CASES[name])
        found = {name: {mode: each.values for mode, each in modes.items()} for name, modes in self._found.items()}
        base = self._found[SAME][TRUTH]
        users = {
            name: {mode: _of_users(each, modes[TRUTH]) for mode, each in modes.items() if mode != TRUTH}
            for name, modes in self._found.items()
            if CASES[name].users == 1
        }
        jobs = len(self._log("easy").trace)
        return Answer(jobs, base.utilization, found, users, self._to_the_end, self._hours)

    def _answer(self, name: str, case: Case) -> None:
        log = self._log(case.recorded)
        self._keep(name, TRUTH, self._truth(case.truth))
        if NO_CHANGE in self._modes:
            self._found[name][NO_CHANGE] = scores(self._truth(case.same.truth))
        for mode in (*REPLAYS, CALIBRATED):
            if mode in self._modes:
                self._keep(name, mode, log.replayed(mode, case.spec, case.users))
        if {GENERATIVE, CORRECTED} & set(self._modes):
            drawn = log.drawn(case.spec, case.users, self._draws)
            self._found[name][GENERATIVE] = mean_of([scores(each) for each in drawn])
        if name in LUCKY and LUCK in self._modes:
            dice = range(1, self._draws + 1)
            lucky = [scores(self._world.truth(case.spec, case.users, each)) for each in dice]
            self._found[name][LUCK] = mean_of(lucky)

    def _keep(self, name: str, mode: str, result: tt.Result) -> None:
        self._found.setdefault(name, {})[mode] = scores(result)
        if mode in (TRUTH, OPEN, FEEDBACK):
            self._to_the_end.setdefault(name, {})[mode] = scores(result, TO_THE_END).values
        if name == SHOWN:
            self._hours[mode] = tuple(hours_of_day(result))

    def _correct(self, name: str, case: Case) -> None:
        """Correct what generative users do by the ratio to what they do where nothing is changed."""
        same = next(other for other in self._names if CASES[other] == case.same)
        raw, own, true = self._found[name][GENERATIVE], self._found[same][GENERATIVE], self._found[same][TRUTH]
        values = [one * fact / mine for one, mine, fact in zip(raw.values, own.values, true.values, strict=True)]
        responses = {
            who: value * true.responses[who] / own.responses[who]
            for who, value in raw.responses.items()
            if who in own.responses and who in true.responses
        }
        self._found[name][CORRECTED] = Scores.of(values, responses)

    def _truth(self, case: Case) -> tt.Result:
        if case not in self._truths:
            self._truths[case] = self._world.truth(case.spec, case.users)
        return self._truths[case]

    def _log(self, policy: str) -> Log:
        if policy not in self._logs:
            trace = recorded(self._truth(Case(policy)))
            self._logs[policy] = Log(trace, self._world.seeds)
        return self._logs[policy]


def _of_users(predicted: Scores, true: Scores) -> float:
    """The median over persons of |ln| of predicted over true mean response time."""
    both = [who for who in true.responses if predicted.responses.get(who, 0.0) > 0 and true.responses[who] > 0]
    if not both:
        return float("nan")
    ratios = [predicted.responses[who] / true.responses[who] for who in both]
    return float(np.median(np.abs(np.log(ratios))))
