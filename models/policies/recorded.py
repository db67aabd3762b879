"""The log's own schedule, as a policy: every job starts when the log says that it started (SWF field 3).

So what a site really did can be shown beside what a policy would have done, in the same tables and pictures. A
recorded schedule need not fit the machine: logs have clock skews, resized machines and shared processors.
Starts may therefore exceed it, every job runs to its true end whatever the overrun rule, and ``excess`` says by
how much the machine was exceeded.
"""

import numpy as np

from thinktime.models.jobs.view import View
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import ReadyPolicy, listed
from thinktime.models.policies.recorded_rule import Recorded as RecordedRule
from thinktime.workloads.arrays import writable
from thinktime.workloads.trace import Trace

BY_RECORDED_START = Order(
    "recorded",
    lambda jobs, now: np.nan_to_num(jobs.recorded_start, nan=-np.inf, posinf=np.inf, neginf=-np.inf),
    timeless=True,
)


@listed("the log's own starts (field 3)", "the log itself")
class Recorded(ReadyPolicy):
    """``recorded``: each job starts when the log says. Jobs without a start begin at submission, and are counted."""

    rule = "recorded"
    as_recorded = compiles = True
    overrun_note = "as recorded"
    order = BY_RECORDED_START

    def __init__(self) -> None:
        self._structure = RecordedRule()

    @property
    def excess(self) -> float:
        """What was used beyond the machine so far, processor-seconds."""
        return self._structure.excess

    def as_rule(self, rows: int, jobs: int) -> RecordedRule:
        """What the schedule departs in."""
        return self._structure

    def check(self, trace: Trace) -> None:
        """Refuse a log that has no waits: it records no schedule."""
        if len(trace) and np.isnan(trace.wait).all():
            raise ValueError("policy 'recorded': the log has no waits (field 3), so it records no schedule to replay")

    def select(self, view: View, now: float) -> Proposal:
        """Start the jobs that started now in the log."""
        return view.started[: self.as_rule(0, 0).select(view.state, now, writable(view.waiting))]

    def next_clock(self, now: float) -> float:
        """The next recorded start."""
        return self._structure.next_start

    def notes(self, processors: int) -> list[str]:
        """Where the recorded schedule departs from what the machine could do."""
        notes = []
        without, most = self._structure.without_start, self._structure.most_in_use
        if without:
            notes.append(f"recorded: {without} jobs without a recorded start began at their submission")
        if most > processors:
            notes.append(
                f"recorded: the log uses up to {most} of {processors} processors, "
                f"{self.excess / 3600:,.0f} processor-hours beyond the machine in all"
            )
        return notes
