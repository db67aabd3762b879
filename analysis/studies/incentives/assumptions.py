"""What is assumed of users, varied: how much a price weighs with them, and how long they put a submission off.

Users see what it costs to compute now, against what it usually does, and give way with the probability 1 -
cost^-elasticity (`thinktime.behaviours.Elastic`): they renounce a job, or put a batch off, once, for the best time
within their patience. What is dear depends on the question:

windows   it costs `DEAR` times as much in windows of demand response
carbon    it costs as much as electricity has carbon, against its mean
charges   energy or carbon is charged with the revenue of hours, so whose jobs draw twice the mean power pays twice

Elasticities are varied at the middle patience, and the other way round. Under a policy that holds jobs back, users may
*leave*: they renounce what comes after a batch in which a job waited longer than their patience.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.incentives.runs import MODES, Answer, Own, Span
from thinktime.analysis.study import Thresholds

ELASTICITIES = (0.25, 1.0, 4.0)
PATIENCES = (2 * tt.HOUR, 8 * tt.HOUR, tt.DAY)
DEAR = 2.0
"""How much more computing costs in windows of demand response."""
LONGEST = "carbon:rule=lowest-window,wait=24h"
"""The policy that users leave."""
USUAL = Thresholds()

Assumed = tuple[str, str, float, float]
"""A question, what users do, their elasticity and their patience (s); 0 for what does not matter."""
Answered = Mapping[tuple[Assumed, str], Answer]
"""By what is assumed, and the mode."""

BY_ELASTICITY = [(each, 0.0) for each in ELASTICITIES]
BY_PATIENCE = [(0.0, each) for each in PATIENCES]
BY_BOTH = [(each, PATIENCES[1]) for each in ELASTICITIES] + [(ELASTICITIES[1], each) for each in PATIENCES[::2]]
ASSUMED: Sequence[Assumed] = [
    *(("windows", "renounce", *each) for each in BY_ELASTICITY),
    *(("windows", "delay", *each) for each in BY_BOTH),
    *(("carbon", "delay", *each) for each in BY_BOTH),
    *(("held", "leave", *each) for each in BY_PATIENCE),
    *(("kWh", "renounce", *each) for each in BY_ELASTICITY),
    *(("kg", "renounce", *each) for each in BY_ELASTICITY),
    *(("kg", "delay", *each) for each in BY_BOTH),
]


def dear_in(windows: Sequence[Span]) -> tt.Signal:
    """What computing costs where windows are dear, against all other times."""
    steps = {0.0: 1.0}
    for start, stop in windows:
        steps |= {start: DEAR, stop: 1.0}
    return tt.Signal(list(steps), list(steps.values()), "cost", after="hold", end=max(steps) + tt.DAY)


def factors(log: tt.Trace) -> dict[int, float]:
    """For each user the power of the jobs, against the mean over all work of the log."""
    users, first = np.unique(log.user, return_index=True)
    watts, work = log.further["power"] / log.processors, log.processors * log.runtime
    mean = float((watts * work).sum() / work.sum())
    return dict(zip(users.tolist(), (watts[first] / mean).tolist(), strict=True))


def answering(what: Assumed, log: tt.Trace, windows: Sequence[Span], carbon: tt.Signal, seed: int) -> tt.Respondents:
    """Users who answer so."""
    question, way, elasticity, patience = what
    if way == "leave":
        return tt.Respondents((tt.behaviours.Renounce(Annoyed(patience)),), seed=seed)

    def does(cost: tt.Signal) -> tuple[Any, ...]:
        dear = tt.behaviours.Elastic(cost, elasticity, reference=1.0)
        return (tt.behaviours.Renounce(dear) if way == "renounce" else tt.behaviours.Delay(dear, patience=patience),)

    first = float(carbon.times[0])
    mean = carbon.mean(first, carbon.end) if math.isfinite(carbon.end) else carbon.at(first)
    usual = carbon.scaled(1 / mean, "cost", "")
    if question in ("windows", "carbon"):
        return tt.Respondents(does(dear_in(windows) if question == "windows" else usual), seed=seed)
    each = {
        user: does(tt.Signal([0], [factor], "cost") if question == "kWh" else usual.scaled(factor))
        for user, factor in factors(log).items()
    }
    return Own(next(iter(each.values())), seed=seed, own=each)


@dataclass(frozen=True)
class Annoyed:
    """A condition: some job of the user's last batch waited longer than the ``patience`` (s)."""

    patience: float

    def __call__(self, user: Any) -> bool:
        """Whether one did; none did of a batch that was renounced."""
        memory: dict[str, bool] = user.memory
        if "annoyed" not in memory:
            jobs = () if user.last is None else user.last.jobs
            memory["annoyed"] = any(job.start is not None and job.wait > self.patience for job in jobs)
        return memory["annoyed"]


