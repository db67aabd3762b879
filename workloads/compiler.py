"""How kernels are compiled: what Numba needs, in one place.

A kernel is a function of arrays, plain numbers and structures (`thinktime.workloads.structures`) that changes its
arrays in place. It has loops, but no objects and no exceptions.

Compiled code is cached on disk where ``NUMBA_CACHE_DIR`` says, else beside the source if that folder
can be written, else in the user's cache folder (Numba's own rule). If nothing can be written, as in a read-only
container, every process compiles kernels in memory. ``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.

``fastmath`` stays off (schedules must be the same on every platform) and so does ``parallel`` (the queues
are short, and replications already use every core).
"""

import functools
import hashlib
import sys
import uuid
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar, cast

import numba.extending
import numpy as np
from numba import types
from numba.core import event
from numpy.typing import NDArray

from thinktime.workloads.notice import Watch

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Table = NDArray[Any]
"""Two dimensions: a row for each column of a log."""
IntTable = NDArray[np.signedinteger[Any]]
CodeTable = NDArray[np.integer[Any]]
"""Two dimensions."""
F = TypeVar("F", bound=Callable[..., Any])

NO_CACHE = (
    "thinktime: no folder for compiled kernels can be written, so they are compiled in memory, some seconds at "
    "every start; NUMBA_CACHE_DIR names a folder to keep them in"
)

DAMAGED = "thinktime: compiled kernels in {} are damaged, so they are compiled again"
_damaged: list[Any] = []

_PROCESS = uuid.uuid4().hex[:8]
"""A part of the names of cached files: processes that compile a kernel at the same time must not share one."""
_registry: dict[str, Any] = {}
_in_memory: list[str] = []
"""Why nothing can be cached, once this is known."""
COMPILES = not numba.core.config.DISABLE_JIT  # type: ignore[attr-defined]
_numba: Any = numba  # without types
PACKAGE = __name__.partition(".")[0]
OWN = "compiler.py", "kinds.py", "structures.py"
"""Files of this folder that kernels of all folders are made with, or call."""


class _Listener(event.Listener):
    """Numba tells it of each kernel that is compiled, and of none that is found on disk."""

    watch = Watch()

    def on_start(self, event: Any) -> None:
        if _is_ours(event):
            self.watch.begins()

    def on_end(self, event: Any) -> None:
        if _is_ours(event):
            self.watch.ends()


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).partition(".")[0] == PACKAGE


if COMPILES:
    _numba.core.event.register("numba:compile", _Listener())


def _call_back(context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        number = context.get_value_type(types.int64)
        function = _numba.core.cgutils.ir.FunctionType(number, [number] * 3).as_pointer()
        return builder.call(builder.inttoptr(given[0], function), given[1:])

    return types.int64(*[types.int64] * 4), generate


CALLBACK = CFUNCTYPE(c_int64, c_int64, c_int64, c_int64)
"""What makes a function for kernels from one in Python: of three whole numbers, with one as the result."""
call_back: Any = (
    _numba.extending.intrinsic(_call_back)
    if COMPILES
    else lambda address, *given: CALLBACK(int(address))(*map(int, given))
)
"""Call the function at an address, in a kernel."""


def kernel(function: F) -> F:
    """Compile ``function`` at its first call, and keep it in the registry of kernels."""
    compiled: Any = _compiled(function)
    _registry[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(F, compiled)


def inlined(function: F) -> F:
    """Mark a function whose kernel is to become a part of every kernel that calls it.

    LLVM does so with small functions by itself. For larger ones that are called several times for each job, it saves
    passing arrays, seven words each: a quarter of the time under EASY, and a third under conservative backfilling.
    """
    function.__dict__["inlined"] = True
    return function


def whole(number: int) -> int:
    """A constant that one kernel passes to another: Numba would compile the callee anew for a bare number."""
    return cast(int, np.int64(number))


def registry() -> dict[str, Any]:
    """Every kernel that has been imported, by its dotted name."""
    return dict(_registry)


def _compiled(function: Callable[..., Any]) -> Any:
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "forceinline": "inlined" in vars(function)}
    if not _in_memory:
        try:
            return _stamped(numba.njit(cache=True, **options)(function))
        except RuntimeError as error:  # "cannot cache function …: no locator available"
            if "cannot cache function" not in str(error):
                raise
            _in_memory.append(str(error))
            _Listener.watch.said = True  # this line says more
            if parent_process() is None:  # workers need not repeat it
                print(NO_CACHE, file=sys.stderr)
    return numba.njit(**options)(function)


def _stamped(compiled: Any) -> Any:
    """Let cached code be valid as long as nothing in the kernel's folder, or in this file, has changed.

    Numba looks at the file of the kernel alone, but the code also holds what the kernel calls and the constants
    that it imports. So these belong into the same folder.
    """
    index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if index is not None:
        index._data_name_pattern = index._data_name_pattern.replace(".{number", f".{_PROCESS}-{{number")
        index._source_stamp = (index._source_stamp, _stamp(Path(compiled.py_func.__code__.co_filename).parent))
        _mind_damage(index)
    return compiled


def _mind_damage(index: Any) -> None:
    """Let a damaged file of a cache be as good as none: the kernel is compiled anew and written over it."""
    load_index, load_data = index._load_index, index._load_data

    def known() -> Any:
        try:
            return load_index()
        except OSError:
            raise
        except Exception:  # a damaged pickle raises almost anything
            _say_damaged(index)
            return {}

    def data(name: str) -> Any:
        try:
            return load_data(name)
        except OSError:
            raise
        except Exception as error:
            _say_damaged(index)
            raise FileNotFoundError(name) from error  # what Numba takes for a file that is not there

    index._load_index, index._load_data = known, data


def _say_damaged(index: Any) -> None:
    if not _damaged and parent_process() is None:
        print(DAMAGED.format(index._cache_path), file=sys.stderr)
    _damaged.append(index)


@functools.cache
def _stamp(folder: Path) -> str:
    own = [Path(__file__).parent / name for name in OWN]
    paths = [*own, *sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
