"""The events that a machine gives to processes: jobs, campaigns and holds.

A `JobEvent` succeeds exactly once, when its job is over, with a `JobRecord` that says how it ended. A `CampaignEvent`
succeeds when the last of its jobs is over. A `Hold` follows SimPy's idiom, ``with machine.request(…) as hold: yield
hold``. It succeeds when the processors are available, and the process keeps them until it gives them back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

import simpy

from thinktime.models.engine.codes.machine_state import AWAITED, AWAITED_INTERRUPTION, AWAITED_START, KNOWN
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.job_records import CampaignRecord, Interruption, JobRecord
from thinktime.models.machine.simpy_insides import Waiters
from thinktime.models.state import State


@dataclass(frozen=True, slots=True)
class Killed:
    """The cause of the interrupt of a process whose hold was ended: by its ``limit``, a ``failure`` or a ``window``.

    ``hold`` is what ended, ``at`` a time (s).

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=4)
    >>> def patient(env):
    ...     with machine.request(2, estimate=60) as hold:
    ...         yield hold
    ...         try:
    ...             yield env.timeout(3600)
    ...         except simpy.Interrupt as interrupt:
    ...             print(env.now, interrupt.cause.why)
    >>> process = env.process(patient(env))
    >>> env.run()
    60.0 limit
    """

    hold: "Hold"
    at: float
    why: str = "limit"


class Host(Protocol):
    """What an event asks of the machine that handed it out."""

    env: simpy.Environment
    pool: Pool
    split_jobs: SplitJobs

    @property
    def capacity(self) -> int:
        """Processors of the machine."""

    def event(self, row: int) -> "JobEvent":
        """The event of the job in one row."""

    def record(self, row: int) -> JobRecord:
        """What is known of a job that is over."""

    def records(self, rows: range) -> tuple[JobRecord, ...]:
        """The same of several, in consecutive rows."""

    def interruption(self, row: int) -> Interruption | None:
        """The last interruption of a job; None if there was none."""

    def _cancel(self, row: int) -> None: ...

    def _hold(self, row: int, held: bool) -> None: ...

    def _release(self, row: int) -> None: ...


class JobEvent(simpy.Event):
    """A submitted job; an event that succeeds with a `JobRecord` when the job is over."""

    def __init__(self, machine: Host, row: int) -> None:
        super().__init__(machine.env)
        self.callbacks = Waiters(self._await)
        self.machine = machine
        self.row = row
        self._started: simpy.Event | None = None
        self._interrupted: list[simpy.Event] = []
        self._attend(KNOWN)

    @property
    def id(self) -> int:
        """The number of the job."""
        return self.machine.pool.requests.id.item(self.row)

    @property
    def state(self) -> State:
        """What has become of the job so far; of its present segment, where a runtime limit splits it."""
        return State(self.machine.pool.requests.state.item(self.machine.split_jobs.current(self.row)))

    @property
    def started(self) -> simpy.Event:
        """An event that succeeds with the start time; never, if the job never starts."""
        if self._started is None:
            self._started = simpy.Event(self.env)
            self._attend(AWAITED_START)
            if (start := self._start_time()) is not None:
                self._started.succeed(start)
        return self._started

    @property
    def interrupted(self) -> simpy.Event:
        """A new event each time: it succeeds with an `Interruption` at the next one; never, if the job ends before."""
        self._interrupted.append(simpy.Event(self.env))
        self._attend(AWAITED_INTERRUPTION)
        return self._interrupted[-1]

    def cancel(self) -> None:
        """Withdraw the job if it waits, end it if it runs, do nothing if it is over."""
        self.machine._cancel(self.row)

    def hold(self) -> None:
        """Hold the job: it leaves the queue until it is released. One that runs, has run or is over is not touched."""
        self.machine._hold(self.row, True)

    def release(self) -> None:
        """Let a held job go, which is then eligible if nothing else keeps it; do nothing for others."""
        self.machine._hold(self.row, False)

    def _await(self) -> None:
        """A process waits for the end of the job."""
        self._attend(AWAITED)

    def _attend(self, to: int) -> None:
        """Let the machine know what is to be told of the job, or of its present segment under a runtime limit."""
        self.machine.pool.outcomes.attention[self.machine.split_jobs.current(self.row)] |= to

    def _start_time(self) -> float | None:
        start = self.machine.pool.requests.start.item(self.row)
        return None if start != start else start

    def _on_start(self, now: float) -> None:
        """Tell the processes that wait for the start."""
        if self._started is not None and not self._started.triggered:  # by its first segment
            self._started.succeed(now)

    def _on_interrupt(self, now: float) -> None:
        """Tell the processes that wait for an interruption."""
        events, self._interrupted = self._interrupted, []
        what = self.machine.interruption(self.row)
        for event in events:
            event.succeed(what)

    def _on_end(self, now: float) -> None:
        self.succeed(self.machine.record(self.row))

    def __repr__(self) -> str:
        return f"<job {self.id}, {self.state.name.lower()}>"


class CampaignEvent(simpy.Event):
    """A submitted campaign; an event that succeeds with a `CampaignRecord` when the last of its jobs is over."""

    def __init__(self, machine: Host, number: int, rows: range) -> None:
        super().__init__(machine.env)
        self.machine = machine
        self.number = number
        self.rows = rows
        self._jobs: list[JobEvent] = []

    @property
    def jobs(self) -> list[JobEvent]:
        """The campaign's jobs, each an event of its own."""
        if not self._jobs:
            self._jobs = [self.machine.event(row) for row in self.rows]
        return list(self._jobs)

    def cancel(self) -> None:
        """Cancel every job of the campaign that is not over."""
        for row in self.rows:
            self.machine._cancel(row)

    def hold(self) -> None:
        """Hold every job of the campaign that waits and has not run."""
        for row in self.rows:
            self.machine._hold(row, True)

    def release(self) -> None:
        """Let every held job of the campaign go."""
        for row in self.rows:
            self.machine._hold(row, False)

    def _on_end(self) -> None:
        if self._jobs:  # each has been told its record
            records: Any = tuple([job.value for job in self._jobs])
        else:
            records = self.machine.records(self.rows)
        self.succeed(CampaignRecord(self.number, records, self.machine.capacity))

    def __repr__(self) -> str:
        left = self.machine.pool.campaigns[self.number]
        return f"<campaign {self.number}: {left} of {len(self.rows)} jobs are not over>"


