"""Which policies can take over a machine in the middle (`thinktime.models.machine.another_policy`)."""

from math import inf
from typing import Any

from thinktime.models.machine.wanted import Wanted
from thinktime.models.policies.hooks import Hooks
from thinktime.models.site.preempting import preempts_under


def can_take_over(wanted: Wanted) -> bool:
    """Whether a policy needs to know nothing of a machine that another one has governed but what runs and waits.

    It can if it plans anew, around the jobs that run (`Policy.replan`, and Slurm's rule). Segments of jobs, ranks and
    limits are made with a machine for one policy.
    """
    policy: Any = wanted.policy
    former, site = wanted.former, wanted.site
    hooks = [Hooks(each) for each in (policy, former)]
    if any(each.runtime_limit < inf or each.as_recorded for each in hooks):
        return False
    if any(getattr(each, "ranks", None) is not None or preempts_under(each, site) for each in (policy, former)):
        return False
    limited = site is not None and ("limits" in site.enforce or len(site.partitions) > 1)
    return (
        not limited and not wanted.budget and (hooks[0].replan is not None or getattr(policy, "rule", None) == "slurm")
    )
