"""What the parts of a pool have in common: what they know of it, and ask of it."""

from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth
from thinktime.models.jobs.columns import Outcomes, Requests
from thinktime.workloads.arrays import Rows


class Part:
    """A part of a pool (`thinktime.models.jobs.pool`), which answers."""

    requests: Requests
    outcomes: Outcomes
    state: State
    truth: Truth

    @property
    def idle(self) -> int:
        """Processors on which nothing runs."""
        return self.state.idle

    @property
    def grace(self) -> float:
        """How much later than now a job is expected to end that has reached its estimate, s; 0 if none can."""
        return self.state.grace

    @grace.setter
    def grace(self, seconds: float) -> None:
        self.state.grace = seconds

    @property
    def running_rows(self) -> Rows:
        """Rows of the running jobs, by (expected end, id)."""
        raise NotImplementedError

    @property
    def waiting_rows(self) -> Rows:
        """The waiting rows, in queue order."""
        raise NotImplementedError

    def overrunning(self, now: float) -> int:
        """How many jobs at the head of ``running_rows`` have outlived their estimates and may be evicted."""
        raise NotImplementedError

    def bind(self) -> None:
        """Make the objects that the engine takes, after an array has been replaced."""
        raise NotImplementedError
