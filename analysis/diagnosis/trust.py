"""Which way of replaying a log to trust: rules that go by the log's own numbers.

The rules come from worlds in which the truth is known (docs/studies/prediction.md); the borders between them are ours:

* many withdrawals: users who give up are in no replay, and no mode comes within 25 %; generative is the least bad;
* no jump: users do not wait for results, so recorded times are right (open);
* a jump, and a clock that says little: users wait for results (feedback);
* a jump and a clock that says something: both move users, and feedback is right within 10 to 20 % at best;
* a clock that says nearly everything: breaks end in the morning, whatever the machine does, which feedback cannot know.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.diagnosis import hazard
from thinktime.analysis.diagnosis.gaps import gaps_of
from thinktime.analysis.diagnosis.jump import jump
from thinktime.analysis.diagnosis.measured import gains
from thinktime.analysis.statistics.bootstrap import Estimate
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.swf.read import WITHDRAWN
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import delimit

CHANCE = 0.5
"""The jump of users who do not wait."""
LITTLE_CLOCK, STRONG_CLOCK = 0.03, 0.4
"""Nats per batch: below the first, the clock says little; real logs have 0.05 to 0.2; from the second on, it rules."""
MANY_WITHDRAWN = 0.1
"""Share of jobs cancelled without a run from which on they are many."""
FEW_GAPS = 10_000
"""What `trust` fits, and scores."""


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """Jobs cancelled without a run, as shares of all jobs and of all work (NaN: unknown).

    The work of a job is its processors times the time that it requests.
    """

    jobs: float = np.nan
    work: float = np.nan

    @classmethod
    def of(cls, trace: Trace, report: CleaningReport) -> "Withdrawals":
        """The withdrawals of a whole log: what reading has left out, and what it has kept."""
        asked, kept = trace.processors * trace.estimate, trace.withdrawn
        left_out = report.dropped.get(WITHDRAWN, 0)
        jobs, work = report.jobs + left_out, float(asked.sum()) + report.withdrawn_work
        given_up = float(asked[kept].sum()) + report.withdrawn_work
        share = (left_out + int(kept.sum())) / jobs if jobs else np.nan
        return cls(share, given_up / work if work else np.nan)


@dataclass(frozen=True, slots=True)
class Trust:
    """Which modes to trust, the best for waits first, and why."""

    modes: tuple[str, ...]
    sentence: str


def trust(trace: Trace, withdrawals: Withdrawals | None = None) -> Trust:
    """Which mode to trust for this log, by its jump and its clock alone: a matter of seconds.

    Jobs that were withdrawn are left out: their ends are what their users did, not what they saw.
    """
    ran = trace.select(~trace.withdrawn)
    seen = delimit(ran)
    clock = gains(gaps_of(ran, seen), most=FEW_GAPS, models=hazard.MODELS[:2]).clock
    return advise(jump(ran.user, seen.submit, seen.end).share, clock, withdrawals or Withdrawals())


def advise(share: Estimate, clock: Estimate, withdrawals: Withdrawals) -> Trust:
    """What the rules say about a jump (its share) and a gain of the clock (nats per batch)."""
    if withdrawals.jobs >= MANY_WITHDRAWN:
        why = f"{withdrawals.jobs:.0%} of the jobs were cancelled before they ran, and no mode comes within 25 %"
        return Trust(("generative",), f"Trust no mode far, and generative the most: {why}.")
    if np.isnan(share.value):
        why = "too few jobs of 20 min and more have users who came back soon"
        return Trust((), f"Which mode to trust cannot be said: {why}.")
    seen = f"jump {_in_words(share, 2)}; 0.5 is chance"
    if not share.low > CHANCE:
        why = f"users submit hardly more often after the end of a job than before it ({seen})"
        return Trust(("open",), f"Trust open: {why}.")
    waiting = f"users submit when results arrive ({seen})"
    if np.isnan(clock.value):
        what = "Trust no mode alone, and compare feedback, clock and generative"
        return Trust(("feedback", "clock", "generative"), f"{what}: {waiting}; too few gaps to see the clock.")
    hour = f"clock gain {_in_words(clock, 3)} nats"
    if clock.value < LITTLE_CLOCK:
        return Trust(("feedback",), f"Trust feedback: {waiting}, and the hour says little about when ({hour}).")
    if clock.value < STRONG_CLOCK:
        what = "Trust feedback within 10 to 20 %, if its shaken self-test is near 1, with clock or generative beside it"
        why = f"{waiting}, and the hour moves them, too ({hour})"
        return Trust(("feedback", "clock", "generative"), f"{what}: {why}.")
    what = "Trust clock or open for waits and generative for throughput, but not feedback"
    return Trust(("clock", "open", "generative"), f"{what}: breaks end when the clock says ({hour}; {seen}).")


def _in_words(estimate: Estimate, digits: int) -> str:
    if np.isnan(estimate.low):
        return f"{estimate.value:.{digits}f}"
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
