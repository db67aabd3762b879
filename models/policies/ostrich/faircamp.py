"""FairCamp: campaigns by deadlines, the earliest first (Pinheiro, Rzadca, Trystram: Campaign scheduling, HiPC 2012).

A campaign submitted at t gets the deadline d = t + k rho l: k users have campaigns that are not over, l =
max(W / m, p_max) is the least time that the campaign needs on the whole machine, and rho is the
approximation ratio of the rule within a campaign. The paper's abstract gives the idea and the guarantee: the flow time
is at most k rho times that on a dedicated machine. The formula is our reading, and so is rho = 2 - 1 / m, the ratio of
list scheduling. m counts all processors of the machine, and a deadline stays what it is when jobs are interrupted.
"""

from dataclasses import dataclass, field
from typing import Any

from thinktime.models.engine.codes.campaigns import FAIRCAMP
from thinktime.models.policies.entry import listed
from thinktime.models.policies.ostrich.campaign_policy import CampaignPolicy
from thinktime.workloads.names import quoted
from thinktime.workloads.units import plain


@listed("campaigns by deadline", "Pinheiro, Rzadca, Trystram (HiPC 2012)", "within, backfilling, threshold, rho")
@dataclass(eq=False, repr=False)
class FairCamp(CampaignPolicy):
    """``faircamp``: earliest deadline first over campaigns; ``rho`` defaults to 2 - 1 / m."""

    rule = "faircamp"
    code = FAIRCAMP

    shares: None = field(init=False, default=None)
    rho: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho is not None:
            if not self.rho > 0:
                raise ValueError(f"rho is {quoted(self.rho)}, but must be above 0")
            self.virtual.table.rho = self.rho

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        return super().options() | ({} if self.rho is None else {"rho": plain(self.rho)})
