"""The papers' policies on a machine that changes, each by its definition.

`Paper` is a twin (`tests.models.changes.twin`) whose pass is that of a policy of the papers. Nothing is shared with the
package. Whether a job fits beside windows and what is down, and when it does, is asked of the `Picture` of the pass.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.models.changes.case import INF, Case, Outcome, Time
from tests.models.changes.decision import Decision
from tests.models.changes.easy_on_nodes import EasyOnNodes
from tests.models.changes.pictures import Picture, Place
from tests.models.changes.rules import News
from tests.models.changes.tasks import Task
from tests.models.changes.twin import Twin

Key = Callable[[Task], Any]


class Rule:
    """A pass by definition, and what it remembers."""

    broken = 0

    def __init__(self, case: Case, tasks: list[Task]) -> None:
        self.case, self.tasks = case, tasks
        self.thrown_out: list[Task] = []
        """Those whom an interruption has killed."""

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        raise NotImplementedError

    def times(self, now: int) -> Iterable[Time]:
        """The instants that it wants."""
        return ()

    def runs(self, now: int) -> Iterable[tuple[Task, int, int]]:
        """Every run of every job, from when to when; those that go on are cut off now."""
        for task in self.tasks:
            yield from ((task, run.start, int(run.end)) for run in task.runs)
            if task.state == "running":
                yield task, task.start, now


class Paper(Twin):
    """One run of one case under a rule of the papers."""

    def __init__(self, case: Case, rule: Callable[[Case, list[Task]], Rule]) -> None:
        super().__init__(case)
        self.rules: Any = rule(case, self.tasks)

    def _interrupt(self, task, why, how, news):
        super()._interrupt(task, why, how, news)
        if task.is_over:
            self.rules.thrown_out.append(task)

    def _own_times(self):
        yield from super()._own_times()
        yield from self.rules.times(self.now)


def paper(case: Case, rule: Callable[[Case, list[Task]], Rule]) -> Outcome:
    """The schedule of a case under a rule."""
    return Paper(case, rule).run()


def in_order(picture: Picture, queue: Iterable[Task], key: Key) -> list[Task]:
    """Those first whom a window admits now, then by a key, then by the time in the queue, then by number."""
    open_now = [w for w in picture.windows if w.start <= picture.now < w.end]

    def whole(task: Task) -> Any:
        return not any(w.admits(task.job) for w in open_now), key(task), task.queued, task.job.id

    return sorted(queue, key=whole)


def start_what_fits(picture: Picture, queue: Iterable[Task], decision: Decision) -> None:
    """Along the queue, without reservations."""
    for task in queue:
        place = picture.fits(task, picture.now)
        if place is not None:
            decision.start(picture, task, place)


def easy(picture: Picture, queue: list[Task], decision: Decision, reservations: int = 1) -> None:
    """Along the queue; the first jobs that do not fit get their earliest fits."""
    if reservations == 1 and not isinstance(picture.case.machine, int):
        walk = EasyOnNodes(picture.case, picture, [])
        walk.decision = decision
        walk.walk(queue)
        return
    for task in queue:
        place = picture.fits(task, picture.now)
        if place is not None:
            decision.start(picture, task, place)
        elif reservations > 0:
            reservations -= 1
            reserve(picture, task)


def reserve(picture: Picture, task: Task) -> Time:
    """Put a job at its earliest fit, and return this."""
    at, place = picture.earliest(task)
    if at < INF:
        picture.put(task, at, place)
    return at


def beside(picture: Picture, head: Task) -> tuple[Callable[[Task], Place | None], Time]:
    """What says where a job may start now beside a head, and the head's earliest fit."""
    if isinstance(picture.case.machine, int):
        shadow = reserve(picture, head)
        return lambda task: picture.fits(task, picture.now), shadow
    walk = EasyOnNodes(picture.case, picture, [])
    walk.head, (walk.shadow, _) = head, picture.earliest(head)
    return lambda task: walk.start_place(picture, task), walk.shadow


# -- creasy -----------------------------------------------------------------------------------------------------


@dataclass
class Creasy:
    """EASY by alpha c(r) + wait; waits count from the time by which a job queues."""

    alpha: float
    level: float = 0.8
    decay: float = 0.05
    reservations: int = 1

    def __call__(self, case: Case, tasks: list[Task]) -> Rule:
        settings = self

        class Pass(Rule):
            def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
                def key(task: Task) -> float:
                    wait = picture.now - task.queued
                    reach = settings.decay * (wait + task.planned) / 60 + 1
                    return -(settings.alpha * (settings.level * settings.decay / (reach * reach)) + wait)

                decision = Decision()
                easy(picture, in_order(picture, queue, key), decision, settings.reservations)
                return decision

        return Pass(case, tasks)


