"""Objects that refer to each other as plain data, and back: a list of *nodes*, and arrays.

A value is written as itself if it is a text, a whole number, true, false, null or a finite float. ``{"float": "7ff…"}``
has the 64 bits of any other, ``{"array": k}`` is an array, and ``[k]`` is node k. A node is a list that says first what
it is: ``list``, ``tuple``, ``dict`` (keys and values by turns), ``set``, ``frozenset``, …, or the name of a class
(`thinktime.models.machine.saved.classes`), with its attributes. What is referred to twice is one node.
"""

import datetime
import struct
import zoneinfo
from collections.abc import Callable, Mapping
from enum import IntEnum
from fractions import Fraction
from math import isfinite
from types import MappingProxyType, NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.structure import Structure
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.saved.classes import class_of, name_of
from thinktime.models.machine.saved.forms import ENGINES, attributes, filled
from thinktime.models.orders.accounts import AccountOrder
from thinktime.models.orders.named_orders import ORDERS
from thinktime.models.orders.order import Aged, Order

PLAIN = (bool, int, str, NoneType)
SEQUENCES: dict[type, str] = {list: "list", tuple: "tuple"}
SETS: dict[type, str] = {set: "set", frozenset: "frozenset"}
SCALARS = {"int64": np.int64, "float64": np.float64, "int8": np.int8, "bool": np.bool_}
"""Types of columns, which some tables have."""
OF_ARRAYS = "iufbU"
"""The kinds of arrays that are written."""
ZONES = {datetime.timezone: "timezone", zoneinfo.ZoneInfo: "zone"}


class NotDataError(Exception):
    """An object that is no plain data: a function, or of a class that nobody else knows."""

    def __init__(self, what: Any) -> None:
        super().__init__(what)
        self.what = what


class Written:
    """A value as nodes and arrays."""

    def __init__(self, value: Any) -> None:
        self.nodes: list[Any] = []
        self.arrays: list[NDArray[Any]] = []
        self.classes: set[str] = set()
        """The names of the classes of its objects."""
        self._places: dict[int, int] = {}
        self._data: dict[Any, int] = {}
        self._alive: list[Any] = []  # identities are of objects that are there
        self.root = self._value(value)

    def _value(self, value: Any) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if isinstance(value, IntEnum):
            return int(value)  # as compiled code has it
        if kind is float:
            return value if isfinite(value) else {"float": struct.pack(">d", value).hex()}
        if kind is np.ndarray:
            return {"array": self._array(value)}
        return [self._node(value)]

    def _node(self, value: Any) -> int:
        place = self._places.get(id(value))
        if place is None:
            place = self._entered(value)
            self.nodes[place] = self._form(value)
        return place

    def _entered(self, value: Any) -> int:
        place = self._places[id(value)] = len(self.nodes)
        self.nodes.append(None)
        self._alive.append(value)
        return place

    def _array(self, array: NDArray[Any]) -> int:
        """The number of an array; two views of the same data are one."""
        where = array.__array_interface__["data"][0], array.dtype.str, array.shape, array.strides
        key: Any = where if array.size else id(array)
        if key not in self._data:
            if array.dtype.kind not in OF_ARRAYS:
                raise NotDataError(array)
            self._data[key] = len(self.arrays)
            self.arrays.append(array)
        return self._data[key]

    def _form(self, value: Any) -> list[Any]:
        kind = type(value)
        if kind in SEQUENCES:
            return [SEQUENCES[kind], *map(self._value, value)]
        if kind is dict:
            return ["dict", *(self._value(each) for pair in value.items() for each in pair)]
        if kind in SETS:
            return [SETS[kind], *map(self._value, sorted(value, key=repr))]
        if (form := self._of_libraries(value)) is not None:
            return form
        if isinstance(value, Order) and ORDERS.get(value.name) is value:
            return ["order", value.name]
        if (name := name_of(kind)) is None or (isinstance(value, Order) and not _is_data(value)):
            raise NotDataError(value)
        self.classes.add(name)
        return [name, self._attributes(value)]

    def _attributes(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Pool):
            for name in ENGINES:
                self.nodes[self._entered(getattr(value, name))] = ["of", self._value(value), name]
        own = attributes(value)
        if isinstance(value, AccountOrder):
            own.pop("key")  # it is made of the accounts
        return {name: self._value(each) for name, each in own.items()}

    def _of_libraries(self, value: Any) -> list[Any] | None:
        """Objects of Python, NumPy and SciPy."""
        if isinstance(value, MappingProxyType):
            return ["mapping", self._value(dict(value))]
        if isinstance(value, range):
            return ["range", value.start, value.stop, value.step]
        if isinstance(value, Fraction):
            return ["fraction", value.numerator, value.denominator]
        if isinstance(value, np.generic) and value.dtype.kind in OF_ARRAYS:
            return ["scalar", {"array": self._array(np.array(value))}]
        if isinstance(value, type) and SCALARS.get(value.__name__.rstrip("_")) is value:
            return ["type", value.__name__.rstrip("_")]
        if isinstance(value, datetime.timezone):
            return ["timezone", value.utcoffset(None).total_seconds(), value.tzname(None)]
        if isinstance(value, zoneinfo.ZoneInfo) and value.key is not None:
            return ["zone", value.key]
        if isinstance(value, np.random.PCG64):
            return ["pcg64", self._value(value.state)]
        family = getattr(getattr(value, "dist", None), "name", None)
        if type(value).__module__.startswith("scipy.stats.") and family is not None:
            return ["distribution", family, self._value(tuple(value.args)), self._value(dict(value.kwds))]
        return None


