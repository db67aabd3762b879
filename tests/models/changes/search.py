"""Tradeoff on a machine that changes, by its definition: it looks at one order of the waiting jobs after the other."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.models.changes.case import Case, Time
from tests.models.changes.decision import Decision
from tests.models.changes.papers import RelShare, Rule, in_order, reserve
from tests.models.changes.pictures import Picture
from tests.models.changes.rules import News
from tests.models.changes.tasks import Task
from tests.models.policies.goal import plain

FAR = 2**40


@dataclass
class Tradeoff:
    """Along so many nodes of the tree of all orders, each job at its earliest fit beside windows.

    ``key`` is the heuristic. Goals are wait (bounded by the longest so far), slowdown and stretch.
    """

    key: Callable[[Task, int], Any]
    goals: tuple[str, ...] = ("wait", "slowdown")
    algorithm: str = "dds"
    tau: int = 5
    limit: int = 40

    def __call__(self, case: Case, tasks: list[Task]) -> Rule:
        settings = self

        class Pass(Rule):
            def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
                decision = Decision()
                if queue:
                    ordered = in_order(picture, queue, lambda task: settings.key(task, picture.now))
                    for task, start in zip(ordered, settings.best(picture, ordered), strict=True):
                        if start == picture.now:
                            decision.start(picture, task, ())
                return decision

        return Pass(case, tasks)

    def best(self, picture: Picture, queue: list[Task]) -> list[Time]:
        """The starts of the best schedule that the search sees."""
        best, before, nodes = None, (), 0
        for order in self.orders(len(queue)):
            shared = next((i for i, (a, b) in enumerate(zip(order, before, strict=False)) if a != b), len(before))
            nodes += len(queue) - shared
            if best is not None and nodes > self.limit:
                break
            starts = schedule(picture.without(), queue, order)
            found = tuple(self.value(goal, picture, queue, starts) for goal in self.goals)
            if best is None or plain.wins(found, best[0], "relative"):
                best = found, starts
            before = order
        assert best is not None
        return best[1]

    def orders(self, n: int) -> Iterable[tuple[int, ...]]:
        for iteration in range(n):
            paths = plain.lds(n, iteration) if self.algorithm == "lds" else plain.dds(n, iteration)
            yield from (plain.order_of(ranks, n) for ranks in paths)

    def value(self, goal: str, picture: Picture, queue: list[Task], starts: list[Time]) -> Fraction:
        total = Fraction(0)
        longest = max(picture.now - task.queued for task in queue)
        for task, start in zip(queue, starts, strict=True):
            wait, length = Fraction(start) - task.queued, max(task.planned, self.tau)
            if goal == "wait":
                total += max(0, wait - longest)
            elif goal == "slowdown":
                total += (length + wait) / length / len(queue)
            else:  # each job is a campaign of its own
                least = max(Fraction(task.job.width * task.planned, picture.case.size), length)
                total += (wait + task.planned) / least / len(queue)
        return total


def schedule(picture: Picture, queue: list[Task], order: Iterable[int]) -> list[Time]:
    """The starts of jobs that are put at their earliest fits in an order."""
    starts = [picture.now + FAR] * len(queue)
    for place in order:
        at = reserve(picture, queue[place])
        starts[place] = min(at, picture.now + FAR)
    return starts


def expansion(task: Task, now: int) -> float:
    """The largest expansion factor first."""
    return -((now - task.queued + task.planned) / task.planned)


class TradeoffFs(RelShare):
    """`Tradeoff` with the use in a window of time as its heuristic."""

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        used = self.usages(picture.now)
        rule = Tradeoff(lambda task, now: used[task.job.user])(self.case, self.tasks)
        return rule.decide(picture, queue, tasks, news)
