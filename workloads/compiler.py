"""How kernels are compiled: everything that Numba needs, in one place.

A kernel is a function of arrays, plain numbers and structures that changes its arrays in place. It has loops, but no
objects and no exceptions. A *structure* holds arrays under names, so that one argument stands for all of them: to take
forty arrays one by one costs 4 µs a call, a structure 0.8 µs. A function can be written anew for each kind of
structure (`by_kind`). A kernel need not know the kind of a structure (`late`): it is compiled once for all kinds, and
finds the functions that are written for them (`by_kind_of`) when it runs.

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
_kinds: "dict[str, StructureKind]" = {}
_late_functions: "dict[str, list[_ByKind]]" = {}
"""Functions that are written for kinds of a role, in the order of their addresses in tables."""
_functions: dict[tuple[str, ...], Ints] = {}
"""Such tables, by role, kind, and the kinds of structures beside it."""
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
        _kinds[name] = self
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
    functions: Ints
    real: "Structure"
    late: "dict[tuple[str, ...], Structure]"

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
ANY = StructureKind("Any")
"""What kernels know of a structure that they are given `late`."""
COMPILES = not numba.core.config.DISABLE_JIT  # type: ignore[attr-defined]
_numba: Any = numba  # without types
_TYPES: dict[Any, Any] = _ARRAYS | {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    tuple[int, float]: _numba.types.Tuple([types.int64, types.float64]),
    None: types.none,
}
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
        made.address, made.late = _place(made.table), {}
        return made

    return make


def _place(array: Any) -> int:
    """Where a contiguous array is in memory; `ndarray.ctypes` says so, too, but is six times slower."""
    return addressof(c_byte.from_buffer(array)) if array.size else 0


class _ByKind:
    """A function that is written for several kinds of structures; of a ``role``, if kernels need not know its kind."""

    is_compiling = False  # Numba asks

    def __init__(self, usual: Callable[..., Any], role: str | None = None) -> None:
        functools.update_wrapper(self, usual)
        names = list(inspect.signature(usual).parameters)
        self.places = [place for place, name in enumerate(names) if name in STRUCTURES]
        self.own: dict[str, Callable[..., Any]] = {}
        self._usual, self._compiled = usual, cast(dict[str, Any], {})
        self.role = None if role is None else names.index(role)
        if role is not None:
            self.slot = len(_late_functions.setdefault(role, []))
            _late_functions[role].append(self)
            self.called_late = _called_late(self)

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

    def prototype(self, given: Sequence[Any]) -> Any:
        """Its signature where it is called late: as annotated, with structures as given."""
        *annotated, result = inspect.get_annotations(self._usual).values()
        arguments = [kind if each is Structure else _TYPES[each] for each, kind in zip(annotated, given, strict=True)]
        return _numba.core.typing.signature(_TYPES[result], *arguments)

    def address(self, kind: str, named: dict[str, StructureKind]) -> int:
        """Where the code is that it has for one kind, with structures of other names of these kinds."""
        assert self.role is not None
        names = list(inspect.signature(self._usual).parameters)
        given = [named.get(name, ANY) for name in names]
        given[self.role] = _kinds[kind] if self.written(kind) else ANY
        signature = self.prototype(given)
        function = self.of([given[place].name for place in self.places])
        function.compile(signature.args)
        compiled = function.overloads[signature.args]
        result = _numba.types.unliteral(compiled.signature.return_type)
        if result != signature.return_type:
            raise TypeError(f"{function} returns {result}, not {signature.return_type}")
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))

    def __call__(self, *given: Any) -> Any:
        if self.role is not None and given[self.role].kind == ANY.name:
            given = (*given[: self.role], given[self.role].real, *given[self.role + 1 :])
        kinds = [given[place].kind for place in self.places]
        return (self._compiled.get("_".join(kinds)) or self.of(kinds))(*given)


def _called_late(function: _ByKind) -> Any:
    """What calls a function whose address is in the table of the structure that has its role."""
    role, slot = cast(int, function.role), function.slot

    def call(context: Any, *given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            word, convention = context.get_value_type(types.int64), context.call_conv
            table = builder.bitcast(given[role], word.as_pointer())
            functions = builder.inttoptr(builder.load(table), word.as_pointer())
            structure = builder.inttoptr(builder.load(builder.gep(table, [word(1)])), given[role].type)
            shape = convention.get_function_type(signature.return_type, signature.args)
            callee = builder.inttoptr(builder.load(builder.gep(functions, [word(slot)])), shape.as_pointer())
            arguments = [*given[:role], structure, *given[role + 1 :]]
            status, result = convention.call_function(builder, callee, signature.return_type, signature.args, arguments)
            with _numba.core.cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return function.prototype(given), generate

    own = inspect.signature(function._usual)
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__signature__ = own.replace(parameters=[first, *own.parameters.values()])  # type: ignore[attr-defined]
    return _numba.extending.intrinsic(call)


class _ByKindType(types.Dispatcher):
    """What it is to Numba: something that finds a kernel for the types of its arguments."""

    def _callee(self, given: Any) -> Any:
        function: Any = self.dispatcher
        if function.role is not None and given[function.role] is ANY:
            return _numba.core.registry.cpu_target.typing_context.resolve_value_type(function.called_late)
        return types.Dispatcher(function.of([given[place].name for place in function.places]))

    def get_call_type(self, context: Any, given: Any, named: Any) -> Any:
        return self._callee(given).get_call_type(context, given, named)

    def get_impl_key(self, signature: Any) -> Any:
        return self._callee(signature.args).get_impl_key(signature)


_numba.extending.register_model(_ByKindType)(_numba.core.datamodel.models.OpaqueModel)
_numba.extending.typeof_impl.register(_ByKind)(lambda function, _: _ByKindType(function))


def by_kind(usual: F) -> F:
    """A function of structures with the names in `STRUCTURES`; `written_for` writes it for a kind.

    For all other kinds it is ``usual``. It can be called from kernels and from Python. Each kind, or combination of
    kinds, has a kernel of its own, compiled from a copy if need be. With one kernel for several kinds,
    processes that compile at the same time could leave the code of one kind in Numba's cache under the name of another.
    """
    return cast(F, _ByKind(usual))


def by_kind_of(role: str) -> Callable[[F], F]:
    """A decorator: `by_kind`, but written for kinds of one structure only, which kernels may be given `late`."""

    def decorate(usual: F) -> F:
        return cast(F, _ByKind(usual, role))

    return decorate


def late(role: str, structure: Structure, **others: Structure) -> Structure:
    """A structure for kernels that do not know its kind, and so need not be compiled anew for each.

    They call what is written for it (`by_kind_of`) at addresses that they find when they run, which takes some
    nanoseconds more. ``others`` are the structures beside it whose kinds they know.
    """
    if not COMPILES:
        return structure
    bound, key = structure.late, tuple(other.kind for other in others.values())
    if key not in bound:
        named = {name: other._numba_type_ for name, other in others.items()}
        bound[key] = made = Structure()
        made.kind, made._numba_type_, made.real = ANY.name, ANY, structure
        made.functions = _addresses(role, structure.kind, key, named)  # kept alive
        made.table = np.array([_place(made.functions), structure.address], np.int64)
        made.address = _place(made.table)
    return bound[key]


def _addresses(role: str, kind: str, key: tuple[str, ...], named: dict[str, StructureKind]) -> Ints:
    """The addresses of all functions that are written for kinds of a role, compiled for one kind."""
    found = _functions.get((role, kind, *key))
    if found is None:
        found = np.array([function.address(kind, named) for function in _late_functions[role]], np.int64)
        _functions[(role, kind, *key)] = found
    return found


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
