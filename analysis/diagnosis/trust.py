"""Which way of replaying a log to trust: rules that go by the log's own numbers.

Every number is an interval (95 %), and so is every condition: one that holds for a part of the interval alone is not
met. What is unknown (NaN) or too uncertain cannot be said. In this order:

* withdrawals that are not surely few: users who give up are in no replay as they would be, and only generative users,
  corrected by the policy that made the log, come near the truth;
* no user waits: the jump is about that of worlds in which no user reacts, or it is as high at ends that none saw
  (`thinktime.analysis.diagnosis.jump`): recorded times are right (open);
* some users wait: the jump is above that of such worlds, and above that at ends that no user saw. If nearly all do and
  the hour says nothing of when they come back, they wait as in the log (feedback), provided that the shaken self-test
  shows that feedback keeps the log. If the hour says something, pauses depend on it (reacting). If only a part of the
  users waits, sessions begin when they did (partly-open) for some of them, and feedback holds for the others.

The rules come from worlds in which the truth is known, half of which were left out to check them
(docs/studies/prediction.md). The borders are ours.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from thinktime.analysis.json_values import without_nan
from thinktime.analysis.statistics import bootstrap
from thinktime.analysis.statistics.bootstrap import CONFIDENCE, UNKNOWN, Estimate
from thinktime.workloads.swf.read import WITHDRAWN
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK

CHANCE = 0.5
"""The jump of users who do not wait."""
NEARLY_ALL = 0.95
"""The jump from which on nearly all users wait."""
LITTLE = 0.2
"""Jumps that differ by less are about the same."""
CLOCK = 0.03
"""Nats per batch: with less, the hour says little; real logs have 0.05 to 0.2."""
FEW_WITHDRAWN = 0.01
"""The share of jobs cancelled without a run up to which they are few."""
KEPT = 0.1
"""A self-test that is further from 1 than this shows that feedback forgets the log."""


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """Jobs cancelled without a run, as shares of all jobs and of all work (NaN: unknown).

    The work of a job is its processors times the time that it requests.
    """

    jobs: Estimate = UNKNOWN
    work: float = np.nan

    @classmethod
    def of(cls, trace: Trace) -> "Withdrawals":
        """The withdrawals of a log: what it has kept of them, and what reading has left out (`Trace.report`).

        The interval is the wider of bootstraps over users and over weeks. Of jobs that were left out only the number is
        known, and only of the whole log, so theirs is Wilson's, as if they were independent.
        """
        kept, report = trace.withdrawn, trace.report
        left_out, jobs, more = report.dropped.get(WITHDRAWN, 0), report.jobs, report.withdrawn_work
        asked = trace.processors * trace.estimate
        work = float(asked.sum()) + more
        share = float(asked[kept].sum() + more) / work if work else np.nan
        if left_out:
            gone = left_out + int(kept.sum())
            wilson = stats.binomtest(gone, jobs + left_out).proportion_ci(CONFIDENCE, "wilson")
            return cls(Estimate(gone / (jobs + left_out), wilson.low, wilson.high), share)
        _, user = np.unique(trace.user, return_inverse=True)
        weeks = np.floor(trace.submit / WEEK).astype(np.int64)
        return cls(bootstrap.mean(kept.astype(float), (user, weeks)), share)


@dataclass(frozen=True, slots=True)
class Signs:
    """What the rules go by."""

    jump: Estimate
    null: float
    """The jump in worlds in which no user reacts."""
    excess: Estimate
    """By how much the jump exceeds that at ends that no user saw, among jobs whose two ends are apart."""
    clock: Estimate = UNKNOWN
    """The gain of the hour, nats per batch."""
    self_test: Estimate = UNKNOWN
    """Mean wait of shaken replays with feedback over that of the log."""
    withdrawn: Estimate = UNKNOWN
    """The share of jobs cancelled without a run; unknown counts as none."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Which modes to trust, the best for waits first, and why; none if that cannot be said."""

    modes: tuple[str, ...]
    sentence: str
    signs: Signs
    corrected: bool = False
    """Whether the first mode is to be trusted only if corrected by the policy that made the log."""

    def as_object(self) -> dict[str, Any]:
        """The modes, the sentence, and what the rules went by, as plain values; None for NaN."""
        signs = self.signs
        numbers = {
            "jump": signs.jump,
            "over_placebo": signs.excess,
            "clock_gain": signs.clock,
            "self_test": signs.self_test,
            "withdrawn_share": signs.withdrawn,
        }
        found: dict[str, Any] = {"trust": list(self.modes), "corrected": self.corrected, "sentence": self.sentence}
        found |= {name: each.value for name, each in numbers.items()} | {"null": signs.null}
        found["intervals"] = {name: [each.low, each.high] for name, each in numbers.items() if np.isfinite(each.low)}
        plain: dict[str, Any] = without_nan(found)
        return plain


