"""What a policy may know of a machine that changes: windows that were announced, who leaves, and who is resized."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from thinktime.workloads.names import quoted

WAYS = ("cancel", "requeue", "suspend")
"""How a running job may be sent away."""


@dataclass(frozen=True, slots=True)
class KnownWindow:
    """A window that was announced and is not over; times in s."""

    start: float
    end: float
    processors: Any
    rule: str
    kind: str
    _admits: Callable[[int], bool] = field(repr=False)

    def admits(self, job: Any) -> bool:
        """Whether it admits a job, which is a row or a request."""
        return self._admits(getattr(job, "row", job))


@dataclass(frozen=True, slots=True)
class Resize:
    """A part of a proposal: a running job is to have so many processors (`View.resize`)."""

    row: int
    processors: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A part of a proposal: a running job is to leave (`thinktime.models.jobs.view.View.preempt`)."""

    row: int
    how: str
    grace: float
    keeper: int = -1
    """The waiting job for which it leaves, or -1."""

    def __post_init__(self) -> None:
        if self.how not in WAYS:
            raise ValueError(f"how a job is preempted must be one of {', '.join(WAYS)}, not {quoted(self.how)}")
        if not self.grace >= 0.0:
            raise ValueError(f"a grace must be at least 0 s, not {quoted(self.grace)}")
