"""Policies and orders from a user's own script: ``FILE.py:NAME``."""

import difflib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any


def member(path: str, name: str) -> Any:
    """What a script calls ``name``; ``ValueError`` with one sentence if it cannot be had."""
    if not name:
        raise ValueError(f"say which function or class of {path}: {path}:NAME")
    module = _module(path)
    if not hasattr(module, name):
        public = [key for key in vars(module) if not key.startswith("_")]
        raise ValueError(f"{path} has no {name!r}{close_to(name, public)}")
    return getattr(module, name)


def close_to(word: str, words: Iterable[str]) -> str:
    """The end of a sentence that says what could have been meant."""
    listed = list(words)
    close = difflib.get_close_matches(word, listed, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else f"; known are {', '.join(listed)}"


def _module(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}")
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
