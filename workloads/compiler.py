"""How kernels are compiled: everything that Numba needs, in one place.

A kernel is a function of arrays and plain numbers that changes its arrays in place. It has loops, but no objects and
no exceptions. Compiled code is cached on disk where ``NUMBA_CACHE_DIR`` says, else beside the source if that folder
can be written, else in the user's cache folder (Numba's own rule). If nothing can be written, as in a read-only
container, every process compiles kernels in memory. ``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.

``fastmath`` stays off (schedules must be the same on every platform) and so does ``parallel`` (the queues
are short, and replications already use every core).
"""

import functools
import hashlib
import sys
from collections.abc import Callable
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Table = NDArray[Any]
"""Two dimensions: a row for each column of a log."""
F = TypeVar("F", bound=Callable[..., Any])

NO_CACHE = (
    "thinktime: no folder for compiled kernels can be written, so they are compiled in memory, some seconds at "
    "every start; NUMBA_CACHE_DIR names a folder to keep them in"
)

_registry: dict[str, Any] = {}
_in_memory: list[str] = []
"""Why nothing can be cached, once this is known."""


def kernel(function: F) -> F:
    """Compile ``function`` at its first call, and keep it in the registry of kernels."""
    compiled: Any = _compiled(function)
    _registry[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(F, compiled)


def whole(number: int) -> int:
    """A constant that one kernel passes to another: Numba would compile the callee anew for a bare number."""
    return cast(int, np.int64(number))


def registry() -> dict[str, Any]:
    """Every kernel that has been imported, by its dotted name."""
    return dict(_registry)


def _compiled(function: Callable[..., Any]) -> Any:
    if not _in_memory:
        try:
            return _stamped(numba.njit(cache=True, nogil=True)(function))
        except RuntimeError as error:  # "cannot cache function …: no locator available"
            if "cannot cache function" not in str(error):
                raise
            _in_memory.append(str(error))
            if parent_process() is None:  # workers need not repeat it
                print(NO_CACHE, file=sys.stderr)
    return numba.njit(nogil=True)(function)


def _stamped(compiled: Any) -> Any:
    """Let cached code be valid as long as nothing in the kernel's folder has changed.

    Numba looks at the file of the kernel alone, but the code also holds what the kernel calls and the constants
    that it imports. So these belong into the same folder.
    """
    index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = (
            index._source_stamp,
            _stamp(Path(compiled.py_func.__code__.co_filename).parent),
        )
    return compiled


@functools.cache
def _stamp(folder: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()
