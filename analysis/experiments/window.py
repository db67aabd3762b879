"""The part of a run that is measured, with what has been computed of it.

`thinktime.models.results.windowed` says what a window is; a scenario gives its times, or warm-up and cool-down.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from thinktime.models.results.outcome import served
from thinktime.models.results.result import Result
from thinktime.models.results.schedule import LABELLED
from thinktime.models.results.windowed import Windowed, chosen
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted, shortened


@dataclass(frozen=True, eq=False)
class Measured(Windowed[Result]):
    """A result and the measured window, with what has been computed of it."""

    _cache: dict[object, Floats] = field(default_factory=dict)

    def keep(self, name: str, compute: Callable[[], Floats]) -> Floats:
        """The cached value under this name, computed on first use."""
        if name not in self._cache:
            self._cache[name] = compute()
        return self._cache[name]

    def values(self, name: str, measure: Callable[[Result], Floats]) -> Floats:
        """A measure of the jobs that were served, cached under its name."""

        def known() -> Floats:
            found = measure(self.jobs)[served(self.jobs)]
            return found[~np.isnan(found)]

        return self.keep(name, known)

    def of_users(self, wanted: str) -> "Measured":
        """The same for the users called `wanted`, or `wanted 1`, `wanted 2` and so on.

        Or for the jobs of a `group=NAME` and the like, of which a run may have none: of demand lost before submission,
        only the user is known.
        """
        column, _, name = wanted.partition("=")
        if column in LABELLED:
            return self._of_label(column, name)
        demand = self.result.lost_demand

        def is_ours(label: object) -> bool:
            return str(label) == wanted or str(label).startswith(f"{wanted} ")

        ours = np.array([*map(is_ours, self.result.names["user"]), False])
        theirs = np.array([is_ours(label) for label in demand["user"]], dtype=np.bool_)
        answered = np.array([is_ours(label) for label in self.result.responses["user"]], dtype=np.bool_)
        if not ours.any() and not theirs.any():
            labels = map(str, self.result.names["user"])
            known = sorted({each.rpartition(" ")[0] or each for each in labels})
            raise ValueError(
                f"no user is called {quoted(wanted)}; there are {', '.join(shortened(each, 20) for each in known[:10])}"
            )
        lost = {name: column[theirs] for name, column in demand.items()}
        responses = {name: column[answered] for name, column in self.result.responses.items()}
        jobs = replace(chosen(self.result, ours[self.result["user"]]), lost_demand=lost, responses=responses)
        return Measured(jobs, self.first, self.last)

    def _of_label(self, column: str, name: str) -> "Measured":
        ours = np.array([*(str(label) == name for label in self.result.names[column]), False])
        nothing, none = (
            {key: values[:0] for key, values in each.items()}
            for each in (self.result.lost_demand, self.result.responses)
        )
        jobs = replace(chosen(self.result, ours[self.result[column]]), lost_demand=nothing, responses=none)
        return Measured(jobs, self.first, self.last)


def finite(value: float | str) -> float | None:
    """The number, or None if it is not finite, as it is stored in JSON."""
    number = float(value)
    return number if np.isfinite(number) else None
