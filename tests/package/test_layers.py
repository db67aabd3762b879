"""The rooms of the house import in one direction: workloads, models, users, analysis, command line.

Within a room, too, imports go one way: there are no circles.

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

ROOT = Path(__file__).resolve().parents[2]
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
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(house), str(ROOT)]), "COLUMNS": "100"}
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


@pytest.mark.parametrize("way", ["{}", "def later():\n    {}", "import typing\nif typing.TYPE_CHECKING:\n    {}"])
def test_contracts_catch_a_circle(house: Path, way: str) -> None:
    """Two modules that import each other are a circle, also inside a function or for types alone."""
    models = house / "thinktime" / "models"
    (models / "one.py").write_text("import thinktime.models.other\n")
    (models / "other.py").write_text(way.format("import thinktime.models.one") + "\n")
    run = lint(house)
    assert run.returncode == 1
    assert "No cycles are allowed in thinktime.models." in run.stdout and ".other" in run.stdout


def test_contracts_catch_a_circle_of_packages(house: Path) -> None:
    """Two packages that import each other are a circle, although no two of their modules do."""
    users = house / "thinktime" / "users"
    (users / "wrong.py").write_text("import thinktime.users.behaviours.base\n")
    (users / "behaviours" / "also_wrong.py").write_text("import thinktime.users.wrong\n")
    run = lint(house)
    assert run.returncode == 1
    assert "No cycles are allowed in thinktime.users." in run.stdout and ".wrong" in run.stdout


def test_contracts_catch_a_circle_through_a_package(house: Path) -> None:
    """A module that imports its own package imports whatever the package re-exports, itself perhaps."""
    (house / "thinktime" / "analysis" / "wrong.py").write_text("import thinktime.analysis\n")
    run = lint(house)
    assert run.returncode == 1
    assert "thinktime.analysis.wrong imports thinktime.analysis, which it is part of" in run.stdout
