"""What is written of the objects of a state, and what they need after they were read; the rest is `graph`'s.

Copies leave out the same (``__deepcopy__``, ``__getstate__``): what refers to the machine that runs, and what is made
anew from the rest.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from inspect import getattr_static
from typing import Any

import numpy as np

from thinktime.models.engine.current import Current
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.structure import Structure
from thinktime.models.jobs.columns import JobColumns
from thinktime.models.jobs.pool import Pool
from thinktime.models.policies.queue_policy import QueuePolicy

Attributes = dict[str, Any]


def attributes(one: Any) -> Attributes:
    """What is written of an object, by the names of its attributes."""
    if isinstance(one, Structure):
        arrays = {name: np.asarray(getattr(one, name)) for name in one.FIELDS}
        second = {"second": one.second} if isinstance(one, Profile) and one.second is not None else {}
        return arrays | numbers_of(one) | {name: getattr(one, name) for name in one.PARTS} | second
    own = {name: value for name, value in _given(one) if not _is_made_anew(one, name)}
    own |= {name: np.zeros_like(own[name]) for kind, name in SCRATCH if isinstance(one, kind)}
    if isinstance(one, Pool):
        return own | {name: numbers_of(getattr(one, name)) for name in ENGINES}
    return own


def numbers_of(structure: Structure) -> dict[str, Any]:
    """The numbers of a structure, as Python's own."""
    every = structure.all_numbers()
    return {name: value.item() if hasattr(value, "item") else value for name, value in every.items()}


def filled(one: Any, own: Attributes) -> None:
    """Give an object its attributes, and make anew what is not written of it."""
    if isinstance(one, Pool):
        engines = {name: own.pop(name) for name in ENGINES}
        _put(one, own)
        for name, numbers in engines.items():
            getattr(one, name).bind(**numbers)
        one._offer_room()
        one.bind()
    elif hasattr(type(one), "__setstate__") and not _slots(one):
        one.__setstate__(own)
    else:
        _put(one, own)
        if isinstance(one, JobColumns):
            one.current = Current()
        elif hasattr(one, "_offer_places"):
            one._offer_places()
            one._choice = None


SCRATCH = (Pool, "done"), (QueuePolicy, "_out")
"""Arrays for results of single calls, with what happened to be in memory."""
ENGINES = "state", "truth"
"""The structures that a pool makes itself: only their numbers are written, since the arrays are the pool's."""


def _given(one: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object that copies have."""
    for name in _slots(one):
        if hasattr(one, name):
            yield name, getattr(one, name)
    if hasattr(one, "__dict__"):
        told: Callable[[], Any] = one.__getstate__ if not _slots(one) else lambda: vars(one)
        yield from (told() or {}).items()


def _slots(one: Any) -> list[str]:
    found = []
    for kind in type(one).__mro__:
        slots = vars(kind).get("__slots__", ())
        found += [slots] if isinstance(slots, str) else [each for each in slots if not each.startswith("__")]
    return found


def _is_made_anew(one: Any, name: str) -> bool:
    if isinstance(one, Pool):
        return name in one.made_anew
    if isinstance(getattr_static(type(one), name, None), cached_property):
        return True
    return name in ("current",) if isinstance(one, JobColumns) else name in ("_make", "_choice")


def _put(one: Any, own: Attributes) -> None:
    for name, value in own.items():
        object.__setattr__(one, name, value)
