"""The runs of the slack study: which policies run on which machine, and the waits of one run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.papers.slack.printed import HEURISTICS

BASELINE = "conservative:compress=scheduled"
EVERY = 5
GAPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75)
"""Differences of UP + PP between 0 (equal priorities) and 2 (the paper's table)."""

TINY = {
    "slack factor 0": "factor 0",
    "AWT 24 s": "awt 24",
    "utilization weight 0.01": "alpha_u 0.01",
    "time weight 0.01": "alpha_t 0.01",
}
"""Settings that, by the paper, give conservative backfilling, and the names of their cases."""

READINGS = ("sp-kept", "sp-first", "absolute", "own-price")


@dataclass(frozen=True, slots=True)
class Case:
    """One policy on one machine: a line of a table or a picture."""

    name: str
    policy: str
    processors: int
    whole: bool = False
    """Whether the whole log is one run, instead of one run for each month."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Jobs and the sums of their waits (s), by the place of a job among each five: the last one is the preferred."""

    jobs: NDArray[np.int64]
    seconds: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean wait of all jobs, s."""
        return _ratio(self.seconds.sum(), self.jobs.sum())

    @property
    def high(self) -> float:
        """Mean wait of the preferred jobs, s."""
        return _ratio(self.seconds[-1], self.jobs[-1])

    @property
    def low(self) -> float:
        """Mean wait of the other jobs, s."""
        return _ratio(self.seconds[:-1].sum(), self.jobs[:-1].sum())

    @property
    def gap(self) -> float:
        """By how much the others wait longer than the preferred ones, s."""
        return self.low - self.high

    def of_place(self, place: int) -> float:
        """Mean wait of the jobs in one place among each five, s."""
        return _ratio(self.seconds[place], self.jobs[place])


@dataclass(frozen=True, slots=True)
class Run:
    """One month, or the whole log, in one case."""

    case: Case
    trace: tt.Trace

    def perform(self) -> Waits:
        """Replay the jobs on an empty machine."""
        wait = tt.measures.wait(tt.replay(self.trace, self.case.policy, self.case.processors))
        ran = ~np.isnan(wait)
        place = np.arange(len(wait))[ran] % EVERY
        return Waits(
            np.bincount(place, minlength=EVERY),
            np.bincount(place, weights=wait[ran], minlength=EVERY).astype(np.float64),
        )


def cases_of(processors: int, other: int | None, awt: str, all_of_it: bool = True) -> list[Case]:
    """What is run: the cases of the object of ``--json``, and those of the tables and pictures."""
    slack = f"slack:slack_factor=3,awt={awt}"

    def case(name: str, policy: str) -> Case:
        return Case(name, policy, processors)

    cases = [case("conservative", BASELINE)]
    cases += [case(name, f"{slack},heuristic={name}") for name in HEURISTICS]
    cases += [case("ast preferred", f"{slack},every={EVERY}")]
    if not all_of_it:
        return cases
    cases += [
        case(f"{name} preferred", f"{slack},heuristic={name},every={EVERY}") for name in HEURISTICS if name != "ast"
    ]
    cases += [
        case("permutations 5", f"{slack},permutations=5"),
        case("easy", "easy"),
        case("awt by month", "slack:slack_factor=3,awt=auto"),
    ]
    cases += [case(f"{name} removed", f"{slack},heuristic={name},delayed=removed") for name in HEURISTICS]
    for name, policy in _other_parameters(awt).items():
        cases += [case(name, policy), case(f"{name} preferred", f"{policy},every={EVERY}")]
    cases += [case(f"gap {gap:g}", f"{slack},every={EVERY},gap={gap:g}") for gap in GAPS]
    cases += [case(f"all {gap:g}", f"{slack},every=1,gap={gap:g}") for gap in (1, 2)]
    weights = "alpha_p=1,alpha_u=0.2,alpha_t=0.2,alpha_f=0.2"
    cases += [case("weights", f"{slack},{weights}"), case("weights preferred", f"{slack},{weights},every={EVERY}")]
    cases += [case(f"{name} preferred", f"{slack},every={EVERY},reading={name}") for name in READINGS]
    for name, size in (("whole", processors), ("other", other)):
        if size is not None:
            whole = name == "whole"
            cases += [Case(f"{name} conservative", BASELINE, size, whole), Case(f"{name} ast", slack, size, whole)]
    return cases


def _other_parameters(awt: str) -> dict[str, str]:
    """Other slack factors, and the settings in `TINY`: policies by case."""
    usual = f"slack:slack_factor=3,awt={awt}"
    policies = {f"factor {factor}": f"slack:slack_factor={factor},awt={awt}" for factor in (0, 1, 9, 30)}
    policies["awt 24"] = "slack:slack_factor=3,awt=24"
    return policies | {f"{name} 0.01": f"{usual},{name}=0.01" for name in ("alpha_u", "alpha_t")}


def months_of(trace: tt.Trace) -> dict[str, tt.Trace]:
    """The log cut into months of submission by the clock of its zone (``1996-09``, …), without empty ones."""
    months = trace.calendar.months(trace.submit.item(0), trace.submit.item(-1))
    parts = {each.name: trace.between(each.start, each.end) for each in months}
    return {name: part for name, part in parts.items() if len(part)}


def together(parts: Sequence[Waits]) -> Waits:
    """The waits of several runs as those of one."""
    return Waits(np.sum([part.jobs for part in parts], axis=0), np.sum([part.seconds for part in parts], axis=0))


def _ratio(seconds: Any, jobs: Any) -> float:
    return float(seconds / jobs) if jobs else np.nan


def gap_cases() -> dict[float, str]:
    """The case for each priority gap from 0 to 2."""
    return {0.0: "ast"} | {gap: f"gap {gap:g}" for gap in GAPS} | {2.0: "ast preferred"}
