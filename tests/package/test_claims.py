"""What a test claims stands in its docstring, and is asserted."""

import ast
import os
from collections.abc import Iterable, Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import ROOT


def what_asserts(nodes: Iterable[ast.AST]) -> set[str]:
    """The functions and methods that are called, ``assert_`` for all that begin so, and ``assert`` for a statement."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Assert):
            found.add("assert")
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            found.add("assert_" if name.startswith("assert_") else name)
    return found


def parts(tree: ast.Module) -> Iterator[ast.stmt]:
    """Functions, those of classes, too, and other statements; what lies within a function is a part of it."""
    left: list[ast.stmt] = [*tree.body]
    while left:
        part = left.pop()
        if isinstance(part, ast.ClassDef):
            left += part.body
        else:
            yield part


def test_every_test_claims_something_and_asserts_it() -> None:
    """A test has a docstring of whole sentences, an assertion, and no exception that any bug could raise."""
    helpers, tests, wrong = {"assert", "assert_", "raises", "warns"}, {}, []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name = path.relative_to(ROOT / "tests")
        for part in parts(ast.parse(path.read_text(encoding="utf-8"))):
            nodes = [*ast.walk(part)]
            for node in nodes:
                if isinstance(node, ast.FunctionDef):
                    found = what_asserts(nodes if node is part else ast.walk(node))
                    if "assert" in found:
                        helpers.add(node.name)
                    if node.name.startswith("test_"):
                        tests[f"{name}: {node.name}"] = ast.get_docstring(node) or "", found
                elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("raises", "warns"):
                    what = ast.unparse(node.args[0]) if node.args else ""
                    wrong += [f"{name}:{node.lineno} lets any {what} pass"] * (what in ("Exception", "BaseException"))
    for name, (claim, found) in tests.items():
        if not claim.partition("\n\n")[0].endswith("."):
            wrong.append(f"{name} has no claim")
        if not found & helpers:
            wrong.append(f"{name} asserts nothing")
    assert tests and wrong == []


@settings(max_examples=240)
@given(st.booleans())
def test_each_run_has_a_part_of_the_examples(example: bool) -> None:
    """A twelfth of those that are asked for, and all in a thorough run."""
    asked = test_each_run_has_a_part_of_the_examples._hypothesis_internal_use_settings  # type: ignore[attr-defined]
    assert asked.max_examples == (20 if "[some]" in os.environ["PYTEST_CURRENT_TEST"] else 240)
