"""Packages whose modules are imported on first use.

After `import thinktime as tt`, the module `tt.analysis.fairness` may not have been imported yet. A package that
calls `import_on_demand` imports it then (PEP 562), so a script does not depend on earlier imports.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinktime.workloads.names import key_of, quoted


def elsewhere(package: str, name: str) -> list[str]:
    """The modules of this name in other places of the package that this one is a part of."""
    top = package.partition(".")[0]

    def below(place: str, folders: list[str]) -> Iterator[str]:
        for part in pkgutil.iter_modules(folders):
            where = f"{place}.{part.name}"
            if part.name == name:
                yield where
            if part.ispkg:
                yield from below(where, [str(Path(folder) / part.name) for folder in folders])

    return [] if name.startswith("_") else list(below(top, list(sys.modules[top].__path__)))


def import_on_demand(package: str) -> None:
    """Make the modules of a package (its `__name__`) attributes that are imported on first use.

    Any other name raises an `AttributeError` that suggests a similar one.
    """
    module = sys.modules[package]

    def names() -> list[str]:
        return [part.name for part in pkgutil.iter_modules(module.__path__) if part.name != "__main__"]

    def find(name: str) -> Any:
        if not name.startswith("_") and name in names():
            return importlib.import_module(f"{package}.{name}")
        known = sorted({*names(), *vars(module).get("__all__", ())})
        there = elsewhere(package, name)
        meant = f"it is {' or '.join(there)}" if there else key_of(name, known, "its parts")
        raise AttributeError(f"{package} has no {quoted(name)}; {meant}", name=name, obj=module)

    def listed() -> list[str]:
        return sorted({*vars(module), *names()})

    vars(module).update(__getattr__=find, __dir__=listed)