# -- fairshare and cplant ---------------------------------------------------------------------------------------


class Fairshare(Rule):
    """Usage of users: every second of every run, lost or not, as often halved as decays lie behind it."""

    def __init__(self, case: Case, tasks: list[Task], decay: int) -> None:
        super().__init__(case, tasks)
        self.decay = decay

    def usages(self, now: int) -> dict[str, Fraction]:
        used = {task.job.user: Fraction(0) for task in self.tasks}
        for task, start, end in self.runs(now):
            for second in range(start, end):
                decays = now // self.decay - second // self.decay
                used[task.job.user] += Fraction(task.job.processors, 2**decays)
        return used


class EasyByUsage(Fairshare):
    """EASY in fairshare order."""

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        used, decision = self.usages(picture.now), Decision()
        easy(picture, in_order(picture, queue, lambda task: used[task.job.user]), decision)
        return decision


class CPlant(Fairshare):
    """A starvation queue in front of a main queue in which whatever fits starts.

    A job leaves the starvation queue when it starts; one that is interrupted comes back into the main queue.
    """

    def __init__(self, case: Case, tasks: list[Task], decay: int, starve: int, barred: bool) -> None:
        super().__init__(case, tasks, decay)
        self.starve, self.barred = starve, barred
        self.starving: list[Task] = []

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        used, decision = self.usages(picture.now), Decision()
        positive = [each for each in used.values() if each > 0]
        line = sum(positive) / len(positive) if positive else 0
        self.starving = [task for task in self.starving if task in queue]
        for task in queue:
            heavy = self.barred and positive and used[task.job.user] > line
            if picture.now - task.queued >= self.starve and task not in self.starving and not heavy:
                self.starving.append(task)
        first = in_order(picture, self.starving, lambda task: 0)
        others = in_order(picture, [task for task in queue if task not in first], lambda task: used[task.job.user])
        while first and (place := picture.fits(first[0], picture.now)) is not None:
            decision.start(picture, first.pop(0), place)
        if first:
            easy(picture, first + others, decision)
        else:
            start_what_fits(picture, others, decision)
        self.starving = [task for task in self.starving if task not in [started for started, _ in decision.starts]]
        return decision


# -- relshare ---------------------------------------------------------------------------------------------------


class RelShare(Rule):
    """EASY by the use in a window of time, what running jobs are expected to use included."""

    def __init__(self, case: Case, tasks: list[Task], window: int, each_start: bool) -> None:
        super().__init__(case, tasks)
        self.window, self.each_start = window, each_start

    def inside(self, now: int, width: int, start: Time, end: Time) -> Time:
        """Processor-seconds of [start, end) in the window of now."""
        since = now - now % self.window
        return width * max(0, min(end, since + self.window) - max(start, since))

    def usages(self, now: int) -> dict[str, Time]:
        used: dict[str, Time] = {task.job.user: 0 for task in self.tasks}
        for task in self.tasks:
            for run in task.runs:
                used[task.job.user] += self.inside(now, task.job.processors, run.start, run.end)
            if task.state == "running":
                used[task.job.user] += self.inside(now, task.job.processors, task.start, task.expected_end(now))
        return used

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        used, decision, now = self.usages(picture.now), Decision(), picture.now

        def count(task: Task, start: Time) -> None:
            used[task.job.user] += self.inside(now, task.job.processors, start, start + task.planned)

        def by_use(tasks: list[Task]) -> list[Task]:
            return in_order(picture, tasks, lambda task: used[task.job.user])

        left = by_use(queue)
        while left and (place := picture.fits(left[0], now)) is not None:
            task = left.pop(0)
            decision.start(picture, task, place)
            if self.each_start:
                count(task, now)
                left = by_use(left)
        if not left:
            return decision
        head = left.pop(0)
        fits, shadow = beside(picture, head)
        for task, _ in [] if self.each_start else decision.starts:
            count(task, now)
        if shadow < INF:
            count(head, shadow)
        left = by_use(left)
        while (found := next((task for task in left if fits(task) is not None), None)) is not None:
            left.remove(found)
            place = fits(found)
            assert place is not None
            decision.start(picture, found, place)
            if self.each_start:
                count(found, now)
                left = by_use(left)
        return decision
