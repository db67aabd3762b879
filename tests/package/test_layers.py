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


WRONG = {
    "models/wrong.py": "import thinktime.users\n",
    "users/wrong.py": "import thinktime as tt\n",
    "analysis/wrong.py": "import thinktime.analysis\n",
    "models/one.py": "import thinktime.models.other\n",
    "models/other.py": "import thinktime.models.one\n",
    "workloads/one.py": "import thinktime.workloads.other\n",
    "workloads/other.py": "def later():\n    import thinktime.workloads.one\n",
    "analysis/view/one.py": "import thinktime.analysis.view.other\n",
    "analysis/view/other.py": "import typing\nif typing.TYPE_CHECKING:\n    import thinktime.analysis.view.one\n",
    "users/circle.py": "import thinktime.users.behaviours.base\n",
    "users/behaviours/circle.py": "import thinktime.users.circle\n",
}
"""Modules that break contracts, each in its own way."""


def linted(root: Path, house: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Lint a copy of the package under its import name, with more modules and with the contracts beside it."""
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "api", house / "thinktime", ignore=unwanted)
    for room in ROOMS:
        shutil.copytree(root / room, house / "thinktime" / room, ignore=unwanted)
    shutil.copy(root / "setup.cfg", house)
    for name, text in more.items():
        (house / "thinktime" / name).write_text(text)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(house), str(ROOT)]), "COLUMNS": "100"}
    command = [sys.executable, "-c", LINT]
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def complaints(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a package with all of these modules."""
    run = linted(root, tmp_path_factory.mktemp("wrong"), WRONG)
    assert run.returncode == 1
    return run.stdout


def test_contracts_are_kept(root: Path, tmp_path: Path) -> None:
    """The contracts of setup.cfg hold in the tree."""
    run = linted(root, tmp_path, {})
    assert run.returncode == 0, run.stdout + run.stderr


def test_contracts_catch_a_wrong_direction(complaints: str) -> None:
    """A model that imports users breaks the direction."""
    assert "thinktime.models is not allowed to import thinktime.users" in complaints
    assert "thinktime.models.wrong -> thinktime.users" in complaints


def test_contracts_catch_the_front_door(complaints: str) -> None:
    """A room that imports `thinktime` itself would import everything."""
    assert "thinktime.users.wrong -> thinktime (l.1)" in complaints


@pytest.mark.parametrize("package", ["models", "workloads", "analysis.view"])
def test_contracts_catch_a_circle(complaints: str, package: str) -> None:
    """Two modules that import each other are a circle, also inside a function or for types alone."""
    (circle,) = [
        each for each in complaints.split("No cycles are allowed in ") if each.startswith(f"thinktime.{package}.")
    ]
    assert ".one" in circle and ".other" in circle


def test_contracts_catch_a_circle_of_packages(complaints: str) -> None:
    """Two packages that import each other are a circle, although no two of their modules do."""
    (circle,) = [
        each for each in complaints.split("No cycles are allowed in ") if each.startswith("thinktime.users.\n")
    ]
    assert ".circle" in circle and ".behaviours" in circle


def test_contracts_catch_a_circle_through_a_package(complaints: str) -> None:
    """A module that imports its own package imports whatever the package re-exports, itself perhaps."""
    assert "thinktime.analysis.wrong imports thinktime.analysis, which it is part of" in complaints
