"""Packages whose modules are imported when they are first asked for.

After `import thinktime as tt`, `tt.analysis.fairness` names a module that nobody may have imported yet. A package that
calls `import_on_demand` finds it (PEP 562), so what a script may write does not depend on what was imported before.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

from thinktime.workloads.names import key_of


def import_on_demand(package: str) -> None:
    """Give the package, named by its `__name__`, its modules as attributes; each is imported at first use.

    A name that is no module of the package is an `AttributeError` that names the nearest one.
    """
    module = sys.modules[package]

    def names() -> list[str]:
        return [part.name for part in pkgutil.iter_modules(module.__path__) if part.name != "__main__"]

    def find(name: str) -> Any:
        if not name.startswith("_") and name in names():
            return importlib.import_module(f"{package}.{name}")
        known = sorted({*names(), *vars(module).get("__all__", ())})
        raise AttributeError(
            f"{package} has no {name!r}; {key_of(name, known, 'its parts')}", name=name, obj=module
        )

    def listed() -> list[str]:
        return sorted({*vars(module), *names()})

    vars(module).update(__getattr__=find, __dir__=listed)
