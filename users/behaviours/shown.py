"""What a site shows to its users at a submission, and conditions that hold by it.

A site may show nothing (`nothing`), what the user's last campaign was charged (`charge`), the price now (`price`), or a
forecast: the mean price over the time that the jobs ask for, from now on (`forecast`), or from their predicted starts
on (`start`, which costs a forecast per job). A *price* is any signal: of money, carbon, or a tariff without a unit.

`Elastic`   users give way with the probability 1 - (price / reference)^-elasticity
`Dear`      all give way above some price

Both are conditions, as `Windows` are: ``Renounce(Elastic(price, elasticity=0.5))``. Of jobs that would come as a
Poisson process, users who renounce so submit one with a rate that is (price / reference)^-elasticity times as large.
Where the price is at or below its reference, no user gives way: a low price calls forth no work that was not wanted.
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
from thinktime.workloads.signals.units import TARIFF

__all__ = ["Dear", "Elastic", "Shown"]


def _signal(value: Any) -> Forecast | str:
    """A signal from its name on the machine, or from a table of what `Signal` and `Forecast` take."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(
            f"must be the name of a signal of the machine, or a table of times and values, not {quoted(value)}"
        )
    table = dict(value)
    told = {name: table.pop(name) for name in ("kind", "error", "seed") if name in table}
    try:
        return Forecast(Signal(**table), **told)
    except TypeError:
        keys = "times, values, name, unit, after, end, and kind, error and seed of its forecast"
        raise ValueError(f"must be a table of {keys}, not {quoted(value)}") from None


GIVEN = Codec(_signal)


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
    """A ``signal`` as users see it, who see what ``sees`` says, which is one of `SHOWN_AS`.

    It is a `Signal`, which is known ahead of time, a `Forecast`, or the name of a signal of the machine.
    """

    signal: Annotated[Signal | Forecast | str, GIVEN]
    sees: str = field(default="price", kw_only=True)

    def __post_init__(self) -> None:
        if self.sees not in SHOWN_AS:
            raise ValueError(
                f"a user cannot see {quoted(self.sees)}; {key_of(str(self.sees), SHOWN_AS, 'what is shown')}"
            )

    def of(self, user: User) -> Forecast:
        """The signal, and what is known of it."""
        if isinstance(self.signal, str):
            known = user.machine.signals
            if self.signal not in known:
                there = key_of(self.signal, known, "its signals") if known else "it has none"
                raise ValueError(f"the machine has no signal {quoted(self.signal)}; {there}")
            return known[self.signal]
        return Forecast(self.signal) if isinstance(self.signal, Signal) else self.signal

    def price(self, user: User) -> float | None:
        """What a user sees for the jobs that it considers; None for nothing."""
        return SHOWN_AS[self.sees](self, user)

    def foretold(self, user: User, now: float, until: float) -> Telling:
        """What is known at a time of the time up to another one (s)."""
        told = self.of(user)
        return told.signal if told.kind == "perfect" else told.seen(now, until)

    def amount(self, user: User, job: Job, hours: float) -> float:
        """What a price is of for some hours of a job: kWh, if it is per energy and its power is known.

        Otherwise processor-hours.
        """
        unit, power = self.of(user).signal.in_unit, user.machine.pool.power
        watts = job.power if job.power is not None or power is None else power.job
        if unit.kind == TARIFF or watts is None:
            return job.processors * hours
        return job.processors * hours * watts / 1000 * unit.per_kwh

    def best(self, user: User, time: float, patience: float) -> float:
        """When within ``patience`` the considered jobs would cost least if they ran at once; of equal times the first.

        All that may be best are the first and the last time, beginnings of steps, and times from which on the jobs end
        with one.
        """
        length = max(job.requested_time for job in user.considered)
        told, last = self.foretold(user, time, time + patience + length), time + patience
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
            told = self.foretold(user, now, start + asked)
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
        signal = self.of(user).signal
        paid = [signal.mean(job.start, job.end) for job in ran if job.start is not None]
        return float(np.dot(paid, work) / sum(work))


MOST = 100_000
"""No more times than this are compared."""
SHOWN_AS: Mapping[str, Callable[[Shown, User], float | None]] = {
    "nothing": lambda shown, user: None,
    "charge": lambda shown, user: shown.charged(user),
    "price": lambda shown, user: shown.of(user).signal.at(user.now),
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
        if self.reference is not None:
            checks.positive("reference", self.reference)

    def usual(self, user: User) -> float:
        """The price at which all is submitted that is wanted."""
        if self.reference is not None:
            return self.reference
        signal = self.of(user).signal
        first = float(signal.times[0])
        found = signal.mean(first, signal.end) if signal.end < np.inf else signal.at(first)
        if not found > 0:
            raise ValueError(f"the mean of {signal!r} is {found:g}, so elastic users need a reference above 0")
        return found

    def share(self, user: User) -> float:
        """How much is submitted of what is wanted, by what the user sees."""
        price = self.price(user)
        if price is None or price <= (usual := self.usual(user)):
            return 1.0
        return float((price / usual) ** -self.elasticity)

    def __call__(self, user: User) -> bool:
        """Whether a user gives way now."""
        share = self.share(user)
        return share < 1.0 and user.luck >= share


@dataclass(frozen=True)
class Dear(Shown):
    """A condition: what users see of the signal is ``above`` some value."""

    above: Annotated[float, NUMBER] = 0.0

    def __call__(self, user: User) -> bool:
        """Whether it is above."""
        price = self.price(user)
        return price is not None and price > self.above
