"""How kernels are compiled: all of Numba's ceremony stands here, once.

A kernel is a function of arrays and plain numbers that changes its arrays in place; it holds loops, no
objects and no exceptions. Compiled code is cached on disk: beside the source where that folder can be
written, else in the user's cache folder (Numba's own rule). ``NUMBA_DISABLE_JIT=1`` runs the same functions
as plain Python.

``fastmath`` stays off (schedules must be the same on every platform) and so does ``parallel`` (the queues
are short, and replications already use every core).
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_registry: dict[str, Any] = {}


def kernel(function: F) -> F:
    """Compile ``function`` at its first call, and keep it in the registry of kernels."""
    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    _registry[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(F, compiled)


def registry() -> dict[str, Any]:
    """Every kernel that has been imported, by its dotted name."""
    return dict(_registry)
