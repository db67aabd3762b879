"""The shape of a job: which sizes it may have, how fast it is on each, and when its size can change.

A *rigid* job has one size, that of a *moldable* one is chosen when it starts, and that of a *malleable* one may change
while it runs (Feitelson and Rudolph, JSSPP 1996).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.checks import number, put
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.node_requests import amount
from thinktime.workloads.shapes.speedup import SpeedUp
from thinktime.workloads.units import as_text, seconds

KINDS = ("moldable", "malleable", "evolving")
MOST_SIZES = 2**20


class Ask(NamedTuple):
    """A size that an evolving job asks for at a share of its work, and whether it waits until it is granted."""

    share: float
    size: int
    insists: bool


def _ask(text: str) -> Ask:
    match = re.fullmatch(r"(\d*\.?\d+):(\d+)(!?)", text)
    if match is None:
        raise ValueError(f"asks are such as 0.3:16 0.7:4!, not {quoted(text)}")
    return Ask(float(match[1]), int(match[2]), match[3] == "!")


@dataclass(frozen=True, slots=True)
class Shape:
    """The ``sizes`` that a job may have (processors), the ``preferred`` one, and its ``speedup``.

    ``sizes`` is a text: ``4-64`` (all between), ``4-64*2`` (4, 8, 16, …), ``4-64+4`` (4, 8, 12, …), ``4 16 64``. The
    run time and the estimate of the job are for its ``reference`` size, which is the preferred one unless it is given.
    Its user ``believes`` in a speed-up, by which the estimate, and with it the limit, scales; it is the true one unless
    it is given.

    The progress of a malleable job stands still for ``cost`` s when its size changes, and for as long as it takes to
    move its ``data`` (bytes, or such as 4gb) at a ``bandwidth`` (bytes/s, or such as 1gb). It does not change within
    ``gap`` s of the last change, and ``notice`` s pass before it shrinks. An evolving job asks for sizes itself:
    ``asks`` says at which shares of its work, such as ``0.3:16 0.7:4``. It gives back at once what it needs no more. If
    it does not get what it asks for, it goes on as it is, or with ``0.3:16!`` waits for it, holding what it has.

    ``ValueError`` for sizes that are none, or of which the preferred one, or a table's reference, is missing.

    >>> Shape("4-64*2", preferred=16, speedup="amdahl(0.1)").rate(np.array([16, 64])).round(3).tolist()
    [1.0, 1.37]
    """

    sizes: str
    preferred: int | None = None
    speedup: str = "linear"
    kind: str = "malleable"
    reference: int | None = None
    believes: str = ""
    cost: float = 0.0
    gap: float = 0.0
    notice: float = 0.0
    asks: str = ""
    data: float = 0.0
    bandwidth: float = math.inf

    def __post_init__(self) -> None:
        found = sizes_of(self.sizes)
        put(self, "sizes", _text_of(found) if not isinstance(self.sizes, str) else " ".join(self.sizes.split()))
        if self.kind not in KINDS:
            raise ValueError(f"kind cannot be {quoted(self.kind)}; {key_of(str(self.kind), KINDS, 'the kinds')}")
        preferred = int(found[-1]) if self.preferred is None else self.preferred
        if isinstance(preferred, bool) or not isinstance(preferred, int | np.integer) or preferred not in found:
            raise ValueError(f"the preferred size must be one of the sizes {self.sizes}, not {quoted(preferred)}")
        put(self, "preferred", int(preferred))
        reference = preferred if self.reference is None else self.reference
        if isinstance(reference, bool) or not isinstance(reference, int | np.integer) or reference < 1:
            raise ValueError(f"reference must be a number of processors, not {quoted(reference)}")
        put(self, "reference", int(reference))
        put(self, "speedup", str(SpeedUp(self.speedup)))
        put(self, "believes", str(SpeedUp(self.believes)) if self.believes else self.speedup)
        for name in ("cost", "gap", "notice"):
            value = getattr(self, name)
            put(self, name, to_grid(number(name, _read(value), "seconds of at least 0, such as 60 or 1m", least=0)))
        for name, least in (("data", 0.0), ("bandwidth", math.ulp(0.0))):
            put(self, name, _bytes(name, getattr(self, name), least))
        if self.data and self.bandwidth == math.inf:
            raise ValueError(
                "data take time to move with a bandwidth; give bandwidth, such as 1gb (in a second), as well"
            )
        self._check_asks(found)
        for text in (self.speedup, self.believes):
            rates = _rates(text, found, self.reference)
            if not (rates > 0).all():
                raise ValueError(f"the speed-up {text} is 0 for a size of {self.sizes}")

    @property
    def standstill(self) -> float:
        """How long the progress stands still at a change of its size, s."""
        return to_grid(self.cost + self.data / self.bandwidth)

    @property
    def asked(self) -> tuple[Ask, ...]:
        """The sizes that it asks for itself, by the shares of its work at which it does."""
        return tuple(_ask(text) for text in self.asks.split())

    @property
    def every(self) -> Whole:
        """All sizes that it may have, ascending, processors."""
        return sizes_of(self.sizes)

    def rate(self, sizes: Whole) -> Floats:
        """How much of its work passes in a second on so many processors, s."""
        return _rates(self.speedup, sizes, self.reference)

    def believed(self, sizes: Whole) -> Floats:
        """How much of its limit passes in a second on so many processors, s."""
        return _rates(self.believes, sizes, self.reference)

    def _check_asks(self, sizes: Whole) -> None:
        if (self.kind == "evolving") != bool(self.asks):
            raise ValueError("an evolving job, and no other, says what it asks for, such as asks=0.3:16")
        before = 0.0
        for each in self.asked:
            if not before < each.share < 1:
                raise ValueError(f"asks are at shares of the work that ascend from 0 to 1, not {quoted(self.asks)}")
            if each.size not in sizes:
                raise ValueError(f"an evolving job asks for one of its sizes {self.sizes}, not {each.size}")
            before = each.share

    @classmethod
    def parse(cls, text: str) -> Shape:
        """The shape that ``str`` has written, or ``4-64*2 kind=moldable speedup=amdahl(0.1)``; values may be quoted."""
        words = re.split(r"\s+(?=[a-z]+=)", text.strip())
        head = "" if "=" in words[0] else words.pop(0)
        known, given = [each.name for each in fields(cls)], dict[str, object]()
        for word in words:
            key, _, value = word.partition("=")
            if len(value) > 1 and value[0] == value[-1] == '"':
                value = value[1:-1]
            if key not in known:
                raise ValueError(f"a shape has no {quoted(key)}; {key_of(key, known, 'its keys')}")
            try:
                given[key] = int(value) if key in ("preferred", "reference") else value
            except ValueError:
                raise ValueError(f"{key} must be a number of processors, not {quoted(value)}") from None
        if "sizes" not in given:
            given["sizes"] = head
        return cls(**given)  # type: ignore[arg-type]

    def __str__(self) -> str:
        told = {"preferred": self.preferred, "speedup": self.speedup, "kind": self.kind}
        if self.reference != self.preferred:
            told["reference"] = self.reference
        if self.believes != self.speedup:
            told["believes"] = self.believes
        told |= {name: as_text(value) for name in ("cost", "gap", "notice") if (value := getattr(self, name))}
        for name, usual in (("data", 0.0), ("bandwidth", math.inf)):
            if (value := getattr(self, name)) != usual:
                told[name] = f"{value:.15g}"
        if self.asks:
            told["asks"] = self.asks
        return f"{self.sizes} {' '.join(f'{name}={value}' for name, value in told.items())}"


def _bytes(name: str, value: object, least: float) -> float:
    """A number of bytes, or a text such as 4gb."""
    found = value
    if isinstance(value, str):
        try:
            found = float(value)
        except ValueError:
            found = amount(name, value)
    if not isinstance(found, bool) and isinstance(found, int | float) and found >= least:
        return float(found)
    raise ValueError(f"{name} must be bytes, such as 1e9 or 4gb, not {quoted(value)}")


def _read(value: object) -> object:
    """A text such as ``1m`` in s, and anything else as it is."""
    try:
        return seconds(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _rates(speedup: str, sizes: Whole, reference: int | None) -> Floats:
    every = SpeedUp(speedup)
    assert reference is not None
    try:
        own = every.of(reference)
    except ValueError:
        raise ValueError(
            f"{speedup} has no value for the reference size {reference}, by which run times are known"
        ) from None
    return every.at(sizes) / own


def sizes_of(given: object) -> Whole:
    """The sizes that a text says (see `Shape`), or a sequence of them; ascending, each once."""
    if not isinstance(given, str):
        return _checked([given] if isinstance(given, int) else given, given)
    match = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*(?:([*+])\s*(\d+))?\s*", given)
    if match is None:
        return _checked(re.split(r"[,\s]+", given.strip()), given)
    low, high, step = int(match[1]), int(match[2]), int(match[4] or 1)
    if low > high:
        raise ValueError(f"sizes are from the least to the most, so {quoted(given)} has none: {low} is above {high}")
    if match[3] == "*":
        if step < 2:
            raise ValueError(f"sizes that are multiplied need a factor of at least 2, not {quoted(given)}")
        found = [low]
        while low > 0 and found[-1] * step <= high:
            found.append(found[-1] * step)
        return _checked(found, given)
    if step < 1:
        raise ValueError(f"sizes at equal distances need a step of at least 1, such as 4-64+4, not {quoted(given)}")
    if (high - low) // step > MOST_SIZES:
        raise ValueError(f"{quoted(given)} are more than {MOST_SIZES:,} sizes; give a larger step, such as 4-64+4")
    return _checked(range(low, high + 1, step), given)


def _checked(values: object, given: object) -> Whole:
    try:
        found = np.unique(np.array([int(each) for each in values], np.int64))  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        found = np.empty(0, np.int64)
    if not len(found) or found[0] < 1:
        raise ValueError(f"sizes are such as 4-64, 4-64*2, 4-64+4, or 4 16 64, not {quoted(given)}")
    return found


def _text_of(sizes: Whole) -> str:
    return " ".join(map(str, sizes.tolist()))


def shape_of(sizes: object, speedup: str) -> Shape:
    """The shape of a malleable job with a least, a preferred and a largest size, or of a rigid one with a speed-up."""
    given: list[Any] = list(sizes) if isinstance(sizes, tuple | list) else [sizes] * 3
    if len(given) != 3 or any(isinstance(each, bool) or not isinstance(each, int | np.integer) for each in given):
        raise ValueError(
            f"processors must be a number, or three: the least, the preferred and the largest, not {quoted(sizes)}"
        )
    least, preferred, most = map(int, given)
    if least < 1:
        raise ValueError(f"the least size must be at least 1, not {least}")
    if not least <= preferred <= most:
        raise ValueError(f"of the sizes {least}, {preferred}, {most}, the least comes first, and the largest last")
    return Shape(f"{least}-{most}" if least < most else str(least), preferred=preferred, speedup=speedup)
