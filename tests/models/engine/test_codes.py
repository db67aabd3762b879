"""Codes have names, and what is said twice, in a module and in the types beside it, is the same."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.models.engine.modules import SOURCES, declarations_of, name_of_module
from thinktime.models import engine
from thinktime.models.engine.codes import fields
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.structure import Structure
from thinktime.models.engine.truth import Truth
from thinktime.workloads import arrays

NAMED = {"algorithm", "allocator", "fate", "goal", "heuristic", "kind", "overrun", "reading", "rule", "state", "sweep"}
PLACED = {"counts", "weights"}
ROOT = Path(engine.__file__).parent
ENUMS = sorted(path for path in ROOT.glob("codes/*.pxd") if "cdef enum" in path.read_text())
TYPES = {
    "long long[::1]": "Ints", "long long[:, ::1]": "IntTable", "double[::1]": "Floats", "signed char[::1]": "Codes",
    "signed char[:, ::1]": "CodeTable",
}  # fmt: skip
"""Types of C, and what annotations call them."""
NUMBERS = {"long long": int, "double": float, "bint": bool}
FIXED = {"asks", "on_nodes", "changing"}
"""Numbers that say of what kind something is, and are set when it is made."""


def name_of(node):
    """The name of a variable, or of the array of an element."""
    return getattr(node.value if isinstance(node, ast.Subscript) else node, "id", None)


def is_number(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)


def structures():
    """All classes that have arrays under names, and the modules that they are in."""
    for path in SOURCES:
        module = importlib.import_module(name_of_module(path))
        for name, each in sorted(vars(module).items()):
            if not (isinstance(each, type) and issubclass(each, Structure)) or each is Structure:
                continue
            if each.__module__ == module.__name__:
                yield pytest.param(each, path.with_suffix(".pxd"), id=name)


def attributes(name, declarations, kinds=r"[\w ]+\[[^\]]*\]"):
    """The arrays of a class in a `.pxd`, those of its base classes included, as (name, type); or what is of `kinds`."""
    text = declarations.read_text()
    base, body = re.search(rf"^cdef class {name}(?:\((\w+)\))?:\n((?:    .*\n)*)", text, re.M).groups()
    own = [(n, kind) for kind, n in re.findall(rf"^    cdef public ({kinds}) (\w+)$", body, re.M)]
    if base in (None, "Structure"):
        return own
    home = re.search(rf"^from (thinktime\.models[\w.]*) cimport .*\b{base}\b", text, re.M)
    return attributes(base, declarations_of(home[1]) if home else declarations, kinds) + own


def annotations(each):
    """The arrays of a class by its module's source: compiled classes have no annotations."""
    home = declarations_of(each.__module__).with_suffix(".py")
    tree = next(n for n in ast.parse(home.read_text()).body if isinstance(n, ast.ClassDef) and n.name == each.__name__)
    own = {n.target.id: ast.unparse(n.annotation) for n in tree.body if isinstance(n, ast.AnnAssign)}
    return (annotations(each.__base__) if each.__base__ is not Structure else {}) | own


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_code_is_a_bare_number(path):
    """The engine compares and sets codes, and finds places in arrays of different things, by named constants."""
    bare = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            pairs = [(node.left, each) for each in node.comparators]
        elif isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets if isinstance(target, ast.Subscript)]
        else:
            pairs = []
        bare += [ast.unparse(node) for a, b in pairs if name_of(a) in NAMED and is_number(b)]
        if isinstance(node, ast.Subscript) and name_of(node) in PLACED and is_number(node.slice):
            bare.append(ast.unparse(node))
    assert bare == []


@pytest.mark.parametrize("path", ENUMS, ids=lambda path: path.name)
def test_constants_of_c_are_those_of_the_module(path):
    """Each whole number of a module of codes stands in the `.pxd` beside it, with the same value, and nothing else."""
    module = importlib.import_module(f"thinktime.models.engine.codes.{path.stem}")
    stated = {name: int(value) for name, value in re.findall(r"^    (\w+) = (-?\d+)$", path.read_text(), re.M)}
    body = ast.parse(path.with_suffix(".py").read_text()).body
    targets = [target for each in body if isinstance(each, ast.Assign) for target in each.targets]
    assigned = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    whole = {name: value for name, value in vars(module).items() if name in assigned and type(value) is int}
    assert stated == whole


@pytest.mark.parametrize(("each", "declarations"), list(structures()))
def test_arrays_have_the_types_of_c(each, declarations):
    """The arrays of a structure are the attributes in the `.pxd`, and of the same types."""
    found = attributes(each.__name__, declarations)
    assert {name: getattr(arrays, TYPES[kind]) for name, kind in found} == dict(each.FIELDS)
    types = annotations(each)
    assert [name for name, kind in found if types[name] != TYPES[kind]] == []


@pytest.mark.parametrize(("each", "declarations"), list(structures()))
def test_copies_have_all_numbers(each, declarations):
    """The numbers in the `.pxd` are those by which copies are made, and first values are of their types."""
    found = dict(attributes(each.__name__, declarations, "|".join(NUMBERS)))
    assert found.keys() - FIXED == each.NUMBERS.keys()
    assert [name for name, value in each.NUMBERS.items() if type(value) is not NUMBERS[found[name]]] == []


def test_a_state_has_all_columns():
    """The arrays of a state and of the truth are those of the tables of columns, by which Python makes them."""
    for each, module, table in ((State, "machine_state", fields.SEEN), (Truth, "truth", fields.TRUTH)):
        found = attributes(each.__name__, ROOT / f"{module}.pxd")
        assert {name: getattr(arrays, TYPES[kind]) for name, kind in found} == table
