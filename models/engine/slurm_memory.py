"""What Slurm's rule has: its options, and what it remembers between passes (`thinktime.models.engine.slurm`)."""

from __future__ import annotations

from typing import Any

from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints


class SlurmMemory(Rule):
    """Options, times of passes to come, and a profile for each pass."""

    FIELDS = ("options", "seconds", "clock")
    options: Ints
    seconds: Floats
    clock: Floats
    profile: Profile

    def __init__(self, *arrays: Any) -> None:
        super().__init__(*arrays)
        self.profile = Profile()
