"""Who is told what happens on a machine: the events that were handed out, watches, and observers.

A campaign's event carries the records of its jobs, which is a Python object per job. A watch counts its jobs
down in compiled code and succeeds with the time: what replays of millions of jobs need.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.engine.codes.machine_state import OF_USER
from thinktime.models.jobs.chains import Chain
from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.events import CampaignEvent, JobEvent
from thinktime.models.machine.instants import Instants
from thinktime.models.machine.questions import Questions
from thinktime.workloads.arrays import Rows
from thinktime.workloads.names import quoted


class Observer(Protocol):
    """Who sees the machine at submissions (`Machine.observe`)."""

    def before_submissions(self, instants: Instants, rows: NDArray[np.int64], now: float) -> None:
        """The jobs in ``rows``, by id, are about to enter the queue; ``instants`` has the state before that."""
        ...


@dataclass(slots=True)
class Listeners:
    """The listeners of one machine: the machine adds them, its scheduler tells them.

    The engine counts down the jobs of campaigns and watches in arrays of the pool. Memory for watches is in proportion
    to those whose jobs are not all over.
    """

    env: simpy.Environment
    pool: Pool
    split_jobs: SplitJobs
    jobs: dict[int, JobEvent] = field(default_factory=dict)
    """The events of jobs that are not over, by their first rows."""
    campaigns: dict[int, CampaignEvent] = field(default_factory=dict)
    """The events of campaigns that are not over, by number."""
    watches: dict[int, simpy.Event] = field(default_factory=dict)
    """The events of watches whose jobs are not all over, by number."""
    observers: list[Observer] = field(default_factory=list)
    _free: list[int] = field(default_factory=list)
    questions: Questions = field(init=False)
    """What the engine asks."""
    wake: Callable[[list[int]], None] = field(default=lambda users: None)
    """Tells users who follow plans that their campaigns are over."""
    _planned: int = 0

    def __post_init__(self) -> None:
        self.questions = Questions(self.pool)

    def __bool__(self) -> bool:
        """Whether any process has to be told of ends."""
        return bool(self.jobs or self.campaigns or self.watches)

    @property
    def untold(self) -> bool:
        """Whether something has been written down that has not been told."""
        return self.pool.truth.has_news()

    def add_job(self, row: int, event: JobEvent) -> None:
        """Tell ``event`` when the job is over."""
        self.jobs[row] = event
        self._make_room()

    def add_observer(self, observer: Observer) -> None:
        """Tell ``observer`` of submissions; ``TypeError`` for what cannot be told of them."""
        if not callable(getattr(observer, "before_submissions", None)):
            given = quoted(observer)
            raise TypeError(f"an observer has a method before_submissions(instants, rows, now), unlike {given}")
        self.observers.append(observer)

    def add_campaign(self, event: CampaignEvent) -> None:
        """Tell ``event`` when the last of its jobs is over."""
        self.campaigns[event.number] = event
        self._make_room()
        if event.number >= len(self.pool.campaigns):
            self.pool.campaigns = grown(self.pool.campaigns, 2 * event.number + 64)
            self.pool.bind()
        self.pool.campaigns[event.number] = len(event.rows)

    def add_watch(self, rows: range | Rows) -> simpy.Event:
        """Watch loaded jobs that are not over."""
        number, event = self.new_watch(len(rows))
        self.pool.outcomes.watch[slice(rows.start, rows.stop) if isinstance(rows, range) else rows] = number
        return event

    def add_chain(self, chain: Chain, now: float) -> simpy.Event:
        """Watch batches; the event succeeds when the last of them is over."""
        if not len(chain):
            return simpy.Event(self.env).succeed(now)
        number, event = self.new_watch(len(chain))
        if chain.later is not None:
            self.questions.about_chain(number, len(self.pool.batches), chain.later)
        if chain.respond is not None:
            self.questions.about_responses(len(self.pool.batches), chain.respond)
        self.pool.chain(chain, now, number)
        return event

    def await_batches(self) -> None:
        """Watch the batches that the pool has already, of each chain of which some are not over."""
        batches, left = self.pool.batches.batches, self.pool.left
        numbers = {number for number in batches.total[: batches.size].tolist() if left[number]}
        self.watches |= {number: simpy.Event(self.env) for number in sorted(numbers)}
        self._free.extend(number for number in range(max(numbers, default=-1), -1, -1) if number not in numbers)

    def expect(self, users: int) -> None:
        """So many more users follow plans."""
        self._planned += users
        self._make_room()

    def new_watch(self, count: int) -> tuple[int, simpy.Event]:
        """A watch that ends when so many jobs or batches are over: its number and its event."""
        pool = self.pool
        number = self._free.pop() if self._free else len(self.watches)
        if number >= len(pool.left):
            size = 2 * number + 64
            pool.left, pool.watches = grown(pool.left, size), grown(pool.watches, size)
            pool.bind()
        pool.left[number] = count
        event = self.watches[number] = simpy.Event(self.env)
        return number, event

    def tell(self, now: float) -> None:
        """Let the events succeed whose turn the engine has written down."""
        pool, truth = self.pool, self.pool.truth
        if not truth.has_news():
            return
        watches, over, begun, hit = truth.ended_watches, truth.told_count, truth.begun_count, truth.hit_count
        truth.ended_watches = truth.told_count = truth.begun_count = truth.hit_count = 0
        for row in pool.hit[:hit].tolist():
            self.jobs[self.split_jobs.first(row)]._on_interrupt(now)
        for number in pool.watches[:watches].tolist():
            self._free.append(number)
            self.watches.pop(number).succeed(now)
        users: list[int] = []
        for row in pool.told[:over].tolist():
            if row >= OF_USER:
                users.append(row - OF_USER)
                continue
            if users:
                self.wake(users)
                users = []
            if row >= 0:
                self.jobs.pop(self.split_jobs.first(row))._on_end(now)
            else:
                self.campaigns.pop(-1 - row)._on_end()
        if users:
            self.wake(users)
        for row in pool.begun[:begun].tolist():
            self.jobs[self.split_jobs.first(row)]._on_start(now)

    def _make_room(self) -> None:
        """The engine writes no more than one line for each job, campaign and user."""
        if (lines := len(self.jobs) + len(self.campaigns) + self._planned) > len(self.pool.told):
            size = 2 * lines + 64
            self.pool.told, self.pool.begun = grown(self.pool.told, size), grown(self.pool.begun, size)
            self.pool.bind()
