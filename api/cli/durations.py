"""Numbers as people read them: durations such as `1h 23m`, fractions as percentages; a dash for none."""

from __future__ import annotations

from itertools import pairwise

NONE = "–"
UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def duration(seconds: float | None) -> str:
    """A duration in its two largest units; one unit from a hundred days on, decimals below ten seconds.

    >>> [duration(each) for each in (0, 2.5, 59.6, 125, 5_000, 100_000, 9_000_000, None)]
    ['0s', '2.5s', '1m 0s', '2m 5s', '1h 23m', '1d 3h', '104d', '–']
    """
    if seconds is None:
        return NONE
    if 0 < seconds < 10 and not float(seconds).is_integer():
        return f"{seconds:.1f}s"
    return _two_units(round(seconds))


def _two_units(seconds: int) -> str:
    for (large, size), (small, part) in pairwise(UNITS):
        if seconds >= size:
            whole = seconds // size
            return f"{whole}{large}" if whole >= 100 else f"{whole}{large} {seconds % size // part}{small}"
    return f"{seconds}s"


def percentage(fraction: float | None) -> str:
    """A fraction in per cent, with one decimal.

    >>> percentage(0.7684), percentage(None)
    ('76.8%', '–')
    """
    return NONE if fraction is None else f"{100 * fraction:.1f}%"


def counted(count: int, noun: str) -> str:
    """A number of things, in the singular for one.

    >>> counted(1, "job"), counted(1234, "user")
    ('1 job', '1,234 users')
    """
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands separated.

    >>> number(122057), number(1234.567, 1)
    ('122,057', '1,234.6')
    """
    return NONE if value is None else f"{value:,.{digits}f}"
