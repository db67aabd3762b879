"""Codes of kernels have names."""

import ast
from pathlib import Path

import pytest

from thinktime.models import kernels

CODES = {"algorithm", "allocator", "fate", "goal", "heuristic", "kind", "overrun", "reading", "rule", "state", "sweep"}
SOURCES = sorted(Path(kernels.__file__).parent.glob("*.py"))
PLACED = {"counters", "counts", "memory", "place", "weights"}


def name_of(node):
    """The name of a variable, or of the array of an element."""
    return getattr(node.value if isinstance(node, ast.Subscript) else node, "id", None)


def is_number(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_code_is_a_bare_number(path):
    """Kernels compare and set codes, and find places in arrays of different things, by named constants."""
    bare = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            pairs = [(node.left, each) for each in node.comparators]
        elif isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets if isinstance(target, ast.Subscript)]
        else:
            pairs = []
        bare += [ast.unparse(node) for a, b in pairs if name_of(a) in CODES and is_number(b)]
        if isinstance(node, ast.Subscript) and name_of(node) in PLACED and is_number(node.slice):
            bare.append(ast.unparse(node))
    assert bare == []
