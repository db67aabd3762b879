"""How kernels are compiled: everything that Numba needs, in one place.

A kernel is a function of arrays, plain numbers and structures that changes its arrays in place. It has loops, but no
objects and no exceptions. A *structure* holds arrays under names, so that one argument stands for all of them: to take
forty arrays one by one costs 4 µs a call, a structure 0.8 µs. A function can be written anew for each kind of
structure (`by_kind`).

Compiled code is cached on disk where ``NUMBA_CACHE_DIR`` says, else beside the source if that folder
can be written, else in the user's cache folder (Numba's own rule). If nothing can be written, as in a read-only
container, every process compiles kernels in memory. ``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.

``fastmath`` stays off (schedules must be the same on every platform) and so does ``parallel`` (the queues
are short, and replications already use every core).
"""

import functools
import hashlib
import inspect
import sys
import uuid
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, addressof, c_byte, c_int64
from multiprocessing import parent_process
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba.extending
import numba.np.arrayobj
import numpy as np
from numba import types
from numpy.typing import NDArray

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

_PROCESS = uuid.uuid4().hex[:8]
"""A part of the names of cached files: processes that compile a kernel at the same time must not share one."""
_registry: dict[str, Any] = {}
_lines: dict[str, list[str]] = {}
"""The names of the kinds of structures, each with those whose functions it takes, in order."""
STRUCTURES = ("state", "rule", "order", "estimator", "sources")
_in_memory: list[str] = []
"""Why nothing can be cached, once this is known."""


class StructureKind(types.Type):
    """What structures of one kind hold: ``fields`` are names, with the types of their arrays.

    Compiled code has a structure as the address of its table, in which each array has its address and its lengths.
    What is not written for a kind is as for the first of the kinds that it is ``like`` for which it is.
    """

    def __init__(self, name: str, like: "Sequence[StructureKind]" = (), /, **fields: Any) -> None:
        super().__init__(name)
        self.fields = {field: _ARRAYS[kind] for field, kind in fields.items()}
        _lines[name] = [name, *(each for kind in like for each in _lines[kind.name])]


def fields(*runs: tuple[Any, str]) -> dict[str, Any]:
    """Fields of structures, in order: a type of arrays, and the names of some that have it."""
    return {name: kind for kind, names in runs for name in names.split()}


class Structure:
    """A structure as Python sees it: its arrays as attributes; it can be passed to kernels.

    This object keeps the arrays alive. So kernels need not count references to them, which took more than half of the
    time of an EASY replay.
    """

    kind: str
    _numba_type_: StructureKind
    table: Ints
    address: int

    def replace(self, name: str, array: NDArray[Any]) -> None:
        """Put another array in the place of one, even while a kernel runs, if it is one of `REPLACED`."""
        vars(self)[name] = array
        place = _WORDS * list(self._numba_type_.fields).index(name)
        self.table[place : place + _WORDS] = _place(array), len(array), array.shape[-1]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_ARRAYS = {
    Ints: types.int64[::1],
    Floats: types.float64[::1],
    Codes: types.int8[::1],
    IntTable: types.int64[:, ::1],
    CodeTable: types.int8[:, ::1],
}
COMPILES = not numba.core.config.DISABLE_JIT  # type: ignore[attr-defined]
_numba: Any = numba  # without types
_WORDS = 3
"""What a structure has for each array: an address, and the lengths of two dimensions."""
REPLACED = ("places", "log")
"""Arrays that kernels have made longer while they run."""


@_numba.extending.unbox(StructureKind)  # type: ignore[untyped-decorator]
def _address(kind: StructureKind, made: Any, context: Any) -> Any:
    """The address of a structure's table."""
    number = context.pyapi.object_getattr_string(made, "address")
    address = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return _numba.extending.NativeValue(address)


@_numba.extending.infer_getattr
class _Fields(_numba.core.typing.templates.AttributeTemplate):  # type: ignore[misc]
    key = StructureKind

    def generic_resolve(self, kind: StructureKind, name: str) -> Any:
        return kind.fields.get(name)


@_numba.extending.lower_getattr_generic(StructureKind)  # type: ignore[untyped-decorator]
def _array(context: Any, builder: Any, kind: StructureKind, table: Any, name: str) -> Any:
    """One of the arrays. Most stay where they are, and no reference to their memory could be counted."""
    word, array = context.get_value_type(types.int64), context.make_array(kind.fields[name])(context, builder)
    place, words = _WORDS * list(kind.fields).index(name), builder.bitcast(table, word.as_pointer())
    loaded = [builder.load(builder.gep(words, [word(place + part)])) for part in range(1 + kind.fields[name].ndim)]
    for each in loaded if name not in REPLACED else ():
        each.set_metadata("invariant.load", builder.module.add_metadata([]))
    address, *shape = loaded
    data, size = builder.inttoptr(address, array.data.type), context.get_abi_sizeof(array.data.type.pointee)
    steps = [*(builder.mul(length, word(size)) for length in shape[1:]), word(size)]
    _numba.np.arrayobj.populate_array(array, data, shape, steps, word(size), None)
    return array._getvalue()


