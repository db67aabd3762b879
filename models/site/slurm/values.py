"""Values as Slurm writes them: times in minutes, amounts of resources, weights, lists.

A ``ValueError`` says what was found and what is expected; who calls adds file, line and key.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from thinktime.models.site.time_limits import whole_minutes
from thinktime.models.site.tres import Tres
from thinktime.workloads.names import quoted
from thinktime.workloads.sacct import values as sacct
from thinktime.workloads.units import MINUTE

MB = 2**20
NONE = frozenset({"", "none", "n/a", "(null)", "unlimited", "infinite", "-1", "4294967295", "notset"})
"""How Slurm writes that there is no value."""
YES = frozenset({"yes", "true", "up", "1", "on"})
_PLAIN = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGTP]?)B?", re.IGNORECASE)
_UNITS = "KMGTP"


ANY_PRIORITY = "a job may preempt others whatever their priorities"
"""What becomes of the preempt mode PRIORITY of Slurm 25.05."""
Read = Callable[[str], Any]
"""How a value is read."""
Given = TypeVar("Given")
Found = TypeVar("Found")


def at(where: str, what: str, read: Callable[[Given], Found], given: Given) -> Found:
    """What `read` makes of a value; its ``ValueError`` gets the place and the name of the value."""
    try:
        return read(given)
    except ValueError as error:
        raise ValueError(f"{where}: {what}: {error}") from None


def absent(text: str) -> bool:
    """Whether a value says that there is none."""
    return text.strip().lower() in NONE


def yes(text: str) -> bool:
    """Whether a value is a yes."""
    return text.strip().lower() in YES


def whole(text: str) -> int:
    """A whole number of at least 0."""
    if not text.strip().isdecimal():
        raise ValueError(f"must be a whole number, not {quoted(text)}")
    return int(text)


def limit(text: str) -> int | None:
    """A whole number, or None for no limit."""
    return None if absent(text) else whole(text)


def number(text: str) -> float:
    """A number of at least 0."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ValueError(f"must be a number of at least 0, not {quoted(text)}")
    return found


def minutes(text: str) -> float | None:
    """A time that Slurm reads in whole minutes (s): a plain number is minutes, seconds are rounded up; None for none.

    >>> minutes("2"), minutes("00:01:40"), minutes("1-12"), minutes("INFINITE")
    (120, 120, 129600, None)
    """
    time = None if absent(text) else sacct.duration(text.removesuffix(" min"), plain=MINUTE)
    return None if time is None else whole_minutes(time)


def clock(text: str) -> float | None:
    """A time as `sacctmgr show` prints it, ``[D-]HH:MM:SS`` (s); a plain number is minutes.

    >>> clock("00:02:00"), clock("1-00:00:00"), clock("40"), clock("")
    (120.0, 86400.0, 2400.0, None)
    """
    return None if absent(text) else sacct.duration(text, plain=MINUTE)


def plain_seconds(text: str) -> float:
    """A number of seconds, perhaps followed by ``sec``, or ``HH:MM:SS``."""
    return sacct.duration(text.lower().removesuffix("sec").strip()) or 0.0


def words(text: str) -> tuple[str, ...]:
    """The words of a list with commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def names(text: str) -> tuple[str, ...]:
    """Names of accounts or QOS, which are lower case whatever was typed."""
    return words(text.lower())


def allowed(text: str) -> tuple[str, ...] | None:
    """Names of those that are allowed; None for ``ALL``."""
    return None if text.strip().upper() == "ALL" or absent(text) else names(text)


def preempt_mode(text: str) -> str:
    """The mode among words such as ``SUSPEND,GANG``; ``off`` if there is none."""
    others = ("gang", "within", "priority")
    return next((word for word in names(text) if word not in others), "off")


def amounts(text: str, factor: int = 1) -> Tres[int]:
    """Amounts of resources, such as ``cpu=8,mem=16G``, times ``factor``; memory without a unit is in MB.

    >>> amounts("cpu=8,mem=16G,gres/gpu=2"), amounts("cpu=4", factor=60)
    (Tres({'cpu': 8, 'mem': 17179869184, 'gres/gpu': 2}), Tres({'cpu': 240}))
    """
    pairs = sacct.tres(text)
    return Tres({name: factor * _amount(name, each) for name, each in pairs.items() if not absent(each)})


def weights(text: str) -> Tres[float]:
    """Weights of resources, such as ``CPU=1.0,Mem=0.25G``: those of memory per GB (without a unit they are per MB).

    >>> weights("CPU=1.0,Mem=0.25G,GRES/gpu=2"), weights("Mem=1")
    (Tres({'cpu': 1.0, 'mem': 0.25, 'gres/gpu': 2.0}), Tres({'mem': 1024.0}))
    """
    return Tres({name: _weight(name, each) for name, each in sacct.tres(text).items()})


def factors(text: str) -> Tres[float]:
    """Weights of shares of resources, which have no units: ``CPU=1000,Mem=2000``."""
    return Tres({name: number(each) for name, each in sacct.tres(text).items()})


def _amount(name: str, text: str) -> int:
    match = _PLAIN.fullmatch(text)
    if not match:
        raise ValueError(f"{name} must be a number, not {quoted(text)}")
    unit = 1024 ** (_UNITS.index(match[2].upper()) + 1) if match[2] else MB if name == "mem" else 1
    return round(float(match[1]) * unit)


def _weight(name: str, text: str) -> float:
    match = _PLAIN.fullmatch(text)
    if not match or (match[2] and name != "mem"):
        raise ValueError(f"the weight of {name} must be a number, not {quoted(text)}")
    per = _UNITS.index(match[2].upper()) + 1 if match[2] else 2
    return float(match[1]) * (1024.0 ** (3 - per) if name == "mem" else 1)
