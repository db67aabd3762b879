"""What a machine has, but for those who listen and the process that governs it: how its parts are made and copied."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from thinktime.models.jobs.conditions import Conditions
from thinktime.models.jobs.estimates import Estimates
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.estimators import guess_from
from thinktime.models.machine.intake import Intake
from thinktime.models.machine.limits.limiter import Partitions
from thinktime.models.machine.limits.spending import Spending
from thinktime.models.machine.opening import Fields, pool_of
from thinktime.models.machine.wanted import Wanted, shrinks_in, spent_in
from thinktime.models.policies import Policy, accounts_of, as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.demand import LostDemand
from thinktime.models.site.preempting import preempts_under
from thinktime.models.state import Reason


@dataclass(slots=True)
class Parts:
    """The parts of a machine."""

    policy: Policy
    pool: Pool
    labels: Labels
    partitions: Partitions
    split_jobs: SplitJobs
    estimator: Estimates | None
    conditions: Conditions
    intake: Intake
    lost: LostDemand

    @classmethod
    def made(cls, fields: Fields) -> Parts:
        """Those of a new machine; ``ValueError`` for what cannot be combined."""
        given: Policy = as_policy(fields["policy"])
        nodes, changes, site = fields["nodes"], fields["changes"], fields["site"]
        estimates, overrun = fields["estimates"], fields["overrun"]
        changing, more = changes is not None, {"site": site, "budget": spent_in(fields), "shrinks": shrinks_in(changes)}
        refuse(Wanted(given, overrun, estimates, nodes is not None, changing, **more))
        ranks = None
        if getattr(given, "ranks", None) is not None or preempts_under(given, site):
            from thinktime.models.machine.changing.ranks import changes_for, ranks_for

            ranks = ranks_for(given, site)
            changes = changes if ranks is None else changes_for(ranks, changes)
        hooks = Hooks(given)
        if hooks.resizes and changes is None:
            from thinktime.models.machine.changing.rules import Changes

            changes = Changes()
        policy: Policy = hooks.own_copy()
        if (accounts := accounts_of(policy)) is not None:
            accounts.on_site(site)
        labels = Labels()
        pool = pool_of(fields, labels, changes, ranks, hooks.as_recorded)
        if hooks.resizes:
            pool.take_shapes()
        partitions = Partitions(site, pool, labels, hooks, _spending(fields, pool, labels))
        if fields["reasons"]:
            pool.explain_waits(getattr(given, "reason", Reason.POLICY))
        split_jobs = SplitJobs(hooks.runtime_limit, pool)
        guess = guess_from(estimates)
        estimator = None if guess is None else Estimates(estimates, guess, pool, labels.names)
        kills = site is not None and site.kill_invalid_dependencies
        conditions = Conditions(pool, split_jobs, kills)
        intake = Intake(pool, labels, split_jobs, conditions, partitions, nodes is not None)
        return cls(policy, pool, labels, partitions, split_jobs, estimator, conditions, intake, LostDemand())

    def copied(self, fields: Fields) -> Parts:
        """Copies of all parts, which refer to each other as these do; what the machine was made of is shared."""
        shared = [*fields.values(), getattr(fields["site"], "accounts", None), getattr(self.pool, "changes", None)]
        memo: dict[int, Any] = {id(value): value for value in shared}
        memo[id(self.policy)] = Hooks(self.policy).own_copy()
        return Parts(*(deepcopy(getattr(self, name), memo) for name in ORDER))


def _spending(fields: Fields, pool: Pool, labels: Labels) -> Spending | None:
    """The accounts of a machine with a budget that keeps jobs back; ``ValueError`` for one without a charge."""
    budget, charge = fields.get("budget"), fields.get("charge")
    if budget is None:
        return None
    if charge is None:
        raise ValueError("a budget needs a charge, such as charge=Charge(), in whose unit it is")
    if budget.spent == "credit":
        return None
    return Spending(pool, labels.names, budget, charge, fields.get("signals") or {})


ORDER = tuple(Parts.__dataclass_fields__)
"""The pool comes first of those that refer to it."""
