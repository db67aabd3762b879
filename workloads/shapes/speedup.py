"""Speed-ups: how much faster a job is on n processors than on one.

* ``linear``: n
* ``amdahl(f)``: 1 / (f + (1 - f) / n), with the serial share f
* ``downey(A, sigma)``: with the average parallelism A and its variance sigma, Downey's model
* ``power(a)``: n^a
* ``table(1:1 2:1.9 4:3.4)``: as listed, for these sizes alone
* ``constant``: 1

Sources: G. Amdahl (AFIPS 1967); A. Downey, A model for speedup of parallel programs (UCB/CSD-97-933, 1997).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.checks import put
from thinktime.workloads.names import key_of, quoted

ROUNDED = 1e-12


def _linear(n: Floats) -> Floats:
    return n


def _amdahl(n: Floats, serial: float) -> Floats:
    return 1.0 / (serial + (1.0 - serial) / n)


def _downey(n: Floats, parallelism: float, variance: float) -> Floats:
    a, sigma = parallelism, variance
    if sigma > 1.0:
        rising = n * a * (sigma + 1.0) / (sigma * (n + a - 1.0) + a)
        return np.where(n < a + a * sigma - sigma, rising, a)
    rising = a * n / (a + sigma * (n - 1.0) / 2.0)
    slower = a * n / (sigma * (a - 0.5) + n * (1.0 - sigma / 2.0))
    return np.where(n <= a, rising, np.where(n < 2.0 * a - 1.0, slower, a))


def _power(n: Floats, exponent: float) -> Floats:
    return n**exponent


def _constant(n: Floats) -> Floats:
    return np.ones_like(n)


Range = tuple[float, float]
FORMS: dict[str, tuple[Callable[..., Floats], tuple[tuple[str, Range], ...]]] = {
    "linear": (_linear, ()),
    "amdahl": (_amdahl, (("the serial share", (0.0, 1.0)),)),
    "downey": (_downey, (("the average parallelism", (1.0, 2.0**53)), ("the variance", (0.0, 2.0**53)))),
    "power": (_power, (("the exponent", (0.0, 1.0)),)),
    "constant": (_constant, ()),
}
EXAMPLES = {"amdahl": "amdahl(0.1)", "downey": "downey(16, 1)", "power": "power(0.8)"} | {
    name: name for name, (_, parameters) in FORMS.items() if not parameters
}
TABLE = "table"
NAMES = (*FORMS, TABLE)


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """A speed-up by its text (see above).

    A table's values must not fall with the size, nor be above it, unless it begins with ``any``: ``table(any 1:1
    2:2.5)``. ``ValueError`` for a text that is none, or a parameter out of its range.

    >>> SpeedUp("amdahl(0.2)").of(4)
    2.5
    """

    text: str = "linear"

    def __post_init__(self) -> None:
        put(self, "text", self._checked())

    def of(self, size: int) -> float:
        """The speed-up on so many processors."""
        return float(self.at(np.array([size]))[0])

    def at(self, sizes: Whole) -> Floats:
        """The speed-up on each of these numbers of processors; ``ValueError`` if a table does not have one."""
        name, values = _parts(self.text)
        if name != TABLE:
            return FORMS[name][0](np.asarray(sizes, np.float64), *map(float, values))
        listed = _listed(values)
        missing = [size for size in np.asarray(sizes).tolist() if size not in listed]
        if missing:
            known = ", ".join(map(str, listed))
            raise ValueError(f"{self.text} has no value for size {missing[0]}, only for {known}")
        return np.array([listed[size] for size in np.asarray(sizes).tolist()])

    def _checked(self) -> str:
        name, values = _parts(self.text)
        if name not in NAMES:
            raise ValueError(f"there is no speed-up {quoted(name)}; {key_of(name, NAMES, 'the speed-ups')}")
        if name == TABLE:
            return _checked_table(values)
        names = FORMS[name][1]
        if len(values) != len(names):
            wanted = f"needs {' and '.join(each for each, _ in names)}" if names else "has no parameter"
            raise ValueError(f"the speed-up {name} {wanted}; write {EXAMPLES[name]}, not {quoted(self.text)}")
        for value, (what, (low, high)) in zip(values, names, strict=True):
            try:
                fine = low <= float(value) <= high
            except ValueError:
                fine = False
            if not fine:
                most = f" to {high:g}" if high < 2.0**53 else " on"
                raise ValueError(f"{what} of {name} must be a number from {low:g}{most}, not {quoted(value)}")
        return f"{name}({', '.join(f'{float(value):.15g}' for value in values)})" if values else name

    def __str__(self) -> str:
        return self.text


def _parts(text: object) -> tuple[str, list[str]]:
    """The name of a form, and what stands in its brackets."""
    match = re.fullmatch(r"\s*([a-z]+)\s*(?:\(([^()]*)\))?\s*", text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"a speed-up is a text such as amdahl(0.1) or linear, not {quoted(text)}")
    return match[1], [each for each in re.split(r"[,\s;]+", match[2] or "") if each]


def _listed(values: list[str]) -> dict[int, float]:
    return {int(size): float(value) for size, value in (each.split(":") for each in values if each != "any")}


def _checked_table(values: list[str]) -> str:
    try:
        listed = dict(sorted(_listed(values).items()))
    except ValueError:
        raise ValueError(f"a table is such as table(1:1 2:1.9 4:3.4), not {quoted(' '.join(values))}") from None
    free, before = "any" in values, 0.0
    if not listed or min(listed) < 1 or not all(0 < value < inf for value in listed.values()):
        raise ValueError("a table has sizes of at least 1, and speed-ups above 0, such as table(1:1 2:1.9)")
    for size, value in listed.items():
        if not free and value < before * (1 - ROUNDED):
            raise ValueError(f"the speed-up falls to {value:g} for size {size}; write table(any …) if that is meant")
        if not free and value > size * (1 + ROUNDED):
            raise ValueError(
                f"the speed-up for size {size} is {value:g}, more than {size}; write table(any …) if that is meant"
            )
        before = value
    shown = [f"{size}:{value:.15g}" for size, value in listed.items()]
    return f"table({' '.join(['any', *shown] if free else shown)})"
