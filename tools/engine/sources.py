"""What is compiled: each module with an ``X.pxd`` beside its ``X.py`` that does not lie in a folder ``codes``.

Those in ``codes`` are numbers for Python, which their ``.pxd`` has once more for C.
"""

import hashlib
import os
import re
from configparser import ConfigParser
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CIMPORT = re.compile(r"^\s*(?:from\s+(?P<where>[.\w]+)\s+)?cimport\s+(?P<what>\([^)]*\)|[^\n#]*)", re.MULTILINE)
NAME = re.compile(r"[\w.]+")
COMMON = "thinktime.models.engine.machine_state"
"""The module that most others cimport, and so all that it cimports."""


@dataclass(frozen=True)
class Module:
    """A module that is compiled."""

    name: str
    """What it is imported as."""
    source: Path
    """Its file, in the tree."""

    @property
    def declarations(self) -> Path:
        """The ``.pxd`` file beside it."""
        return self.source.with_suffix(".pxd")

    @property
    def initializer(self) -> str:
        """The last part of its entry point in the library, which many modules share: no two may have the same."""
        return self.name.partition(".")[2].replace(".", "_")


class Sources:
    """The modules of a tree that are compiled, and the declarations that they rest on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        config = ConfigParser(interpolation=None)
        config.read(root / "setup.cfg", encoding="utf-8")
        lines = config["options"]["package_dir"].strip().splitlines()
        pairs = (line.partition("=") for line in lines)
        self.packages = {name.strip(): root / folder.strip() for name, _, folder in pairs}
        self.modules = [
            Module(f"{package}.{path.stem}", path)
            for package, folder in sorted(self.packages.items())
            for path in sorted(folder.glob("*.py"))
            if path.stem != "__init__" and folder.name != "codes" and path.with_suffix(".pxd").exists()
        ]

    @cached_property
    def declarations(self) -> dict[str, Path]:
        """Every ``.pxd`` file by its dotted name; some have no module, only constants of C."""
        return {
            f"{package}.{path.stem}".removesuffix(".__init__"): path
            for package, folder in self.packages.items()
            for path in folder.glob("*.pxd")
        }

    def staged(self, path: Path) -> str:
        """Where a file of the tree lies below the folder that holds the package as it is imported."""
        (package,) = (name for name, folder in self.packages.items() if folder == path.parent)
        return f"{package.replace('.', os.sep)}/{path.name}"

    def depends_on(self, module: Module) -> list[Path]:
        """The declarations that a module needs: its own, and all that they cimport, near or far."""
        found: dict[str, Path] = {}
        left = [module.name]
        while left:
            name = left.pop()
            path = self.declarations.get(name)
            if path is None or name in found:
                continue
            found[name] = path
            left += self._cimported(name, path.read_text(encoding="utf-8"))
        return [found[name] for name in sorted(found)]

    def needs_common(self, module: Module) -> bool:
        """Whether a module needs all declarations that `COMMON` needs, and has none of them."""
        common = self.depends_on(Module(COMMON, Path()))
        return module.declarations not in common and set(common) <= set(self.depends_on(module))

    def _cimported(self, importer: str, text: str) -> list[str]:
        names = []
        for match in CIMPORT.finditer(text):
            what = [part.split(" as ")[0] for part in match["what"].strip("()").replace("\n", " ").split(",")]
            parts = [found[0] for part in what if (found := NAME.search(part))]
            where = match["where"]
            if where is None:
                names += parts
                continue
            if where.startswith("."):
                up = len(where) - len(where.lstrip("."))
                base = importer.split(".")[:-up]
                where = ".".join([*base, *([where.lstrip(".")] if where.strip(".") else [])])
            names += [where, *(f"{where}.{part}" for part in parts)]
        return names

    def key(self, module: Module, how: str) -> str:
        """Changes when the object of a module must be made anew."""
        digest = hashlib.sha256(f"{how}\0{module.name}\0".encode())
        for path in (module.source, *self.depends_on(module)):
            digest.update(path.read_bytes() + b"\0")
        return digest.hexdigest()

    def stage(self, folder: Path) -> None:
        """Lay out the files that Cython reads as they are imported; those that have not changed stay as they are."""
        wanted = {self.staged(each.source): each.source.read_bytes() for each in self.modules}
        wanted |= {self.staged(path): path.read_bytes() for path in self.declarations.values()}
        wanted |= {f"{name.replace('.', os.sep)}/__init__.py": b"" for name in self.packages}
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            if path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
        for name, content in wanted.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