class ArrayEvent(CampaignEvent):
    """A submitted array of jobs, which is a campaign; its number as a job is that of its first task."""

    def __init__(self, machine: Host, number: int, rows: range, tasks: Sequence[int]) -> None:
        super().__init__(machine, number, rows)
        self._task = dict(zip(tasks, rows, strict=True))

    @property
    def id(self) -> int:
        """The array's number, by which others may depend on it: on all of its tasks."""
        return self.machine.pool.requests.id.item(self.rows[0])

    @property
    def tasks(self) -> dict[int, JobEvent]:
        """The tasks by their numbers, each an event of its own."""
        return {task: self.machine.event(row) for task, row in self._task.items()}

    def __repr__(self) -> str:
        return f"<array {self.id}: {self.machine.pool.campaigns[self.number]} of {len(self.rows)} tasks are not over>"


class Hold(JobEvent):
    """A request for processors; an event that succeeds with itself when they are available.

    Leaving the ``with`` block gives them back, or withdraws the request if it still waits.
    """

    def __init__(self, machine: Host, row: int) -> None:
        super().__init__(machine, row)
        self.process = machine.env.active_process
        self._attend(AWAITED | AWAITED_START)

    def release(self) -> None:
        """Give the processors back, or withdraw the request if it waits; a second call does nothing."""
        self.machine._release(self.row)

    def cancel(self) -> None:
        """The same as `release`."""
        self.machine._release(self.row)

    def hold(self) -> None:
        """Raise ``TypeError``: a request of a process is not held back, only jobs are."""
        raise TypeError("only jobs can be held back; release the processors, and ask again later")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _on_start(self, now: float) -> None:
        super()._on_start(now)
        self.succeed(self)

    def _on_end(self, now: float) -> None:
        victim = self.process
        if self.state is State.KILLED and victim is not None and victim.is_alive:
            why = self.machine.interruption(self.row)
            victim.interrupt(Killed(self, now) if why is None else Killed(self, now, why.why))
