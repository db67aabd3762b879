"""Options of policies as people write them: choices, numbers, times, yes and no, users' weights."""

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from thinktime.workloads.names import quoted
from thinktime.workloads.units import plain, seconds


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """A choice; ``ValueError`` for a value that is not among those that are known."""
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} is {quoted(value)}, but must be one of {', '.join(names)}")
    return value


def within(name: str, value: Any, least: float, most: float) -> float:
    """A number in a range, its ends included."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise ValueError(f"{name} is {quoted(value)}, but must be a number from {least:g} to {most:g}")
    return float(value)


def as_time(name: str, value: float | str, above: bool = False) -> float:
    """Seconds from a number of them or a text such as ``50h``: at least 0, or ``above`` it."""
    try:
        time = seconds(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if above and time == 0:
        raise ValueError(f"{name} is {quoted(value)}, but must be above 0")
    return time


def share_table(shares: dict[Any, float] | str | list[str] | None) -> dict[Any, float]:
    """Users' weights from a dictionary, or from texts ``USER*WEIGHT`` (on the command line, joined by ``+``).

    Others weigh 1.
    """
    if shares is None or isinstance(shares, dict):
        table = dict(shares or {})
    else:
        table = {}
        for text in [shares] if isinstance(shares, str) else shares:
            user, star, weight = text.rpartition("*")
            if not star or not is_number(weight):
                raise ValueError(f"the share {quoted(text)} is not of the form USER*WEIGHT, for instance ada*2")
            table[user] = float(weight)
            if user.lstrip("-").isdigit():  # logs number their users
                table[int(user)] = float(weight)
    for user, share in table.items():
        if not 0 < share < inf:
            raise ValueError(f"the share of {quoted(user)} is {quoted(share)}, but must be a number above 0")
    return table


def share_text(shares: dict[Any, float]) -> str:
    """Weights as they are written on the command line."""
    return "+".join(dict.fromkeys(f"{user}*{plain(weight)}" for user, weight in shares.items()))


def as_flag(name: str, value: bool | str) -> bool:
    """A yes-or-no option, in Python or as text."""
    if isinstance(value, bool):
        return value
    if value not in ("yes", "no"):
        raise ValueError(f"{name} is {quoted(value)}, but must be yes or no")
    return value == "yes"


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
