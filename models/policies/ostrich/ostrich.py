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

On a machine that changes, V has all processors at any time, and the work that campaigns were submitted with: nothing is
ever interrupted there, so no user is charged for work that the machine has lost. With ``corrected``, a job takes out of
V what its last run did not use.
"""

from dataclasses import dataclass
from typing import Any

from thinktime.models.engine.codes.campaigns import OSTRICH, SLURM
from thinktime.models.orders.options import as_flag
from thinktime.models.policies.entry import listed
from thinktime.models.policies.ostrich.campaign_policy import CampaignPolicy


@listed(
    "campaigns by completion in a virtual fair-sharing schedule",
    "Emeras, Pinheiro, Rzadca, Trystram (PPAM 2013)",
    "within=lpt|spt|fcfs|mlpt, backfilling=easy|none, threshold=0, shares=USER*WEIGHT+…, corrected=no|yes, "
    "held_back=yes|no",
)
@dataclass(eq=False, repr=False)
class OStrich(CampaignPolicy):
    """``ostrich``: fair scheduling of campaigns.

    ``shares`` gives users weights in the virtual schedule (`share_table`).

    Virtual work is made of estimates. With ``corrected=True`` (not in the paper, whose estimates are exact)
    a job that ends early takes what it did not use out of V. Otherwise, a user who asks for twice the time needed
    is held back for twice the time, and so are all users who share V with that one. ``held_back=False`` lets
    campaigns start before their virtual start (a variant for comparison; not in the paper).
    """

    rule = "ostrich"
    code = OSTRICH

    corrected: bool = False
    held_back: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.corrected = as_flag("corrected", self.corrected)
        self.held_back = as_flag("held_back", self.held_back)
        self.virtual.table.bind(held_back=self.held_back, corrected=self.corrected)

    def next_clock(self, now: float) -> float:
        """The next virtual completion."""
        return self.virtual.next_completion()

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        changed = {"corrected": "yes"} if self.corrected else {}
        return super().options() | changed | ({} if self.held_back else {"held_back": "no"})


@listed(
    "OStrich as in its SLURM plugin: campaigns by threshold, shares of what is used",
    "Skalski, Rzadca: plugin for SLURM",
    "within, backfilling, threshold=600, shares",
)
@dataclass(eq=False, repr=False)
class OStrichSlurm(CampaignPolicy):
    """``ostrich-slurm``: as its authors' SLURM plugin schedules, with shares of the processors that are really used.

    A job joins a campaign founded less than ``threshold`` seconds ago. In place of the exact virtual schedule, each
    active user (with jobs that are not over) is given, for every interval between two events, virtual time in
    proportion to the user's share, out of the processor-seconds that were really used in it. A user's virtual time
    fills the user's campaigns, oldest first; what is left over is lost. The priority of a campaign, smaller first, is
    (time left + offset) / share. The time left is the campaign's work that its virtual time does not cover, and the
    offset is what is left of the user's earlier campaigns. Nothing is held back, and within a campaign the shortest job
    comes first.

    Source: the plugin by Skalski and Rzadca, as described in public; work counts finished jobs at their real
    length and others at their estimate. The interval is from event to event here (our decision; the plugin
    works in fixed steps).

    On a machine that changes, an interrupted job has used what it ran, lost or not, and its work is that and the
    planned length of its next run.
    """

    rule = "ostrich-slurm"
    code = SLURM

    within: str = "spt"
    threshold: float = 600.0
