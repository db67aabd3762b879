"""The response times of a result, including censored ones, for the Kaplan-Meier estimate.

    found = response_times(result)
    found.served, found.abandoned, found.unfinished
    found.kaplan_meier().median

`thinktime.models.results.outcome` says what counts as served, and when each of the others is censored. Campaigns are
those of `thinktime.analysis.stretch`: jobs without a campaign that a user submitted at one instant count as one. Jobs
given up before submission are included as abandoned after 0 s, which affects no estimate.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.statistics.survival import KaplanMeier, kaplan_meier
from thinktime.analysis.stretch import campaign_columns
from thinktime.models.results.outcome import Outcome, known_until, outcomes
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Codes, Floats, Whole

KINDS = ("campaigns", "jobs")


@dataclass(frozen=True, slots=True, eq=False)
class ResponseTimes:
    """One value per campaign or job not refused, in the result's order, then those never submitted."""

    elapsed: Floats
    """Response times (s) of what was served; lower bounds on those of the others."""
    outcome: Codes
    user: Whole
    """Code of the user; -1 for none."""
    labels: tuple[Any, ...]
    """The users behind the codes."""

    @property
    def served(self) -> int:
        """The number served."""
        return self._count(Outcome.SERVED)

    @property
    def abandoned(self) -> int:
        """The number given up."""
        return self._count(Outcome.ABANDONED)

    @property
    def unfinished(self) -> int:
        """The number waiting or running at the horizon."""
        return self._count(Outcome.UNFINISHED)

    @property
    def known(self) -> Floats:
        """The response times (s) of what was served."""
        known: Floats = self.elapsed[self.outcome == Outcome.SERVED]
        return known

    @property
    def mean(self) -> float:
        """The mean response time (s) of what was served; NaN if nothing was."""
        return float(self.known.mean()) if self.served else np.nan

    def __len__(self) -> int:
        return len(self.elapsed)

    def of(self, user: Any) -> "ResponseTimes":
        """The response times of one user."""
        codes = [code for code, label in enumerate(self.labels) if label == user]
        if not codes:
            raise ValueError(f"no user is called {user!r}; there are {', '.join(map(str, self.labels[:10]))}")
        own = np.isin(self.user, codes)
        return ResponseTimes(self.elapsed[own], self.outcome[own], self.user[own], self.labels)

    def kaplan_meier(self) -> KaplanMeier:
        """The estimated distribution of response times, had all been served."""
        return kaplan_meier(self.elapsed, self.outcome == Outcome.SERVED)

    def _count(self, outcome: Outcome) -> int:
        return int(np.count_nonzero(self.outcome == outcome))


def response_times(result: Result, of: str = "campaigns") -> ResponseTimes:
    """The response times of the ``campaigns`` or the ``jobs`` of a result; refused ones are left out."""
    if of not in KINDS:
        raise ValueError(f"of is one of {', '.join(KINDS)}, got {of!r}")
    never, labels = _never_submitted(result, of)
    if of == "campaigns":
        columns = campaign_columns(result)
        elapsed, codes, user = columns.elapsed, columns.outcome, columns.user
    else:
        codes = outcomes(result)
        rows = codes != Outcome.REFUSED
        elapsed = (known_until(result) - result["submit"])[rows]
        codes, user = codes[rows], result["user"][rows]
    return ResponseTimes(
        np.concatenate([elapsed, np.zeros(len(never))]),
        np.concatenate([codes, np.full(len(never), Outcome.ABANDONED, dtype=np.int8)]),
        np.concatenate([user, never]),
        labels,
    )


def _never_submitted(result: Result, of: str) -> tuple[Whole, tuple[Any, ...]]:
    """Codes of the users of what was never submitted, and the result's labels extended by theirs."""
    demand = result.lost_demand
    counts = np.where(demand["submitted"], 0, demand[of])
    codes = {label: code for code, label in enumerate(result.names["user"])} | {None: -1}
    found = [codes.setdefault(user, len(codes) - 1) for user in demand["user"][counts > 0]]
    return np.array(found, dtype=np.int64), tuple(label for label in codes if label is not None)
