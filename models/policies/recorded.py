"""The log's own schedule, as a policy: every job starts when the log says that it started (SWF field 3).

So what a site really did can be shown beside what a policy would have done, in the same tables and pictures. A
recorded schedule need not fit the machine: logs have clock skews, resized machines and shared processors.
Starts may therefore exceed it, every job runs to its true end whatever the overrun rule, and ``excess`` says by
how much the machine was exceeded.
"""

import heapq

import numpy as np

from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.entry import ReadyPolicy, listed
from thinktime.models.view import View
from thinktime.workloads.trace import Trace


@listed("the log's own starts (field 3)", "the log itself")
class Recorded(ReadyPolicy):
    """``recorded``: each job starts when the log says. Jobs without a start begin at submission, and are counted."""

    rule = "recorded"
    as_recorded = True
    overrun_note = "as recorded"

    def __init__(self) -> None:
        self._due: list[tuple[float, int]] = []
        self._last = -np.inf
        self._in_use = 0
        self.without_start = 0
        self.most_in_use = 0
        self.excess = 0.0

    def check(self, trace: Trace) -> None:
        """Refuse a log that has no waits: it records no schedule."""
        if len(trace) and np.isnan(trace.wait).all():
            raise ValueError(
                "policy 'recorded': the log has no waits (field 3), so it records no schedule to replay"
            )

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Note when the jobs started in the log."""
        for row in rows.tolist():
            start = view.requests.recorded_start.item(row)
            if np.isnan(start):
                self.without_start += 1
                start = now
            heapq.heappush(self._due, (max(start, now), row))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Forget jobs that have left the queue."""
        gone = set(rows.tolist())
        self._due = [entry for entry in self._due if entry[1] not in gone]
        heapq.heapify(self._due)

    def select(self, view: View, now: float) -> Proposal:
        """Start the jobs that started now in the log."""
        self._account(view, now)
        rows = []
        while self._due and self._due[0][0] <= now:
            rows.append(heapq.heappop(self._due)[1])
        if not rows:
            return NOBODY
        self._in_use += int(view.requests.processors[rows].sum())
        self.most_in_use = max(self.most_in_use, self._in_use)
        return np.array(rows, np.int64)

    def next_clock(self, now: float) -> float:
        """The next recorded start."""
        return self._due[0][0] if self._due else np.inf

    def notes(self, processors: int) -> list[str]:
        """Where the recorded schedule departs from what the machine could do."""
        notes = []
        if self.without_start:
            notes.append(
                f"recorded: {self.without_start} jobs without a recorded start began at their submission"
            )
        if self.most_in_use > processors:
            notes.append(
                f"recorded: the log uses up to {self.most_in_use} of {processors} processors, "
                f"{self.excess / 3600:,.0f} processor-hours beyond the machine in all"
            )
        return notes

    def _account(self, view: View, now: float) -> None:
        """Add what was used beyond the machine since the last pass."""
        over = max(0, self._in_use - view.capacity)
        if over:
            self.excess += over * (now - self._last)
        self._last = now
        self._in_use = view.capacity - view.free
