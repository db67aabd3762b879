"""Who is told what happens on a machine: the events that were handed out, watches, and observers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thinktime.models.events import CampaignEvent, JobEvent
from thinktime.models.phases import Phases
from thinktime.models.watches import Watches


class Observer(Protocol):
    """Who sees the machine at submissions (`Machine.observe`)."""

    def before_submissions(self, phases: Phases, rows: NDArray[np.int64], now: float) -> None:
        """The jobs in ``rows``, by id, are about to enter the queue; ``phases`` has the state before that."""
        ...


@dataclass(slots=True)
class Listeners:
    """The listeners of one machine: the machine adds them, its scheduler tells them."""

    watches: Watches
    jobs: dict[int, JobEvent] = field(default_factory=dict)
    """The events of jobs that are not over, by row."""
    campaigns: dict[int, CampaignEvent] = field(default_factory=dict)
    """The events of campaigns that are not over, by number."""
    observers: list[Observer] = field(default_factory=list)
