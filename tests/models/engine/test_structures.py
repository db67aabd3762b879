"""What structures are made of: arrays and numbers, each under its name."""

import copy
import importlib
import pickle
import re
from typing import Any

import numpy as np
import pytest

from tests.models.engine.modules import SOURCES, declarations_of, name_of_module
from thinktime.models.engine.structure import Structure

OBJECTS = {
    "State": {"room", "profiles", "changes", "spare", "on_nodes", "changing", "grow", "grow_places", "chooser"},
    "Truth": {"answers", "events"},
    "Rule": {"asks"},
    "Asked": {"eyes", "caller", "omissions", "on_select", "on_submit", "on_start", "on_end", "on_withdraw"},
    "AskedOrder": {"eyes", "sort", "accounts", "inner"},
}
"""What is no array, number or structure of its own, and what kind of machine this is."""


def kinds(of: type[Structure] = Structure) -> list[type[Structure]]:
    """All structures of compiled modules."""
    modules = {importlib.import_module(name_of_module(path)).__name__ for path in SOURCES}
    found = [each for kind in of.__subclasses__() for each in (kind, *kinds(kind))]
    return [kind for kind in found if kind.__module__ in modules]


def declared(structure: type) -> dict[str, str]:
    """The public attributes of a structure by name, with their types, as compiled code has them."""
    if structure is Structure:
        return {}
    module = declarations_of(structure.__module__)
    text = module.read_text().partition(f"cdef class {structure.__name__}(")[2].partition("\ncdef class ")[0]
    own = {name: kind for kind, name in re.findall(r"^    cdef public (.+) (\w+)$", text, re.M)}
    return declared(structure.__mro__[1]) | own


@pytest.mark.parametrize("structure", kinds(), ids=lambda kind: kind.__name__)
def test_every_attribute_is_an_array_a_number_or_a_part(structure: type[Structure]) -> None:
    """FIELDS has all arrays, NUMBERS all numbers, PARTS all structures: who copies these has copied everything."""
    arrays, numbers, parts = set(structure.FIELDS), set(structure.NUMBERS), set(structure.PARTS)
    others, names = set().union(*(OBJECTS.get(kind.__name__, ()) for kind in structure.__mro__)), declared(structure)
    assert len(names) == len(arrays) + len(numbers) + len(parts) + len(others)
    assert {name for name, kind in names.items() if kind.endswith("]")} == arrays
    assert set(names) - arrays - parts - others == numbers
    assert {names[name] for name in numbers} <= {"long long", "double", "bint"}


def changed(structure: Structure) -> dict[str, Any]:
    """Let every number and array be another than it was; what they are now."""
    for place, (name, value) in enumerate(structure.NUMBERS.items()):
        setattr(structure, name, type(value)(place + 1))
    lines = [name for name in structure.FIELDS if np.asarray(getattr(structure, name)).ndim == 1]
    structure.lengthen(3, *lines, fill=7)
    for part in structure.PARTS:
        changed(getattr(structure, part))
    return contents(structure)


def contents(structure: Structure) -> dict[str, Any]:
    """All that a structure has, to compare."""
    arrays = {name: np.array(getattr(structure, name)).tolist() for name in structure.FIELDS}
    return arrays | structure.all_numbers() | {name: contents(getattr(structure, name)) for name in structure.PARTS}


@pytest.mark.parametrize("how", [Structure.copied, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize(
    "structure",
    [each for each in kinds() if each.__name__ not in ("State", "Truth", "Asked", "AskedOrder")],
    ids=lambda kind: kind.__name__,
)
def test_a_copy_is_equal_and_independent(structure: type[Structure], how: Any) -> None:
    """Copied or saved: the same numbers and arrays; what is changed in the copy stays as it was in the other."""
    one = structure()
    before = changed(one)
    twin = how(one)
    assert contents(twin) == before and type(twin) is structure
    changed(twin)
    for name in structure.FIELDS:
        if len(array := np.asarray(getattr(twin, name))):
            array[...] = 9
    assert contents(one) == before
