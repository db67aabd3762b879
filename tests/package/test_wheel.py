"""What a user installs: a wheel holds every module, the marker of types and the command, and nothing else."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
ROOMS = ("api", "analysis", "models", "users", "workloads")


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel of a copy of the tree: building in the tree would disturb the links of its own install."""
    pytest.importorskip("setuptools", minversion="77", reason="part of the dev extra")
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    for room in (*ROOMS, "tools/engine"):
        shutil.copytree(root / room, copy / room, ignore=shutil.ignore_patterns("__pycache__", "_compiled"))
    for name in ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy / name)
    plain = os.environ | {"THINKTIME_PLAIN": "1"}
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=copy, check=True, capture_output=True, env=plain)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_wheel_holds_exactly_the_modules_of_the_tree(
    wheel: zipfile.ZipFile, root: Path, package_dir: dict[str, str]
) -> None:
    """Every module of the tree is in the wheel, under its import name."""
    expected = {
        f"{package.replace('.', '/')}/{module.name}"
        for package, folder in package_dir.items()
        for module in (root / folder).glob("*.py")
    }
    assert {name for name in wheel.namelist() if name.endswith(".py")} == expected


def test_wheel_ships_the_marker_of_types(wheel: zipfile.ZipFile) -> None:
    """Type checkers read the annotations of an installed package only beside a py.typed."""
    assert "thinktime/py.typed" in wheel.namelist()


def test_wheel_ships_licence_and_command(wheel: zipfile.ZipFile) -> None:
    """The licence travels along, and the installer makes the `thinktime` command."""
    names = wheel.namelist()
    (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
    assert "thinktime = thinktime.cli:main" in wheel.read(entry_points).decode()
    assert any(name.endswith("/LICENSE") for name in names)


def test_wheel_ships_the_files_that_are_no_modules(
    wheel: zipfile.ZipFile, root: Path, package_dir: dict[str, str]
) -> None:
    """Templates, starters and tables beside the modules are in the wheel."""
    expected = {
        f"{package.replace('.', '/')}/{file.name}"
        for package, folder in (package_dir | {"thinktime.cli.starters": "api/cli/starters"}).items()
        for file in (root / folder).iterdir()
        if file.suffix in (".csv", ".css", ".html", ".pxd", ".sql", ".toml", ".txt")
    }
    assert "thinktime/analysis/reports/page.html" in expected and "thinktime/workloads/archive.toml" in expected
    assert expected <= set(wheel.namelist())
