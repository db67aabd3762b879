"""What users did after each of their batches: how long it took until they submitted the next one.

The *gap* of a batch is the time from its end until the user's next batch, so it is the think time before that batch
(`thinktime.workloads.user_models.sessions`). Batches that overlap with the next one have no gap, and neither has a
user's last. What the user has learnt by then is described by the job of the batch that ended last: its wait, run time
and processors.
"""

from dataclasses import dataclass, fields

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Rows, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK
from thinktime.workloads.user_models.rhythm import local_seconds
from thinktime.workloads.user_models.sessions import Sessions


@dataclass(frozen=True, eq=False)
class Gaps:
    """The gaps of a log as columns, in order of the ends of the batches."""

    user: Whole
    """A code per user."""
    end: Floats
    """When the batch ended, s."""
    clock: Floats
    """The same on the local clock: s since midnight before a Monday."""
    gap: Floats
    """Until the user's next batch, s; at least 0."""
    wait: Floats
    """Of the job that ended last, s."""
    runtime: Floats
    processors: Whole

    def __len__(self) -> int:
        return len(self.gap)

    def take(self, rows: Rows | Flags) -> "Gaps":
        """Some of the gaps."""
        return Gaps(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @property
    def week(self) -> Whole:
        """The week in which each batch ended."""
        return np.floor(self.clock / WEEK).astype(np.int64)


def gaps_of(trace: Trace, sessions: Sessions) -> Gaps:
    """The gaps of a log's batches, without overlaps and without each user's last batch."""
    batches = sessions.batches
    think_time = sessions.think_time
    after = np.flatnonzero(think_time >= 0)
    batch, gap = batches.before()[after], think_time[after]
    ending = np.lexsort((sessions.end, batches.of_job))  # within a batch by end
    last = ending[batches.bounds[1:] - 1][batch]
    order = np.argsort(batches.end[batch], kind="stable")
    batch, gap, last = batch[order], gap[order], last[order]
    return Gaps(
        user=batches.owner[batch],
        end=batches.end[batch],
        clock=local_seconds(trace, batches.end[batch]),
        gap=gap,
        wait=np.nan_to_num(trace.wait[last]).clip(min=0.0),
        runtime=trace.runtime[last],
        processors=trace.processors[last],
    )
