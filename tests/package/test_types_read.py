"""Libraries that mypy does not read are those whose types nothing of ours has."""

import configparser
import re
from pathlib import Path

IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+\(?\s*([\w, ]+)|import\s+([\w.]+))", re.MULTILINE)
READ = ("api", "analysis", "models", "users", "workloads", "tools")
"""What mypy checks."""


def imported(root: Path) -> set[str]:
    """Every module that is imported there, and every name that is taken of one, which may be a module."""
    found: set[str] = set()
    for folder in READ:
        for path in [*(root / folder).rglob("*.py"), *(root / folder).rglob("*.pyi")]:
            for where, names, module in IMPORT.findall(path.read_text(encoding="utf-8")):
                found |= (
                    {module}
                    if module
                    else {where, *(f"{where}.{name.split()[0]}" for name in names.split(",") if name.strip())}
                )
    return found


def unread(setup_cfg: configparser.ConfigParser) -> list[str]:
    """The packages that `follow_imports = skip` leaves out."""
    sections = [name for name in setup_cfg.sections() if setup_cfg[name].get("follow_imports") == "skip"]
    return [each.removesuffix(".*") for name in sections for each in name.removeprefix("mypy-").split(",")]


def test_nothing_of_ours_imports_what_mypy_does_not_read(root: Path, setup_cfg: configparser.ConfigParser) -> None:
    """Whatever a room or a tool imports has its types."""
    ours, left_out = imported(root), unread(setup_cfg)
    assert {"numpy", "scipy.stats", "bokeh.models", "matplotlib.figure.Figure"} <= ours and "dask" in left_out
    wrong = [name for name in ours for package in left_out if name == package or name.startswith(f"{package}.")]
    assert wrong == []
