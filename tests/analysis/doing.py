"""A task that is quickly sent to a worker, which imports nothing else for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Doing:
    """A function of a number."""

    what: Callable[[float], Any]
    of: float

    def perform(self) -> Any:
        """Do it."""
        return self.what(self.of)
