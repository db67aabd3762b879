"""Options of policies as people write them: choices, numbers, times, yes and no, users' weights, ``FILE.py:NAME``."""

import importlib.util
import sys
from collections.abc import Iterable
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from thinktime.workloads.names import key_of
from thinktime.workloads.units import seconds


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """A choice."""
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} is {value!r}, but must be one of {', '.join(names)}")
    return value


def within(name: str, value: Any, least: float, most: float) -> float:
    """A number in a range, its ends included."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}, but must be a number from {least:g} to {most:g}")
    return float(value)


def as_time(name: str, value: float | str, above: bool = False) -> float:
    """Seconds from a number of them or a text such as ``50h``: at least 0, or ``above`` it."""
    try:
        time = seconds(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if above and time == 0:
        raise ValueError(f"{name} is {value!r}, but must be above 0")
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
                raise ValueError(f"the share {text!r} is not of the form USER*WEIGHT, for instance ada*2")
            table[user] = float(weight)
            if user.lstrip("-").isdigit():  # logs number their users
                table[int(user)] = float(weight)
    for user, share in table.items():
        if not 0 < share < inf:
            raise ValueError(f"the share of {user!r} is {share!r}, but must be a number above 0")
    return table


def share_text(shares: dict[Any, float]) -> str:
    """Weights as they are written on the command line."""
    return "+".join(dict.fromkeys(f"{user}*{weight:.15g}" for user, weight in shares.items()))


def as_flag(name: str, value: bool | str) -> bool:
    """A yes-or-no option, in Python or as text."""
    if isinstance(value, bool):
        return value
    if value not in ("yes", "no"):
        raise ValueError(f"{name} is {value!r}, but must be yes or no")
    return value == "yes"


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def member(path: str, name: str) -> Any:
    """What a script calls ``name``; ``ValueError`` with one sentence if it cannot be had."""
    if not name:
        raise ValueError(f"say which function or class of {path}: {path}:NAME")
    module = _module(path)
    if not hasattr(module, name):
        public = [key for key in vars(module) if not key.startswith("_")]
        raise ValueError(f"{path} has no {name!r}; {key_of(name, public, 'its names', 3)}")
    return getattr(module, name)


def _module(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}")
    name = f"thinktime_script_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ValueError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
