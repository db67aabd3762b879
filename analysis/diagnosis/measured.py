"""The numbers of one log, or of a world beside it: the jump, the clock's and the wait's gain, overlaps, batches."""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.diagnosis import hazard
from thinktime.analysis.diagnosis.gaps import Gaps, gaps_of
from thinktime.analysis.diagnosis.jump import Jump, jump, profile
from thinktime.analysis.statistics import bootstrap
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads.arrays import Floats
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import Sessions, delimit

MOST_GAPS = 30_000
"""The most gaps that models are fitted to, and the most that they are scored on."""
LEAST_GAPS = 50
"""With fewer in either half, nothing is fitted."""


@dataclass(frozen=True, slots=True)
class Gains:
    """How much better each step of the models foretells the gaps of the second half (`hazard`)."""

    clock: Estimate
    """Of the hour and the weekend, M1 - M0, nats per batch."""
    job: Estimate
    """Of run time and processors, M2 - M1, nats per batch."""
    wait: Estimate
    """Of the wait beyond these, M3 - M2, nats per batch."""
    wait_crps: Estimate
    """By how much the wait lowers the CRPS of log(gap + 1 min)."""
    scored: int
    """The number of gaps that were scored."""


NO_GAINS = Gains(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What is measured of a log with waits."""

    jump: Jump
    gains: Gains
    overlaps: float
    """The share of batches that come before the user's previous one is over."""
    jobs_per_batch: float
    mean_wait: float
    """Of all jobs, s."""
    gaps: int
    """All gaps, of which `gains` may use a sample."""
    profile: Floats
    """How often users submit, by minute around the end of a job (`thinktime.analysis.diagnosis.jump.profile`)."""


def measure(trace: Trace, sessions: Sessions | None = None, seed: Seed = 0, most: int = MOST_GAPS) -> Measured:
    """Measure a log; ``most`` is the number of gaps that are fitted, and scored, at most (a random sample)."""
    seen = delimit(trace) if sessions is None else sessions
    gaps = gaps_of(trace, seen)
    follows = seen.think_time[np.isfinite(seen.think_time)]
    return Measured(
        jump=jump(trace.user, seen.submit, seen.end, seed),
        gains=gains(gaps, seed, most),
        overlaps=float((follows < 0).mean()) if len(follows) else np.nan,
        jobs_per_batch=float(seen.batches.jobs.mean()) if len(seen.batches) else np.nan,
        mean_wait=float(np.nan_to_num(trace.wait).clip(min=0.0).mean()) if len(trace) else np.nan,
        gaps=len(gaps),
        profile=profile(trace.user, seen.submit, seen.end),
    )


def gains(gaps: Gaps, seed: Seed = 0, most: int = MOST_GAPS, models: tuple[str, ...] = hazard.MODELS) -> Gains:
    """The gains on the second half of the gaps; unknown for models that are not asked for."""
    first, second = (sampled(half, seed, place, most) for place, half in enumerate(hazard.halves(gaps)))
    if min(len(first), len(second)) < LEAST_GAPS:
        return NO_GAINS
    scores = hazard.fit(first, models).forecast(second)

    def gain(better: str, worse: str, of: dict[str, Floats]) -> Estimate:
        if better not in of:
            return UNKNOWN
        return bootstrap.mean(of[better] - of[worse], (second.user, second.week), seed)

    return Gains(
        clock=gain("M1", "M0", scores.log_score),
        job=gain("M2", "M1", scores.log_score),
        wait=gain("M3", "M2", scores.log_score),
        wait_crps=gain("M2", "M3", scores.crps) if "M3" in scores.crps else UNKNOWN,
        scored=len(second),
    )


def sampled(gaps: Gaps, seed: Seed, half: int, most: int) -> Gaps:
    """A random sample of at most so many gaps of a half, in their order."""
    if len(gaps) <= most:
        return gaps
    rows = stream(seed, half, "sample of gaps").choice(len(gaps), most, replace=False)
    return gaps.take(np.sort(rows))