_numba.extending.register_model(StructureKind)(_numba.core.datamodel.models.OpaqueModel)


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


def maker(kind: StructureKind) -> Callable[..., Structure]:
    """What makes a structure of a kind from its arrays, in order."""
    names, types = list(kind.fields), [np.dtype(str(field.dtype)) for field in kind.fields.values()]

    def make(*arrays: Any) -> Structure:
        if [array.dtype for array in arrays] != types:
            raise TypeError(f"{kind.name} needs arrays of {', '.join(map(str, types))}, for {', '.join(names)}")
        made = Structure()
        words = [word for array in arrays for word in (_place(array), len(array), array.shape[-1])]
        vars(made).update(zip(names, arrays, strict=True))
        made.kind, made._numba_type_, made.table = kind.name, kind, np.array(words, np.int64)
        made.address = _place(made.table)
        return made

    return make


def _place(array: Any) -> int:
    """Where a contiguous array is in memory; `ndarray.ctypes` says so, too, but is six times slower."""
    return addressof(c_byte.from_buffer(array)) if array.size else 0


class _ByKind:
    """A function that is written for several kinds of structures."""

    is_compiling = False  # Numba asks

    def __init__(self, usual: Callable[..., Any]) -> None:
        functools.update_wrapper(self, usual)
        names = list(inspect.signature(usual).parameters)
        self.places = [place for place, name in enumerate(names) if name in STRUCTURES]
        self.own: dict[str, Callable[..., Any]] = {}
        self._usual, self._compiled = usual, cast(dict[str, Any], {})

    def of(self, kinds: list[str]) -> Any:
        """The kernel for structures of these kinds."""
        key = "_".join(kinds)
        if key not in self._compiled:
            written = next(filter(None, map(self.written, kinds)), self._usual)
            self._compiled[key] = kernel(_renamed(written, f"{written.__name__}_{key}"))
        return self._compiled[key]

    def written(self, kind: str) -> Callable[..., Any] | None:
        """What it does for structures of one kind; None for the usual."""
        return next((self.own[each] for each in _lines[kind] if each in self.own), None)

    def __call__(self, *given: Any) -> Any:
        kinds = [given[place].kind for place in self.places]
        return (self._compiled.get("_".join(kinds)) or self.of(kinds))(*given)


class _ByKindType(types.Dispatcher):
    """What it is to Numba: something that finds a kernel for the types of its arguments."""

    def _kernel(self, given: Any) -> Any:
        function: Any = self.dispatcher
        return types.Dispatcher(function.of([given[place].name for place in function.places]))

    def get_call_type(self, context: Any, given: Any, named: Any) -> Any:
        return self._kernel(given).get_call_type(context, given, named)

    def get_overload(self, signature: Any) -> Any:
        return self._kernel(signature.args).get_overload(signature)


_numba.extending.register_model(_ByKindType)(_numba.core.datamodel.models.OpaqueModel)
_numba.extending.typeof_impl.register(_ByKind)(lambda function, _: _ByKindType(function))


def by_kind(usual: F) -> F:
    """A function of structures with the names in `STRUCTURES`; `written_for` writes it for a kind.

    For all other kinds it is ``usual``. It can be called from kernels and from Python. Each kind, or combination of
    kinds, has a kernel of its own, compiled from a copy if need be. With one kernel for several kinds,
    processes that compile at the same time could leave the code of one kind in Numba's cache under the name of another.
    """
    return cast(F, _ByKind(usual))


def written_for(kind: StructureKind, function: Callable[..., Any]) -> Callable[[F], F]:
    """A decorator: this is what ``function`` does for structures of a kind."""

    def enter(implementation: F) -> F:
        cast(_ByKind, function).own[kind.name] = implementation
        return implementation

    return enter


def usual(function: F, kind: StructureKind | None = None) -> F:
    """What a function does for a kind for which it is not written, or for one kind, as a kernel for any structures."""
    written = cast(_ByKind, function)
    implementation = (None if kind is None else written.written(kind.name)) or written._usual
    return cast(F, kernel(_renamed(implementation, f"usual_{implementation.__name__}")))


def _renamed(function: Any, name: str) -> Any:
    """A copy of a function under another name."""
    code = function.__code__.replace(co_name=name, co_qualname=name)
    copy = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__annotations__ = name, function.__annotations__
    copy.__dict__.update(vars(function))
    return copy


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
    return compiled


@functools.cache
def _stamp(folder: Path) -> str:
    paths = [Path(__file__), *sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
