"""OStrich, its plugin's rule and FairCamp on a machine that changes, by their definitions.

What a user submits at one instant is a campaign, or joins the user's last one. A job that is interrupted stays in its
campaign. The virtual schedule V has all processors, always; it is that of the twin without changes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from tests.models.changes.case import Case, Time
from tests.models.changes.decision import Decision
from tests.models.changes.papers import Rule, easy, in_order
from tests.models.changes.pictures import Picture
from tests.models.changes.rules import News
from tests.models.changes.tasks import Task
from tests.models.policies.ostrich import exact

GRID = 1024
LENGTHS: dict[str, Callable[[Task], int]] = {
    "lpt": lambda task: -task.planned,
    "spt": lambda task: task.planned,
    "fcfs": lambda task: 0,
}


@dataclass(eq=False)
class Campaign:
    """Some jobs of a user."""

    user: str
    index: int
    submit: Time
    tasks: list[Task] = field(default_factory=list)
    in_v: exact.Campaign | None = None
    work: float = 0.0
    given: float = 0.0
    deadline: float = 0.0
    joined: bool = False

    @property
    def is_over(self) -> bool:
        return all(task.is_over for task in self.tasks)


class Campaigns(Rule):
    """Campaigns by urgency, and their jobs by EASY, or in strict order."""

    def __init__(
        self, case: Case, tasks: list[Task], within: str = "lpt", backfilling: str = "easy", threshold: int = 0
    ) -> None:
        super().__init__(case, tasks)
        self.within, self.backfilling, self.threshold = LENGTHS[within], backfilling, threshold
        self.campaigns: list[Campaign] = []
        self.of: dict[int, Campaign] = {}
        self.users: list[str] = []
        self.founded: dict[str, int] = {}
        self.ended: dict[int, int] = {task.job.id: 0 for task in tasks}
        """How many runs of each job are known to be over."""

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        now = picture.now
        self.advance(now)
        for task in self.tasks:
            if len(task.runs) > self.ended[task.job.id]:
                self.ended[task.job.id] = len(task.runs)
                self.end(task, now)
        newcomers = sorted(
            (task for task in queue if task.job.id not in self.of), key=lambda task: (task.queued, task.job.id)
        )
        self.arrive(newcomers, now)
        for user in dict.fromkeys(task.job.user for task in newcomers):
            self.group(user, [task for task in newcomers if task.job.user == user], now)
        ready = [campaign for campaign in self.campaigns if self.is_ready(campaign)]
        ready.sort(key=lambda each: (self.urgency(each), each.submit, self.users.index(each.user), each.index))
        line = [task for campaign in ready for task in self.waiting(campaign, queue)]
        decision = Decision()
        place = {task.job.id: i for i, task in enumerate(line)}
        line = in_order(picture, line, lambda task: place[task.job.id])
        if self.backfilling == "none":
            while line and (found := picture.fits(line[0], now)) is not None:
                decision.start(picture, line.pop(0), found)
        else:
            easy(picture, line, decision)
        self.started(decision, now)
        return decision

    def waiting(self, campaign: Campaign, queue: list[Task]) -> list[Task]:
        """Its waiting jobs in order."""

        def key(task: Task) -> Any:
            return self.within(task), task.job.submit if campaign.joined else task.queued, task.job.id

        return sorted((task for task in campaign.tasks if task in queue), key=key)

    def group(self, user: str, tasks: list[Task], now: Time) -> None:
        """Some newcomers join their user's last campaign, or found one."""
        own = [campaign for campaign in self.campaigns if campaign.user == user]
        work = sum(task.planned * task.job.processors for task in tasks)
        joins = bool(self.threshold and own and now <= own[-1].submit + self.threshold and self.is_open(own[-1]))
        if joins:
            campaign = own[-1]
            campaign.joined = True
        else:
            self.founded[user] = self.founded.get(user, 0) + 1
            campaign = Campaign(user, self.founded[user] - 1, now)
            self.campaigns.append(campaign)
            if user not in self.users:
                self.users.append(user)
        campaign.tasks += tasks
        self.of |= {task.job.id: campaign for task in tasks}
        self.enter(campaign, tasks, work, joins, now)

    def unused(self, task: Task) -> int:
        """What the last run of a job had been expected to use after its end, processor-seconds."""
        run = task.runs[-1]
        done = sum(other.progress for other in task.runs[:-1])
        planned = task.work.planned(done, run.number == 1)
        return (run.start + planned - run.end) * task.job.processors

    def advance(self, now: Time) -> None: ...

    def arrive(self, newcomers: list[Task], now: Time) -> None: ...

    def started(self, decision: Decision, now: Time) -> None: ...

    def end(self, task: Task, now: Time) -> None: ...

    def is_open(self, campaign: Campaign) -> bool:
        return True

    def is_ready(self, campaign: Campaign) -> bool:
        return True

    def urgency(self, campaign: Campaign) -> Any:
        raise NotImplementedError

    def enter(self, campaign: Campaign, tasks: list[Task], work: float, joins: bool, now: Time) -> None:
        raise NotImplementedError


