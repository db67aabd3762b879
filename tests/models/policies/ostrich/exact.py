"""OStrich by brute force and in fractions: the virtual schedule, the real one, and every projection.

A user has a share and a list of campaigns; a campaign is submitted at a given time or a think time after the real
end of the user's campaign before it. Jobs need one processor each. The virtual schedule V hands the machine to the
users with unfinished virtual work, in proportion to their shares and without a cap, one campaign per user at a time
(paper, section 4); its events happen at exact rational times. Real decisions happen at multiples of 2⁻¹⁰ s only, so
a virtual completion between two of them is acted upon at the later one.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

GRID = 1024
WITHIN = {
    "lpt": lambda job: (-job.estimate, job.number),
    "spt": lambda job: (job.estimate, job.number),
    "fcfs": lambda job: job.number,
}


@dataclass(eq=False)
class Job:
    number: int
    run: Fraction
    estimate: Fraction
    start: Fraction | None = None

    @property
    def end(self) -> Fraction | None:
        return None if self.start is None else self.start + self.run


@dataclass(eq=False)
class Campaign:
    """A campaign: `after` is its submit time, or with `closed` its think time after the campaign before."""

    user: int
    index: int
    jobs: list[Job]
    after: Fraction
    closed: bool = False
    submit: Fraction | None = None
    virtual_start: Fraction | None = None
    virtual_end: Fraction | None = None
    left: Fraction = field(init=False)

    def __post_init__(self) -> None:
        self.work = sum((job.estimate for job in self.jobs), Fraction(0))
        self.left = self.work

    @property
    def end(self) -> Fraction | None:
        ends = [job.end for job in self.jobs]
        return None if None in ends else max(ends)


@dataclass(eq=False)
class User:
    campaigns: list[Campaign]
    share: Fraction = Fraction(1)


def user(number: int, campaigns: list[tuple], share: object = 1, closed: bool = True) -> User:
    """Make a user of (time, runs) or (time, runs, estimates); the times but the first are think times if closed."""
    made = []
    for index, (time, runs, *estimates) in enumerate(campaigns):
        guesses = estimates[0] if estimates else [max(run, 1) for run in runs]  # no job declares less than 1 s
        pairs = enumerate(zip(runs, guesses, strict=True))
        jobs = [Job(i, Fraction(run), Fraction(guess)) for i, (run, guess) in pairs]
        made.append(Campaign(number, index, jobs, Fraction(time), closed and index > 0))
    return User(made, Fraction(share))


class Virtual:
    """V: `queues` holds each user's campaigns that are submitted and virtually unfinished, oldest first."""

    def __init__(self, processors: int, shares: list[Fraction]) -> None:
        self.processors, self.shares, self.now = processors, shares, Fraction(0)
        self.queues: list[list[Campaign]] = [[] for _ in shares]
        self.pieces: list[tuple[Fraction, Fraction, dict[int, Fraction]]] = []  # from, to, rates of active users

    def rates(self) -> dict[int, Fraction]:
        active = [u for u, queue in enumerate(self.queues) if queue]
        total = sum(self.shares[u] for u in active)
        return {u: self.processors * self.shares[u] / total for u in active}

    def next_event(self) -> Fraction | None:
        return min((self.now + self.queues[u][0].left / rate for u, rate in self.rates().items()), default=None)

    def advance(self, time: Fraction) -> None:
        while (event := self.next_event()) is not None and event <= time:
            self._drain(event)
            self._settle()
        self._drain(time)

    def _drain(self, time: Fraction) -> None:
        rates = self.rates()
        for u, rate in rates.items():
            self.queues[u][0].left -= rate * (time - self.now)
        if time > self.now:
            self.pieces.append((self.now, time, rates))
        self.now = time

    def _settle(self) -> None:
        """Begin the first campaign of each queue, and end it if nothing of it is left."""
        for queue in self.queues:
            while queue:
                if queue[0].virtual_start is None:
                    queue[0].virtual_start = self.now
                if queue[0].left > 0:
                    break
                queue.pop(0).virtual_end = self.now

    def submit(self, campaign: Campaign) -> None:
        campaign.submit = self.now
        self.queues[campaign.user].append(campaign)
        self._settle()

    def lose(self, campaign: Campaign, work: Fraction) -> None:
        if campaign.virtual_end is None:
            campaign.left = max(campaign.left - work, Fraction(0))
            self._settle()

    def projected(self) -> dict[tuple[int, int], Fraction]:
        """Equation (4.1) for every campaign that V has not finished, by user and index."""
        ends = {}
        for u, rate in self.rates().items():
            before = Fraction(0)
            for campaign in self.queues[u]:
                before += campaign.left
                ends[u, campaign.index] = self.now + before / rate
        return ends


class Exact:
    """One run of the whole instance; afterwards the campaigns hold all times and `projections` every event's C̃."""

    def __init__(self, processors: int, users: list[User], within: str = "lpt", *, corrected: bool = False) -> None:
        self.free, self.users, self.within, self.corrected = processors, users, WITHIN[within], corrected
        self.virtual = Virtual(processors, [user.share for user in users])
        self.rank: dict[int, int] = {}  # users in the order of their first submissions
        self.running: list[tuple[Campaign, Job]] = []
        self.projections: dict[Fraction, dict[tuple[int, int], Fraction]] = {}
        while (time := self._next_instant()) is not None:
            while self._round(time):
                pass
            self.projections[time] = self.virtual.projected()

    @property
    def campaigns(self) -> list[Campaign]:
        return [campaign for user in self.users for campaign in user.campaigns]

    def _due(self, campaign: Campaign) -> Fraction | None:
        if campaign.submit is not None:
            return None
        if not campaign.closed:
            return campaign.after
        end = self.users[campaign.user].campaigns[campaign.index - 1].end
        return None if end is None else end + campaign.after

    def _next_instant(self) -> Fraction | None:
        times = [due for campaign in self.campaigns if (due := self._due(campaign)) is not None]
        times += [job.end for _, job in self.running]
        if (event := self.virtual.next_event()) is not None:
            times.append(Fraction(ceil(event * GRID), GRID))
        return min(times, default=None)

    def _round(self, time: Fraction) -> bool:
        """Completions, V, submissions, one pass, starts; True if a start was over at once."""
        ended = [(campaign, job) for campaign, job in self.running if job.end == time]
        self.running = [pair for pair in self.running if pair not in ended]
        self.free += len(ended)
        self.virtual.advance(time)
        if self.corrected:
            for campaign, job in ended:
                self.virtual.lose(campaign, job.estimate - job.run)
        for campaign in self.campaigns:
            if self._due(campaign) == time:
                self.rank.setdefault(campaign.user, len(self.rank))
                self.virtual.submit(campaign)
        return self._start_jobs(time)

    def _start_jobs(self, time: Fraction) -> bool:
        at_once = False
        projected = self.virtual.projected()

        def priority(campaign: Campaign) -> tuple[Fraction, Fraction, int, int]:
            key = campaign.virtual_end
            if key is None:
                key = projected[campaign.user, campaign.index]
            return key, campaign.submit, self.rank[campaign.user], campaign.index

        ready = [campaign for campaign in self.campaigns if campaign.virtual_start is not None]
        for campaign in sorted(ready, key=priority):
            for job in sorted((job for job in campaign.jobs if job.start is None), key=self.within):
                if self.free:
                    self.free -= 1
                    job.start = time
                    self.running.append((campaign, job))
                    at_once |= job.run == 0
        return at_once
