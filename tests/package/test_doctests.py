"""Every example in a docstring shows what really happens."""

import doctest
import importlib

import pytest

from .conftest import ROOT, modules

WITH_EXAMPLES = sorted(name for name, path in modules(ROOT).items() if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    """The examples of a module run, imported by its dotted name: by path it would be a second copy."""
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted and not results.failed
