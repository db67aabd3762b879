"""A limit on a user's jobs in flight, set by the user or by the site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.users.behaviours.base import Behaviour

if TYPE_CHECKING:
    from thinktime.users.user import User


@dataclass(frozen=True)
class InFlight(Behaviour):
    """At most ``jobs`` jobs submitted and not ended; the rest of the campaign follows as they end.

    ``jobs`` is a number of at least 1, or a function of the `User` that returns the current limit (at least one job is
    always submitted, so that nobody waits forever). Jobs that are held back are neither submitted nor lost. To the
    machine, jobs submitted together are a campaign; to the user it is one campaign until the last job ends.
    """

    jobs: int | Callable[[User], float]

    def __post_init__(self) -> None:
        if not callable(self.jobs) and (isinstance(self.jobs, bool) or not self.jobs >= 1):
            raise ValueError(f"jobs must be at least 1, or a function of the user, not {self.jobs!r}")

    def room(self, user: User) -> float:
        """The limit."""
        return self.jobs(user) if callable(self.jobs) else self.jobs
