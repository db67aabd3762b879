"""The examples in the docstrings of this room."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import thinktime.workloads

MODULES = [
    module.name
    for module in pkgutil.walk_packages(thinktime.workloads.__path__, prefix="thinktime.workloads.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example in a docstring gives what it says."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_light_import() -> None:
    """Importing the room needs NumPy only: pandas, pooch and rich wait until they are used."""
    heavy = {"pandas", "pooch", "requests", "rich", "scipy"}
    code = f"import sys, thinktime.workloads; print(sorted({heavy!r} & {{*sys.modules}}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