class Conclusion(NamedTuple):
    """What is concluded, for which answers it is asked, and whether it holds: None where they differ too little."""

    says: str
    question: str
    way: str
    holds: Callable[[Answer, Answer], bool | None]
    """By an answer, and by the run in which no user answers."""

    def concerns(self, what: Assumed) -> bool:
        """Whether it is about these users."""
        return what[0] == self.question and self.way in ("", what[1])


def energy_per_work(answer: Answer) -> float:
    """Energy of jobs, kWh per processor-hour done."""
    return answer.energy / answer.work


def carbon_per_work(answer: Answer) -> float:
    """Carbon of jobs, kg per processor-hour done."""
    return answer.carbon / answer.work


def pays_less(answer: Answer, place: int) -> float:
    """The share of users who pay less than for hours with the same revenue, for a charge in kWh (1) or kg (2)."""
    return float((shares(answer, place) < 1).mean())


def shares(answer: Answer, place: int) -> Any:
    """What each user who computed pays in kWh (1) or kg (2), against hours with the same revenue."""
    hours, amount = answer.bills[0], answer.bills[place]
    here = hours > 0
    return (amount[here] / amount.sum()) / (hours[here] / hours.sum())


def _less(of: Callable[[Answer], float]) -> Callable[[Answer, Answer], bool | None]:
    return lambda each, usual: USUAL.less(of(each), of(usual))


def _not_less(of: Callable[[Answer], float]) -> Callable[[Answer, Answer], bool | None]:
    return lambda each, usual: USUAL.less(of(each), of(usual)) is not True


def _most(place: int) -> Callable[[Answer, Answer], bool | None]:
    return lambda each, usual: USUAL.more(pays_less(each, place), 0.5)


CONCLUSIONS: Sequence[Conclusion] = [
    Conclusion("renouncing saves energy in windows", "windows", "renounce", _less(lambda each: each.inside)),
    Conclusion("but none per work over all", "windows", "renounce", _not_less(energy_per_work)),
    Conclusion("delaying saves energy in windows", "windows", "delay", _less(lambda each: each.inside)),
    Conclusion(
        "what is delayed comes back", "windows", "delay", lambda each, usual: USUAL.more(each.after, usual.after)
    ),
    Conclusion("delaying saves carbon per work", "carbon", "delay", _less(carbon_per_work)),
    Conclusion("at no less work", "carbon", "delay", _not_less(lambda each: each.work)),
    Conclusion("holding back saves carbon per work", "held", "leave", _less(carbon_per_work)),
    Conclusion("but less work is done", "held", "leave", _less(lambda each: each.work)),
    Conclusion("most users pay less by kWh", "kWh", "", _most(1)),
    Conclusion("charged by kWh, energy per work falls", "kWh", "", _less(energy_per_work)),
    Conclusion("most users pay less by kg", "kg", "", _most(2)),
    Conclusion("charged by kg, carbon per work falls", "kg", "", _less(carbon_per_work)),
]


class Verdicts(NamedTuple):
    """With which assumptions, in which mode, a conclusion holds, cannot be told, and does not hold."""

    holds: list[tuple[Assumed, str]]
    unclear: list[tuple[Assumed, str]]
    turned: list[tuple[Assumed, str]]


def verdicts_of(conclusion: Conclusion, answers: Answered, unasked: Mapping[str, Answer]) -> Verdicts:
    """A conclusion with all assumptions that concern it; ``unasked`` has the runs in which no user answers, by mode."""
    found = Verdicts([], [], [])
    for what in filter(conclusion.concerns, ASSUMED):
        for mode in MODES:
            told = conclusion.holds(answers[what, mode], unasked[mode])
            found[1 if told is None else 0 if told else 2].append((what, mode))
    return found


def words(what: Assumed) -> Iterator[str]:
    """An elasticity and a patience in words, as far as they matter."""
    _, _, elasticity, patience = what
    if elasticity:
        yield f"e {elasticity:g}"
    if patience:
        yield f"{patience / tt.HOUR:g} h"
