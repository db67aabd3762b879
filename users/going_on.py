"""The users of a log, begun in the middle: what each of them does from now on, given what the log says until now.

A user submits *batches* (`thinktime.workloads.user_models.sessions`). After the end of one, the user pauses, and the
next one comes; or it *overlaps*: it comes some time after the last submission, while jobs of the one before still wait
or run. How many of a user's batches overlap, and after what time, is the user's own share, with that of all users as a
prior.

**Pauses** are those of the rule ``reacting`` (`thinktime.users.think_times`), of the user's own rank: of all pauses of
the log, the `NEIGHBOURS` that began at the most similar time of the day and the week, after the most similar response
time, make a distribution, in which each pause of the user has a rank. The next pause has one of these ranks (or any,
with the weight of `PRIOR` pauses) in the distribution of the time at which it begins and the response time before it.

**Now**, a user may

* have jobs in the machine: then the user waits for these, and may submit before they are over, if the log has gaps
  between submissions that are longer than the present one;
* think, since the end of the last batch: then the pause is longer than it has been so far. If none of the neighbours
  is, it is one of the `WIDE` next ones, of which those that still go on count as censored; and if none of these is, the
  user is away for as long as anybody looks.

The **jobs** of a batch are those of one of the user's last `RECENT` batches, each as likely as any other. Those that
have not ended run as long as the law of jobs alike says (`thinktime.workloads.run_times`). Users whom the log does not
know submit nothing, and no user comes who never came.

All this is ours. Random numbers belong to the draw and the user, so that users have the same luck on every machine.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.log_source import LogSource
from thinktime.users.nearest import NearPauses
from thinktime.users.past_jobs import PastJobs
from thinktime.users.source import Begun, Process
from thinktime.users.think_times import ABSENCE, NEIGHBOURS
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.product_limit import product_limit
from thinktime.workloads.run_times import Law, Part, RunTimes
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Lucks, Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.rhythm import LocalClock, local_seconds
from thinktime.workloads.user_models.sessions import Groups, delimit, spans

PRIOR = 1.0
"""So many pauses, with any rank, count among those of a user."""
WIDE = 500
"""The pauses that are looked at if none of the neighbours is long enough."""
RECENT = 30
"""The last batches of a user that may come again."""
OVERLAPS = 2.0
"""For how many batches the share of overlaps of all users counts in that of one."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What one user did so far."""

    label: Any
    """The user's name on a machine."""
    batches: Whole
    """The user's last batches, as rows of the log's batches."""
    ranks: Floats
    """Of the user's pauses, from 0 to 1."""
    overlap: float
    """The share of batches that overlap the one before."""
    gaps: Floats
    """From the last submission of a batch to one that overlaps it, ascending, s."""
    last_end: float
    """When the last batch was over; NaN if it was not by now (s of the log)."""
    response: float
    """Its response time, s."""


class Again(NamedTuple):
    """A batch of the log that comes again."""

    runtime: Floats
    """s, as far as it is known."""
    unknown: list[tuple[int, int]]
    """The places of jobs in it that are not over, and their rows of the log."""
    offset: Floats
    """How long after the first each job is submitted, s."""
    columns: dict[str, Any]
    """What else is known of the jobs, as a machine loads them."""


class Pauses:
    """The pauses of a log up to some time, and those that went on then."""

    def __init__(self, log: Trace, batches: Groups, now: float) -> None:
        before = batches.before()
        follows = before >= 0
        self.overlaps = follows & (batches.submit < batches.end[before])
        self.gap: Floats = np.where(self.overlaps, batches.submit - batches.last_submit[before], np.nan)
        pauses = np.flatnonzero(follows & ~self.overlaps)
        last = np.flatnonzero(np.diff(batches.owner, append=-1))
        last = last[batches.end[last] <= now]
        begun = np.concatenate([before[pauses], last])
        self.owner = batches.owner[begun]
        self.seen = np.arange(len(begun)) < len(pauses)
        self.length: Floats = np.concatenate(
            [batches.submit[pauses] - batches.end[before[pauses]], now - batches.end[last]]
        )
        self._wall, self._response = local_seconds(log, batches.end[begun]), batches.response[begun]
        known = np.flatnonzero(self.seen | (self.length >= ABSENCE))
        self._known = np.where(self.seen, self.length, np.inf)[known]
        self._near = NearPauses(self._wall[known], self._response[known], NEIGHBOURS) if len(known) else None
        self._known_owner = self.owner[known]
        self._place = known

    @cached_property
    def _wide(self) -> NearPauses:
        return NearPauses(self._wall, self._response, WIDE)

    def like(self, wall: float, response: float) -> Floats:
        """The lengths (s, ascending) of those that began most like this; infinite for absences without an end."""
        if self._near is None:
            return np.empty(0)
        found = self._known[self._near.of(wall, response)]
        found.sort()
        return found

    def ranks(self) -> tuple[Whole, Floats]:
        """The owner of each known pause, and its rank among those like it, from 0 to 1."""
        found = np.empty(len(self._known))
        places = zip(self._wall[self._place].tolist(), self._response[self._place].tolist(), strict=True)
        for place, (wall, response) in enumerate(places):
            like, own = self.like(wall, response), self._known[place]
            found[place] = (np.searchsorted(like, own, "left") + np.searchsorted(like, own, "right")) / (2 * len(like))
        return self._known_owner, found

    def beyond(self, wall: float, response: float, age: float, ranks: Floats) -> Law:
        """The law of a pause that has lasted for so long (s), of a user with these ranks."""
        like = self.like(wall, response)
        if len(like):
            place = np.minimum((ranks * len(like)).astype(np.int64), len(like) - 1)
            weights = (np.bincount(place, minlength=len(like)) + PRIOR / len(like))[like > age]
            if len(weights):
                shares = np.cumsum(weights) / weights.sum()
                return Law(0, len(weights), (Part(1.0, like[like > age], shares - 1.0),))
        near = self._wide.of(wall, response).copy() if len(self.length) else np.empty(0, np.int64)
        near = near[self.length[near] > age]
        times, survival = product_limit(self.length[near], self.seen[near])
        events = np.diff(survival, prepend=1.0) < 0
        return Law(1, len(near), (Part(1.0, times[events], -survival[events]),))


