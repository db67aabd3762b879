"""The compiled engine is used whole if it fits, and not at all otherwise; then one line says why."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.package import tiny
from tools.engine import building
from tools.engine.building import CannotCompile, Way, _compiler

pytest.importorskip("Cython", reason="part of the dev extra")


def _why_not() -> str:
    try:
        _compiler()
    except CannotCompile as missing:
        return str(missing)
    return ""


needs_compiler = pytest.mark.skipif(bool(_why_not()), reason=_why_not())


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Nothing here asks how fast the code is that the C compiler makes, and one process is started to make it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        patch.setattr(building, "_cores", lambda: 1)
        yield


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    said = tiny.build(tiny.make_tree(folder))
    assert said[0].startswith("compiling the engine: 3 of its 3 modules")
    assert said[-1] == "compiling the engine: 3 of 3 modules"
    return folder


@pytest.fixture
def copy(compiled: Path, tmp_path: Path) -> Path:
    shutil.copytree(compiled, tmp_path / "copy", symlinks=True)
    site = tmp_path / "copy" / "site" / "thinktime"
    for link in site.iterdir():
        target = tmp_path / "copy" / "tree" / link.readlink().relative_to(compiled / "tree")
        link.unlink()
        link.symlink_to(target)
    return tmp_path / "copy"


@needs_compiler
def test_a_module_with_declarations_is_compiled(compiled: Path) -> None:
    """Modules with a .pxd beside them come from the library and know each other's C methods; others from files."""
    done = tiny.run(compiled / "site")
    assert (done.stdout, done.stderr) == (tiny.COMPILED, "")


@needs_compiler
def test_plain_python_can_be_chosen(compiled: Path) -> None:
    """THINKTIME_PLAIN=1 runs the files without a word."""
    done = tiny.run(compiled / "site", THINKTIME_PLAIN="1")
    assert (done.stdout, done.stderr) == (tiny.PLAIN, "")


def _edit_source(tree: Path) -> None:
    (tree / "models" / "use.py").write_text((tree / "models" / "use.py").read_text() + "\nMORE = 1\n")


def _edit_declarations(tree: Path) -> None:
    (tree / "models" / "cell.pxd").write_text((tree / "models" / "cell.pxd").read_text() + "\n# more\n")


def _remove_source(tree: Path) -> None:
    (tree / "models" / "cell.pxd").unlink()


def _library(tree: Path) -> Path:
    (path,) = (tree / "api" / "_compiled").glob("engine.*.so")
    return path


def _cut(tree: Path) -> None:
    content = _library(tree).read_bytes()
    _library(tree).write_bytes(content[: len(content) // 2])


def _flip(tree: Path) -> None:
    content = bytearray(_library(tree).read_bytes())
    content[len(content) // 2] ^= 1
    _library(tree).write_bytes(content)


def _remove_library(tree: Path) -> None:
    _library(tree).unlink()


def _record(tree: Path, **change: object) -> None:
    path = tree / "api" / "_compiled" / "engine.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def _foreign(tree: Path) -> None:
    _library(tree).write_bytes(b"no library")
    _record(tree, content="10-6ae43754")


def _other_python(tree: Path) -> None:
    _record(tree, python="cpython 3.10 on Linux s390x")


def _no_json(tree: Path) -> None:
    (tree / "api" / "_compiled" / "engine.json").write_text("{")


def _odd_json(tree: Path) -> None:
    _record(tree, sources=["models/cell.py"])


def _nothing(tree: Path) -> None:
    shutil.rmtree(tree / "api" / "_compiled")


@needs_compiler
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_edit_source, "models/use.py has changed since the engine was compiled; "),
        (_edit_declarations, "models/cell.pxd has changed since the engine was compiled; "),
        (_remove_source, "models/cell.pxd has changed since the engine was compiled; "),
        (_cut, ".so is damaged; "),
        (_flip, ".so is damaged; "),
        (_remove_library, ".so is damaged; "),
        (_foreign, ".so cannot be loaded ("),
        (_other_python, "the engine was compiled for cpython 3.10 on Linux s390x, and this is "),
        (_no_json, "engine.json is damaged; "),
        (_odd_json, "engine.json is damaged; "),
        (_nothing, "the engine has not been compiled; "),
    ],
)
def test_what_does_not_fit_is_not_used(copy: Path, damage: Callable[[Path], None], words: str) -> None:
    """One line says what does not fit and what compiles it, and everything runs from the files."""
    damage(copy / "tree")
    done = tiny.run(copy / "site")
    assert done.stdout == tiny.PLAIN
    (line,) = done.stderr.splitlines()
    assert line.startswith("thinktime: runs as plain Python, many times slower: ")
    assert words in line and " compiles it" in line


@needs_compiler
def test_in_a_tree_the_line_names_make(copy: Path) -> None:
    """Beside a Makefile, `make install` compiles again."""
    (copy / "tree" / "Makefile").write_text("")
    _flip(copy / "tree")
    assert tiny.run(copy / "site").stderr.endswith("; `make install` compiles it again\n")


