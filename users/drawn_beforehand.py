"""Users of a log who go on from now with batches that are drawn beforehand, so that compiled code lets them go on.

The batches of each user come one after the other (`thinktime.models.jobs.chains`). As many are drawn as may come
(`PastJobs.drawn`). If all of a user's have come, that was too few, and the run has to be made anew with more
(`DrawnBeforehand.ran_out`). These come after those that were drawn, and nothing else is another.
"""

from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.log_source import LogSource
from thinktime.users.past_jobs import PastJobs
from thinktime.workloads.arrays import Whole


class DrawnBeforehand(LogSource):
    """One draw of what the users of a log do from now on, for ``span`` s, on a machine that begins from a state.

    ``ahead`` (s) is what the clock of the machine is ahead of that of the log.
    """

    recorded = False
    closed = True
    chained = True
    endless = True
    resizes = False

    def __init__(self, past: PastJobs, span: float, ahead: float) -> None:
        super().__init__(past.log)
        self.jobs = 0
        self._past, self._span, self._ahead = past, span, ahead

    def _has_drawn(self, machine: Machine, users: Whole, final: Whole) -> None:
        """The last job that was drawn of each of these users is in this row."""
        self._machine, self._users, self._final = machine, users, final

    def ran_out(self) -> bool:
        """Whether all batches of a user have come; then more are drawn in the next run of the same draw."""
        empty = self._machine.pool.requests.state[self._final] != State.FUTURE
        self._past.drawn(self._span)[self._users[empty]] *= 2
        return bool(empty.any())