class GoingOn(PastJobs):
    """What the users of a log do after a time ``now`` (s of the log), which is fitted once for many draws."""

    def __init__(self, given: Trace | NodeLog, now: float, known: RunTimes | None = None) -> None:
        super().__init__(given, now, known)
        self.batches = delimit(self.log, "arrival").batches
        self.clock = LocalClock.of_log(self.log)
        self.pauses = Pauses(self.log, self.batches, now)

    @property
    def known(self) -> set[Any]:
        """The names of the users."""
        return set(self.habits)

    def again(self, batch: int, on_nodes: bool) -> Again:
        """What a batch is, looked up once for all draws; machines of nodes are told of memory where there is none."""
        found = self._again.get((batch, on_nodes))
        if found is None:
            log, jobs = self.log, self.batches.order[self.batches.bounds[batch] : self.batches.bounds[batch + 1]]
            columns: dict[str, Any] = {name: getattr(log, name)[jobs] for name in self.labelled}
            memory = log.requested_memory[jobs]
            if on_nodes or (memory > 0).any():
                columns["memory"] = np.where(memory > 0, memory * 1024.0, np.nan)
            if SHAPE in log.further:
                columns[SHAPE] = log.further[SHAPE][jobs]
            if self.requests is not None:
                columns["asked"] = [self.requests[job] for job in jobs.tolist()]
            columns |= {"processors": log.processors[jobs], "estimate": log.estimate[jobs]}
            unknown = [(place, jobs.item(place)) for place in np.flatnonzero(~self.over[jobs]).tolist()]
            offset = log.submit[jobs] - self.batches.submit[batch]
            found = self._again[batch, on_nodes] = Again(log.runtime[jobs], unknown, offset, columns)
        return found

    @cached_property
    def _again(self) -> dict[tuple[int, bool], Again]:
        return {}

    @cached_property
    def habits(self) -> dict[Any, Habits]:
        """Those of each user, by name."""
        owner, ranks = self.pauses.ranks()
        batches, called = self.batches, self.log.names.get("user", {})
        order = np.argsort(owner, kind="stable")
        overlaps, follows = self.pauses.overlaps, batches.before() >= 0
        usual = overlaps.sum() / max(1, follows.sum())
        everybodys, found = np.sort(self.pauses.gap[overlaps]), {}
        for own in spans(batches.owner):
            number, code, last = batches.user.item(own.start), batches.owner.item(own.start), own.stop - 1
            mine = slice(*np.searchsorted(owner[order], [code, code + 1]))
            gaps, count = np.sort(self.pauses.gap[own][overlaps[own]]), int(follows[own].sum())
            label = called.get(number, number)
            end = batches.end.item(last)
            found[label] = Habits(
                label,
                np.arange(max(own.start, own.stop - RECENT), own.stop),
                ranks[order[mine]],
                (len(gaps) + OVERLAPS * usual) / (count + OVERLAPS),
                gaps if len(gaps) >= OVERLAPS else everybodys,
                end if end <= self.now else math.nan,
                batches.response.item(last),
            )
        return found

    @cached_property
    def _thinking(self) -> dict[Any, Law]:
        """The law of the present pause of each user."""
        return {
            label: self.pauses.beyond(self.clock.wall(one.last_end), one.response, self.now - one.last_end, one.ranks)
            for label, one in self.habits.items()
            if not math.isnan(one.last_end)
        }

    def comes_back(self, luck: Floats, present: Mapping[Any, Any]) -> Iterator[tuple[Any, float]]:
        """Who thinks now and is not ``present``, and how much longer (s); ``luck`` has a number for each who thinks."""
        for (label, law), number in zip(self._thinking.items(), luck.tolist(), strict=True):
            if label not in present:
                yield label, law.quantile(np.array([number])).item() - (self.now - self.habits[label].last_end)

    @property
    def thinking(self) -> int:
        """How many users think."""
        return len(self._thinking)


