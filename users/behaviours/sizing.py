"""Users who choose how large their jobs are: by the predicted end, by habit, within a budget, or by what is free.

========  ==============================================================================================
`Mold`    ask for the size that is predicted to end first (W. Cirne, F. Berman: the applications of "A
          model for moldable supercomputer jobs", IPDPS 2001, choose so), or for that of the job before
`Parcel`  cut a job into more and smaller ones by the processors that are free, as users cut tasks in
          N. Simakov's HPCMod (AHFE 2024); the details are ours
========  ==============================================================================================

Jobs that have a shape (`thinktime.workloads.shapes`) have the sizes of it, and keep it: the size that a user asks for
is then the one that it prefers, and a policy that chooses sizes may choose another one. Others have their own size
times ``factors`` (rounded up), by a ``speedup``. Their users ``believe`` in a speed-up, by which estimates go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Annotated, Any, ClassVar

from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.responding import Purse
from thinktime.users.behaviours.shown import AsShown
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Codec
from thinktime.workloads.reading.values import NUMBER, SECONDS, number, whole
from thinktime.workloads.shapes.speedup import SpeedUp
from thinktime.workloads.sizing import of_size, sizes_of, some_of
from thinktime.workloads.units import Duration, as_seconds

__all__ = ["Mold", "Parcel"]


def _factors(value: Any) -> tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise ValueError(f"must be a list of numbers, such as [0.5, 1, 2], not {quoted(value)}")
    return tuple(number(each) for each in value)


Factors = Annotated[tuple[float, ...], Codec(_factors, list)]
WHOLE = Codec(whole())


@dataclass(kw_only=True, eq=False)
class _OfSeveralSizes(Behaviour):
    """A user whose jobs may have several sizes."""

    factors: Factors = (0.25, 0.5, 1, 2, 4)
    speedup: str = "linear"
    believes: str = ""
    resizes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.factors = tuple(self.factors)
        if not self.factors or not all(each > 0 for each in self.factors):
            raise ValueError(f"factors must be numbers above 0, such as (0.5, 1, 2), not {quoted(self.factors)}")
        self.speedup = str(SpeedUp(self.speedup))
        self.believes = str(SpeedUp(self.believes)) if self.believes else self.speedup

    def sizes(self, user: User, job: Job) -> list[int]:
        """The sizes that the user may ask for."""
        return sizes_of(job, self.factors, user.sight.capacity)

    def of_size(self, job: Job, size: int) -> Job:
        """The job with another size."""
        return of_size(job, size, self.speedup, self.believes)


@dataclass(kw_only=True, eq=False)
class Mold(_OfSeveralSizes):
    """Ask for the size with which a job is predicted to end first; of equal ones for the smallest.

    At most so many sizes are looked at as ``tries`` says: a forecast each. A share ``habit`` of jobs is not looked at
    at all, and has the size of the user's job before, or the one next to it. With a ``budget`` (in processor-hours, or
    as for `SleepOnIt` in the unit of a signal that is ``shown``) for each ``period`` (s), sizes count that cost no more
    by what they ask for than is left of it; if none does, the size that costs least.
    """

    tries: Annotated[int, WHOLE] = 8
    habit: Annotated[float, NUMBER] = 0.0
    budget: Annotated[float, NUMBER] | None = None
    period: Annotated[Duration, SECONDS] | None = None
    shown: AsShown | None = None
    loses: ClassVar[bool] = False
    response: ClassVar[str] = "reshaped"
    _purse: Purse | None = field(init=False, repr=False, default=None)
    _last: int | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, as_seconds, "period")
        self.tries = checks.whole("tries", self.tries)
        checks.number("habit", self.habit, "a part from 0 to 1", least=0.0, most=1.0)
        if (self.budget is None) != (self.period is None):
            raise ValueError("a budget is one for each period: give both, such as budget=100, period='1w'")
        if self.budget is not None and self.period is not None:
            checks.positive("budget", self.budget)
            checks.positive("period", self.period)
            self._purse = Purse(self.budget, float(self.period), self.shown)

    def adapt(self, user: User, job: Job) -> Job:
        """The job with the size that the user chooses."""
        chosen = self._habitual(user, job) or min(
            (self.of_size(job, each) for each in self._looked_at(user, job)), key=user.sight.predicted_end
        )
        self._last = chosen.processors
        if self._purse is not None:
            self._purse.spent += self._purse.cost(user, user.now, [chosen]) * self._purse.budget
        return chosen

    def _habitual(self, user: User, job: Job) -> Job | None:
        """The job with the size of the one before, if the user goes by habit now."""
        if self._last is None or user.luck >= self.habit:
            return None
        last = self._last
        size = min(self._affordable(user, job, self.sizes(user, job)), key=lambda each: (abs(each - last), each))
        return self.of_size(job, size)

    def _looked_at(self, user: User, job: Job) -> list[int]:
        """The sizes that the user looks at."""
        found = self._affordable(user, job, self.sizes(user, job))
        return some_of(found, self.tries, job.processors if job.processors in found else found[0])

    def _affordable(self, user: User, job: Job, sizes: list[int]) -> list[int]:
        """Those of some sizes that the budget allows, or the cheapest."""
        purse = self._purse
        if purse is None:
            return sizes
        left, time = purse.left(user.now), user.now
        costs = {size: purse.cost(user, time, [self.of_size(job, size)]) for size in sizes}
        return [size for size in sizes if costs[size] <= left] or [min(sizes, key=lambda size: (costs[size], size))]


@dataclass(kw_only=True, eq=False)
class Parcel(_OfSeveralSizes):
    """Cut a job that does not fit into what is free: into jobs of the largest size that does, each with a part of it.

    There are as many as it takes to have the processors of the job, but at most ``parts``, and all of them are
    submitted at once. If no size fits, they have the least size of which so many parts are enough.
    """

    parts: Annotated[int, WHOLE] = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        self.parts = checks.whole("parts", self.parts)

    def cut(self, user: User, job: Job) -> Sequence[Job] | None:
        """The smaller jobs into which a job is cut that is wider than what is idle; None if it is submitted whole."""
        free, own = user.sight.free, job.processors
        if own <= free:
            return None
        sizes = [each for each in self.sizes(user, job) if each < own and ceil(own / each) <= self.parts]
        if not sizes:
            return None
        size = max((each for each in sizes if each <= free), default=min(sizes))
        count = ceil(own / size)
        part = self.of_size(job, size)
        estimate = None if part.estimate is None else part.estimate / count
        return [replace(part, id=None, runtime=part.runtime / count, estimate=estimate) for _ in range(count)]
