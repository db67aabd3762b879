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

from typing import Any

from thinktime.models.kernels.campaigns import SLURM
from thinktime.models.policies.campaign_policy import CampaignPolicy
from thinktime.models.policies.entry import listed


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
    code = SLURM

    def __init__(
        self,
        within: str = "spt",
        backfilling: str = "easy",
        threshold: float = 600.0,
        shares: dict[Any, float] | str | list[str] | None = None,
    ) -> None:
        super().__init__(within, backfilling, threshold, shares)
