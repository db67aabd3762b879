"""What Slurm's rule has: its options, and what it remembers between passes (`thinktime.models.policies.slurm.rule`)."""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine.codes.fields import fields
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints


class SlurmMemory(Rule):
    """Options, times of passes to come, and a profile for each pass."""

    FIELDS = {"at_most": Ints}
    PARTS = ("profile",)
    NUMBERS = fields(
        (0, "depth partition_depth tests starts_most reservations"),
        (False, "backfills whole inclusive"),
        (0.0, "window min_age resolution interval groups linear main_interval origin tick tick_origin"),
        (math.inf, "next_backfill next_candidate next_main next_tick"),
    )
    backfills: bool
    """Whether there is backfill."""
    depth: int
    """Jobs that the main pass looks at, 0 for all, as in the following ones."""
    partition_depth: int
    """Of these, jobs of a partition."""
    tests: int
    """Jobs that the backfill pass looks at."""
    starts_most: int
    """Jobs that it starts."""
    reservations: int
    """Jobs of a partition that get reservations."""
    whole: bool
    """Whether reservations take whole nodes."""
    inclusive: bool
    """Whether a reservation that begins exactly when a job would end is in its way."""
    window: float
    """How far ahead reservations may be, s; 0 for any, as in the following ones."""
    min_age: float
    """How long a job has waited that gets one, s."""
    resolution: float
    """Begins and ends of reservations are rounded to multiples of this, s."""
    interval: float
    """Backfill passes are at multiples of this, s."""
    groups: float
    """How far the first group of ends reaches, s."""
    linear: float
    """How much further each following one does, s; 0: twice as far."""
    main_interval: float
    """The main pass looks at all jobs at multiples of this, s."""
    origin: float
    """From when multiples are counted, s."""
    tick: float
    """The order may change at multiples of this, s."""
    tick_origin: float
    """From when these are counted, s."""
    next_backfill: float
    """The next backfill pass, s."""
    next_candidate: float
    """When the next running job may be preempted, s."""
    next_main: float
    """The next main pass over the whole queue, s."""
    next_tick: float
    """The next tick, s."""
    at_most: Ints
    """Jobs that the backfill pass looks at, by kind (`thinktime.models.engine.codes.slurm_counts`); 0 for all."""
    profile: Profile

    def __init__(self, **given: Any) -> None:
        self.profile = Profile()
        super().__init__(**given)
