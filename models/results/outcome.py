"""Outcomes of jobs and campaigns, and which of them have a response time.

A response time (s) runs from a submission to its answer. Not every submission has one:

=============  =========================================  ===========================================
outcome        a job                                      its response time
=============  =========================================  ===========================================
`SERVED`       finished or killed                         end - submit
`ABANDONED`    given up by its user while it did not run  unknown; longer than withdrawal - submit
`UNFINISHED`   waiting or running at the horizon          unknown; longer than horizon - submit
`REFUSED`      cannot run on this machine                 none
=============  =========================================  ===========================================

A killed job was served: it had its processors, and its user knows the result. On a machine that changes, a job that was
interrupted waits to run again. If its user gives it up then, its state is KILLED, since it has run, but it was not
served: the work that it had done is thrown away with it. It is abandoned, as a job that was withdrawn before its first
start. A job that the machine kills at an interruption was served, and so was one that is cancelled while it runs.

A campaign is a set of jobs submitted together. It lasts from its first submission to its last end, so

* it is served if all of its jobs are;
* it is abandoned if one of its jobs was withdrawn, whatever became of the others: the whole answer never comes;
* otherwise it is unfinished if one of its jobs is not over.

Refused jobs do not count, whatever the policy; a campaign of refused jobs alone is refused. So the outcome of a
campaign is the largest of its jobs' outcomes.

An unknown response time is *censored*. That of an abandoned or unfinished campaign is known only to exceed the time
until the last known event: the end or withdrawal of a job, or the horizon if a job is not over. Censored times are
not response times and enter no mean. They enter the Kaplan-Meier estimate (`thinktime.analysis.response_times`).

Work that users never submitted (they balked or renounced) is not a job here. It counts as abandoned
and is censored at 0 s. If some jobs of a campaign were not submitted, the
campaign consists of the others; if none was, the campaign was abandoned. The response time of a postponed
submission starts at the actual submission. With a limit on jobs in flight, a campaign is submitted in pieces, each
of which is a campaign here; its user's record covers all of it. These rules are ours.

**What users gave up.** Means over served jobs say little without it: if the slow half gives up, the other half looks
fast.

    wanted       jobs submitted and not refused, plus jobs given up before submission
    abandoned    jobs given up while waiting, plus jobs given up before submission
    share        abandoned / wanted
    lost         processors x true run time of the abandoned jobs, processor-hours

A user gives a job up before submission by balking, renouncing, or anything else that a behaviour's ``adapt`` leaves
out (`thinktime.models.results.demand`). A job that was only made smaller is not abandoned. A hold of unspecified length
counts as a job, but not towards the lost work, which is unknown.
"""

import enum
from typing import NamedTuple

import numpy as np

from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State
from thinktime.workloads.arrays import Codes, Flags, Floats, Whole
from thinktime.workloads.units import HOUR


class Outcome(enum.IntEnum):
    """The outcome of a job; that of a campaign is the largest of its jobs' outcomes."""

    REFUSED = 0
    SERVED = 1
    UNFINISHED = 2
    ABANDONED = 3

    @property
    def label(self) -> str:
        """The outcome in lower case, as tables show it."""
        return self.name.lower()


OF_STATE = {
    State.FUTURE: Outcome.UNFINISHED,
    State.WAITING: Outcome.UNFINISHED,
    State.RUNNING: Outcome.UNFINISHED,
    State.FINISHED: Outcome.SERVED,
    State.KILLED: Outcome.SERVED,
    State.WITHDRAWN: Outcome.ABANDONED,
    State.REFUSED: Outcome.REFUSED,
}
"""The outcome of a job by its state, unless it was given up between two runs."""

LABELS = np.array([each.label for each in Outcome], dtype=object)
"""The outcomes as text, by their codes."""


def outcome_of(state: State, gave_up: bool = False) -> Outcome:
    """The outcome of a job in a state; ``gave_up``: it has run, and was taken back while it waited to run again."""
    return Outcome.ABANDONED if gave_up else OF_STATE[state]


_CODES = np.array([OF_STATE[state] for state in State], dtype=np.int8)


def outcomes(result: Schedule) -> Codes:
    """The outcome of each job, as codes of `Outcome`."""
    codes: Codes = _CODES[result["state"]]
    return codes if result.history is None else np.where(result.history.gave_up, np.int8(Outcome.ABANDONED), codes)


def served(result: Schedule) -> Flags:
    """Which jobs were served: finished or killed, and not given up."""
    return np.asarray(outcomes(result) == Outcome.SERVED)


def known_until(result: Schedule) -> Floats:
    """The last known time of each job (s): its end, its withdrawal or the horizon; NaN for a refused job."""
    codes = outcomes(result)
    until = np.where(codes == Outcome.UNFINISHED, result.now, result["end"])
    return np.where(codes == Outcome.REFUSED, np.nan, until)


class Abandonment(NamedTuple):
    """Wanted jobs, abandoned jobs and lost work."""

    wanted: int
    """How many jobs were wanted."""
    abandoned: int
    """How many jobs were abandoned."""
    processor_hours: float
    """The work of the abandoned jobs."""

    @property
    def share(self) -> float:
        """The fraction of wanted jobs that were abandoned; NaN if none was wanted."""
        return self.abandoned / self.wanted if self.wanted else np.nan


def abandonment(result: Schedule) -> Abandonment:
    """What all users of a result gave up together."""
    wanted, abandoned, work = _jobs(result)
    never, lost = _never_submitted(result)
    count = int(never.sum())
    hours = float(work.sum()) + float(np.nansum(lost))
    return Abandonment(int(wanted.sum()) + count, int(abandoned.sum()) + count, hours)


def abandonment_by_user(result: Schedule) -> dict[object, Abandonment]:
    """What each user gave up, by label (None: jobs without a user), in order of codes, then of giving up."""
    labels = [None, *result.names["user"]]
    code = result["user"] + 1
    columns = [np.bincount(code, weights=each, minlength=len(labels)) for each in _jobs(result)]
    present = np.bincount(code, minlength=len(labels)) > 0
    found = {
        labels[i]: Abandonment(int(columns[0][i]), int(columns[1][i]), float(columns[2][i]))
        for i in np.flatnonzero(present).tolist()
    }
    never, lost = _never_submitted(result)
    for user, jobs, hours in zip(result.lost_demand["user"], never.tolist(), lost.tolist(), strict=True):
        if jobs:
            before = found.get(user, Abandonment(0, 0, 0.0))
            more = 0.0 if np.isnan(hours) else hours
            found[user] = Abandonment(before[0] + jobs, before[1] + jobs, before[2] + more)
    return found


def _jobs(result: Schedule) -> tuple[Floats, Floats, Floats]:
    """For each job: 1 if it was wanted, 1 if it was given up while waiting, and the processor-hours lost."""
    codes = outcomes(result)
    gone = codes == Outcome.ABANDONED
    work = result["processors"] * result["runtime"] / HOUR
    lost = np.where(gone & np.isfinite(work), work, 0.0)
    return (codes != Outcome.REFUSED).astype(np.float64), gone.astype(np.float64), lost


def _never_submitted(result: Schedule) -> tuple[Whole, Floats]:
    """For each entry of lost demand: the number of jobs never submitted (0 or 1), and their processor-hours."""
    demand = result.lost_demand
    never = np.where(demand["submitted"], 0, demand["jobs"]).astype(np.int64)
    return never, np.where(never > 0, demand["node_hours"], 0.0)
