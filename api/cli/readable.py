"""Format numbers for tables: durations such as `1h 23m`, fractions as percentages, a dash for None."""

from thinktime.workloads.units import counted as counted
from thinktime.workloads.units import in_two_units

NONE = "–"


def duration(seconds: float | None) -> str:
    """A duration in its two largest units.

    >>> duration(5_000), duration(None)
    ('1h 23m', '–')
    """
    return NONE if seconds is None else in_two_units(seconds)


def percentage(fraction: float | None) -> str:
    """A fraction as a percentage with one decimal.

    >>> percentage(0.7684), percentage(None)
    ('76.8%', '–')
    """
    return NONE if fraction is None else f"{100 * fraction:.1f}%"


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands separators.

    >>> number(122057), number(1234.567, 1)
    ('122,057', '1,234.6')
    """
    return NONE if value is None else f"{value:,.{digits}f}"
