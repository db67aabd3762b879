"""One run of the study of urgent jobs: a log in which some jobs are urgent, on a machine that treats them in one way.

Urgent are jobs drawn at random (`with_urgent`), the same in every run of a share; they are in queue 1, the others in
queue 0. A run that has checkpoints takes them after each hour of work, for 30 s, but where the interval is varied
(`at_interval`), and a restart takes 2 minutes. Where processors fail, they do so after 30 days on average, and are down
for 4 hours.
"""

import datetime
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results import measures
from thinktime.models.results.history import INTERRUPTIONS
from thinktime.models.results.result import Result
from thinktime.models.results.service import all_runs
from thinktime.models.state import State
from thinktime.users import sources
from thinktime.users.feedback import FeedbackReplay, LogWithFeedback
from thinktime.users.run import run
from thinktime.users.source import Begun
from thinktime.workloads.arrays import Whole
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.streams import stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR
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
"""How urgent jobs are treated, and the policy. Priority is a rank with which nobody may be sent away."""
MODES = ("open", "users")
RESERVED = 0.2
"""The share of the processors that a reservation sets aside, from 8:00 to 18:00 on weekdays."""
PATIENCE = 3
"""Users give up a batch of jobs at so many interruptions of its jobs."""
HOURLY = Changes(checkpoint=HOUR, cost=30.0, restart=120.0)
FAILURES = Failures(mtbf=30 * DAY, mttr=4 * HOUR)
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


def with_urgent(log: Trace, share: float, seed: int) -> Trace:
    """The log with a share of its jobs urgent, drawn at random."""
    chosen = stream(seed, f"{share:g}", "urgent jobs").random(len(log)) < share
    return log.with_columns(queue=np.where(chosen, URGENT, 0))


def reservations(log: Trace, processors: int) -> tuple[Window, ...]:
    """A window on each weekday for the urgent jobs, announced a week before, for half as long again as the log."""
    begin = datetime.datetime.fromtimestamp(log.unix_start or 0, log.zone)
    midnight = -(begin.hour * HOUR + begin.minute * 60.0 + begin.second)
    urgent = log.id[log.queue == URGENT].tolist()
    days = range(1, math.ceil(1.5 * float(log.submit[-1]) / DAY) + 1)
    opens = [midnight + day * DAY + 8 * HOUR for day in days if (begin.weekday() + day) % 7 < 5]
    return tuple(
        Window(at, at + 10 * HOUR, math.ceil(RESERVED * processors), max(0.0, at - 7 * DAY), jobs=urgent, rule="wait")
        for at in opens
    )


class UsersWhoGiveUp(LogWithFeedback):
    """The users of a log, who wait for the same jobs as in the log, and give up a batch that is interrupted too often.

    They cancel all jobs of the batch, and go on after their think time.
    """

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Load the jobs, and listen to interruptions."""
        seen = delimit(self.trace)
        users = FeedbackReplay(machine, self.trace, seen)
        for first, stop in zip(seen.batches.bounds[:-1].tolist(), seen.batches.bounds[1:].tolist(), strict=True):
            Batch(machine, range(users.first + first, users.first + stop))
        return Begun(users.over, users.in_order, None, users.notes)


class Batch:
    """Jobs of one user that are given up together."""

    def __init__(self, machine: Machine, rows: range) -> None:
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

    log: Trace
    processors: int
    policy: str
    changes: Changes | None
    mode: str = "open"

    def perform(self) -> Answer:
        """Run it and measure."""
        spec = MachineSpec(self.processors, self.policy, changes=self.changes)
        source = sources.log(self.log) if self.mode == "open" else UsersWhoGiveUp(self.log)
        return measured(run(spec, source), delimit(self.log).batches.of_job)


def arm(log: Trace, processors: int, name: str, checkpoints: bool, mode: str) -> Run:
    """The run of one way to treat urgent jobs."""
    windows = reservations(log, processors) if name == "reservation" else ()
    usual = HOURLY if checkpoints else Changes(restart=HOURLY.restart)
    changes = Changes(windows, checkpoint=usual.checkpoint, cost=usual.cost, restart=usual.restart)
    return Run(log, processors, ARMS[name], changes, mode)


def at_interval(log: Trace, processors: int, preempted: bool, interval: float) -> Run:
    """The open-loop run on a machine that fails, with checkpoints at an interval (s), infinite for none."""
    cost = COST if interval < math.inf else 0.0
    changes = Changes(failures=FAILURES, checkpoint=interval, cost=cost, restart=HOURLY.restart)
    return Run(log, processors, ARMS["requeue" if preempted else "no privilege"], changes)


def measured(result: Result, batch: Whole) -> Answer:
    """The answer of a result whose jobs are in the order of the log."""
    runs, finished = all_runs(result), result["state"] == State.FINISHED
    processors, at_limit = result["processors"][runs.row], np.zeros(len(result), bool)
    at_limit[runs.row[runs.ended("limit")]] = True
    dropped = ~finished & ~at_limit
    urgent = result.labels("queue") == URGENT
    used = float(runs.length @ processors)
    wasted = runs.lost + np.where(dropped[runs.row], runs.progress, 0.0)
    broken = runs.ended(*INTERRUPTIONS.values())
    return Answer(
        urgent_wait=float(np.nanmean(measures.wait(result)[urgent])),
        others_slowdown=float(measures.bounded_slowdown(result, 10.0)[finished & ~urgent].mean()),
        lost=float(wasted @ processors) / used,
        overhead=float(runs.overhead @ processors) / used,
        abandoned=float(len(np.unique(batch[: len(result)][dropped])) / len(np.unique(batch))),
        interruptions=int(broken.sum()),
        between=used / float(processors[broken].sum()) if broken.any() else math.inf,
        jobs_a_day=float(finished.sum() / np.nanmax(result["end"]) * DAY),
    )
