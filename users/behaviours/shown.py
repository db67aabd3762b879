"""What a site shows to its users at a submission, and conditions that hold by it.

A site may show nothing (`nothing`), what the user's last campaign was charged (`charge`), the price now (`price`), or a
forecast: the mean price over the time that the jobs ask for, from now on (`forecast`), or from their predicted starts
on (`start`, which costs a forecast per job). A *price* is any signal: of money, carbon, or a tariff without a unit.

`Elastic`   users give way with the probability 1 - (price / reference)^-elasticity
`Dear`      all give way above some price

Both are conditions, as `Windows` are: ``Renounce(Elastic(price, elasticity=0.5))``. Of jobs that would come as a
Poisson process, users who renounce so submit one with a rate that is (price / reference)^-elasticity times as large.
Where the price is at or below its reference, nobody gives way: a low price calls forth no work that was not wanted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np

from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.job import Job
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.faults import VERBS
from thinktime.workloads.reading.table import Codec, Fault, form_of
from thinktime.workloads.reading.values import NUMBER
from thinktime.workloads.signals import Forecast, Signal

__all__ = ["Dear", "Elastic", "Shown"]


def _signal(value: Any) -> Signal:
    """A signal from the name of its file, or from a table of what `Signal` takes."""
    if isinstance(value, str):
        return Signal.read(value)
    if not isinstance(value, Mapping):
        raise ValueError(
            f"must be the name of a file of start,value, or a table of times and values, not {quoted(value)}"
        )
    try:
        return Signal(**value)
    except TypeError:
        raise ValueError(f"must be a table of times, values, name, unit, after and end, not {quoted(value)}") from None


GIVEN = Codec(_signal)
WORD = Codec("str")


class Telling(Protocol):
    """What says how a signal goes on, such as a `Signal` itself, which knows it."""

    def at(self, t: float) -> float:
        """The value at a time (s)."""

    def mean(self, a: float, b: float) -> float:
        """The mean over [a, b) (s)."""

    def next_step(self, t: float) -> float:
        """When the next step begins (s)."""


@dataclass(frozen=True)
class Shown:
    """A ``signal``, as users see it: ``sees`` is one of `SIGHTS`, ``forecast`` a `Forecast` with its ``error``."""

    signal: Annotated[Signal, GIVEN]
    sees: str = field(default="price", kw_only=True)
    forecast: str = field(default="perfect", kw_only=True)
    error: Annotated[float, NUMBER] = field(default=0.0, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if self.sees not in SIGHTS:
            raise ValueError(
                f"a user cannot see {quoted(self.sees)}; {key_of(str(self.sees), SIGHTS, 'what is shown')}"
            )
        self._foretold()

    def price(self, user: User) -> float | None:
        """What a user sees for the jobs that it considers; None for nothing."""
        return SIGHTS[self.sees](self, user)

    def foretold(self, now: float, until: float) -> Telling:
        """What is known at a time of the time up to another one (s)."""
        return self.signal if self.forecast == "perfect" else self._foretold().seen(now, until)

    def _foretold(self) -> Forecast:
        return Forecast(self.signal, self.forecast, self.error, self.seed)

    def best(self, user: User, time: float, patience: float) -> float:
        """When within ``patience`` the considered jobs would cost least if they ran at once; of equal times the first.

        All that may be best are the first and the last time, beginnings of steps, and times from which on the jobs end
        with one.
        """
        length = max(job.requested_time for job in user.considered)
        told, last = self.foretold(time, time + patience + length), time + patience
        times, step = [time, last], told.next_step(time)
        while step <= last + length and len(times) < MOST:
            times += [each for each in (step - length, step) if time < each <= last]
            step = told.next_step(step)
        return min(sorted(times), key=lambda each: told.mean(each, each + length))

    def over(self, user: User, starts: Callable[[Job], float]) -> float:
        """The mean over the times that the considered jobs ask for, from their starts on, by their work."""
        now, total, work = user.now, 0.0, 0.0
        for job in user.considered:
            start, asked = starts(job), job.requested_time
            start = now if start == np.inf else start
            told = self.foretold(now, start + asked)
            total += told.mean(start, start + asked) * asked * job.processors
            work += asked * job.processors
        return total / work

    def charged(self, user: User) -> float | None:
        """The mean price of the work of the user's last campaign; None before the first that ran."""
        ran = (
            []
            if user.last is None
            else [job for job in user.last.jobs if job.start is not None and job.end > job.start]
        )
        work = [job.processors * (job.end - job.start) for job in ran if job.start is not None]
        if not work:
            return None
        paid = [self.signal.mean(job.start, job.end) for job in ran if job.start is not None]
        return float(np.dot(paid, work) / sum(work))


MOST = 100_000
"""No more times than this are compared."""
SIGHTS: Mapping[str, Callable[[Shown, User], float | None]] = {
    "nothing": lambda shown, user: None,
    "charge": lambda shown, user: shown.charged(user),
    "price": lambda shown, user: shown.signal.at(user.now),
    "forecast": lambda shown, user: shown.over(user, lambda job: user.now),
    "start": lambda shown, user: shown.over(user, user.sight.predicted_start),
}
"""What a site may show, by name."""


def read_as(kind: type[Shown], value: Any) -> Any:
    """What a table says of what is shown, or of a condition by it."""
    form = form_of(kind)
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table of {', '.join(form.keys)}, not {quoted(value)}")
    try:
        return form.read(value)
    except Fault as fault:
        where, between = fault.key, " " if fault.what.startswith(VERBS) else ": "
        raise ValueError(f"says of a signal: {where}{between}{fault.what}" if where else fault.what) from None


AsShown = Annotated[Shown, Codec(partial(read_as, Shown))]
"""What is shown, in a file a table of its fields."""


@dataclass(frozen=True)
class Elastic(Shown):
    """A condition: users give way, each with the probability 1 - (price / ``reference``)^-``elasticity``.

    Each job, or each campaign that may be put off, has luck of its own. The reference is the mean of the steps of the
    signal, if none is given. See `thinktime.users.behaviours.shown` for what users see.
    """

    elasticity: Annotated[float, NUMBER] = 1.0
    reference: Annotated[float, NUMBER] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("elasticity", self.elasticity, "a number of at least 0", least=0.0)
        if not self.usual > 0:
            raise ValueError(f"the reference of a price must be above 0, not {quoted(self.usual)}")

    @property
    def usual(self) -> float:
        """The price at which all is submitted that is wanted."""
        if self.reference is not None:
            return self.reference
        end = self.signal.end
        first = float(self.signal.times[0])
        return self.signal.mean(first, end) if end < np.inf else self.signal.at(first)

    def share(self, price: float | None) -> float:
        """How much of what is wanted is submitted at a price."""
        if price is None or price <= self.usual:
            return 1.0
        return float((price / self.usual) ** -self.elasticity)

    def __call__(self, user: User) -> bool:
        """Whether a user gives way now."""
        share = self.share(self.price(user))
        return share < 1.0 and user.luck >= share


@dataclass(frozen=True)
class Dear(Shown):
    """A condition: what users see of the signal is ``above`` some value."""

    above: Annotated[float, NUMBER] = 0.0

    def __call__(self, user: User) -> bool:
        """Whether it is above."""
        price = self.price(user)
        return price is not None and price > self.above
