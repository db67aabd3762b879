"""A limit on a user's jobs in flight: the rule of a careful user, or of a site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.users.behaviours.base import Behaviour

if TYPE_CHECKING:
    from thinktime.users.user import User


@dataclass(frozen=True)
class InFlight(Behaviour):
    """At most ``jobs`` jobs submitted and not over; the rest of the campaign follows as they end.

    ``jobs`` is a number of at least 1, or a function of the `User` that gives it at the moment (at least 1 job is
    always let through, so that nobody waits for ever). Jobs that still wait for room are neither submitted nor lost.
    To the machine, what is submitted together is a campaign; to the user, it is one campaign until the last job ends.
    """

    jobs: int | Callable[[User], float]

    def __post_init__(self) -> None:
        if not callable(self.jobs) and (isinstance(self.jobs, bool) or not self.jobs >= 1):
            raise ValueError(f"jobs must be at least 1, or a function of the user, not {self.jobs!r}")

    def room(self, user: User) -> float:
        """The limit."""
        return self.jobs(user) if callable(self.jobs) else self.jobs
