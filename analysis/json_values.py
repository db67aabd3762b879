"""Numbers of JSON objects."""

from __future__ import annotations


def or_none(value: float) -> float | None:
    """The number, or None for NaN, which JSON does not have.

    >>> or_none(0.5), or_none(float("nan"))
    (0.5, None)
    """
    return None if value != value else value