def test_a_worker_says_nothing(tmp_path: Path) -> None:
    """The line is said once in a run, not in its worker processes."""
    tiny.make_tree(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing\nfrom thinktime.models import use\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.starmap(use.through, [(3, 2)]))\n"
    )
    done = tiny.run(tmp_path / "site", f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert done.stdout == "[12]\n", done.stderr
    assert len(done.stderr.splitlines()) == 1 and "has not been compiled" in done.stderr


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, at every start, says that there is no compiler and how to install one; no old library stays."""
    tree = tiny.make_tree(tmp_path)
    place = tree / "api" / "_compiled"
    place.mkdir()
    for suffix in (Way().suffix, Way(limited=True).suffix, ".cpython-310-other.so"):
        (place / f"engine{suffix}").write_text("an old one")
    monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
    with pytest.raises(CannotCompile, match="there is no C compiler; install one"):
        tiny.build(tree)
    assert [path.name for path in place.iterdir()] == ["engine.json"]
    done = tiny.run(tmp_path / "site")
    assert done.stdout == tiny.PLAIN
    (line,) = done.stderr.splitlines()
    assert "there is no C compiler; install one (Debian and Ubuntu: apt install gcc; " in line


def test_without_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python's headers are missing, the line says how to install them."""
    tree = tiny.make_tree(tmp_path)
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nfor word; do case $word in *.c) ! grep -q Python.h "$word"; exit;; esac; done\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(CannotCompile, match=r"Python's C headers are missing; .*apt install python3-dev"):
        tiny.build(tree)


@needs_compiler
def test_if_one_module_fails_none_is_used(copy: Path) -> None:
    """A module that does not compile leaves no library, and the line names it."""
    declarations = copy / "tree" / "models" / "use.pxd"
    whole = declarations.read_text()
    declarations.write_text(whole + "cdef unknown nonsense\n")
    with pytest.raises(CannotCompile, match=r"thinktime\.models\.use does not compile"):
        tiny.build(copy / "tree")
    assert "'unknown' is not a type identifier" in (copy / "tree" / "build" / "engine" / "errors.txt").read_text()
    assert list((copy / "tree" / "api" / "_compiled").glob("*.so")) == []
    done = tiny.run(copy / "site")
    assert done.stdout == tiny.PLAIN and len(done.stderr.splitlines()) == 1
    assert "thinktime.models.use does not compile (" in done.stderr


@needs_compiler
@pytest.mark.parametrize(
    "edit, changed", [(_edit_declarations, 2), pytest.param(_edit_source, 1, marks=pytest.mark.thorough)]
)
def test_only_what_changed_is_compiled_again(copy: Path, edit: Callable[[Path], None], changed: int) -> None:
    """A changed source compiles its module; changed declarations, those of every module that rests on them."""
    tree = copy / "tree"
    _flip(tree)
    assert tiny.build(tree) == []
    assert tiny.run(copy / "site").stdout == tiny.COMPILED, "a damaged library is mended"
    edit(tree)
    assert tiny.build(tree)[0] == f"compiling the engine: {changed} of its 3 modules have changed ..."
    assert tiny.run(copy / "site").stdout == tiny.COMPILED


@needs_compiler
def test_bounds_have_a_library_of_their_own(compiled: Path) -> None:
    """THINKTIME_BOUNDS=1 does not use the library in which no index is checked."""
    done = tiny.run(compiled / "site", THINKTIME_BOUNDS="1")
    assert done.stdout == tiny.PLAIN and "has not been compiled" in done.stderr


@needs_compiler
@pytest.mark.thorough
def test_bounds_can_be_checked(copy: Path) -> None:
    """THINKTIME_BOUNDS=1 uses a library of its own, in which an index outside its array is an error."""
    tiny.build(copy / "tree", bounds=True)
    outside = (
        "import array, thinktime.compiled\nfrom thinktime.models import use\nprint(thinktime.compiled.how())\n"
        "print(use.at(memoryview(array.array('d', [1.0, 2.0]))[:1], 1))"
    )
    done = tiny.run(copy / "site", outside, THINKTIME_BOUNDS="1")
    assert done.stdout == "compiled, with indices checked\n"
    assert done.stderr.splitlines()[-1].startswith("IndexError")
    assert tiny.run(copy / "site", outside).stdout == "compiled\n2.0\n"


@needs_compiler
def test_a_wheel_holds_the_library(copy: Path) -> None:
    """A wheel for this platform and all newer Pythons, whose modules are compiled wherever it is unpacked."""
    pytest.importorskip("setuptools", minversion="77", reason="part of the dev extra")
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    compiling = {name: value for name, value in os.environ.items() if not name.startswith("THINKTIME_")}
    command = [sys.executable, "-c", build, str(copy)]
    done = subprocess.run(command, cwd=copy / "tree", capture_output=True, text=True, env=compiling)
    (path,) = copy.glob("*.whl")
    assert "compiling the engine" not in done.stdout, "objects of the tree are used again"
    assert path.name.startswith("thinktime-1.0-cp311-abi3-")
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(copy / "unpacked")
    assert {name.name for name in (copy / "unpacked" / "thinktime" / "models").glob("*.pxd")} == {"cell.pxd", "use.pxd"}
    shutil.rmtree(copy / "tree")
    done = tiny.run(copy / "unpacked")
    assert (done.stdout, done.stderr) == (tiny.COMPILED, "")
    with (copy / "unpacked" / "thinktime" / "models" / "use.py").open("a") as source:
        source.write("MORE = 1\n")
    done = tiny.run(copy / "unpacked")
    assert done.stdout == tiny.PLAIN
    assert "pip install --force-reinstall --no-deps thinktime compiles it again" in done.stderr
