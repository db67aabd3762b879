"""Checks of the arguments of generators, with one message: the name, what is expected, and the value.

They raise ValueError even for a wrong type, because most values come from a file or a command line.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_seconds


def put(piece: Any, name: str, value: object) -> None:
    """Set a field of a frozen dataclass in its `__post_init__`."""
    object.__setattr__(piece, name, value)


def fields(piece: Any, check: Callable[..., Any], *names: str, **limits: Any) -> None:
    """Check fields of a frozen dataclass in its `__post_init__`, and store what `check(name, value)` returns."""
    for name in names:
        put(piece, name, check(name, getattr(piece, name), **limits))


def number(
    name: str, value: object, wanted: str = "a number", *, least: float = -math.inf, most: float = math.inf
) -> float:
    """A finite number from `least` to `most`, both included; `wanted` says so in the error message."""
    if _real(value) and math.isfinite(found := float(value)) and least <= found <= most:  # type: ignore[arg-type]
        return found
    raise ValueError(f"{name} must be {wanted}, not {quoted(value)}")


def positive(name: str, value: object, wanted: str = "a number above 0") -> float:
    """A finite number above 0."""
    return number(name, value, wanted, least=math.ulp(0.0))


def positive_time(name: str, value: object) -> float:
    """A finite time above 0, in s, or as a text such as "2 h"."""
    return positive(name, as_seconds(name, value))


def share(name: str, value: object) -> float:
    """A number from 0 to 1."""
    return number(name, value, "a number from 0 to 1", least=0.0, most=1.0)


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number of at least `least`; 8.0 is accepted."""
    if _real(value) and float(value).is_integer() and float(value) >= least:  # type: ignore[arg-type]
        return int(value)  # type: ignore[call-overload, no-any-return]
    raise ValueError(f"{name} must be a whole number of at least {least}, not {quoted(value)}")


def several(name: str, value: object, wanted: str, count: int | None = None) -> tuple[float, ...]:
    """A list of numbers of at least 0, at least one of them above 0; `count` fixes its length."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == (count or len(value)):
        usable = all(_real(each) and 0 <= each < math.inf for each in value)
        if usable and any(each > 0 for each in value):
            return tuple(float(each) for each in value)
    raise ValueError(f"{name} must be {wanted}, not {quoted(value)}")


def _real(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
