"""A process that compiles reads common declarations once, and no module tells; the C compiler does so, too."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.package.conftest import ROOT
from tools.engine.building import HEADER, Builder, Way, _compiler, is_gcc
from tools.engine.sources import COMMON, Sources
from tools.engine.worker import Job, read_common, to_c

pytest.importorskip("Cython", reason="part of the dev extra")

CELL = "cdef class Cell:\n    cdef public long long size\n    cdef long long doubled(self) noexcept\n"
USE = "from thinktime.cell cimport Cell\n\ncpdef long long through(Cell cell) except? -1\n"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """To compile a module that uses another one."""
    files = {
        "__init__.py": "",
        "cell.pxd": CELL,
        "use.pxd": USE,
        "use.py": "def through(cell):\n    return cell.doubled()\n",
    }
    for name, text in files.items():
        path = tmp_path / "thinktime" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return Job("thinktime.use", "thinktime/use.py", "use.c", "", "thinktime.shared", [], common="thinktime.cell")


def test_a_module_is_the_same_with_what_was_read(job: Job) -> None:
    """What has been read before leaves no trace in a module's C file."""
    known = read_common(job)
    assert "thinktime.cell" in known.pxds
    assert to_c(job) == to_c(replace(job, c_file="with.c"), known) == ""
    alone, after = Path("use.c").read_text(), Path("with.c").read_text()
    assert "doubled" in alone and after.replace("with.c", "use.c") == alone


def test_errors_in_what_is_read_are_told_by_the_modules(job: Job) -> None:
    """Declarations with an error are not kept: who needs them says where they are wrong."""
    Path("thinktime/cell.pxd").write_text(CELL.replace("long long size", "longer size"))
    assert read_common(job) is None
    assert "cell.pxd:2" in to_c(job) and "longer" in to_c(job)


def test_most_modules_need_what_is_read() -> None:
    """Most modules of the engine need the common declarations, which are not among them."""
    sources = Sources(ROOT)
    needing = [each.name for each in sources.modules if sources.needs_common(each)]
    assert 2 * len(needing) > len(sources.modules) and COMMON not in needing


def test_the_header_is_read_once(tmp_path: Path) -> None:
    """GCC takes what it has made of the header that all modules include, whatever their entry points are called."""
    builder = Builder(ROOT, tmp_path, Way())
    builder.kept.mkdir()
    command = _compiler()
    builder._header(command)
    header, source = builder.kept / HEADER.name, tmp_path / "a.c"
    if not is_gcc(command):
        pytest.skip("another compiler reads it for each module")
    source.write_text("Py_ssize_t size;\n")
    rename = "-DPyInit_a=PyInit_b"
    told = subprocess.run(
        [*command, rename, "-H", "-include", str(header), "-fsyntax-only", str(source)], capture_output=True, text=True
    )
    assert f"! {header}.gch" in told.stderr
