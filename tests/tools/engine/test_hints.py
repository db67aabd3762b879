"""Compiled code that works on Python objects where it should not is found, and nothing else is."""

import sys
from pathlib import Path

import pytest

from tests.package.tiny import written
from tools.engine.worker import Job, to_c

pytest.importorskip("Cython", reason="part of the dev extra")

CLEAN = """
    class Line:
        def __init__(self, values):
            self.values = [*values]
            for value in values:
                self.check(value)

        def check(self, value):
            if value < 0:
                raise ValueError(f"{value} is negative")

        def total(self, values):
            total = 0.0
            for i in range(len(values)):
                total += values[i]
                if total < 0:
                    raise ValueError(f"{total} is negative")
            return total

        def half(self, total):
            return total / 2
    """
DECLARED = """
    cimport cython

    cdef class Line:
        cdef readonly object values
        @cython.locals(total=double, i="long long")
        cpdef double total(
            self, double[::1] values,
        ) except? -1
        cdef double half(self, double total) noexcept
    """


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, declarations: str) -> list[str]:
    folder = folder / "stage"
    package = folder / "thinktime"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "line.py").write_text(written(source))
    (package / "line.pxd").write_text(written(declarations))
    monkeypatch.chdir(folder)
    out = folder / "hints"
    job = Job("thinktime.line", "thinktime/line.py", str(folder / "line.c"), "", "thinktime._utility", [], {}, str(out))
    with monkeypatch.context() as patch:
        for name in [name for name in sys.modules if name.partition(".")[0] == "pygments"]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, "pygments", None)  # as where modules are compiled
        assert to_c(job) == ""
    return out.read_text().splitlines()


def test_typed_code_has_no_hints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed loops have none, nor has what is not declared, raises, or works on objects outside loops."""
    assert found(tmp_path, monkeypatch, CLEAN, DECLARED) == []


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        (
            "return total / 2",
            "return float(str(total))",
            "line.py:20: works on Python objects in a function without exc",
        ),
        ("total += values[i]", "total += self.values[i]", "line.py:14: works on Python objects in a loop ("),
        ("total += values[i]", "total += sum(values[i:])", "line.py:14: works on Python objects in a loop ("),
        ("for i in range(len(values))", "for i in [*self.values]", "line.py:13: works on Python objects in a loop ("),
    ],
)
def test_work_on_objects_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, hint: str
) -> None:
    """Each line is named, with what is called; a comment allows it."""
    changed = CLEAN.replace(old, new)
    assert found(tmp_path, monkeypatch, changed, DECLARED)[0].startswith(f"thinktime/{hint}")
    allowed = "\n".join(f"{line}  # objects: rarely" if new in line else line for line in changed.split("\n"))
    assert not [line for line in found(tmp_path / "allowed", monkeypatch, allowed, DECLARED) if "works on" in line]


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ('@cython.locals(total=double, i="long long")', "@cython.locals(i=object)", "Index should be typed"),
        ("cdef readonly object values", "cdef readonly values", "line.pxd:4: values has no type"),
    ],
)
def test_missing_types_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, hint: str
) -> None:
    """An attribute without a type, and what Cython itself says against declarations."""
    lines = found(tmp_path, monkeypatch, CLEAN, DECLARED.replace(old, new))
    assert any(hint in line for line in lines), lines
