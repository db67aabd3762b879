"""The model asked second by second whom it would start, beside the jobs that really run, where they do.

Jobs start, and end, when and where they really did, so that what the model says in one second does not depend on what
it would have done before. Slurm may look at the queue between two events of one second, which its log tells apart. So
the model is asked again, if it would not start a job when Slurm does, as if the events that came later had not been.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, inf

import numpy as np

from thinktime.models.engine.codes import nodes as codes
from thinktime.models.engine.codes.slurm import STEP
from thinktime.models.engine.limits.entry_rows import job_of
from thinktime.models.engine.rooms.nodes import change, find, settle
from thinktime.models.jobs.view import View
from thinktime.models.machine.nodes.pool import NodePool
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.policies.entry import ReadyPolicy, trusted
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.spec import as_policy
from thinktime.workloads.arrays import Ints, Rows
from thinktime.workloads.units import MINUTE
from tools.slurm.model import Play, imported, machine_of
from tools.slurm.recording import Attempt, Moment, Recording
from tools.slurm.workload import Row


@dataclass(frozen=True, slots=True)
class Start:
    """How the model sees a start of Slurm's."""

    late: int | None
    """For how many seconds the model has wanted it without a break; None if it would not start the job."""
    there: bool = False
    """Whether it would start it on the nodes that Slurm chose, then or in the second before."""
    before: tuple[str, ...] = ()
    """Jobs that were submitted or over in the same second, but after Slurm had looked: so the model would start it."""


@trusted
class Asker(ReadyPolicy):
    """A policy that asks another one in every second, and starts the jobs that really started, where they did."""

    def __init__(self, asked: QueuePolicy) -> None:
        self.asked, self.order = asked, asked.order
        self.pool: NodePool
        self.really: dict[int, tuple[int, list[int]]] = {}
        """The second of the start of each row, and its nodes."""
        self.last = inf
        """When the last one starts."""
        self.wanted: dict[int, dict[int, list[int]]] = {}
        """Whom the other one would have started, by seconds, and on which nodes."""

    def next_clock(self, now: float) -> float:
        """The next second, until the last job has started."""
        return floor(now) + 1.0 if now < self.last else inf

    def select(self, view: View, now: float) -> Rows:
        """Note whom it would start."""
        left = self.pool.site.free.copy()
        wanted = self.asked.select(view, now)
        assert isinstance(wanted, np.ndarray)
        self.wanted.setdefault(floor(now), {}).update(self._places(wanted.tolist()))
        due = sorted(row for row in view.waiting.tolist() if self.really.get(row, (inf,))[0] <= now)
        for row in due:
            self._put(row, self.really[row][1], left)
        return np.array(due, np.int64)

    def _places(self, rows: list[int]) -> Iterator[tuple[int, list[int]]]:
        """Where jobs would be that start now: where the pass has planned them, else where the allocator says."""
        state, site, left = self.pool.state, self.pool.site, self.pool.site.free.copy()
        for row in rows:
            if site.size[row] == 0 and find(state, site.shape.item(row), 0, left):
                settle(state, row)
            else:
                change(state, row, site.shape.item(row), codes.TAKE, left)
            yield job_of(state, row), site.nodes_of(np.array([row]))[1].tolist()

    def _put(self, row: int, nodes: list[int], left: Ints) -> None:
        """Let a job start on some nodes, and take what it needs of what these have left: all others are full for it."""
        site, free = self.pool.site, np.zeros_like(left)
        free[nodes] = left[nodes]
        if find(self.pool.state, site.shape.item(row), 0, free):
            settle(self.pool.state, row)
            site.planned[row], left[nodes] = 1, free[nodes]


class Asked(Play):
    """One run in which every job starts when it really did; ``later`` events take place in the second after theirs."""

    def __init__(self, recording: Recording, later: Sequence[tuple[str, str]] = ()) -> None:
        self._later = set(later)
        before = {each.job for each in recording.moments if each.what == "end" and _is_before_tick(recording, each)}
        really = {name: attempts[-1] for name, attempts in recording.attempts.items()}
        limits = {row.name: row.limit for row in recording.rows}
        lengths = {
            name: each.end - each.start + ((name, "end") in self._later) - STEP * (name in before)
            if each.end is not None
            else MINUTE * int(limits[name.partition("_")[0]])
            for name, each in really.items()
            if each.start is not None
        }
        super().__init__(recording, {name: max(1, length) for name, length in lengths.items()})
        asker = self.machine.policy
        assert isinstance(asker, Asker) and isinstance(self.machine.pool, NodePool)
        self.asker, asker.pool = asker, self.machine.pool
        asker.last = max((each.start for each in really.values() if each.start is not None), default=0)
        self.found()

    def spec(self) -> MachineSpec:
        """The machine under the policy that asks."""
        spec, asked = machine_of(self.recording), as_policy(machine_of(self.recording).policy)
        assert isinstance(asked, QueuePolicy)
        return spec.under(Asker(asked))

    def submitted(self) -> None:
        """Note when and where jobs that have just been submitted really start."""
        for name, event in self.events.items():
            attempt = self.really[name][-1]
            if attempt.start is not None:
                self.asker.really[event.row] = attempt.start, [self.nodes.numbers[node] for node in attempt.nodes]

    def _time(self, row: Row) -> int:
        return super()._time(row) + ((row.name, "submit") in self._later)

    def seen(self, name: str, attempt: Attempt) -> Start:
        """How the model sees a start."""
        assert attempt.start is not None
        row, wanted, begin = self.events[name].row, self.asker.wanted, attempt.start
        while row in wanted.get(begin - 1, ()):
            begin -= 1
        seconds = attempt.start, attempt.start - 1
        places = [wanted[second][row] for second in seconds if row in wanted.get(second, ())]
        if not places:
            return Start(None)
        return Start(attempt.start - begin, [self.nodes.numbers[node] for node in attempt.nodes] in places)


def asked_about(recording: Recording) -> dict[str, Start]:
    """How the model sees each start; empty where jobs preempt others, or are in several partitions.

    Then more happens at a start than that a job starts.
    """
    several = any("," in row.partition for row in recording.rows)
    if several or imported(recording).site.preemption.type != "none":
        return {}
    asked = Asked(recording)
    return {name: _seen(recording, asked, name, attempt) for name, attempt in _started(recording)}


def _is_before_tick(recording: Recording, moment: Moment) -> bool:
    """Whether something happened in the second of a tick, but before it: in the model ticks come first."""
    since = (moment.time - recording.tick_moment) % MINUTE
    return since > MINUTE - recording.tick_moment % 1.0


def _started(recording: Recording) -> Iterator[tuple[str, Attempt]]:
    for name, attempts in recording.attempts.items():
        if attempts[-1].start is not None:
            yield name, attempts[-1]


def _seen(recording: Recording, asked: Asked, name: str, attempt: Attempt) -> Start:
    if (found := asked.seen(name, attempt)).late is not None:
        return found
    moments = recording.moments
    when = next((each.time for each in moments if (each.job, each.what) == (name, "start")), None)
    if when is None:
        return found
    later = [
        (each.job, each.what)
        for each in moments
        if when < each.time < floor(when) + 1 and each.what != "start" and each.job != name
    ]
    again = Asked(recording, later).seen(name, attempt) if later else found
    return found if again.late is None else replace(again, before=tuple(job for job, _ in later))
