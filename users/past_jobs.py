"""The jobs that a log has until now, and their batches, of which some may come again."""

import math
from functools import cached_property

import numpy as np

from thinktime.models.jobs.labels import LABELLED
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.run_times import Alike, Asked, Law, RunTimes, asked_of
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import Groups

FEWEST = 3
"""So many batches of each user are drawn beforehand at least."""
RECENT = 30
"""The last batches of a user that may come again."""


class PastJobs:
    """The jobs of the users of a log until a time ``now`` (s of the log), but for those that were taken back.

    ``given`` is the log, or what its jobs request of nodes. Of what it says of later times nothing is used. Laws of run
    times that are ``known`` are not sought again.
    """

    batches: Groups
    """The batches of these jobs."""

    def __init__(self, given: Trace | NodeLog, now: float, known: RunTimes | None = None) -> None:
        whole = given.trace if isinstance(given, NodeLog) else given
        if not (whole.user >= 0).any():
            raise ValueError("the history does not say who submitted its jobs (field 12), so no users can go on")
        self.rows = np.flatnonzero((whole.submit <= now) & ~whole.withdrawn & (whole.user >= 0))
        chosen = np.zeros(len(whole), bool)
        chosen[self.rows] = True
        self.log, self.now = whole.select(chosen), now
        self.requests = None if not isinstance(given, NodeLog) else [given.requests[row] for row in self.rows.tolist()]
        begun = self.log.submit + np.nan_to_num(self.log.wait, nan=0.0).clip(min=0.0)
        self.over = begun + self.log.runtime <= now
        self._age: Floats = np.where(begun < now, now - begun, 0.0)
        self._laws: dict[int, Law] = {}
        self._known = known
        self.labelled = [name for name in LABELLED[1:] if (getattr(self.log, name) >= 0).any()]
        """The columns of names that the log has, but for users."""
        self._drawn: dict[float, Whole] = {}

    def drawn(self, span: float) -> Whole:
        """How many batches of each user are drawn beforehand for so long a time (s); who needs more may add to it.

        They are as many as may come, after what came in a time as long. Users are in the order of their numbers.
        """
        if span not in self._drawn:
            submit, owner, users = self.batches.submit, self.batches.owner, int(self.batches.owner.max(initial=-1)) + 1
            latest = max(float(submit.max(initial=0.0)), 0.0) + 2 * span
            key = owner * latest + submit
            within = np.searchsorted(key, key + span, "right") - np.arange(len(key))
            most = np.zeros(users, np.int64)
            np.maximum.at(most, owner, within)
            often = np.bincount(owner[submit > self.now - 4 * span], minlength=users)
            self._drawn[span] = FEWEST + np.minimum(most, 2 * often)
        return self._drawn[span]

    @cached_property
    def last(self) -> Whole:
        """The batches of each user that may come again: from one, up to another one."""
        owner = self.batches.owner
        bounds = np.searchsorted(owner, np.arange(int(owner.max(initial=-1)) + 2))
        return np.stack([np.maximum(bounds[:-1], bounds[1:] - RECENT), bounds[1:]])

    def jobs_of(self, chosen: Whole) -> Whole:
        """The jobs of some batches, one batch after the other."""
        batches, sizes = self.batches, self.batches.jobs[chosen]
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found: Whole = batches.order[np.repeat(batches.bounds[chosen], sizes) + inside]
        return found

    @cached_property
    def _run_times(self) -> RunTimes:
        own = RunTimes.of(self.log, self.now)
        return self._known if self._known is not None and self._known.is_as(own) else own

    @cached_property
    def _asked(self) -> dict[int, Asked]:
        """What is asked of each job that is not over."""
        rows = np.flatnonzero(~self.over)
        return dict(zip(rows.tolist(), asked_of(Alike.of(self.log, rows), self._age[rows]), strict=True))

    def law(self, job: int) -> Law:
        """How long a job (a row of the log) runs in all that is not over."""
        law = self._laws.get(job)
        if law is None:
            law = self._laws[job] = self._run_times.law(self._asked[job])
        return law

    def run_time(self, job: int, luck: float) -> float:
        """How long a job runs in all that is not over, in one draw, s; ``luck`` is uniform."""
        drawn = self.law(job).at(luck)
        return to_grid(drawn) if math.isfinite(drawn) else max(1.0, self.log.estimate.item(job))
