"""What a policy has proposed so far in a pass."""

from __future__ import annotations


class Proposed:
    """What a policy has proposed so far in this pass."""

    rows: dict[int, None]
    """Jobs that start, in the order of the proposal."""
    leaving: list[int]
    """Running jobs that are to leave."""
    processors: int
    """What those that start ask for."""

    def __init__(self) -> None:
        self.rows, self.leaving, self.processors = {}, [], 0

    def add(self, row: int, processors: int) -> None:
        """A job starts that asks for so many."""
        self.rows[row] = None
        self.processors += processors

    def forget(self) -> None:
        """A new pass begins."""
        self.rows.clear()
        self.leaving.clear()
        self.processors = 0
