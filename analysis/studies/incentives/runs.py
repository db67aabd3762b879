"""One run of the study of incentives: a log on a machine with power, whose users may answer what a site asks.

What no log says is made up: the jobs of a user draw so many watts per processor (log-normal around `WATTS`), and an
idle processor draws `IDLE`. In the *open* loop jobs come when they did; *users* wait for the jobs that they waited
for in the log, and then go on.
"""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.models.site.charge import Term

MODES = ("open", "users")
WATTS, SPREAD, IDLE = 100.0, 0.5, 40.0
"""What a processor of a job draws above idle (median over users, and the spread of its logarithm), and idle, W."""
FROM, TO = 17 * tt.HOUR, 21 * tt.HOUR
"""A window of demand response, on weekdays."""
LATE = 0.1
"""The last part of a period of budgets."""
KWH = 3.6e6
MONDAY = 4 * tt.DAY
"""A Monday at midnight, on which a log begins that does not say when."""

Span = tuple[float, float]


class Answer(NamedTuple):
    """What one run gives, up to the last submission of the log: work in processor-hours, energy in kWh, times in s."""

    energy: float
    """Of jobs, above idle."""
    inside: float
    """Of jobs in the windows."""
    after: float
    """Of jobs in as long a time after each window."""
    carbon: float
    """Of jobs, kg; NaN without a signal."""
    work: float
    """Of jobs that finished by then."""
    wait: float
    """Mean over jobs that ran, from their submission on."""
    delay: float
    """Mean time by which jobs came later than they were wanted, over all jobs."""
    lost: float
    """Work that was wanted, and renounced or degraded away."""
    late: float
    """Share of the submitted work that came in the last tenth of a period; NaN without periods."""
    bills: tuple[NDArray[np.float64], ...]
    """For each user: processor-hours, kWh, kg."""


def with_power(log: tt.Trace, seed: int) -> tt.Trace:
    """The log, in which the jobs of each user draw a power of their own."""
    users, of = np.unique(log.user, return_inverse=True)
    each = [WATTS * math.exp(SPREAD * tt.stream(seed, int(user), "watts").standard_normal()) for user in users]
    power = np.array(each, np.float64)[of] * log.processors.astype(np.float64)
    return tt.Trace(log.columns, log.header, names=log.names, further={**log.further, "power": power})


def demand_response(log: tt.Trace) -> tuple[Span, ...]:
    """From 17 to 21 h of each weekday, by the clock of the log's first day."""
    begin = datetime.datetime.fromtimestamp(log.unix_start or MONDAY, log.zone)
    midnight = -(begin.hour * tt.HOUR + begin.minute * 60.0 + begin.second)
    days = range(1 if midnight < 0 else 0, int((float(log.submit[-1]) - midnight) // tt.DAY))
    weekdays = [midnight + day * tt.DAY for day in days if (begin.weekday() + day) % 7 < 5]
    return tuple((day + FROM, day + TO) for day in weekdays)


@dataclass(frozen=True)
class Run:
    """A log under one policy, in the open loop or with users who react, of whom some answer."""

    log: tt.Trace
    processors: int
    policy: str = "easy"
    mode: str = "open"
    answering: tt.Respondents | None = None
    carbon: tt.Signal | None = None
    budget: tt.Budget | None = None
    windows: Sequence[Span] = ()
    period: float = 0.0
    cap: float | None = None
    """On the power of the machine, W."""

    def perform(self) -> Answer:
        """Run it and measure."""
        return self.measured(self.result())

    def result(self) -> tt.Result:
        """The run of the log on the machine, before anything is measured."""
        more: dict[str, Any] = {} if self.carbon is None else {"signals": {"carbon": self.carbon}}
        if self.budget is not None:
            more |= {"budget": self.budget, "charge": tt.Charge([Term()])}
        spec = tt.MachineSpec(self.processors, self.policy, power=tt.Power(idle=IDLE, cap=self.cap), **more)
        source: Any = tt.sources.log(self.log) if self.mode == "open" else tt.sources.feedback(self.log)
        if self.answering is not None:
            source = source.with_responses(self.answering)
        return tt.run(spec, source)

    def measured(self, result: tt.Result) -> Answer:
        """The answer of a result, by the last submission of the log."""
        last = float(self.log.submit[-1])
        begin, end = np.minimum(result["start"], last), np.minimum(result["end"], last)
        ran = result["end"] > result["start"]
        hours = np.where(ran, result["processors"] * (end - begin), 0.0) / tt.HOUR
        watts = result["processors"] * result["power"]
        done = (result["state"] == tt.State.FINISHED) & (result["end"] <= last)

        def energy(first: float, stop: float) -> float:
            within = np.clip(end, first, stop) - np.clip(begin, first, stop)
            return float((watts * within)[ran].sum()) / KWH

        kwh = np.where(ran, watts * (end - begin), 0.0) / KWH
        kg = np.full(len(result), np.nan)
        if self.carbon is not None:
            kg = np.zeros(len(result))
            some = ran & (end > begin)
            kg[some] = watts[some] / 1e3 * self.carbon.integral(begin[some], end[some]) / tt.HOUR / 1e3
        answers = result.answers
        length = TO - FROM
        return Answer(
            energy=float(kwh.sum()),
            inside=sum(energy(*each) for each in self.windows),
            after=sum(energy(stop, stop + length) for _, stop in self.windows),
            carbon=float(kg.sum()),
            work=float(hours[done].sum()),
            wait=float(np.nanmean(np.where(ran, result["start"] - result["submit"], np.nan))),
            delay=float(answers["delay"].sum()) / len(result),
            lost=float(
                (answers["wanted"] - answers["submitted"])[answers["response"].isin(["renounced", "degraded"])].sum()
            ),
            late=self._late(result, last) if last >= self.period > 0 else math.nan,
            bills=tuple(self._by_user(result, each) for each in (hours, kwh, kg)),
        )

    def _late(self, result: tt.Result, last: float) -> float:
        work = result["processors"] * result["runtime"]
        at = result["submit"] % self.period / self.period
        whole = result["submit"] < last // self.period * self.period
        return float(work[whole & (at >= 1 - LATE)].sum() / work[whole].sum())

    def _by_user(self, result: tt.Result, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        _, of = np.unique(result["user"], return_inverse=True)
        return np.bincount(of, amount).astype(np.float64)


def answers_to(windows: Sequence[Span]) -> dict[str, Sequence[Any]]:
    """What users may do in windows of demand response, by the names of Madon, Da Costa and Pierson."""
    asked = tt.behaviours.Windows(windows)
    return {
        "renounce": (tt.behaviours.Renounce(asked),),
        "delay": (tt.behaviours.Delay(asked),),
        "degrade": (tt.behaviours.Degrade(asked),),
        "reconfigure": (tt.behaviours.Reconfigure(asked),),
        "see you later": (tt.behaviours.SeeYouLater(asked),),
    }


@dataclass(frozen=True)
class Own(tt.Respondents):
    """Users who answer, each in a way of its ``own``; ``behaviours`` are such as these."""

    own: Mapping[int, Sequence[Any]] = field(default_factory=dict)

    def of(self, user: str | int) -> Sequence[Any]:
        """The behaviours of a user."""
        return self.own[int(user)]


def savers(amounts: Mapping[int, float], period: float) -> Own:
    """All users save, with these budgets for each period (s), in processor-hours."""
    each = {user: (tt.behaviours.SleepOnIt(budget=amount, period=period),) for user, amount in amounts.items()}
    return Own(next(iter(each.values())), own=each)
