"""Slack-based backfilling on a machine that changes, by its definition: every candidate schedule, in fractions.

Delayed jobs are taken out and inserted again at their earliest fits beside windows. A reservation that a change has
broken is made again at its earliest fit, before schedules are priced, and the job may start as late as that. A job that
was interrupted is a newcomer. Processors that come back unexpectedly are a removal.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import floor, inf
from typing import Any

from tests.models.changes.case import INF, Case, Time
from tests.models.changes.decision import Decision
from tests.models.changes.papers import Rule, in_order, reserve
from tests.models.changes.pictures import Picture
from tests.models.changes.rules import News
from tests.models.changes.tasks import Task
from tests.models.policies.slack.literal import J, Rules, cost, mean


class Slack(Rule):
    """Prices, priorities and slacks are those of the literal twin without changes."""

    def __init__(self, case: Case, tasks: list[Task], awt: int, heuristic: str = "ast") -> None:
        super().__init__(case, tasks)
        self.rules, self.heuristic = Rules(case.size, awt=awt), heuristic
        self.known: dict[int, J] = {}
        """What is known of the jobs that wait: `te` is their reserved start, infinite if none is in sight."""
        self.ended = {task.job.id: 0 for task in tasks}

    def times(self, now: Time) -> Iterable[Time]:
        return [j.te for j in self.known.values()]

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        decision, removals = Decision(), self.left_early(picture.now)
        self.queue = in_order(picture, queue, lambda task: 0)
        if queue:
            if news.outage_began or news.announced:
                self.restore(picture)
            removals += news.came_back and self.case.options.repairs == "unknown"
            for _ in range(removals):
                self.move(self.cheapest(picture, None, Fraction(1, 6)))
                self.start_due(picture, decision)
            self.start_due(picture, decision)
            for task in list(self.queue):
                if task in self.queue and self.due(task) == INF:
                    self.insert(picture, task)
                    self.start_due(picture, decision)
        return decision

    def due(self, task: Task) -> Time:
        return self.known[task.job.id].te if task.job.id in self.known else INF

    def left_early(self, now: Time) -> int:
        """How many have left the profile early since the last pass; under extend, all who ended."""
        found = 0
        for task in self.tasks:
            if len(task.runs) > self.ended[task.job.id]:
                self.ended[task.job.id] = len(task.runs)
                run, done = task.runs[-1], sum(run.progress for run in task.runs[:-1])
                planned = task.work.planned(done, run.number == 1)
                found += task.extends or run.start + planned > run.end
                self.known.pop(task.job.id, None)
            elif task.is_over and self.known.pop(task.job.id, None):
                found += 1
        return found

    def restore(self, picture: Picture) -> None:
        """Keep reservations in queue order where they still fit; make the others again."""
        trial, broken = picture.without(), []
        for task in self.queue:
            if self.due(task) < INF:
                if trial.fits(task, self.due(task)) is None:
                    broken.append(task)
                else:
                    trial.put(task, self.due(task), ())
        for task in broken:
            j = self.known[task.job.id]
            j.te = reserve(trial, task)
            j.latest = max(j.latest, j.te)
            self.broken += 1

    def start_due(self, picture: Picture, decision: Decision) -> None:
        """Start what is due. What is due without room is placed again."""
        late = []
        for task in list(self.queue):
            if self.due(task) <= picture.now:
                if picture.has_room(task):
                    decision.start(picture, task, ())
                    self.queue.remove(task)
                    self.known.pop(task.job.id)
                else:
                    late.append(task)
        for task in late:
            self.known[task.job.id].te = INF
        for task in late:
            j = self.known[task.job.id]
            j.te = self.first_fit(picture, task)
            j.latest = max(j.latest, j.te)
            self.broken += 1

    def reserved(self, picture: Picture, until: Time = INF) -> Picture:
        """With the jobs that are reserved for before a time."""
        trial = picture.without()
        for task in self.queue:
            if self.due(task) < until:
                trial.put(task, self.due(task), ())
        return trial

    def first_fit(self, picture: Picture, task: Task) -> Time:
        return self.reserved(picture).earliest(task)[0]

    def slots(self, picture: Picture) -> list[Time]:
        """From now on: where the profile of running jobs and windows has a step, or a job is reserved from or to."""
        steps, before = {picture.now}, self.room(picture, picture.now)
        for time in picture.changes():
            room = self.room(picture, time)
            if room != before or any(time in (w.start, w.end) for w in picture.windows if w.users or w.jobs):
                steps.add(time)
            before = room
        dues = [(self.due(task), task.planned) for task in self.queue if self.due(task) < INF]
        return sorted(steps | {due for due, _ in dues} | {due + planned for due, planned in dues})

    def room(self, picture: Any, time: Time) -> list[int]:
        """What no job has at a time, beside all windows, and what each window has left that admits a job."""
        open_then = [w for w in picture.windows if w.start <= time < w.end]
        inside = [sum(s.task.job.width for s in picture.present(time) if w.admits(s.task.job)) for w in open_then]
        held = [w.processors - used for w, used in zip(open_then, inside, strict=True)]
        used = sum(stay.task.job.width for stay in picture.present(time))
        free = self.case.size - len(picture.down(time)) - used - sum(max(0, h) for h in held)
        return [free, *(h for h, w in zip(held, open_then, strict=True) if w.users or w.jobs)]

    def ordered(self, tasks: list[Task]) -> list[Task]:
        """Delayed jobs in the order of the heuristic; equal ones in queue order."""
        keys = {
            "ast": lambda task: self.due(task),
            "aat": lambda task: 0,
            "du": lambda task: -task.job.width * task.planned,
            "dp": lambda task: -self.known[task.job.id].p,
        }
        return sorted(tasks, key=keys[self.heuristic])

    def cheapest(self, picture: Picture, new: Task | None, p_new: Any) -> Any:
        """The slot of the cheapest schedule, and its starts; ties to the fewest moved jobs, then to the first slot."""
        best: Any = None
        known = [task for task in self.queue if self.due(task) < INF]
        for at in self.slots(picture):
            trial = self.reserved(picture, at)
            price: Any = 0
            if new is not None:
                if trial.fits(new, at) is None:
                    continue
                trial.put(new, at, ())
                price = (at - picture.now) * new.job.width
            starts = {}
            for task in self.ordered([task for task in known if self.due(task) >= at]):
                j = self.known[task.job.id]
                start = reserve(trial, task)
                j.s = j.latest - j.te
                price += cost(j, start - j.te, p_new, self.rules) if start < INF else inf
                starts[task.job.id] = start
                if price == inf:
                    break
            if price < inf:
                moved = sum(start != self.known[i].te for i, start in starts.items())
                if best is None or (price, moved) < best[0]:
                    best = (price, moved), at, starts
        return best

    def move(self, best: Any) -> None:
        if best is not None:
            for number, start in best[2].items():
                self.known[number].te = start

    def insert(self, picture: Picture, task: Task) -> None:
        """The cheapest slot, else the first fit; then the priority and the slack that the job keeps."""
        awt = self.rules.awt
        j = J(task.job.id, task.queued, task.job.width, task.planned, task.job.run)
        best = self.cheapest(picture, task, mean(j, Fraction(1, 2)))
        self.move(best)
        j.te = self.first_fit(picture, task) if best is None else best[1]
        sp = 1 if j.te == INF else min(Fraction(j.te - task.queued) / (2 * awt), 1)
        j.p = mean(j, sp)
        j.s0 = Fraction(floor((1 - j.p) * self.rules.sf * awt * 1024 + Fraction(1, 2)), 1024)
        j.latest = j.te + j.s0 if j.te < INF else INF
        self.known[task.job.id] = j
        if task.promised is None and j.te < INF:
            task.promised = int(j.te)
