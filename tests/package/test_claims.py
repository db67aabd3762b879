"""What a test claims stands in its docstring, and is asserted."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import ROOT

FILES = sorted((ROOT / "tests").rglob("*.py"))


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """The calls of functions or methods of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in names or name.startswith("assert_"):
                yield node


@pytest.fixture(scope="module")
def asserting() -> set[str]:
    """The helpers and fixtures that assert something themselves."""
    found = {"raises", "warns"}
    for path in FILES:
        for function in functions(parsed(path)):
            if any(isinstance(node, ast.Assert) for node in ast.walk(function)):
                found.add(function.name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_every_test_claims_something_and_asserts_it(path: Path, asserting: set[str]) -> None:
    """A test has a docstring of whole sentences, an assertion, and no exception that any bug could raise."""
    tree = parsed(path)
    for test in (each for each in functions(tree) if each.name.startswith("test_")):
        claim = (ast.get_docstring(test) or "").partition("\n\n")[0]
        assert claim.endswith("."), f"{test.name} has no claim"
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test))
        assert asserts or any(calls(test, *asserting)), f"{test.name} asserts nothing"
    for call in calls(tree, "raises", "warns"):
        assert not call.args or ast.unparse(call.args[0]) not in ("Exception", "BaseException"), call.lineno
