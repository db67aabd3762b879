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

Batches are drawn beforehand (`thinktime.users.drawn_beforehand`), and compiled code lets them come; it asks how long a
user pauses.

All this is ours. Random numbers belong to the draw and the user, so that users have the same luck on every machine.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.jobs.chains import Chain
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.drawn_beforehand import DrawnBeforehand
from thinktime.users.past_jobs import PastJobs
from thinktime.users.past_pauses import PRIOR, Pauses
from thinktime.users.source import Begun
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.run_times import Law, RunTimes
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Lucks, Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.rhythm import LocalClock
from thinktime.workloads.user_models.sessions import delimit, spans

OVERLAPS = 2.0
"""For how many batches the share of overlaps of all users counts in that of one."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What one user did so far."""

    code: int
    """The user's place among the users of the log."""
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

    @cached_property
    def labels(self) -> list[Any]:
        """The name of each user on a machine, in the order of codes, as are the following."""
        return list(self.habits)

    @cached_property
    def largest(self) -> Whole:
        """The most jobs in a batch that may come again."""
        return np.array([self.batches.jobs[begin:end].max() for begin, end in self.last.T.tolist()])

    @cached_property
    def offset(self) -> Floats:
        """How long after the first of its batch each job of the log is submitted, s."""
        return self.log.submit - self.batches.submit[self.batches.of_job]

    @cached_property
    def overlap(self) -> Floats:
        """The share of batches that overlap the one before."""
        return np.array([one.overlap for one in self.habits.values()])

    @cached_property
    def gaps(self) -> tuple[Floats, Whole, Whole]:
        """All `Habits.gaps` (s), where those of each user begin, and how many these are; users share everybody's."""
        own = [one.gaps for one in self.habits.values()]
        each = {id(gaps): gaps for gaps in own}
        count = {key: len(gaps) for key, gaps in each.items()}
        begin = dict(zip(count, np.cumsum([0, *count.values()]).tolist(), strict=False))
        places = [id(gaps) for gaps in own]
        return (
            np.concatenate(list(each.values())),
            np.array([begin[key] for key in places]),
            np.array([count[key] for key in places]),
        )

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
                code,
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


class _Drawn(NamedTuple):
    """Batches that may come, user by user."""

    user: Whole
    """The place of each batch's user among those who come."""
    chosen: Whole
    """The batch of the log that comes again."""
    sizes: Whole
    """How many jobs each has."""
    luck: Floats
    """A number for each job, batch by batch, of how long it runs."""
    after: Floats
    """Four numbers for each batch: what comes after it."""


