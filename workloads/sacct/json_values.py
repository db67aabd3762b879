"""Values in Slurm's JSON, whose shapes differ between versions of its ``data_parser``, as sacct prints them in text.

A number is plain, or ``{"set": …, "infinite": …, "number": …}``, in which ``infinite`` counts before ``set``, or, in
the mode ``complex``, ``"Infinity"`` or null. A state is a text, or a list: the state, then flags of it.
"""

import math
from collections.abc import Mapping
from typing import Any

from thinktime.workloads.names import quoted

Json = Mapping[str, Any]
PER_CPU = 2**63
"""The bit by which memory is that of each CPU, up to v0.0.38."""


def number(value: object) -> float | None:
    """A number; infinite for an unlimited one, None for one that is not set.

    >>> number({"set": False, "infinite": True, "number": 0}), number({"set": True, "number": 5}), number(None)
    (inf, 5, None)
    """
    if type(value) is int:  # most are
        return value
    if isinstance(value, dict):
        if value.get("infinite"):
            return math.inf
        return number(value.get("number")) if value.get("set", True) else None
    if value is None or value == "" or isinstance(value, bool):
        return None
    if isinstance(value, str):
        if value.lower() in ("infinity", "infinite", "unlimited"):
            return math.inf
        if not value.removeprefix("-").isdigit() or len(value) > 20:
            raise ValueError(f"{quoted(value)} is not a number")
        return int(value)
    if not isinstance(value, int | float):
        raise ValueError(f"{quoted(value)} is not a number")
    return None if math.isnan(value) else value


def whole(value: object) -> str:
    """A number as text; empty if it is not set, negative or not finite."""
    found = number(value)
    return "" if found is None or found < 0 or math.isinf(found) else f"{found:.0f}"


def moment(value: object) -> str:
    """A Unix time as text; empty for 0, which means not yet."""
    found = whole(value)
    return "" if found == "0" else found


def minutes(value: object) -> str:
    """A time limit as TimelimitRaw."""
    return "UNLIMITED" if number(value) == math.inf else whole(value)


def text(value: object) -> str:
    """A text; empty for null."""
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise ValueError(f"{quoted(value)} is not a text")
    return str(value)


def first(value: object) -> str:
    """The first of a list, or a text alone: of a state, without its flags."""
    return text(value[0] if value else "") if isinstance(value, list) else text(value)


def joined(value: object) -> str:
    """A text, or several with commas between."""
    return ",".join(map(text, value)) if isinstance(value, list) else text(value)


def part(job: Json, *names: str) -> Any:
    """What is at a path such as ``time``, ``limit``; None if it is not there."""
    found: Any = job
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def seconds(value: object) -> str:
    """A CPU time, ``{"seconds": …, "microseconds": …}``, in s; empty if it is not there."""
    if not isinstance(value, dict):
        return ""
    whole_part, rest = number(value.get("seconds")), number(value.get("microseconds")) or 0
    return "" if whole_part is None else f"{whole_part + rest / 1e6:.6f}"


def tres(value: object) -> str:
    """A list of trackable resources as in ReqTRES; memory is in MB, and what is not known is negative.

    >>> tres([{"type": "cpu", "name": "", "count": 4}, {"type": "gres", "name": "gpu:a100", "count": 1}])
    'cpu=4,gres/gpu:a100=1'
    """
    if isinstance(value, str):
        return value
    found = []
    for each in value if isinstance(value, list) else ():
        kind, name, count = (part(each, key) for key in ("type", "name", "count"))
        amount = whole(count)
        if kind and amount:
            found.append(f"{kind}{f'/{name}' if name else ''}={amount}{'M' if kind == 'mem' else ''}")
    return ",".join(found)


def memory(per_cpu: object, per_node: object, either: object = None) -> str:
    """Requested memory (MB) as in ReqMem; ``either`` is a number up to v0.0.38, with `PER_CPU` added or not."""
    for value, per in ((per_cpu, "c"), (per_node, "n")):
        if amount := whole(value).removeprefix("0"):
            return f"{amount}M{per}"
    found = number(either) or 0
    if found >= PER_CPU:
        return f"{found - PER_CPU:.0f}Mc"
    return f"{found:.0f}Mn" if found > 0 else ""
