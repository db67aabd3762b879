"""Whom to look at: the users who suffer most under RelShare, and those who gain (the goal paper's Tables II, III).

The paper picks them by hand. Here, a user counts with at least ten jobs in the month, and

* suffers the more, the more the mean wait under RelShare exceeds that under FCFS-backfill (Table II: the five
  who suffer most, in the month in which the third of them suffers most, so that it is not one user's month);
* gains the more, the more the deviation under RelShare exceeds that under FCFS-backfill, among those who were
  under-share there and do not wait longer under RelShare (Table III; over all months).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.studies.goal import Outcome, Study

FEWEST = 10  # jobs in the month
SUFFERING, GAINING = 5, 3  # as many as the paper shows

BASE, FAIR = "easy", "relshare"


@dataclass(frozen=True, slots=True)
class Case:
    """One user in one month."""

    user: Any
    month: str

    def under(self, outcome: Outcome, column: str) -> float:
        """What a policy made of them; NaN where it says nothing of them."""
        users = outcome.users
        if self.user not in users.name:
            return np.nan
        return float(getattr(users, column)[users.name.index(self.user)])


def suffering(study: Study, count: int = SUFFERING) -> list[Case]:
    """The users whose mean wait RelShare raises most, in the month in which the third of five suffers most."""
    found: list[tuple[float, list[Case]]] = []
    for month in study.months:
        worse = _differences(study.outcomes[month.name], month.name, "mean_wait")
        ranked = sorted((case for case in worse if worse[case] > 0), key=lambda case: -worse[case])[
            :SUFFERING
        ]
        third = ranked[min(2, len(ranked) - 1)] if ranked else None
        found.append((0.0 if third is None else worse[third], ranked))
    return max(found, key=lambda each: each[0])[1][:count]


def gaining(study: Study, count: int = GAINING) -> list[Case]:
    """The users whose deviation RelShare raises most, of all months."""
    found: dict[Case, float] = {}
    for month in study.months:
        outcomes = study.outcomes[month.name]
        waits = _differences(outcomes, month.name, "mean_wait")
        for case, more in _differences(outcomes, month.name, "dev").items():
            if more > 0 and waits[case] <= 0 and case.under(outcomes[BASE], "dev") < 0:
                found[case] = more
    return sorted(found, key=lambda case: -found[case])[:count]


def _differences(outcomes: Mapping[str, Outcome], month: str, column: str) -> dict[Case, float]:
    """RelShare minus FCFS-backfill, of everybody with enough jobs."""
    base, fair = outcomes[BASE], outcomes[FAIR]
    cases = [
        Case(name, month)
        for name, jobs in zip(base.users.name, base.users.jobs.tolist(), strict=True)
        if jobs >= FEWEST
    ]
    return {case: case.under(fair, column) - case.under(base, column) for case in cases}
