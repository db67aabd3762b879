"""A package of four modules, two of them compiled, with the build of the real one: small enough to compile in tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.package.conftest import ROOT
from tools.engine.building import Builder, Way

FILES = {
    "api/__init__.py": "from thinktime.compiled import begin\n\nbegin()\n",
    "models/__init__.py": "",
    "models/cell.py": """
        class Cell:
            def __init__(self, size):
                self.size = size

            def doubled(self, times):
                return self.size * 2 if times == 1 else self.doubled(times - 1) * 2
        """,
    "models/cell.pxd": """
        cdef class Cell:
            cdef readonly long long size
            cdef long long doubled(self, long long times) noexcept
        """,
    "models/use.py": """
        from thinktime.models import cell

        def through(size, times):
            return cell.Cell(size).doubled(times)

        def at(values, i):
            return values[i]
        """,
    "models/use.pxd": """
        from thinktime.models cimport cell
        cimport cython

        @cython.locals(one=cell.Cell)
        cpdef long long through(long long size, long long times)
        cpdef double at(double[::1] values, long long i) except? -1
        """,
    "models/plain.py": "WORD = 'plain'\n",
    "setup.cfg": """
        [metadata]
        name = thinktime
        version = 1.0

        [options]
        packages =
            thinktime
            thinktime.models
        package_dir =
            thinktime = api
            thinktime.models = models

        [options.package_data]
        * = *.pxd
        """,
}
"""`Cell.doubled` is a C method, which `use` calls in C, and Python alone does not see."""

TELL = """
import thinktime.compiled
from thinktime.models import cell, plain, use
print(thinktime.compiled.how(), use.through(3, 2), hasattr(cell.Cell, "doubled"), plain.WORD)
"""
COMPILED, PLAIN = "compiled 12 False plain\n", "plain Python 12 True plain\n"
"""What `TELL` prints."""


def written(text: str) -> str:
    lines = text.strip("\n").splitlines()
    cut = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return "".join(f"{line[cut:].rstrip()}\n" for line in lines)


def make_tree(folder: Path) -> Path:
    """The tree, and `site`, where Python finds it."""
    for name, text in FILES.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written(text))
    tree = folder / "tree"
    for name in ("api/compiled.py", "setup.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tree / name)
    shutil.copytree(ROOT / "tools" / "engine", tree / "tools" / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    site = folder / "site" / "thinktime"
    site.mkdir(parents=True)
    for name in ("__init__.py", "compiled.py"):
        (site / name).symlink_to(tree / "api" / name)
    (site / "models").symlink_to(tree / "models")
    return tree


def build(tree: Path, *, bounds: bool = False) -> list[str]:
    """Compile the tree in place, for all later versions of Python, as for a wheel; return what was said."""
    said: list[str] = []
    place = tree / "api" / "_compiled"
    builder = Builder(tree, tree / "build" / "engine", Way(limited=True, bounds=bounds), said.append)
    builder.build(place, lambda path: Path(os.path.relpath(path, place)))
    return said


def run(site: Path, code: str = TELL, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the package of `site`, in a process of its own."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("THINKTIME_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=usual | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
