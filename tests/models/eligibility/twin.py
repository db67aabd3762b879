"""A brute-force machine whose jobs have conditions: at every instant, everything is asked anew from the definitions.

Written from Slurm's manual of sbatch and what a Slurm 22.05.8 did; it shares no code with the package. The
rules are those of `tests.models.twin.reference_rules`.
"""

import math
from dataclasses import dataclass, field

from tests.models.twin.reference_rules import Hold, Profile, RefJob, plan

PENDING, MET, NEVER = range(3)


@dataclass
class Wish:
    """One dependency: a kind, the ids of the jobs that it names (several for an array), and a delay in s."""

    kind: str
    jobs: list[int]
    delay: float = 0.0


@dataclass
class Task:
    """A job, and what becomes of it."""

    id: int
    submit: float
    runtime: float
    estimate: float
    width: int
    user: str = "u"
    name: str | None = None
    begin: float = 0.0
    released: float = 0.0
    """When the hold ends with which it was submitted."""
    hold: tuple[float, float] | None = None
    """Between what times it is held, if it waits at the first."""
    held: bool = False
    wishes: list[Wish] = field(default_factory=list)
    any_of: bool = False
    array: int | None = None
    at_most: int = 10**9
    fails: bool = False
    cancelled: float = math.inf
    state: str = "future"
    joined: bool = False
    eligible: float | None = None
    start: float | None = None
    end: float | None = None

    @property
    def over(self) -> bool:
        return self.end is not None

    @property
    def ok(self) -> bool:
        return self.state == "finished" and not self.fails


class Twin:
    """Jobs on some processors under a rule (``none``, ``no-guarantee``, ``easy``) in an order (``fcfs``, ``sjf``)."""

    def __init__(self, processors: int, tasks: list[Task], rule: str, order: str, kills: bool) -> None:
        self.processors, self.tasks, self.rule, self.order, self.kills = processors, tasks, rule, order, kills
        self.by_id = {task.id: task for task in tasks}
        self.now = 0.0

    def run(self) -> list[Task]:
        """Let everything happen."""
        while self.now < math.inf:
            while self._round():
                pass
            self.now = self._next()
        return self.tasks

    def _next(self) -> float:
        times = {task.submit for task in self.tasks} | {task.begin for task in self.tasks}
        times |= {task.released for task in self.tasks} | {task.cancelled for task in self.tasks}
        times |= {time for task in self.tasks for time in task.hold or ()}
        times |= {self._ends(task) for task in self.tasks if task.state == "running"}
        delays = {wish.delay for task in self.tasks for wish in task.wishes}
        moments = [time for task in self.tasks for time in (task.start, task.end) if time is not None]
        times |= {moment + delay for moment in moments for delay in delays}
        return min((time for time in times if time > self.now), default=math.inf)

    @staticmethod
    def _ends(task: Task) -> float:
        assert task.start is not None
        return task.start + min(task.runtime, task.estimate)

    def _round(self) -> bool:
        """Ends, cancellations, submissions, those who join or give up, a pass; whether there is to be another round."""
        for task in self.tasks:
            if task.state == "running" and self._ends(task) <= self.now:
                self._finish(task, "killed" if task.runtime > task.estimate else "finished", self._ends(task))
            elif task.state == "running" and task.cancelled <= self.now:
                self._finish(task, "killed", self.now)
        for task in self.tasks:
            if task.hold is not None and task.state == "waiting" and self.now in task.hold:
                task.held = self.now == task.hold[0]
                if task.held:
                    task.joined, task.eligible = False, None
        for task in self.tasks:
            if task.state == "waiting" and task.cancelled <= self.now:
                self._finish(task, "withdrawn", self.now)
            elif task.state == "future" and task.submit <= self.now:
                task.state = "waiting"
        given_up = [task for task in self._aside() if self.kills and self._verdict(task) == NEVER]
        for task in sorted(self._aside(), key=lambda each: each.id):
            if self._is_eligible(task):
                task.eligible = self.now if task.eligible is None else task.eligible
                task.joined = self._in(task) < task.at_most
        for task in given_up:
            self._finish(task, "withdrawn", self.now)
        started = self._pass()
        for task in started:
            task.state, task.start = "running", self.now
        return bool(started or given_up)

    def _finish(self, task: Task, state: str, end: float) -> None:
        task.state, task.end = state, end

    def _aside(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "waiting" and not task.joined]

    def _in(self, task: Task) -> int:
        """How many tasks of the same array are in the queue or run."""
        return sum(each.array == task.array and each.joined and not each.over for each in self.tasks)

    def _is_eligible(self, task: Task) -> bool:
        free = task.begin <= self.now and task.released <= self.now and not task.held
        return free and self._verdict(task) == MET

    def _verdict(self, task: Task) -> int:
        verdicts = [self._of_wish(task, wish) for wish in task.wishes]
        if not verdicts:
            return MET
        first, then = (MET, NEVER) if task.any_of else (NEVER, MET)
        if first in verdicts:
            return first
        return then if all(verdict == then for verdict in verdicts) else PENDING

    def _of_wish(self, task: Task, wish: Wish) -> int:
        named = [self.by_id[number] for number in wish.jobs]
        if wish.kind == "singleton":
            named = [each for each in self.tasks if (each.user, each.name) == (task.user, task.name)]
            named = [each for each in named if (each.submit, each.id) < (task.submit, task.id)]
        if wish.kind == "after":
            since = [each.start if each.start is not None else each.end for each in named]
            return MET if all(each is not None and each + wish.delay <= self.now for each in since) else PENDING
        if not all(each.over for each in named):
            return PENDING
        fine = all(each.ok for each in named)
        if wish.kind in ("afterok", "aftercorr"):
            return MET if fine else NEVER
        return (NEVER if fine else MET) if wish.kind == "afternotok" else MET

    def _queue(self) -> list[Task]:
        queue = [task for task in self.tasks if task.state == "waiting" and task.joined]
        key = (lambda task: task.estimate) if self.order == "sjf" else (lambda task: 0)
        return sorted(queue, key=lambda task: (key(task), task.submit, task.id))

    def _pass(self) -> list[Task]:
        jobs = [RefJob(task.id, task.submit, task.width, task.runtime, task.estimate) for task in self._queue()]
        running = [task for task in self.tasks if task.state == "running"]
        holds = [Hold(self.now, (task.start or 0.0) + task.estimate, task.width) for task in running]
        starts, _ = plan(self.rule, jobs, Profile(self.processors, tuple(holds)), self.now)
        return [self.by_id[job.id] for job in starts]