class UsersGoingOn(LogSource):
    """One draw of what the users of a log do from now on, on a machine that begins from a state.

    ``ahead`` (s) is what the clock of the machine is ahead of that of the log.
    """

    recorded = False
    closed = True
    endless = True
    resizes = False

    def __init__(self, going_on: GoingOn, seed: Seed, ahead: float = 0.0) -> None:
        super().__init__(going_on.log)
        self.jobs = 0
        self._of, self._lucks, self._ahead = going_on, Lucks(seed), ahead

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start the users: those with jobs in the machine, and those who come back."""
        self._env, self._machine = env, machine
        jobs, names = machine.pool.requests, machine.names["user"]
        there = np.flatnonzero((jobs.state[: jobs.size] == State.WAITING) | (jobs.state[: jobs.size] == State.RUNNING))
        there = there[(jobs.id[there] >= 0) & (jobs.user[there] >= 0)]
        there = there[np.argsort(jobs.user[there], kind="stable")]
        present = {names[jobs.user.item(there[own.start])]: there[own] for own in spans(jobs.user[there])}
        for label, rows in present.items():
            if label in self._of.habits:
                env.process(self._waiting(label, rows))
        luck = self._lucks.stream("back").random(self._of.thinking)
        for label, time in self._of.comes_back(luck, present):
            if math.isfinite(time):
                env.process(self._coming(label, max(0.0, time)))
        return Begun(simpy.Event(env))

    def _waiting(self, label: Any, rows: Whole) -> Process:
        """A user who has jobs in the machine."""
        jobs, rng = self._machine.pool.requests, self._luck_of(label)
        over = self._machine.watch(rows)
        one, since, now = self._of.habits[label], jobs.submit[rows], float(self._env.now)
        yield from self._after(one, rng, over, float(since.min()), now - float(since.max()))
        yield from self._batches(one, rng)

    def _coming(self, label: Any, time: float) -> Process:
        """A user who comes back after a time (s)."""
        yield self._env.timeout(self._on_grid(time))
        yield from self._batches(self._of.habits[label], self._luck_of(label))

    def _luck_of(self, label: Any) -> np.random.Generator:
        return self._lucks.stream(label, "going on")

    def _on_grid(self, time: float) -> float:
        return ceil_to_grid(self._env.now + time) - self._env.now

    def _after(self, one: Habits, rng: np.random.Generator, over: Any, submit: float, age: float) -> Process:
        """Until the next batch; the one before was submitted at a time, and its last jobs ``age`` s ago."""
        longer = one.gaps[np.searchsorted(one.gaps, age, "right") :] if age else one.gaps
        luck, which, rank, jitter = rng.random(4).tolist()
        left = one.overlap * len(longer) / max(1, len(one.gaps))
        if luck * (left + 1.0 - one.overlap) < left:
            yield over | self._env.timeout(self._on_grid(longer.item(int(which * len(longer))) - age))
        else:
            yield over
        if over.triggered:
            now = float(self._env.now)
            pause = self._pause(one, now, now - submit, rank, jitter)
            yield self._env.timeout(self._on_grid(pause)) if math.isfinite(pause) else simpy.Event(self._env)

    def _pause(self, one: Habits, now: float, response: float, rank: float, jitter: float) -> float:
        """How long a user pauses who has just got results, s."""
        like = self._of.pauses.like(self._of.clock.wall(now - self._ahead), response)
        if not len(like):
            return math.inf
        place = int(rank * (len(one.ranks) + PRIOR))
        share = one.ranks.item(place) + (jitter - 0.5) / len(like) if place < len(one.ranks) else jitter
        return like.item(min(max(0, int(share * len(like))), len(like) - 1))

    def _batches(self, one: Habits, rng: np.random.Generator) -> Process:
        """Submit one batch after the other."""
        while True:
            chosen = one.batches.item(int(rng.random() * len(one.batches)))
            rows, offset = self._load(one.label, chosen, rng)
            over, begun = self._machine.watch(rows), float(self._env.now)
            if last := offset.item(-1):
                self._machine.announce(rows, begun + offset)
                yield self._env.timeout(last)
            else:
                self._machine.submit_rows(rows)
            yield from self._after(one, rng, over, begun, 0.0)

    def _load(self, label: Any, batch: int, rng: np.random.Generator) -> tuple[range, Floats]:
        """The rows of the jobs of a batch of the log, on the machine, and their offsets (s)."""
        again = self._of.again(batch, self._machine.nodes is not None)
        luck = rng.random(len(again.offset))
        runtime = again.runtime.copy() if again.unknown else again.runtime
        for place, job in again.unknown:
            runtime[place] = self._of.run_time(job, luck.item(place))
        rows = self._machine.load_jobs(label, len(runtime), called=self._of.log.names, runtime=runtime, **again.columns)
        return rows, again.offset
