"""Modules and files that pages and docstrings mention exist."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pages import PAGES, ROOT

ROOMS = ("workloads", "models", "users", "analysis", "api")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
NAME = re.compile(r"`+(thinktime(?:\.\w+)+)")
FILE = re.compile(r"`((?:workloads|models|users|analysis|api|tests|benchmarks|docs)/[\w/.-]+\.(?:py|md|toml))`")


def _exists(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one; Python does not see all functions of compiled ones."""
    try:
        pkgutil.resolve_name(name)
    except ImportError:
        return False
    except AttributeError:
        module, _, function = name.rpartition(".")
        source = ROOT / module.replace("thinktime.", "").replace(".", "/")
        return source.with_suffix(".pxd").exists() and f"\ndef {function}(" in source.with_suffix(".py").read_text(
            "utf-8"
        )
    return True


def _mentions(pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    for path in (*(page for page in PAGES if page.name != "CHANGES.md"), *SOURCES):  # changes have former names
        yield from ((path.relative_to(ROOT), name) for name in pattern.findall(path.read_text("utf-8")))


def test_modules_exist() -> None:
    """A dotted name of the package in backticks, in a page or a docstring, can be imported."""
    assert [(str(path), name) for path, name in _mentions(NAME) if not _exists(name)] == []


def test_files_exist() -> None:
    """A file of the tree in backticks is there."""
    assert [(str(path), name) for path, name in _mentions(FILE) if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("name", ["thinktime.analysis.nothing", "thinktime.workloads.trace.Nothing"])
def test_what_is_not_there_is_seen(name: str) -> None:
    """A module or a class that does not exist is found out."""
    assert not _exists(name)
