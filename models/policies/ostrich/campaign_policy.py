"""Policies that schedule campaigns: all users' campaigns by priority, and the jobs of each in an order of its own.

A campaign is what a user submits together: jobs submitted with ``submit_campaign``; else the jobs that a
user submits at one instant, or, with a ``threshold``, within that many seconds of the campaign's first job
(the SLURM plugin's rule, since a log has no campaigns). Whenever processors are free, the next job of the
most urgent campaign starts. Sequential jobs need no more than that. Parallel jobs are given to EASY in the same order
(``backfilling=easy``), or start strictly in that order (``backfilling=none``).

On a machine that changes, a job that is interrupted stays in its campaign and takes its place among the waiting jobs
again, by the planned length of its next run. Jobs that a window admits now are next, if their campaigns may start.

Within a campaign: ``lpt`` longest estimate first, ``spt`` shortest first, ``fcfs`` as submitted, ``mlpt``
(see `thinktime.models.policies.ostrich.mlpt`). Source: the ostrich paper, sections 3 and 4. The rules are compiled
(`thinktime.models.policies.ostrich.campaigns`).
"""

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from thinktime.models.engine.codes import passes
from thinktime.models.engine.rules import decide
from thinktime.models.jobs.view import View
from thinktime.models.orders.named_orders import FCFS
from thinktime.models.orders.options import one_of, share_table, share_text
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.ostrich.campaigns import CampaignsRule, admit
from thinktime.models.policies.ostrich.virtual import Campaign, VirtualSchedule
from thinktime.workloads import checks
from thinktime.workloads.arrays import Rows, writable
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_seconds, plain

WITHIN = ("lpt", "spt", "fcfs", "mlpt")
BACKFILLING = {"easy": passes.EASY, "none": passes.STRICT}


@dataclass(eq=False, repr=False)
class CampaignPolicy(ReadyPolicy):
    """Base of the campaign policies. Subclasses say by ``code`` which rule they are."""

    order = FCFS
    compiles = True
    code: ClassVar[int]

    within: str = "lpt"
    backfilling: str = "easy"
    threshold: float = 0.0
    shares: dict[Any, float] | str | list[str] | None = None

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "threshold")
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float) or not self.threshold >= 0:
            raise ValueError(f"threshold is {quoted(self.threshold)}, but must be at least 0 s")
        one_of("within", self.within, WITHIN)
        one_of("backfilling", self.backfilling, BACKFILLING)
        self.shares = share_table(self.shares)
        self.virtual = VirtualSchedule(shares=self.shares)
        self.virtual.table.bind(
            backfilling=BACKFILLING[self.backfilling], campaign_rule=self.code, within=WITHIN.index(self.within),
            threshold=self.threshold,
        )  # fmt: skip

    def prepare(self, users: list[Any], processors: int) -> None:
        """Give every user a share of the processors."""
        self.virtual.prepare(users, processors)

    def as_rule(self, rows: int, jobs: int) -> CampaignsRule:
        """The table of campaigns."""
        return self.virtual.structure(rows, jobs)

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Group the new jobs into campaigns; the pass does, if endless windows may turn some of them away before."""
        if not any(window.end == inf for window in view.windows):
            admit(view.state, self._rule(view), now, writable(view.waiting))

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs are over, and with them maybe their campaigns."""
        self._rule(view).ended(view.state, now, writable(rows))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Forget jobs that have left the queue."""
        self._rule(view).withdrawn(view.state, now, writable(rows))

    def select(self, view: View, now: float) -> Proposal:
        """Start the next jobs of the most urgent campaigns."""
        return view.started[: decide(view.state, self._rule(view), now, writable(view.waiting))]

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs that have started are no longer in line."""
        self._rule(view).started(view.state, now, writable(rows))

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        options = {"within": self.within, "backfilling": self.backfilling, "threshold": plain(self.threshold)}
        return options | ({"shares": share_text(share_table(self.shares))} if self.shares else {})

    def campaigns(self) -> list[Campaign]:
        """Every campaign with jobs that have not started: those whose jobs may start first, the most urgent first."""
        return [campaign for campaign in self.virtual.campaigns() if len(campaign.rows)]

    def _rule(self, view: View) -> CampaignsRule:
        self.prepare(view.labels("user"), view.capacity)
        return self.as_rule(view.requests.capacity, view.jobs)
