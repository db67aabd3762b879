"""What a log says of its users, each number beside what users who never react would show.

    found = diagnose(trace)
    print(found.log.jump.share, found.null("jump"))
    print(found.trust.sentence)

The log, the same submissions with another policy's ends (the placebo), and several worlds in which no user reacts
(`thinktime.analysis.diagnosis.nulls`) are all measured alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.analysis.diagnosis import nulls
from thinktime.analysis.diagnosis.measured import MOST_GAPS, Measured, measure
from thinktime.analysis.diagnosis.self_test import SelfTest, self_test
from thinktime.analysis.diagnosis.signs import over_placebo
from thinktime.analysis.diagnosis.trust import Signs, Trust, Withdrawals, advise
from thinktime.analysis.json_values import without_nan
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.statistics.intervals import t_quantile
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.wanted import Wanted
from thinktime.workloads.arrays import Floats
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import Sessions, delimit

DRAWS = 5
"""How many worlds are drawn in which users submit by deadlines."""
QUICK: dict[str, Any] = {"draws": 3, "most_gaps": 3000}
"""What a quick diagnosis is given: fewer worlds and gaps."""
SHARES = ("jump", "overlaps")
"""What lies between 0 and 1."""

NUMBERS: dict[str, Callable[[Measured], Estimate]] = {
    "jump": lambda found: found.jump.share,
    "clock_gain": lambda found: found.gains.clock,
    "job_gain": lambda found: found.gains.job,
    "wait_gain": lambda found: found.gains.wait,
    "wait_crps_gain": lambda found: found.gains.wait_crps,
    "overlaps": lambda found: Estimate(found.overlaps, np.nan, np.nan),
    "mean_jobs_per_batch": lambda found: Estimate(found.jobs_per_batch, np.nan, np.nan),
    "mean_wait": lambda found: Estimate(found.mean_wait, np.nan, np.nan),
}
"""What is measured, by name."""

Progress = Callable[[int, int], None]
"""Called with the number of things measured and the number of things to measure."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """The diagnosis of a log."""

    log: Measured
    placebo: Measured | None
    """The log with another policy's ends."""
    worlds: tuple[Measured, ...]
    """Worlds in which no user reacts."""
    withdrawals: Withdrawals
    excess: Estimate = UNKNOWN
    """By how much the jump exceeds the placebo's, among jobs whose two ends are apart."""
    self_test: SelfTest = field(default_factory=SelfTest)
    """What feedback keeps of the log if run times move by 1 %, under EASY."""
    notes: tuple[str, ...] = ()

    @property
    def signs(self) -> Signs:
        """What the rules of trust go by."""
        share, clock = self.log.jump.share, self.log.gains.clock
        return Signs(share, self.null("jump").value, self.excess, clock, self.self_test.ratio, self.withdrawals.jobs)

    @property
    def trust(self) -> Trust:
        """Which mode to trust."""
        return advise(self.signs)

    def value(self, name: str) -> Estimate:
        """One of `NUMBERS` in the log."""
        return NUMBERS[name](self.log)

    def null(self, name: str) -> Estimate:
        """The mean of one of `NUMBERS` over the worlds, and where one more of them would lie (95 %)."""
        values = np.array([NUMBERS[name](world).value for world in self.worlds])
        known = values[np.isfinite(values)]
        if not len(known):
            return UNKNOWN
        centre = float(known.mean())
        if len(known) < 2:
            return Estimate(centre, np.nan, np.nan)
        half = t_quantile(len(known) - 1, 0.95) * float(known.std(ddof=1)) * np.sqrt(1 + 1 / len(known))
        low, high = (0.0, 1.0) if name in SHARES else (-np.inf, np.inf)
        return Estimate(centre, max(low, centre - half), min(high, centre + half))

    def with_placebo(self, name: str) -> Estimate:
        """One of `NUMBERS` with the placebo's ends."""
        return UNKNOWN if self.placebo is None else NUMBERS[name](self.placebo)

    @property
    def null_profile(self) -> Floats:
        """How often users submit, by minute around the end of a job; mean over the worlds."""
        if not self.worlds:
            return np.full(len(self.log.profile), np.nan)
        found: Floats = np.mean([world.profile for world in self.worlds], axis=0)
        return found

    def as_object(self) -> dict[str, Any]:
        """All numbers as plain values: of the log, of the worlds (``null``) and of the placebo; None for NaN."""
        missing = np.full(len(self.log.profile), np.nan)
        sides = {
            "log": (self.value, self.log.profile),
            "null": (self.null, self.null_profile),
            "placebo": (self.with_placebo, missing if self.placebo is None else self.placebo.profile),
        }
        found: dict[str, Any] = {}
        for side, (of, around) in sides.items():
            estimates = {name: of(name) for name in NUMBERS}
            found[side] = {name: each.value for name, each in estimates.items()}
            ends = {name: [each.low, each.high] for name, each in estimates.items() if np.isfinite(each.low)}
            found[side] |= {"intervals": ends, "around_end": around.tolist()}
        jump, advice = self.log.jump, self.trust.as_object()
        found |= {name: each for name, each in advice.items() if name not in NUMBERS and name != "null"}
        found |= {"excess": jump.excess, "one_sided_windows": jump.windows, "users_with_windows": jump.users}
        found |= {"gaps": self.log.gaps, "scored": self.log.gains.scored, "worlds": len(self.worlds)}
        found |= {"withdrawn_work": self.withdrawals.work, "notes": list(self.notes)}
        plain: dict[str, Any] = without_nan(found)
        return plain