class Read:
    """The value of nodes and arrays. Damage shows as almost any exception."""

    def __init__(self, nodes: list[Any], arrays: list[NDArray[Any]]) -> None:
        self._nodes, self._arrays = nodes, arrays
        self._made: dict[int, Any] = {}

    @property
    def objects(self) -> list[Any]:
        """All that was made so far."""
        return list(self._made.values())

    def value(self, written: Any) -> Any:
        """The value of what is written."""
        if isinstance(written, list):
            (place,) = written
            return self._made[place] if place in self._made else self._make(place)
        if isinstance(written, dict):
            ((what, of),) = written.items()
            return self._arrays[of] if what == "array" else struct.unpack(">d", bytes.fromhex(of))[0]
        return written

    def _make(self, place: int) -> Any:
        if place < 0:
            raise IndexError(place)
        what, *of = self._nodes[place]
        if what in CONTAINERS:
            made = self._made[place] = CONTAINERS[what]()
            CONTAINER_FILLS[what](made, map(self.value, of))
            return made
        if what in VALUES:
            made = self._made[place] = VALUES[what](*map(self.value, of))
            return made
        kind: Any = class_of(what)
        (own,) = of
        if issubclass(kind, Structure):
            made = self._made[place] = kind(**self._attributes(own))
        elif issubclass(kind, AccountOrder):
            order = kind(key=None, **self._attributes(own))
            made = self._made[place] = order.on(order.accounts)
        else:
            made = self._made[place] = kind.__new__(kind)
            filled(made, self._attributes(own))
        return made

    def _attributes(self, own: Mapping[str, Any]) -> dict[str, Any]:
        if not all(name.isidentifier() and not name.startswith("__") for name in own):
            raise ValueError("names of attributes")
        return {name: self.value(each) for name, each in own.items()}


def _is_data(order: Order) -> bool:
    """Whether the key of an order is a formula of the package."""
    return order.key is None or isinstance(order, AccountOrder) or isinstance(order.key, Aged)


def _paired(made: dict[Any, Any], values: Any) -> None:
    every = list(values)
    made.update(zip(every[::2], every[1::2], strict=True))


def _generator(state: dict[str, Any]) -> Any:
    made: Any = np.random.PCG64(0)
    made.state = state
    return made


def _distribution(family: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    from scipy import stats  # SciPy is slow to import

    found = getattr(stats, family)
    if not isinstance(found, stats.rv_continuous | stats.rv_discrete):
        raise TypeError(family)
    return found(*args, **named)


def _timezone(offset: float, name: str) -> datetime.timezone:
    zone = datetime.timezone(datetime.timedelta(seconds=offset))
    return zone if zone.tzname(None) == name else datetime.timezone(zone.utcoffset(None), name)


CONTAINERS: dict[str, Callable[[], Any]] = {"list": list, "dict": dict, "set": set}
CONTAINER_FILLS: dict[str, Callable[[Any, Any], None]] = {"list": list.extend, "dict": _paired, "set": set.update}
VALUES: dict[str, Callable[..., Any]] = {
    "tuple": lambda *of: of,
    "frozenset": lambda *of: frozenset(of),
    "of": lambda pool, name: getattr(pool, {each: each for each in ENGINES}[name]),
    "order": lambda name: ORDERS[name],
    "mapping": MappingProxyType,
    "range": range,
    "fraction": Fraction,
    "scalar": lambda array: array[()],
    "type": SCALARS.__getitem__,
    "timezone": _timezone,
    "zone": zoneinfo.ZoneInfo,
    "pcg64": _generator,
    "distribution": _distribution,
}
"""What else nodes are, and what makes it of the values that follow."""
