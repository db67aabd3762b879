"""FairCamp: campaigns by deadlines, the earliest first (Pinheiro, Rzadca, Trystram: Campaign scheduling, HiPC 2012).

A campaign submitted at t gets the deadline d = t + k rho l: k users have campaigns that are not over, l =
max(W / m, p_max) is the least time that the campaign needs on the whole machine, and rho is the
approximation ratio of the rule within a campaign. The paper's abstract gives the idea and the guarantee: the flow time
is at most k rho times that on a dedicated machine. The formula is our reading, and so is rho = 2 - 1 / m, the ratio of
list scheduling.
"""

from typing import Any

from thinktime.models.policies.base import Rows
from thinktime.models.policies.campaign_policy import CampaignPolicy
from thinktime.models.policies.entry import listed
from thinktime.models.policies.virtual import Campaign
from thinktime.models.view import View


@listed(
    "campaigns by deadline", "Pinheiro, Rzadca, Trystram (HiPC 2012)", "within, backfilling, threshold, rho"
)
class FairCamp(CampaignPolicy):
    """``faircamp``: earliest deadline first over campaigns; ``rho`` defaults to 2 - 1 / m."""

    rule = "faircamp"

    def __init__(
        self, within: str = "lpt", backfilling: str = "easy", threshold: float = 0.0, rho: float | None = None
    ) -> None:
        super().__init__(within, backfilling, threshold)
        if rho is not None and not rho > 0:
            raise ValueError(f"rho is {rho!r}, but must be above 0")
        self.rho = rho
        self._live: dict[int, int] = {}  # jobs that are not over, by user

    def urgency(self, campaign: Campaign) -> float:
        """The deadline, which `enter` has written to the tag."""
        return campaign.tag

    def enter(self, view: View, campaign: Campaign, now: float) -> None:
        """Give the campaign its deadline."""
        self._live[campaign.user] = self._live.get(campaign.user, 0) + len(campaign.rows)
        rho = 2 - 1 / view.capacity if self.rho is None else self.rho
        longest = float(view.requests.estimate[campaign.rows].max())
        campaign.tag = now + len(self._live) * rho * max(campaign.work / view.capacity, longest)
        self.make_ready(campaign)

    def extend(self, view: View, campaign: Campaign, work: float, now: float) -> None:
        """More work moves the deadline by the least time that it needs."""
        super().extend(view, campaign, work, now)
        rho = 2 - 1 / view.capacity if self.rho is None else self.rho
        campaign.tag += len(self._live) * rho * work / view.capacity

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Group the new jobs into campaigns, and count jobs that join one."""
        before = {user: self._live.get(user, 0) for user in set(view.requests.user[rows].tolist())}
        for user in before:
            self._live.setdefault(user, 0)  # a user who submits is one of the k
        super().on_submit(view, rows, now)
        for user, count in before.items():
            self._live[user] = count + int((view.requests.user[rows] == user).sum())

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Users without jobs are no longer among the k."""
        for user in view.requests.user[rows].tolist():
            self._live[user] -= 1
            if not self._live[user]:
                del self._live[user]

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """The same for jobs that have left the queue."""
        super().on_withdraw(view, rows, now)
        self.on_end(view, rows, now)

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        return super().options() | ({} if self.rho is None else {"rho": f"{self.rho:.15g}"})