def diagnose(
    trace: Trace,
    processors: int | None = None,
    *,
    sessions: Sessions | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    most_gaps: int = MOST_GAPS,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose a log with waits.

    ``processors`` is the size of the machine on which worlds are run (default: that of the header). Without a size, and
    for a log with too few gaps to fit anything, there are no worlds, no placebo and no self-test. ``sessions`` are
    those of the log (`delimit`). ``draws`` worlds are drawn, and ``most_gaps`` gaps are fitted, and scored, in each.
    What was cancelled without a run is read from the log and its report.

    ``ValueError`` for a log without waits, and for a data set that does not say who submitted what.
    """
    known = trace.report.data_set
    refuse(Wanted(closed=True, data_sets=() if known is None else (known,)))
    tell = progress or (lambda done, total: None)
    tell(0, draws + 3)
    whole, given = trace, Withdrawals.of(trace)
    seen = delimit(trace) if sessions is None else sessions
    if trace.withdrawn.any():  # their ends are what users did, not what they saw
        trace = trace.select(~trace.withdrawn)
        seen = delimit(trace, seen.delimitation, seen.threshold)
    log = measure(trace, seen, seed, most_gaps)
    notes = []
    if log.gaps > 2 * most_gaps:
        notes.append(f"gains are those of a sample of {2 * most_gaps:,} of {log.gaps:,} gaps")
    size = processors or trace.machine_size
    if size is None or not log.gains.scored:
        why = "too few gaps to fit a model" if size else "the size of the machine is unknown (give --processors)"
        return Diagnosis(log, None, (), given, notes=(*notes, f"no worlds without reactions: {why}"))

    def measured(world: Trace, done: int) -> Measured:
        tell(done, draws + 3)
        return measure(world, delimit(world, seen.delimitation, seen.threshold), seed, most_gaps)

    other = nulls.with_ends(trace, nulls.PLACEBO, size)
    placebo = measured(other, 1)
    worlds = tuple(measured(nulls.deadline_world(trace, (seed, draw), size), 2 + draw) for draw in range(draws))
    tell(draws + 2, draws + 3)
    machine = MachineSpec(size, nulls.POLICY)
    tested = self_test(whole, machine, seen.delimitation, seen.threshold, seed=seed)
    tell(draws + 3, draws + 3)
    return Diagnosis(log, placebo, worlds, given, over_placebo(trace, seen, other, seed), tested, tuple(notes))
