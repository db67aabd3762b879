"""Think times that depend on the response time, and think times that pass faster at busy hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinktime.users.behaviours.base import Behaviour
from thinktime.users.sampling import Quantity
from thinktime.workloads.generators.cycles import Cycle, weekly
from thinktime.workloads.units import WEEK

if TYPE_CHECKING:
    from thinktime.models.events import CampaignRecord
    from thinktime.users.user import User


@dataclass(frozen=True, kw_only=True)
class LinearThinking(Behaviour):
    """Think for ``slope`` times the response time plus ``offset`` (s), times ``spread``, instead of the drawn time.

    Source: S. Schlagkamp, Influence of dynamic think times on parallel job scheduler performances in generative
    simulations (JSSPP 2015), with 0.4826 and 1779 s, for think times of up to eight hours. ``spread`` (no unit) is
    ours: ``stats.expon()`` makes think times exponential around the line.
    """

    slope: float = 0.4826
    offset: float = 1779.0
    spread: Quantity = 1.0

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time for the response time of the last campaign, or for the time until it was given up."""
        return (self.slope * last.elapsed + self.offset) * user.number(self, "spread")


@dataclass(frozen=True, kw_only=True)
class Rhythm(Behaviour):
    """Think times pass with the activity of a `Cycle`: faster at busy hours, slower at night.

    The think time is in the cycle's operational time, so over a week its mean rate is unchanged. ``origin`` (s) is a
    midnight before a Monday. The default is the week of the Lublin-Feitelson model with quiet weekends
    (`thinktime.workloads.generators.cycles`).
    """

    cycle: Cycle | None = None
    origin: float = 0.0

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time in simulated seconds."""
        cycle = weekly() if self.cycle is None else self.cycle
        shift = np.floor((last.end - self.origin) / WEEK) * WEEK + self.origin
        since = float(last.end - shift)
        return float(cycle.warp(cycle.unwarp(np.array([since])) + thought)[0]) - since
