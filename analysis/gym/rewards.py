"""Rewards: any metric of the package, at the end of a run or step by step.

The rewards of a run add up to the metric of its result, whether they come at once or as the metric changes. A metric
that is not defined, such as the mean wait before any job has started, counts as 0.
"""

from collections.abc import Callable
from math import isfinite

from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.experiments.window import Measured
from thinktime.models.orders.options import one_of
from thinktime.models.results.result import Result

WHEN = ("end", "step")


class Reward:
    """A reward from its text, ``METRIC`` or ``-METRIC`` (the less, the better), or a function of a result."""

    def __init__(self, of: str | Callable[[Result], float], per: str = "end") -> None:
        self.per_step = one_of("per", per, WHEN) == "step"
        self._last = 0.0
        if callable(of):
            self._of = of
            return
        sign, known = (-1.0, metric(of[1:])) if of.startswith("-") else (1.0, metric(of))
        self._of = lambda result: sign * known.of(Measured(result))

    def begin(self) -> None:
        """A run begins, with nothing gained."""
        self._last = 0.0

    def gained(self, result: Result) -> float:
        """What has been gained since this was last asked, or since the beginning."""
        value = float(self._of(result))
        now = value if isfinite(value) else 0.0
        gained, self._last = now - self._last, now
        return gained
