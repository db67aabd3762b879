"""The engine, compiled: every module at once on all cores, only what has changed, into one library with its record."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import queue
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from tools.engine.sources import COMMON, Module, Sources
from tools.engine.worker import DIRECTIVES, Job

SHARED = "thinktime._utility"
"""The module of the code that Cython puts into every module otherwise."""
FLAGS = ["-O2", "-fno-fast-math", "-ffp-contract=off", "-g0"]
"""The same numbers on every machine."""
HEADER = Path(__file__).with_name("common.h")
"""What all modules include first. Objects rest on its text alone: those of one tree may be copied into another."""
LIMITED = "0x030B0000"
EVERY = 5.0
"""Seconds between two lines of progress."""
COMPILER = (
    "install one (Debian and Ubuntu: apt install gcc; Fedora: dnf install gcc; macOS: xcode-select --install), "
    "and then thinktime again"
)
HEADERS = (
    "install them (Debian and Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel), "
    "and then thinktime again"
)


class CannotCompile(Exception):
    """What is missing, and what to do."""


@dataclass(frozen=True)
class Way:
    """How the engine is compiled."""

    limited: bool = False
    """One library for this and all later versions of Python."""
    hints: bool = False
    """`Builder.hints` are collected."""
    bounds: bool = False
    """Every index and every object is checked, for tests."""

    @property
    def name(self) -> str:
        """The library's and the record's name."""
        return "checked" if self.bounds else "engine"

    @property
    def suffix(self) -> str:
        """How the name of the library's file ends."""
        return ".abi3.so" if self.limited else str(sysconfig.get_config_var("EXT_SUFFIX"))

    @property
    def directives(self) -> dict[str, bool]:
        """The directives of Cython that differ from the usual ones."""
        return dict.fromkeys(("boundscheck", "nonecheck", "initializedcheck"), True) if self.bounds else {}


