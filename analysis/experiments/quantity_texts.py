"""Quantities in scenario files: numbers, durations, distributions, reactions.

A number or a duration ("2 h") is a constant. `{ kind = "uniform", low = 1, high = "1 h" }` and
`{ distribution = "expon", scale = "30 min" }` are the pieces and the distributions of `thinktime generate`.
`{ values = [1, 2, 4], weights = [4, 2, 1] }` draws one of several values. A think time may also depend on the campaign
before it:

    think_time = { reaction = "response_time", base = "10 min", factor = 0.5 }

is base + factor x response time; the reaction may also be to `wait` (until the first job started) or `stretch`. If the
campaign was given up, the time until then is used as its response time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from thinktime.models.events import CampaignRecord
from thinktime.users.profiles import Reaction
from thinktime.workloads.generators.estimate_models import Estimates
from thinktime.workloads.generators.quantities import OneOf, with_seconds
from thinktime.workloads.generators.tables import build
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import seconds

EXPERIENCED: dict[str, Callable[[CampaignRecord], float]] = {
    "response_time": lambda last: last.elapsed,
    "wait": lambda last: last.wait,
    "stretch": lambda last: last.elapsed / last.lower_bound if last.lower_bound else np.nan,
}
"""What a user has experienced with a campaign, served or given up."""
REACTIONS = tuple(EXPERIENCED)


@dataclass(frozen=True, slots=True)
class Linear:
    """A think time of ``base + factor * what`` (s), where ``what`` is a measure of the previous campaign."""

    what: str
    base: float
    factor: float

    def __call__(self, last: CampaignRecord, rng: np.random.Generator) -> float:
        """The think time after a campaign (s)."""
        return self.base + self.factor * EXPERIENCED[self.what](last)


def quantity(value: Any, time: bool = False) -> Any:
    """A quantity from its value in a file, in seconds if it is a ``time``; ``ValueError`` if it is wrong."""
    if time:
        value = with_seconds(value)
    if isinstance(value, Mapping) and "values" in value and "kind" not in value:
        return _one_of(**value)
    return _built("quantity", value)


def think_time(value: Any) -> Any:
    """A think time: a quantity in seconds, or a `Reaction`."""
    if not isinstance(value, Mapping) or "reaction" not in value:
        return quantity(value, time=True)
    table = dict(value)
    what = table.pop("reaction")
    if not isinstance(what, str) or what not in REACTIONS:
        raise ValueError(f"cannot react to {quoted(what)}; {key_of(str(what), REACTIONS, 'the choices')}")
    base, factor = seconds(table.pop("base", 0.0)), table.pop("factor", None)
    if table:
        strange = next(iter(table))
        raise ValueError(f"has no key {quoted(strange)}; the keys of a reaction are reaction, base, factor")
    if not isinstance(factor, int | float) or isinstance(factor, bool):
        raise ValueError(f"needs factor, a number: think time = base + factor x {what}")
    return Reaction(Linear(what, base, float(factor)))


def requested(value: Any) -> Estimates:
    """The model of requested times: exact, tsafrir, or a table such as { kind = "factor", factor = 2 }."""
    return cast(Estimates, _built("estimates", value))


def _one_of(values: Any, weights: Any = None, **others: Any) -> OneOf:
    if others:
        raise ValueError(f"has no key {quoted(next(iter(others)))}; its keys are values and weights")
    numbers = _numbers("values", values)
    shares = _numbers("weights", weights) if weights is not None else (1.0,) * len(numbers)
    if len(shares) != len(numbers) or not sum(shares) > 0:
        raise ValueError(f"needs one weight for each of the {len(numbers)} values, not all 0")
    return OneOf(numbers, shares)


def _numbers(name: str, value: Any) -> tuple[float, ...]:
    given: list[Any] = list(value) if isinstance(value, list | tuple) else []
    plain = all(isinstance(each, int | float) and not isinstance(each, bool) and each >= 0 for each in given)
    if not plain or not given:
        raise ValueError(f"needs {name}, a list of numbers of at least 0, not {quoted(value)}")
    return tuple(float(each) for each in given)


def _built(slot: str, value: Any) -> Any:
    try:
        return build(slot, value, "", (), None)
    except ValueError as error:
        raise ValueError(str(error).lstrip(":, ")) from None
