"""The list of packages in setup.cfg is written by hand: it must equal the tree, or a wheel lacks a folder."""

from __future__ import annotations

import configparser
from pathlib import Path

ROOMS = ("analysis", "models", "users", "workloads")


def import_name(folder: Path) -> str:
    parts = folder.parts[1:] if folder.parts[0] == "api" else folder.parts
    return ".".join(("thinktime", *parts))


def folders_with_init(root: Path) -> dict[str, str]:
    inits = (init for room in ("api", *ROOMS) for init in (root / room).rglob("__init__.py"))
    folders = [init.parent.relative_to(root) for init in inits]
    return {import_name(folder): folder.as_posix() for folder in folders}


def test_package_dir_equals_the_tree(root: Path, package_dir: dict[str, str]) -> None:
    """Every folder with an __init__.py is mapped to its import name, and nothing else is."""
    assert package_dir == folders_with_init(root)


def test_packages_equal_package_dir(setup_cfg: configparser.ConfigParser, package_dir: dict[str, str]) -> None:
    """`packages` names what `package_dir` maps, in alphabetical order."""
    packages = setup_cfg["options"]["packages"].split()
    assert packages == sorted(package_dir)


def test_every_module_is_in_a_package(root: Path, package_dir: dict[str, str]) -> None:
    """No module lies in a folder without an __init__.py, where the wheel would forget it."""
    modules = (module.relative_to(root) for room in ("api", *ROOMS) for module in (root / room).rglob("*.py"))
    assert [module for module in modules if module.parent.as_posix() not in package_dir.values()] == []


def test_no_folder_shadows_the_package(root: Path) -> None:
    """A folder called thinktime at the root would be imported instead of the installed package."""
    assert not (root / "thinktime").exists()
