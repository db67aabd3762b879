"""A pool of identical processors: who runs, who waits, and the columns of all jobs.

A pool has the arrays on which the engine works, and does what it is told: it has no policy and no clock. The machine
drives it under SimPy's clock, and a forecast drives a copy without one. A `NodePool` has nodes beside it; *on a
pool* means: on processors without nodes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine import pool
from thinktime.models.engine.codes import fields
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.gapped import line_up
from thinktime.models.engine.kinds import make_state
from thinktime.models.engine.machine_state import State as MachineState
from thinktime.models.engine.room import overrunning
from thinktime.models.engine.sources.by_hazard import go_on
from thinktime.models.engine.sources.chains import announced, await_first_releases, chained
from thinktime.models.engine.sources.timetables import announce
from thinktime.models.engine.truth import Truth
from thinktime.models.jobs.assumed_ends import AssumedEnds
from thinktime.models.jobs.below_cap import BelowCap
from thinktime.models.jobs.chains import Chain, ChainedBatches
from thinktime.models.jobs.columns import Outcomes, Requests, grown
from thinktime.models.jobs.copies import but_for
from thinktime.models.jobs.held_back import HeldBack
from thinktime.models.jobs.impatience import FOR_EVER, Impatience
from thinktime.models.jobs.refusing import Refusing
from thinktime.models.jobs.unchanging import Unchanging
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.state import State
from thinktime.workloads.arrays import NO_ROWS, Rows
from thinktime.workloads.names import quoted

OF_REQUESTS = (
    "id", "user", "group", "campaign", "submit", "processors", "equivalents", "requested", "think_time", "estimate",
    "key", "start", "expected_end", "promised", "latest_start", "state",
)  # fmt: skip
"""The columns of jobs that the engine has."""
NO_REASONS: NDArray[np.int8] = np.empty(0, np.int8)
NOTHING_TO_COME: tuple[NDArray[Any], ...] = np.empty(0), np.empty(0), NO_REASONS, NO_ROWS, NO_ROWS, np.empty(0)

OVERRUNS = {"kill": at.KILL, "extend": at.EXTEND, "until_needed": at.UNTIL_NEEDED}
ALIKE = ("user", "group", "queue", "partition", "nice", "campaign", "processors", "memory", "power")
"""What the segments of a job have in common."""
GRACE = 1.0  # s from now to the expected end of an overrunning job (the contract of one instant)


class Pool(HeldBack, Impatience, BelowCap, Refusing, AssumedEnds, Unchanging):
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

    def end_at_sweeps(self, limits: TimeLimits) -> None:
        """From now on, jobs that reach their limits are ended as Slurm does it."""
        self.state.bind(
            sweep=limits.sweep, sweep_phase=limits.phase, over_time_limit=limits.over_time_limit,
            last_wait=limits.last_wait,
        )  # fmt: skip
        if self.mode == at.KILL:
            self.grace = GRACE

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
    """SimPy's events to come, where code in Python may add to them in the middle of a leap."""

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
        twin.outcomes.attention &= at.UNWANTED | at.LATE  # no user is told
        twin.state.head = twin.state.passed_over = 0
        twin.truth.bind(**Truth.NUMBERS | {"next_end": self.truth.next_end, "last_end": self.truth.last_end})
        return twin

    def _instead(self, size: int) -> dict[int, Any]:
        """What a snapshot has instead of some parts, by their identities: who comes and who is told is left out."""
        changing = ("key", "start", "expected_end", "promised", "latest_start", "state", *self.of_runs)
        users = (self.tables, self.stops, self.told, self.begun, self.left, self.watches, self.campaigns,
                 self.following, self.limit)  # fmt: skip
        return dict.fromkeys(map(id, users), NO_ROWS) | {
            id(self.requests): self.requests.snapshot(size, changing),
            id(self.outcomes): self.outcomes.snapshot(size, ("end", "fate", "attention")),
            id(self.waiting): grown(self.waiting_rows, size),
            id(self.arrived): np.empty(size, np.int64),
            id(self.reason): NO_REASONS,
            id(self.patience): FOR_EVER,
            id(self.coming): NOTHING_TO_COME,
            id(self.batches): ChainedBatches(),
            id(self.cancelled_in_log): [],
            id(self.eligible): self.eligible,
            id(self.eligibility): None,
            id(self.limits): None if self.limits is None else self.limits.copied(size),
        }

    def raise_fault(self) -> None:
        """Raise what a user's function has raised inside the engine."""

    def look(self, now: float) -> tuple[int, int]:
        """It is this time now; returns how many processors are up, and how many are idle for any job."""
        return self.processors, self.idle

    def could_hold(self, rows: Rows) -> NDArray[np.bool_]:
        """Whether each of some jobs could run if the machine were idle."""
        processors = self.requests.processors[rows]
        could: NDArray[np.bool_] = (processors >= 1) & (processors <= self.processors)
        return could

    def append(self, count: int, runtime: Any, **columns: Any) -> slice:
        """Add jobs to the columns, all of them or none; their state is ``FUTURE`` unless given."""
        with self.all_or_none():
            self.outcomes.append(count, runtime=runtime)
            if "estimate" in columns:
                columns.setdefault("requested", columns["estimate"])
            rows = self.requests.append(count, **columns)
            self.reserve(0)
            self.note_watts(rows, columns)
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
        if len(self.following):
            self._make_following()
        self.make_patient()
        self.make_watts()
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
        if len(self.out) < jobs.capacity:  # a policy may be about to read them, in the middle of an instant
            self.out, self._scratch = grown(self.out, jobs.capacity), grown(self._scratch, jobs.capacity)
        self.state.bind(
            **{name: getattr(jobs, name) for name in OF_REQUESTS}, eligible=self.eligible, waiting=self.waiting,
            running=self.running, fresh=self.fresh, expected=self.expected, out=self.out, scratch=self._scratch,
            **self._bound_room(),
        )  # fmt: skip
        if self.limits is not None:
            self.state.bind(**self.limits.arrays(jobs.capacity))
        self.bind_watts()
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
        if not len(self.following):
            self._make_following()
            self.bind()
        self.following[before] = rows
        self.truth.to_come += len(rows)

    def _make_following(self) -> None:
        """No segment follows a job of which nothing else is said."""
        more = self.requests.capacity - len(self.following)
        self.following = np.concatenate([self.following, np.full(more, -1)])

    def chain(self, chain: Chain, now: float, total: int) -> None:
        """Batches wait for each other; the watch ``total`` ends with the last one."""
        number = np.repeat(np.arange(len(chain)), np.diff(chain.bounds))
        first = len(self.batches)
        self.outcomes.watch[chain.rows] = -2 - first - number
        self.batches.add(chain, now, total)
        self.make_tables(0)
        self.bind()
        await_first_releases(self.truth, first, first + len(chain))
        if chain.hazards is not None and chain.hazards.midway is not None:
            users = len(self.batches.hazards.table)
            go_on(self.truth, now, users - len(chain.hazards.kind), users)

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
