"""The rooms of the house import in one direction: workloads, models, users, analysis, command line.

Each test lays the rooms out as the package `thinktime` in a folder of its own, so that the check does not
depend on how the package is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOMS = ("analysis", "models", "users", "workloads")
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


@pytest.fixture
def house(root: Path, tmp_path: Path) -> Path:
    """A copy of the package under its import name, with the contracts beside it."""
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "api", tmp_path / "thinktime", ignore=unwanted)
    for room in ROOMS:
        shutil.copytree(root / room, tmp_path / "thinktime" / room, ignore=unwanted)
    shutil.copy(root / "setup.cfg", tmp_path)
    return tmp_path


def lint(house: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(house), "COLUMNS": "100"}
    command = [sys.executable, "-c", LINT]
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True)


def test_contracts_are_kept(house: Path) -> None:
    """The contracts of setup.cfg hold in the tree."""
    run = lint(house)
    assert run.returncode == 0, run.stdout + run.stderr


def test_contracts_catch_a_wrong_direction(house: Path) -> None:
    """A model that imports users breaks the direction."""
    (house / "thinktime" / "models" / "wrong.py").write_text("import thinktime.users\n")
    run = lint(house)
    assert run.returncode == 1
    assert "thinktime.models is not allowed to import thinktime.users" in run.stdout


def test_contracts_catch_the_front_door(house: Path) -> None:
    """A room that imports `thinktime` itself would import everything."""
    (house / "thinktime" / "users" / "wrong.py").write_text("import thinktime as tt\n")
    run = lint(house)
    assert run.returncode == 1
    assert "thinktime.users.wrong -> thinktime (l.1)" in run.stdout
