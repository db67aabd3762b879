"""``FILE.py:NAME``: what users' scripts have. This is the one place where the package imports such a file.

Code that opens what another person may have made, such as a folder of results, does it inside `without_scripts`.
"""

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any

from thinktime.workloads.names import key_of, quoted, shortened

_REFUSED: ContextVar[str] = ContextVar("_REFUSED", default="")


@contextmanager
def without_scripts(why: str) -> Iterator[None]:
    """Nothing inside imports a script; what would do it raises ``ValueError``: the file, and ``why`` it may not be."""
    token = _REFUSED.set(why)
    try:
        yield
    finally:
        _REFUSED.reset(token)


def is_script(text: str) -> bool:
    """Whether a text names something in a script."""
    return text.partition(":")[0].endswith(".py")


def member(path: str, name: str) -> Any:
    """What a script calls ``name``; ``ValueError`` with one sentence if it cannot be had."""
    if not name:
        raise ValueError(f"say which function or class of {shortened(path)}: {shortened(path)}:NAME")
    module = _module(path)
    if not hasattr(module, name):
        public = [key for key in vars(module) if not key.startswith("_")]
        raise ValueError(f"{path} has no {quoted(name)}; {key_of(name, public, 'its names', 3)}")
    return getattr(module, name)


def _module(path: str) -> ModuleType:
    if why := _REFUSED.get():
        raise ValueError(f"{shortened(path)} is not imported: {why}")
    if not os.path.isfile(path):  # which is false for a name that is too long as well
        raise ValueError(f"there is no file {shortened(path)}")
    name = f"thinktime_script_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ValueError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
