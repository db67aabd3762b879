"""Which users to look at: who suffers under RelShare, who gains, and who asks for most (the goal paper's section V.C).

The paper picks them by hand. Here, a user counts with at least ten jobs in the month, and

* suffers if the mean wait is longer under RelShare than under FCFS-backfill: the five of each month for whom it grows
  most (Table II shows those of the month in which the third of them suffers most);
* gains if the deviation is greater under RelShare than under FCFS-backfill. Only users count who have a mixture of jobs
  (at least a quarter of them difficult, that is wider or longer than three quarters of the month's jobs, and at least a
  quarter not), submitted on at least ten days, are under-share under FCFS-backfill, and do not wait longer under
  RelShare. Table III shows the three who gain most, each of another month;
* is heavy if no other user's jobs of that month need more processor-hours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.papers.goal.runs import Outcome
from thinktime.analysis.papers.goal.study import POLICIES, Evidence

FEWEST = 10  # jobs in the month
SUFFERING, GAINING = 5, 3  # as many as the paper shows
MIXED = 0.25, 0.75  # part of a user's jobs that is difficult
SPREAD = 10  # days of the month

BASE, FAIR = "easy", "relshare"
WAITS = ("max_wait", "mean_wait", "slowdown")
DAILY = ("backlog", "demand", "started")


@dataclass(frozen=True, slots=True)
class Case:
    """One user in one month: every measure under every policy."""

    user: Any
    month: str
    values: Mapping[str, Mapping[str, float]]
    """By measure and policy: dev (processor-hours), waits (s), slowdown, and what `daily` has."""

    def under(self, policy: str, measure: str) -> float:
        """A measure under a policy; NaN if it is unknown."""
        return self.values.get(measure, {}).get(policy, np.nan)

    def more(self, measure: str) -> float:
        """How much larger a measure is under RelShare than under FCFS-backfill."""
        return self.under(FAIR, measure) - self.under(BASE, measure)


def sufferers(study: Evidence, entitled: str | None = None) -> list[Case]:
    """The users who wait longer under RelShare: up to five of each month, the worst first."""
    found: list[Case] = []
    for month in study.months:
        cases = [each for each in _cases(study, month.name, entitled) if each.more("mean_wait") > 0]
        found += sorted(cases, key=lambda case: -case.more("mean_wait"))[:SUFFERING]
    return found


def worst_month(cases: Iterable[Case]) -> list[Case]:
    """Of those who suffer, the users of the month in which the third suffers most."""
    months: dict[str, list[Case]] = {}
    for case in cases:
        months.setdefault(case.month, []).append(case)
    return max(months.values(), key=lambda each: each[min(2, len(each) - 1)].more("mean_wait"), default=[])


def gainers(study: Evidence, entitled: str | None = None) -> list[Case]:
    """Users with mixed jobs, spread over the month, who get more of their share; those who gain most first."""
    found: list[Case] = []
    for month in study.months:
        users = study.outcomes[month.name][BASE].users
        chosen = (users.difficult >= MIXED[0]) & (users.difficult <= MIXED[1]) & (users.days >= SPREAD)
        names = {users.name[at] for at in np.flatnonzero(chosen).tolist()}
        found += [
            case
            for case in _cases(study, month.name, entitled)
            if case.user in names and case.under(BASE, "dev") < 0 < case.more("dev") and case.more("mean_wait") <= 0
        ]
    return sorted(found, key=lambda case: -case.more("dev"))


def one_a_month(cases: Iterable[Case], count: int = GAINING) -> list[Case]:
    """The first case of each month, at most ``count`` of them."""
    first: dict[str, Case] = {}
    for case in cases:
        first.setdefault(case.month, case)
    return list(first.values())[:count]


def heavy(study: Evidence, entitled: str | None = None) -> list[Case]:
    """The user of each month whose jobs need the most processor-hours."""
    found = []
    for month in study.months:
        users = study.outcomes[month.name][BASE].users
        found.append(case_of(study, month.name, users.name[int(np.argmax(users.hours))], entitled))
    return found


def case_of(study: Evidence, month: str, user: Any, entitled: str | None = None) -> Case:
    """All measures of one user in one month."""
    share = entitled or study.entitled
    values: dict[str, dict[str, float]] = {name: {} for name in ("dev", *WAITS, *DAILY)}
    for policy in POLICIES:
        outcome = study.outcomes[month][policy]
        if user in outcome.users.name:
            at = outcome.users.name.index(user)
            values["dev"][policy] = float(outcome.users.dev[share][at])
            for name in WAITS:
                values[name][policy] = float(getattr(outcome.users, name)[at])
            for name, number in daily(outcome, at).items():
                values[name][policy] = number
    return Case(user, month, values)


def daily(outcome: Outcome, at: int) -> dict[str, float]:
    """Means over days of a user: jobs that wait at midnight, demand (processor-hours), and jobs that start.

    The last is over the days on which some of the user's jobs wait at midnight or are submitted.
    """
    days = outcome.days
    asked = (days.waiting[at] > 0) | (days.submitted[at] > 0)
    return {
        "backlog": float(days.waiting[at].mean()),
        "demand": float(days.demand[at].mean()),
        "started": float(days.started[at, asked].mean()) if asked.any() else np.nan,
    }


def of_user(outcome: Outcome, case: Case, table: str) -> NDArray[np.float64]:
    """One user's row of a daily table."""
    users, rows = outcome.users, getattr(outcome.days, table)
    if case.user not in users.name:
        return np.zeros(rows.shape[1])
    return np.asarray(rows[users.name.index(case.user)], np.float64)


def _cases(study: Evidence, month: str, entitled: str | None) -> list[Case]:
    users = study.outcomes[month][BASE].users
    names = [name for name, jobs in zip(users.name, users.jobs.tolist(), strict=True) if jobs >= FEWEST]
    return [case_of(study, month, name, entitled) for name in names]
