"""OStrich as its authors' SLURM plugin schedules: campaigns found by a threshold, shares of the processors really used.

In place of the exact virtual schedule, each active user (with jobs that are not over) is given, for every
interval between two events, virtual time in proportion to the user's share, out of the processor-seconds
that were really used in it. A user's virtual time fills the user's campaigns, oldest first; what is left
over is lost. The priority of a campaign, smaller first, is (time left + offset) / share. The time left is
the campaign's work that its virtual time does not cover, and the offset is what is left of the user's
earlier campaigns. Nothing is held back, and within a campaign the shortest job comes first.

Source: the plugin by Skalski and Rzadca, as described in public; work counts finished jobs at their real
length and others at their estimate. The interval is from event to event here (our decision; the plugin
works in fixed steps).
"""

from dataclasses import dataclass
from math import inf
from typing import Any

from thinktime.models.policies.base import Proposal, Rows
from thinktime.models.policies.campaign_policy import CampaignPolicy
from thinktime.models.policies.entry import listed
from thinktime.models.policies.options import share_table, share_text
from thinktime.models.policies.virtual import Campaign
from thinktime.models.view import View


@dataclass(eq=False, slots=True)
class _Account:
    """A user's campaigns that are not over, oldest first, with the virtual time and the live jobs of each."""

    share: float
    campaigns: list[Campaign]
    given: dict[tuple[int, int], float]
    live: dict[tuple[int, int], int]


@listed(
    "OStrich as in its SLURM plugin: campaigns by threshold, shares of what is used",
    "Skalski, Rzadca: plugin for SLURM",
    "within, backfilling, threshold=600, shares",
)
class OStrichSlurm(CampaignPolicy):
    """``ostrich-slurm``: the SLURM plugin's variant.

    A job joins a campaign founded less than ``threshold`` seconds ago.
    """

    rule = "ostrich-slurm"

    def __init__(
        self,
        within: str = "spt",
        backfilling: str = "easy",
        threshold: float = 600.0,
        shares: dict[Any, float] | str | list[str] | None = None,
    ) -> None:
        super().__init__(within, backfilling, threshold)
        self.shares = share_table(shares)
        self._accounts: dict[int, _Account] = {}
        self._of: dict[int, Campaign] = {}
        self._time = -inf
        self._in_use = 0

    def urgency(self, campaign: Campaign) -> float:
        """What is left of the user's work up to and with this campaign, by share."""
        account = self._accounts[campaign.user]
        left = 0.0
        for other in account.campaigns:
            left += max(0.0, other.work - account.given[other.key])
            if other is campaign:
                break
        return left / account.share

    def enter(self, view: View, campaign: Campaign, now: float) -> None:
        """Open an account if need be; the campaign is ready at once."""
        self._hand_out(view, now)
        account = self._accounts.get(campaign.user)
        if account is None:
            label = view.request(int(campaign.rows[0])).user
            account = self._accounts[campaign.user] = _Account(self.shares.get(label, 1.0), [], {}, {})
        account.campaigns.append(campaign)
        account.given[campaign.key] = 0.0
        self._count(campaign, campaign.rows)
        self.make_ready(campaign)

    def extend(self, view: View, campaign: Campaign, work: float, now: float) -> None:
        """More work and more jobs for a campaign."""
        self._hand_out(view, now)
        super().extend(view, campaign, work, now)
        self._count(campaign, campaign.rows[campaign.started :])

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Finished jobs count at their real length; campaigns whose jobs are all over are closed."""
        self._hand_out(view, now)
        jobs = view.requests
        for row in rows.tolist():
            shorter = jobs.expected_end.item(row) - now
            self._close(row, -max(0.0, shorter) * jobs.processors.item(row))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """A job that has left the queue takes its work with it."""
        super().on_withdraw(view, rows, now)
        jobs = view.requests
        for row in rows.tolist():
            self._close(row, -jobs.estimate.item(row) * jobs.processors.item(row))

    def select(self, view: View, now: float) -> Proposal:
        """Hand out virtual time, order the campaigns by what is left, and start jobs."""
        self._hand_out(view, now)
        self.ready = sorted(self._entry(campaign) for _, campaign in self.ready)
        return super().select(view, now)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Remember how many processors are in use until the next event."""
        self._in_use += int(view.requests.processors[rows].sum())

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        return super().options() | ({"shares": share_text(self.shares)} if self.shares else {})

    def _joins(self, campaign: Campaign, now: float) -> bool:
        account = self._accounts.get(campaign.user)
        return super()._joins(campaign, now) and account is not None and campaign.key in account.live

    def _hand_out(self, view: View, now: float) -> None:
        """Give every active user virtual time for what was used since the last event, oldest campaign first."""
        if now > self._time and self._accounts:
            pot = (
                self._in_use * (now - self._time) / sum(account.share for account in self._accounts.values())
            )
            for account in self._accounts.values():
                rest = pot * account.share
                for campaign in account.campaigns:
                    part = min(rest, max(0.0, campaign.work - account.given[campaign.key]))
                    account.given[campaign.key] += part
                    rest -= part
        self._time = now
        self._in_use = view.capacity - view.free

    def _count(self, campaign: Campaign, rows: Rows) -> None:
        live = self._accounts[campaign.user].live
        for row in rows.tolist():
            if row not in self._of:
                self._of[row] = campaign
                live[campaign.key] = live.get(campaign.key, 0) + 1

    def _close(self, row: int, work: float) -> None:
        campaign = self._of.pop(row)
        campaign.work += work
        account = self._accounts[campaign.user]
        account.live[campaign.key] -= 1
        if account.live[campaign.key] == 0:
            del account.live[campaign.key], account.given[campaign.key]
            account.campaigns.remove(campaign)
            if not account.campaigns:
                del self._accounts[campaign.user]
