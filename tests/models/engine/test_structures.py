"""What structures are made of: arrays and numbers, each under its name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import thinktime
from thinktime.models.engine.machine_state import State, Truth

OBJECTS = {
    State: {
        "room",
        "profiles",
        "changes",
        "spare",
        "pass_profile",
        "own_view",
        "trial",
        "base",
        "on_nodes",
        "changing",
        "grow",
        "grow_places",
        "chooser",
    },
    Truth: {"answers", "events"},
}
"""What is neither an array nor a number, and what kind of machine this is."""


def declared(structure: type) -> Iterator[tuple[str, str]]:
    """Types and names of the public attributes of a structure, as compiled code has them."""
    module = Path(thinktime.__path__[0]) / "models/engine" / f"{structure.__module__.rpartition('.')[2]}.pxd"
    text = module.read_text().partition(f"cdef class {structure.__name__}(")[2].partition("\ncdef class ")[0]
    return ((kind, name) for kind, name in re.findall(r"^    cdef public (.+) (\w+)$", text, re.M))


@pytest.mark.parametrize("structure", OBJECTS)
def test_every_attribute_is_an_array_a_number_or_a_part(structure: type[State] | type[Truth]) -> None:
    """FIELDS has all arrays, NUMBERS all numbers: who copies these has copied everything but the machine's parts."""
    arrays, numbers, others = set(structure.FIELDS), set(structure.NUMBERS), OBJECTS[structure]
    names = {name: kind for kind, name in declared(structure)}
    assert len(names) == len(arrays) + len(numbers) + len(others)
    assert {name for name, kind in names.items() if kind.endswith("]")} == arrays
    assert set(names) - arrays - others == numbers
    assert {names[name] for name in numbers} <= {"long long", "double", "bint"}
