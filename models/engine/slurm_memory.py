"""What Slurm's rule has: its options, and what it remembers between passes (`thinktime.models.engine.slurm`)."""

from __future__ import annotations

from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints


class SlurmMemory(Rule):
    """Options, times of passes to come, and room for a profile."""

    FIELDS = ("options", "seconds", "clock", "times", "free")
    options: Ints
    seconds: Floats
    clock: Floats
    times: Floats
    free: Ints
