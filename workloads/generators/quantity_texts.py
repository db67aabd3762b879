"""Quantities in files: numbers, durations, distributions.

A number or a duration ("2 h") is a constant. `{ kind = "uniform", low = 1, high = "1 h" }` and
`{ distribution = "expon", scale = "30 min" }` are the pieces and the distributions of `thinktime generate`.
`{ values = [1, 2, 4], weights = [4, 2, 1] }` draws one of several values.
"""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from thinktime.workloads.generators.estimate_models import Estimates
from thinktime.workloads.generators.quantities import OneOf, Quantity, with_seconds
from thinktime.workloads.generators.tables import read
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Codec


def quantity(value: Any, time: bool = False) -> Any:
    """A quantity from its value in a file, in seconds if it is a ``time``; ``ValueError`` if it is wrong."""
    if time:
        value = with_seconds(value)
    if isinstance(value, Mapping) and "values" in value and "kind" not in value:
        return _one_of(**value)
    return read("quantity", value)


def requested(value: Any) -> Estimates:
    """The model of requested times: exact, tsafrir, or a table such as { kind = "factor", factor = 2 }."""
    return cast(Estimates, read("estimates", value))


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


Drawn = Annotated[Quantity, Codec(quantity)]
"""A number that may be random."""
Time = Annotated[Quantity | str, Codec(lambda value: quantity(value, time=True))]
"""A time that may be random, in s or as a text."""
