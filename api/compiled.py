"""Where the compiled engine comes from, or why there is none.

Modules with a ``.pxd`` file beside their ``.py`` are compiled when the package is installed, all into one library; a
record beside it says what it was made from. `Finder` gives Python the library's modules in place of the files, if
the record fits: the same sources, the same kind of Python and machine, the library as it was written. Otherwise all
modules run from their ``.py`` files, and one line on the standard error says why and what to do.
``THINKTIME_PLAIN=1`` chooses the files, and ``THINKTIME_BOUNDS=1`` a library that checks every index.

The folder lies beside this file: in an installed package, and in a tree that an editable install points to.
"""

import _imp
import json
import os
import sys
import zlib
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parent / "_compiled"
PACKAGE = __name__.partition(".")[0]
IN_TREE = (FOLDER.parents[1] / "Makefile").exists()
COMPILE = "`make install` compiles it" if IN_TREE else "pip install --force-reinstall --no-deps thinktime compiles it"


def is_set(variable: str) -> bool:
    """Whether a switch of the environment is on."""
    return os.environ.get(variable, "0") not in ("", "0")


def record_name() -> str:
    """The record of the library that this process would use."""
    return "checked.json" if is_set("THINKTIME_BOUNDS") else "engine.json"


def python_of(limited: bool) -> str:
    """The kind of Python and machine that a library made here runs on; a limited one runs on newer Pythons, too."""
    system, machine = os.uname().sysname, os.uname().machine
    version = "3.11 or newer" if limited else "{}.{}".format(*sys.version_info)
    return f"{sys.implementation.name}{sys.abiflags} {version} on {system} {machine}"


def digest_of(path: Path) -> str:
    """What changes if a file does, by accident or by an edit: its length and its CRC-32."""
    size, sums = 0, 0
    with path.open("rb", buffering=0) as file:
        while content := file.read(1 << 18):  # in pieces that stay in the processor's cache
            size, sums = size + len(content), zlib.crc32(content, sums)
    return f"{size}-{sums:08x}"


class Unusable(Exception):
    """Why the library is not used, and what to do."""


def _entry(spec: ModuleSpec) -> ModuleSpec:
    """The specification of a module with the name that the library knows it by."""
    entry = ModuleSpec(spec.name.partition(".")[2].replace(".", "_"), spec.loader, origin=spec.origin)
    entry.has_location = True
    return entry


class Library:
    """All compiled modules, as a record beside them describes them.

    Raises
    ------
    Unusable
        If the record fits neither the sources, nor this Python, nor the library.
    """

    def __init__(self, record: Path) -> None:
        try:
            self.record: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
            if self.record.get("missing"):
                raise Unusable(self.record["missing"])
            self.path = record.parent / self.record["library"]
            self.modules: dict[str, str] = self.record["modules"]
            self._check()
        except FileNotFoundError:
            raise Unusable(f"the engine has not been compiled; {COMPILE}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise Unusable(f"{record} is damaged; {COMPILE} again") from None

    def _check(self) -> None:
        made_for = self.record["python"]
        if made_for not in (python_of(True), python_of(False)):
            raise Unusable(f"the engine was compiled for {made_for}, and this is {python_of(False)}; {COMPILE} again")
        for name, digest in self.record["sources"].items():
            source = self.path.parent / name
            if _digest_or_none(source) != digest:
                changed = os.path.normpath(source)
                raise Unusable(f"{changed} has changed since the engine was compiled; {COMPILE} again")
        if _digest_or_none(self.path) != self.record["content"]:
            raise Unusable(f"{self.path} is damaged; {COMPILE} again")
        try:
            _imp.create_dynamic(_entry(self.spec(self.record["shared"])))
        except Exception as error:  # whatever a library says that was made elsewhere
            raise Unusable(f"{self.path} cannot be loaded ({error}); {COMPILE} again") from None

    def spec(self, name: str) -> ModuleSpec:
        """How Python loads a module from the library."""
        loader: Any = self  # which has what is needed; importlib.abc takes some milliseconds to import
        spec = ModuleSpec(name, loader, origin=str(self.path))
        spec.has_location = True
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """For Python's import: a module that is still empty."""
        module = _imp.create_dynamic(_entry(spec))
        module.__name__, module.__package__ = spec.name, spec.parent
        return module

    def exec_module(self, module: ModuleType) -> None:
        """For Python's import: what the module says is done."""
        _imp.exec_dynamic(module)

    def get_source(self, name: str) -> str | None:
        """For tracebacks and documentation: the module's file."""
        source = self.modules.get(name)
        return (self.path.parent / source).read_text(encoding="utf-8") if source else None

    def is_package(self, name: str) -> bool:
        """Compiled modules are none."""
        return False


def _digest_or_none(path: Path) -> str | None:
    try:
        return digest_of(path)
    except OSError:
        return None


class Finder:
    """Finds compiled modules, before Python looks for their files."""

    def __init__(self) -> None:
        self.library: Library | None = None
        self.reason = ""
        self._checked = self._said = False

    def check(self) -> bool:
        """Whether this process runs compiled; the library is looked at once."""
        if not self._checked:
            self._checked = True
            try:
                self.library = Library(FOLDER / record_name())
            except Unusable as unusable:
                self.reason = str(unusable)
        return self.library is not None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """For Python's import: a compiled module; none, if Python is to look for the file."""
        if not path or not name.startswith(PACKAGE):
            return None
        if self.check():
            assert self.library is not None
            return self.library.spec(name) if name in self.library.modules else None
        if not self._said and os.path.exists(os.path.join(path[0], f"{name.rpartition('.')[2]}.pxd")):
            self._say()
        return None

    def _say(self) -> None:
        self._said = True
        if not _is_worker():
            print(f"thinktime: runs as plain Python, many times slower: {self.reason}", file=sys.stderr, flush=True)


def _is_worker() -> bool:
    """Whether another process of the same run has started this one, and has said the line."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is None:
        return False
    # While a worker imports the main module, multiprocessing knows of no parent yet.
    return processes.parent_process() is not None or hasattr(processes.current_process(), "_inheriting")


def how() -> str:
    """How this process runs the engine: "compiled", "compiled, with indices checked" or "plain Python"."""
    finder = next((each for each in sys.meta_path if isinstance(each, Finder)), None)
    if finder is None or not finder.check():
        return "plain Python"
    return "compiled, with indices checked" if is_set("THINKTIME_BOUNDS") else "compiled"


def begin() -> None:
    """Look for compiled modules from now on."""
    if not is_set("THINKTIME_PLAIN"):
        sys.meta_path.insert(0, Finder())
