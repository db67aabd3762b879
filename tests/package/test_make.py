"""The Makefile: what a stranger meets first."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="no make here")


def make(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run make as a user would, whatever make this test runs under."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment |= {"PATH": path} if path else {}
    return subprocess.run([str(MAKE), *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_make_alone_lists_the_targets(root: Path) -> None:
    """`make` lists each target with one line, and makes nothing."""
    listed = make(root).stdout.splitlines()
    assert [line.split()[1] for line in listed if line.split()[1] in ("demo", "test", "bench")] == [
        "demo",
        "test",
        "bench",
    ]
    assert all(len(line.split()) > 3 and len(line) <= 110 for line in listed)


def test_no_python_is_one_sentence(root: Path, tmp_path: Path) -> None:
    """Where there is no Python that is new enough, one sentence says so, and nothing is left behind."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "find", "sort", "cat", "env"):
        (tools / name).symlink_to(str(shutil.which(name)))
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("Makefile", "setup.py", "setup.cfg", "pyproject.toml"):
        shutil.copy(root / name, tree)
    done = make(tree, "demo", path=str(tools))
    assert done.returncode != 0
    assert "thinktime needs Python 3.11 or newer with its venv module" in done.stderr
    assert not (tree / ".venv").exists()
