"""One run of the study of urgent jobs: a log in which some jobs are urgent, on a machine that treats them in one way.

Urgent are jobs drawn at random (`with_urgent`), the same in every run of a share; they are in queue 1, the others in
queue 0. A run that has checkpoints takes them after each hour of work, for 30 s, but where the interval is varied
(`at_interval`), and a restart takes 2 minutes. Where processors fail, they do so after 30 days on average, and are down
for 4 hours.
"""

import datetime
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray

import thinktime as tt
from thinktime.workloads.user_models import delimit

URGENT = 1
RANKS = f"ranks={URGENT}:1"
ARMS = {
    "no privilege": "easy",
    "priority": f"easy:preempt=requeue,{RANKS},exempt=3650d",
    "reservation": "easy",
    "cancel": f"easy:preempt=cancel,{RANKS}",
    "requeue": f"easy:preempt=requeue,{RANKS}",
    "suspend": f"easy:preempt=suspend,{RANKS}",
}
"""How urgent jobs are treated, and the policy. Priority is a rank with which no job may be sent away."""
MODES = ("open", "users")
RESERVED = 0.2
"""The share of the processors that a reservation sets aside, from 8:00 to 18:00 on weekdays."""
PATIENCE = 3
"""Users give up a batch of jobs at so many interruptions of its jobs."""
HOURLY = tt.Changes(checkpoint=tt.HOUR, cost=30.0, restart=120.0)
FAILURES = tt.Failures(mtbf=30 * tt.DAY, mttr=4 * tt.HOUR)
COST = 60.0
"""What a checkpoint takes (s) where its interval is varied."""


class Answer(NamedTuple):
    """What one run gives. Times in s, shares of 1."""

    urgent_wait: float
    """Mean wait of urgent jobs until their first start."""
    others_slowdown: float
    """Mean bounded slowdown (10 s) of the others that finished; by the work done, not by the length of runs."""
    lost: float
    """Share of the used processor time that was lost, or spent on jobs that were not allowed to end."""
    overhead: float
    """Share of the used processor time that went into checkpoints and restarts."""
    abandoned: float
    """Share of batches with a job that was cancelled or given up."""
    interruptions: int
    between: float
    """Mean time between interruptions of a job that runs; weighted with processors, s."""
    jobs_a_day: float
    """Finished jobs a day, to the last end."""


def with_urgent(log: tt.Trace, share: float, seed: int) -> tt.Trace:
    """The log with a share of its jobs urgent, drawn at random."""
    chosen = tt.stream(seed, f"{share:g}", "urgent jobs").random(len(log)) < share
    return log.with_columns(queue=np.where(chosen, URGENT, 0))


def reservations(log: tt.Trace, processors: int) -> tuple[tt.Window, ...]:
    """A window on each weekday for the urgent jobs, announced a week before, for half as long again as the log."""
    begin = datetime.datetime.fromtimestamp(log.unix_start or 0, log.zone)
    midnight = -(begin.hour * tt.HOUR + begin.minute * 60.0 + begin.second)
    urgent = log.id[log.queue == URGENT].tolist()
    days = range(1, math.ceil(1.5 * float(log.submit[-1]) / tt.DAY) + 1)
    opens = [midnight + day * tt.DAY + 8 * tt.HOUR for day in days if (begin.weekday() + day) % 7 < 5]
    size = math.ceil(RESERVED * processors)
    return tuple(
        tt.Window(at, at + 10 * tt.HOUR, size, max(0.0, at - 7 * tt.DAY), jobs=urgent, rule="wait") for at in opens
    )


class UsersWhoGiveUp(tt.sources.feedback):
    """The users of a log, who wait for the same jobs as in the log, and give up a batch that is interrupted too often.

    They cancel all jobs of the batch, and go on after their think time.
    """

    def begin(self, env: simpy.Environment, machine: tt.Machine) -> Any:
        """Load the jobs, and listen to interruptions."""
        begun = super().begin(env, machine)
        for first, stop in pairwise(delimit(self.trace).batches.bounds.tolist()):
            Batch(machine, range(first, stop))
        return begun


class Batch:
    """Jobs of one user that are given up together."""

    def __init__(self, machine: tt.Machine, rows: range) -> None:
        self._jobs = [machine.event(row) for row in rows]
        self._interruptions = 0
        for job in self._jobs:
            self._listen(job)

    def _listen(self, job: Any) -> None:
        def heard(_: object) -> None:
            self._interruptions += 1
            if self._interruptions >= PATIENCE:
                for each in self._jobs:
                    each.cancel()
            else:
                self._listen(job)

        job.interrupted.callbacks.append(heard)


@dataclass(frozen=True, slots=True)
class Run:
    """A log with urgent jobs under one policy, in the open loop or with users who react."""

    log: tt.Trace
    processors: int
    policy: str
    changes: tt.Changes | None
    mode: str = "open"

    def perform(self) -> Answer:
        """Run it and measure."""
        spec = tt.MachineSpec(self.processors, self.policy, changes=self.changes)
        source = tt.sources.log(self.log) if self.mode == "open" else UsersWhoGiveUp(self.log)
        return measured(tt.run(spec, source), delimit(self.log).batches.of_job)


def arm(log: tt.Trace, processors: int, name: str, checkpoints: bool, mode: str) -> Run:
    """The run of one way to treat urgent jobs."""
    windows = reservations(log, processors) if name == "reservation" else ()
    usual = HOURLY if checkpoints else tt.Changes(restart=HOURLY.restart)
    changes = tt.Changes(windows, checkpoint=usual.checkpoint, cost=usual.cost, restart=usual.restart)
    return Run(log, processors, ARMS[name], changes, mode)


def at_interval(log: tt.Trace, processors: int, preempted: bool, interval: float) -> Run:
    """The open-loop run on a machine that fails, with checkpoints at an interval (s), infinite for none."""
    cost = COST if interval < math.inf else 0.0
    changes = tt.Changes(failures=FAILURES, checkpoint=interval, cost=cost, restart=HOURLY.restart)
    return Run(log, processors, ARMS["requeue" if preempted else "no privilege"], changes)


def measured(result: tt.Result, batch: NDArray[np.int64]) -> Answer:
    """The answer of a result whose jobs are in the order of the log."""
    assert result.history is not None
    runs, finished = result.history.runs, result["state"] == tt.State.FINISHED
    processors, at_limit = result["processors"][runs.row], np.zeros(len(result), bool)
    at_limit[runs.row[runs.ended("limit")]] = True
    dropped = ~finished & ~at_limit
    urgent = result.labels("queue") == URGENT
    used = float(runs.length @ processors)
    wasted = runs.lost + np.where(dropped[runs.row], runs.progress, 0.0)
    broken = runs.ended("failed", "window", "preempted")
    return Answer(
        urgent_wait=float(np.nanmean(tt.measures.wait(result)[urgent])),
        others_slowdown=float(tt.measures.bounded_slowdown(result, 10.0)[finished & ~urgent].mean()),
        lost=float(wasted @ processors) / used,
        overhead=float(runs.overhead @ processors) / used,
        abandoned=float(len(np.unique(batch[: len(result)][dropped])) / len(np.unique(batch))),
        interruptions=int(broken.sum()),
        between=used / float(processors[broken].sum()) if broken.any() else math.inf,
        jobs_a_day=float(finished.sum() / np.nanmax(result["end"]) * tt.DAY),
    )
