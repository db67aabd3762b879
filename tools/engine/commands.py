"""What setuptools does: a wheel holds the library, and an editable install finds it in the tree."""

import os
import sys
from pathlib import Path
from typing import ClassVar

import setuptools
from setuptools import Command
from setuptools.command.build import build

from tools.engine.building import Builder, CannotCompile, Way

ROOT = Path(__file__).parents[2]
IN_TREE = ROOT / "api" / "_compiled"
KEPT = ROOT / "build" / "engine"


def is_set(variable: str) -> bool:
    """Whether a switch of the environment is on."""
    return os.environ.get(variable, "0") not in ("", "0")


def way(limited: bool) -> Way:
    """How the engine is compiled, as the environment says."""
    return Way(limited=limited, hints=not limited, bounds=is_set("THINKTIME_BOUNDS"))


LIMITED = not sys.abiflags and sys.implementation.name == "cpython"
"""Wheels are for this and all later versions of Python, where Python has such a promise."""


def say(line: str) -> None:
    """Progress, which pip shows with -v."""
    print(line, flush=True)


def build_in_place() -> Builder | None:
    """Compile into the tree, and return what did it; if something is missing, say what."""
    builder = Builder(ROOT, KEPT, way(limited=False), say)
    try:
        builder.build(IN_TREE, lambda path: Path(os.path.relpath(path, IN_TREE)))
    except CannotCompile as missing:
        print(f"thinktime will run as plain Python: {missing}", file=sys.stderr, flush=True)
        return None
    return builder


class build_engine(Command):
    """A step of `build`, beside `build_py`."""

    description = "compile the engine"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = []
    editable_mode = False
    build_lib: str | None = None

    def initialize_options(self) -> None:
        """Nothing is known yet."""
        self.build_lib = None

    def finalize_options(self) -> None:
        """The wheel's content is gathered where `build` says."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        """Compile; without a compiler, a record says what is missing."""
        if is_set("THINKTIME_PLAIN"):
            return
        if self.editable_mode:
            build_in_place()
            return
        folder = self._folder
        builder = Builder(ROOT, KEPT, way(LIMITED), say)
        try:
            builder.build(folder, lambda path: Path("..", Path(builder.sources.staged(path)).relative_to("thinktime")))
        except CannotCompile as missing:
            print(f"thinktime will run as plain Python: {missing}", file=sys.stderr, flush=True)

    @property
    def _folder(self) -> Path:
        return Path(str(self.build_lib), "thinktime", "_compiled")

    def get_source_files(self) -> list[str]:
        """`build_py` names them all."""
        return []

    def get_outputs(self) -> list[str]:
        """What the wheel holds."""
        return [] if self.editable_mode else [str(path) for path in self._folder.glob("*")]

    def get_output_mapping(self) -> dict[str, str]:
        """An editable install needs no links: the library lies in the tree."""
        return {}


class build_all(build):
    """`build`, with the engine."""

    sub_commands: ClassVar = [*build.sub_commands, ("build_engine", None)]


class Distribution(setuptools.Distribution):
    """A wheel is for one kind of machine if it holds the compiled engine."""

    def has_ext_modules(self) -> bool:
        """Whether it does; an editable one holds a path only."""
        return not is_set("THINKTIME_PLAIN") and "editable_wheel" not in self.command_obj


COMMANDS = {"build": build_all, "build_engine": build_engine}
OPTIONS = {"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {}
