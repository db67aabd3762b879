"""The compiled modules of the rooms, found as the build finds them."""

from pathlib import Path

import thinktime.models

ROOT = Path(thinktime.models.__path__[0])
SOURCES = sorted(
    path for path in ROOT.rglob("*.py") if path.with_suffix(".pxd").exists() and path.parent.name != "codes"
)
SOURCES = [path for path in SOURCES if path.name != "__init__.py"]


def name_of_module(path: Path) -> str:
    """The dotted name of a module of `models`."""
    return ".".join(("thinktime.models", *path.relative_to(ROOT).with_suffix("").parts))


def declarations_of(module: str) -> Path:
    """The `.pxd` of a module of `models`."""
    return ROOT.joinpath(*module.split(".")[2:]).with_suffix(".pxd")
