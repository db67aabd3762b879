"""The house is counted against its measure."""

from pathlib import Path

import pytest

from tools import house

MANY = ", ".join(f"p{number}" for number in range(house.PARAMETERS + 1))
FEW = MANY.rpartition(",")[0]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for room in house.ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "models" / "few.py").write_text(f"class A:\n    def f(self, {FEW}, *more, **options): ...\n")
    (tmp_path / "models" / "few.pxd").write_text("cdef class A:\n\n    pass\n")
    (tmp_path / "api" / "_compiled").mkdir()
    (tmp_path / "api" / "_compiled" / "made.py").write_text(f"def f({MANY}): ...\n")
    return tmp_path


def test_lines_are_counted_by_room(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C types count, what is made does not, and nine parameters with `self` are eight."""
    assert house.main(tree) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split() for line in said[:2]] == [
        ["models:", "5", "lines", "in", "2", "files"],
        ["users:", "0", "lines", "in", "0", "files"],
    ]
    assert said[len(house.ROOMS)].startswith("functions with more than 8 parameters: 0, ")


@pytest.mark.parametrize("given", [MANY, f"*, {MANY}", MANY.replace(",", ", /,", 1)])
def test_too_many_functions_with_many_parameters_are_named(
    given: str, tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As many as are allowed pass; one more, and all are named."""
    (tree / "users" / "many.py").write_text(f"\nasync def f({given}):\n    def g({given}): ...\n")
    monkeypatch.setattr(house, "FUNCTIONS", 2)
    assert house.main(tree) == 0
    monkeypatch.setattr(house, "FUNCTIONS", 1)
    capsys.readouterr()
    assert house.main(tree) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "users/many.py:2: f has 9 parameters",
        "users/many.py:3: g has 9 parameters",
    ]


def test_files_that_are_too_long(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file may have as many lines as the measure, and one with one more is named."""
    (tree / "tests" / "full.py").write_text("\n" * house.LINES)
    assert house.main(tree) == 0
    capsys.readouterr()
    (tree / "tests" / "long.py").write_text("\n" * (house.LINES + 1))
    assert house.main(tree) == 1
    said = capsys.readouterr().out.splitlines()[-3:]
    assert said[:2] == ["files with more than 400 lines: 1", "tests/long.py: 401 lines"]
    assert said[2].startswith("These files are too long")
