"""The state of a machine as it is now: it is another object after arrays have grown."""

from __future__ import annotations

from typing import Any


class Current:
    """Knows the state of a machine; a copy of it knows none."""

    state: Any
    """A `State`; None if there is none."""

    def __init__(self) -> None:
        self.state = None

    def __reduce__(self) -> Any:
        return Current, ()
