"""What the rules of trust go by, found in a log with a few replays.

They are one open replay under another policy (the placebo), one of a world in which no user reacts (the null), and for
the shaken self-test one open replay and two with feedback, which are left out where no user seems to wait.
"""

import numpy as np

from thinktime.analysis.diagnosis import hazard, nulls
from thinktime.analysis.diagnosis.gaps import gaps_of
from thinktime.analysis.diagnosis.jump import excess, jump
from thinktime.analysis.diagnosis.measured import gains
from thinktime.analysis.diagnosis.self_test import SelfTest, self_test
from thinktime.analysis.diagnosis.trust import CHANCE, Signs, Trust, Withdrawals, advise
from thinktime.analysis.statistics.bootstrap import Estimate
from thinktime.models.machine.spec import MachineSpec
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration
from thinktime.workloads.user_models.sessions import Sessions, delimit

FEW_GAPS = 10_000
"""Of the gaps, what is fitted and scored at most."""


def trust(
    trace: Trace,
    machine: MachineSpec,
    *,
    delimitation: str = "arrival",
    threshold: Duration | None = None,
    seed: int = 0,
) -> Trust:
    """Which mode to trust for this log on a machine under a policy; see `signs_of`."""
    return advise(signs_of(trace, machine, delimitation=delimitation, threshold=threshold, seed=seed))


def signs_of(
    trace: Trace,
    machine: MachineSpec,
    *,
    delimitation: str = "arrival",
    threshold: Duration | None = None,
    seed: int = 0,
) -> Signs:
    """What a log with waits says of its users.

    The self-test is that of the machine's policy. Ends of the placebo and the null are those of a pool of as many
    processors. Jobs that were withdrawn are left out of all but the self-test: their ends are what their users did, not
    what they saw.
    """
    gone = Withdrawals.of(trace)
    ran = trace.select(~trace.withdrawn)
    seen = delimit(ran, delimitation, threshold)
    share = jump(ran.user, seen.submit, seen.end, seed).share
    clock = gains(gaps_of(ran, seen), seed, FEW_GAPS, hazard.MODELS[:2]).clock
    if np.isnan(share.low):
        return Signs(share, np.nan, share, clock, withdrawn=gone.jobs)
    sized = machine.sized(ran)
    size = sized.processors if sized.nodes is None else sized.nodes.total()
    tested = self_test(trace, machine, delimitation, threshold, seed=seed) if share.low > CHANCE else SelfTest()
    world = nulls.deadline_world(ran, (seed, 0), size)
    null = delimit(world, delimitation, threshold)
    return Signs(
        jump=share,
        null=jump(world.user, null.submit, null.end, seed).share.value,
        excess=over_placebo(ran, seen, nulls.with_ends(ran, nulls.PLACEBO, size), seed),
        clock=clock,
        self_test=tested.ratio,
        withdrawn=gone.jobs,
    )


def over_placebo(trace: Trace, seen: Sessions, placebo: Trace, seed: int = 0) -> Estimate:
    """By how much the jump exceeds that at the ends of a placebo (`nulls.with_ends`), where the two are apart."""
    other = np.full(len(trace), np.nan)
    other[np.isin(trace.id, placebo.id)] = placebo.submit + placebo.wait + placebo.runtime
    return excess(trace.user, seen.submit, seen.end, other, seed)
