"""What is compiled is found in the tree, and what each module rests on in its declarations."""

from pathlib import Path

import pytest

from tests.package import tiny
from tools.engine.sources import Sources


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tiny.make_tree(tmp_path)


def rests_on(tree: Path, name: str) -> set[str]:
    sources = Sources(tree)
    (module,) = (each for each in sources.modules if each.name == name)
    return {path.relative_to(tree).as_posix() for path in sources.depends_on(module)}


def test_modules_are_found(tree: Path) -> None:
    """A module is compiled if and only if a .pxd file stands beside it."""
    (tree / "models" / "codes.pxd").write_text("cdef enum: ONE = 1\n")
    assert [each.name for each in Sources(tree).modules] == ["thinktime.models.cell", "thinktime.models.use"]
    assert "thinktime.models.codes" in Sources(tree).declarations


@pytest.mark.parametrize(
    "line",
    [
        "from thinktime.models.codes cimport ONE",
        "from thinktime.models cimport cell, codes",
        "from thinktime.models cimport (\n    cell as other,\n    codes as more,\n)",
        "from . cimport codes",
        "from .codes cimport ONE, TWO",
        "cimport thinktime.models.codes as codes",
        "cimport cython, thinktime.models.codes",
    ],
)
def test_declarations_rest_on_what_they_cimport(tree: Path, line: str) -> None:
    """Every way to write a cimport counts."""
    (tree / "models" / "codes.pxd").write_text("cdef enum: ONE = 1\n")
    (tree / "models" / "use.pxd").write_text(line + "\n")
    assert rests_on(tree, "thinktime.models.use") - {"models/cell.pxd"} == {"models/use.pxd", "models/codes.pxd"}


def test_declarations_rest_on_others_through_others(tree: Path) -> None:
    """A module depends on what its declarations cimport, near or far, even in a circle."""
    (tree / "models" / "codes.pxd").write_text("from thinktime.models cimport use\n")
    (tree / "models" / "cell.pxd").write_text("from thinktime.models.codes cimport ONE\n")
    assert rests_on(tree, "thinktime.models.use") == {"models/cell.pxd", "models/codes.pxd", "models/use.pxd"}


def test_modules_of_one_name_do_not_meet(tree: Path) -> None:
    """Two modules called the same in two packages have entry points of their own in the library."""
    (tree / "api" / "cell.py").write_text("")
    (tree / "api" / "cell.pxd").write_text("")
    names = [each.initializer for each in Sources(tree).modules]
    assert names == ["cell", "models_cell", "models_use"]


def test_the_stage_is_laid_out_anew_where_it_differs(tree: Path, tmp_path: Path) -> None:
    """Files that Cython reads lie as they are imported; those of a module that is gone go, too."""
    stage = tmp_path / "stage"
    Sources(tree).stage(stage)
    kept = (stage / "thinktime" / "models" / "use.py").stat().st_mtime_ns
    (tree / "models" / "cell.pxd").unlink()
    Sources(tree).stage(stage)
    assert sorted(path.name for path in (stage / "thinktime" / "models").iterdir()) == [
        "__init__.py",
        "use.pxd",
        "use.py",
    ]
    assert (stage / "thinktime" / "models" / "use.py").stat().st_mtime_ns == kept
