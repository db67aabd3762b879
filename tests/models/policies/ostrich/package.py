"""The same users on the package's machine: what its OStrich did, in the twin's terms."""

from collections.abc import Generator
from fractions import Fraction
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from tests.models.policies.ostrich.exact import User
from thinktime.models.policies import OStrich


class Watched(OStrich):
    """OStrich that remembers the campaigns that V has seen, and C̃ after every pass."""

    def __init__(self, *options: Any, **named: Any) -> None:
        super().__init__(*options, **named)
        self.seen: dict[tuple[int, int], Any] = {}
        self.projections: dict[float, dict[tuple[int, int], float]] = {}

    def _note(self):
        for place in np.flatnonzero(self.virtual.arrays["owner"]).tolist():
            campaign = self.virtual.campaign(place)
            self.seen[campaign.user, campaign.index] = campaign

    def on_end(self, view, rows, now):
        super().on_end(view, rows, now)
        self._note()

    def on_submit(self, view, rows, now):
        super().on_submit(view, rows, now)
        self._note()

    def select(self, view, now):
        rows = super().select(view, now)
        self._note()
        label = view._names["user"].__getitem__
        projected = self.virtual.projected()
        self.projections[now] = {(label(c.user), c.index): end for c, end in projected.items()}
        return rows


class Run:
    """One run of the users on a machine; ``records`` and ``virtual`` by (user, index of the campaign)."""

    def __init__(self, processors: int, users: list[User], policy: Any = None) -> None:
        self.env = simpy.Environment()
        self.machine = tt.Machine(self.env, processors, Watched() if policy is None else policy)
        self.events: dict[tuple[int, int], Any] = {}
        for user in users:
            self.env.process(self._user(user))
        self.env.run()
        self.result = self.machine.result()
        self.policy: Any = self.machine.policy
        self.records = {key: event.value for key, event in self.events.items()}

    def _user(self, user: User) -> Generator[Any, Any, None]:
        event = None
        for campaign in user.campaigns:
            if campaign.closed:
                yield event
                yield self.env.timeout(float(campaign.after))
            else:
                yield self.env.timeout(float(campaign.after) - self.env.now)
            jobs = [
                tt.Job(runtime=float(job.run), estimate=float(job.estimate), user=campaign.user)
                for job in campaign.jobs
            ]
            event = self.machine.submit_campaign(jobs)
            self.events[campaign.user, campaign.index] = event

    @property
    def virtual(self) -> dict[tuple[int, int], Any]:
        labels = self.machine.names["user"]
        return {(labels[campaign.user], campaign.index): campaign for campaign in self.policy.seen.values()}

    @property
    def starts(self) -> dict[tuple[int, int], list[Fraction]]:
        return {key: [Fraction(job.start) for job in record.jobs] for key, record in self.records.items()}


def shares_of(users: list[User]) -> dict[int, float]:
    """The option `shares` for these users."""
    return {number: float(user.share) for number, user in enumerate(users)}
