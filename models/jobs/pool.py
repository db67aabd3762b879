"""A pool of identical processors: who runs, who waits, and the columns of all jobs.

A pool has the arrays on which the engine works, and does what it is told: it has no policy and no clock. The machine
drives it under SimPy's clock, and a forecast drives a copy without one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine import pool
from thinktime.models.engine.codes import fields
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import pool as codes
from thinktime.models.engine.gapped import line_up
from thinktime.models.engine.kinds import make_state
from thinktime.models.engine.machine_state import State as MachineState
from thinktime.models.engine.machine_state import Truth
from thinktime.models.engine.room import overrunning
from thinktime.models.engine.sources.chains import announced, await_first_releases, chained
from thinktime.models.engine.sources.timetables import announce
from thinktime.models.jobs.chains import Chain, ChainedBatches
from thinktime.models.jobs.columns import Outcomes, Requests
from thinktime.models.jobs.copies import but_for
from thinktime.models.jobs.held_back import NO_ROWS, HeldBack
from thinktime.models.jobs.impatience import FOR_EVER, Impatience
from thinktime.models.results.history import History
from thinktime.models.results.node_record import NodeRecord
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.state import State
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted

Rows = NDArray[np.int64]
Column = TypeVar("Column", bound=NDArray[Any])

OF_REQUESTS = (
    "id", "user", "group", "campaign", "submit", "processors", "equivalents", "requested", "think_time", "estimate",
    "key", "start", "expected_end", "promised", "latest_start", "state",
)  # fmt: skip
"""The columns of jobs that the engine has."""
NO_REASONS: NDArray[np.int8] = np.empty(0, np.int8)
NO_BATCHES = ChainedBatches()
NOTHING_TO_COME: tuple[NDArray[Any], ...] = np.empty(0), np.empty(0), NO_REASONS, NO_ROWS, NO_ROWS, np.empty(0)

OVERRUNS = {"kill": at.KILL, "extend": at.EXTEND, "until_needed": at.UNTIL_NEEDED}
ALIKE = ("user", "group", "queue", "partition", "nice", "campaign", "processors", "memory")
"""What the segments of a job have in common."""
UNCHANGING = "{}() is for machines that change: open this one with changes=Changes()"
GRACE = 1.0  # s from now to the expected end of an overrunning job (the contract of one instant)


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


class Pool(HeldBack, Impatience):
    """Processors, the queue in front of them and the jobs on them."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """A pool whose state has no arrays yet, but numbers already."""
        pool = super().__new__(cls)
        pool.state, pool.truth = cls.make(), Truth()
        return pool

    def __init__(self, processors: int, overrun: str = "kill", as_recorded: bool = False) -> None:
        if overrun not in OVERRUNS:
            raise ValueError(f"overrun is {quoted(overrun)}, but must be one of {', '.join(OVERRUNS)}")
        self.processors = processors
        self.overrun = overrun
        self.requests = Requests()
        self.outcomes = Outcomes()
        self.mode = at.AS_RECORDED if as_recorded else OVERRUNS[overrun]
        self.state.idle = self.state.machine_size = processors
        self.state.overrun = self.mode
        self.coming = NOTHING_TO_COME
        self.grace = 0.0 if self.mode == at.KILL else GRACE
        self.waiting = self.running = self.fresh = self.ending = self.arrived = self.done = NO_ROWS
        self.tables = self.stops = self.told = self.begun = self.left = self.watches = self.campaigns = NO_ROWS
        self.following, self.batches = NO_ROWS, ChainedBatches()
        self.expected = self.times = np.empty(0)
        self.reason, self.limit, self.patience = NO_REASONS, NO_ROWS, FOR_EVER
        self.cancelled_in_log = []
        self._make_room()

    @property
    def grace(self) -> float:
        """How much later than now a job is expected to end that has reached its estimate, s; 0 if none can."""
        return self.state.grace

    @grace.setter
    def grace(self, seconds: float) -> None:
        self.state.grace = seconds

    def end_at_sweeps(self, limits: TimeLimits) -> None:
        """From now on, jobs that reach their limits are ended as Slurm does it."""
        self.state.bind(
            sweep=limits.sweep, sweep_phase=limits.phase, over_time_limit=limits.over_time_limit,
            last_wait=limits.last_wait,
        )  # fmt: skip
        if self.mode == at.KILL:
            self.grace = GRACE

    @property
    def idle(self) -> int:
        """Processors on which nothing runs."""
        return self.state.idle

    @property
    def hit(self) -> Rows:
        """The rows of jobs that were interrupted and have to be told."""
        return self.coming[4]

    def waiting_count(self) -> int:
        """How many jobs wait."""
        return self.state.in_queue

    @property
    def waiting_rows(self) -> Rows:
        """Rows of the waiting jobs, in queue order."""
        head = self.state.head
        return self.waiting[head : head + self.state.in_queue]

    @property
    def running_rows(self) -> Rows:
        """Rows of the running jobs, by (expected end, id)."""
        return self.running[: line_up(self.state)]

    def next_end(self) -> float:
        """When the next running job really ends; infinite if none runs."""
        return self.truth.next_end

    def last_end(self) -> float:
        """When the last of the running jobs really ends; infinite if none runs."""
        return self.truth.last_end

    answers: Any = None
    """What answers the questions that the engine asks (`thinktime.models.machine.questions`)."""

    out = _scratch = NO_ROWS
    events: Any = None
    """SimPy's events to come, where somebody in Python may add to them in the middle of a leap."""

    of_runs: tuple[str, ...] = ()
    """Columns that change with interruptions."""

    made_anew: tuple[str, ...] = ("state", "truth", "sources", "out", "_scratch", "answers", "events")
    """What a copy has of its own: what takes the arrays, and who is asked."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self).__new__(type(self))
        memo |= {id(self): twin, id(self.state): twin.state, id(self.truth): twin.truth}
        but_for(self, memo, *self.made_anew)
        twin.state.bind(**self.state.all_numbers())
        twin.truth.bind(**self.truth.all_numbers())
        twin._offer_room()
        twin.bind()
        return twin

    def _offer_room(self) -> None:
        """Let the engine ask for longer arrays."""

    def snapshot(self, size: int) -> Self:
        """An independent pool in the same state, of the first ``size`` rows; none can be added to it.

        Columns that never change once a job is known are shared, the others are copied: some 40 bytes per row.
        """
        twin = deepcopy(self, self._instead(size))
        twin.outcomes.attention &= at.UNWANTED | at.LATE  # nobody is told
        twin.state.head = twin.state.passed_over = 0
        twin.truth.bind(**Truth.NUMBERS | {"next_end": self.truth.next_end, "last_end": self.truth.last_end})
        return twin

    def _instead(self, size: int) -> dict[int, Any]:
        """What a snapshot has instead of some parts, by their identities: who comes and who is told is left out."""
        changing = ("key", "start", "expected_end", "promised", "latest_start", "state", *self.of_runs)
        nobody = (self.tables, self.stops, self.told, self.begun, self.left, self.watches, self.campaigns,
                  self.following, self.limit)  # fmt: skip
        return dict.fromkeys(map(id, nobody), NO_ROWS) | {
            id(self.requests): self.requests.snapshot(size, changing),
            id(self.outcomes): self.outcomes.snapshot(size, ("end", "fate", "attention")),
            id(self.waiting): grown(self.waiting_rows, size),
            id(self.arrived): np.empty(size, np.int64),
            id(self.reason): NO_REASONS,
            id(self.patience): FOR_EVER,
            id(self.coming): NOTHING_TO_COME,
            id(self.batches): NO_BATCHES,
            id(self.cancelled_in_log): [],
            id(self.eligible): self.eligible,
            id(self.eligibility): None,
            id(self.limits): None if self.limits is None else self.limits.copied(size),
        }

    def raise_fault(self) -> None:
        """Raise what a user's function has raised inside the engine."""

    def foresee(self, now: float) -> None:
        """Let the engine know all changes of the machine up to some time after ``now``."""

    known_until = np.inf
    """Up to when the engine knows the changes of the machine, s."""

    leaving_rows = NO_ROWS
    """The rows of running jobs that are under notice."""

    def look(self, now: float) -> tuple[int, int]:
        """It is this time now; returns how many processors are up, and how many are idle for anybody."""
        return self.processors, self.idle

    known: Callable[[], list[Any]] = list
    """Gives the windows that policies may know."""

    def next_change(self) -> float:
        """When the machine changes next; infinite for never."""
        return np.inf

    def change(self, now: float) -> Rows:
        """Do all changes of the machine that are due, and return the rows of the jobs that this interrupts."""
        return NO_ROWS

    def choose(self, row: int, how: str, now: float, grace: float, keeper: int = -1) -> None:
        """A policy wants a running job to leave; ``PolicyError`` if it may not."""
        raise NotImplementedError

    may_preempt = coming_back = False
    """Whether jobs can be preempted, and whether interrupted jobs will come back into the queue."""

    def has_run(self, row: int) -> bool:
        """Whether a waiting job has run before."""
        return False

    def options_of(self, jobs: Sequence[Job]) -> dict[str, Any]:
        """What jobs say that only some machines ask, as columns."""
        return {}

    def check(self, job: Job) -> None:
        """``ValueError`` if there is more that keeps the job from ever running here than its processors."""

    def could_hold(self, rows: Rows) -> NDArray[np.bool_]:
        """Whether each of some jobs could run if the machine were idle."""
        processors = self.requests.processors[rows]
        could: NDArray[np.bool_] = (processors >= 1) & (processors <= self.processors)
        return could

    def consider(self, row: int, job: Job) -> None:
        """Let a row that is not submitted ask what a job asks, beside its processors."""

    def of_process(self, row: int) -> None:
        """A job is a hold."""

    def add_window(self, window: Window, now: float) -> None:
        """A window is announced."""
        raise ValueError(UNCHANGING.format("add_window"))

    def fail(self, failing: Iterable[int | str], now: float, until: float) -> None:
        """Some processors or nodes go down now."""
        raise ValueError(UNCHANGING.format("fail"))

    def interruption(self, row: int) -> Any:
        """The last `Interruption` of a job; None if there was none."""
        return None

    def gave_up(self, row: int) -> bool:
        """Whether a job that has run was taken back while it waited to run again."""
        return False

    def first_and_all_runs(self, row: int) -> tuple[float, float, tuple[tuple[float, float, str], ...]]:
        """Submission and first start of a job that is over (s), and its runs if jobs may have several."""
        return self.requests.submit.item(row), self.requests.start.item(row), ()

    def first_runs(self) -> dict[str, NDArray[Any]]:
        """The columns of a result that begin with a job's first run, where jobs may have several."""
        return {}

    def history(self, rows: Rows, now: float) -> History | None:
        """The runs of some jobs, and what happened to the machine up to now; None if it does not change."""
        return None

    def placement(self, rows: Rows) -> NodeRecord | None:
        """On which nodes the jobs in some rows run or have run; None for a machine without nodes."""
        return None

    def as_expected(self, now: float) -> None:
        """From now on every job runs for its estimate; one that has reached it runs for another second."""
        jobs, truth = self.requests, self.outcomes
        self._run_as_expected()
        running = self.running_rows
        truth.end[running] = np.maximum(jobs.expected_end[running], now + self.grace)
        truth.fate[running] = State.FINISHED
        self.bind()
        self.sort_running()

    def as_known(self) -> None:
        """From now on every estimate is the time for which the job will run undisturbed, but at least 1 s."""
        jobs, truth = self.requests, self.outcomes
        cut = self.mode == at.KILL
        truth.runtime = np.minimum(truth.runtime, jobs.requested) if cut else truth.runtime
        self._expect_as_known()
        running = self.running_rows
        jobs.expected_end[running] = np.maximum(truth.end[running], jobs.start[running] + 1.0)
        truth.fate[running] = State.FINISHED
        self.bind()
        self.sort_running()

    def _run_as_expected(self) -> None:
        jobs = self.requests
        self.outcomes.runtime = jobs.requested = jobs.estimate

    def _expect_as_known(self) -> None:
        self.requests.estimate = np.maximum(self.outcomes.runtime, 1.0)

    def sort_running(self) -> None:
        """Sort the running jobs anew, after times at which they end have changed."""
        self.sort_expected()
        rows, end = self.running_rows, self.outcomes.end
        n = len(rows)
        self.ending[:n] = rows[np.lexsort((rows, end[rows]))]
        self.times[:n] = end[self.ending[:n]]
        self.truth.next_end, self.truth.last_end = self.times[[0, n - 1]].tolist() if n else (np.inf, np.inf)

    def sort_expected(self) -> None:
        """The same after expected ends alone have changed."""
        rows, jobs = self.running_rows, self.requests
        rows[:] = rows[np.lexsort((jobs.id[rows], jobs.expected_end[rows]))]
        self.expected[: len(rows)] = jobs.expected_end[rows]

    def append(self, count: int, runtime: Any, **columns: Any) -> slice:
        """Add jobs to the columns, all of them or none; their state is ``FUTURE`` unless given."""
        with self.all_or_none():
            self.outcomes.append(count, runtime=runtime)
            if "estimate" in columns:
                columns.setdefault("requested", columns["estimate"])
            rows = self.requests.append(count, **columns)
            self.reserve(0)
        return rows

    def reserve(self, count: int) -> None:
        """Make room for ``count`` more jobs."""
        self.outcomes.reserve(count)
        self.requests.reserve(count)
        if len(self.waiting) < self.requests.capacity:
            self._make_room()

    def append_like(self, rows: Rows, runtime: Any, **columns: Any) -> slice:
        """Add jobs with the owners and sizes of others, one for each of ``rows``; other columns are given."""
        like = {name: getattr(self.requests, name)[rows] for name in ALIKE}
        return self.append(len(rows), runtime, **(like | columns))

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Remove the rows added inside the block if it raises."""
        size = self.requests.size
        try:
            yield
        except BaseException:
            self.outcomes.cut(size)
            self.requests.cut(size)
            raise

    def _make_room(self) -> None:
        """Make the arrays long enough for every job and every processor, so that the engine needs no more room."""
        capacity = self.requests.capacity
        running = capacity if self.mode == at.AS_RECORDED else min(capacity, self.processors)
        self.waiting, self.arrived = grown(self.waiting, capacity), grown(self.arrived, capacity)
        spaced = running + running // 4 + 8  # some gaps make insertions cheap
        self.running, self.expected = grown(self.running, spaced), grown(self.expected, spaced)
        self.fresh = grown(self.fresh, spaced)
        self.ending, self.times = grown(self.ending, running), grown(self.times, running)
        self.done = np.empty(running, np.int64)
        if self.truth.explained:
            self.reason, self.limit = grown(self.reason, capacity), grown(self.limit, capacity)
        self.make_patient()
        self.bind()

    def explain_waits(self, otherwise: int) -> None:
        """From now on, note why jobs wait; ``otherwise`` is the reason for those that have room."""
        self.truth.explained = otherwise
        self._make_room()

    def bind(self) -> None:
        """Make the objects that the engine takes, after an array has been replaced."""
        jobs, truth = self.requests, self.outcomes
        self.sources = chained if len(self.batches) or len(self.following) else announced
        if self.eligibility is not None:
            self.sources, self.eligible = self.eligibility.structure(jobs, truth), self.eligibility.eligible
        if len(self.out) < jobs.capacity:  # somebody may be about to read them, in the middle of an instant
            self.out, self._scratch = grown(self.out, jobs.capacity), grown(self._scratch, jobs.capacity)
        self.state.bind(
            **{name: getattr(jobs, name) for name in OF_REQUESTS}, eligible=self.eligible, waiting=self.waiting,
            running=self.running, fresh=self.fresh, expected=self.expected, out=self.out, scratch=self._scratch,
            **self._bound_room(),
        )  # fmt: skip
        if self.limits is not None:
            self.state.bind(**self.limits.arrays(jobs.capacity))
        jobs.current.state = self.state
        self.truth.bind(
            runtime=truth.runtime, end=truth.end, fate=truth.fate, watch=truth.watch, attention=truth.attention,
            ending=self.ending, times=self.times, arrived=self.arrived, tables=self.tables, stops=self.stops,
            told=self.told, begun=self.begun, left=self.left, watches=self.watches, campaigns=self.campaigns,
            following=self.following, done=self.done, reason=self.reason, limit=self.limit, patience=self.patience,
            **dict(zip(fields.COMING, self.coming, strict=True)), **self.batches.arrays(), answers=self.answers,
            events=self.events, hazards=self.batches.hazards,
        )  # fmt: skip

    make: Callable[[], MachineState] = staticmethod(make_state)
    """Makes the state of such a machine."""

    def _bound_room(self) -> dict[str, Any]:
        """What a state has beside the columns of jobs."""
        return {}

    def arrive(self, rows: range | Rows) -> None:
        """Jobs are submitted at this instant; `enqueue` queues them."""
        n = self.truth.arrived_count
        self.arrived[n : n + len(rows)] = rows
        self.truth.arrived_count = n + len(rows)
        if self.eligibility is not None and len(rows):
            self.truth.next_arrival = min(self.truth.next_arrival, self.requests.submit.item(rows[0]))

    def announce(self, rows: range) -> None:
        """Jobs will be submitted at their times ``submit``, which ascend."""
        self.make_tables(1)
        announce(self.state, self.truth, rows.start, rows.stop)

    def follow(self, before: Rows, rows: Rows) -> None:
        """Each of ``rows`` is the segment that follows the one in ``before``."""
        if (more := self.requests.capacity - len(self.following)) > 0:
            self.following = np.concatenate([self.following, np.full(more, -1)])
            self.bind()
        self.following[before] = rows
        self.truth.to_come += len(rows)

    def chain(self, chain: Chain, now: float, total: int) -> None:
        """Batches wait for each other; the watch ``total`` ends with the last one."""
        number = np.repeat(np.arange(len(chain)), np.diff(chain.bounds))
        first = len(self.batches)
        self.outcomes.watch[chain.rows] = -2 - first - number
        self.batches.add(chain, now, total)
        self.make_tables(0)
        self.bind()
        await_first_releases(self.truth, first, first + len(chain))

    def make_tables(self, more: int) -> None:
        """Make room for more timetables, and for those that batches may need."""
        if (size := self.truth.table_count + self.batches.staggered + more) > len(self.tables):
            self.tables, self.stops = grown(self.tables, 2 * size + 8), grown(self.stops, 2 * size + 8)
            self.bind()

    @property
    def newcomers(self) -> Rows:
        """The rows that are submitted at this instant."""
        return self.arrived[: self.truth.arrived_count]

    def enqueue(self, now: float) -> Rows:
        """Queue the newcomers by id, and return them in this order, in a view that the next call overwrites.

        Jobs wider than the machine are refused, and jobs taken back before are withdrawn: see `turned_away`.
        """
        return self.arrived[: pool.enqueue(self.state, self.truth, now)]

    def finish_due(self, now: float) -> Rows:
        """End the jobs whose time has come, and return their rows in a view that the next call overwrites."""
        return self.done[: pool.finish_due(self.state, self.truth, now)]

    def end_now(self, row: int, now: float, state: State) -> None:
        """End one running job before its time."""
        pool.end_now(self.state, self.truth, now, row, int(state))

    def reaching_estimate(self, now: float) -> Rows:
        """Running jobs that are to be killed now because they reach their estimates unfinished."""
        rows = self.running_rows
        due = rows[: np.searchsorted(self.requests.expected_end[rows], now, side="right")]
        killed: Rows = due[self.outcomes.fate[due] == State.KILLED]
        return killed

    def completing(self, now: float) -> list[int]:
        """Running jobs that end now by themselves, in the order of their ends."""
        outcomes = self.outcomes
        rows = self.ending[: self.state.at_work]
        rows = rows[(outcomes.end[rows] <= now) & (outcomes.fate[rows] == State.FINISHED)]
        due: list[int] = rows[np.lexsort((rows, outcomes.end[rows]))].tolist()
        return due

    def prolong(self, row: int, until: float) -> None:
        """Let a running job go on beyond its estimate, and kill it at ``until`` unless it has ended by then."""
        pool.prolong(self.state, self.truth, row, until)

    def taken_back(self, row: int) -> State:
        """What becomes of a job that its user takes back while it does not run."""
        return State.WITHDRAWN

    def withdraw(self, row: int, now: float) -> None:
        """A waiting job does not wait any more."""
        self.give_up(row, now)
        if not self.is_aside(row):
            self._leave_queue()

    def _leave_queue(self) -> None:
        """Take one job out of the queue that does not wait in it any more."""
        self.state.passed_over = 0
        pool.leave_queue(self.state, 1)

    def give_up(self, row: int, now: float) -> None:
        """A job does not wait any more, or will never be submitted."""
        self.requests.state[row], self.outcomes.end[row] = self.taken_back(row), now

    def start(self, rows: Rows, now: float) -> Rows:
        """Start the rows and return the jobs evicted for them, or start none and raise ``PolicyError``."""
        fault = pool.verdict(self.state, now, rows)
        if fault < 0:
            self.refuse(rows, fault, now)
        return self.done[: pool.start_rows(self.state, self.truth, now, rows)]

    def overrunning(self, now: float) -> int:
        """How many jobs at the head of ``running_rows`` have outlived their estimates and may be evicted."""
        return overrunning(self.state, now)

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


def grown(array: Column, size: int) -> Column:
    """A longer array that begins with the same values; the others are 0."""
    longer: Any = np.zeros_like(array, shape=size)
    longer[: len(array)] = array
    return cast(Column, longer)
