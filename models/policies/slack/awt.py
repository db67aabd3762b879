"""AWT, the average wait time by which slack is measured: one for all jobs, or one for each class of sizes.

Source: the slack paper, section 4.3, which leaves the classes open. Ours: by estimated run time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from thinktime.models.results.measures import wait
from thinktime.models.results.result import Result
from thinktime.workloads.names import quoted

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class AverageWait:
    """Average waits, s: ``waits[i]`` is for estimates up to ``limits[i]``, the last for all longer ones.

    ``waits`` is empty where they are still to be measured (``auto``).
    """

    waits: tuple[float, ...]
    limits: tuple[float, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the waits are given or measured."""
        return bool(self.waits)

    def measured(self, result: Result) -> "AverageWait":
        """The same classes with the mean waits of a result; a class without jobs gets the mean of all."""
        waits = wait(result)
        known = ~np.isnan(waits)
        overall = float(waits[known].mean()) if known.any() else 0.0
        classes = np.searchsorted(self.limits, result["estimate"][known])
        means = [waits[known][classes == i] for i in range(len(self.limits) + 1)]
        return AverageWait(tuple(float(part.mean()) if len(part) else overall for part in means), self.limits)

    def __str__(self) -> str:
        return "+".join(f"{value:.6g}" for value in self.waits) if self.waits else AUTO


def as_average_wait(awt: Any, classes: Any = ()) -> AverageWait:
    """AWT from a number, ``auto``, or a list with a number for each class; ``ValueError`` if they do not fit."""
    limits = tuple(_number("classes", limit) for limit in _listed(classes))
    if any(not 0 < limit < inf for limit in limits) or list(limits) != sorted(set(limits)):
        raise ValueError(f"classes are {quoted(classes)}, but must be estimates in s, ascending, each above 0")
    if isinstance(awt, str) and awt == AUTO:
        return AverageWait((), limits)
    waits = tuple(_number("awt", value) for value in _listed(awt))
    if any(not 0 <= value < inf for value in waits):
        raise ValueError(f"awt is {quoted(awt)}, but must be a number of seconds of at least 0, or auto")
    if len(waits) != len(limits) + 1:
        raise ValueError(f"awt has {len(waits)} values for {len(limits) + 1} classes of estimates; give one for each")
    return AverageWait(waits, limits)


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _number(name: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        also = " or auto" if name == "awt" else ""
        raise ValueError(f"{name} is {quoted(given)}, but must be a number of seconds{also}") from None
