"""A comparison of modes, shown in notebooks as a table and as text."""

from __future__ import annotations

from thinktime.analysis.modes.in_words import made_of, rankings
from thinktime.analysis.modes.rankings import SCORE, Rankings
from thinktime.workloads.html import paragraph, table

_SHOWN = {
    "mean_wait": "mean wait (s)",
    SCORE: "mean bounded slowdown (10 s)",
    "throughput_per_day": "jobs a day",
    "mean_user_response_time": "mean of users' response times (s)",
}


class ModeComparison(Rankings):
    """Several policies on the same jobs in several modes (what `compare_modes` returns)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The means of each mode and policy, and the rankings as text, for notebooks."""
        rows = [
            [mode, policy, *(f"{self.mean(mode, policy, name):,.2f}" for name in _SHOWN)]
            for mode in self.measures
            for policy in self.measures[mode]
        ]
        made = [line for mode in self.measures for line in made_of(self, mode)]
        lines = "".join(paragraph(line.strip()) for line in [*made, *rankings(self)])
        return table(["mode", "policy", *_SHOWN.values()], rows, keys=2) + lines
