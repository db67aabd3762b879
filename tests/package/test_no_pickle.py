"""Nothing that the package reads or writes can hold code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib", "dbm"}
FILES = [file for room in ("workloads", "models", "users", "analysis", "api") for file in (ROOT / room).rglob("*.py")]


def test_no_module_of_the_package_pickles() -> None:
    """No pickles, by any of the modules that make or read them, nor by pandas."""
    found = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [each.name for each in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            if any(name.partition(".")[0] in MODULES or name in ("read_pickle", "to_pickle") for name in names):
                found.append(f"{file}:{node.lineno}")
    assert found == []


@pytest.mark.parametrize("call", ["load", "save"])
def test_arrays_are_read_and_written_without_pickles(call: str) -> None:
    """`numpy.load` says ``allow_pickle=False``, and objects are never saved alone."""
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"np.{call}":
                given = {each.arg: ast.unparse(each.value) for each in node.keywords}
                assert given.get("allow_pickle") == "False", f"{file}:{node.lineno}"
