"""What the paper leaves open, changed one at a time: the rows of the sensitivity table.

Users (and with them the load), think times and the mix are not given; nor is the order of jobs within a
campaign. Holding a campaign back until its virtual start is given, and is switched off in one row to show
what it costs.
"""

from dataclasses import dataclass, replace
from math import inf

from thinktime.workloads.units import HOUR

BOTH = ("fcfs", "ostrich")


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """What an instance is made of; the defaults are the study's."""

    jobs: int = 10_000
    processors: int = 64
    users: int = 26
    share_short: float = 2 / 3
    think_time: float = 18_000.0

    def __post_init__(self) -> None:
        for name in ("jobs", "processors", "users"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}")
        if not 0 <= self.share_short <= 1:
            raise ValueError(f"share_short must lie between 0 and 1, not {self.share_short!r}")
        if not 0 <= self.think_time < inf:
            raise ValueError(f"think_time must be a number of at least 0 s, not {self.think_time!r}")


@dataclass(frozen=True, slots=True)
class Variation:
    """One set-up to try: what differs, in words, and the policies to run."""

    differs: str
    setup: SetUp
    policies: tuple[str, ...] = BOTH


def variations(setup: SetUp) -> list[Variation]:
    """The rows for a study around this set-up."""
    around = {max(1, round(setup.users * factor)) for factor in (0.5, 0.75, 1.25, 1.5)} - {setup.users}
    return [
        *(Variation(f"{users} users", replace(setup, users=users)) for users in sorted(around)),
        *(
            Variation(f"think time {hours:g} h", replace(setup, think_time=hours * HOUR))
            for hours in (0, 1, 10, 20)
            if hours * HOUR != setup.think_time
        ),
        *(
            Variation(f"{share:.0%} of the users short", replace(setup, share_short=share))
            for share in (1 / 3, 1 / 2, 5 / 6)
            if share != setup.share_short
        ),
        Variation("SPT within a campaign", setup, ("ostrich:within=spt",)),
        Variation("FCFS within a campaign", setup, ("ostrich:within=fcfs",)),
        Variation("campaigns not held back", setup, ("ostrich:held_back=no",)),
    ]
