"""The shaken self-test: what a replay with feedback keeps of a log if its run times move by up to 1 %.

The log is replaced by the one that a policy would have left (`thinktime.analysis.left_log`). Replayed with feedback
under that policy it comes back. Then its run times are moved (`thinktime.workloads.shaking`), and it is replayed again,
with the sessions of the unshaken log. No user would behave otherwise, so a mean wait that differs is the mode's own
doing: a ratio far from 1 means that feedback forgets what the log's users do. Why it does is asked by
`thinktime.analysis.studies.self_test`.

Measured are jobs submitted in the first three quarters of the log, since towards its end users who are early have
nothing left to submit. The interval comes from a bootstrap over `PARTS` equal parts of that time, the same for both.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.left_log import left_by
from thinktime.analysis.statistics import bootstrap
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.models.machine.spec import MachineSpec
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads.arrays import Floats
from thinktime.workloads.shaking import shaken
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration
from thinktime.workloads.user_models import delimit

SHARE = 0.01
"""The share by which run times are moved."""
MEASURED = 0.75
"""The part of the log that is measured."""
PARTS = 20
SHAKES = 2
"""How often a log is shaken."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What feedback keeps of a log: the mean wait of shaken replays over that of the log."""

    ratio: Estimate = UNKNOWN
    """Of all shakes together; unknown if no job waits."""
    ratios: tuple[float, ...] = ()
    """The ratio of each shake by itself."""


def self_test(
    trace: Trace,
    machine: MachineSpec,
    delimitation: str = "arrival",
    threshold: Duration | None = None,
    *,
    seed: int | tuple[int, ...] = 0,
    shakes: int = SHAKES,
) -> SelfTest:
    """The self-test of a log under a machine's policy: one open replay, and one with feedback for each shake."""
    own = (seed,) if isinstance(seed, int) else seed
    log = left_by(trace, machine)
    if not len(log):
        return SelfTest()
    seen = delimit(log, delimitation, threshold)
    before, after = _waits(log.submit, np.where(log.withdrawn, np.nan, log.wait), log), []
    for number in range(shakes):
        result = run(machine, sources.feedback(shaken(log, SHARE, (*own, number), submissions=False), seen))
        after.append(_waits(result["submit"], result["start"] - result["submit"], log))
    if not _mean(before) > 0:
        return SelfTest()
    ratios = tuple(float(_mean(each) / _mean(before)) for each in after)
    drawn = bootstrap.draws(PARTS, seed, "parts").T
    with np.errstate(divide="ignore", invalid="ignore"):
        samples = np.mean([_mean(each @ drawn) for each in after], axis=0) / _mean(before @ drawn)
    return SelfTest(bootstrap.widest(float(np.mean(ratios)), [samples]), ratios)


def _waits(submit: Floats, wait: Floats, log: Trace) -> Floats:
    """The sum of waits (s) and the number of jobs in each part of the measured time, as two rows."""
    part = (submit - log.submit[0]) / max(MEASURED * (log.submit[-1] - log.submit[0]), 1.0) * PARTS
    known = np.isfinite(wait) & (part >= 0) & (part < PARTS)
    of = part[known].astype(np.int64)
    return np.stack([np.bincount(of, wait[known], PARTS), np.bincount(of, minlength=PARTS)])


def _mean(waits: Floats) -> Floats:
    """The mean wait: over all parts, or over those of each column of a resample."""
    total, count = waits.sum(axis=1) if waits.shape[1] == PARTS else waits
    return np.asarray(total / count)