class OStrich(Campaigns):
    """By completion in V, which is not touched by interruptions; with `corrected`, by what last runs do not use."""

    def __init__(
        self, case: Case, tasks: list[Task], corrected: bool = False, held_back: bool = True, **how: Any
    ) -> None:
        super().__init__(case, tasks, **how)
        self.corrected, self.held_back = corrected, held_back
        self.names = sorted({task.job.user for task in tasks})
        self.virtual = exact.Virtual(case.processors, [Fraction(1)] * len(self.names))

    def times(self, now: Time) -> Iterable[Time]:
        if (event := self.virtual.next_event()) is not None:
            yield Fraction(ceil(event * GRID), GRID)

    def advance(self, now: Time) -> None:
        self.virtual.advance(Fraction(now))

    def end(self, task: Task, now: Time) -> None:
        is_over = task in self.thrown_out or task.runs[-1].how in ("finished", "limit", "cancelled")
        if self.corrected and is_over and (unused := self.unused(task)) > 0:
            self.virtual.lose(self.of[task.job.id].in_v, Fraction(unused))

    def is_open(self, campaign: Campaign) -> bool:
        return campaign.in_v.virtual_end is None

    def is_ready(self, campaign: Campaign) -> bool:
        return not self.held_back or campaign.in_v.virtual_start is not None

    def urgency(self, campaign: Campaign) -> Fraction:
        if campaign.in_v.virtual_end is not None:
            return campaign.in_v.virtual_end
        return self.virtual.projected()[campaign.in_v.user, campaign.in_v.index]

    def enter(self, campaign: Campaign, tasks: list[Task], work: float, joins: bool, now: Time) -> None:
        if joins:
            campaign.in_v.left += Fraction(work)
        else:
            campaign.in_v = exact.Campaign(self.names.index(campaign.user), campaign.index, [], Fraction(now))
            campaign.in_v.work = campaign.in_v.left = Fraction(work)
            self.virtual.submit(campaign.in_v)


class Slurm(Campaigns):
    """By what the virtual time of users leaves of their work; what is lost was used, and the next run is more work."""

    def __init__(self, case: Case, tasks: list[Task], **how: Any) -> None:
        super().__init__(case, tasks, **({"within": "spt", "threshold": 600} | how))
        self.since: Time = 0
        self.in_use = 0
        self.settled: list[Task] = []

    def hand_out(self, now: Time) -> None:
        """Virtual time for what was used since the last event."""
        users = list(dict.fromkeys(campaign.user for campaign in self.campaigns))
        for user in users:
            rest = self.in_use * float(now - self.since) / len(users)
            for campaign in self.campaigns:
                if campaign.user == user:
                    part = min(rest, max(0.0, campaign.work - campaign.given))
                    campaign.given += part
                    rest -= part
        self.since = now

    def advance(self, now: Time) -> None:
        """Jobs were given their virtual time until now, also those that are over."""
        self.hand_out(now)
        self.in_use = sum(task.job.processors for task in self.tasks if task.state == "running")
        for task in self.tasks:
            known = task.job.id in self.of and len(task.runs) == self.ended[task.job.id]
            if task.is_over and known and task not in self.settled:  # it has left the queue
                self.of[task.job.id].work -= task.planned * task.job.processors
                self.settled.append(task)

    def end(self, task: Task, now: Time) -> None:
        campaign = self.of[task.job.id]
        campaign.work -= max(0, self.unused(task))
        if task.is_over:
            self.settled.append(task)
        else:
            campaign.work += task.planned * task.job.processors

    def arrive(self, newcomers: list[Task], now: Time) -> None:
        self.campaigns = [each for each in self.campaigns if not each.is_over]

    def started(self, decision: Decision, now: Time) -> None:
        self.in_use += sum(task.job.processors for task, _ in decision.starts)

    def is_open(self, campaign: Campaign) -> bool:
        return not campaign.is_over

    def urgency(self, campaign: Campaign) -> float:
        left = 0.0
        for other in self.campaigns:
            if other.user == campaign.user and other.index <= campaign.index:
                left += max(0.0, other.work - other.given)
        return left

    def enter(self, campaign: Campaign, tasks: list[Task], work: float, joins: bool, now: Time) -> None:
        campaign.work += work


class FairCamp(Campaigns):
    """By deadlines, which campaigns get when they are submitted."""

    def arrive(self, newcomers: list[Task], now: Time) -> None:
        self.busy = {task.job.user for task in self.tasks if task.job.id in self.of and not task.is_over}
        self.busy |= {task.job.user for task in newcomers}

    def urgency(self, campaign: Campaign) -> float:
        return campaign.deadline

    def enter(self, campaign: Campaign, tasks: list[Task], work: float, joins: bool, now: Time) -> None:
        m, k = self.case.processors, len(self.busy)
        if joins:
            campaign.deadline += k * (2.0 - 1.0 / m) * work / m
        else:
            longest = max(task.planned for task in tasks)
            campaign.deadline = now + k * (2.0 - 1.0 / m) * max(work / m, longest)
