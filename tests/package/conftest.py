"""Where the tree is and what setup.cfg says about it."""

import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def setup_cfg() -> configparser.ConfigParser:
    return read_setup_cfg(ROOT)


@pytest.fixture(scope="session")
def package_dir() -> dict[str, str]:
    return read_package_dir(ROOT)


def read_setup_cfg(root: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(root / "setup.cfg", encoding="utf-8")
    return parser


def read_package_dir(root: Path) -> dict[str, str]:
    """Import names and the folders that setup.cfg maps them to."""
    lines = read_setup_cfg(root)["options"]["package_dir"].strip().splitlines()
    pairs = (line.partition("=") for line in lines)
    return {name.strip(): folder.strip() for name, _, folder in pairs}


def modules(root: Path) -> dict[str, Path]:
    """Every module that setup.cfg packs, by its dotted name."""
    return {
        f"{package}.{path.stem}".removesuffix(".__init__"): path
        for package, folder in read_package_dir(root).items()
        for path in (root / folder).glob("*.py")
    }
