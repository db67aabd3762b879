"""OStrich: campaigns in the order of their completion in a virtual fair-sharing schedule.

Source: the ostrich paper, section 4.

Priority of a campaign: its virtual completion time, the earliest first (`virtual` says how it is kept). A
campaign does not start before its virtual start, so a user cannot take a greater share than V gives. A campaign that is
complete in V but not yet in reality keeps its priority over all that come later. Decisions are made at
submissions, at ends, and at virtual completions, when a campaign that was held back may become ready.

For sequential jobs the paper's Lemma 2 bounds every campaign's completion. With parallel jobs and EASY
backfilling, campaigns still go by priority, and the most urgent job that does not fit holds the reservation. But the
bound no longer holds: its proof needs that no processor is idle while jobs are ready, which fails as soon as a
wide job waits for processors.
"""

from math import inf, isnan
from typing import Any

from thinktime.models.policies.base import Proposal, Rows
from thinktime.models.policies.campaign_policy import CampaignPolicy
from thinktime.models.policies.entry import listed
from thinktime.models.policies.options import as_flag, share_table, share_text
from thinktime.models.policies.virtual import Campaign, VirtualSchedule
from thinktime.models.view import View


@listed(
    "campaigns by completion in a virtual fair-sharing schedule",
    "Emeras, Pinheiro, Rzadca, Trystram (PPAM 2013)",
    "within=lpt|spt|fcfs|mlpt, backfilling=easy|none, threshold=0, shares=USER*WEIGHT+…, corrected=no|yes, "
    "held_back=yes|no",
)
class OStrich(CampaignPolicy):
    """``ostrich``: fair scheduling of campaigns.

    ``shares`` gives users weights in the virtual schedule (`share_table`).

    Virtual work is made of estimates. With ``corrected=True`` (not in the paper, whose estimates are exact)
    a job that ends early takes what it did not use out of V. Otherwise, a user who asks for twice the time needed
    is held back for twice the time, and so is everybody who shares V with that user. ``held_back=False`` lets
    campaigns start before their virtual start (a variant for comparison; not in the paper).
    """

    rule = "ostrich"

    def __init__(
        self,
        within: str = "lpt",
        backfilling: str = "easy",
        threshold: float = 0.0,
        shares: dict[Any, float] | str | list[str] | None = None,
        corrected: bool = False,
        held_back: bool = True,
    ) -> None:
        super().__init__(within, backfilling, threshold)
        self.shares = share_table(shares)
        self.corrected = as_flag("corrected", corrected)
        self.held_back = as_flag("held_back", held_back)
        self._of: dict[int, Campaign] = {}  # by row, for corrections
        self.virtual: VirtualSchedule | None = None
        self._waiting: dict[tuple[int, int], Campaign] = {}  # held back

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Advance V to now, and group the new jobs into campaigns."""
        self._advance(view, now)
        super().on_submit(view, rows, now)

    def urgency(self, campaign: Campaign) -> float:
        """The tag: campaigns complete in V in the order of their tags."""
        return campaign.tag

    def enter(self, view: View, campaign: Campaign, now: float) -> None:
        """Put the campaign into V; it is ready if it starts at once in V."""
        assert self.virtual is not None
        user = view.request(int(campaign.rows[0])).user
        self.virtual.submit(campaign, self.shares.get(user, 1.0))
        if self.corrected:
            self._of.update(dict.fromkeys(campaign.rows.tolist(), campaign))
        if self.waits(campaign):
            self._waiting[campaign.key] = campaign
        else:
            self.make_ready(campaign)

    def waits(self, campaign: Campaign) -> bool:
        """Until the campaign starts in V."""
        return self.held_back and campaign.held_back

    def extend(self, view: View, campaign: Campaign, work: float, now: float) -> None:
        """More work for a campaign that is unfinished in V."""
        assert self.virtual is not None
        self.virtual.change_work(campaign, work, now)
        if self.corrected:
            self._of.update(dict.fromkeys(campaign.rows[campaign.started :].tolist(), campaign))

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Take what a job asked for and did not use out of V, if corrections are on."""
        if not self.corrected:
            return
        virtual, jobs = self._advance(view, now), view.requests
        changed = False
        for row in rows.tolist():
            campaign = self._of.pop(row)
            unused = (jobs.expected_end.item(row) - now) * jobs.processors.item(row)
            if unused > 0 and isnan(campaign.virtual_end):
                virtual.change_work(campaign, -unused, now)
                changed = True
        if changed:
            self._advance(view, now)
            self.ready = sorted(self._entry(campaign) for _, campaign in self.ready)

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Forget jobs that have left the queue. V keeps their work."""
        super().on_withdraw(view, rows, now)
        for campaign in list(self._waiting.values()):
            if not campaign.left:
                del self._waiting[campaign.key]
        for row in rows.tolist():
            self._of.pop(row, None)

    def on_clock(self, view: View, now: float) -> None:
        """A virtual completion."""
        self._advance(view, now)

    def select(self, view: View, now: float) -> Proposal:
        """Start the next jobs of the campaigns that complete first in V."""
        self._advance(view, now)
        return super().select(view, now)

    def next_clock(self, now: float) -> float:
        """The next virtual completion."""
        return self.virtual.next_completion() if self.virtual is not None else inf

    def campaigns(self) -> list[Campaign]:
        """Every campaign with jobs that have not started."""
        return super().campaigns() + list(self._waiting.values())

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        changed: dict[str, Any] = {"shares": share_text(self.shares)} if self.shares else {}
        changed |= {"corrected": "yes"} if self.corrected else {}
        return super().options() | changed | ({} if self.held_back else {"held_back": "no"})

    def _joins(self, campaign: Campaign, now: float) -> bool:
        """A campaign that is complete in V takes no more jobs."""
        return super()._joins(campaign, now) and isnan(campaign.virtual_end)

    def _advance(self, view: View, now: float) -> VirtualSchedule:
        """Advance V to now. Campaigns that have started in V are ready."""
        if self.virtual is None:
            self.virtual = VirtualSchedule(view.capacity)
        for campaign in self.virtual.advance(now):
            if self._waiting.pop(campaign.key, None) is not None:
                self.make_ready(campaign)
        return self.virtual
