"""Functions that are written anew for each kind of structure.

Numba compiles a function for the kinds of its arguments, so a pass over the queue of one rule, say, has that rule's
functions compiled in. A kernel need not know the kind of a structure, though (`late`): then it is compiled once for all
kinds, and finds the functions that are written for them (`by_kind_of`) when it runs.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, TypeVar, cast

import numba.extending
import numpy as np
from numba import types

from thinktime.workloads.compiler import COMPILES, Ints, kernel
from thinktime.workloads.structures import ANY, ARRAYS, KINDS, LINES, Structure, StructureKind, place_of

F = TypeVar("F", bound=Callable[..., Any])
STRUCTURES = ("state", "rule", "order", "estimator", "sources")
_late_functions: "dict[str, list[_ByKind]]" = {}
"""Functions that are written for kinds of a role, in the order of their addresses in tables.

Those of a role lie in one module: compiled code on disk has their places, whatever a process imports first.
"""
_functions: dict[tuple[str, ...], Ints] = {}
"""Such tables, by role, kind, and the kinds of structures beside it."""
_numba: Any = numba  # without types
_TYPES: dict[Any, Any] = ARRAYS | {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    tuple[int, float]: _numba.types.Tuple([types.int64, types.float64]),
    None: types.none,
}


class _ByKind:
    """A function that is written for several kinds of structures; of a ``role``, if kernels need not know its kind."""

    is_compiling = False  # Numba asks

    def __init__(self, usual: Callable[..., Any], role: str | None = None) -> None:
        functools.update_wrapper(self, usual)
        names = list(inspect.signature(usual).parameters)
        self.places = [place for place, name in enumerate(names) if name in STRUCTURES]
        self.own: dict[str, Callable[..., Any]] = {}
        self._usual, self._compiled = usual, cast(dict[str, Any], {})
        self._entries: dict[tuple[str, ...], tuple[Any, Any]] = {}
        self.role = None if role is None else names.index(role)
        if role is not None:
            beside = _late_functions.setdefault(role, [])
            if any(other.__module__ != usual.__module__ for other in beside):
                raise TypeError(
                    f"{usual.__name__} belongs beside the other functions of kinds of {role}: their order counts"
                )
            self.slot = len(beside)
            beside.append(self)
            self.called_late = _called_late(self)

    def of(self, kinds: list[str]) -> Any:
        """The kernel for structures of these kinds."""
        key = "_".join(kinds)
        if key not in self._compiled:
            written = next(filter(None, map(self.written, kinds)), self._usual)
            self._compiled[key] = kernel(_renamed(written, f"{written.__name__}_{key}"))
        return self._compiled[key]

    def entry(self, kinds: tuple[str, ...]) -> Any:
        """What to call for structures of these kinds: the compiled code itself, as long as there is only one."""
        compiled, entry = self._entries.get(kinds, (None, None))
        if compiled is None or len(compiled.overloads) != 1:
            compiled = self.of(list(kinds))
            made = list(compiled.overloads.values())
            entry = made[0].entry_point if len(made) == 1 else compiled
            self._entries[kinds] = compiled, entry
        return entry

    def written(self, kind: str) -> Callable[..., Any] | None:
        """What it does for structures of one kind; None for the usual."""
        return next((self.own[each] for each in LINES[kind] if each in self.own), None)

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
        given[self.role] = KINDS[kind] if self.written(kind) else ANY
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


def _usable(function: _ByKind) -> Callable[..., Any]:
    """What stands for it where it is called: itself, or if nothing is compiled, a plain function, which is faster."""
    if COMPILES:
        return function
    found: dict[Any, Callable[..., Any]] = {}

    def find(key: Any, kinds: list[str]) -> Callable[..., Any]:
        found[key] = function.of(kinds)
        return found[key]

    if len(function.places) == 1:
        [only] = function.places

        def call(*given: Any) -> Any:
            kind = given[only].kind
            return (found.get(kind) or find(kind, [kind]))(*given)

    else:

        def call(*given: Any) -> Any:
            kinds = tuple([given[place].kind for place in function.places])
            return (found.get(kinds) or find(kinds, list(kinds)))(*given)

    functools.update_wrapper(call, function._usual)
    call.__dict__["by_kind"] = function
    return call


def _written(function: Callable[..., Any]) -> _ByKind:
    return cast(_ByKind, getattr(function, "by_kind", function))


def by_kind(usual: F) -> F:
    """A function of structures with the names in `STRUCTURES`; `written_for` writes it for a kind.

    For all other kinds it is ``usual``. It can be called from kernels and from Python. Each kind, or combination of
    kinds, has a kernel of its own, compiled from a copy if need be. With one kernel for several kinds,
    processes that compile at the same time could leave the code of one kind in Numba's cache under the name of another.
    """
    return cast(F, _usable(_ByKind(usual)))


def by_kind_of(role: str) -> Callable[[F], F]:
    """A decorator: `by_kind`, but written for kinds of one structure only, which kernels may be given `late`."""

    def decorate(usual: F) -> F:
        return cast(F, _usable(_ByKind(usual, role)))

    return decorate


def late(role: str, structure: Structure, **others: Structure) -> Structure:
    """A structure for kernels that do not know its kind, and so need not be compiled anew for each.

    They call what is written for it (`by_kind_of`) at addresses that they find when they run, which takes some
    nanoseconds more. ``others`` are the structures beside it whose kinds they know.
    """
    if not COMPILES:
        return structure
    bound, key = structure.late, tuple([other.kind for other in others.values()])  # faster than a generator
    if key not in bound:
        named = {name: other._numba_type_ for name, other in others.items()}
        bound[key] = made = Structure()
        made.kind, made._numba_type_, made.real = ANY.name, ANY, structure
        made.functions = _addresses(role, structure.kind, key, named)  # kept alive
        made.table = np.array([place_of(made.functions), structure.address], np.int64)
        made.address = place_of(made.table)
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
        _written(function).own[kind.name] = implementation
        return implementation

    return enter


def for_kinds_of(function: F, *structures: Structure) -> F:
    """What a function does for structures of these kinds, to be called many times.

    To look at the types of its arguments takes 7 µs a call, and to list what is compiled for them 7 µs more.
    """
    if not COMPILES:
        return function
    kinds = tuple([structure.kind for structure in structures])
    return cast(F, cast(_ByKind, function).entry(kinds))


def usual(function: F, kind: StructureKind | None = None) -> F:
    """What a function does for a kind for which it is not written, or for one kind, as a kernel for any structures."""
    written = _written(function)
    implementation = (None if kind is None else written.written(kind.name)) or written._usual
    return cast(F, kernel(_renamed(implementation, f"usual_{implementation.__name__}")))


def _renamed(function: Any, name: str) -> Any:
    """A copy of a function under another name."""
    code = function.__code__.replace(co_name=name, co_qualname=name)
    copy = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__annotations__ = name, function.__annotations__
    copy.__dict__.update(vars(function))
    return copy