class UsersGoingOn(DrawnBeforehand):
    """One draw of what the users of a log do from now on."""

    def __init__(self, going_on: GoingOn, span: float, seed: Seed, ahead: float = 0.0) -> None:
        super().__init__(going_on, span, ahead)
        self._of, self._lucks = going_on, Lucks(seed)

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Let the users go on: those with jobs in the machine, and those who come back."""
        jobs, names, now = machine.pool.requests, machine.names["user"], float(env.now)
        there = np.flatnonzero((jobs.state[: jobs.size] == State.WAITING) | (jobs.state[: jobs.size] == State.RUNNING))
        there = there[(jobs.id[there] >= 0) & (jobs.user[there] >= 0)]
        there = there[np.argsort(jobs.user[there], kind="stable")]
        present = {names[jobs.user.item(there[own.start])]: there[own] for own in spans(jobs.user[there])}
        known = {label: rows for label, rows in present.items() if label in self._of.habits}
        luck = self._lucks.stream("back").random(self._of.thinking)
        back = {
            label: ceil_to_grid(now + max(0.0, time))
            for label, time in self._of.comes_back(luck, present)
            if math.isfinite(time)
        }
        if known or back:
            self._chain(machine, now, known, back)
        return Begun(simpy.Event(env))

    def _chain(self, machine: Machine, now: float, known: dict[Any, Whole], back: dict[Any, float]) -> None:
        """Let those come whose jobs in these rows are in the machine, and those who come back at these times.

        Batches are those in the machine, and then those that were drawn, user by user.
        """
        of, submit = self._of, machine.pool.requests.submit
        users = [of.habits[label] for label in (*known, *back)]
        codes, here = np.array([one.code for one in users]), len(known)
        drawn, first = self._draw(codes, here)
        count, own = np.bincount(drawn.user), [submit[rows] for rows in known.values()]
        head = here + np.cumsum(count) - count
        total, last = here + len(drawn.user), head + count - 1
        release = np.full(total, np.inf)
        for place, times in enumerate(own):
            age = now - float(times.max())
            release[head[place]] = ceil_to_grid(now + (_gap(users[place], age, *first[place, :2].tolist()) - age))
        release[head[here:]] = list(back.values())
        jobs = of.jobs_of(drawn.chosen)
        rows = self._load(machine, jobs)
        places = np.concatenate([*known.values(), np.arange(rows.start, rows.stop)])
        bounds = np.concatenate([[0], np.cumsum([*map(len, own), *drawn.sizes.tolist()])])
        self._has_drawn(machine, codes, places[bounds[last + 1] - 1])
        ends = np.isin(np.arange(total), last)
        gap = np.concatenate([np.full(here, np.inf), np.where(ends[here:], np.inf, self._gaps(codes, drawn))])
        after = np.concatenate([head[:here], here + 1 + np.arange(len(drawn.user))])[~ends]
        whose, shares = [*range(here), *drawn.user.tolist()], np.concatenate([first, drawn.after])
        unknown = np.flatnonzero(~of.over[jobs])
        begin = np.searchsorted(unknown, bounds - len(places) + len(jobs)).tolist()
        begun, outcomes, requests = [float(times.min()) for times in own], machine.pool.outcomes, machine.pool.requests
        overlapped = np.isfinite(gap).tolist()

        def know(batch: int) -> None:  # and those that may come before anything else is asked
            stop = batch + 1
            while overlapped[stop - 1]:
                stop += 1
            for job in unknown[begin[batch] : begin[stop]].tolist():
                outcomes.runtime[rows.start + job] = of.run_time(jobs.item(job), drawn.luck.item(job))

        def later(batch: int, time: float, release: float, before: int) -> float:
            know(batch)
            since = begun[before] if before < here else requests.submit.item(places.item(bounds.item(before)))
            return time + self._pause(users[whose[before]], time, time - since, *shares[before, 2:].tolist())

        for batch in np.flatnonzero(np.isfinite(release)).tolist():
            know(batch)
        machine.chain(
            Chain(
                rows=places,
                bounds=bounds,
                release=release,
                links=np.concatenate([[0], np.cumsum(~ends)]),
                after=after,
                think_time=np.zeros(len(after)),
                offset=np.concatenate([np.zeros(len(places) - len(jobs)), of.offset[jobs]]),
                gap=gap[~ends],
                present=np.arange(total) < here,
                later=later,
            )
        )

    def _draw(self, codes: Whole, here: int) -> tuple[_Drawn, Floats]:
        """The batches of some users, and what comes before the first ones of those who are ``here``.

        Each user has a stream: four numbers for what comes after a batch, and before these, one for which batch it is
        and one for each of its jobs.
        """
        of, count = self._of, self._of.drawn(self._span)[codes]
        (first, stop), sizes = of.last[:, codes], of.batches.jobs
        most = count * (5 + of.largest[codes]) + 4
        begin = np.cumsum(most) - most
        luck = np.concatenate(
            [self._luck_of(of.labels[code]).random(n) for code, n in zip(codes.tolist(), most.tolist(), strict=True)]
        )
        place, begun = begin + 4 * (np.arange(len(codes)) < here), np.cumsum(count) - count
        at, chosen = np.empty(count.sum(), np.int64), np.empty(count.sum(), np.int64)
        for number in range(int(count.max())):
            who = np.flatnonzero(count > number)
            own, spot = begun[who] + number, place[who]
            at[own] = spot
            chosen[own] = first[who] + (luck[spot] * (stop - first)[who]).astype(np.int64)
            place[who] += 5 + sizes[chosen[own]]
        jobs = sizes[chosen]
        inside = np.arange(jobs.sum()) - np.repeat(np.cumsum(jobs) - jobs, jobs)
        after = luck[(at + 1 + jobs)[:, None] + np.arange(4)]
        user, of_jobs = np.repeat(np.arange(len(codes)), count), luck[np.repeat(at + 1, jobs) + inside]
        return _Drawn(user, chosen, jobs, of_jobs, after), luck[begin[:here, None] + np.arange(4)]

    def _gaps(self, codes: Whole, drawn: _Drawn) -> Floats:
        """After what time (s) since its last submission each batch is overlapped; infinite if it never is."""
        of, user, (luck, which) = self._of, codes[drawn.user], drawn.after.T[:2]
        gaps, begin, count = of.gaps
        overlap, count = of.overlap[user], count[user]
        left = overlap * count / np.maximum(1, count)
        place = begin[user] + (which * count).astype(np.int64)
        found = np.full(len(user), np.inf)
        overlaps = luck * (left + 1.0 - overlap) < left
        found[overlaps] = gaps[place[overlaps]]
        return found

    def _luck_of(self, label: Any) -> np.random.Generator:
        return self._lucks.stream(label, "going on")

    def _pause(self, one: Habits, now: float, response: float, rank: float, jitter: float) -> float:
        """How long a user pauses who has just got results, s."""
        like = self._of.pauses.like(self._of.clock.wall(now - self._ahead), response)
        if not len(like):
            return math.inf
        place = int(rank * (len(one.ranks) + PRIOR))
        share = one.ranks.item(place) + (jitter - 0.5) / len(like) if place < len(one.ranks) else jitter
        return like.item(min(max(0, int(share * len(like))), len(like) - 1))

    def _load(self, machine: Machine, jobs: Whole) -> range:
        """The machine's rows of some jobs of the log, of which it is not known yet how long those run that go on."""
        of, log = self._of, self._of.log
        columns: dict[str, Any] = {name: getattr(log, name)[jobs] for name in of.labelled}
        memory = log.requested_memory[jobs]
        if machine.nodes is not None or (memory > 0).any():
            columns["memory"] = np.where(memory > 0, memory * 1024.0, np.nan)
        if SHAPE in log.further:
            columns[SHAPE] = log.further[SHAPE][jobs]
        if of.requests is not None:
            columns["asked"] = list(map(of.requests.__getitem__, jobs.tolist()))
        columns |= {"processors": log.processors[jobs], "estimate": log.estimate[jobs]}
        columns["runtime"] = np.where(of.over[jobs], log.runtime[jobs], np.nan)
        return machine.load_jobs(log.user[jobs], len(jobs), called=log.names, **columns)


def _gap(one: Habits, age: float, luck: float, which: float) -> float:
    """How long after its last submission a user's batch is overlapped that is so old (s); infinite if it never is."""
    longer = one.gaps[np.searchsorted(one.gaps, age, "right") :] if age else one.gaps
    left = one.overlap * len(longer) / max(1, len(one.gaps))
    return longer.item(int(which * len(longer))) if luck * (left + 1.0 - one.overlap) < left else math.inf
