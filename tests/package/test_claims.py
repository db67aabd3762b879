"""What a test claims stands in its docstring, and is asserted."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .conftest import ROOT


def asserts(nodes: Iterable[ast.AST], *helpers: str) -> bool:
    """Whether there is an assertion, or the call of a function or method that asserts something itself."""
    for node in nodes:
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in helpers or name.startswith("assert_"):
                return True
    return False


def test_every_test_claims_something_and_asserts_it() -> None:
    """A test has a docstring of whole sentences, an assertion, and no exception that any bug could raise."""
    helpers, tests, wrong = {"raises", "warns"}, {}, []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name = path.relative_to(ROOT / "tests")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                inside = list(ast.walk(node))
                if any(isinstance(each, ast.Assert) for each in inside):
                    helpers.add(node.name)
                if node.name.startswith("test_"):
                    tests[f"{name}: {node.name}"] = node, inside
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("raises", "warns"):
                what = ast.unparse(node.args[0]) if node.args else ""
                wrong += [f"{name}:{node.lineno} lets any {what} pass"] * (what in ("Exception", "BaseException"))
    for name, (test, inside) in tests.items():
        if not (ast.get_docstring(test) or "").partition("\n\n")[0].endswith("."):
            wrong.append(f"{name} has no claim")
        if not asserts(inside, *helpers):
            wrong.append(f"{name} asserts nothing")
    assert tests and wrong == []
