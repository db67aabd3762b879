"""What a policy proposed and cannot be done: a part of the pool that says why."""

from thinktime.models.engine.codes import pool as codes
from thinktime.models.jobs.part import Part
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows

NOT_RESIZING = "proposed a size, so it has to say resizes = True"


class PolicyError(ValueError):
    """A policy proposed what cannot be done; the message names the job, the time and the policy.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0], "runtime": [10], "allocated": [2]})
    >>> def twice(view, now):
    ...     return [*view.queue, *view.queue]
    >>> try:
    ...     tt.replay(log, twice, 2)
    ... except tt.PolicyError as error:
    ...     print(str(error).partition(";")[0])
    policy twice proposed to start job 1 at 0 s twice
    """


class Refusing(Part):
    """The part of a pool that refuses proposals."""

    def _no_room(self, rows: Rows, place: int, now: float) -> str:
        """What is wrong with a proposal, at the place of a job that finds no room."""
        processors = self.requests.processors
        over = int(processors[self.running_rows[: self.overrunning(now)]].sum())
        room = self.idle + over - int(processors[rows[:place]].sum())
        return f"on {processors[rows[place]]} processors at {now:g} s, but only {room} are free then"

    def refuse_last(self, rows: Rows, now: float) -> None:
        """``PolicyError`` that says why the last of some proposed rows cannot start: it does not wait any more."""
        self.refuse(rows, -1 - 2 * (len(rows) - 1) - codes.NOT_WAITING, now)

    def refuse(self, rows: Rows, fault: int, now: float) -> None:
        """``PolicyError`` that says what is wrong with some proposed rows (`thinktime.models.engine.pool.verdict`)."""
        place, kind = divmod(-1 - fault, 2)
        row = int(rows[place])
        if not 0 <= row < self.requests.size:
            raise PolicyError(f"proposed row {row} at {now:g} s, but there are only {self.requests.size} jobs")
        job = f"job {self.requests.id[row]}"
        if kind == codes.NO_ROOM:
            raise PolicyError(f"proposed to start {job} {self._no_room(rows, place, now)}")
        state = State(self.requests.state[row]).name.lower()
        twice = " twice" if row in rows[:place] else f", which is {state}"
        raise PolicyError(f"proposed to start {job} at {now:g} s{twice}; only waiting jobs can start, each once")
