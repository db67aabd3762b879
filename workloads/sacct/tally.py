"""Collect findings line by line for the cleaning report."""

from __future__ import annotations

from collections.abc import Callable

from thinktime.workloads.swf.cleaning import Action, CleaningReport


class Tally:
    """The number and the first line of each finding."""

    def __init__(self) -> None:
        self._found: dict[tuple[Action, str], tuple[int, int]] = {}

    def add(self, kind: Action, reason: str, line: int, times: int = 1) -> None:
        """Add a finding, or several in one line."""
        count, first = self._found.get((kind, reason), (0, line))
        self._found[kind, reason] = (count + times, min(first, line))

    def about(self, line: int) -> Callable[[Action, str], None]:
        """A function that adds findings in one line."""
        return lambda kind, reason: self.add(kind, reason, line)

    def enter(self, report: CleaningReport, with_lines: bool) -> None:
        """Add everything to a report, with line numbers or not."""
        for (kind, reason), (count, first) in self._found.items():
            report.add(kind, reason, count, first if with_lines else None)