class Builder:
    """Compiles the engine of a tree; objects are kept in a folder, and used again while nothing they rest on changes.

    `say` takes each line of progress.
    """

    def __init__(self, root: Path, kept: Path, way: Way, say: Callable[[str], None] = print) -> None:
        self.root, self.way, self.say = root, way, say
        self.sources = Sources(root)
        self.kept = kept / f"{way.name}{way.suffix}"
        self.stage = kept / "tree"
        self.record = _compiled_module(root)

    def build(self, folder: Path, place: Callable[[Path], Path]) -> None:
        """Write the library and its record into `folder`; `place` says where a source lies at run time, seen from it.

        Raises
        ------
        CannotCompile
            If something is missing or a module does not compile. The record says so.
        """
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / f"{self.way.name}{self.way.suffix}"
        try:
            objects = self._objects()
            self._link(objects, library)
            record = self._record(library, place)
        except CannotCompile as missing:
            _remove_libraries(folder, self.way.name)
            _write(folder / f"{self.way.name}.json", {"missing": str(missing)})
            raise
        _write(folder / f"{self.way.name}.json", record)

    def hints(self) -> list[str]:
        """Where the compiled modules work on Python objects although they should not (`tools.engine.hints`)."""
        paths = [self.kept / f"{each.name}.hints" for each in self.sources.modules]
        return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]

    def _record(self, library: Path, place: Callable[[Path], Path]) -> dict[str, object]:
        modules = self.sources.modules
        files = sorted({path for each in modules for path in (each.source, *self.sources.depends_on(each))})
        return {
            "library": library.name,
            "python": self.record.python_of(self.way.limited),
            "content": self.record.digest_of(library),
            "sources": {place(path).as_posix(): self.record.digest_of(path) for path in files},
            "modules": {each.name: place(each.source).as_posix() for each in modules} | {SHARED: ""},
            "shared": SHARED,
        }

    def _objects(self) -> list[Path]:
        """The objects of all modules, of which those that are out of date are made first."""
        command = _compiler()
        if self.way.limited:
            command = [*command, f"-DPy_LIMITED_API={LIMITED}"]
        try:
            header = HEADER.read_text(encoding="utf-8")
            how = f"{version('Cython')}\0{DIRECTIVES}\0{self.way}\0{command}\0{sys.version}\0{header}"
        except PackageNotFoundError:
            raise CannotCompile("Cython, which compiles the engine, is not installed; pip install Cython") from None
        self.kept.mkdir(parents=True, exist_ok=True)
        self.sources.stage(self.stage)
        everything = [
            Module(SHARED, Path()),
            *sorted(self.sources.modules, key=lambda each: -each.source.stat().st_size),
        ]
        include = ["-include", str(self.kept / HEADER.name)]
        jobs, objects = [], []
        for module in everything:
            shared = module.name == SHARED
            key = hashlib.sha256(how.encode()).hexdigest() if shared else self.sources.key(module, how)
            made, stamp = self.kept / f"{module.name}.o", self.kept / f"{module.name}.key"
            objects.append(made)
            if made.exists() and stamp.exists() and stamp.read_text() == key:
                continue
            stamp.unlink(missing_ok=True)
            rename = f"-DPyInit_{module.name.rpartition('.')[2]}=PyInit_{module.initializer}"
            job = Job(
                module.name, "" if shared else self.sources.staged(module.source), str(self.kept / f"{module.name}.c"),
                str(made), SHARED, [*command, *include, rename], self.way.directives,
                str(self.kept / f"{module.name}.hints") if self.way.hints else "",
                COMMON if not shared and self.sources.needs_common(module) else "",
            )  # fmt: skip
            jobs.append((job, stamp, key))
        if jobs:
            self._header(command)
        self._do(jobs, len(everything))
        for path in self.kept.iterdir():
            if path.stem not in {each.name for each in everything} and path.suffix in (".o", ".c", ".key", ".hints"):
                path.unlink()
        return objects

    def _header(self, command: list[str]) -> None:
        """Lay out what all modules include, and beside it what GCC makes of it, if it is GCC that compiles."""
        header = self.kept / HEADER.name
        shutil.copyfile(HEADER, header)
        read = header.with_name(f"{header.name}.gch")
        read.unlink(missing_ok=True)
        if is_gcc(command):
            subprocess.run([*command, "-x", "c-header", str(header), "-o", str(read)], capture_output=True)

    def _do(self, jobs: list[tuple[Job, Path, str]], of: int) -> None:
        """Do jobs in as many processes as there are cores; all errors are told, not the first alone."""
        if not jobs:
            return
        left: queue.SimpleQueue[tuple[Job, Path, str] | None] = queue.SimpleQueue()
        answers: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        workers = min(_cores(), len(jobs))
        for job in [*jobs, *[None] * workers]:
            left.put(job)
        threads = [threading.Thread(target=self._work, args=(left, answers), daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        errors = self.kept.parent / "errors.txt"
        errors.unlink(missing_ok=True)
        said = time.monotonic()
        self.say(f"compiling the engine: {len(jobs)} of its {of} modules have changed ...")
        failed: list[str] = []
        for done in range(1, len(jobs) + 1):
            name, wrong = answers.get()
            if wrong:
                failed.append(name)
                self.say(f"{name} does not compile:\n{wrong}")
                with errors.open("a", encoding="utf-8") as file:
                    file.write(f"{name}\n{wrong}\n")
            if time.monotonic() > said + EVERY or done == len(jobs):
                said = time.monotonic()
                self.say(f"compiling the engine: {done} of {len(jobs)} modules")
        for thread in threads:
            thread.join()
        if failed:
            raise CannotCompile(f"{', '.join(failed[:3])} does not compile ({errors} says why)")

    def _work(
        self, left: queue.SimpleQueue[tuple[Job, Path, str] | None], answers: queue.SimpleQueue[tuple[str, str]]
    ) -> None:
        command = [sys.executable, "-m", "tools.engine.worker"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.stage, env=environment
        )
        with process:
            assert process.stdin is not None and process.stdout is not None
            while (item := left.get()) is not None:
                job, stamp, key = item
                try:
                    process.stdin.write(job.as_line())
                    process.stdin.flush()
                    answer = process.stdout.readline()
                    wrong = json.loads(answer) if answer else "the process that compiled it has died"
                except OSError as error:
                    wrong = str(error)
                if not wrong:
                    stamp.write_text(key)
                answers.put((job.name, wrong))
            process.stdin.close()

    def _link(self, objects: list[Path], library: Path) -> None:
        """Make the library of all objects, unless it is the one that is there."""
        keys = "\n".join(path.with_suffix(".key").read_text() for path in objects)
        stamp = self.kept / "library.key"
        kept = self.kept / library.name
        if not (kept.exists() and stamp.exists() and stamp.read_text() == keys):
            stamp.unlink(missing_ok=True)
            done = subprocess.run(
                [*_linker(), *map(str, objects), "-o", str(kept)], capture_output=True, text=True, errors="replace"
            )
            if done.returncode:
                raise CannotCompile(f"the engine could not be linked: {' '.join(done.stderr.split()[-30:])}")
            stamp.write_text(keys)
        _remove_libraries(library.parent, self.way.name, library)
        new = library.with_suffix(".new")
        shutil.copyfile(kept, new)
        os.replace(new, library)  # a process that runs keeps the old one


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _setting(name: str) -> list[str]:
    """What Python was built with."""
    return shlex.split(str(sysconfig.get_config_var(name) or ""))


def _program() -> list[str]:
    """The C compiler: what CC says, or what Python was built with, or what is there."""
    if os.environ.get("CC"):
        candidates = [shlex.split(os.environ["CC"])]
    else:
        candidates = [_setting("CC"), ["cc"], ["gcc"], ["clang"]]
    for words in candidates:
        if words and shutil.which(words[0]) is not None:
            return words
    raise CannotCompile(f"there is no C compiler; {COMPILER}")


def is_gcc(command: list[str]) -> bool:
    """Whether it is GCC that compiles, and no other that knows its options."""
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, errors="replace").stdout
    return "Free Software Foundation" in said


def _further(*names: str) -> list[str]:
    return [word for name in names for word in shlex.split(os.environ.get(name, ""))]


def _compiler() -> list[str]:
    """The C compiler with its flags, once it has compiled something."""
    command = [*_program(), *_setting("CFLAGS"), *_setting("CCSHARED"), *FLAGS, *_further("CFLAGS", "ARCHFLAGS")]
    paths = dict.fromkeys(sysconfig.get_paths()[name] for name in ("include", "platinclude"))
    command += [f"-I{path}" for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "a.c"), Path(folder, "a.o")
        for text, missing in (
            ("int main(void) { return 0; }\n", f"the C compiler, {command[0]}, does not work; {COMPILER}"),
            ("#include <Python.h>\n", f"Python's C headers are missing; {HEADERS}"),
        ):
            source.write_text(text)
            if subprocess.run([*command, "-c", str(source), "-o", str(made)], capture_output=True).returncode:
                raise CannotCompile(missing)
    return command


def _linker() -> list[str]:
    """The C compiler with the flags that make a library; Python names its own compiler before them."""
    usual, own = _setting("LDSHARED"), _setting("CC")
    flags = usual[len(own) :] if usual[: len(own)] == own else usual[1:]
    return [*_program(), *flags, *_further("LDFLAGS", "ARCHFLAGS")]


def _compiled_module(root: Path) -> ModuleType:
    """`thinktime.compiled`, which reads the record: the package need not be installed yet."""
    spec = importlib.util.spec_from_file_location("thinktime_compiled", root / "api" / "compiled.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _remove_libraries(folder: Path, name: str, but: Path | None = None) -> None:
    """Those of other Pythons, too: the record describes one."""
    for path in folder.glob(f"{name}.*.so"):
        if path != but:
            path.unlink()


def _write(path: Path, record: dict[str, object]) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    os.replace(new, path)
