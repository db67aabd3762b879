"""Values of JSON objects."""

from collections.abc import Mapping
from typing import Any


def or_none(value: float) -> float | None:
    """The number, or None for NaN, which JSON does not have.

    >>> or_none(0.5), or_none(float("nan"))
    (0.5, None)
    """
    return None if value != value else value


def attributes(of: object, *names: str) -> dict[str, Any]:
    """Some attributes of an object by their names.

    >>> attributes(3 + 4j, "real", "imag")
    {'real': 3.0, 'imag': 4.0}
    """
    return {name: getattr(of, name) for name in names}


def without_nan(values: Any) -> Any:
    """An object, list or value of JSON in which every NaN is None.

    >>> without_nan({"waits": [1.5, float("nan")]})
    {'waits': [1.5, None]}
    """
    if isinstance(values, Mapping):
        return {name: without_nan(value) for name, value in values.items()}
    return [without_nan(value) for value in values] if isinstance(values, list) else or_none(values)
