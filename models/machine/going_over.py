"""How the parts of a machine go over to another policy (`thinktime.models.machine.another_policy`)."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.models.engine.codes.leap import ENDS
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.wanted import Wanted, spent_in
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.state import State

if TYPE_CHECKING:
    from thinktime.models.jobs.pool import Pool
    from thinktime.models.machine.opening import Fields
    from thinktime.models.machine.parts import Parts

ANEW = "_late", "_changes", "omissions", "clock"
"""What a scheduler finds out by itself under its policy."""


def go_over(parts: Parts, fields: Fields, due: dict[str, Any], time: float) -> dict[str, Any]:
    """Put parts under the policy of the fields at a time (s); returns what is due then."""
    given = as_policy(fields["policy"])
    refuse(
        Wanted(
            given, fields["overrun"], fields["estimates"], fields["nodes"] is not None, fields["changes"] is not None,
            site=fields["site"], former=parts.policy, budget=spent_in(fields),
        )
    )  # fmt: skip
    own = Hooks(given).own_copy()
    before, order = Hooks(parts.policy).order, Hooks(own).order
    if (accounts := accounts_of(own)) is not None and order is not None:
        if before is not None and (before.name, before.options()) == (order.name, order.options()):
            own.order = before
        else:
            accounts.on_site(fields["site"])
    parts.policy = own
    if parts.pool.eligibility is not None:
        parts.pool.eligibility.forget_answers()
    _come_again(parts.pool)
    left = {name: value for name, value in due.items() if name not in ANEW}
    return left | {"rings": sorted({*due["rings"], time}), "_time": -inf, "_phase": ENDS}


def _come_again(pool: Pool) -> None:
    """Waiting jobs are submitted at this instant."""
    jobs, rows = pool.requests, pool.waiting_rows.copy()
    rows = rows[np.lexsort((jobs.id[rows], jobs.submit[rows]))]
    newcomers = pool.newcomers
    newcomers = newcomers[~np.isin(newcomers, rows)]
    pool.state.head = pool.state.in_queue = pool.state.passed_over = 0
    jobs.state[rows], pool.outcomes.end[rows] = State.FUTURE, np.nan
    jobs.promised[rows] = jobs.latest_start[rows] = np.nan
    every = np.concatenate([rows, newcomers])
    pool.arrived[: len(every)] = every
    pool.truth.arrived_count = len(every)
