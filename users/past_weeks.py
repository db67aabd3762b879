"""What came in a past week of a log comes again, at the same time of the week: arrivals that react to nothing."""

import numpy as np
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.users.log_source import LogSource, submitted
from thinktime.users.source import Begun
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, WEEK


class PastWeek(LogSource):
    """The jobs that came so many whole weeks before a time ``now`` (s of the log), and for ``span`` s after.

    How many weeks is drawn with a seed, among those that the log has; of a log of less than a week, days. ``ahead`` (s)
    is what the clock of the machine is ahead of that of the log. Of what the log says of times after ``now``, nothing
    is used.
    """

    recorded = False
    resizes = False

    def __init__(self, given: Trace | NodeLog, now: float, span: float, seed: Seed = 0, ahead: float = 0.0) -> None:
        super().__init__(given)
        self.jobs = 0
        log = self.trace
        passed = now - (log.submit.item(0) if len(log) else now)
        unit = WEEK if passed >= WEEK else DAY
        whole = max(1, int(passed // unit))
        self._back = unit * (1 + int(stream(seed, "past week").integers(whole)))
        ran = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0) + log.runtime <= now
        begun = now - self._back
        self._chosen = (log.submit >= begun) & (log.submit < begun + min(span, self._back)) & ran & ~log.withdrawn
        self._move = self._back + ahead

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Announce the jobs of the past weeks that are submitted anew, moved to the time ahead."""
        trace, log = self.read(machine.nodes)
        chosen = np.isin(trace.id, self.trace.id[self._chosen])
        first = machine.pool.truth.next_id
        some = trace.select(chosen)
        moved = some.with_columns(submit=some.submit + self._move, id=first + np.arange(len(some)))
        asked = () if log is None else [log.requests[place] for place in np.flatnonzero(chosen).tolist()]
        rows = machine.load(moved, asked=asked)
        return Begun(env.process(submitted(env, machine, moved, rows)))
