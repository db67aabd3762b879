"""Waits and response times of a result, including those that are known only in part, and their Kaplan-Meier estimates.

    found = waits(result)
    found.served, found.abandoned, found.unfinished
    found.kaplan_meier().median, found.kaplan_meier().known_until

**Waits** run from a submission to the (first) start. A job that is withdrawn has waited longer than until then; so has
one that waits at the horizon. If users withdraw jobs after a time that does not depend on the machine, the estimate is
that of the waits which these users would have met by staying, up to the largest patience. It is no forecast of a world
in which no user gives up: the queue would be longer there.

**Response times** (`thinktime.models.results.outcome` says when they are known) have a lower bound only: who gives up
has not started, and would have waited on, so that the estimate is too short (`thinktime.analysis.statistics.survival`).
Policies are not compared by it where users gave up anything.

Campaigns are those of `thinktime.analysis.stretch`: jobs without a campaign that a user submitted at one instant count
as one. Jobs given up before submission are included as abandoned after 0 s, which affects no estimate.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from thinktime.analysis.statistics.survival import KaplanMeier, kaplan_meier
from thinktime.analysis.stretch import campaign_columns
from thinktime.models.results.outcome import Outcome, known_until, outcomes
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Codes, Floats, Whole
from thinktime.workloads.names import quoted, shortened

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
        """The number of jobs that were served."""
        return self._count(Outcome.SERVED)

    @property
    def abandoned(self) -> int:
        """The number of jobs that their users gave up."""
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

    def of(self, user: Any) -> Self:
        """Those of one user."""
        codes = [code for code, label in enumerate(self.labels) if label == user]
        if not codes:
            raise ValueError(
                f"no user is called {quoted(user)}; there are "
                f"{', '.join(shortened(each, 20) for each in self.labels[:10])}"
            )
        own = np.isin(self.user, codes)
        return type(self)(self.elapsed[own], self.outcome[own], self.user[own], self.labels)

    def kaplan_meier(self) -> KaplanMeier:
        """The estimated distribution; of response times a lower bound, if any were given up."""
        return kaplan_meier(self.elapsed, self.outcome == Outcome.SERVED)

    def _count(self, outcome: Outcome) -> int:
        return int(np.count_nonzero(self.outcome == outcome))


@dataclass(frozen=True, slots=True, eq=False)
class Waits(ResponseTimes):
    """The same for the waits of jobs: `served` are those that started, `abandoned` those withdrawn before."""


def waits(result: Result) -> Waits:
    """The waits (s) of the jobs of a result until their first start; refused ones are left out."""
    rows = outcomes(result) != Outcome.REFUSED
    start, over = result["start"][rows], result["end"][rows]
    started, gone = np.isfinite(start), np.isfinite(over)
    until = np.where(started, start, np.where(gone, over, result.now))
    codes = np.where(started, Outcome.SERVED, np.where(gone, Outcome.ABANDONED, Outcome.UNFINISHED)).astype(np.int8)
    return Waits(*_with_lost(result, "jobs", until - result["submit"][rows], codes, result["user"][rows]))


def response_times(result: Result, of: str = "campaigns") -> ResponseTimes:
    """The response times of the ``campaigns`` or the ``jobs`` of a result; refused ones are left out."""
    if of not in KINDS:
        raise ValueError(f"of is one of {', '.join(KINDS)}, got {quoted(of)}")
    if of == "campaigns":
        columns = campaign_columns(result)
        elapsed, codes, user = columns.elapsed, columns.outcome, columns.user
    else:
        codes = outcomes(result)
        rows = codes != Outcome.REFUSED
        elapsed = (known_until(result) - result["submit"])[rows]
        codes, user = codes[rows], result["user"][rows]
    return ResponseTimes(*_with_lost(result, of, elapsed, codes, user))


def _with_lost(
    result: Result, of: str, elapsed: Floats, codes: Codes, user: Whole
) -> tuple[Floats, Codes, Whole, tuple[Any, ...]]:
    """The same, followed by what was never submitted, as abandoned after 0 s."""
    never, labels = _never_submitted(result, of)
    return (
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
