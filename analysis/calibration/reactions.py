"""How strongly fitted users react to results, in few numbers that can be compared between logs.

Each factor is a ratio of two sums over what the log's users went through: of the hazards that were fitted, and of
those had one thing been otherwise, each times the time that was spent there. So every log is asked about the hours,
queues and times that its users knew. Hazards are those of a user whose own levels are the mean of the class: what a
user would do in a state that they hardly ever were in is not known, and large users would have most of the weight.
Users who submit nothing while a batch is outstanding are counted, and left out of the first two: theirs are 0 and
infinite.

=============  =====================================================================================================
outstanding    while batches are outstanding, over the same had they been over at once
after the end  in the first `SOON` after nothing is outstanding any more, over the same were one batch still so
by response    while nothing is outstanding: had the last response time been from 2 to 8 h, over from 2 to 8 min
by slowdown    the same: had the last slowdown been 16 and more, over below 1.5
=============  =====================================================================================================

Values are medians, and intervals the middle 80 %, of draws from what the hazards may be as well, given the log. Who is
in which class is taken as known. The factors are ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.calibration.fit import eta_of
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.pieces import Rows, pieces_of
from thinktime.workloads.calibration.tables import AGES
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import MINUTE

SOON = 4 * MINUTE
"""What counts as the first minutes after an end, s."""
SLOW, FAST = {"response": 4, "slowdown": 3}, {"response": 1, "slowdown": 0}
"""The bins that are compared (`thinktime.workloads.calibration.tables`)."""
DRAWS = 100
"""Of hazards, as they may be as well."""
MIDDLE = (0.1, 0.9)
"""The quantiles at which an interval ends."""


@dataclass(frozen=True, slots=True)
class Reactions:
    """How fitted users react to results; `UNKNOWN` where no user does, or the log does not ask for the effect."""

    reacting_users: float = np.nan
    """The share of users who may look at results."""
    reacting_batches: float = np.nan
    """The share of the batches that are theirs."""
    waiting_users: float = np.nan
    """The share of users who submit nothing while a batch is outstanding."""
    outstanding: Estimate = UNKNOWN
    after_end: Estimate = UNKNOWN
    by_response: Estimate = UNKNOWN
    by_slowdown: Estimate = UNKNOWN
    reaction_gain: float = np.nan
    """By how much reactions make the log more probable, nats for each batch."""


def reactions(trace: Trace, users: Users, seed: int = 0, draws: int = DRAWS) -> Reactions:
    """The reactions of users who were fitted to this log."""
    pieces = pieces_of(trace, users.calendar)
    reacts = users.reacts
    who, own = np.flatnonzero(reacts), pieces.factors["owner"][pieces.last]
    found = Reactions(
        reacting_users=float(reacts.mean()),
        reacting_batches=float(np.isin(own, who).mean()),
        waiting_users=float((users.waits[:, 0] & reacts).mean()),
        reaction_gain=gain(users) / len(pieces),
    )
    if not len(who):
        return found
    asked = _factors(users, pieces.rows()[0])
    bare = replace(users, withdrawals=None)
    drawn = [
        {name: each.of(fitted) for name, each in asked.items()}
        for fitted in (bare.of(trace, (seed, number)) for number in range(draws))
    ]
    factors: dict[str, Any] = {name: _estimate([each[name] for each in drawn]) for name in asked}
    return replace(found, **factors)


def gain(users: Users) -> float:
    """By how much reactions make the log more probable, nats; NaN if no user's could be asked for."""
    blind = users.evidence.get("blind", np.nan)
    return max((each for name, each in users.evidence.items() if name != "blind"), default=np.nan) - blind


@dataclass(frozen=True, slots=True, eq=False)
class _Factor:
    """What users went through, and the same had one thing been otherwise."""

    over: Rows
    under: Rows

    def of(self, fitted: FittedUsers) -> float:
        """The ratio of the sums of hazards; NaN if no user would submit anything."""
        over, under = (float(each.exposure @ np.exp(_eta(each, fitted))) for each in (self.over, self.under))
        return over / under if under > 0 else np.nan


def _eta(rows: Rows, fitted: FittedUsers) -> Floats:
    return eta_of(rows, fitted.tables, np.zeros_like(fitted.level), fitted.class_of)


def _factors(users: Users, rows: Rows) -> dict[str, _Factor]:
    """What is compared, by name."""
    owner, state, age = (rows.factors[name] for name in ("owner", "state", "age"))
    known = owner < len(users.names)
    user = np.where(known, owner, 0)
    reacts = known & users.reacts[user]
    both = reacts & ~users.waits[user, 0]
    out = both & (state > 0)
    soon = both & (state == 0) & (rows.factors["end"] < np.searchsorted(AGES, SOON))
    found = {
        "outstanding": _factor(rows, out, {}, {"state": 0, "end": age[out]}),
        "after_end": _factor(rows, soon, {}, {"state": 1, "end": len(AGES)}),
    }
    for effect in SLOW:
        asked = np.array([effect in each.effects for each in users.classes])[users.class_of]
        free = reacts & asked[user] & (state == 0)
        found[f"by_{effect}"] = _factor(rows, free, {effect: SLOW[effect]}, {effect: FAST[effect]})
    return found


def _factor(rows: Rows, some: Flags, over: Mapping[str, Any], under: Mapping[str, Any]) -> _Factor:
    """These rows with other levels, over the same with others still."""
    chosen, count = {name: of[some] for name, of in rows.factors.items()}, int(some.sum())
    one, other = (
        {name: np.broadcast_to(levels[name], count) if name in levels else of for name, of in chosen.items()}
        for levels in (over, under)
    )
    exposure, events = rows.exposure[some], rows.events[some]
    return _Factor(Rows(one, exposure, events), Rows(other, exposure, events))


def _estimate(drawn: Sequence[float]) -> Estimate:
    """The median of draws, and their middle 80 %."""
    if not np.isfinite(drawn).all():
        return UNKNOWN
    low, value, high = np.quantile(drawn, (MIDDLE[0], 0.5, MIDDLE[1])).tolist()
    return Estimate(value, low, high)
