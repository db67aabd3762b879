"""A brute-force machine with budgets: at every instant, all accounts are added up anew from the jobs that have begun.

An owner has an amount in each period. A job that begins reserves the charge of its whole estimate in the period of that
time; once it is over, what it was charged takes its place. The charge is processors times the sum of a price over the
seconds of a run. A waiting job for which too little is left is held back, refused, or comes last.

**A pass.** The rule (of `tests.models.twin.reference_rules`) is given the queue without those that are held back. Down
this queue, the jobs that it chooses begin, up to the first that those before it put beyond its budget: then another
pass follows. Instants are submissions, ends, reservations that fall due, and the first ticks at which time alone leaves
enough: at the begin of a period, or since a run costs less then.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.models.twin.reference_rules import Hold, Kept, Profile, RefJob

TICK = 1 / 1024


@dataclass(eq=False)
class Task:
    """A job; times are in whole seconds."""

    id: int
    submit: int
    processors: int
    runtime: int
    estimate: int
    owner: str
    start: float = math.nan
    state: str = "future"
    last: bool = False
    """Whether it comes behind others."""

    @property
    def length(self) -> int:
        return min(self.runtime, self.estimate)


@dataclass
class Twin:
    """Jobs on some processors under a rule, with ``amounts`` by owner; ``prices`` of each second repeat."""

    processors: int
    tasks: Sequence[Task]
    rule: str
    order: str
    spent: str
    amounts: dict[str, float]
    period: int | None
    prices: Sequence[int] = (1,)
    now: float = 0.0
    stops: int = 0
    """How often starts put another job beyond its budget in a pass."""
    openings: int = 0
    """How many instants there were only because time went by."""

    def __post_init__(self) -> None:
        self.kept = Kept(self.rule)

    def run(self) -> Sequence[Task]:
        while (after := min(self.next_event(), opening := self.next_opening())) < math.inf:
            self.openings += opening < self.next_event()
            self.now = after
            self.instant()
        return self.tasks

    # accounts

    def price_until(self, time: float) -> float:
        """The sum of the price over [0, time)."""
        n, whole = len(self.prices), math.floor(time)
        turns, rest = divmod(whole, n)
        return turns * sum(self.prices) + sum(self.prices[:rest]) + (time - whole) * self.prices[rest]

    def charge(self, task: Task, begin: float, length: float) -> float:
        return task.processors * (self.price_until(begin + length) - self.price_until(begin))

    def period_of(self, time: float) -> int:
        return 0 if self.period is None else int(time // self.period)

    def left(self, owner: str, time: float) -> float:
        """What an owner may still be charged at a time from now on, if nothing begins or ends before."""
        mine = [each for each in self.tasks if each.owner == owner and each.start <= time]
        mine = [each for each in mine if self.period_of(each.start) == self.period_of(time)]
        over = (each.state in ("finished", "killed") for each in mine)
        lengths = [each.length if done else each.estimate for each, done in zip(mine, over, strict=True)]
        return self.amounts[owner] - sum(map(self.charge, mine, (each.start for each in mine), lengths))

    def beyond(self, task: Task, time: float) -> bool:
        return self.charge(task, time, task.estimate) > self.left(task.owner, time)

    def hopeless(self, task: Task) -> bool:
        """Whether it costs more than there is in a whole period, whenever it starts."""
        starts = range(len(self.prices) + 1)
        return min(self.charge(task, s, task.estimate) for s in starts) > self.amounts[task.owner]

    # time

    def waiting(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "waiting"]

    def running(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "running"]

    def next_event(self) -> float:
        times: list[float] = [task.submit for task in self.tasks if task.state == "future"]
        times += [task.start + task.length for task in self.running()] + list(self.kept.reserved.values())
        return min(times, default=math.inf)

    def next_opening(self) -> float:
        """The first tick at which a waiting job costs no more than is left; charges are lines between the seconds."""
        return min((self.opening(task) for task in self.waiting() if self.beyond(task, self.now)), default=math.inf)

    def opening(self, task: Task) -> float:
        if self.spent == "credit" or self.hopeless(task):
            return math.inf
        since = math.floor(self.now)
        for second in range(since, since + len(self.prices) + (self.period or 0) + 1):
            low, high = max(0, math.floor((self.now - second) * 1024) + 1), 1024
            if low > high or self.beyond(task, second + 1):
                if low <= 1023 and not self.beyond(task, second + low * TICK):
                    return second + low * TICK
                continue
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if self.beyond(task, second + middle * TICK) else (low, middle)
            return second + high * TICK
        return math.inf

    # an instant

    def instant(self) -> None:
        freed = False
        for task in self.running():
            if task.start + task.length <= self.now:
                task.state = "killed" if task.runtime > task.estimate else "finished"
                freed = True
        for task in self.tasks:
            if task.state == "future" and task.submit <= self.now:
                task.state = "waiting"
        while self.another_pass(freed):
            freed = False

    def another_pass(self, freed: bool) -> bool:
        queue = sorted(self.waiting(), key=lambda each: (each.estimate if self.order == "sjf" else 0, each.id))
        new = set()
        if self.spent != "credit":
            for task in queue:
                beyond, before = self.beyond(task, self.now), task.last
                task.last = beyond and self.spent == "lowest"
                new |= {task.id} if task.last and not before else set()
                if beyond and (self.spent == "refuse" or (self.spent == "hold" and self.hopeless(task))):
                    task.state = "refused"
            queue = [each for each in queue if each.state == "waiting"]
            if self.spent != "lowest":
                queue = [each for each in queue if not self.beyond(each, self.now)]
            queue.sort(key=lambda each: each.last)
        chosen = self.chosen(queue, freed, new)
        for task in queue:
            if self.spent != "credit" and not task.last and self.beyond(task, self.now):
                self.stops += 1
                return True
            if task.id in chosen:
                task.state, task.start = "running", self.now
                self.kept.reserved.pop(task.id, None)
        return False

    def chosen(self, queue: list[Task], freed: bool, new: set[int]) -> set[int]:
        """What the rule would start; it has forgotten what it had planned for jobs that come last from now on."""
        jobs = [RefJob(each.id, each.submit, each.processors, each.runtime, each.estimate) for each in queue]
        busy = [Hold(each.start, each.start + each.estimate, each.processors) for each in self.running()]
        return self.kept.chosen(jobs, Profile(self.processors, tuple(busy)), self.now, freed, new)
