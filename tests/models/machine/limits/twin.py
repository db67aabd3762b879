"""A brute-force machine under limits: at every instant, everything is asked anew from the definitions.

**A round.** Jobs end, jobs are submitted, then there is a pass. Waiting jobs that are beyond a limit, given what runs
now, are not in its queue. The rule (of `tests.models.twin.reference_rules`) decides about the others. Then the walk
goes down this queue and counts the jobs that the rule starts; at the first job that is beyond a limit given those
counted so far, chosen or not, it stops. Those counted start; if it has stopped, another pass follows at once. Jobs
without a length that have started end in another round.

Instants are submissions, ends, reservations that fall due, and times at which a waiting job comes within all its limits
as time goes by, on the next grid point.
"""

import math
from collections.abc import Sequence

from tests.models.machine.limits.rules_of_limits import SiteRules, Task
from tests.models.twin.reference_rules import Hold, Kept, Profile, RefJob
from thinktime.models.site.site import Site

GRID = 1024
FAR = 2**22
"""Beyond all decay that matters (s)."""


class Twin:
    """Jobs on some processors under a rule, in the order of submission (``fcfs``) or of estimates (``sjf``)."""

    def __init__(self, processors: int, tasks: Sequence[Task], site: Site, rule: str, order: str = "fcfs") -> None:
        self.processors, self.tasks, self.order = processors, list(tasks), order
        self.limits = SiteRules(site)
        self.kept = Kept(rule)
        self.now = -math.inf
        self.cuts = 0
        """How often the walk stopped before the end of the queue."""
        self.by_time = 0
        """How many instants there were only because time went by."""

    def run(self) -> list[Task]:
        """Let everything happen."""
        while (after := self.next_event()) < math.inf or self.waiting():
            within = self.next_within(after)
            self.by_time += within < after
            self.now = min(after, within)
            if self.now == math.inf:
                break
            while self.round():
                pass
        return self.tasks

    def waiting(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "waiting"]

    def running(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "running"]

    # time

    def next_event(self) -> float:
        """The next submission, end or reservation that falls due."""
        times = [task.submit for task in self.tasks if task.state == "future"]
        times += [_end(task) for task in self.running()] + list(self.kept.reserved.values())
        return min(times, default=math.inf)

    def next_within(self, before: float) -> float:
        """When the first waiting job that is beyond a limit comes within all of them, before something else happens."""
        found = math.inf
        for task in self.waiting():
            if self.limits.beyond(task, self.tasks, self.now):
                found = min(found, self.first_time_within(task, min(before, found)))
        return found

    def first_time_within(self, task: Task, before: float) -> float:
        """While nothing happens, what a limit is on only grows or only shrinks, so a bisection finds the time."""
        if self.limits.too_long(task) or self.limits.hopeless(task):
            return math.inf
        low = math.floor(self.now * GRID) + 1
        high = math.ceil(min(before, self.now + FAR) * GRID) - 1
        for cap in self.limits.caps(task):

            def kept(tick: int, cap=cap) -> bool:
                return self.limits.within(cap, task, self.tasks, tick / GRID)

            if low > high:
                break
            at_first, at_last = kept(low), kept(high)
            if not at_first and not at_last:
                return math.inf
            if at_first != at_last:
                change = _first(lambda tick, kept=kept, was=at_first: kept(tick) != was, low, high)
                low, high = (low, change - 1) if at_first else (change, high)
        return low / GRID if low <= high else math.inf

    # one instant

    def round(self) -> bool:
        """Ends, submissions, passes; whether another round is to follow at the same time."""
        ended = [task for task in self.running() if _end(task) <= self.now]
        for task in ended:
            task.until = _end(task)
            task.state = "killed" if task.runtime > task.estimate else "finished"
        for task in sorted(self.tasks, key=lambda each: (each.submit, each.id)):
            if task.state == "future" and task.submit <= self.now:
                there = self.waiting() + self.running()
                task.state = "refused" if self.limits.refuses(task, there) else "waiting"
                task.until = self.now if task.state == "refused" else None
        while self.schedule(bool(ended)):
            ended = []
        return any(_end(task) <= self.now for task in self.running())

    def schedule(self, freed: bool) -> bool:
        """One pass; whether another one is to follow at once."""
        queue = [task for task in self.waiting() if not self.limits.beyond(task, self.tasks, self.now)]
        queue.sort(key=lambda task: (task.estimate if self.order == "sjf" else 0, task.submit, task.id))
        chosen = self.chosen(queue, freed)
        for task in queue:
            if self.limits.beyond(task, self.tasks, self.now):
                self.cuts += 1
                return True
            if task.id in chosen:
                task.state, task.start = "running", self.now
                self.kept.reserved.pop(task.id, None)
        return False

    def chosen(self, queue: list[Task], freed: bool) -> set[int]:
        """What the rule would start."""
        jobs = [RefJob(each.id, each.submit, each.processors, each.runtime, each.estimate) for each in queue]
        busy = [Hold(self.now, _expected(each), each.processors) for each in self.running()]
        return self.kept.chosen(jobs, Profile(self.processors, tuple(busy)), self.now, freed)


def _end(task: Task) -> float:
    assert task.start is not None
    return task.start + min(task.runtime, task.estimate)


def _expected(task: Task) -> float:
    assert task.start is not None
    return task.start + task.estimate


def _first(holds, low: int, high: int) -> int:
    """The first number in (low, high] from which on something holds that does not at ``low`` and does at ``high``."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high if not holds(low) else low