def advise(signs: Signs) -> Trust:
    """What the rules say."""
    gone = signs.withdrawn
    if gone.high >= FEW_WITHDRAWN or gone.value >= FEW_WITHDRAWN:
        why = f"{_percent(gone)} of the jobs were cancelled before they ran, and users who give up mislead other modes"
        what = "Trust generative, if corrected by the policy that made the log (--correct POLICY --draws 5)"
        return Trust(("generative",), f"{what}: {why}.", signs, corrected=True)
    seen = _seen(signs)
    unknown = _unknown(signs)
    if unknown:
        return _unsaid(f"{unknown}{seen}", signs)
    if _no_user_waits(signs):
        why = "users submit about as often after ends that they did not see or wait for"
        return Trust(("open",), f"Trust open: {why}{seen}.", signs)
    if not _some_users_wait(signs):
        why = "it is not clear that users wait for results, nor that they do not"
        return _unsaid(f"{why}{seen}", signs)
    hour = f"clock gain {_in_words(signs.clock, 3)} nats"
    if not signs.jump.low >= NEARLY_ALL:
        why = f"some users wait for results, and others do not{seen}"
        return Trust(PART, f"{_first(PART)}: {why}; {hour}; {_tested(signs)}.", signs)
    waiting = f"users submit when results arrive{seen}"
    if signs.clock.low > CLOCK:
        why = f"{waiting}, and the hour moves them, too ({hour}); {_tested(signs)}"
        return Trust(BY_HOUR, f"{_first(BY_HOUR)}: {why}.", signs)
    keeps = signs.self_test.low <= 1 + KEPT and signs.self_test.high >= 1 - KEPT
    if signs.clock.high < CLOCK and keeps:
        why = f"{waiting}, the hour says little about when ({hour}), and feedback keeps the log"
        return Trust(BY_WAIT, f"{_first(BY_WAIT)}: {why} ({_tested(signs)}).", signs)
    return Trust(UNSURE, f"{_first(UNSURE)}: {waiting}; {hour}; {_tested(signs)}.", signs)


def _unsaid(why: str, signs: Signs) -> Trust:
    tested = "" if np.isnan(signs.self_test.value) else f" ({_tested(signs)})"
    return Trust(
        (), f"Which mode to trust cannot be said: {why}. Compare open, reacting and generative{tested}.", signs
    )


BY_WAIT = ("feedback", "reacting")
BY_HOUR = ("reacting", "partly-open", "generative")
PART = ("partly-open", "reacting", "feedback")
UNSURE = ("reacting", "partly-open", "feedback")
"""The modes to trust, the best first."""


def _first(modes: tuple[str, ...]) -> str:
    first, *others = modes
    return f"Trust {first}, with {' and '.join(others)} beside it"


def _unknown(signs: Signs) -> str:
    if np.isnan(signs.jump.low) or np.isnan(signs.null):
        return "too few jobs of 20 min and more have users who came back soon"
    if np.isnan(signs.excess.low):
        return "too few jobs had to wait to tell their users' reaction from chance"
    return ""


def _no_user_waits(signs: Signs) -> bool:
    """Whether the jump is about the null's, or no larger than at ends that no user saw."""
    about = signs.jump.low <= signs.null and signs.jump.high < signs.null + LITTLE
    return about or signs.excess.high < LITTLE


def _some_users_wait(signs: Signs) -> bool:
    return signs.jump.low > max(signs.null, CHANCE) and signs.excess.low > 0


def _seen(signs: Signs) -> str:
    """The jump beside its null and its placebo."""
    if np.isnan(signs.jump.value):
        return ""
    null = "" if np.isnan(signs.null) else f"; {signs.null:.2f} if nobody reacted"
    ends = "" if np.isnan(signs.excess.value) else f"; {_in_words(signs.excess, 2, '+')} over ends that nobody saw"
    return f" (jump {_in_words(signs.jump, 2)}{null}{ends})"


def _tested(signs: Signs) -> str:
    if np.isnan(signs.self_test.value):
        return "feedback's self-test is unknown"
    return f"feedback's self-test {_in_words(signs.self_test, 2)}, where 1 keeps the log"


def _percent(share: Estimate) -> str:
    ends = "" if np.isnan(share.low) else f" [{100 * share.low:.2g}, {100 * share.high:.2g}]"
    return f"{100 * share.value:.2g}{ends} %"


def _in_words(estimate: Estimate, digits: int, sign: str = "") -> str:
    value = f"{estimate.value:{sign}.{digits}f}" if estimate.value == estimate.value else "unknown"
    if np.isnan(estimate.low):
        return value
    return f"{value} [{estimate.low:{sign}.{digits}f}, {estimate.high:{sign}.{digits}f}]"
