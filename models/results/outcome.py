"""Outcomes of jobs and campaigns, and which of them have a response time.

A response time (s) runs from a submission to its answer. Not every submission has one:

=============  =========================================  ===========================================
outcome        a job                                      its response time
=============  =========================================  ===========================================
`SERVED`       finished or killed                         end - submit
`ABANDONED`    withdrawn by its user                      unknown; longer than withdrawal - submit
`UNFINISHED`   waiting or running at the horizon          unknown; longer than horizon - submit
`REFUSED`      cannot run on this machine                 none
=============  =========================================  ===========================================

A killed job was served: it had its processors, and its user knows the result.

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
(`thinktime.models.results.abandonment`) and is censored at 0 s. If some jobs of a campaign were not submitted, the
campaign consists of the others; if none was, the campaign was abandoned. The response time of a postponed
submission starts at the actual submission. With a limit on jobs in flight, a campaign is submitted in pieces, each
of which is a campaign here; its user's record covers all of it. These rules are ours.
"""

import enum

import numpy as np

from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State
from thinktime.workloads.arrays import Codes, Flags, Floats


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
"""The outcome of a job by its state."""

LABELS = np.array([each.label for each in Outcome], dtype=object)
"""The outcomes as text, by their codes."""

_CODES = np.array([OF_STATE[state] for state in State], dtype=np.int8)


def outcomes(result: Schedule) -> Codes:
    """The outcome of each job, as codes of `Outcome`."""
    codes: Codes = _CODES[result["state"]]
    return codes


def served(result: Schedule) -> Flags:
    """Which jobs were served: finished or killed."""
    return np.asarray(outcomes(result) == Outcome.SERVED)


def known_until(result: Schedule) -> Floats:
    """The last known time of each job (s): its end, its withdrawal or the horizon; NaN for a refused job."""
    codes = outcomes(result)
    until = np.where(codes == Outcome.UNFINISHED, result.now, result["end"])
    return np.where(codes == Outcome.REFUSED, np.nan, until)
